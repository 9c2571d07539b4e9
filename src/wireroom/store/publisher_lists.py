"""Lists of publishers: the summaries of their last scouts, filtered, ordered and counted.

Every query reads narrow rows alone, some 300 bytes a publisher, and as many queries for a thousand as for ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, func, or_, select

from wireroom.model import USES, PublisherSummary, Use, Word
from wireroom.ports import (
    Place,
    PublisherFilter,
    PublisherKind,
    PublisherOrder,
    PublisherPage,
    PublisherRecord,
    ScoutSigns,
)
from wireroom.store import schema
from wireroom.store.packing import as_micros, from_micros, maybe_time
from wireroom.store.publishers_table import read_publisher
from wireroom.store.rows import chunks

_publisher, _summary, _feed = schema.publisher, schema.publisher_summary, schema.feed
_WORDS: Final[Mapping[Use, Any]] = {use: _summary.c[use.replace("-", "_")] for use in USES}
_JOINED = _publisher.outerjoin(_summary, _summary.c.publisher == _publisher.c.domain)
_HELD = [column for column in _summary.columns if column.name != "publisher"]
_ROWS = select(_publisher, *_HELD).select_from(_JOINED)
_NEVER = -1  # below every time and every grade
ESCAPE = "\\"

_ORDERS: Final[Mapping[PublisherOrder, tuple[ColumnElement[Any], bool]]] = {
    "name": (_publisher.c.name_key, False),
    "grade": (func.coalesce(_summary.c.points, _NEVER), True),
    "scouted": (func.coalesce(_summary.c.scouted_at, _NEVER), True),
    "changed": (func.coalesce(_summary.c.rights_changed_at, _NEVER), True),
}
"""What each order goes by, and whether the highest stands first."""


def list_publishers(
    conn: Connection,
    chosen: PublisherFilter,
    *,
    order: PublisherOrder,
    reverse: bool,
    after: Place | None,
    limit: int,
) -> PublisherPage:
    """One page, found by what the last row of the page before is ordered by and its domain."""
    key, falls = _ORDERS[order]
    falls = falls != reverse
    query = _ROWS.add_columns(key.label("key")).where(*_base(chosen), *_faceted(chosen))
    if after is not None:
        value, domain = after
        beyond = key < value if falls else key > value
        query = query.where(or_(beyond, and_(key == value, _publisher.c.domain > domain)))
    query = query.order_by(key.desc() if falls else key, _publisher.c.domain).limit(limit + 1)
    rows = conn.execute(query).mappings().all()
    shown = rows[:limit]
    more = (shown[-1]["key"], shown[-1]["domain"]) if len(rows) > limit else None
    return PublisherPage(records=_records(conn, shown), after=more)


def find_publishers(conn: Connection, domains: Sequence[str]) -> dict[str, PublisherRecord]:
    """Those of these that are known."""
    found: dict[str, PublisherRecord] = {}
    for part in chunks(domains):
        rows = conn.execute(_ROWS.where(_publisher.c.domain.in_(part))).mappings().all()
        found |= {record.publisher.domain: record for record in _records(conn, rows)}
    return found


def count_kinds(conn: Connection, chosen: PublisherFilter) -> tuple[PublisherKind, ...]:
    """How many there are of each kind, counted in one pass."""
    columns = (*_WORDS.values(), _summary.c.signals, _summary.c.language)
    query: Select[Any] = select(*columns, func.count().label("many")).select_from(_JOINED)
    rows = conn.execute(query.where(*_base(chosen)).group_by(*columns)).mappings()
    return tuple(
        PublisherKind(
            scouted=row["signals"] is not None,
            verdicts=_words(row),
            signals=tuple((row["signals"] or "").split()),
            language=row["language"] or "",
            count=row["many"],
        )
        for row in rows
    )


def list_signs(conn: Connection) -> tuple[ScoutSigns, ...]:
    """What the summaries of followed publishers say of their scouts, by domain."""
    columns = (_summary.c.publisher, _summary.c.signs, _summary.c.has_news_sitemap)
    query = select(*columns).where(_summary.c.publisher.in_(select(_feed.c.publisher)))
    return tuple(
        ScoutSigns(
            publisher=row.publisher,
            signs=tuple(row.signs.split()),
            has_news_sitemap=row.has_news_sitemap,
        )
        for row in conn.execute(query.order_by(_summary.c.publisher))
    )


def _base(chosen: PublisherFilter) -> Iterable[ColumnElement[bool]]:
    """Of the filter, what is no facet."""
    if chosen.text.strip():
        like = f"%{escaped(chosen.text.strip().casefold())}%"
        yield or_(
            _publisher.c.name_key.like(like, escape=ESCAPE),
            _publisher.c.domain.like(like, escape=ESCAPE),
        )
    if chosen.changed_after is not None:
        yield _summary.c.rights_changed_at >= as_micros(chosen.changed_after)


def _faceted(chosen: PublisherFilter) -> Iterable[ColumnElement[bool]]:
    yield from (_WORDS[use] == word for use, word in chosen.verdicts.items())
    if chosen.signal:
        like = f"% {escaped(chosen.signal)} %"
        yield _summary.c.signals.like(like, escape=ESCAPE)
    if chosen.language:
        yield _summary.c.language == chosen.language
    if chosen.scouted is not None:
        held = _summary.c.publisher
        yield held.is_not(None) if chosen.scouted else held.is_(None)


def escaped(text: str) -> str:
    """The text as a pattern of LIKE finds it and nothing else."""
    for sign in (ESCAPE, "%", "_"):
        text = text.replace(sign, f"{ESCAPE}{sign}")
    return text


def _records(conn: Connection, rows: Sequence[RowMapping]) -> tuple[PublisherRecord, ...]:
    feeds = _count_feeds(conn, [row["domain"] for row in rows])
    return tuple(
        PublisherRecord(
            publisher=read_publisher(row),
            summary=_summary_of(row),
            feeds=feeds.get(row["domain"], 0),
        )
        for row in rows
    )


def _count_feeds(conn: Connection, domains: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in chunks(domains):
        query = select(_feed.c.publisher, func.count()).where(_feed.c.publisher.in_(part))
        counts |= dict(conn.execute(query.group_by(_feed.c.publisher)).all())
    return counts


def _summary_of(row: RowMapping) -> PublisherSummary | None:
    if row["scouted_at"] is None:
        return None
    return PublisherSummary(
        scouted_at=from_micros(row["scouted_at"]),
        verdicts=_words(row),
        signals=tuple(row["signals"].split()),
        unread=tuple(row["unread"].split()),
        grade=row["grade"],
        points=row["points"],
        language=row["language"],
        rhythm=row["rhythm"],
        per_day=row["per_day"],
        feeds_offered=row["feeds_offered"],
        rights_changed_at=maybe_time(row["rights_changed_at"]),
        signs=tuple(row["signs"].split()),
        has_news_sitemap=row["has_news_sitemap"],
    )


def _words(row: RowMapping) -> dict[Use, Word]:
    """The verdicts of a row; none of one that was never scouted."""
    return {use: row[column.name] for use, column in _WORDS.items() if row[column.name] is not None}
