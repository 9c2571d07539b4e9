"""Three small ports beside the store's own: each is one subject, for whoever looks; taking and saving work needs none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Protocol

from wireroom.model import Article, LeadState, Receipt, Use
from wireroom.ports.store_values import (
    Exported,
    FormerOriginal,
    HitSummary,
    HostRecord,
    LeadPage,
    PageRecord,
    RunRecord,
)

if TYPE_CHECKING:
    from wireroom.query import Query


class ReceiptLog(Protocol):
    """Receipts over time. An article names the one that holds now; reading it again may bring another."""

    def former(self, article_ids: Sequence[str]) -> Mapping[str, tuple[Receipt, ...]]:
        """The receipts under which something that is held of an article was taken before, oldest first.

        Each has the last time at which it held; verdicts, robots.txt or licence differ from one to the next. Articles
        that had no other receipt than that of now are left out.
        """
        ...

    def save_exported(self, cursor: str, articles: Sequence[Article], *, now: datetime) -> None:
        """Notes that these articles leave under a cursor, each under the receipt it has."""
        ...

    def exported(self, cursor: str) -> Iterator[Exported]:
        """What left under the cursor, by id, streamed; articles that were removed since included."""
        ...

    def forget_exported(self, cursor: str, article_ids: Sequence[str] | None = None) -> int:
        """Forgets that these left, for whoever has them knows that they must go, or all; how many there were."""
        ...

    def original_of(self, article_ids: Sequence[str]) -> Mapping[str, FormerOriginal]:
        """The earliest article that was in the cluster of each and left it: it was removed, cut down or edited.

        With the receipt it had then. Articles whose cluster nobody earlier has left are left out.
        """
        ...

    def forget_original(self, article_ids: Sequence[str]) -> int:
        """Forgets the former originals of these, and that these are those of others; how many there were."""
        ...


class QueueLog(Protocol):
    """What waits in the queue and who is at work, for whoever looks; taking work needs none of it."""

    def leads(
        self,
        *,
        publisher: str = "",
        feed_url: str = "",
        states: Collection[LeadState] = (),
        cursor: str = "",
        limit: int = 50,
    ) -> LeadPage:
        """Leads in these states, or in all, newest first; with `feed_url` those of its former addresses too."""
        ...

    def page(self, url: str) -> PageRecord:
        """What is held of the page at this address, whatever its spelling and whose it is."""
        ...

    def hosts(self, *, now: datetime, names: Sequence[str] | None = None) -> tuple[HostRecord, ...]:
        """Hosts that somebody holds, that rest, or that have work, by name; or those of these names alone."""
        ...

    def save_run(self, run: RunRecord, *, done: Mapping[str, int] | None = None) -> None:
        """Notes that a run lives, and adds what it has done since it last said so to the counts of the day."""
        ...

    def forget_run(self, holder: str) -> None:
        """The run has ended, or is known to be dead."""
        ...

    def runs(self) -> tuple[RunRecord, ...]:
        """Runs that have not ended, dead or alive, the first to begin first."""
        ...


class HitCounts(Protocol):
    """How many articles match a query, and what they are, as far as it can be told in time."""

    def summary(
        self, query: Query | str, *, use: Use, zone: tzinfo, most: int, within: timedelta
    ) -> HitSummary:
        """The newest matches, so many at most: how many, of what publishers, languages, paywalls and verdicts for a use, of which days of a zone.

        They are gone through once, in the time that is given; what they are has as much time again.
        """
        ...
