"""Which words an article has: what search finds it by, the same on every database.

Pure. Knows articles and words, not SQL. Both databases are given words that `query.word_split` has cut, so
that they cannot disagree on what a word is; what is asked for is cut by the same functions.

An article also has facets: words that begin with a colon, which no text and no beginning of a word that is
asked for can bring forth. Publisher, language, feed, paywall, state and rights are facets.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from wireroom.model import USES, Article
from wireroom.query.query_tree import FacetTerm
from wireroom.query.spelling import MAX_WORD
from wireroom.query.word_split import spelt_words
from wireroom.store.search.word_places import GAP, pages, surely_fits
from wireroom.urls import host_of

FTS5_TOKENIZER = "ascii tokenchars ':.-_'"
"""For `tokenize="…"`: parts at blanks alone, for words hold no ASCII but a-z, 0-9 and these."""

RECIPE = f"3-{unicodedata.unidata_version}"
"""Changes when the same article may give other words: an index made by another one is rebuilt."""

EVERY_ARTICLE = ":any:article"
"""The facet every article has, for queries that only say what is not wanted."""

MAX_FIELD_WORDS = 500  # in title, authors and tags each; more is a page that was misread
MAX_TEXT_WORDS = 60_000  # a short novel; longer texts are lists and data

_NOT_IN_FACET = re.compile(r"[^a-z0-9.:_\x80-\U0010ffff-]|\s|[\ud800-\udfff]")
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?([^/?#]*)")


@dataclass(frozen=True, slots=True)
class Indexed:
    """An article's words by field, each field its words with blanks between them."""

    title: str
    text: str
    authors: str
    tags: str
    facets: str
    whole: bool = True
    """False when the text was too long to be indexed to its end."""


def index_article(article: Article) -> Indexed:
    """The words and facets an article is to be found by."""
    title = _bounded(spelt_words(article.title))
    authors, tags = _bounded(_listed(article.authors)), _bounded(_listed(article.tags))
    text, head = _listed((article.description, article.text)), (title, authors, tags)
    is_whole = True
    if not _surely_fit((*head, text)):
        words = text.split()
        kept = _room_for(words, [field.split() for field in head])
        text, is_whole = " ".join(words[:kept]), kept == len(words)
    return Indexed(
        title=title,
        text=text,
        authors=authors,
        tags=tags,
        facets=" ".join(_facets(article)),
        whole=is_whole,
    )


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


def _listed(texts: Iterable[str]) -> str:
    """The words of several texts, with a gap between each two."""
    return f" {GAP} ".join(filter(None, map(spelt_words, texts)))


def _surely_fit(fields: Sequence[str]) -> bool:
    """Whether both databases can keep these words: mostly their length says so, else how many blanks there are."""
    letters, gaps = sum(map(len, fields)), 2 * len(fields)
    if surely_fits(letters // 2 + gaps, letters):
        return True
    return surely_fits(sum(field.count(" ") for field in fields) + gaps, letters)


def _bounded(words: str) -> str:
    if len(words) < 2 * MAX_FIELD_WORDS:
        return words
    return " ".join(words.split()[:MAX_FIELD_WORDS])


def _room_for(text: list[str], head: list[list[str]]) -> int:
    """How many words of the text both databases can keep behind the head."""
    stream: list[str] = []
    for words in head:
        stream += [*words, GAP]
    before = len(stream)
    stream += text[:MAX_TEXT_WORDS]
    return pages(stream)[-1].stop - before
