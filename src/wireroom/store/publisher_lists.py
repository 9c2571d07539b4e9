"""Lists of publishers: the summaries of their last scouts, filtered, ordered and counted.

Every query reads narrow rows alone, some 300 bytes a publisher, and as many queries for a thousand as for ten.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, get_args

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, func, or_, select, true

from wireroom.model import USES, PublisherSummary, Use, Word
from wireroom.ports import (
    Place,
    PublisherCounts,
    PublisherFilter,
    PublisherOrder,
    PublisherPage,
    PublisherRecord,
    ScoutSignList,
    ScoutSigns,
)
from wireroom.store import schema
from wireroom.store.packing import as_micros, from_micros, maybe_time
from wireroom.store.publishers_table import read_publisher
from wireroom.store.rows import chunks
from wireroom.store.time_limit import OutOfTimeError, time_limit

_publisher, _summary, _feed = schema.publisher, schema.publisher_summary, schema.feed
_WORDS: Final[Mapping[Use, Any]] = {use: _summary.c[use.replace("-", "_")] for use in USES}
_JOINED = _publisher.outerjoin(_summary, _summary.c.publisher == _publisher.c.domain)
_HELD = [column for column in _summary.columns if column.name != "publisher"]
_ROWS = select(_publisher, *_HELD).select_from(_JOINED)
_ALL_WORDS: Final[tuple[Word, ...]] = get_args(Word)
_SIGNAL, _LANGUAGE, _SCOUTED, _CHANGED = "signal", "language", "scouted", "changed"
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
    query = _ROWS.add_columns(key.label("key")).where(*_base(chosen), _all_but("", chosen))
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


def count_publishers(
    conn: Connection,
    chosen: PublisherFilter,
    *,
    changed_since: Sequence[datetime] = (),
    within: timedelta | None = None,
) -> PublisherCounts:
    """What a list counts: how many match, then, in three passes over narrow rows, what each facet has; each leaves its own filter out."""
    ends = None if within is None else time.monotonic() + within.total_seconds()
    base = list(_base(chosen))
    matching = select(func.count()).select_from(_JOINED).where(*base, _all_but("", chosen))
    total = conn.execute(matching).scalar_one()
    try:
        return _facets(conn, chosen, base, total, changed_since, ends)
    except OutOfTimeError:
        return PublisherCounts(total=total, is_whole=False)


def _facets(
    conn: Connection,
    chosen: PublisherFilter,
    base: Sequence[ColumnElement[bool]],
    total: int,
    changed_since: Sequence[datetime],
    ends: float | None,
) -> PublisherCounts:
    """The counts of every facet; OutOfTimeError when the time is up."""
    words = select(*_totals(chosen), *_changes(chosen, changed_since)).select_from(_JOINED)
    with time_limit(conn, ends):
        row = conn.execute(words.where(*base)).mappings().one()
    signals = Counter[str]()
    with time_limit(conn, ends):
        for names, many in conn.execute(_by(_summary.c.signals, chosen, _SIGNAL).where(*base)):
            signals.update(dict.fromkeys(names.split(), many))
    with time_limit(conn, ends):
        languages = conn.execute(_by(_summary.c.language, chosen, _LANGUAGE).where(*base)).all()
    return PublisherCounts(
        total=total,
        verdicts={
            use: {word: row[f"{use} {word}"] for word in _ALL_WORDS if row[f"{use} {word}"]}
            for use in USES
        },
        signals=_most_first(signals),
        languages=_most_first({name: many for name, many in languages if name}),
        changed=tuple(row[f"{_CHANGED} {place}"] for place in range(len(changed_since))),
        scouted=row["scouted"],
        not_scouted=row["not_scouted"],
    )


def _totals(chosen: PublisherFilter) -> Iterator[ColumnElement[Any]]:
    held = _summary.c.publisher.is_not(None)
    yield func.count().filter(_all_but(_SCOUTED, chosen), held).label("scouted")
    yield func.count().filter(_all_but(_SCOUTED, chosen), ~held).label("not_scouted")
    for use, column in _WORDS.items():
        others = _all_but(use, chosen)
        for word in _ALL_WORDS:
            yield func.count().filter(others, column == word).label(f"{use} {word}")


def _changes(chosen: PublisherFilter, moments: Sequence[datetime]) -> Iterator[ColumnElement[Any]]:
    """How many changed their rights since each moment."""
    others = _all_but(_CHANGED, chosen)
    for place, moment in enumerate(moments):
        yield func.count().filter(others, _changed_after(moment)).label(f"{_CHANGED} {place}")


def _changed_after(moment: datetime) -> ColumnElement[bool]:
    return _summary.c.rights_changed_at >= as_micros(moment)


def _by(column: ColumnElement[Any], chosen: PublisherFilter, name: str) -> Select[Any]:
    """How many there are with each value of a column, its own filter left out."""
    query = select(column, func.count()).select_from(_JOINED).group_by(column)
    return query.where(column.is_not(None), _all_but(name, chosen))


def _all_but(name: str, chosen: PublisherFilter) -> ColumnElement[bool]:
    """Every filter but one."""
    return and_(true(), *(held for each, held in _faceted(chosen) if each != name))


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def list_signs(conn: Connection) -> ScoutSignList:
    """What the summaries of followed publishers say of their scouts, by domain; of most there is nothing to say."""
    is_followed = _summary.c.publisher.in_(select(_feed.c.publisher))
    any_news = select(_summary.c.publisher).where(_summary.c.has_news_sitemap, is_followed).limit(1)
    has_news = conn.execute(any_news).first() is not None
    columns = (_summary.c.publisher, _summary.c.signs, _summary.c.has_news_sitemap)
    query = select(*columns).where(is_followed)
    if has_news:
        query = query.where(func.trim(_summary.c.signs) != "")
    rows = tuple(
        ScoutSigns(
            publisher=row.publisher,
            signs=tuple(row.signs.split()),
            has_news_sitemap=row.has_news_sitemap,
        )
        for row in conn.execute(query.order_by(_summary.c.publisher))
    )
    return ScoutSignList(rows=rows, has_news_sitemap=has_news)


def _base(chosen: PublisherFilter) -> Iterable[ColumnElement[bool]]:
    """Of the filter, what is no facet."""
    if chosen.text.strip():
        like = f"%{escaped(chosen.text.strip().casefold())}%"
        yield or_(
            _publisher.c.name_key.like(like, escape=ESCAPE),
            _publisher.c.domain.like(like, escape=ESCAPE),
        )


def _faceted(chosen: PublisherFilter) -> Iterator[tuple[str, ColumnElement[bool]]]:
    """The filters that are facets, by name."""
    for use, word in chosen.verdicts.items():
        yield use, _WORDS[use] == word
    if chosen.signal:
        like = f"% {escaped(chosen.signal)} %"
        yield _SIGNAL, _summary.c.signals.like(like, escape=ESCAPE)
    if chosen.language:
        yield _LANGUAGE, _summary.c.language == chosen.language
    if chosen.changed_after is not None:
        yield _CHANGED, _changed_after(chosen.changed_after)
    if chosen.scouted is not None:
        held = _summary.c.publisher
        yield _SCOUTED, held.is_not(None) if chosen.scouted else held.is_(None)


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
