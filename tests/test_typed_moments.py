"""Moments as people type them: what each means by whose clock, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.dates.typed_moments import read_moment

NOW = datetime(2026, 11, 18, 7, 20, tzinfo=UTC)  # a Wednesday
VIENNA = ZoneInfo("Europe/Vienna")
AUCKLAND = ZoneInfo("Pacific/Auckland")


def _utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type] # year, month, day and so on


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("1d", NOW - timedelta(days=1)),
        ("24 h", NOW - timedelta(days=1)),
        ("24h ago", NOW - timedelta(days=1)),
        ("last 7 days", NOW - timedelta(days=7)),
        ("90 min", NOW - timedelta(minutes=90)),
        ("PT24H", NOW - timedelta(days=1)),
        ("now", NOW),
        ("today", _utc(2026, 11, 17, 23)),
        ("Yesterday", _utc(2026, 11, 16, 23)),
        ("monday", _utc(2026, 11, 15, 23)),
        ("wed", _utc(2026, 11, 17, 23)),
        ("last wednesday", _utc(2026, 11, 10, 23)),
        ("thursday", _utc(2026, 11, 11, 23)),
        ("06:30", _utc(2026, 11, 18, 5, 30)),
        ("2026", _utc(2025, 12, 31, 23)),
        ("2026-05", _utc(2026, 4, 30, 22)),
        ("2026-5", _utc(2026, 4, 30, 22)),
        ("2026-05-03", _utc(2026, 5, 2, 22)),
        ("2026-05-03T14:30", _utc(2026, 5, 3, 12, 30)),
        ("2026-05-03 14:30:15.25", _utc(2026, 5, 3, 12, 30, 15, 250_000)),
        ("2026-05-03T14:30Z", _utc(2026, 5, 3, 14, 30)),
        ("2026-05-03t14:30-0500", _utc(2026, 5, 3, 19, 30)),
        ("2026-05-03T14:30:00+02:00", _utc(2026, 5, 3, 12, 30)),
    ],
)
def test_a_moment_is_read_by_the_readers_clock(text: str, begin: datetime) -> None:
    assert read_moment(text, now=NOW, zone=VIENNA).begin == begin


@pytest.mark.parametrize(
    ("text", "hours"),
    [("2026-03-29", 23), ("2026-10-25", 25), ("2026-05-03", 24), ("2026-02", 28 * 24)],
)
def test_a_day_is_as_long_as_the_clock_makes_it(text: str, hours: int) -> None:
    moment = read_moment(text, now=NOW, zone=VIENNA)
    assert moment.end - moment.begin + timedelta(microseconds=1) == timedelta(hours=hours)


def test_the_same_day_begins_elsewhere_at_another_instant() -> None:
    assert read_moment("today", now=NOW, zone=AUCKLAND).begin == _utc(2026, 11, 17, 11)
    assert read_moment("today", now=NOW, zone=UTC).begin == _utc(2026, 11, 18)
    assert read_moment("1d", now=NOW, zone=AUCKLAND) == read_moment("1d", now=NOW, zone=UTC)


@pytest.mark.parametrize(
    "text",
    ["", " ", "never", "1", "12", "2026-02-30", "2026-13", "0000", "0001-01-01T00:00+05:00", "25:00", "２０２６",
     "10 fathoms", "x" * 100, "20 years", "monday 25:99", "2026-05-03T14:30+99:99"],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="expected 1d, 24 h, yesterday"):
        read_moment(text, now=NOW, zone=VIENNA)


def test_what_counts_from_now_is_refused_where_nobody_says_when_that_is() -> None:
    with pytest.raises(ValueError, match="expected"):
        read_moment("1d", now=None)
    assert read_moment("2026", now=None).begin == _utc(2026, 1, 1)


@given(st.text(max_size=30))
def test_no_text_is_trouble(text: str) -> None:
    try:
        moment = read_moment(text, now=NOW, zone=VIENNA)
    except ValueError:
        return
    assert moment.begin <= moment.end
    assert moment.begin.tzinfo is UTC
