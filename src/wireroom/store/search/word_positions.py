"""Where words stand: an article's words and their places, within what PostgreSQL can keep.

Pure. Knows lists of words, not articles. A `tsvector` counts places up to 16,383, keeps 255 places
of one word and takes 1 MB in all; the word "the" is used up after some 4,000 words. SQLite knows
no such limits, yet both are to find the same phrases. So a long stream of words is laid out in
pages: each keeps to the limits, repeats the end of the page before it so that no phrase falls into
the gap, and from the second on spells its words `1:word`, `2:word` …, which no typed word can be.
Most articles are one page. What needs more than `MAX_PAGES` is cut, for both databases alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice
from operator import add

GAP = ":"  # a word nobody can type: it stands between fields, authors and tags, so that no phrase crosses
MORE_PAGES = "pages:more"  # on articles of several pages, so that a phrase is sought there alone

MAX_PHRASE = 64  # words in one phrase; a page repeats one less of the page before it
MAX_PAGES = 16  # about 60,000 words of English; each page makes a phrase longer to look for
PAGE_LENGTH = 16_000  # words; PostgreSQL takes every place above 16,383 for the same
MAX_REPEATS = 255  # places of one word; PostgreSQL forgets the others
MAX_VECTOR = 900_000  # bytes; PostgreSQL refuses 1 MB, and facets have to fit in as well
_NUMERALS = tuple(map(str, range(1, PAGE_LENGTH + 1)))  # writing numbers was half the work
_FAR = "16383"  # the place of words that stand on later pages only: next to nothing, weight D

# What a word costs beside its letters, plain and again on every page it stands on; and each place.
_WORD_COST, _PLACE_COST = 6, 2


def surely_fits(words: int, letters: int) -> bool:
    """Whether so many words of so many letters fit, whatever they are: it saves the counting."""
    # Each page may be one word repeated; a letter takes four bytes at most, and is kept twice.
    cost = words * (2 * _WORD_COST + _PLACE_COST) + 2 * 4 * letters
    return words <= MAX_PAGES * (MAX_REPEATS - MAX_PHRASE) and cost <= MAX_VECTOR


def pages(stream: Sequence[str]) -> list[range]:
    """The pages of a stream of words; the last ends before the stream does when it was cut."""
    found: list[range] = []
    seen: set[str] = set()
    room, start = MAX_VECTOR, 0
    while len(found) < MAX_PAGES:
        page, room = _page_from(start, stream, room, seen)
        found.append(page)
        if page.stop == len(stream) or room <= 0:
            break
        start = page.stop - (MAX_PHRASE - 1)
    return found


def on_page(word: str, page: int) -> str:
    """How a word is spelt on this page; on the first one it is plain."""
    return f"{page}:{word}" if page else word


def vector(stream: Sequence[str], weights: Sequence[str], facets: Sequence[str]) -> str:
    """A literal for PostgreSQL: words with places and weights, facets without.

    Weights are those of the first words; the words behind them have none.
    """
    lexemes = _lexemes(stream, weights)
    if not _is_one_page(stream, len(lexemes)):
        lexemes = _lexemes_of_pages(stream, weights)
        facets = [*facets, MORE_PAGES]
    lexemes.pop(GAP, None)
    words = ["'" + "':".join(pair) for pair in lexemes.items()]
    return " ".join(words + [_quoted(facet) for facet in facets])


def _is_one_page(stream: Sequence[str], different: int) -> bool:
    if len(stream) > PAGE_LENGTH:
        return False
    if len(stream) - different < MAX_REPEATS:  # enough even if all the repeats were of one word
        return True
    return max(Counter(stream).values()) <= MAX_REPEATS


def _page_from(start: int, stream: Sequence[str], room: int, seen: set[str]) -> tuple[range, int]:
    """The longest page that begins here, and the room left after it (none: it ends for want of room)."""
    repeats: dict[str, int] = {}
    stop = min(len(stream), start + PAGE_LENGTH)
    for index in range(start, stop):
        word = stream[index]
        before = repeats.get(word, 0)
        if before == MAX_REPEATS and word != GAP:
            return range(start, index), room
        if not before:
            copies = 1 if start == 0 or word in seen else 2
            room -= (_WORD_COST + len(word.encode())) * copies
            seen.add(word)
        room -= _PLACE_COST
        if room < 0:
            return range(start, index), 0
        repeats[word] = before + 1
    return range(start, stop), room


def _lexemes(stream: Sequence[str], weights: Sequence[str]) -> dict[str, str]:
    """Every word and its places, as PostgreSQL writes them; of a page at most."""
    places = chain(map(add, _NUMERALS, weights), islice(_NUMERALS, len(weights), None))
    lexemes: dict[str, str] = {}
    for word, place in zip(stream, places, strict=False):
        if word in lexemes:
            lexemes[word] += "," + place
        else:
            lexemes[word] = place
    return lexemes


def _lexemes_of_pages(stream: Sequence[str], weights: Sequence[str]) -> dict[str, str]:
    lexemes: dict[str, str] = {}
    for number, page in enumerate(pages(stream)):
        here = slice(page.start, page.stop)
        for word, places in _lexemes(stream[here], weights[here]).items():
            lexemes[on_page(word, number)] = places
            lexemes.setdefault(word, _FAR)
    return lexemes


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
