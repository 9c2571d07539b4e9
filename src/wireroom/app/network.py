"""The network as a run sees it: who fetches, who scouts, and what the fetcher knows of hosts.

A run is given one such value; a test gives one with nothing but a `Fetch`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from wireroom.errors import FetchError
from wireroom.ports import Fetch

if TYPE_CHECKING:
    from wireroom.app.robots_buffer import RobotsBuffer
    from wireroom.app.scouting import Scouting
    from wireroom.fetch.client import Fetcher

PauseReason: TypeAlias = Literal["readers", "leases"]


def _not_paused(_paused: bool) -> None:
    """Where nobody can pause, requests go on."""


def _never_cut_off(_error: FetchError) -> bool:
    """Where nobody can tell, it is them."""
    return False


def _at_usual_pace(_host: str) -> str:
    """Where nobody can tell, it is asked like any other."""
    return ""


def _no_rest(_host: str) -> timedelta:
    return timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """All by which a run reaches servers."""

    fetch: Fetch
    scouting: Scouting | None = None
    """Scouts publishers under leases that the run holds; none leaves them alone."""
    robots: RobotsBuffer | None = None
    """robots.txt files that wait to be saved."""
    pause: Callable[[bool], None] = _not_paused
    """Sends nothing more while it is paused."""
    is_cut_off: Callable[[FetchError], bool] = _never_cut_off
    """Whether a request failed because this machine has no way out."""
    pace: Callable[[str], str] = _at_usual_pace
    """Why a host is asked more slowly than others; empty when it is not."""
    rest_of: Callable[[str], timedelta] = _no_rest
    """For how long a host is to be left alone from now on."""
    _reasons: set[PauseReason] = field(default_factory=set, init=False, repr=False)

    def pause_for(self, reason: PauseReason, on: bool) -> None:
        """Requests are paused from the first reason to the last."""
        before = bool(self._reasons)
        if on:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        after = bool(self._reasons)
        if before != after:
            self.pause(after)


def network_of(
    fetcher: Fetcher, *, scouting: Scouting | None = None, robots: RobotsBuffer | None = None
) -> Network:
    """The network by way of our own fetcher."""
    return Network(
        fetch=fetcher,
        scouting=scouting,
        robots=robots,
        pause=fetcher.pause,
        is_cut_off=fetcher.is_cut_off,
        pace=fetcher.pace,
        rest_of=fetcher.rest_of,
    )
