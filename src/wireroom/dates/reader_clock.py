"""How a time is shown to a person: by the clock of the zone in which they read.

Pure, and the one place where a time of the day is written for people. Data (JSON, CSV, feeds, archives) has ISO 8601 in UTC and
does not come here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

UNDATED = "undated"


@dataclass(frozen=True, slots=True)
class ReaderClock:
    """The clock of a zone; without one it is UTC, as in what is kept or sent on."""

    zone: tzinfo = UTC

    def local(self, at: datetime) -> datetime:
        """The same instant by this clock; at the ends of the calendar as it is."""
        try:
            return at.astimezone(self.zone)
        except OverflowError:
            return at

    def minute(self, at: datetime | None, otherwise: str = UNDATED) -> str:
        """For a list whose zone goes without saying: `2026-05-03 09:12`."""
        return f"{self.local(at):%Y-%m-%d %H:%M}" if at is not None else otherwise

    def named(self, at: datetime) -> str:
        """With the name of the zone, or how far it is from UTC: `2026-05-03 09:12 CEST`."""
        return f"{self.local(at):%Y-%m-%d %H:%M %Z}"

    def day(self, at: datetime) -> str:
        """The day alone: `2026-05-03`."""
        return f"{self.local(at):%Y-%m-%d}"

    def hour_named(self, at: datetime) -> str:
        """The time of a day that goes without saying: `09:12 CEST`."""
        return f"{self.local(at):%H:%M %Z}"

    def hour(self, at: datetime) -> str:
        """The same where the zone goes without saying too: `09:12`."""
        return f"{self.local(at):%H:%M}"

    def long_day(self, at: datetime) -> str:
        """A day in a sentence or a heading: `03 May 2026`."""
        return f"{self.local(at):%d %B %Y}"

    def long(self, at: datetime) -> str:
        """A moment in a sentence or a heading, with its zone: `03 May 2026, 09:12 CEST`."""
        return f"{self.local(at):%d %B %Y, %H:%M %Z}"


UTC_CLOCK = ReaderClock()
"""For what is kept or read elsewhere, and for whoever was given no other."""
