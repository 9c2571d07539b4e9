"""Where words stand: an article's words and their places, within what PostgreSQL can keep.

Pure. Knows lists of words, not articles. A `tsvector` counts places up to 16,383, keeps 255 places
of one word and takes 1 MB in all; the word "the" is used up after some 4,000 words. SQLite knows
no such limits, yet both are to find the same phrases. So a long stream of words is laid out in
pages: each keeps to the limits, repeats the end of the page before it so that no phrase falls into
the gap, and from the second on spells its words `:1:word`, `:2:word` …, which no typed word can be.
Most articles are one page. What needs more than `MAX_PAGES` is cut, for both databases alike.

A vector is made in the form PostgreSQL sends and takes it in: read from a text it takes four times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import Final

GAP = ":"  # a word nobody can type: it stands between fields, authors and tags, so that no phrase crosses
MORE_PAGES = ":pages:more"  # on articles of several pages, so that a phrase is sought there alone

MAX_PHRASE = 64  # words in one phrase; a page repeats one less of the page before it
MAX_PAGES = 16  # about 60,000 words of English; each page makes a phrase longer to look for
PAGE_LENGTH = 16_000  # words; PostgreSQL takes every place above 16,383 for the same
MAX_REPEATS = 255  # places of one word; PostgreSQL forgets the others
MAX_PAIRS = 10_000  # of frequent words in one article, 50 KB; longer texts go without and are always looked at
MAX_VECTOR = 900_000  # bytes; PostgreSQL refuses 1 MB, and facets have to fit in as well
# Bytes as characters, for texts are put together and sorted soonest: a place, and the end of a word with how many follow.
_PLACES = tuple(chr(place >> 8) + chr(place & 255) for place in range(1, PAGE_LENGTH + 1))
_FAR = "\x3f\xff"  # 16383, of words that stand on later pages only: next to nothing
_COUNTS = tuple(
    "\0\0" + chr(length // 2) for length in range(2 * MAX_REPEATS + 1)
)  # by what places take
_NO_PLACE = _COUNTS[0]

# What a word costs beside its letters, plain and again on every page it stands on; and each place.
_WORD_COST, _PLACE_COST = 7, 2


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
    return f":{page}:{word}" if page else word


@dataclass(frozen=True, slots=True)
class FrequentWords:
    """Words that so many articles have that they say little: which two of them stand together is kept beside them."""

    codes: Mapping[str, str] = field(default_factory=dict)
    """The short sign of each."""
    since: Mapping[str, int] = field(default_factory=dict)
    """The generation of the list in which each came to it; the list only grows."""
    generation: int = 0


NONE_FREQUENT: Final = FrequentWords()


def pair_lexeme(first: str, second: str, frequent: FrequentWords) -> str:
    """What stands in a vector for these two words next to each other; empty when nothing does."""
    codes = frequent.codes
    # No typed word and no facet: those have a second colon.
    return f"{GAP}{codes[first]}{codes[second]}" if first in codes and second in codes else ""


def generation_lexeme(generation: int) -> str:
    """On articles whose pairs were told by this generation of the list."""
    return f":pairs:{generation}"


def vector(
    stream: Sequence[str],
    weights: Sequence[int],
    facets: Iterable[str],
    frequent: FrequentWords = NONE_FREQUENT,
) -> bytes:
    """A tsvector: words with places and weights, facets and pairs of frequent words without.

    Weights are those of the first words, 3 for A to 1 for C; the words behind them have none.
    """
    lexemes = _lexemes(stream, weights)
    if not _is_one_page(stream, len(lexemes)):
        lexemes = _lexemes_of_pages(stream, weights)
        lexemes[MORE_PAGES] = ""
    lexemes.pop(GAP, None)
    pairs = _pairs(stream, frequent)
    if len(pairs) > MAX_PAIRS:
        pairs, frequent = set(), NONE_FREQUENT
    lexemes.update(dict.fromkeys(facets, ""))
    packed = _packed(lexemes)
    packed += [f"{GAP}{pair}{_NO_PLACE}" for pair in pairs]
    packed.append(f"{generation_lexeme(frequent.generation)}{_NO_PLACE}")
    packed.sort()  # the end of a word comes before all letters
    return len(packed).to_bytes(4, "big") + "".join(packed).encode("latin-1")


def _packed(lexemes: Mapping[str, str]) -> list[str]:
    """The lexemes with their places."""
    words: Iterable[str] = lexemes
    as_one = "\0".join(lexemes)
    if not as_one.isascii():
        words = as_one.encode().decode("latin-1").split("\0")
    held = zip(words, lexemes.values(), strict=True)
    return [f"{word}{_COUNTS[len(places)]}{places}" for word, places in held]


def _pairs(stream: Sequence[str], frequent: FrequentWords) -> set[str]:
    if not frequent.codes:
        return set()
    codes = list(map(frequent.codes.get, stream))
    following = islice(codes, 1, None)
    return {
        first + second for first, second in zip(codes, following, strict=False) if first and second
    }


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


def _lexemes(stream: Sequence[str], weights: Sequence[int]) -> dict[str, str]:
    """Every word and its places; of a page at most."""
    places = chain(map(_weighed, count(1), weights), islice(_PLACES, len(weights), None))
    lexemes: dict[str, str] = {}
    for word, place in zip(stream, places, strict=False):
        if word in lexemes:
            lexemes[word] += place
        else:
            lexemes[word] = place
    return lexemes


def _weighed(place: int, weight: int) -> str:
    return chr(weight << 6 | place >> 8) + chr(place & 255)


def _lexemes_of_pages(stream: Sequence[str], weights: Sequence[int]) -> dict[str, str]:
    lexemes: dict[str, str] = {}
    for number, page in enumerate(pages(stream)):
        here = slice(page.start, page.stop)
        for word, places in _lexemes(stream[here], weights[here]).items():
            lexemes[on_page(word, number)] = places
            lexemes.setdefault(word, _FAR)
    return lexemes


def quoted_lexeme(lexeme: str) -> str:
    """As PostgreSQL reads it in the text of a tsvector or a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
