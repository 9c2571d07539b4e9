"""Rates from times: right for bursts, batches, silence and feeds that were cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.rhythm import confidence_by_count, frequency_label, measure_rhythm

NOW = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)  # a Friday
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def every(gap: timedelta, count: int, *, newest: datetime = NOW) -> list[datetime]:
    return [newest - n * gap for n in range(count)]


def test_a_steady_daily_is_read_right_and_with_confidence() -> None:
    cadence = measure_rhythm(every(8 * HOUR, 100), now=NOW, source="feed")
    assert cadence is not None
    assert cadence.rhythm.per_day == pytest.approx(3.0, abs=0.1)
    assert cadence.rhythm.low < cadence.rhythm.per_day < cadence.rhythm.high
    assert cadence.rhythm.confidence == "high"
    assert (cadence.label, cadence.hours) == ("~3 articles/day", 8.0)
    assert cadence.method == "weeks"


def test_five_posts_an_hour_apart_each_weekday_are_not_24_a_day() -> None:
    times = [
        NOW - day * DAY - hour * HOUR
        for day in range(28)
        if (NOW - day * DAY).weekday() < 5
        for hour in range(5)
    ]
    cadence = measure_rhythm(times, now=NOW, source="feed")
    assert cadence is not None
    assert cadence.rhythm.per_day == pytest.approx(25 / 7, rel=0.1)
    assert cadence.median_gap_hours == 1.0, "what the median of gaps would have made 24 a day of"


def test_ten_pages_a_day_with_dates_only_are_ten_a_day() -> None:
    days = [datetime(2026, 11, day, tzinfo=UTC) for day in range(1, 14) for _ in range(10)]
    cadence = measure_rhythm(days, now=NOW, source="sitemap")
    assert cadence is not None
    assert cadence.rhythm.per_day == pytest.approx(10, rel=0.1)
    assert cadence.batch_share == 1.0


def test_one_long_holiday_does_not_change_the_picture_much() -> None:
    times = every(DAY, 20) + every(DAY, 20, newest=NOW - 50 * DAY)
    cadence = measure_rhythm(times, now=NOW, source="feed")
    assert cadence is not None
    assert cadence.median_gap_hours == 24.0
    assert cadence.rhythm.low <= 40 / 70 <= cadence.rhythm.high


@pytest.mark.parametrize(
    "times",
    [[], [NOW], [NOW, NOW - DAY], [NOW] * 50, [NOW] * 9 + [NOW - DAY], [NOW + 30 * DAY] * 3],
)
def test_too_few_dates_and_times_of_building_say_nothing(times: list[datetime]) -> None:
    assert measure_rhythm(times, now=NOW, source="feed") is None


def test_dates_of_the_future_and_of_before_the_web_are_dropped() -> None:
    odd = [NOW + 2 * DAY, datetime(1970, 1, 1, tzinfo=UTC)]
    plain = every(DAY, 10)
    assert measure_rhythm([*plain, *odd], now=NOW, source="feed") == measure_rhythm(
        plain, now=NOW, source="feed"
    )


def test_who_stopped_is_dormant_and_a_weekly_digest_is_not() -> None:
    stopped = measure_rhythm(every(8 * HOUR, 50, newest=NOW - 60 * DAY), now=NOW, source="feed")
    digest = [NOW - 6 * DAY - week * 7 * DAY for week in range(5) for _ in range(6)]
    weekly = measure_rhythm(digest, now=NOW + 8 * DAY, source="feed")
    assert stopped is not None
    assert weekly is not None
    assert stopped.rhythm.dormant
    assert stopped.rhythm.per_day < 1, "the silence counts"
    assert not weekly.rhythm.dormant
    on_time = measure_rhythm(digest, now=NOW, source="feed")
    assert on_time is not None
    assert on_time.label == "~6 articles/week"


def test_a_feed_cut_at_a_round_number_says_so() -> None:
    cut = measure_rhythm(every(timedelta(minutes=10), 20), now=NOW, source="feed")
    whole = measure_rhythm(every(timedelta(minutes=10), 23), now=NOW, source="feed")
    assert cut is not None
    assert whole is not None
    assert cut.truncated
    assert not whole.truncated
    assert cut.rhythm.confidence == "low", "three hours of a day tell little"


def test_hours_and_weekdays_are_those_of_the_publisher() -> None:
    tokyo = timezone(9 * HOUR)
    times = [datetime(2026, 11, 2 + n, 23, 30, tzinfo=UTC) for n in range(10)]
    cadence = measure_rhythm(times, now=NOW, source="feed", zone=tokyo)
    assert cadence is not None
    assert cadence.rhythm.hour[8] == 10
    assert cadence.rhythm.weekday[1] == 2, "two Tuesdays"
    assert cadence.grid[1][8] == 2
    assert [sum(row) for row in cadence.grid] == list(cadence.rhythm.weekday)


@pytest.mark.parametrize(
    ("hours", "label"),
    [
        (0.1, "~10 articles/hour"),
        (0.12, "~200 articles/day"),
        (8, "~3 articles/day"),
        (12.1, "~2 articles/day"),
        (24, "~1 article/day"),
        (84, "~2 articles/week"),
        (168, "~1 article/week"),
        (170, "~1 article/week"),
        (360, "~2 articles/month"),
        (720, "~1 article/month"),
        (1441, "< 1 article/month"),
    ],
)
def test_labels(hours: float, label: str) -> None:
    assert frequency_label(24 / hours) == label


@pytest.mark.parametrize(
    ("items", "days", "word"),
    [
        (10, 7.0, "high"),
        (10, 6.9, "medium"),
        (9, 30, "medium"),
        (5, 3.0, "medium"),
        (5, 2.9, "low"),
        (4, 90, "low"),
    ],
)
def test_confidence_by_count(items: int, days: float, word: str) -> None:
    assert confidence_by_count(items, timedelta(days=days)) == word


@given(st.lists(st.integers(min_value=-10_000, max_value=10_000_000), max_size=80))
def test_any_times_give_a_sane_rhythm_or_none(minutes: list[int]) -> None:
    times = [NOW - timedelta(minutes=m) for m in minutes]
    cadence = measure_rhythm(times, now=NOW, source="feed")
    if cadence is None:
        return
    rhythm = cadence.rhythm
    assert 0 <= rhythm.low <= rhythm.per_day * 1.000001
    assert rhythm.per_day <= rhythm.high * 1.000001 or rhythm.per_day == 0
    assert sum(rhythm.weekday) == sum(rhythm.hour) == rhythm.sample_size <= len(times)
    assert cadence.label
