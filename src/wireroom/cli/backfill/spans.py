"""The range of days that was typed: a year, a month or a day at either end, in UTC. Pure but for today."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from wireroom.app.backfill import Span
from wireroom.errors import SettingsError

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
EXPECTED = 'expected a day such as "2026-05-03", a month "2026-05" or a year "2026"'


def read_span(since: str, until: str, *, now: datetime | None = None) -> Span:
    """From the beginning of the one to the end of the other; without an end until now."""
    start, _ = _ends(since, "--since")
    end = _ends(until, "--until")[1] if until else (now or datetime.now(UTC))
    if start > end:
        raise SettingsError(
            [f"--since {since}: expected a day before the end of the range"],
            hint="Is --until the later of the two?",
        )
    return Span(since=start, until=end)


def _ends(text: str, flag: str) -> tuple[datetime, datetime]:
    """The first and the last moment of the day, month or year."""
    found = _DATE.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError(text)
        year, month, day = (int(part) if part else None for part in found.groups())
        start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        if day is not None:
            after = start + timedelta(days=1)
        elif month is not None:
            after = (start + timedelta(days=32)).replace(day=1)
        else:
            after = start.replace(year=start.year + 1)
    except (ValueError, OverflowError) as exc:
        raise SettingsError([f"{flag} {text}: {EXPECTED}"]) from exc
    return start, after - timedelta(microseconds=1)
