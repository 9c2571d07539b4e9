"""Which words an article has: what search finds it by, the same on every database.

Pure. Knows articles and words, not SQL. Both databases are given words that `query.word_split` has cut, so
that they cannot disagree on what a word is; what is asked for is cut by the same functions.

An article also has facets: words that begin with a colon, which no text and no beginning of a word that is
asked for can bring forth. Publisher, language, feed, paywall, state and rights are facets.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from operator import add

from wireroom.model import USES, Article
from wireroom.query.query_tree import FacetTerm
from wireroom.query.spelling import MAX_WORD
from wireroom.query.word_split import split_words
from wireroom.urls import host_of

FTS5_TOKENIZER = "ascii tokenchars ':.-_'"
"""For `tokenize="…"`: parts at blanks alone, for words hold no ASCII but a-z, 0-9 and these."""

RECIPE = f"2-{unicodedata.unidata_version}"
"""Changes when the same article may give other words: an index made by another one is rebuilt."""

EVERY_ARTICLE = ":any:article"
"""The facet every article has, for queries that only say what is not wanted."""

MAX_FIELD_WORDS = 500  # in title, authors and tags each; more is a page that was misread
MAX_TEXT_WORDS = 60_000  # a short novel; longer texts are lists and data

_NOT_IN_FACET = re.compile(r"[^a-z0-9.:_\x80-\U0010ffff-]|\s|[\ud800-\udfff]")
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?([^/?#]*)")


@dataclass(frozen=True, slots=True)
class Indexed:
    """An article's words by field, each field its words with a blank between them."""

    title: str
    text: str
    authors: str
    tags: str
    facets: str
    whole: bool = True
    """False when the text was too long to be indexed to its end."""


def index_article(article: Article) -> Indexed:
    """The words and facets an article is to be found by."""
    head = [
        split_words(article.title)[:MAX_FIELD_WORDS],
        _listed(article.authors)[:MAX_FIELD_WORDS],
        _listed(article.tags)[:MAX_FIELD_WORDS],
    ]
    title, authors, tags = (" ".join(words) for words in head)
    words = _listed((article.description, article.text))
    text = " ".join(words)
    letters = len(title) + len(authors) + len(tags) + len(text)
    kept = len(words)
    if not surely_fits(kept + sum(map(len, head)) + len(head), letters):
        kept = _room_for(words, head)
        text = " ".join(words[:kept])
    return Indexed(
        title=title,
        text=text,
        authors=authors,
        tags=tags,
        facets=" ".join(_facets(article)),
        whole=kept == len(words),
    )


def tsvector(indexed: Indexed) -> str:
    """A literal that PostgreSQL casts to a tsvector: title A, authors B, tags C, text D."""
    stream: list[str] = []
    weights: list[str] = []
    for weight, field in (("A", indexed.title), ("B", indexed.authors), ("C", indexed.tags)):
        words = [*field.split(), GAP]
        stream += words
        weights += [weight] * len(words)
    stream += indexed.text.split()
    return vector(stream, weights, indexed.facets.split())


@lru_cache(maxsize=1024)  # as many publishers as are read at one time
def publisher_facet(domain: str) -> str:
    """The facet of a publisher; an address, capitals or `www.` make no difference."""
    match = _ADDRESS.match(domain.strip().lower())
    name = match[1] if match else ""
    try:
        name = host_of(f"https://{name}/")
    except ValueError:
        name = name.strip(".")  # not a host: found by exactly these characters
    return _facet("publisher", name)


def language_facet(tag: str) -> str:
    """The facet of a language or one of its variants, for example `zh` or `zh-Hant`."""
    return _facet("lang", tag.strip().lower().replace("_", "-"))


@lru_cache(maxsize=1024)  # as many feeds as are read at one time
def feed_facet(url: str) -> str:
    """The facet of a feed; by a hash, for in an address every character counts."""
    return _facet("feed", blake2b(url.encode(errors="replace"), digest_size=8).hexdigest())


def facet_of(term: FacetTerm) -> str:
    """The facet that articles have for which the term holds; a feed is named by its address."""
    if term.field == "publisher":
        return publisher_facet(term.value)
    if term.field == "lang":
        return language_facet(term.value)
    if term.field == "feed":
        return feed_facet(term.value)
    return _facet(term.field, term.value.replace("=", ":"))


def _facet(name: str, value: str) -> str:
    return f":{name}:{_NOT_IN_FACET.sub('_', value)}"[: 4 * MAX_WORD]


def _facets(article: Article) -> Iterable[str]:
    tags = {article.language, *_wider(article.language_tag)} - {""}
    yield publisher_facet(article.publisher)
    yield from sorted(map(language_facet, tags))
    if article.feed_url:
        yield feed_facet(article.feed_url)
    yield f":paywall:{article.paywall}"
    yield f":state:{article.state}"
    verdicts = article.receipt.verdicts if article.receipt is not None else ()
    words = {verdict.use: verdict.value for verdict in reversed(verdicts)}
    yield from (f":rights:{use}:{words.get(use, 'unknown')}" for use in USES)
    yield EVERY_ARTICLE


def _wider(tag: str) -> Iterable[str]:
    """The tag and all it is a variant of: zh-Hant-TW, zh-Hant, zh."""
    parts = tag.replace("_", "-").split("-")
    return ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]


def _listed(texts: Iterable[str]) -> list[str]:
    """The words of several texts, with a gap between each two."""
    words: list[str] = []
    for text in texts:
        more = split_words(text)
        words += [GAP, *more] if words and more else more
    return words


def _room_for(text: list[str], head: list[list[str]]) -> int:
    """How many words of the text both databases can keep behind the head."""
    stream: list[str] = []
    for words in head:
        stream += [*words, GAP]
    before = len(stream)
    stream += text[:MAX_TEXT_WORDS]
    return pages(stream)[-1].stop - before


# Where words stand: an article's words and their places, within what PostgreSQL can keep.
#
# Pure. Knows lists of words, not articles. A `tsvector` counts places up to 16,383, keeps 255 places
# of one word and takes 1 MB in all; the word "the" is used up after some 4,000 words. SQLite knows
# no such limits, yet both are to find the same phrases. So a long stream of words is laid out in
# pages: each keeps to the limits, repeats the end of the page before it so that no phrase falls into
# the gap, and from the second on spells its words `:1:word`, `:2:word` …, which no typed word can be.
# Most articles are one page. What needs more than `MAX_PAGES` is cut, for both databases alike.

GAP = ":"  # a word nobody can type: it stands between fields, authors and tags, so that no phrase crosses
MORE_PAGES = ":pages:more"  # on articles of several pages, so that a phrase is sought there alone

MAX_PHRASE = 64  # words in one phrase; a page repeats one less of the page before it
MAX_PAGES = 16  # about 60,000 words of English; each page makes a phrase longer to look for
PAGE_LENGTH = 16_000  # words; PostgreSQL takes every place above 16,383 for the same
MAX_REPEATS = 255  # places of one word; PostgreSQL forgets the others
MAX_VECTOR = 900_000  # bytes; PostgreSQL refuses 1 MB, and facets have to fit in as well
_NUMERALS = tuple(map(str, range(1, PAGE_LENGTH + 1)))  # writing numbers was half the work
_FAR = "16383"  # the place of words that stand on later pages only: next to nothing, weight D

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
    return " ".join(words + [quoted_lexeme(facet) for facet in facets])


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


def quoted_lexeme(lexeme: str) -> str:
    """As PostgreSQL reads it in the text of a tsvector or a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
