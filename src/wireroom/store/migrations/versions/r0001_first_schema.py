"""The first schema.

A frozen copy: later changes of `schema.py` are steps of their own and never edit this one.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_WORDS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_FTS5 = """
    CREATE VIRTUAL TABLE article_words
    USING fts5(text, title, authors, tags, facets, content='', tokenize="ascii tokenchars ':.-_'")
"""
_FTS5_SETTINGS = {
    # 8 MB of words in memory before they are written: a batch of a thousand articles is one piece.
    "hashsize": 8_388_608,
    # Pieces of one size before they become one: with SQLite's 4 every word is written once more for
    # each fourfold growth, with 16 once for each 16-fold. A search looks into each piece, some 40 after
    # 4,000 commits; with 64 there were 90, and saving took 15 % less of the time for words.
    "automerge": 16,
    # Pieces at which merging may no longer be spread over the next commits but holds up this one.
    "crisismerge": 32,
}


def upgrade() -> None:
    """Makes every table."""
    _make_publishers()
    _make_feeds()
    _make_leads()
    _make_articles()
    _make_beside_articles()
    _make_near_duplicates()
    _make_boilerplate()
    _make_logs()
    _make_robots_files()
    _make_texts_small()
    _make_word_index()


def _text(name: str, of: str = "", *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _WORDS, *_links(name, of), nullable=nullable)


def _number(name: str, of: str = "", *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), *_links(name, of), nullable=nullable)


def _links(name: str, of: str) -> list[sa.ForeignKey]:
    if not of:
        return []
    return [sa.ForeignKey(of, ondelete="SET NULL" if name == "item_id" else None)]


def _row_number(name: str, *, counted: bool) -> sa.Column[Any]:
    return sa.Column(name, _ROW_NUMBER, autoincrement=counted, nullable=False)


def _count(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), autoincrement=False, nullable=False)


def _real(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Float(53), nullable=False)


def _bytes(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _flag(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _ready(name: str, after: str) -> sa.Column[Any]:
    later = (
        f"CASE WHEN {after} IS NULL THEN NULL"
        f" WHEN {after} > lease_until THEN {after} ELSE lease_until END"
    )
    return sa.Column(name, sa.BigInteger(), sa.Computed(later, persisted=True))


def _index_where_set(name: str, table: str, columns: list[str], column: str) -> None:
    _index_where(name, table, columns, f"{column} IS NOT NULL")


def _index_where(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def _make_publishers() -> None:
    # What is known of publishers.
    op.create_table(
        "publisher",
        _text("domain"),
        _text("name"),
        _text("name_key"),
        _text("home_url"),
        _number("added_at"),
        _number("scout_after", nullable=True),
        _text("strategy"),
        sa.PrimaryKeyConstraint("domain", name="publisher_key"),
    )
    op.create_table(
        "dossier",
        _text("publisher", "publisher.domain"),
        _number("scouted_at"),
        _text("findings"),
        _text("feeds"),
        _text("rights"),
        sa.PrimaryKeyConstraint("publisher", name="dossier_key"),
    )
    op.create_table(
        "publisher_summary",
        _text("publisher", "publisher.domain"),
        _number("scouted_at"),
        _text("search"),
        _text("ai_input"),
        _text("ai_index"),
        _text("ai_train"),
        _text("archive"),
        _text("signals"),
        _text("unread"),
        _text("grade"),
        _count("points"),
        _text("language"),
        _text("rhythm"),
        sa.Column("per_day", sa.Float(53)),
        _count("feeds_offered"),
        _number("rights_changed_at", nullable=True),
        _text("signs"),
        _flag("has_news_sitemap"),
        sa.PrimaryKeyConstraint("publisher", name="publisher_summary_key"),
    )
    op.create_table(
        "finding",
        _row_number("id", counted=True),
        _text("publisher", "publisher.domain"),
        _text("step"),
        _text("outcome"),
        _text("facts"),
        _text("evidence"),
        _number("found_at"),
        _number("took"),
        sa.PrimaryKeyConstraint("id", name="finding_key"),
    )
    op.create_index("finding_by_publisher_step_id", "finding", ["publisher", "step", "id"])


def _make_feeds() -> None:
    # Hosts and their feeds.
    op.create_table(
        "host",
        _text("name"),
        _text("holder", nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=False, server_default="0"),
        _number("lead_after", nullable=True),
        _number("feed_after", nullable=True),
        _ready("lead_ready", "lead_after"),
        _ready("feed_ready", "feed_after"),
        sa.PrimaryKeyConstraint("name", name="host_key"),
    )
    op.create_index("host_by_feed_ready_name", "host", ["feed_ready", "name"])
    op.create_index("host_by_holder", "host", ["holder"])
    op.create_index("host_by_lead_ready_name", "host", ["lead_ready", "name"])
    op.create_index("host_by_lease_until", "host", ["lease_until"])
    op.create_table(
        "run",
        _text("holder"),
        _number("began_at"),
        _number("seen_at"),
        _text("counts"),
        sa.PrimaryKeyConstraint("holder", name="run_key"),
    )
    op.create_table(
        "run_day",
        _count("day"),
        _text("name"),
        _number("count"),
        sa.PrimaryKeyConstraint("day", "name", name="run_day_key"),
    )
    op.create_table(
        "feed",
        _row_number("id", counted=True),
        _text("url"),
        _text("publisher", "publisher.domain"),
        _text("host"),
        _text("kind"),
        _text("title"),
        _text("name_key"),
        _text("options"),
        _number("interval", nullable=True),
        _bytes("etag"),
        _bytes("last_modified"),
        _text("rhythm", nullable=True),
        _real("reliability"),
        _count("failures"),
        _number("poll_after", nullable=True),
        _text("state"),
        _text("standing"),
        _number("new_at", nullable=True),
        _number("due_after", nullable=True),
        _text("holder", nullable=True),
        sa.PrimaryKeyConstraint("id", name="feed_key"),
        sa.UniqueConstraint("url", name="feed_once_url"),
    )
    op.create_index("feed_by_holder", "feed", ["holder"])
    op.create_index("feed_by_host_due_after_id", "feed", ["host", "due_after", "id"])
    op.create_index("feed_by_publisher_url", "feed", ["publisher", "url"])
    op.create_table(
        "feed_former",
        _text("url"),
        _text("feed_url"),
        sa.PrimaryKeyConstraint("url", name="feed_former_key"),
    )
    op.create_index("feed_former_by_feed_url", "feed_former", ["feed_url"])
    op.create_table(
        "observation",
        _row_number("id", counted=True),
        _number("key"),
        _text("feed_url"),
        _text("about"),
        _real("value"),
        _text("cause"),
        _text("reason"),
        _number("at"),
        sa.PrimaryKeyConstraint("id", name="observation_key"),
        sa.UniqueConstraint("key", name="observation_once_key"),
    )
    op.create_index("observation_by_feed_url_about_id", "observation", ["feed_url", "about", "id"])


def _make_leads() -> None:
    # Items and the leads they give.
    op.create_table(
        "item",
        _row_number("id", counted=True),
        _text("feed_url"),
        _text("key"),
        _text("guid"),
        _text("url"),
        _text("url_key"),
        _text("title"),
        _text("summary"),
        _text("authors"),
        _text("tags"),
        _number("published_at", nullable=True),
        _number("updated_at", nullable=True),
        _text("hash"),
        _text("extra"),
        _text("content_html"),
        sa.PrimaryKeyConstraint("id", name="item_key"),
        sa.UniqueConstraint("feed_url", "key", name="item_once_feed_url_key"),
    )
    op.create_index("item_by_feed_url_published_at", "item", ["feed_url", "published_at"])
    op.create_index("item_by_url_key", "item", ["url_key"])
    op.create_table(
        "lead",
        _row_number("id", counted=True),
        _text("publisher", "publisher.domain"),
        _text("url_key"),
        _text("url"),
        _text("host"),
        _text("feed_url"),
        _number("item_id", "item.id", nullable=True),
        _text("article_id", nullable=True),
        _text("state"),
        _text("cause"),
        _text("reason"),
        _count("attempts"),
        _number("read_after", nullable=True),
        _number("due_after", nullable=True),
        _text("holder", nullable=True),
        _number("found_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="lead_key"),
        sa.UniqueConstraint("publisher", "url_key", name="lead_once_publisher_url_key"),
    )
    _index_where_set("lead_by_holder", "lead", ["holder"], "holder")
    _index_where_set("lead_by_host_due_after_id", "lead", ["host", "due_after", "id"], "due_after")
    op.create_index("lead_by_item_id", "lead", ["item_id"])
    op.create_index("lead_by_feed_url_id", "lead", ["feed_url", "id"])
    _index_where_set("lead_by_article_id", "lead", ["article_id"], "article_id")
    _index_where("lead_by_feed_url_state", "lead", ["feed_url", "state"], "state != 'read'")


def _make_articles() -> None:
    # Articles with their receipts.
    op.create_table(
        "receipt",
        _text("id"),
        _text("body"),
        sa.PrimaryKeyConstraint("id", name="receipt_key"),
    )
    op.create_table(
        "exported",
        _text("cursor"),
        _text("article_id"),
        _text("receipt_id", "receipt.id", nullable=True),
        _number("checked_at", nullable=True),
        _number("left_at"),
        sa.PrimaryKeyConstraint("cursor", "article_id", name="exported_key"),
    )
    op.create_table(
        "article",
        _row_number("position", counted=False),
        _text("id"),
        _text("publisher", "publisher.domain"),
        _text("url"),
        _text("canonical_url"),
        _text("feed_url"),
        _text("title"),
        _text("authors"),
        _number("published_at", nullable=True),
        _text("published_source"),
        _number("modified_at", nullable=True),
        _number("fetched_at"),
        _number("arrived_at"),
        _text("language"),
        _text("language_tag"),
        _text("tags"),
        _text("image_url"),
        _text("text_hash"),
        _count("word_count"),
        _real("quality"),
        _text("paywall"),
        _text("receipt_id", "receipt.id", nullable=True),
        _number("checked_at", nullable=True),
        _text("cluster_id"),
        _text("state"),
        _count("version"),
        _text("sources"),
        _text("description"),
        _text("extra"),
        _text("layout"),
        _text("captions"),
        _text("text"),
        sa.Column("is_near_duplicate", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("position", name="article_key"),
        sa.UniqueConstraint("id", name="article_once_id"),
    )
    op.create_index("article_by_feed_url", "article", ["feed_url"])
    op.create_index("article_by_arrived_at", "article", ["arrived_at"])
    facets = ["publisher", "language", "paywall", "receipt_id"]
    op.create_index(
        "article_facets", "article", ["position", "is_near_duplicate", "quality", *facets]
    )
    _index_where(
        "article_by_feed_url_is_near_duplicate_paywall",
        "article",
        ["feed_url", "is_near_duplicate", "paywall"],
        "is_near_duplicate OR paywall IN ('metered', 'locked', 'registration')",
    )
    op.create_table(
        "article_change",
        _row_number("number", counted=False),
        _text("article_id"),
        _number("removed_at", nullable=True),
        _text("url", nullable=True),
        _text("reason", nullable=True),
        sa.PrimaryKeyConstraint("number", name="article_change_key"),
        sa.UniqueConstraint("article_id", name="article_change_once_article_id"),
    )
    _index_where_set("article_change_by_removed", "article_change", ["number"], "removed_at")


def _make_beside_articles() -> None:
    # What is kept beside an article.
    op.create_table(
        "article_receipt",
        _text("article_id", "article.id"),
        _number("checked_at"),
        _text("receipt_id", "receipt.id"),
        sa.PrimaryKeyConstraint("article_id", "checked_at", name="article_receipt_key"),
    )
    op.create_table(
        "article_alias",
        _text("publisher"),
        _text("url_key"),
        _text("article_id"),
        sa.PrimaryKeyConstraint("publisher", "url_key", name="article_alias_key"),
    )
    op.create_table(
        "article_version",
        _text("article_id", "article.id"),
        _count("version"),
        _text("title"),
        _text("text_hash"),
        _number("fetched_at"),
        _number("modified_at", nullable=True),
        _text("layout"),
        _text("text"),
        sa.PrimaryKeyConstraint("article_id", "version", name="article_version_key"),
    )
    op.create_table(
        "raw_page",
        _text("article_id", "article.id"),
        _text("content_type"),
        _number("fetched_at"),
        _bytes("body"),
        sa.PrimaryKeyConstraint("article_id", name="raw_page_key"),
    )
    op.create_index("raw_page_by_fetched_at", "raw_page", ["fetched_at"])


def _make_robots_files() -> None:
    op.create_table(
        "robots_file",
        _text("origin"),
        _flag("found"),
        _bytes("body"),
        _text("reason"),
        _number("asked_at"),
        sa.PrimaryKeyConstraint("origin", name="robots_file_key"),
    )


def _make_near_duplicates() -> None:
    # Near-duplicates.
    op.create_table(
        "signature",
        _row_number("id", counted=True),
        _text("article_id"),
        _text("bands"),
        _bytes("minhash"),
        _text("language"),
        _number("seen_at"),
        sa.Column("own_threshold", sa.Float(53)),
        _number("own_window", nullable=True),
        _flag("waits"),
        sa.PrimaryKeyConstraint("id", name="signature_key"),
        sa.UniqueConstraint("article_id", name="signature_once_article_id"),
    )
    _index_where_set("signature_by_own_window", "signature", ["own_window"], "own_window")
    _index_where("signature_by_waits", "signature", ["id"], "waits")
    op.create_table(
        "signature_band",
        _number("key"),
        _text("article_id"),
        sa.PrimaryKeyConstraint("key", "article_id", name="signature_band_key"),
    )
    op.create_table(
        "cluster",
        _text("id"),
        _text("canonicals"),
        _number("made_at"),
        sa.PrimaryKeyConstraint("id", name="cluster_key"),
    )
    op.create_table(
        "cluster_member",
        _text("article_id"),
        _text("cluster_id", "cluster.id"),
        _count("place"),
        sa.PrimaryKeyConstraint("article_id", name="cluster_member_key"),
    )
    op.create_index("cluster_member_by_cluster_id_place", "cluster_member", ["cluster_id", "place"])
    op.create_table(
        "former_original",
        _text("article_id"),
        _text("original_id"),
        _text("publisher"),
        _text("url"),
        _text("feed_url"),
        _number("published_at", nullable=True),
        _number("first_at"),
        _text("receipt_id", "receipt.id", nullable=True),
        _number("checked_at", nullable=True),
        sa.PrimaryKeyConstraint("article_id", name="former_original_key"),
    )
    op.create_index("former_original_by_original_id", "former_original", ["original_id"])


def _make_boilerplate() -> None:
    # The boilerplate of publishers.
    op.create_table(
        "boilerplate",
        _text("publisher"),
        _count("pages"),
        _text("boilerplate"),
        _number("learnt_at"),
        sa.PrimaryKeyConstraint("publisher", name="boilerplate_key"),
    )
    op.create_table(
        "block_tally",
        _text("publisher"),
        _count("articles"),
        _text("once"),
        _text("often"),
        sa.PrimaryKeyConstraint("publisher", name="block_tally_key"),
    )


def _make_logs() -> None:
    # What happened, and the store's own notes.
    op.create_table(
        "problem",
        _row_number("id", counted=True),
        _text("token"),
        _text("kind"),
        _text("message"),
        _text("subject_url"),
        _text("subject_key"),
        _number("at"),
        _number("retry_after", nullable=True),
        _flag("permanent"),
        sa.PrimaryKeyConstraint("id", name="problem_key"),
        sa.UniqueConstraint("token", name="problem_once_token"),
    )
    op.create_index("problem_by_at_id_kind", "problem", ["at", "id", "kind"])
    op.create_index("problem_by_subject_key_at_id", "problem", ["subject_key", "at", "id"])
    op.create_table(
        "event",
        _row_number("seq", counted=False),
        _text("token"),
        _text("kind"),
        _text("subject"),
        _number("at"),
        _text("data"),
        sa.PrimaryKeyConstraint("seq", name="event_key"),
        sa.UniqueConstraint("token", name="event_once_token"),
    )
    op.create_table(
        "counter",
        _text("name"),
        _number("value"),
        sa.PrimaryKeyConstraint("name", name="counter_key"),
    )
    op.create_table(
        "meta",
        _text("name"),
        _text("value"),
        sa.PrimaryKeyConstraint("name", name="meta_key"),
    )


def _make_texts_small() -> None:
    """Packs long texts the quick way, where the server knows it: half the time, and less room than its usual one."""
    if op.get_context().dialect.name == "sqlite":
        return
    columns = ("article.text", "article_version.text", "item.content_html")
    for table, _, column in (name.partition(".") for name in columns):
        change = f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION lz4"
        op.execute(
            f"DO $$ BEGIN EXECUTE '{change}';"
            " EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL; END $$"
        )


def _make_word_index() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.execute(_FTS5)
        for name, value in _FTS5_SETTINGS.items():
            setting = sa.text(
                "INSERT INTO article_words (article_words, rank) VALUES (:name, :value)"
            )
            op.execute(setting.bindparams(name=name, value=value))
        return
    # Kept whole in the row up to a page: fetched from elsewhere a vector costs five times as much, and
    # PostgreSQL, which does not reckon with that, would rather read every article than ask the index.
    op.execute(
        "CREATE TABLE article_words (position BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)"
        " WITH (toast_tuple_target = 8160)"
    )
    # Words that many articles have; two of them next to each other have a lexeme of their own.
    op.execute(
        'CREATE TABLE article_words_frequent (word TEXT COLLATE "C" PRIMARY KEY,'
        " number INTEGER NOT NULL UNIQUE, generation INTEGER NOT NULL)"
    )
    # 16 MB of new words, some two thousand articles, wait to be sorted in together: that touches a
    # word's place once, not once a commit. A search reads through those that wait.
    op.execute(
        "CREATE INDEX article_words_by_words ON article_words USING gin (words)"
        " WITH (gin_pending_list_limit = 16384)"
    )
