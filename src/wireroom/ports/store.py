"""What lies between the stages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from wireroom.model import (
    Article,
    ArticleVersion,
    Cluster,
    Dossier,
    Event,
    Feed,
    FeedState,
    Finding,
    Lead,
    LeadState,
    Polled,
    Problem,
    Publisher,
    RawPage,
    Reading,
    Signature,
)
from wireroom.ports.corpus import Corpus
from wireroom.ports.keeping import Order, PollCount, Saved, SearchPage, StoreHealth, StoreOptions


class Store(Corpus, Protocol):
    """What lies between the stages. Every `save_…` is one transaction; times come in as `now`.

    Hosts are leased: `take_feeds`, `take_leads` and `take_host` give work only on hosts that
    nobody else holds, and mark them held by `holder` until `now + lease`. A holder that dies
    loses its hosts and the work in hand when the lease runs out.
    """

    # life
    def close(self) -> None:
        """Closes every connection; the store is not used afterwards."""
        ...

    def health(self) -> StoreHealth:
        """Whether the store can be read and written now; tries a write when it was paused."""
        ...

    def set_fail_fast(self, on: bool) -> None:
        """Whether waiting for others' locks, or for a server that is away, is given up soon, with StoreError.

        Holds for calls that wait already, too: for whoever has to end in time.
        """
        ...

    def counts(self) -> Mapping[str, int]:
        """How many of each noun are held, by the noun's plural."""
        ...

    def backup(self, path: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Writes a consistent copy of the live store to a new file; calls `progress(done, total)`."""
        ...

    # publishers and what was found out about them
    def save_publisher(self, publisher: Publisher) -> None:
        """Adds the publisher or replaces what is held of it."""
        ...

    def publisher(self, domain: str) -> Publisher | None:
        """The publisher of this domain."""
        ...

    def publishers(self) -> tuple[Publisher, ...]:
        """Every publisher, by domain."""
        ...

    def save_dossier(self, dossier: Dossier) -> None:
        """Saves publisher, findings and rights; a finding that changed is added to its history."""
        ...

    def dossier(self, domain: str) -> Dossier | None:
        """The newest dossier of a publisher."""
        ...

    def history(self, domain: str, *, step: str = "") -> tuple[Finding, ...]:
        """Every finding that differed from the one before it, oldest first."""
        ...

    # feeds
    def save_feeds(self, feeds: Sequence[Feed], *, now: datetime) -> None:
        """Adds or replaces feeds; a publisher that is not known yet is added."""
        ...

    def save_feed_changes(
        self,
        changes: Sequence[tuple[Feed | None, Feed]],
        *,
        events: Sequence[Event],
        now: datetime,
    ) -> None:
        """Brings feeds to what the operator wants and saves the events, whole or not at all.

        A change is the feed as it was held (None for a new one) and as it is wanted. Where the two
        differ the row is changed, the rest of it stays as it is now; a feed with another address
        takes its items and leads along.
        """
        ...

    def feed(self, url: str) -> Feed | None:
        """The feed at this address."""
        ...

    def feeds(self, *, publisher: str = "", state: FeedState | None = None) -> tuple[Feed, ...]:
        """Feeds by publisher and url."""
        ...

    def feed_counts(self) -> Mapping[str, int]:
        """How many feeds are in each state; states without feeds are left out."""
        ...

    def remove_feed(self, url: str) -> bool:
        """Forgets a feed with its items and marks; articles stay. False when there was none."""
        ...

    # due work, under a lease on the host
    def take_feeds(
        self, *, holder: str, now: datetime, limit: int, lease: timedelta
    ) -> tuple[Feed, ...]:
        """Due feeds, longest overdue first; those that rest or are gone when their `poll_after` is past."""
        ...

    def take_leads(
        self,
        *,
        holder: str,
        now: datetime,
        limit: int,
        lease: timedelta,
        per_host: int = 10,
        without: Collection[str] = (),
    ) -> tuple[Lead, ...]:
        """Due leads, longest overdue host first, at most `per_host` of one host, none of hosts `without`.

        Pages of a paused feed wait until it is resumed, unless a feed at work names them as well.
        """
        ...

    def take_host(self, host: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
        """Leases one host for a visit; False while somebody else holds it."""
        ...

    def host_lease(self, host: str, *, now: datetime) -> tuple[str, timedelta]:
        """Who holds a host, empty while it rests, and for how long still; zero when it can be taken."""
        ...

    def renew(
        self,
        *,
        holder: str,
        now: datetime,
        lease: timedelta,
        hosts: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Prolongs the leases of the holder on hosts (all of them by default) and the work in its hands there.

        Gives the hosts that are still its own: the others ran out, and somebody else took them.
        """
        ...

    def release(
        self,
        *,
        holder: str,
        now: datetime,
        hosts: Sequence[str] | None = None,
        rest: timedelta = timedelta(),
    ) -> int:
        """Gives hosts (all of them by default) and unfinished work back; how many hosts.

        Nobody gets such a host before `now + rest`, so that manners hold from one holder to the next.
        """
        ...

    # outcomes
    def save_polled(self, feed: Feed, polled: Polled, *, now: datetime) -> PollCount:
        """Saves the feed as decided and its items; new and changed items with an address give leads.

        A feed that was removed meanwhile stays removed: nothing is saved then.
        """
        ...

    def save_leads(self, leads: Sequence[Lead], *, now: datetime) -> int:
        """Adds leads whose address is not known yet and updates the others; how many were new.

        A known page that is merely named again (state "new", no attempts) is not read again.
        """
        ...

    def lead(self, publisher: str, url: str) -> Lead | None:
        """The lead for this address, whatever spelling of it is asked for."""
        ...

    def leads(
        self, *, publisher: str = "", state: LeadState | None = None, limit: int = 1000
    ) -> tuple[Lead, ...]:
        """Leads by publisher and address, with their items."""
        ...

    def save_readings(self, readings: Sequence[Reading], *, now: datetime) -> tuple[Saved, ...]:
        """Saves outcomes whole in one commit: lead, article (a new version if it was edited), problem.

        The signature of a text that is new, the blocks of a new article and the marks go with them.
        Saving an outcome twice, or late, after somebody else took the lead over, changes nothing.
        """
        ...

    # articles
    def article(self, article_id: str) -> Article | None:
        """The article as it stands now, without its raw page."""
        ...

    def versions(self, article_id: str) -> tuple[ArticleVersion, ...]:
        """How the article read before each edit, oldest first."""
        ...

    def raw(self, article_id: str) -> RawPage | None:
        """The page the article was last read from, when it is kept."""
        ...

    def search(
        self, query: str = "", *, order: Order = "newest", limit: int = 20, cursor: str = ""
    ) -> SearchPage:
        """One page of articles; raises QueryError for a query that cannot be understood."""
        ...

    def articles(self, query: str = "") -> Iterator[Article]:
        """All matching articles, newest first, streamed."""
        ...

    def drop_raw(self, *, now: datetime) -> int:
        """Forgets raw pages that are past their time; how many."""
        ...

    # near-duplicates
    def save_signatures(self, signatures: Sequence[Signature]) -> None:
        """Adds or replaces the signatures of articles; they wait to be grouped."""
        ...

    def near_duplicates(self, bands: Sequence[int], *, since: datetime) -> tuple[Signature, ...]:
        """Signatures that share at least one band, place for place, seen at or after `since`."""
        ...

    def save_cluster(self, cluster: Cluster) -> None:
        """Replaces the cluster; its members point at it, former members no longer do."""
        ...

    def cluster(self, cluster_id: str) -> Cluster | None:
        """The cluster with its members."""
        ...

    # what happened
    def save_problems(self, problems: Sequence[Problem]) -> None:
        """Adds problems to the log."""
        ...

    def problems(self, *, subject_url: str = "", limit: int = 100) -> tuple[Problem, ...]:
        """Newest first."""
        ...

    def emit(self, events: Sequence[Event]) -> int:
        """Saves events in order; the number given to the last."""
        ...

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events numbered higher than `after`, in order."""
        ...


@dataclass(frozen=True, slots=True)
class StorePlug:
    """A kind of database, chosen by the scheme of its address."""

    name: str
    schemes: tuple[str, ...]
    open: Callable[[str, StoreOptions], Store]
    extra: str = ""
