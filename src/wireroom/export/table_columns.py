"""An article as one row of a table: the columns that CSV and Parquet share, typed.

Pure. How a cell is spelled is each format's; what stands in it is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, Protocol

from wireroom.export.article_json import to_json
from wireroom.export.article_text import condition_words, evidence_words
from wireroom.model import USES, Article, Feed, Use
from wireroom.rights.policy import word_about

Kind = Literal["text", "texts", "time", "integer", "number", "json"]


class NamedColumn(Protocol):
    """What a table is laid out by."""

    @property
    def name(self) -> str:
        """Of the column."""
        ...

    @property
    def kind(self) -> Kind:
        """What its values are."""
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what is in it, of which kind, and what it means."""

    name: str
    kind: Kind
    meaning: str
    value: Callable[[Article], Any]


def _field(name: str, kind: Kind, meaning: str) -> Column:
    return Column(name, kind, meaning, attrgetter(name))


def _rights(use: Use) -> Column:
    name = f"rights_{use.replace('-', '_')}"
    meaning = f"the verdict about {use} when the page was fetched: allow, deny, paid or unknown"
    return Column(name, "text", meaning, lambda article: word_about(article.receipt, use))


def _original(name: str, meaning: str) -> Column:
    def value(article: Article) -> str:
        return getattr(article.original, name) if article.original is not None else ""

    return Column(f"original_{name}", "text", meaning, value)


def _original_rights(use: Use) -> Column:
    name = f"original_rights_{use.replace('-', '_')}"
    meaning = f"the verdict about {use} when the original was fetched; empty without one"

    def value(article: Article) -> str:
        return word_about(article.original.receipt, use) if article.original is not None else ""

    return Column(name, "text", meaning, value)


def _json_of(name: str) -> Callable[[Article], str]:
    return lambda article: to_json(getattr(article, name)).decode()


_ARTICLE_COLUMNS: tuple[Column, ...] = (
    _field("id", "text", "never changes, whatever becomes of the article"),
    _field("publisher", "text", "its domain"),
    _field("url", "text", "where it was read"),
    _field("canonical_url", "text", "what the page calls its own address"),
    _field("feed_url", "text", "the feed that led to it"),
    _field("title", "text", ""),
    _field("authors", "texts", ""),
    _field("published_at", "time", "empty when the page does not say"),
    _field("published_source", "text", "what says so"),
    _field("modified_at", "time", ""),
    _field("fetched_at", "time", "when it was read last"),
    _field("language", "text", "`pt`"),
    _field("language_tag", "text", "`pt-BR`"),
    _field("tags", "texts", ""),
    _field("description", "text", "the page's own summary"),
    _field("image_url", "text", ""),
    _field("text", "text", "the article itself, paragraphs apart by a blank line"),
    _field("captions", "texts", "of its images; no part of the text unless asked for"),
    _field("text_hash", "text", "equal for equal texts"),
    _field("word_count", "integer", ""),
    _field("quality", "number", "0 to 1"),
    _field("paywall", "text", "free, metered, locked, registration or unknown"),
    _field("state", "text", "held, or withdrawn by the publisher"),
    _field("version", "integer", "grows with each edit"),
    _field("cluster_id", "text", "the same for all articles of one cluster of near-duplicates"),
    Column("sources", "json", "field name to where its value came from", _json_of("sources")),
    Column("extra", "json", "what feed and page said besides", _json_of("extra")),
)
RECEIPT_COLUMNS: tuple[Column, ...] = (
    *map(_rights, USES),
    Column(
        "rights_evidence",
        "texts",
        "who decided these verdicts and where it stands, as `use: word by signal, address line n`",
        lambda article: evidence_words(article.receipt),
    ),
    Column(
        "conditions",
        "texts",
        "conditions of these verdicts, as `use: kind detail`",
        lambda article: condition_words(article.receipt),
    ),
    Column(
        "licence_url",
        "text",
        "the licence that counts for the page",
        lambda article: article.receipt.licence_url if article.receipt else "",
    ),
    Column(
        "robots",
        "text",
        "whether robots.txt let us read it: allowed, disallowed or unknown",
        lambda article: article.receipt.robots if article.receipt else "unknown",
    ),
    Column(
        "rights_checked_at",
        "time",
        "when these verdicts were given; empty without a receipt",
        lambda article: article.receipt.checked_at if article.receipt else None,
    ),
    _original("id", "of a reprint: the earliest article of its cluster; empty for all others"),
    _original("publisher", "whose that is"),
    _original("url", "where that was read"),
    *map(_original_rights, USES),
)
"""The receipt of an article: what it was taken under, and who says so."""
_FIRST_COLUMNS = (*_ARTICLE_COLUMNS, *RECEIPT_COLUMNS)
_ADDED_COLUMNS = (
    _field("arrived_at", "time", "when it was first read here; empty for what is not held"),
)
"""New columns stand behind all others, so that these keep their places."""
COLUMNS = (*_FIRST_COLUMNS, *_ADDED_COLUMNS)


def spreadsheet_columns(find: Callable[[str], Feed | None]) -> tuple[Column, ...]:
    """The columns of a spreadsheet, in their order: with what an operator calls the feed that led to an article."""
    return (*_FIRST_COLUMNS, *_feed_columns(find), *_ADDED_COLUMNS)


def _feed_columns(find: Callable[[str], Feed | None]) -> tuple[Column, ...]:
    """Empty where the feed is not followed any more."""

    def name(article: Article) -> str:
        feed = find(article.feed_url)
        return feed.name or feed.title if feed is not None else ""

    def category(article: Article) -> str:
        feed = find(article.feed_url)
        return feed.category if feed is not None else ""

    return (
        Column("feed_name", "text", "what you call that feed, else its title; CSV only", name),
        Column("feed_category", "text", "the category you gave it; CSV only", category),
    )
