"""How we behave on other people's servers: the numbers, each with its reason.

Pure: values in, values out. The host schedule keeps these manners; the settings may change them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

MIN_RETRY_AFTER = timedelta(seconds=1)  # "0" means soon, not at once
MAX_RETRY_AFTER = timedelta(hours=24)  # a slip such as a date in 2099 must not lose a host for good
MAX_CRAWL_DELAY = timedelta(
    seconds=60
)  # more is a misunderstanding of the unit; a feed needs an hour's pace
FIRST_BACK_OFF = timedelta(seconds=2)
MAX_BACK_OFF = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """What one process allows itself."""

    gap: timedelta = timedelta(seconds=1)
    """Between the end of one answer and the next request to the same host."""
    concurrency: int = 256
    """Requests in flight over all hosts."""
    per_address: int = 8
    """Requests in flight to one address: a CDN serves many hosts from it."""
    burst: int = 30
    """Requests a scouting visit may send without a gap."""
    burst_in_flight: int = 4
    """Requests a scouting visit may have in flight."""
    rest_after_visit: timedelta = timedelta(seconds=10)
    """After a scouting visit, before anything else is asked of the host."""
    visit_every: timedelta = timedelta(hours=1)
    """Before another burst is allowed; until then scouting goes in single steps."""
    longest_wait: timedelta = timedelta(seconds=60)
    """A request whose host rests for longer is answered at once with the time to come back."""
    host_budget: int = 20_000
    """Requests to one host within 24 hours; a loop in somebody's links must end somewhere."""
    patience: int = 3
    """Failed connections in a row after which a host rests, so that it holds up nobody else."""


def clamp_retry_after(wait: timedelta) -> timedelta:
    """The wait a server asks for, within reason."""
    return min(max(wait, MIN_RETRY_AFTER), MAX_RETRY_AFTER)


def clamp_crawl_delay(delay: timedelta, *, gap: timedelta) -> timedelta:
    """The gap a robots.txt asks for, never shorter than our own."""
    return max(gap, min(delay, MAX_CRAWL_DELAY))


def back_off(failures: int, *, chance: float) -> timedelta:
    """How long to leave a host alone after so many failures in a row; `chance` in 0..1 spreads it."""
    doubled: timedelta = FIRST_BACK_OFF * 2 ** min(max(failures, 1) - 1, 12)
    return min(doubled, MAX_BACK_OFF) * (0.5 + chance)
