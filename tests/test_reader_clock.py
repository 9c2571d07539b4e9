"""One place writes times for people, by the clock of their zone."""

from __future__ import annotations

import ast
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import wireroom
from wireroom.dates.reader_clock import UTC_CLOCK, ReaderClock

SOURCE = Path(wireroom.__file__).parent
WINTER, SUMMER = (datetime(2026, month, 1, 22, 30, tzinfo=UTC) for month in (1, 7))
VIENNA = ReaderClock(ZoneInfo("Europe/Vienna"))
NOT_FOR_PEOPLE = {"fetch/warc.py"}  # ISO 8601 of an archive, in UTC by its standard


def test_a_time_is_that_of_the_zone_with_its_summer_time() -> None:
    assert VIENNA.named(WINTER) == "2026-01-01 23:30 CET"
    assert VIENNA.named(SUMMER) == "2026-07-02 00:30 CEST"
    assert VIENNA.long(SUMMER) == "02 July 2026, 00:30 CEST"
    assert (VIENNA.day(SUMMER), VIENNA.long_day(SUMMER)) == ("2026-07-02", "02 July 2026")
    assert (VIENNA.hour(SUMMER), VIENNA.hour_named(SUMMER)) == ("00:30", "00:30 CEST")
    assert UTC_CLOCK.named(SUMMER) == "2026-07-01 22:30 UTC"


def test_what_has_no_time_or_is_at_the_end_of_the_calendar_is_shown_all_the_same() -> None:
    assert VIENNA.minute(None) == "undated"
    assert VIENNA.minute(None, "never") == "never"
    assert VIENNA.minute(datetime.max.replace(tzinfo=UTC)) == "9999-12-31 23:59"


def _formats(tree: ast.AST) -> list[str]:
    """The texts in which a module names an hour or a month in words: formats of times for people."""
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return [text for text in texts if "%H:%M" in text or "%d %B" in text]


def test_no_other_module_writes_a_time_of_the_day() -> None:
    wrong = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith("town/") or place in {"dates/reader_clock.py", *NOT_FOR_PEOPLE}:
            continue
        if found := _formats(ast.parse(path.read_text(encoding="utf-8"))):
            wrong[place] = found
    assert wrong == {}
