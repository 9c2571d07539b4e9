"""The rights matrix over all publishers: a row each, filtered, ordered, page by page, with counts to filter by.

A row is the summary that the last whole scout left behind; no dossier is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from wireroom.app.list_cursor import read_cursor, write_cursor
from wireroom.model import USES, Use, Word
from wireroom.ports import PublisherFilter as PublisherFilter
from wireroom.ports import PublisherKind, PublisherRecord
from wireroom.ports import PublisherOrder as PublisherOrder

if TYPE_CHECKING:
    from wireroom.app.application import App

PAGE: Final = 50
MOST: Final = 500  # rows of one page
_SIGNAL, _LANGUAGE, _SCOUTED = "signal", "language", "scouted"
LATELY: Final = timedelta(days=7)  # rights that changed since are marked


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
class PublisherFacets:
    """How many publishers there would be with another choice of one filter and the same choice of all others."""

    verdicts: Mapping[Use, Mapping[Word, int]]
    signals: Mapping[str, int]
    languages: Mapping[str, int]
    scouted: int = 0
    not_scouted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherList:
    """One page of publishers."""

    rows: tuple[PublisherRow, ...]
    next: str
    """The cursor of the next page; empty when there is none."""
    total: int
    """How many match, exactly."""
    facets: PublisherFacets
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

    Three queries, however many publishers there are: the page, its feeds, and one count for all facets.
    """
    wanted = chosen or PublisherFilter()
    name = f"{'-' if reverse else ''}{order}"
    after = read_cursor(cursor, name, str if order == "name" else int)
    size = max(1, min(limit, MOST))
    page = app.store.overview.publishers(
        wanted, order=order, reverse=reverse, after=after, limit=size
    )
    kinds = app.store.overview.publisher_kinds(wanted)
    total, facets = _counted(kinds, wanted)
    since = app.clock() - changed_within
    return PublisherList(
        rows=tuple(_row(record, since) for record in page.records),
        next=write_cursor(name, page.after),
        total=total,
        facets=facets,
        signal_labels=signal_labels(),
    )


def publisher_rows(
    app: App, domains: Sequence[str], *, changed_within: timedelta = LATELY
) -> tuple[PublisherRow, ...]:
    """The rows of these publishers, in their order, to be compared side by side; those that nobody knows are left out."""
    held = app.store.overview.publishers_named(domains)
    since = app.clock() - changed_within
    return tuple(_row(held[domain], since) for domain in dict.fromkeys(domains) if domain in held)


def signal_labels() -> Mapping[str, str]:
    """What people call each signal, by its name."""
    from wireroom.signals import all_signals

    return {plug.name: plug.label or plug.title for plug in all_signals()}


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


def _missed(kind: PublisherKind, chosen: PublisherFilter) -> list[str]:
    """The filters by which publishers of this kind are left out; text and times were looked at when they were counted."""
    missed: list[str] = [
        use for use, word in chosen.verdicts.items() if kind.verdicts.get(use) != word
    ]
    if chosen.signal and chosen.signal not in kind.signals:
        missed.append(_SIGNAL)
    if chosen.language and chosen.language != kind.language:
        missed.append(_LANGUAGE)
    if chosen.scouted is not None and chosen.scouted != kind.scouted:
        missed.append(_SCOUTED)
    return missed


def _counted(
    kinds: Sequence[PublisherKind], chosen: PublisherFilter
) -> tuple[int, PublisherFacets]:
    """How many match, and the facets, in one pass: who is left out by one filter alone counts for the facet of that one."""
    total = 0
    verdicts: dict[Use, Counter[Word]] = {use: Counter() for use in USES}
    signals, languages, scouted = Counter[str](), Counter[str](), Counter[bool]()
    for kind in kinds:
        missed = _missed(kind, chosen)
        if len(missed) > 1:
            continue
        only = missed[0] if missed else ""
        total += 0 if missed else kind.count
        for use, word in kind.verdicts.items():
            if only in {"", use}:
                verdicts[use][word] += kind.count
        if only in {"", _SIGNAL}:
            signals.update(dict.fromkeys(kind.signals, kind.count))
        if only in {"", _LANGUAGE} and kind.language:
            languages[kind.language] += kind.count
        if only in {"", _SCOUTED}:
            scouted[kind.scouted] += kind.count
    return total, PublisherFacets(
        verdicts=verdicts,
        signals=_most_first(signals),
        languages=_most_first(languages),
        scouted=scouted[True],
        not_scouted=scouted[False],
    )


def _most_first(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
