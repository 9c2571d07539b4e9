"""The shapes rooms ask for: Fetch, Step, Strategy, Store, Format, Engine.

A room names here the smallest thing it needs, and is given it. A plug (a step, a strategy, a
store, a format, an engine, a verb) is one module that sets `PLUG` to one of the frozen values
below; `wireroom.registry` finds it, and the command line, the pages, the reference docs and the
contract tests follow unasked.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Generic, Literal, Protocol, TypeAlias, TypeVar

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
    Request,
    Response,
    Signature,
)

__all__ = [
    "Advise",
    "Case",
    "Done",
    "Engine",
    "EngineOptions",
    "EnginePlug",
    "Fetch",
    "Format",
    "Found",
    "Hop",
    "Once",
    "Order",
    "PollCount",
    "Saved",
    "Spread",
    "Step",
    "Store",
    "StoreHealth",
    "StoreOptions",
    "StorePlug",
    "StoreState",
    "Strategy",
    "StrategyPlug",
    "Verb",
]

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")
Made = TypeVar("Made")

Order = Literal["newest", "best"]
StoreState = Literal["ok", "paused", "read_only", "damaged"]


# --- traffic and scouting ----------------------------------------------------------------------


class Fetch(Protocol):
    """Asks for one address, with all manners; a `dict` lookup is a perfectly good one in a test."""

    async def __call__(self, request: Request) -> Response:
        """The answer to the request; raises FetchError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One request to one server, already judged: what to send, to which address, how much to take."""

    url: str
    method: str
    headers: tuple[tuple[str, str], ...]
    addresses: tuple[str, ...]
    """Checked by the guard; no other may be connected to."""
    port: int
    max_bytes: int
    deadline: timedelta
    take_start: bool = False
    """Whether the beginning of a larger body will do."""
    proxy: str = ""
    content: bytes = b""
    """What is sent along; nothing but a call to a service has any."""


class Strategy(Protocol):
    """One way to make one hop: no redirects, no retries, no judgement of the answer."""

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, decoded and within limits; raises FetchError."""
        ...

    async def close(self) -> None:
        """Closes its connections."""
        ...


@dataclass(frozen=True, slots=True)
class StrategyPlug:
    """A fetch strategy, chosen by name."""

    name: str
    open: Callable[[Mapping[str, str]], Strategy]
    """Takes the operator's options for it: names and values, as the settings give them."""
    extra: str = ""
    """The extra that has to be installed for it, if any."""
    pins: bool = True
    """Whether it connects to the checked address; if not, the operator must list each host."""
    proxied: bool = False
    """Whether it goes by way of the request's proxy; others never see a request that has one."""
    offline: bool = False
    """Whether it sends nothing at all, so that there is nothing to guard."""


class Once(Protocol):
    """Makes a thing once per visit: whoever asks for the same name while it is made, or later, shares it."""

    async def __call__(self, name: str, make: Callable[[], Awaitable[Made]], /) -> Made:
        """What `make` gave, or raised, the first time it was asked for by this name."""
        ...


class Advise(Protocol):
    """Answers a prompt in words, as a language model does; nothing it says is trusted."""

    async def __call__(self, prompt: str, /) -> str:
        """The answer; raises FetchError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a scouting step may know: whom it looks at, how to ask, what was found before it."""

    publisher: Publisher
    url: str
    """The address the operator gave: the publisher's homepage, or a page of it."""
    fetch: Fetch
    once: Once
    findings: Mapping[str, Finding]
    """Those of the steps it needs, and of no others."""
    before: Finding | None = None
    """What this step found the last time, whichever page that was about."""
    now: datetime
    offline: bool = False
    """Whether nobody but the publisher may be asked."""
    advise: Advise | None = None
    """Whom to ask for a second opinion on a text, if the operator named somebody."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question to a publisher's site; `needs` names the steps that must be done before it."""

    name: str
    title: str
    look: Callable[[Case], Awaitable[Finding]]
    needs: tuple[str, ...] = ()
    about: Literal["publisher", "page"] = "publisher"
    """A finding about a page holds for that page alone; others are reused while they are fresh."""
    deadline: timedelta = timedelta(seconds=30)
    """For the whole step, waiting for the host's turn included."""


# --- keeping -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The part of the settings a store needs."""

    raw_kept_for: timedelta = timedelta(days=7)
    """How long raw pages stay, counted from when they were fetched; zero keeps none."""
    busy_timeout: timedelta = timedelta(seconds=30)
    """How long a writer waits for another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """Whether the store can be worked with, and what to do when it cannot."""

    state: StoreState
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollCount:
    """What became of a poll's items: never seen, seen but changed, known."""

    new: int = 0
    changed: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of one reading: the article it ended in, and whether that is new or was edited."""

    article_id: str = ""
    """Empty when the reading brought no article; another id than the reading's when the page
    turned out to be one that is held under another address."""
    outcome: Literal["new", "changed", "same", "none"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of a search; hand `cursor` back for the next, empty when there is none."""

    articles: tuple[Article, ...]
    cursor: str = ""


class Store(Protocol):
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

    def save_roster(
        self,
        wishes: Sequence[tuple[Feed | None, Feed]],
        *,
        events: Sequence[Event],
        now: datetime,
    ) -> None:
        """Brings feeds to what the operator wants and saves the events, whole or not at all.

        A wish is the feed as it was held (None for a new one) and as it is wanted. Where the two
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
        """Forgets a feed and its items; articles stay. False when there was none."""
        ...

    # due work, under a lease on the host
    def take_feeds(
        self, *, holder: str, now: datetime, limit: int, lease: timedelta
    ) -> tuple[Feed, ...]:
        """Due live feeds, longest overdue first."""
        ...

    def take_leads(
        self, *, holder: str, now: datetime, limit: int, lease: timedelta, per_host: int = 10
    ) -> tuple[Lead, ...]:
        """Due leads, longest overdue host first, at most `per_host` of one host."""
        ...

    def take_host(self, host: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
        """Leases one host for a visit; False while somebody else holds it."""
        ...

    def renew(self, *, holder: str, now: datetime, lease: timedelta) -> int:
        """Prolongs every lease of the holder and the work in its hands; how many hosts."""
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
    ) -> Found:
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
        """Adds or replaces the signatures of articles."""
        ...

    def twins(self, bands: Sequence[int], *, since: datetime) -> tuple[Signature, ...]:
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


# --- handing on, spreading, commanding ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Format:
    """One output format: writes articles to a stream and says how many."""

    name: str
    suffix: str
    write: Callable[[Iterable[Article], BinaryIO], int]
    extra: str = ""


LossReason = Literal["cpu", "time", "memory", "killed", "crash", "error"]
"""Too much of something; ended from outside; fell over by itself; `do` raised."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Work, Outcome]):
    """A piece of work, and what came of it."""

    work: Work
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Generic[Work]):
    """A piece of work of which nothing came, and why; all others go on."""

    work: Work
    reason: LossReason
    message: str
    error: Exception | None = None
    """What `do` raised, where it could be sent home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How much is done at once, and what one piece of work may cost."""

    workers: int = 0
    """0 takes one for each core that we may use."""
    cpu: timedelta = timedelta(seconds=2)
    wall: timedelta = timedelta(seconds=30)
    """Much more than `cpu`: on a busy machine a worker waits for its turn."""
    memory: int = 300 * 2**20
    """Bytes over what the worker held before the piece."""


Spread: TypeAlias = AsyncGenerator[Done[Work, Outcome] | Lost[Work], None]
"""Who leaves it before its end closes it (`contextlib.aclosing`): then no worker goes on in vain."""


class Engine(Protocol):
    """How pure work is spread over processes or machines."""

    def spread(
        self, work: Iterable[Work] | AsyncIterable[Work], do: Callable[[Work], Outcome]
    ) -> Spread[Work, Outcome]:
        """What came of each piece, as it is ready; nothing is taken from `work` long before its turn.

        `do` is sent elsewhere: it stands in a module that can be imported there. Where it has a
        method `prepare`, that is called once in each worker, before limits hold.
        """
        ...

    async def close(self) -> None:
        """Ends every worker it started."""
        ...


@dataclass(frozen=True, slots=True)
class EnginePlug:
    """A kind of engine, chosen by name."""

    name: str
    open: Callable[[EngineOptions], Engine]
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the command line, or a group of them; `run` is a typer function or app."""

    name: str
    run: Any
    help: str = ""
    order: int = field(default=50)
    """Where it stands in the list of verbs."""
