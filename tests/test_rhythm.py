"""Rates from times: right for bursts, batches, silence and feeds that were cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.rhythm import (
    Confidence,
    Series,
    better_confidence,
    confidence_by_count,
    frequency_label,
    measure_publisher,
    measure_rhythm,
)

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
    assert stopped.rhythm.per_day == pytest.approx(3), "what it had: the silence does not count"
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


# --- several feeds of one publisher --------------------------------------------------------------


def section(name: str, gap: timedelta, count: int, *, newest: datetime = NOW) -> Series:
    """A feed of its own articles."""
    times = every(gap, count, newest=newest)
    return Series(url=name, articles=tuple(((f"{name}/{at}",), at) for at in times))


def of_all(name: str, count: int, *sections: Series) -> Series:
    """A feed of the newest of what these have."""
    articles = sorted((row for each in sections for row in each.articles), key=lambda row: row[1])
    return Series(url=name, articles=tuple(articles[-count:]))


def also(series: Series, *times: datetime) -> Series:
    more = tuple(((f"{series.url}/{at}/more",), at) for at in times)
    return Series(url=series.url, articles=(*series.articles, *more))


POLITICS = section("politics", 2 * HOUR, 30)  # 12 a day, for 2.5 days
SPORT = section("sport", 3 * HOUR, 30)  # 8 a day, for 4 days
LOCAL = section("local", 6 * HOUR, 30)  # 4 a day, for 7 days
SLOW = section("gardening", 7 * DAY, 30)  # 1 a week, for 7 months
WHOLE = [section(name, gap, 400) for name, gap in (("politics", 2 * HOUR), ("sport", 3 * HOUR), ("local", 6 * HOUR))]  # fmt: skip
DAYS = [
    datetime(2026, 11, day, tzinfo=UTC) for day in range(1, 14) for _ in range(24)
]  # dates without a time of day


@pytest.mark.parametrize(
    ("feeds", "per_day"),
    [
        pytest.param([POLITICS, SPORT, LOCAL], 24, id="sections that reach back differently"),
        pytest.param([POLITICS, SPORT, LOCAL, SLOW], 24, id="one slow section"),
        pytest.param([SLOW, POLITICS], 12, id="the slow one first"),
        pytest.param([of_all("all", 50, *WHOLE), *WHOLE], 24, id="all, and its sections"),
        pytest.param([of_all("all", 5, *WHOLE), *WHOLE], 24, id="a feed of five"),
        pytest.param([of_all("all", 60, *WHOLE), SLOW], 24, id="all, and a slow one that it has not"),
        pytest.param([of_all("a", 50, *WHOLE), of_all("b", 20, *WHOLE)], 24, id="the same articles"),
        pytest.param([of_all("a", 50, *WHOLE), of_all("a2", 50, *WHOLE)], 24, id="twice the same"),
        pytest.param([also(of_all("a", 50, *WHOLE), NOW - 900 * DAY)], 24, id="a stray old item"),
        pytest.param([also(of_all("a", 50, *WHOLE), NOW - 20 * DAY)], 24, id="a stray of three weeks"),
        pytest.param(
            [also(POLITICS, NOW - 900 * DAY), SPORT, also(LOCAL, NOW - 90 * DAY, NOW - 95 * DAY)],
            24,
            id="strays in sections",
        ),
        pytest.param([also(LOCAL, *(NOW + n * DAY for n in range(1, 9)))], 4, id="future dates"),
        pytest.param(
            [LOCAL, Series(url="built", articles=tuple(((f"b{n}",), NOW) for n in range(50)))],
            4,
            id="times of building in one",
        ),
        pytest.param([LOCAL, section("two", DAY, 2)], 4, id="two dates say nothing"),
        pytest.param(
            [Series(url="d", articles=tuple(((f"d{n}",), at) for n, at in enumerate(DAYS)))],
            24,
            id="dates without times",
        ),
        pytest.param([LOCAL, section("dead", HOUR, 30, newest=NOW - 400 * DAY)], 4, id="a dead one"),
    ],
)  # fmt: skip
def test_feeds_are_counted_over_the_time_that_each_covers(
    feeds: list[Series], per_day: float
) -> None:
    for order in (feeds, feeds[::-1]):
        measured = measure_publisher(order, now=NOW, source="rss")
        assert measured is not None
        rhythm = measured.cadence.rhythm
        assert rhythm.per_day == pytest.approx(per_day, rel=0.15)
        assert rhythm.low < per_day * 1.1 < 1.2 * rhythm.high
        assert sum(part.per_day for part in measured.counted) == pytest.approx(rhythm.per_day)
        assert not rhythm.dormant


def test_an_article_counts_in_the_feed_that_reaches_back_furthest() -> None:
    measured = measure_publisher([of_all("all", 20, LOCAL, SLOW), LOCAL], now=NOW, source="rss")
    assert measured is not None
    assert [(part.url, part.articles) for part in measured.counted] == [("local", 30), ("all", 1)]
    assert measured.cadence.rhythm.sample_size == 31


def test_one_feed_measures_as_its_times_do() -> None:
    alone = measure_rhythm([at for _, at in SPORT.articles], now=NOW, source="rss")
    among = measure_publisher([SPORT], now=NOW, source="rss")
    assert among is not None
    assert among.cadence == alone


def test_of_who_stopped_the_former_rhythm_is_kept() -> None:
    stopped = [
        section("a", 8 * HOUR, 30, newest=NOW - 200 * DAY),
        section("b", DAY, 30, newest=NOW - 190 * DAY),
    ]
    measured = measure_publisher(stopped, now=NOW, source="rss")
    assert measured is not None
    assert measured.cadence.rhythm.dormant
    assert measured.cadence.label in {"~3 articles/day", "~4 articles/day", "~2 articles/day"}
    assert measured.cadence.rhythm.newest_at == NOW - 190 * DAY


@pytest.mark.parametrize("hour", [1, 6, 12, 18, 23])
@pytest.mark.parametrize("count", [50, 60, 75, 100])
def test_dates_without_times_count_whole_days(hour: int, count: int) -> None:
    now = NOW.replace(hour=hour)
    times = [now - n * HOUR for n in range(200)]  # 24 a day
    dates = [at.replace(hour=0, minute=0) for at in times][:count]
    cadence = measure_rhythm(dates, now=now, source="feed")
    assert cadence is not None
    assert cadence.rhythm.per_day == pytest.approx(24, rel=0.05)


@pytest.mark.parametrize(
    ("times", "per_day"),
    [
        # a weekly paper on the day of its issue: what is left of the last issue is no stray
        ([*every(timedelta(minutes=9), 20), NOW - 7 * DAY, NOW - 7 * DAY - HOUR], 20 / 7),
        # a monthly magazine whose issue came out within hours
        ([*every(timedelta(minutes=9), 20), NOW - 30 * DAY], 20 / 28),
        # a blog that was left for half a year, and came back
        ([*every(DAY, 20), *every(DAY, 20, newest=NOW - 180 * DAY)], 40 / 199),
        # an office that was closed over a long weekend
        ([*every(HOUR, 8), *every(HOUR, 2, newest=NOW - 4 * DAY)], 9 / 4),
        # a pinned post in a wire's feed of a few hours
        ([*every(timedelta(minutes=30), 40), NOW - 400 * DAY], 48),
    ],
)  # fmt: skip
def test_what_stands_apart_is_a_stray_only_where_nothing_else_explains_it(
    times: list[datetime], per_day: float
) -> None:
    cadence = measure_rhythm(times, now=NOW, source="feed")
    assert cadence is not None
    assert cadence.rhythm.per_day == pytest.approx(per_day, rel=0.15)


def test_twelve_daily_posts_are_enough_for_a_person() -> None:
    cadence = measure_rhythm(every(DAY, 12), now=NOW, source="feed")
    assert cadence is not None
    assert (cadence.confidence, cadence.by_count) == ("high", "high")


@pytest.mark.parametrize(
    ("gap", "count", "zone_known", "card", "polling"),
    [
        pytest.param(3 * HOUR, 30, False, "medium", "low", id="four days, no clock"),
        pytest.param(HOUR, 60, False, "medium", "low", id="60 within two days and a half, no clock"),
        pytest.param(HOUR, 20, False, "low", "low", id="20 hours, no clock"),
        pytest.param(HOUR, 23, True, "medium", "medium", id="a day, by its clock"),
        pytest.param(timedelta(minutes=1), 200, True, "low", "low", id="three hours"),
        pytest.param(7 * DAY, 10, True, "high", "medium", id="a weekly"),
    ],
)  # fmt: skip
def test_the_card_says_what_a_person_expects(
    gap: timedelta, count: int, zone_known: bool, card: str, polling: str
) -> None:
    cadence = measure_rhythm(every(gap, count), now=NOW, source="feed", zone_known=zone_known)
    assert cadence is not None
    assert (cadence.confidence, cadence.rhythm.confidence) == (card, polling)


@pytest.mark.parametrize(
    ("by_count", "by_interval", "days", "word"),
    [
        ("high", "low", 11, "high"),
        ("low", "high", 2, "medium"),
        ("low", "high", 8, "high"),
        ("medium", "low", 4, "medium"),
        ("low", "low", 90, "low"),
    ],
)
def test_the_card_has_the_better_word_of_both_rules(
    by_count: Confidence, by_interval: Confidence, days: int, word: Confidence
) -> None:
    assert better_confidence(by_count, by_interval, days * DAY) == word
