"""The rights matrix over all publishers: a row each, filtered, ordered, page by page, with counts to filter by.

A row is the summary that the last whole scout left behind; no dossier is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from wireroom.app.list_cursor import read_cursor, write_cursor
from wireroom.dates.typed_moments import EXAMPLES, read_moment
from wireroom.errors import SettingsError
from wireroom.model import Use, Word
from wireroom.ports import PublisherCounts as PublisherCounts
from wireroom.ports import PublisherFilter as PublisherFilter
from wireroom.ports import PublisherOrder as PublisherOrder
from wireroom.ports import PublisherRecord

if TYPE_CHECKING:
    from wireroom.app.application import App

PAGE: Final = 50
MOST: Final = 500  # rows of one page
COUNTING_TIME: Final = timedelta(milliseconds=200)  # for the facets, as a search has
LATELY: Final = timedelta(days=7)  # rights that changed since are marked
CHANGED: Final[Mapping[str, timedelta]] = {f"{days}d": timedelta(days=days) for days in (1, 7, 30)}
"""The stretches for which a list says how many publishers changed their rights, as they are typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherRow:
    """One publisher as a list shows it."""

    domain: str
    name: str
    home_url: str = ""
    language: str = ""
    """ISO 639-1; empty where no feed of it names one."""
    verdicts: Mapping[Use, Word] = field(default_factory=dict)
    """Empty for one that was never scouted to the end: that is not the same as unknown."""
    signals: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Signals that might refuse a use and could not be read."""
    grade: str = ""
    points: int | None = None
    feeds: int = 0
    """Those that are followed."""
    feeds_offered: int = 0
    rhythm: str = ""
    per_day: float | None = None
    added_at: datetime
    scouted_at: datetime | None = None
    rights_changed_at: datetime | None = None
    changed_lately: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherList:
    """One page of publishers."""

    rows: tuple[PublisherRow, ...]
    next: str
    """The cursor of the next page; empty when there is none."""
    total: int
    """How many match, exactly."""
    facets: PublisherCounts
    """How many there would be with another choice of one filter and the same choice of all others."""
    changed: Mapping[str, int]
    """How many changed their rights within each stretch of `CHANGED`, with the same choice of all other filters."""
    signal_labels: Mapping[str, str]
    """What people call each signal, by its name."""


def publisher_list(
    app: App,
    chosen: PublisherFilter | None = None,
    *,
    order: PublisherOrder = "name",
    reverse: bool = False,
    cursor: str = "",
    limit: int = PAGE,
    changed_within: timedelta = LATELY,
) -> PublisherList:
    """Publishers that match, in order; QueryError for a cursor of another list.

    Six queries, however many publishers there are: the page, its feeds, their number, and three counts for all facets,
    which are left out when they take longer than `COUNTING_TIME`.
    """
    wanted = chosen or PublisherFilter()
    name = f"{'-' if reverse else ''}{order}"
    after = read_cursor(cursor, name, str if order == "name" else int)
    size = max(1, min(limit, MOST))
    page = app.store.overview.publishers(
        wanted, order=order, reverse=reverse, after=after, limit=size
    )
    now = app.clock()
    moments = [now - stretch for stretch in CHANGED.values()]
    counts = app.store.overview.publisher_counts(
        wanted, changed_since=moments, within=COUNTING_TIME
    )
    since = now - changed_within
    return PublisherList(
        rows=tuple(_row(record, since) for record in page.records),
        next=write_cursor(name, page.after),
        total=counts.total,
        facets=counts,
        changed=dict(zip(CHANGED, counts.changed, strict=counts.is_whole)),
        signal_labels=signal_labels(),
    )


def changed_since(app: App, text: str) -> datetime | None:
    """The moment a person typed to see whose rights changed since, by the reader's clock; None for nothing, SettingsError for nonsense."""
    if not text.strip():
        return None
    try:
        return read_moment(text, now=app.clock(), zone=app.settings.display.reader_zone()).begin
    except ValueError as exc:
        problem = f"changed {text}: expected a moment"
        raise SettingsError([problem], hint=f"Write it like {EXAMPLES}.") from exc


def changed_publishers(
    app: App, since: datetime, *, limit: int
) -> tuple[int, tuple[PublisherRow, ...]]:
    """How many changed their rights since, and those that did last."""
    changed = PublisherFilter(changed_after=since)
    page = app.store.overview.publishers(changed, order="changed", limit=limit)
    total = app.store.overview.publisher_counts(changed, within=timedelta()).total
    return total, tuple(_row(record, since) for record in page.records)


def publisher_rows(
    app: App, domains: Sequence[str], *, changed_within: timedelta = LATELY
) -> tuple[PublisherRow, ...]:
    """The rows of these publishers, in their order, to be compared side by side; those that nobody knows are left out."""
    held = app.store.overview.publishers_named(domains)
    since = app.clock() - changed_within
    return tuple(_row(held[domain], since) for domain in dict.fromkeys(domains) if domain in held)


def signal_labels() -> Mapping[str, str]:
    """What people call each signal, by its name."""
    from wireroom.signals import all_signals, label_of

    return {plug.name: label_of(plug.name) for plug in all_signals()}


def _row(record: PublisherRecord, since: datetime) -> PublisherRow:
    publisher, summary = record.publisher, record.summary
    row = PublisherRow(
        domain=publisher.domain,
        name=publisher.name or publisher.domain,
        home_url=publisher.home_url,
        feeds=record.feeds,
        added_at=publisher.added_at,
    )
    if summary is None:
        return row
    changed_at = summary.rights_changed_at
    return replace(
        row,
        language=summary.language,
        verdicts=summary.verdicts,
        signals=summary.signals,
        unread=summary.unread,
        grade=summary.grade,
        points=summary.points,
        feeds_offered=summary.feeds_offered,
        rhythm=summary.rhythm,
        per_day=summary.per_day,
        scouted_at=summary.scouted_at,
        rights_changed_at=changed_at,
        changed_lately=changed_at is not None and changed_at >= since,
    )
