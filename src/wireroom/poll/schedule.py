"""When to ask a feed again, and why then.

Pure: no clock, no network, no chance of its own. `jitter` is a number from 0 to 1 that the caller has drawn;
it spreads feeds which would otherwise all be asked at the same moment.

The wish comes from the operator's interval or the feed's rhythm; what the server and the document ask for is a
floor under it; hours and days that the document names are stepped over.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import exp
from typing import Final, NamedTuple

from wireroom.dates.durations import duration_words, rate_words
from wireroom.dates.reader_clock import UTC_CLOCK
from wireroom.model import Feed, FeedHints, Problem, Rhythm, ServerHints
from wireroom.poll.reliability import FORBIDDEN
from wireroom.poll.week_profile import knows_weekdays, profile_of, zone_of

SHORTEST: Final = timedelta(minutes=1)  # nobody's news is younger; more often is only a burden
LONGEST: Final = timedelta(hours=24)  # even a yearly may surprise; one request a day hurts nobody
FARTHEST: Final = timedelta(days=6, hours=20)  # however many days are skipped; the store takes what
# waits for more than a week for a clock that was set back
SPREAD: Final = 0.1  # of the time to wait, to both sides
SHARE: Final = (
    0.4  # of an item to be expected until the next look: two looks in three find nothing,
)
# and a new item waits about a fifth of the usual gap
UNKNOWN: Final = timedelta(hours=1)  # before anything is known of a feed
UNSURE_LONGEST: Final = timedelta(hours=6)  # a rhythm with a wide interval may be wrong by as much
SILENT_SHARE: Final = 1 / 20  # of the time it has been quiet: after three weeks once a day
DOUBT: Final = 1.0  # items added to every hour: even an hour that never brought any may surprise

FIRST_WAIT: Final = timedelta(minutes=2)  # after a failure; doubled with every further one
LONGEST_WAIT: Final = timedelta(hours=4)  # between two attempts while the feed still counts as live
FIRST_REST: Final = timedelta(hours=6)  # of a feed that rests; doubled with every further failure
LONGEST_REST: Final = timedelta(days=6)
GONE_RECHECK: Final = timedelta(days=6)  # 410 is meant; still, domains change hands
OUR_FAULT_WAIT: Final = timedelta(hours=1)  # a slip in our own code is not mended within a minute
OUR_WAIT: Final = timedelta(minutes=1)  # when it was us: no growth, for it says nothing of the feed
STAND_BY: Final = timedelta(minutes=5)  # until a feed in reserve sees whether it is needed
FORBIDDEN_WAIT: Final = timedelta(hours=24)  # how long a robots.txt is believed (RFC 9309)
RETRY_LEAST, RETRY_MOST = timedelta(seconds=1), timedelta(hours=24)  # of a Retry-After

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOUR: Final = timedelta(hours=1)
_WHY_PUT_OFF: Final = {
    "robots": "robots.txt forbids polling it",
    "rights": "its rights forbid polling it",
    "private_address": "its address may not be polled",
    "our_network": "our own network is down",
    "store": "our own database is in trouble",
    "internal": "wireroom itself failed",
}


class PollTime(NamedTuple):
    """Not before when, and why then."""

    at: datetime
    because: str
    """A clause that stands behind "because"."""


class _Span(NamedTuple):
    length: timedelta
    because: str


def next_poll(
    feed: Feed,
    *,
    hints: FeedHints,
    server_hints: ServerHints,
    rhythm: Rhythm | None,
    now: datetime,
    jitter: float,
) -> PollTime:
    """When to ask a feed that has answered."""
    wanted = _wished(feed, hints, rhythm, now)
    longest = max(LONGEST, feed.interval or LONGEST)
    length = min(max(spread(wanted.length, jitter), SHORTEST), longest)
    because = wanted.because
    floor = max(_floors(hints, server_hints, now), key=lambda span: span.length)
    if floor.length > length:
        length = floor.length * (1 + SPREAD * _fraction(jitter))
        because = floor.because
    return _past_skipped(PollTime(now + length, because), hints, now=now, jitter=jitter)


def after_failure(
    problem: Problem, *, failures: int, resting_after: int, now: datetime, jitter: float
) -> PollTime:
    """When to ask a feed again that has failed so many times in a row."""
    if failures < resting_after:
        wait = min(_doubled(FIRST_WAIT, failures - 1), LONGEST_WAIT)
        because = f"it failed {_times(failures)}"
    else:
        wait = min(_doubled(FIRST_REST, failures - resting_after), LONGEST_REST)
        because = f"it rests after {_failures(failures)}"
    return _no_sooner(problem, PollTime(now + spread(wait, jitter), because), now)


def recheck(*, now: datetime, jitter: float) -> PollTime:
    """When to look again after a feed that is gone."""
    return PollTime(
        now + spread(GONE_RECHECK, jitter), "it is gone and polled again from time to time"
    )


def put_off(problem: Problem, *, now: datetime, jitter: float) -> PollTime:
    """When to ask again after a failure that was not the feed's."""
    because = _WHY_PUT_OFF.get(problem.kind, _WHY_PUT_OFF["internal"])
    wait = FORBIDDEN_WAIT if problem.kind in FORBIDDEN else OUR_WAIT
    if problem.kind == "internal":
        wait = OUR_FAULT_WAIT
    return _no_sooner(problem, PollTime(now + spread(wait, jitter), because), now)


def stand_by(answering: str, *, now: datetime, jitter: float) -> PollTime:
    """When to see again whether a feed in reserve is needed."""
    return PollTime(now + spread(STAND_BY, jitter), f"it is in reserve while {answering} answers")


def spread(length: timedelta, jitter: float) -> timedelta:
    """The length, up to a tenth shorter or longer."""
    return length * (1 + SPREAD * (2 * _fraction(jitter) - 1))


# --- the wish ------------------------------------------------------------------------------------


def _wished(feed: Feed, hints: FeedHints, rhythm: Rhythm | None, now: datetime) -> _Span:
    if feed.interval is not None:
        return _Span(feed.interval, f"you asked for {duration_words(feed.interval)}")
    if rhythm is None:
        return _unknown(hints)
    wanted = _by_rhythm(feed, rhythm, now)
    since = quiet_since(feed)
    if feed.state == "silent" and since is not None:
        quiet = (now - since) * SILENT_SHARE
        if quiet > wanted.length:
            return _Span(
                min(quiet, LONGEST), f"it has been quiet for {duration_words(now - since)}"
            )
    return wanted


def _by_rhythm(feed: Feed, rhythm: Rhythm, now: datetime) -> _Span:
    """Until a part of an item is to be expected, at this hour of this week."""
    profile = profile_of(rhythm, per_day=max(rhythm.per_day, 0.0), zone=zone_of(feed), doubt=DOUBT)
    longest = UNSURE_LONGEST if rhythm.confidence == "low" else LONGEST
    until = profile.when(now, SHARE, latest=now + longest)
    return _Span(max(until - now, SHORTEST), f"its rhythm is {rate_words(rhythm.per_day)}")


def _unknown(hints: FeedHints) -> _Span:
    if hints.period is None:
        return _Span(UNKNOWN, "no rhythm is known yet")
    length = min(max(hints.period, UNKNOWN), LONGEST)
    return _Span(length, f"it says it is renewed every {duration_words(hints.period)}")


# --- floors --------------------------------------------------------------------------------------


def _floors(hints: FeedHints, server: ServerHints, now: datetime) -> Iterator[_Span]:
    """What the server and the document ask for, each within reason."""
    yield _Span(SHORTEST, "")
    if server.max_age is not None:
        yield _asked(min(server.max_age, LONGEST), "max-age")
    if server.expires_at is not None:
        yield _asked(min(server.expires_at - now, LONGEST), "Expires")
    if server.retry_after is not None:
        yield _asked(_clamped(server.retry_after), "Retry-After")
    if hints.ttl is not None:
        ttl = min(hints.ttl, LONGEST)
        yield _Span(ttl, f"the feed asks for {duration_words(ttl)} (ttl)")


def _asked(length: timedelta, header: str) -> _Span:
    return _Span(length, f"the server asks for {duration_words(length)} ({header})")


def _no_sooner(problem: Problem, wanted: PollTime, now: datetime) -> PollTime:
    """The wish, or what the server asked for when that is later."""
    if problem.retry_after is None:
        return wanted
    asked = _asked(_clamped(problem.retry_after), "Retry-After")
    return PollTime(now + asked.length, asked.because) if now + asked.length > wanted.at else wanted


def _clamped(wait: timedelta) -> timedelta:
    return min(max(wait, RETRY_LEAST), RETRY_MOST)


# --- hours and days to be left out ---------------------------------------------------------------


def _past_skipped(wanted: PollTime, hints: FeedHints, *, now: datetime, jitter: float) -> PollTime:
    """The wish, moved behind the hours and days (in UTC) at which the feed is not to be asked."""
    hours, days = set(hints.skip_hours), {day.lower() for day in hints.skip_days}
    if len(hours) >= 24 or len(days) >= 7:
        return wanted  # a mistake: nobody publishes a feed that must never be read
    at = wanted.at.astimezone(UTC)
    while at.hour in hours or _DAYS[at.weekday()] in days:
        at = at.replace(minute=0, second=0, microsecond=0) + _HOUR
    if at == wanted.at:
        return wanted
    skipped_day = _DAYS[wanted.at.astimezone(UTC).weekday()] in days
    because = (
        f"it skips days until {at:%A}"
        if skipped_day
        else f"it skips hours until {UTC_CLOCK.hour_named(at)}"
    )
    farthest = max(now + FARTHEST, wanted.at)
    return PollTime(min(at + _HOUR * SPREAD * _fraction(jitter), farthest), because)


# --- arithmetic ----------------------------------------------------------------------------------


def _fraction(jitter: float) -> float:
    return min(max(jitter, 0.0), 1.0)


def _doubled(first: timedelta, times: int) -> timedelta:
    return first * (1 << min(max(times, 0), 12))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times in a row"


def _failures(count: int) -> str:
    return f"{count} failure{'s' if count != 1 else ''}"


# Whether a feed is quiet for longer than its rhythm explains.
#
# Pure. Items are taken to come by chance at the rate that weekday and hour let expect; the chance that none at
# all came since the last one is what decides. The rate is the lower end of what is known of it, so that a feed
# whose items come in bursts is not called silent between two of them.

BY_CHANCE: Final = 1e-6  # one false alarm in a million gaps: 300 dailies have as many in a year
SLOW_GAPS: Final = (
    10  # usual gaps, for feeds too slow for their rate to be known well; as for "dormant"
)
SLOW_LEAST: Final = timedelta(days=14)
DAY: Final = timedelta(days=1)
SHORTEST_SILENCE: Final = timedelta(
    hours=6
)  # a newsroom's longest meeting; nobody minds the alarm coming then
SHORTEST_SILENCE_UNSURE: Final = timedelta(
    days=3
)  # a long weekend, where weekends were not seen yet


def silence(feed: Feed, now: datetime) -> str:
    """Why the feed is to be called silent; empty when its silence is no surprise, or cannot be heard."""
    since = quiet_since(feed)
    if feed.rhythm is None or since is None:
        return ""
    if feed.failures or feed.state in {"paused", "resting", "gone"}:
        return ""  # who cannot be asked is not silent, but deaf
    quiet = now - since
    shortest = SHORTEST_SILENCE if knows_weekdays(feed.rhythm) else SHORTEST_SILENCE_UNSURE
    if quiet < shortest or not _surprises(feed, feed.rhythm, since, now):
        return ""
    rate = rate_words(feed.rhythm.per_day)
    return (
        f"nothing new for {duration_words(quiet)} (since {UTC_CLOCK.named(since)}), usually {rate}"
    )


def quiet_since(feed: Feed) -> datetime | None:
    """When the feed was last heard of: its newest item, or the moment at which we saw something new."""
    newest = feed.rhythm.newest_at if feed.rhythm else None
    if newest is not None and feed.rhythm is not None and feed.rhythm.dormant:
        return newest  # what a first look finds is new to us, and old
    return max((at for at in (newest, feed.standing.new_at) if at is not None), default=None)


def _surprises(feed: Feed, rhythm: Rhythm, since: datetime, now: datetime) -> bool:
    if rhythm.dormant:
        return True
    if rhythm.per_day > 0 and now - since > max(SLOW_LEAST, SLOW_GAPS * DAY / rhythm.per_day):
        return True
    profile = profile_of(rhythm, per_day=rhythm.low, zone=zone_of(feed), doubt=0.0)
    return exp(-profile.expected(since, now)) < BY_CHANCE
