"""The table of feeds, in as many columns as there is room for; off a terminal in all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from wireroom.cli.feeds.words import (
    STATES,
    due_words,
    new_words,
    percent,
    rights_signs,
    soon_words,
    sparkline,
)
from wireroom.cli.paper import shortened
from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.desk.roster import Standings

__all__ = ["called", "show_feeds", "why"]

WIDE = 120  # columns from which on everything but the reasons fits
NARROWEST = 16  # cells of a feed's name; less says nothing
GAP = 2  # cells between two columns
ENDLESS = 10_000  # cells off a terminal: nothing is cut
HEALTHY = frozenset({"live", "paused"})


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: its head, what stands in it, its widest value, and whether it needs a wide screen."""

    head: str
    cell: Callable[[Standings, datetime], str]
    width: int
    wide: bool = False


_COLUMNS = (
    _Column("state", lambda one, _: one.feed.state, 7),
    _Column("new", lambda one, now: new_words(one.feed, now).removesuffix(" ago"), 7),
    _Column("next", lambda one, now: soon_words(one.feed, now), 9),
    _Column("fails", lambda one, _: f"{one.feed.failures or ''}", 5),
    _Column("week", lambda one, _: _week(one), 7),
    _Column("articles", lambda one, _: f"{one.count.articles:,}", 8),
    _Column(
        "twins", lambda one, _: percent(one.count.duplicates, one.count.articles), 5, wide=True
    ),
    _Column("paid", lambda one, _: percent(one.count.paywalled, one.count.articles), 5, wide=True),
    _Column("reliable", lambda one, _: _reliable(one), 8, wide=True),
    _Column("rights", lambda one, _: rights_signs(one.rights), 6),
)


def _reliable(one: Standings) -> str:
    """Nothing is known of who was never asked, or whose pages are all refused."""
    return "-" if one.reliability is None else f"{one.reliability:.2f}"


def show_feeds(found: Sequence[Standings], streams: Streams, now: datetime) -> None:
    """The table, and under it why feeds are not well."""
    is_terminal = streams.is_terminal
    width = get_terminal_size().columns if is_terminal else ENDLESS
    columns = [one for one in _COLUMNS if width >= WIDE or not one.wide]
    if not any(one.feed.failures for one in found):
        columns = [one for one in columns if one.head != "fails"]
    used = sum(one.width + GAP for one in columns)
    room = max(NARROWEST, width - used)
    heads = ["feed", *(one.head for one in columns)]
    rows = [
        [shortened(called(one), room), *(column.cell(one, now) for column in columns)]
        for one in found
    ]
    if not is_terminal:
        heads.append("why")
        rows = [[*row, why(one, now)] for row, one in zip(rows, found, strict=True)]
    streams.table(rows, columns=heads, styles=STATES)
    if is_terminal:
        _reasons(found, streams, now)


def _reasons(found: Sequence[Standings], streams: Streams, now: datetime) -> None:
    """One line each, of all where there are few, else of those that are not well."""
    told = [one for one in found if len(found) <= 10 or one.feed.state not in HEALTHY]
    if told:
        streams.line()
    for one in told:
        streams.prose(f"{called(one)}: {why(one, now)}")


def why(standings: Standings, now: datetime) -> str:
    """Why the feed is in its state, and why it is asked when it is."""
    feed = standings.feed
    if feed.state == "paused":
        return "paused by you"
    due, because = due_words(feed, now), feed.standing.because
    when = f"{due} because {_of(because)}" if because and due != "never" else ""
    if not because and feed.standing.polled_at is None:
        when = "not asked yet"
    return "; ".join(filter(None, (feed.standing.reason, when)))


def _of(because: str) -> str:
    """The reason as it stands behind "because": some are sentences, some are things."""
    return f"of {because}" if because.startswith(("its ", "back-off", "skip")) else because


def called(standings: Standings) -> str:
    """The operator's name of the feed, else its address without what all of them have."""
    feed = standings.feed
    return feed.name or feed.url.partition("://")[2].removeprefix("www.") or feed.url


def _week(standings: Standings) -> str:
    rhythm = standings.feed.rhythm
    return sparkline(rhythm.weekday) if rhythm is not None else ""
