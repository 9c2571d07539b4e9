"""The tables, the same on every database. What a column means stands here, how it is used elsewhere.

Times are whole microseconds UTC, documents are JSON text (see packing). Text sorts by code point.
The full-text index is the one part that differs: see the migration that makes it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Computed,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

__all__ = [
    "ARTICLE_WORDS",
    "article",
    "article_alias",
    "article_version",
    "cluster",
    "cluster_member",
    "counter",
    "dossier",
    "event",
    "feed",
    "finding",
    "host",
    "item",
    "lead",
    "meta",
    "metadata",
    "problem",
    "publisher",
    "raw_page",
    "receipt",
    "signature",
    "signature_band",
]

ARTICLE_WORDS = "article_words"
"""The full-text index, by an article's position; a virtual table here, a tsvector there."""

metadata = MetaData(
    naming_convention={
        "ix": "%(table_name)s_by_%(column_0_N_name)s",
        "uq": "%(table_name)s_once_%(column_0_N_name)s",
        "fk": "%(table_name)s_of_%(column_0_name)s",
        "pk": "%(table_name)s_key",
    }
)


# PostgreSQL would sort by the server's locale; "C" is what SQLite does: by code point.
_WORDS: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")
# SQLite numbers rows by itself only where the type reads INTEGER.
_NUMBER: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")


def _text(name: str, *more: Any, **options: Any) -> Column[Any]:
    return Column(name, _WORDS, *more, nullable=options.pop("nullable", False), **options)


def _document(name: str) -> Column[Any]:
    return Column(name, _WORDS, nullable=False)


def _time(name: str, *, nullable: bool = True) -> Column[Any]:
    return Column(name, BigInteger, nullable=nullable)


def _count(name: str) -> Column[Any]:
    return Column(name, Integer, nullable=False)


def _number() -> Column[Any]:
    return Column("id", _NUMBER, primary_key=True, autoincrement=True)


def _of_publisher() -> Column[Any]:
    return _text("publisher", ForeignKey("publisher.domain"))


meta = Table("meta", metadata, _text("name", primary_key=True), _text("value"))

# Numbers given in order of commit: whoever adds to one waits for the other, so that a reader who
# asks "after 17" can never miss an 18 that is saved later than 19.
counter = Table(
    "counter",
    metadata,
    _text("name", primary_key=True),
    Column("value", BigInteger, nullable=False),
)

publisher = Table(
    "publisher",
    metadata,
    _text("domain", primary_key=True),
    _text("name"),
    _text("home_url"),
    _time("added_at", nullable=False),
    _time("scout_after"),
    _text("strategy"),
)

dossier = Table(
    "dossier",
    metadata,
    _text("publisher", ForeignKey("publisher.domain"), primary_key=True),
    _time("scouted_at", nullable=False),
    _document("findings"),
    _document("feeds"),
    _document("rights"),
)

# The history: a row for each finding that differed from the one before it.
finding = Table(
    "finding",
    metadata,
    _number(),
    _of_publisher(),
    _text("step"),
    _text("verdict"),
    _document("facts"),
    _document("evidence"),
    _time("found_at", nullable=False),
    _time("took", nullable=False),
    Index(None, "publisher", "step", "id"),
)


def _ready(after: str) -> Computed:
    """When a host can be given out: not before its work is due, not before its lease is over."""
    return Computed(
        f"CASE WHEN {after} IS NULL THEN NULL"
        f" WHEN {after} > lease_until THEN {after} ELSE lease_until END",
        persisted=True,
    )


# One lease for everything on a host. `holder` NULL with a `lease_until` to come: the host rests.
# Work is taken in the order of its indexes, ties included: half a million leads that are due since
# the same moment are not sorted for the sake of ten.
host = Table(
    "host",
    metadata,
    _text("name", primary_key=True),
    _text("holder", nullable=True),
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    _time("lead_after"),
    _time("feed_after"),
    Column("lead_ready", BigInteger, _ready("lead_after")),
    Column("feed_ready", BigInteger, _ready("feed_after")),
    Index(None, "lead_ready", "name"),
    Index(None, "feed_ready", "name"),
    Index(None, "lease_until"),
    Index(None, "holder"),
)

# `due_after` is when the desk may take it: poll_after of a live feed, the end of the lease while it
# is in the hands of `holder`, NULL for a feed that is not polled.
feed = Table(
    "feed",
    metadata,
    _number(),
    _text("url", unique=True),
    _of_publisher(),
    _text("host"),
    _text("kind"),
    _text("name"),
    _text("title"),
    _document("hints"),
    _time("interval"),
    _document("mirrors"),
    _text("proxy"),
    _text("region"),
    _text("category"),
    Column("etag", LargeBinary, nullable=False),
    Column("last_modified", LargeBinary, nullable=False),
    _text("rhythm", nullable=True),
    Column("reliability", Float(53), nullable=False),
    _count("failures"),
    _time("poll_after"),
    _text("state"),
    _time("due_after"),
    _text("holder", nullable=True),
    Index(None, "publisher", "url"),
    Index(None, "host", "due_after", "id"),
    Index(None, "holder"),
)

# `key` is the guid, or what stands for it; `hash` tells whether the feed says something new.
item = Table(
    "item",
    metadata,
    _number(),
    _text("feed_url"),
    _text("key"),
    _text("guid"),
    _text("url"),
    _text("url_key"),
    _text("title"),
    _text("summary"),
    _document("authors"),
    _document("tags"),
    _time("published_at"),
    _time("updated_at"),
    _text("hash"),
    _document("extra"),
    _text("content_html"),
    UniqueConstraint("feed_url", "key"),
    Index(None, "url_key"),
)

lead = Table(
    "lead",
    metadata,
    _number(),
    _of_publisher(),
    _text("url_key"),
    _text("url"),
    _text("host"),
    Column("item_id", BigInteger, ForeignKey("item.id", ondelete="SET NULL")),
    _text("article_id", nullable=True),
    _text("state"),
    _text("reason"),
    _count("attempts"),
    _time("read_after"),
    _time("due_after"),
    _text("holder", nullable=True),
    UniqueConstraint("publisher", "url_key"),
    Index(None, "item_id"),
)
# Most leads are read and done with: these two indexes hold only those that are not.
Index(
    "lead_by_host_due_after_id",
    lead.c.host,
    lead.c.due_after,
    lead.c.id,
    sqlite_where=lead.c.due_after.is_not(None),
    postgresql_where=lead.c.due_after.is_not(None),
)
Index(
    "lead_by_holder",
    lead.c.holder,
    sqlite_where=lead.c.holder.is_not(None),
    postgresql_where=lead.c.holder.is_not(None),
)

# What receipts say is the same for most articles of a publisher: kept once, by its hash.
receipt = Table("receipt", metadata, _text("id", primary_key=True), _document("body"))

# `position` is made from the article's time, so that newest first is the order of the key.
article = Table(
    "article",
    metadata,
    Column("position", _NUMBER, primary_key=True, autoincrement=False),
    _text("id", unique=True),
    _of_publisher(),
    _text("url"),
    _text("canonical_url"),
    _text("feed_url"),
    _text("title"),
    _document("authors"),
    _time("published_at"),
    _text("published_source"),
    _time("modified_at"),
    _time("fetched_at", nullable=False),
    _text("language"),
    _text("language_tag"),
    _document("tags"),
    _text("image_url"),
    _text("text_hash"),
    _count("word_count"),
    Column("quality", Float(53), nullable=False),
    _text("paywall"),
    _text("receipt_id", ForeignKey("receipt.id"), nullable=True),
    _time("checked_at"),
    _text("cluster_id"),
    _text("state"),
    _count("version"),
    _document("sources"),
    _text("description"),
    _document("extra"),
    _text("text"),
)

# Addresses an article goes by beside its lead's: its own after redirects, the canonical one.
article_alias = Table(
    "article_alias",
    metadata,
    _text("publisher", primary_key=True),
    _text("url_key", primary_key=True),
    _text("article_id"),
)

article_version = Table(
    "article_version",
    metadata,
    _text("article_id", ForeignKey("article.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    _text("title"),
    _text("text_hash"),
    _time("fetched_at", nullable=False),
    _time("modified_at"),
    _text("text"),
)

raw_page = Table(
    "raw_page",
    metadata,
    _text("article_id", ForeignKey("article.id"), primary_key=True),
    _text("content_type"),
    _time("fetched_at", nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index(None, "fetched_at"),
)

signature = Table(
    "signature",
    metadata,
    _text("article_id", primary_key=True),
    _text("bands"),
    Column("minhash", LargeBinary, nullable=False),
    _text("language"),
    _time("seen_at", nullable=False),
)

# `key` mixes a band's value with its place; the signature itself says whether they really agree.
signature_band = Table(
    "signature_band",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    _text("article_id", primary_key=True),
)

cluster = Table(
    "cluster",
    metadata,
    _text("id", primary_key=True),
    _document("canonicals"),
    _time("made_at", nullable=False),
)

# An article stands in one cluster at most, hence the key.
cluster_member = Table(
    "cluster_member",
    metadata,
    _text("article_id", primary_key=True),
    _text("cluster_id", ForeignKey("cluster.id")),
    _count("place"),
    Index(None, "cluster_id", "place"),
)

# `token` makes a batch that is saved again after a lost connection count once.
problem = Table(
    "problem",
    metadata,
    _number(),
    _text("token", unique=True),
    _text("kind"),
    _text("message"),
    _text("subject_url"),
    _text("subject_key"),
    _time("at", nullable=False),
    _time("retry_after"),
    Column("permanent", Boolean, nullable=False),
    Index(None, "at", "id"),
    Index(None, "subject_key", "at", "id"),
)

event = Table(
    "event",
    metadata,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    _text("token", unique=True),
    _text("kind"),
    _text("subject"),
    _time("at", nullable=False),
    _document("data"),
)
