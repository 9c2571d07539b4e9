"""Durations as people write them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.dates.durations import LONGEST, format_duration, read_duration

SPELLINGS = {
    "15 min": timedelta(minutes=15),
    "15min": timedelta(minutes=15),
    "15 minutes": timedelta(minutes=15),
    "2h": timedelta(hours=2),
    "2 Hours": timedelta(hours=2),
    "1h30m": timedelta(minutes=90),
    "1 h 30 min": timedelta(minutes=90),
    "1 hour and 30 minutes": timedelta(minutes=90),
    "1 hour, 30 minutes": timedelta(minutes=90),
    "1.5 h": timedelta(minutes=90),
    "90 s": timedelta(seconds=90),
    "50ms": timedelta(milliseconds=50),
    "7 days": timedelta(days=7),
    "1 week": timedelta(days=7),
    " 2d ": timedelta(days=2),
    "0": timedelta(),
    "0 s": timedelta(),
    "PT1H": timedelta(hours=1),
    "pt15m": timedelta(minutes=15),
    "P1DT2H": timedelta(hours=26),
    "P2W": timedelta(days=14),
    "PT0.5S": timedelta(milliseconds=500),
    "PT0,5S": timedelta(milliseconds=500),
    "10 µs": timedelta(microseconds=10),
}
NO_DURATIONS = [
    "",
    " ",
    "15",
    "-1 s",
    "soon",
    "1 month",
    "1 y",
    "P1M",
    "P1Y",
    "P",
    "PT",
    "P1DT",
    "1 h banana",
    "min 15",
    "1,5 h",
    "١٥ min",
    "1e9 s",
    "4000 days",
    "999999999999999 weeks",
    "1 h " * 40,
    "\x001 h",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_durations_are_read_as_people_write_them(text: str) -> None:
    assert read_duration(text) == SPELLINGS[text]


@pytest.mark.parametrize("text", NO_DURATIONS)
def test_what_is_no_duration_says_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected "):
        read_duration(text)


@given(st.timedeltas(min_value=timedelta(), max_value=LONGEST))
def test_a_written_duration_is_read_back_unchanged(duration: timedelta) -> None:
    assert read_duration(format_duration(duration)) == duration


@given(st.text(max_size=80))
def test_any_text_is_a_duration_or_a_value_error(text: str) -> None:
    try:
        duration = read_duration(text)
    except ValueError:
        return
    assert timedelta() <= duration <= LONGEST


def test_durations_are_shown_in_short_words() -> None:
    assert format_duration(timedelta(days=1, hours=2, minutes=3)) == "1 day 2 h 3 min"
    assert format_duration(timedelta(milliseconds=1500)) == "1 s 500 ms"
