"""What is said of work that was put into the queue, and of work that is not done: only what will happen. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from wireroom.dates.durations import duration_words
from wireroom.display_text import counted

if TYPE_CHECKING:
    from wireroom.app.waiting import IdleReason, Wait

SHOWN = 3  # names in a line; more do not fit
BY_RUN = "by the next: wireroom run"
BY_LIVING_RUN = "by the run that is under way, within a minute"
SHORTEST = timedelta(seconds=1)  # less is no time to speak of


def promise_lines(
    waits: Sequence[Wait], noun: str, verb: str, now: datetime, *, is_alive: bool
) -> Iterator[str]:
    """One line for each thing that the pages or feeds wait for: `2 pages are read by the next: wireroom run`."""
    groups: dict[tuple[str, str], list[Wait]] = {}
    for wait in waits:
        who = wait.who if wait.on in {"feed", "host"} else ""
        groups.setdefault((wait.on, who), []).append(wait)
    for (on, who), alike in groups.items():
        many = f"{counted(len(alike), noun)} {'is' if len(alike) == 1 else 'are'} {verb}"
        yield f"{many} {_when(on, who, _last(alike), now, is_alive=is_alive)}"


def _last(waits: Sequence[Wait]) -> datetime | None:
    return max((wait.until for wait in waits if wait.until is not None), default=None)


def _when(on: str, who: str, until: datetime | None, now: datetime, *, is_alive: bool) -> str:
    by_run = BY_LIVING_RUN if is_alive else BY_RUN
    words = {
        "host": f"when {who} is done with the host",
        "in_flight": "now",
        "rest": f"when the host has been left alone for {left_words(until, now)}, {by_run}",
        "time": f"in {left_words(until, now)}, {by_run}",
        "scout": f"after the publisher was scouted, {by_run}",
        "feed": f"when the feed is resumed: wireroom resume {who}",
    }
    return words.get(on, by_run)


def left_words(until: datetime | None, now: datetime) -> str:
    """How long it is until then."""
    left = max((until or now) - now, SHORTEST)
    return duration_words(left)


# --- work that is not done -----------------------------------------------------------------------


def idle_lines(reasons: Sequence[IdleReason], now: datetime) -> Iterator[str]:
    """Why nothing is done, a line for each reason."""
    for reason in reasons:
        yield _idle_words(reason, now)


def idle_data(reasons: Sequence[IdleReason]) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [asdict(reason) for reason in reasons]


def _idle_words(reason: IdleReason, now: datetime) -> str:
    names, left = _few(reason.names), left_words(reason.until, now)
    feeds = f"{counted(reason.count, 'feed')} {'is' if reason.count == 1 else 'are'}"
    hosts = f"{counted(reason.count, 'host')} with work that is due"
    words = {
        "hosts_held": f"{hosts} {_have(reason)} held by {reason.who}: {names}; free in {left} at the latest",
        "hosts_rest": f"{hosts} {_have(reason)} left alone for {left}: {names}",
        "feeds_later": f"{feeds} polled later, the first in {left}",
        "pages_later": f"pages that failed are tried again later, the first in {left}",
        "feeds_paused": f"{feeds} paused: {names}; resume with: wireroom resume {reason.names[0] if reason.names else ''}",
        "feeds_gone": f"{feeds} not polled any more: {names}",
    }
    return words[reason.cause]


def _have(reason: IdleReason) -> str:
    return "is" if reason.count == 1 else "are"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
