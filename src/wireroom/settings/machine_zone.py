"""The time zone of the machine, with its summer time: what `TZ` says, else the system's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo


class MachineZone(tzinfo):
    """The zone by which the system shows local times; Python's own gives a bare offset, right for one day alone."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        """How far the wall clock is ahead of UTC at a local time."""
        return None if at is None else at.replace(tzinfo=None).astimezone().utcoffset()

    def tzname(self, at: datetime | None) -> str | None:
        """What the zone is called at a local time, as CET or CEST."""
        return None if at is None else at.replace(tzinfo=None).astimezone().tzname()

    def dst(self, at: datetime | None) -> timedelta | None:  # noqa: ARG002 - the protocol's
        """Not known: the system tells the offset alone."""
        return None

    def fromutc(self, at: datetime) -> datetime:
        """The local time of an instant."""
        return at.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)
