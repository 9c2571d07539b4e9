"""When a feed is asked again: its rhythm, the operator, the server, and never out of bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poll.cases import DAY, HOUR, MINUTE, NOW, OFFICE, WORKDAYS, feed, rhythm
from wireroom.dates.durations import duration_words, rate_words
from wireroom.model import Feed, FeedHints, Hints, PollHistory, Problem, Rhythm, ServerHints
from wireroom.poll.schedule import (
    FARTHEST,
    FORBIDDEN_WAIT,
    GONE_RECHECK,
    LONGEST,
    LONGEST_REST,
    LONGEST_WAIT,
    OUR_FAULT_WAIT,
    OUR_WAIT,
    SHARE,
    SHORTEST,
    SPREAD,
    UNKNOWN,
    UNSURE_LONGEST,
    PollTime,
    after_failure,
    next_poll,
    put_off,
    recheck,
)

MIDDLE = 0.5  # no jitter


def ask(
    held: Feed | None = None,
    known: Rhythm | None = None,
    *,
    now: datetime = NOW,
    jitter: float = MIDDLE,
    server: ServerHints | None = None,
    **hints: Any,
) -> PollTime:
    return next_poll(
        held or feed(),
        hints=FeedHints(**hints),
        server_hints=server or ServerHints(),
        rhythm=known,
        now=now,
        jitter=jitter,
    )


def trouble(**fields: Any) -> Problem:
    usual: dict[str, Any] = {"kind": "server_error", "message": "HTTP 500", "at": NOW}
    return Problem(**(usual | fields))


# --- the wish --------------------------------------------------------------------------------------


@pytest.mark.parametrize("per_day", [2.0, 12.0, 100.0, 500.0])
def test_a_feed_is_asked_in_a_third_to_half_of_its_usual_gap(per_day: float) -> None:
    planned = ask(known=rhythm(per_day))
    gap = DAY / per_day
    assert gap / 3 <= planned.at - NOW <= gap / 2
    assert planned.because == f"its rhythm is {rate_words(per_day)}"


def test_a_busy_hour_is_watched_more_closely_than_a_night() -> None:
    office = rhythm(24, hour=OFFICE, weekday=WORKDAYS)
    morning = ask(known=office).at - NOW
    evening = ask(known=office, now=NOW.replace(hour=20)).at - NOW.replace(hour=20)
    assert morning < DAY / 24 * SHARE < evening


def test_a_night_ends_with_the_first_hour_in_which_something_is_to_be_expected() -> None:
    office = rhythm(48, hour=tuple(40 * count for count in OFFICE))
    asked = ask(known=office, now=NOW.replace(hour=1)).at
    assert NOW.replace(hour=6) <= asked <= NOW.replace(hour=8)


def test_the_hours_are_those_of_the_newsroom() -> None:
    office = rhythm(48, hour=tuple(40 * count for count in OFFICE))
    tokyo = feed(hints=Hints(zone="Asia/Tokyo"))
    at = NOW.replace(hour=20)  # five in the morning there
    assert ask(tokyo, office, now=at).at - at < 3 * HOUR
    assert ask(feed(), office, now=at).at - at > 8 * HOUR
    assert ask(feed(hints=Hints(zone="+09:00")), office, now=at) == ask(tokyo, office, now=at)


def test_a_short_look_says_nothing_of_hours() -> None:
    office = rhythm(24, hour=OFFICE, span=DAY)
    assert ask(known=office, now=NOW.replace(hour=3)).at == NOW.replace(hour=3) + HOUR * SHARE


def test_bounds_hold_for_the_fastest_and_the_slowest() -> None:
    assert ask(known=rhythm(1e6)).at - NOW == SHORTEST
    assert ask(known=rhythm(0.001)).at - NOW == LONGEST
    assert ask(known=rhythm(0.0)).at - NOW == LONGEST
    assert ask(known=rhythm(0.001, confidence="low")).at - NOW == UNSURE_LONGEST


def test_a_feed_of_which_nothing_is_known_is_asked_hourly() -> None:
    assert ask() == PollTime(NOW + UNKNOWN, "no rhythm is known yet")
    assert ask(period=DAY).at == NOW + DAY
    assert "renewed every 1 day" in ask(period=DAY).because


def test_a_silent_feed_is_asked_less_and_less_often() -> None:
    quiet = rhythm(48, newest_at=NOW - 10 * DAY)
    silent = feed(state="silent", rhythm=quiet)
    planned = ask(silent, quiet)
    assert planned == PollTime(NOW + 12 * HOUR, "it has been quiet for 10 days")
    assert ask(feed(rhythm=quiet), quiet).at - NOW < HOUR


# --- who may overrule it ---------------------------------------------------------------------------


def test_the_operator_overrules_the_rhythm() -> None:
    planned = ask(feed(interval=15 * MINUTE), rhythm(1))
    assert planned == PollTime(NOW + 15 * MINUTE, "you asked for 15 min")
    assert ask(feed(interval=14 * DAY)).at == NOW + 14 * DAY


@pytest.mark.parametrize(
    ("server", "hints", "because"),
    [
        (ServerHints(max_age=30 * MINUTE), {}, "the server asks for 30 min (max-age)"),
        (ServerHints(expires_at=NOW + 30 * MINUTE), {}, "the server asks for 30 min (Expires)"),
        (ServerHints(retry_after=30 * MINUTE), {}, "the server asks for 30 min (Retry-After)"),
        (ServerHints(), {"ttl": 30 * MINUTE}, "the feed asks for 30 min (ttl)"),
    ],
)
def test_server_and_document_overrule_operator_and_rhythm(
    server: ServerHints, hints: dict[str, Any], because: str
) -> None:
    for held in (feed(interval=5 * MINUTE), feed()):
        planned = ask(held, rhythm(1000), server=server, jitter=0, **hints)
        assert planned == PollTime(NOW + 30 * MINUTE, because)


def test_a_floor_that_lies_lower_changes_nothing() -> None:
    planned = ask(feed(interval=HOUR), server=ServerHints(max_age=5 * MINUTE), ttl=10 * MINUTE)
    assert planned == PollTime(NOW + HOUR, "you asked for 1 h")


@pytest.mark.parametrize(
    "server",
    [
        ServerHints(max_age=365 * DAY),
        ServerHints(expires_at=datetime(9999, 1, 1, tzinfo=UTC)),
        ServerHints(retry_after=30 * DAY),
    ],
)
def test_no_server_puts_a_feed_off_for_longer_than_a_day(server: ServerHints) -> None:
    assert ask(server=server, jitter=1.0).at - NOW <= LONGEST * (1 + SPREAD)


def test_an_expiry_in_the_past_is_none() -> None:
    assert ask(server=ServerHints(expires_at=NOW - DAY)).at == NOW + UNKNOWN


# --- hours and days that are left out --------------------------------------------------------------


def test_skipped_hours_are_stepped_over() -> None:
    night = NOW.replace(hour=23)
    planned = ask(feed(interval=HOUR), now=night, jitter=0.5, skip_hours=tuple(range(7)))
    assert planned.because == "it skips hours until 07:00 UTC"
    assert NOW.replace(day=12, hour=7) <= planned.at < NOW.replace(day=12, hour=7, minute=7)


def test_skipped_days_are_stepped_over() -> None:
    friday = datetime(2026, 11, 13, 23, 30, tzinfo=UTC)
    planned = ask(feed(interval=HOUR), now=friday, jitter=0.5, skip_days=("saturday", "sunday"))
    assert planned.because == "it skips days until Monday"
    assert planned.at.date() == datetime(2026, 11, 16, tzinfo=UTC).date()


def test_a_feed_that_skips_everything_is_asked_all_the_same() -> None:
    assert ask(skip_hours=tuple(range(24))).at == NOW + UNKNOWN
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    assert ask(skip_days=days).at == NOW + UNKNOWN


# --- failures --------------------------------------------------------------------------------------


def failed_wait(failures: int, **problem: Any) -> PollTime:
    return after_failure(
        trouble(**problem), failures=failures, resting_after=8, now=NOW, jitter=MIDDLE
    )


def test_back_off_doubles_and_then_rests_on_a_growing_clock() -> None:
    waits = [failed_wait(count).at - NOW for count in range(1, 16)]
    assert waits[:7] == [2 * MINUTE * 2**n for n in range(7)]
    assert waits[7:10] == [6 * HOUR, 12 * HOUR, DAY]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_REST
    assert failed_wait(3).because == "it failed 3 times in a row"
    assert failed_wait(1).because == "it failed once"


def test_retry_after_is_honoured_and_clamped() -> None:
    assert failed_wait(1, retry_after=HOUR) == PollTime(
        NOW + HOUR, "the server asks for 1 h (Retry-After)"
    )
    assert failed_wait(1, retry_after=1000 * DAY).at == NOW + DAY
    assert failed_wait(1, retry_after=timedelta(seconds=-5)).at == NOW + 2 * MINUTE


def test_what_was_ours_is_tried_again_soon_and_what_is_forbidden_tomorrow() -> None:
    ours = put_off(trouble(kind="our_network"), now=NOW, jitter=MIDDLE)
    assert ours == PollTime(NOW + OUR_WAIT, "our own network is down")
    slip = put_off(trouble(kind="internal"), now=NOW, jitter=MIDDLE)
    assert slip.at - NOW == OUR_FAULT_WAIT > 10 * OUR_WAIT
    robots = put_off(trouble(kind="robots"), now=NOW, jitter=MIDDLE)
    assert robots == PollTime(NOW + FORBIDDEN_WAIT, "robots.txt forbids polling it")


# --- properties ------------------------------------------------------------------------------------

spans = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=4000))
maybe_span = st.none() | spans
rhythms = st.none() | st.builds(
    rhythm,
    st.floats(0, 1e6),
    span=st.timedeltas(timedelta(0), timedelta(days=60)),
    hour=st.lists(st.integers(0, 50), min_size=24, max_size=24).map(tuple),
    weekday=st.lists(st.integers(0, 50), min_size=7, max_size=7).map(tuple),
    confidence=st.sampled_from(["high", "low"]),
    newest_at=st.datetimes(datetime(2026, 1, 1), datetime(2026, 11, 11), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis wants them naive
)
days = st.lists(st.sampled_from(["monday", "tuesday", "friday", "sunday"]), max_size=4).map(tuple)


@given(
    known=rhythms,
    interval=st.none() | st.timedeltas(SHORTEST, timedelta(days=30)),
    state=st.sampled_from(["live", "silent", "paused"]),
    server=st.builds(
        ServerHints,
        max_age=maybe_span,
        retry_after=maybe_span,
        expires_at=st.none() | spans.map(lambda span: NOW + span),
    ),
    hints=st.builds(
        FeedHints,
        ttl=maybe_span,
        period=maybe_span,
        skip_hours=st.lists(st.integers(0, 23), max_size=24).map(tuple),
        skip_days=days,
    ),
    jitter=st.floats(0, 1),
)
def test_never_too_soon_and_never_too_late(
    known: Rhythm | None,
    interval: timedelta | None,
    state: Any,
    server: ServerHints,
    hints: FeedHints,
    jitter: float,
) -> None:
    held = feed(interval=interval, state=state, rhythm=known, standing=PollHistory(new_at=None))
    planned = next_poll(
        held, hints=hints, server_hints=server, rhythm=known, now=NOW, jitter=jitter
    )
    floor = max(
        SHORTEST,
        min(server.max_age or SHORTEST, LONGEST),
        min(server.retry_after or SHORTEST, LONGEST),
        min(hints.ttl or SHORTEST, LONGEST),
    )
    assert planned.at - NOW >= floor
    assert planned.at - NOW <= max(FARTHEST, interval or SHORTEST)
    assert planned.because


@given(st.integers(1, 10_000), st.floats(-5, 5), maybe_span)
def test_failures_never_put_a_feed_off_for_ever(
    failures: int, jitter: float, asked: timedelta | None
) -> None:
    planned = after_failure(
        trouble(retry_after=asked), failures=failures, resting_after=8, now=NOW, jitter=jitter
    )
    assert SHORTEST <= planned.at - NOW <= LONGEST_REST * (1 + SPREAD)
    if failures < 8 and asked is None:
        assert planned.at - NOW <= LONGEST_WAIT * (1 + SPREAD)


def test_jitter_spreads_by_a_tenth_to_both_sides() -> None:
    held = feed(interval=100 * MINUTE)
    assert ask(held, jitter=0).at - NOW == 90 * MINUTE
    assert ask(held, jitter=1).at - NOW == 110 * MINUTE
    assert recheck(now=NOW, jitter=1).at - NOW == GONE_RECHECK * (1 + SPREAD)
    assert GONE_RECHECK * (1 + SPREAD) < 7 * DAY, "the store takes more for a clock set back"
    assert LONGEST_REST * (1 + SPREAD) < 7 * DAY


@pytest.mark.parametrize(
    ("per_day", "words"),
    [
        (240, "10 an hour"),
        (12, "12 a day"),
        (1, "1 a day"),
        (0.43, "3 a week"),
        (0.07, "2 a month"),
    ],
)
def test_rates_in_words(per_day: float, words: str) -> None:
    assert rate_words(per_day) == words


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (timedelta(seconds=75), "1 min 15 s"),
        (timedelta(minutes=30, seconds=1), "30 min"),
        (timedelta(hours=11, minutes=10), "11 h"),
        (timedelta(days=9, hours=5), "9 days"),
    ],
)
def test_durations_in_words(duration: timedelta, words: str) -> None:
    assert duration_words(duration) == words
