"""How many items are to be expected on a day, as a band."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.model import Rhythm
from wireroom.poll.week_profile import expected_band, profile_of, share_of

DAY = timedelta(days=1)
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
COUNTS = st.integers(min_value=0, max_value=50)


def rhythm(per_day: float = 10.0, *, spread: float = 0.2, **changes: Any) -> Rhythm:
    return Rhythm(
        per_day=per_day,
        low=per_day * (1 - spread),
        high=per_day * (1 + spread),
        confidence="high",
        sample_size=300,
        span=timedelta(days=30),
        source="rss",
        **changes,
    )


@given(st.tuples(*[COUNTS] * 7), st.tuples(*[COUNTS] * 24), st.integers(min_value=0, max_value=6))
def test_a_whole_day_is_worth_the_sum_of_its_hours(
    weekday: tuple[int, ...], hour: tuple[int, ...], place: int
) -> None:
    held = rhythm(weekday=weekday, hour=hour)
    start = MONDAY + place * DAY
    slow = profile_of(held, per_day=1.0, zone=UTC, doubt=0.0).expected(start, start + DAY)
    assert share_of(held, start, start + DAY, zone=UTC) == pytest.approx(slow)


def test_a_newsroom_elsewhere_has_other_days() -> None:
    held = rhythm(weekday=(0, 0, 0, 0, 0, 0, 70))
    sunday = MONDAY - DAY
    away = ZoneInfo("Pacific/Auckland")  # its Sunday is over when that of UTC is half over
    assert share_of(held, sunday, sunday + DAY, zone=UTC) == 7.0
    assert 2.5 < share_of(held, sunday, sunday + DAY, zone=away) < 4.5


@given(st.floats(min_value=0, max_value=3000), st.floats(min_value=0, max_value=2))
def test_the_band_holds_what_is_expected(per_day: float, share: float) -> None:
    band = expected_band(rhythm(per_day), share)
    assert 0 <= band.low <= band.expected + 1
    assert band.high >= band.expected - 1


def test_the_band_is_that_of_chance() -> None:
    exact = expected_band(rhythm(4.0, spread=0.0), 1.0)
    assert (exact.low, exact.high) == (1, 8)
    many = expected_band(rhythm(400.0, spread=0.0), 1.0)
    assert (many.low, many.high) == (367, 433)
    assert expected_band(rhythm(), 0.0).high == 0
