"""Which words an article has: what search finds it by, the same on every database.

Pure. Knows articles and words, not SQL. Both databases are given words that are cut and spelt
here, so that they cannot disagree on what a word is; `query` cuts and spells what is asked for by
the same functions. How a word is spelt is told in `spelling`, how long texts are laid out in
`places`.

Words are separated by whatever is neither letter, mark nor number: "don't" is `don t`, "co-operate"
is `co operate`, "U.S." is `u s`, "AT&T" is `at t`, "C++" is `c`. An article also has facets: words
with a colon in them, which no text and no query can bring forth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from wireroom.model import Article
from wireroom.store.search import word_positions
from wireroom.store.search.spelling import MAX_WORD, is_spaceless, spell
from wireroom.store.search.word_positions import GAP
from wireroom.urls import host_of

FTS5_TOKENIZER = "ascii tokenchars ':.-_'"
"""For `tokenize="…"`: parts at blanks alone, for words hold no ASCII but a-z, 0-9 and these."""

RECIPE = f"1-{unicodedata.unidata_version}"
"""Changes when the same article may give other words: an index made by another one is rebuilt."""

EVERY_ARTICLE = "any:article"
"""The facet every article has, for queries that only say what is not wanted."""

MAX_FIELD_WORDS = 500  # in title, authors and tags each; more is a page that was misread
MAX_TEXT_WORDS = 60_000  # a short novel; longer texts are lists and data

_ASCII = {chr(code): chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_PLAIN = str.maketrans(_ASCII)
# Of ASCII, and what newspapers of all scripts use most: it parts words anyway, but here it costs less.
_PUNCTUATION = re.compile(
    r"[\x00-\x08\x0e-\x1b!-/:-@\[-`{-\x7f«»\u2010-\u2016\u2018-\u2021\u2026\u2039\u203a"
    r"\u3001-\u3003\u3008-\u3011\u3014-\u301b\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff5e]+"
)
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


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand next to each other; of the last one only the beginning if `is_open`."""

    words: tuple[str, ...]
    is_open: bool = False


def split_words(text: str) -> list[str]:
    """The words of a text in order, as the index spells them."""
    if not text.isascii():
        return spell(_PUNCTUATION.sub(" ", text).lower().split())
    words = text.translate(_PLAIN).split()
    if len(text) > MAX_WORD and len(max(words, key=len, default="")) > MAX_WORD:
        return [word[:MAX_WORD] for word in words]
    return words


def phrase(text: str) -> Phrase:
    """What to look for when this text is asked for; without words when it has none.

    A run of characters without spaces may go on in the article. So the last character alone, which
    stands in the index where a run ends, is not asked for; if it is all there is, as a beginning.
    """
    words = split_words(text)
    if not words or not is_spaceless(words[-1]):
        return Phrase(tuple(words))
    if len(words) > 1 and len(words[-2]) > 1 and is_spaceless(words[-2]):
        return Phrase(tuple(words[:-1]))
    return Phrase(tuple(words), is_open=True)


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
    if not word_positions.surely_fits(kept + sum(map(len, head)) + len(head), letters):
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
    return word_positions.vector(stream, weights, indexed.facets.split())


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


def _facet(name: str, value: str) -> str:
    return f"{name}:{_NOT_IN_FACET.sub('_', value)}"[: 4 * MAX_WORD]


def _facets(article: Article) -> Iterable[str]:
    tags = {article.language, *_wider(article.language_tag)} - {""}
    yield publisher_facet(article.publisher)
    yield from sorted(map(language_facet, tags))
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
    return word_positions.pages(stream)[-1].stop - before
