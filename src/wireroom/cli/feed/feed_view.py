"""One feed as text, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wireroom.app.feeds import rate_words
from wireroom.cli.feeds.table import (
    STATES,
    new_words,
    percent,
    sparkline,
    stats_data,
    verdict_signs,
    why,
)
from wireroom.cli.recent import PROBLEM_COLUMNS, ago
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.model import OPTIONS
from wireroom.settings.feed_settings import shown_option

if TYPE_CHECKING:
    from wireroom.app.feeds import FeedView
    from wireroom.cli.session import Session
    from wireroom.model import Feed, Rhythm

ARTICLES = (TableColumn(), TableColumn(spare=1), TableColumn(narrowest=20))
OBSERVATIONS_SHOWN = 5  # the last ones that have a reason

Row = tuple[str, str]


def view_data(view: FeedView) -> dict[str, Any]:
    """Everything as plain data."""
    return stats_data(view.stats) | {
        "reliability": view.reliability,
        "reliability_parts": view.parts._asdict(),
        "marks": [asdict(observation) for observation in view.observations],
        "problems": [
            {
                "kind": problem.kind,
                "subject_url": problem.subject_url,
                "message": problem.message,
                "at": problem.at,
                "permanent": problem.permanent,
            }
            for problem in view.problems
        ],
        "last_articles": [
            {
                "id": article.id,
                "title": article.title,
                "url": article.url,
                "published_at": article.published_at,
            }
            for article in view.articles
        ],
    }


def show_feed(view: FeedView, session: Session, now: datetime) -> None:
    """Everything in a page."""
    streams = session.streams
    feed = view.stats.feed
    streams.heading(feed.name or feed.title or feed.url)
    streams.table(list(_standing(view, now)), styles=STATES, indent=2)
    settings = list(_settings(feed))
    if settings:
        _part("Options", settings, streams)
    _part("Reliability", list(_reliability(view, now)), streams)
    if feed.rhythm is not None:
        _part("Rhythm", list(_rhythm(feed.rhythm, is_silent=feed.state == "silent")), streams)
    problems = [
        (ago(now - problem.at), problem.kind, problem.subject_url, problem.message)
        for problem in view.problems
    ]
    _part("Last problems", problems or [("none", "", "", "")], streams, PROBLEM_COLUMNS)
    articles = [
        (
            article.id,
            session.reader_clock().minute(article.published_at),
            article.title,
        )
        for article in view.articles
    ]
    _part("Last articles", articles or [("none", "", "")], streams, ARTICLES)


def _part(
    title: str, rows: list[Any], streams: Streams, columns: Sequence[TableColumn] | None = None
) -> None:
    streams.line()
    streams.heading(title)
    if columns is None:
        streams.table(rows, indent=2)
    else:
        streams.fitted_table(rows, columns=columns, indent=2)


def _standing(view: FeedView, now: datetime) -> Iterator[Row]:
    stats = view.stats
    feed, count = stats.feed, stats.count
    yield "address", feed.url
    yield "publisher", feed.publisher
    yield "kind", feed.kind
    yield "state", stats.health
    if message := why(stats, now):
        yield "why", message
    if feed.failures:
        yield "failures", f"{feed.failures} in a row"
    polled = feed.standing.polled_at
    yield "last polled", ago(now - polled) if polled is not None else "never"
    yield "last new", new_words(feed, now)
    near_duplicates = percent(count.duplicates, count.articles)
    paywalled = percent(count.paywalled, count.articles)
    yield (
        "articles",
        f"{count.articles:,}"
        + (
            f", {near_duplicates} near-duplicates, {paywalled} paywalled" if near_duplicates else ""
        ),
    )
    leads = ", ".join(f"{number:,} {state}" for state, number in sorted(count.leads.items()))
    yield "pages", leads or "none"
    if stats.trouble:
        yield "", f"see why with: wireroom leads --feed {feed.name or feed.url}"
    yield "rights", verdict_signs(stats.rights)


def _settings(feed: Feed) -> Iterator[Row]:
    for option in OPTIONS.values():
        value = option.of(feed)
        if isinstance(value, Mapping):
            yield from ((f"{option.label} {name}", inner) for name, inner in value.items())
        elif shown := shown_option(option, value):
            yield option.label, shown


def _reliability(view: FeedView, now: datetime) -> Iterator[tuple[str, ...]]:
    parts = view.parts
    if view.reliability is None:
        yield "unknown", "-", view.stats.unproven
        return
    yield "all together", f"{view.reliability:.2f}", ""
    for name in ("availability", "quality", "stability"):
        yield name, f"{getattr(parts, name):.2f}", ""
    low = [observation for observation in view.observations if observation.reason][
        -OBSERVATIONS_SHOWN:
    ]
    for observation in reversed(low):
        yield (
            ago(now - observation.at),
            f"{observation.value:.2f}",
            f"{observation.about}: {observation.reason}",
        )


def _rhythm(rhythm: Rhythm, *, is_silent: bool) -> Iterator[Row]:
    before = ", before it fell silent" if is_silent or rhythm.dormant else ""
    yield "rate", f"{rate_words(rhythm.per_day)}{before}, {rhythm.confidence} confidence"
    yield "week", f"{sparkline(rhythm.weekday)}  Monday to Sunday"
    yield "day", f"{sparkline(rhythm.hour)}  0 to 23 h"
