"""Articles as rows: looked up, added, edited into a new version, with receipts and raw pages.

An edit keeps what was there before as a version. The full-text index is given in, for it is the one
part in which databases differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, func, select, update

from wireroom.model import Article, ArticleVersion, RawPage
from wireroom.store import schema
from wireroom.store.packing import (
    as_document,
    as_micros,
    from_document,
    from_micros,
    maybe_micros,
    maybe_time,
)
from wireroom.store.receipts_table import add_receipts, keep_receipts, receipt_id, receipt_of
from wireroom.store.rows import Row, add_rows, among, chunks, for_update, upsert
from wireroom.store.search.index_terms import Indexed, index_article
from wireroom.store.search.positions import Walk, first_free, position_of, time_of

_table = schema.article
_COLUMNS = tuple(
    column.name for column in _table.columns if column.name != "is_near_duplicate"
)  # of the clusters
MINUTE = 60_000_000  # microseconds
_HEX = frozenset("0123456789abcdef")

_WHOLE = select(_table, schema.receipt.c.body.label("receipt_body")).select_from(
    _table.outerjoin(schema.receipt, schema.receipt.c.id == _table.c.receipt_id)
)
_BY_ID = _WHOLE.where(among(_table.c.id, "ids"))
_LOCK = for_update(select(_table.c.id).where(among(_table.c.id, "ids")).order_by(_table.c.id))
_AT = _WHOLE.where(among(_table.c.position, "positions"))
_TAKEN = select(_table.c.position).where(among(_table.c.position, "positions"))


class WordIndex(Protocol):
    """The full-text index of one kind of database, by the articles' positions."""

    def add(self, conn: Connection, words: Iterable[tuple[int, Indexed]]) -> None:
        """Adds articles, lowest position first."""
        ...

    def remove(self, conn: Connection, words: Sequence[tuple[int, Indexed]]) -> None:
        """Takes out articles with exactly the words they were added with."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """An article and where it stands."""

    position: int
    article: Article


def articles_by_id(conn: Connection, ids: Iterable[str], *, lock: bool = False) -> dict[str, Held]:
    """What is held of these articles; with `lock` nobody else changes them until we are done."""
    found: dict[str, Held] = {}
    for part in chunks(sorted(set(ids))):
        if lock:
            conn.execute(_LOCK, {"ids": part})
        for row in conn.execute(_BY_ID, {"ids": part}).mappings():
            found[row["id"]] = Held(row["position"], _article(row))
    return found


def ids_beginning(conn: Connection, digits: str, *, limit: int) -> tuple[str, ...]:
    """The ids that begin with these hex digits, in order; none for what is no hex digit."""
    if not digits or set(digits) - _HEX:
        return ()
    column = _table.c.id
    # Hex digits end before "g" in every order of letters, so an index serves on both databases.
    query = select(column).where(column >= digits, column < f"{digits}g")
    return tuple(conn.execute(query.order_by(column).limit(limit)).scalars())


def articles_at(conn: Connection, positions: Sequence[int]) -> list[Article]:
    """The articles at these positions, in this order."""
    found: dict[int, Article] = {}
    for part in chunks(positions):
        for row in conn.execute(_AT, {"positions": part}).mappings():
            found[row["position"]] = _article(row)
    return [found[position] for position in positions if position in found]


def first_positions(
    conn: Connection, walk: Walk, *, limit: int, conditions: Sequence[ColumnElement[bool]] = ()
) -> list[int]:
    """The first positions of a walk at which the conditions hold."""
    position = _table.c.position
    query = select(position).where(position >= walk.floor, position < walk.below, *conditions)
    order = position.asc() if walk.is_upwards else position.desc()
    return list(conn.execute(query.order_by(order).limit(limit)).scalars())


def article_versions(conn: Connection, article_id: str) -> tuple[ArticleVersion, ...]:
    """How the article read before each edit, oldest first."""
    table = schema.article_version
    query = select(table).where(table.c.article_id == article_id).order_by(table.c.version)
    return tuple(
        ArticleVersion(
            article_id=row["article_id"],
            version=row["version"],
            title=row["title"],
            text=row["text"],
            text_hash=row["text_hash"],
            fetched_at=from_micros(row["fetched_at"]),
            modified_at=maybe_time(row["modified_at"]),
            layout=row["layout"],
        )
        for row in conn.execute(query).mappings()
    )


def add_articles(conn: Connection, index: WordIndex, articles: Sequence[Article]) -> None:
    """Adds articles that are not held yet."""
    if not articles:
        return
    add_receipts(conn, articles)
    positions = _free_positions(
        conn, [position_of(article.id, time_of(article)) for article in articles]
    )
    placed = sorted(zip(positions, articles, strict=True), key=lambda pair: pair[0])
    rows = (
        tuple(_row(position, article, arrived_at=article.fetched_at).values())
        for position, article in placed
    )
    add_rows(conn, _table.name, _COLUMNS, rows)
    index.add(conn, ((position, index_article(article)) for position, article in placed))


def replace_articles(
    conn: Connection, index: WordIndex, changes: Sequence[tuple[Held, Article]]
) -> None:
    """Replaces what is held; whoever reads differently now leaves a version behind."""
    if not changes:
        return
    add_receipts(conn, [article for _, article in changes])
    keep_receipts(conn, [(held.article, new) for held, new in changes])
    _keep_versions(
        conn, [held.article for held, new in changes if new.version > held.article.version]
    )
    moved = _moved(conn, changes)
    rows = [
        {
            **_row(position, new, arrived_at=held.article.arrived_at or held.article.fetched_at),
            "of_position": held.position,
        }
        for position, (held, new) in zip(moved, changes, strict=True)
    ]
    conn.execute(update(_table).where(_table.c.position == bindparam("of_position")), rows)
    _reindex(conn, index, changes, moved)


def save_raw(conn: Connection, pages: Mapping[str, tuple[RawPage, datetime]]) -> None:
    """Keeps the pages articles were read from, compressed, by the articles' ids."""
    from zstandard import ZstdCompressor

    compressor = ZstdCompressor()
    rows = [
        {
            "article_id": article_id,
            "content_type": page.content_type,
            "fetched_at": as_micros(fetched_at),
            "body": compressor.compress(page.body),
        }
        for article_id, (page, fetched_at) in pages.items()
    ]
    upsert(conn, schema.raw_page, rows, keys=["article_id"])


def find_raw(conn: Connection, article_id: str) -> RawPage | None:
    """The page the article was last read from, when it is kept."""
    from zstandard import ZstdDecompressor

    table = schema.raw_page
    row = conn.execute(select(table).where(table.c.article_id == article_id)).mappings().first()
    if row is None:
        return None
    body = ZstdDecompressor().decompress(bytes(row["body"]))
    return RawPage(body=body, content_type=row["content_type"])


def _free_positions(conn: Connection, wanted: Sequence[int]) -> list[int]:
    """The wanted positions, or the next free ones, each given once."""
    taken: set[int] = set()
    while True:
        used = set(taken)
        given = []
        for position in wanted:
            given.append(first_free(position, used))
            used.add(given[-1])
        held = set(_held_positions(conn, given))
        if not held:
            return given
        taken |= held


def _held_positions(conn: Connection, positions: Iterable[int]) -> Iterable[int]:
    for part in chunks(positions):
        yield from conn.execute(_TAKEN, {"positions": part}).scalars()


def _moved(conn: Connection, changes: Sequence[tuple[Held, Article]]) -> list[int]:
    """Where the articles stand after the change: a new publishing date moves them."""
    positions = []
    for held, new in changes:
        if new.published_at is None or new.published_at == held.article.published_at:
            positions.append(held.position)  # without a date, the first time it was fetched counts
        else:
            positions += _free_positions(conn, [position_of(new.id, new.published_at)])
    return positions


def _reindex(
    conn: Connection,
    index: WordIndex,
    changes: Sequence[tuple[Held, Article]],
    moved: Sequence[int],
) -> None:
    before = [(held.position, index_article(held.article)) for held, _ in changes]
    after = [
        (position, index_article(new)) for position, (_, new) in zip(moved, changes, strict=True)
    ]
    differ = [place for place, pair in enumerate(before) if pair != after[place]]
    index.remove(conn, sorted((before[place] for place in differ), key=lambda pair: pair[0]))
    index.add(conn, sorted((after[place] for place in differ), key=lambda pair: pair[0]))


def _keep_versions(conn: Connection, articles: Sequence[Article]) -> None:
    if articles:
        conn.execute(
            schema.article_version.insert(),
            [
                {
                    "article_id": article.id,
                    "version": article.version,
                    "title": article.title,
                    "text": article.text,
                    "text_hash": article.text_hash,
                    "fetched_at": as_micros(article.fetched_at),
                    "modified_at": maybe_micros(article.modified_at),
                    "layout": article.layout,
                }
                for article in articles
            ],
        )


def _row(position: int, article: Article, *, arrived_at: datetime) -> Row:
    receipt = article.receipt
    return {
        "position": position,
        "id": article.id,
        "publisher": article.publisher,
        "url": article.url,
        "canonical_url": article.canonical_url,
        "feed_url": article.feed_url,
        "title": article.title,
        "authors": as_document(article.authors),
        "published_at": maybe_micros(article.published_at),
        "published_source": article.published_source,
        "modified_at": maybe_micros(article.modified_at),
        "fetched_at": as_micros(article.fetched_at),
        "arrived_at": as_micros(arrived_at),
        "language": article.language,
        "language_tag": article.language_tag,
        "tags": as_document(article.tags),
        "image_url": article.image_url,
        "text_hash": article.text_hash,
        "word_count": article.word_count,
        "quality": article.quality,
        "paywall": article.paywall,
        "receipt_id": receipt_id(receipt),
        "checked_at": None if receipt is None else as_micros(receipt.checked_at),
        "cluster_id": article.cluster_id,
        "state": article.state,
        "version": article.version,
        "sources": as_document(article.sources),
        "description": article.description,
        "extra": as_document(article.extra),
        "layout": article.layout,
        "captions": as_document(article.captions),
        "text": article.text,
    }


def _article(row: RowMapping) -> Article:
    return Article(
        id=row["id"],
        publisher=row["publisher"],
        url=row["url"],
        title=row["title"],
        fetched_at=from_micros(row["fetched_at"]),
        arrived_at=from_micros(row["arrived_at"]),
        feed_url=row["feed_url"],
        canonical_url=row["canonical_url"],
        authors=from_document(row["authors"], tuple[str, ...]),
        published_at=maybe_time(row["published_at"]),
        published_source=row["published_source"],
        modified_at=maybe_time(row["modified_at"]),
        language=row["language"],
        language_tag=row["language_tag"],
        tags=from_document(row["tags"], tuple[str, ...]),
        description=row["description"],
        image_url=row["image_url"],
        text=row["text"],
        layout=row["layout"],
        captions=from_document(row["captions"], tuple[str, ...]),
        text_hash=row["text_hash"],
        word_count=row["word_count"],
        quality=row["quality"],
        paywall=row["paywall"],
        sources=from_document(row["sources"], dict[str, str]),
        extra=from_document(row["extra"], dict),
        receipt=receipt_of(row["receipt_body"], row["checked_at"]),
        cluster_id=row["cluster_id"],
        state=row["state"],
        version=row["version"],
    )


def arrivals(conn: Connection, *, since: datetime) -> dict[datetime, int]:
    """How many articles were first read in each minute, counted from an index of times alone."""
    minute = schema.article.c.arrived_at // MINUTE
    query = select(minute, func.count()).where(schema.article.c.arrived_at >= as_micros(since))
    rows = conn.execute(query.group_by(minute).order_by(minute))
    return {from_micros(int(number) * MINUTE): count for number, count in rows}
