"""What lists and overviews show of many publishers and feeds at once, read in bulk; nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from wireroom.model import Publisher, PublisherSummary, Use, Word

PublisherOrder = Literal["name", "grade", "scouted", "changed"]
"""By name; the best grade, the last scouted or the last to change its rights first."""

Place = tuple[str | int, str]
"""Where a row stands in a list: what it is ordered by, and its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherFilter:
    """Which publishers are meant: those for which everything holds that is given."""

    text: str = ""
    """In the name or the domain, whatever its case."""
    verdicts: Mapping[Use, Word] = field(default_factory=dict)
    """The verdict of a use; only what was scouted has one."""
    signal: str = ""
    """The name of a signal that says something."""
    language: str = ""
    changed_after: datetime | None = None
    """Those whose rights changed since."""
    scouted: bool | None = None
    """Those that were scouted to the end, or those that were not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherRecord:
    """A publisher, the summary of its last whole scout, and how many of its feeds are followed."""

    publisher: Publisher
    summary: PublisherSummary | None = None
    """None where it was never scouted to the end."""
    feeds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherPage:
    """Some publishers; hand `after` back for the next, None when there is none."""

    records: tuple[PublisherRecord, ...] = ()
    after: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherKind:
    """Publishers that are alike in what can be filtered by, and how many they are."""

    scouted: bool
    verdicts: Mapping[Use, Word]
    signals: tuple[str, ...]
    language: str
    count: int


class OverviewLog(Protocol):
    """What is held, as lists show it."""

    def publishers(
        self,
        chosen: PublisherFilter,
        *,
        order: PublisherOrder = "name",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> PublisherPage:
        """Some publishers in order; `after` is the place of a page before."""
        ...

    def publishers_named(self, domains: Sequence[str]) -> Mapping[str, PublisherRecord]:
        """Those of these publishers that are known, by domain."""
        ...

    def publisher_kinds(self, chosen: PublisherFilter) -> tuple[PublisherKind, ...]:
        """How many publishers there are of each kind; of the filter only text and times count."""
        ...
