"""The table of feeds, in as many columns as there is room for; off a terminal in all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.model import OPTIONS
from wireroom.model.feed_options import FeedOption
from wireroom.settings.feed_settings import shown_option

if TYPE_CHECKING:
    from wireroom.app.feeds import FeedStats
    from wireroom.model import Feed, Verdict


# A feed in words and signs that stand in a table, and as plain data. Pure but for what it is given.

STATES = {
    "live": "green",
    "failing": "red",
    "refused": "yellow",
    "paused": "dim",
    "resting": "yellow",
    "silent": "yellow",
    "gone": "red",
}
_FIRST = ("url", "publisher", "kind", "name", "title")  # of the fields of a feed
BARS = "▁▂▃▄▅▆▇█"


def sparkline(counts: Sequence[int]) -> str:
    """One bar for each count, the highest full; empty where nothing was counted."""
    most = max(counts, default=0)
    if not most:
        return ""
    return "".join(BARS[round(count / most * (len(BARS) - 1))] for count in counts)


def due_words(feed: Feed, now: datetime) -> str:
    """When the feed is polled next: "in 12 min"."""
    from wireroom.app.feeds import duration_words

    if feed.state == "paused":
        return "–"
    if feed.poll_after is None:
        return "now" if feed.state in {"live", "silent"} else "never"
    wait = feed.poll_after - now
    return f"in {duration_words(wait)}" if wait >= timedelta(seconds=1) else "now"


def soon_words(feed: Feed, now: datetime) -> str:
    """The same in one number and one unit, for a narrow column."""
    words = due_words(feed, now).split()
    return " ".join(words[:3])


def new_words(feed: Feed, now: datetime) -> str:
    """How long ago it brought something new."""
    from wireroom.cli.recent import ago

    return ago(now - feed.standing.new_at) if feed.standing.new_at is not None else "never"


def percent(part: int, whole: int) -> str:
    """A share in whole per cents; nothing of nothing is no share."""
    return f"{100 * part / whole:.0f} %" if whole else ""


def verdict_signs(verdicts: Sequence[Verdict]) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.model import USES
    from wireroom.report.signs import WORDS

    values = {verdict.use: verdict.value for verdict in verdicts}
    return "".join(WORDS[values.get(use, "unknown")] for use in USES) if verdicts else "·····"


def stats_data(stats: FeedStats) -> dict[str, Any]:
    """The feed as plain data, with what came of it; the user info of secret addresses is hidden."""
    from wireroom.dates.durations import format_duration
    from wireroom.settings.secrets import redact_address

    feed, count = stats.feed, stats.count
    held = asdict(feed)
    data = {name: held.pop(name) for name in _FIRST} | held
    for name in OPTIONS.keys() & data.keys():
        if isinstance(data[name], timedelta):
            data[name] = format_duration(data[name])
        elif OPTIONS[name].info.secret and data[name]:
            data[name] = redact_address(data[name])
    if feed.rhythm is not None:
        data["rhythm"]["span"] = format_duration(feed.rhythm.span)
    hints = data["standing"]["hints"]
    for name in ("ttl", "period"):
        hints[name] = format_duration(hints[name]) if hints[name] is not None else None
    return data | {
        "reliability": stats.reliability,
        "articles": count.articles,
        "duplicates": count.duplicates,
        "paywalled": count.paywalled,
        "health": stats.health,
        "leads": dict(count.leads),
        "lately": dict(count.lately),
        "rights": {verdict.use: verdict.value for verdict in stats.rights},
    }


HEALTHY = frozenset({"live", "paused"})


Cell = Callable[["FeedStats", datetime], str]


def _reliable(stats: FeedStats) -> str:
    """Nothing is known of who was never asked, or whose pages are all refused."""
    return "-" if stats.reliability is None else f"{stats.reliability:.2f}"


def _week(stats: FeedStats) -> str:
    rhythm = stats.feed.rhythm
    return sparkline(rhythm.weekday) if rhythm is not None else ""


def _option_cell(option: FeedOption) -> Cell:
    return lambda stats, _: shown_option(option, option.of(stats.feed))


_OPTION_COLUMNS = [
    (TableColumn(head=option.label, spare=option.info.column), _option_cell(option))
    for option in OPTIONS.values()
    if option.info.column is not None
]
_COLUMNS: tuple[tuple[TableColumn, Cell], ...] = (
    (TableColumn(head="feed", narrowest=16), lambda stats, _: called(stats)),
    (TableColumn(head="state"), lambda stats, _: stats.health),
    *_OPTION_COLUMNS,
    (
        TableColumn(head="new", spare=1),
        lambda stats, now: new_words(stats.feed, now).removesuffix(" ago"),
    ),
    (TableColumn(head="next", spare=2), lambda stats, now: soon_words(stats.feed, now)),
    (TableColumn(head="fails", spare=3), lambda stats, _: f"{stats.feed.failures or ''}"),
    (TableColumn(head="week", spare=6), lambda stats, _: _week(stats)),
    (TableColumn(head="articles", spare=4), lambda stats, _: f"{stats.count.articles:,}"),
    (
        TableColumn(head="dupes", spare=9),
        lambda stats, _: percent(stats.count.duplicates, stats.count.articles),
    ),
    (
        TableColumn(head="paywalled", spare=8),
        lambda stats, _: percent(stats.count.paywalled, stats.count.articles),
    ),
    (TableColumn(head="reliable", spare=7), lambda stats, _: _reliable(stats)),
    (TableColumn(head="rights", spare=5), lambda stats, _: verdict_signs(stats.rights)),
)
"""Each column with what stands in it; how a feed is called may be cut, what it is doing may not."""
WHY = TableColumn(head="why")
SELDOM = frozenset({"fails", *(column.head for column, _ in _OPTION_COLUMNS)})
"""Columns that are left out where nothing would stand in them."""


def show_feeds(found: Sequence[FeedStats], streams: Streams, now: datetime) -> None:
    """The table, and under it why feeds are not well."""
    shown = [
        (column, cell)
        for column, cell in _COLUMNS
        if column.head not in SELDOM or any(cell(stats, now) for stats in found)
    ]
    if not streams.is_terminal:
        shown.append((WHY, why))
    rows = [[cell(stats, now) for _, cell in shown] for stats in found]
    streams.fitted_table(rows, columns=[column for column, _ in shown], styles=STATES)
    if streams.is_terminal:
        _reasons(found, streams, now)


def _reasons(found: Sequence[FeedStats], streams: Streams, now: datetime) -> None:
    """One line each, of all where there are few, else of those that are not well."""
    unwell = [stats for stats in found if len(found) <= 10 or stats.health not in HEALTHY]
    if unwell:
        streams.line()
    for stats in unwell:
        streams.prose(f"{called(stats)}: {why(stats, now)}")


def why(stats: FeedStats, now: datetime) -> str:
    """Why the feed is in its state, and why it is polled when it is."""
    feed = stats.feed
    if feed.state == "paused":
        return "paused by you"
    due, because = due_words(feed, now), feed.standing.because
    when = f"{due} because {because}" if because and due != "never" else ""
    if not because and feed.standing.polled_at is None:
        when = "not polled yet"
    return "; ".join(filter(None, (stats.trouble, feed.standing.reason, when)))


def called(stats: FeedStats) -> str:
    """The operator's name of the feed, else its address without what all of them have."""
    feed = stats.feed
    return feed.name or feed.url.partition("://")[2].removeprefix("www.") or feed.url
