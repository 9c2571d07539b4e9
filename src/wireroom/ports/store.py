"""What lies between the stages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wireroom.model import (
    Article,
    ArticleVersion,
    Boilerplate,
    Cluster,
    Dossier,
    Event,
    Feed,
    FeedState,
    Finding,
    Item,
    Lead,
    LeadState,
    Observation,
    Polled,
    Problem,
    Publisher,
    PublisherSummary,
    RawPage,
    Reading,
    Signature,
)
from wireroom.ports.job_log import JobLog
from wireroom.ports.overview import OverviewLog
from wireroom.ports.plugs import RobotsFile
from wireroom.ports.store_logs import HitCounts, QueueLog, ReceiptLog
from wireroom.ports.store_values import (
    Changed,
    Compared,
    FeedCount,
    Order,
    PollCount,
    Removed,
    Saved,
    SearchPage,
    StoreHealth,
    StoreOptions,
)

if TYPE_CHECKING:
    from wireroom.query import Query


class Store(Protocol):
    """What lies between the stages. Every `save_…` is one transaction; times come in as `now`.

    Hosts are leased: `take_feeds`, `take_leads` and `take_host` give work only on hosts that
    nobody else holds, and mark them held by `holder` until `now + lease`. A holder that dies
    loses its hosts and the work in flight when the lease runs out.
    """

    # life
    def close(self) -> None:
        """Closes every connection; the store is not used afterwards."""
        ...

    def health(self) -> StoreHealth:
        """Whether the store can be read and written now; tries a write when it was paused."""
        ...

    def set_fail_fast(self, on: bool) -> None:
        """Whether waiting for others' locks, or for a server that is away, is given up soon, by calls under way too."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many of each kind are held, by its plural."""
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

    def save_dossier(
        self,
        dossier: Dossier,
        *,
        now: datetime | None = None,
        summary: PublisherSummary | None = None,
    ) -> None:
        """Saves publisher, findings and rights; a finding that changed is added to its history.

        A newer dossier that is held stays; one from after `now` is of a clock that was set back since, and goes.
        `summary` is what lists show of it; without one they go on showing that of the last whole scout.
        """
        ...

    def dossier(self, domain: str) -> Dossier | None:
        """The newest dossier of a publisher."""
        ...

    def history(self, domain: str, *, step: str = "") -> tuple[Finding, ...]:
        """Every finding that differed from the one before it, oldest first."""
        ...

    # feeds
    def save_feed_changes(
        self,
        changes: Sequence[tuple[Feed | None, Feed]],
        *,
        events: Sequence[Event] = (),
        now: datetime,
    ) -> None:
        """Brings feeds to what the operator wants and saves the events, whole or not at all.

        A change is the feed as it was held (None for a new one) and as it is wanted. Where the two
        differ the row is changed, the rest of it stays as it is now; a feed with another address
        takes its items and leads along. A publisher that is not known yet is added.
        """
        ...

    def feed(self, url: str, *, moved: bool = False) -> Feed | None:
        """The feed at this address; with `moved` else the one that has moved away from it."""
        ...

    def feeds(self, *, publisher: str = "", state: FeedState | None = None) -> tuple[Feed, ...]:
        """Feeds by publisher and url."""
        ...

    def feed_counts(self) -> Mapping[str, int]:
        """How many feeds are in each state; states without feeds are left out."""
        ...

    def feed_addresses(self, url: str) -> tuple[str, ...]:
        """The address of a feed, then those it had before: articles keep the one they came from."""
        ...

    def feed_tallies(
        self, urls: Sequence[str], *, until: datetime | None = None
    ) -> Mapping[str, FeedCount]:
        """What came of each of these feeds, in one go; with `until` also when its newest item up to then was published."""
        ...

    def observations(self, feed_url: str, *, limit: int) -> tuple[Observation, ...]:
        """The last observations about each part of a feed, so many, in the order in which they were saved."""
        ...

    def remove_feed(self, url: str) -> bool:
        """Forgets a feed with its items and observations; articles stay. False when there was none."""
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
        scouted: bool = False,
    ) -> tuple[Lead, ...]:
        """Due leads, longest overdue host first, at most `per_host` of one host, none of hosts `without`.

        With `scouted` none of a publisher whose scout is due or under way: nobody knows what it permits now. One
        that was put off, by its `scout_after`, holds nothing up.
        Leads of a paused feed wait until it is resumed, unless a feed at work names their pages as well.
        """
        ...

    def take_host(self, host: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
        """Leases one host; False while somebody else holds it."""
        ...

    def host_lease(self, host: str, *, now: datetime) -> tuple[str, timedelta]:
        """Who holds a host, empty while it rests, and for how long still; zero when it can be taken."""
        ...

    def holders(self) -> tuple[str, ...]:
        """Everybody who holds a host, dead or alive, each once."""
        ...

    def renew(
        self,
        *,
        holder: str,
        now: datetime,
        lease: timedelta,
        hosts: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Prolongs the holder's leases on hosts (all of them by default) and its work in flight there.

        Gives the hosts that are still its own.
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
        """Gives hosts (all of them by default) and unfinished work back, to rest until `now + rest`; how many hosts."""
        ...

    def due_publishers(self, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
        """Publishers whose `scout_after` is past or was never set, longest due first.

        Those with a feed that is asked or leads that wait, and those that a page of somebody else led to.
        """
        ...

    def next_due(
        self, *, feeds_by: datetime | None = None, leads_on: Sequence[str] | None = None
    ) -> datetime | None:
        """When the next feed or lead comes up, leases and rests counted; None when nothing is to come.

        With `feeds_by` only feeds count that were due by then. With `leads_on` only leads of these hosts
        count, and only those that nobody put off.
        """
        ...

    def wake_untimed(
        self,
        *,
        now: datetime,
        set_back: timedelta = timedelta(),
        scout_every: timedelta | None = None,
    ) -> int:
        """Makes due what comes up later though nobody put it off, for the clock was set back; how much.

        What was put off comes up as much earlier, and no feed that answers sleeps longer than its longest interval.
        With `scout_every` no publisher waits longer than that for its scout.
        """
        ...

    def retry_leads(
        self,
        *,
        now: datetime,
        publisher: str = "",
        feed_url: str = "",
        url: str = "",
        refused: bool = False,
    ) -> int:
        """Opens failed leads again, with no attempts; how many.

        The one that `url` names is opened whatever came of it. With `refused` those that robots.txt or
        rights forbade; whoever reads them asks both again.
        """
        ...

    @property
    def queue(self) -> QueueLog:
        """What waits in the queue, and who is at work."""
        ...

    @property
    def overview(self) -> OverviewLog:
        """What is held, as lists show it."""
        ...

    @property
    def jobs(self) -> JobLog:
        """What servers do in the background."""
        ...

    # outcomes
    def compare_polls(
        self, polls: Sequence[tuple[str, Sequence[Item]]], *, observations: int
    ) -> tuple[tuple[Compared, tuple[Observation, ...]], ...]:
        """For each feed and its items what would be new or changed if they were saved now, in one go.

        With it come the feed's last observations, so many about each part.
        """
        ...

    def save_polls(
        self, polls: Sequence[tuple[Feed, Polled]], *, events: Sequence[Event] = (), now: datetime
    ) -> tuple[PollCount, ...]:
        """Saves polls of different feeds and the events, whole in one commit.

        Each feed is saved as decided, with its items; new and changed items with an address give leads.
        A feed that was removed meanwhile stays removed: nothing of it is saved then.
        """
        ...

    def save_leads(self, leads: Sequence[Lead], *, now: datetime) -> int:
        """Adds leads whose address is not known yet and updates the others; how many were new.

        A known page that is merely named again (state "new", no attempts) is not read again.
        """
        ...

    def leads(
        self,
        *,
        publisher: str = "",
        url: str = "",
        state: LeadState | None = None,
        limit: int = 1000,
    ) -> tuple[Lead, ...]:
        """Leads by publisher and address, with their items; those for `url` whatever its spelling."""
        ...

    def save_readings(
        self, readings: Sequence[Reading], *, now: datetime, reparsed: bool = False
    ) -> tuple[Saved, ...]:
        """Saves outcomes whole in one commit: lead, article (a new version if it was edited), problem.

        The signature of a text that is new, the blocks of a new article and the observations go with them.
        Saving an outcome twice, or late, after somebody else took the lead over, changes nothing.
        With `reparsed` kept pages were read anew, and nothing was fetched: leads stay as they are, and so
        does an article that was changed, reduced or removed since it was looked up.
        """
        ...

    # articles
    def article(self, article_id: str) -> Article | None:
        """The article as it stands now, without its raw page."""
        ...

    def articles(
        self, query: Query | str = "", *, ids: Sequence[str] | None = None
    ) -> Iterator[Article]:
        """All matching articles, newest first, streamed; with `ids` those of them that are held, in this order."""
        ...

    def search(
        self,
        query: Query | str = "",
        *,
        order: Order = "newest",
        limit: int = 20,
        cursor: str = "",
        within: timedelta | None = None,
        fold: bool = False,
    ) -> SearchPage:
        """One page of articles; raises QueryError for a query that cannot be understood.

        With `within` it raises SlowQueryError when that is not enough. With `fold` the page says what else of its
        clusters matches, before it and behind it.

        A text is read by UTC and without a clock: moments that count from now are for `query.read_query`.
        Best first means the most relevant of the newest matches, a few thousand; older ones follow, newest first.
        """
        ...

    @property
    def hits(self) -> HitCounts:
        """How many articles match a query, and what they are."""
        ...

    def ids_beginning(self, digits: str, *, limit: int = 10) -> tuple[str, ...]:
        """The ids of articles that begin with these hex digits, in order."""
        ...

    def versions(self, article_id: str) -> tuple[ArticleVersion, ...]:
        """How the article read before each edit, oldest first."""
        ...

    def raw(self, article_id: str) -> RawPage | None:
        """The page the article was last read from, when it is kept."""
        ...

    @property
    def receipts(self) -> ReceiptLog:
        """The receipts that articles had before, and under which of them they left."""
        ...

    # export, and removing
    def changed_articles(self, query: Query | str = "", *, after: int = 0) -> Iterator[Changed]:
        """Matching articles whose last change is numbered higher than `after`, in that order, streamed.

        What changes while it is read is left to the next stream, which begins after the last number.
        """
        ...

    def removed_after(self, after: int = 0) -> Iterator[tuple[int, str]]:
        """Number and id of each article that was removed after this number, in that order, streamed."""
        ...

    def reduce_articles(self, articles: Sequence[Article], *, now: datetime) -> Removed:
        """Puts these in the place of what is held under their ids, without a new version.

        What versions, raw pages, signatures, feed items and indexes still said of the old text is
        gone, they leave their clusters, and the receipts of these are taken over.
        """
        ...

    def remove_articles(self, article_ids: Sequence[str], *, reason: str, now: datetime) -> Removed:
        """Forgets articles with all that hangs on them.

        Their leads stay as refused, with the cause "purged" and the reason, so that nothing is fetched again.
        """
        ...

    def drop_raw_pages(
        self, *, before: datetime | None = None, feed_url: str = "", dry_run: bool = False
    ) -> int:
        """Forgets raw pages fetched before, or of a feed, or all of them; how many."""
        ...

    # near-duplicates: a signature waits until its article was clustered
    def save_signatures(self, signatures: Sequence[Signature]) -> None:
        """Adds or replaces the signatures of articles; they wait to be clustered."""
        ...

    def unclustered(self, *, limit: int) -> tuple[Signature, ...]:
        """Signatures that wait to be clustered, oldest first."""
        ...

    def near_duplicates(
        self, signatures: Sequence[Signature], *, window: timedelta
    ) -> Mapping[str, tuple[Signature, ...]]:
        """For each of these, by article, the others that share at least one band, place for place, in one go.

        Only those seen since its own time less the window; a signature may have a window of its own.
        """
        ...

    def clusters_of(self, article_ids: Sequence[str]) -> Mapping[str, Cluster]:
        """The cluster of each of these articles that is in one."""
        ...

    def save_clusters(
        self,
        clusters: Sequence[Cluster],
        *,
        clustered: Sequence[str] = (),
        dissolved: Sequence[str] = (),
        uncluster: Sequence[str] = (),
        observations: Mapping[str, Observation] | None = None,
    ) -> None:
        """Saves clusters, forgets those that were merged away, and notes whose turn is over, whole.

        A cluster that loses a member to one of these is tidied: one article alone is no cluster.
        `clustered` and `uncluster` are articles whose signatures no longer wait, or wait again. `observations` is
        what near-duplicates say of their feeds, by article; each is noted once, however often it is clustered.
        """
        ...

    def drop_old_signatures(self, *, now: datetime, window: timedelta, limit: int) -> int:
        """Forgets so many signatures that nobody is compared with any more; how many there were.

        They were seen before `now` less the longest window, this one or that of a signature, and do not wait. Their
        articles stay in their clusters.
        """
        ...

    # the boilerplate of a publisher; readings count their blocks when they are saved
    def boilerplate(self, publisher: str) -> Boilerplate | None:
        """What was learnt last."""
        ...

    def block_counts(self, publisher: str) -> tuple[int, Mapping[str, int]]:
        """Articles counted, and in how many of them each block was; blocks seen once are left out."""
        ...

    def save_boilerplate(self, boilerplate: Boilerplate, *, fade: bool) -> None:
        """Keeps what was learnt; with `fade` all counts of the publisher are halved, and what vanishes is dropped.

        Changes nothing when something is held that was learnt at the same time or later.
        """
        ...

    # robots.txt
    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin's robots.txt."""
        ...

    def save_robots_files(self, files: Sequence[RobotsFile]) -> None:
        """Keeps each in the place of what was kept of its origin."""
        ...

    # what happened
    def problems(
        self, *, subject_url: str = "", feed_url: str = "", limit: int = 100
    ) -> tuple[Problem, ...]:
        """Problems, newest first; with `feed_url` those of a feed, its former addresses and its leads."""
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
