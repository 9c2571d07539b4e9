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
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
    false,
    text,
)

from wireroom.model import USES
from wireroom.store.packing import (
    NUMBER,
    count,
    document,
    index_some,
    metadata,
    ready_after,
    row_number,
    time,
    words,
)

ARTICLE_WORDS = "article_words"
"""The full-text index, by an article's position; a virtual table here, a tsvector there."""


def _of_publisher() -> Column[Any]:
    return words("publisher", ForeignKey("publisher.domain"))


meta = Table("meta", metadata, words("name", primary_key=True), words("value"))

# Numbers given in order of commit: whoever adds to one waits for the other, so that a reader who
# asks "after 17" can never miss an 18 that is saved later than 19.
counter = Table(
    "counter",
    metadata,
    words("name", primary_key=True),
    Column("value", BigInteger, nullable=False),
)

# `name_key` is the name whatever its case, or else the domain: lists are ordered by it.
publisher = Table(
    "publisher",
    metadata,
    words("domain", primary_key=True),
    words("name"),
    words("name_key"),
    words("home_url"),
    time("added_at", nullable=False),
    time("scout_after"),
    words("strategy"),
)

dossier = Table(
    "dossier",
    metadata,
    words("publisher", ForeignKey("publisher.domain"), primary_key=True),
    time("scouted_at", nullable=False),
    document("findings"),
    document("feeds"),
    document("rights"),
)

# What a list shows of the last whole scout: a dossier is some 40 kB, this is a line. A column for each use; `signals` and
# `unread` are names with blanks before, between and behind them.
publisher_summary = Table(
    "publisher_summary",
    metadata,
    words("publisher", ForeignKey("publisher.domain"), primary_key=True),
    time("scouted_at", nullable=False),
    *(words(use.replace("-", "_")) for use in USES),
    words("signals"),
    words("unread"),
    words("grade"),
    count("points"),
    words("language"),
    words("rhythm"),
    Column("per_day", Float(53)),
    count("feeds_offered"),
    time("rights_changed_at"),
    words("signs"),
    Column("has_news_sitemap", Boolean, nullable=False),
)

# The history: a row for each finding that differed from the one before it.
finding = Table(
    "finding",
    metadata,
    row_number(),
    _of_publisher(),
    words("step"),
    words("outcome"),
    document("facts"),
    document("evidence"),
    time("found_at", nullable=False),
    time("took", nullable=False),
    Index(None, "publisher", "step", "id"),
)


# One lease for everything on a host. `holder` NULL with a `lease_until` to come: the host rests.
# Work is taken in the order of its indexes, ties included: half a million leads that are due since
# the same moment are not sorted for the sake of ten.
host = Table(
    "host",
    metadata,
    words("name", primary_key=True),
    words("holder", nullable=True),
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    time("lead_after"),
    time("feed_after"),
    Column("lead_ready", BigInteger, ready_after("lead_after")),
    Column("feed_ready", BigInteger, ready_after("feed_after")),
    Index(None, "lead_ready", "name"),
    Index(None, "feed_ready", "name"),
    Index(None, "lease_until"),
    Index(None, "holder"),
)

# A run that is under way, or was killed: `seen_at` is when it last said that it lives.
run = Table(
    "run",
    metadata,
    words("holder", primary_key=True),
    time("began_at", nullable=False),
    time("seen_at", nullable=False),
    document("counts"),
)

# What all runs did on a day, in UTC, by name; `day` counts from 1970. A run adds to it when it says that it lives, so that
# what a killed one did in its last moments is not counted.
run_day = Table(
    "run_day",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    words("name", primary_key=True),
    Column("count", BigInteger, nullable=False),
)

# `due_after` is when the app may take it: poll_after of a feed that is asked, the end of the lease
# while it is in the hands of `holder`, NULL for a feed that is not asked. `options` is what the operator says of
# the feed, whole; `interval` is one of them, for those who wake the feeds of a host. `new_at` is of its standing, once
# more: lists are ordered by it; `name_key` is what a list is searched for: name, title and address, whatever the case.
feed = Table(
    "feed",
    metadata,
    row_number(),
    words("url", unique=True),
    _of_publisher(),
    words("host"),
    words("kind"),
    words("title"),
    words("name_key"),
    document("options"),
    time("interval"),
    Column("etag", LargeBinary, nullable=False),
    Column("last_modified", LargeBinary, nullable=False),
    words("rhythm", nullable=True),
    Column("reliability", Float(53), nullable=False),
    count("failures"),
    time("poll_after"),
    words("state"),
    document("standing"),
    time("new_at"),
    time("due_after"),
    words("holder", nullable=True),
    Index(None, "publisher", "url"),
    Index(None, "host", "due_after", "id"),
    Index(None, "holder"),
)

# Addresses a feed had before it moved: articles that came from there are its own all the same.
feed_former = Table(
    "feed_former",
    metadata,
    words("url", primary_key=True),
    words("feed_url"),
    Index(None, "feed_url"),
)

# What a feed's reliability is made of. `key` is made from what was observed, so that an outcome that
# is saved twice counts once.
observation = Table(
    "observation",
    metadata,
    row_number(),
    Column("key", BigInteger, unique=True, nullable=False),
    words("feed_url"),
    words("about"),
    Column("value", Float(53), nullable=False),
    words("cause"),
    words("reason"),
    time("at", nullable=False),
    Index(None, "feed_url", "about", "id"),
)

# `key` is the guid, or what stands for it; `hash` tells whether the feed says something new.
item = Table(
    "item",
    metadata,
    row_number(),
    words("feed_url"),
    words("key"),
    words("guid"),
    words("url"),
    words("url_key"),
    words("title"),
    words("summary"),
    document("authors"),
    document("tags"),
    time("published_at"),
    time("updated_at"),
    words("hash"),
    document("extra"),
    words("content_html"),
    UniqueConstraint("feed_url", "key"),
    Index(None, "url_key"),
    Index(None, "feed_url", "published_at"),
)

# `feed_url` is the feed of its item, written down once more: leads are counted by feed. An open lead
# without `due_after` sleeps: that feed is paused. `found_at` is when its page was first named.
lead = Table(
    "lead",
    metadata,
    row_number(),
    _of_publisher(),
    words("url_key"),
    words("url"),
    words("host"),
    words("feed_url"),
    Column("item_id", BigInteger, ForeignKey("item.id", ondelete="SET NULL")),
    words("article_id", nullable=True),
    words("state"),
    words("cause"),
    words("reason"),
    count("attempts"),
    time("read_after"),
    time("due_after"),
    words("holder", nullable=True),
    time("found_at"),
    UniqueConstraint("publisher", "url_key"),
    Index(None, "item_id"),
    Index(None, "feed_url", "id"),
)
# Most leads are read and done with: these indexes hold only those that are not.
index_some(
    "lead_by_host_due_after_id",
    lead.c.host,
    lead.c.due_after,
    lead.c.id,
    where=lead.c.due_after.is_not(None),
)
index_some("lead_by_holder", lead.c.holder, where=lead.c.holder.is_not(None))
NOT_READ = lead.c.state != "read"
index_some("lead_by_feed_url_state", lead.c.feed_url, lead.c.state, where=NOT_READ)
index_some("lead_by_article_id", lead.c.article_id, where=lead.c.article_id.is_not(None))

# What receipts say is the same for most articles of a publisher: kept once, by its hash.
receipt = Table("receipt", metadata, words("id", primary_key=True), document("body"))

# What left under a cursor for a use, and under which receipt. The article may be gone, so it is named and not linked.
exported = Table(
    "exported",
    metadata,
    words("cursor", primary_key=True),
    words("article_id", primary_key=True),
    words("receipt_id", ForeignKey("receipt.id"), nullable=True),
    time("checked_at"),
    time("left_at", nullable=False),
)

# `position` is made from the article's time, so that newest first is the order of the key. `arrived_at` is when it was
# first read, whatever was read of it since.
# `is_near_duplicate`: another member of its cluster is canonical.
article = Table(
    "article",
    metadata,
    Column("position", NUMBER, primary_key=True, autoincrement=False),
    words("id", unique=True),
    _of_publisher(),
    words("url"),
    words("canonical_url"),
    words("feed_url"),
    words("title"),
    document("authors"),
    time("published_at"),
    words("published_source"),
    time("modified_at"),
    time("fetched_at", nullable=False),
    time("arrived_at", nullable=False),
    words("language"),
    words("language_tag"),
    document("tags"),
    words("image_url"),
    words("text_hash"),
    count("word_count"),
    Column("quality", Float(53), nullable=False),
    words("paywall"),
    words("receipt_id", ForeignKey("receipt.id"), nullable=True),
    time("checked_at"),
    words("cluster_id"),
    words("state"),
    count("version"),
    document("sources"),
    words("description"),
    document("extra"),
    words("layout"),
    document("captions"),
    words("text"),
    Column("is_near_duplicate", Boolean, nullable=False, server_default=false()),
    Index(None, "feed_url"),
    Index(None, "arrived_at"),
)
# All that facets count and that conditions beside words ask for, so that nobody reads texts for it.
Index(
    "article_facets",
    article.c.position,
    article.c.is_near_duplicate,
    article.c.quality,
    article.c.publisher,
    article.c.language,
    article.c.paywall,
    article.c.receipt_id,
)
# The few that a feed's tally counts apart.
PAYWALLED = ("metered", "locked", "registration")
COUNTED_APART = text(f"(is_near_duplicate OR paywall IN {PAYWALLED})")
index_some(
    "article_by_feed_url_is_near_duplicate_paywall",
    article.c.feed_url,
    article.c.is_near_duplicate,
    article.c.paywall,
    where=COUNTED_APART,
)

# Receipts that an article had before the one it names, each with the last time at which it held. Those under which
# nothing is held any more are gone.
article_receipt = Table(
    "article_receipt",
    metadata,
    words("article_id", ForeignKey("article.id"), primary_key=True),
    Column("checked_at", BigInteger, primary_key=True, autoincrement=False),
    words("receipt_id", ForeignKey("receipt.id")),
)

# The number of each article's last change, from a counter. A removed article leaves its row behind, with its address
# and the reason, so that whoever keeps a copy learns of it.
article_change = Table(
    "article_change",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    words("article_id", unique=True),
    time("removed_at"),
    words("url", nullable=True),
    words("reason", nullable=True),
)
index_some(
    "article_change_by_removed",
    article_change.c.number,
    where=article_change.c.removed_at.is_not(None),
)

# Addresses an article goes by beside its lead's: its own after redirects, the canonical one.
article_alias = Table(
    "article_alias",
    metadata,
    words("publisher", primary_key=True),
    words("url_key", primary_key=True),
    words("article_id"),
)

article_version = Table(
    "article_version",
    metadata,
    words("article_id", ForeignKey("article.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    words("title"),
    words("text_hash"),
    time("fetched_at", nullable=False),
    time("modified_at"),
    words("layout"),
    words("text"),
)

raw_page = Table(
    "raw_page",
    metadata,
    words("article_id", ForeignKey("article.id"), primary_key=True),
    words("content_type"),
    time("fetched_at", nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index(None, "fetched_at"),
)

# `waits` until it was clustered; `id` is the order in which signatures were first saved.
signature = Table(
    "signature",
    metadata,
    row_number(),
    words("article_id", unique=True),
    words("bands"),
    Column("minhash", LargeBinary, nullable=False),
    words("language"),
    time("seen_at", nullable=False),
    Column("own_threshold", Float(53)),
    time("own_window"),
    Column("waits", Boolean, nullable=False),
)
index_some(
    "signature_by_own_window",
    signature.c.own_window,
    where=signature.c.own_window.is_not(None),
)
index_some("signature_by_waits", signature.c.id, where=signature.c.waits)

# `key` mixes a band's value with its place; the signature itself says whether they really agree.
signature_band = Table(
    "signature_band",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    words("article_id", primary_key=True),
)

cluster = Table(
    "cluster",
    metadata,
    words("id", primary_key=True),
    document("canonicals"),
    time("made_at", nullable=False),
)

# An article stands in one cluster at most, hence the key.
cluster_member = Table(
    "cluster_member",
    metadata,
    words("article_id", primary_key=True),
    words("cluster_id", ForeignKey("cluster.id")),
    count("place"),
    Index(None, "cluster_id", "place"),
)

# The original of a reprint that left their cluster: it was removed, cut down or edited. `first_at` is when it was there,
# by its own date or else by when it was read. Its article may be gone, so it is named and not linked.
former_original = Table(
    "former_original",
    metadata,
    words("article_id", primary_key=True),
    words("original_id"),
    words("publisher"),
    words("url"),
    words("feed_url"),
    time("published_at"),
    time("first_at", nullable=False),
    words("receipt_id", ForeignKey("receipt.id"), nullable=True),
    time("checked_at"),
    Index(None, "original_id"),
)

# What was learnt of a publisher's boilerplate, and the counts it is learnt from: blocks met once,
# with blanks between them, and in how many articles the others were.
boilerplate = Table(
    "boilerplate",
    metadata,
    words("publisher", primary_key=True),
    count("pages"),
    document("boilerplate"),
    time("learnt_at", nullable=False),
)
block_tally = Table(
    "block_tally",
    metadata,
    words("publisher", primary_key=True),
    count("articles"),
    words("once"),
    document("often"),
)

# `token` makes a batch that is saved again after a lost connection count once.
problem = Table(
    "problem",
    metadata,
    row_number(),
    words("token", unique=True),
    words("kind"),
    words("message"),
    words("subject_url"),
    words("subject_key"),
    time("at", nullable=False),
    time("retry_after"),
    Column("permanent", Boolean, nullable=False),
    Index(None, "at", "id", "kind"),
    Index(None, "subject_key", "at", "id"),
)

event = Table(
    "event",
    metadata,
    Column("seq", NUMBER, primary_key=True, autoincrement=False),
    words("token", unique=True),
    words("kind"),
    words("subject"),
    time("at", nullable=False),
    document("data"),
)

# What a server does in the background: `about` is the record, `body` the list that is followed, compressed, until it is done.
job = Table(
    "job",
    metadata,
    words("id", primary_key=True),
    words("publisher"),
    time("begun_at", nullable=False),
    document("about"),
    Column("body", LargeBinary, nullable=False),
    Index(None, "begun_at", "id"),
    Index(None, "publisher", "begun_at", "id"),
)

job_row = Table(
    "job_row",
    metadata,
    words("job_id", ForeignKey("job.id"), primary_key=True),
    Column("line", BigInteger, primary_key=True, autoincrement=False),
    document("about"),
)
