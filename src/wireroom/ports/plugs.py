"""How pure work is spread: the engines."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, Literal, Protocol, TypeAlias, TypeVar

from wireroom.errors import ParseError
from wireroom.model import (
    USES,
    Article,
    Event,
    Facts,
    Feed,
    Finding,
    Item,
    Priority,
    Publisher,
    Removal,
    Request,
    Response,
    Signal,
    Use,
)
from wireroom.ports.card_details import CardDetails, SummaryRow, Tone

if TYPE_CHECKING:
    from wireroom.parse.page_tags import PageTags
    from wireroom.rights.finding_index import FindingIndex


Work = TypeVar("Work")
Outcome = TypeVar("Outcome")
LossCause = Literal["cpu", "time", "memory", "killed", "crash", "error"]
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
    cause: LossCause
    message: str
    error: str = ""
    """The name of what `do` raised; the message has its words."""
    trace: str = ""
    """Where it was raised, for whoever mends it."""


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
    address: str = ""
    """Of the cluster, for an engine that joins one; empty for one of its own."""


Spread: TypeAlias = AsyncGenerator[Done[Work, Outcome] | Lost[Work], None]
"""Who leaves it before its end closes it (`contextlib.aclosing`): then no worker goes on in vain."""


class Engine(Protocol):
    """How pure work is spread over processes or machines."""

    def spread(
        self, work: Iterable[Work] | AsyncIterable[Work], do: Callable[[Work], Outcome]
    ) -> Spread[Work, Outcome]:
        """What came of each piece, as it is ready; nothing is taken from `work` long before its turn.

        `do` is sent elsewhere: it stands in a module that can be imported there. Where it has a
        method `prepare`, that is called once in each worker, before limits hold. What it gives comes
        back as data: `outcomes`, a method without arguments, names the types that may come back;
        without one, tuples come back as lists and dataclasses as dicts. A piece of work may have such a
        method of its own, which then holds for it.
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


# Output formats and the commands of the command line.


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMetadata:
    """What a file may say about itself besides its articles: names and texts."""

    known: Mapping[str, str] = field(default_factory=dict)
    """What is known before the first article."""
    at_end: Callable[[], Mapping[str, str]] = dict
    """Gives what is known once the last article was taken, such as how many were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What a person chooses of a table: which columns, and whether a byte order mark stands before it."""

    columns: tuple[str, ...] = ()
    """Their names, in this order; none: all of them."""
    byte_order_mark: bool = False
    """By which spreadsheets see that it is UTF-8."""
    feed: Callable[[str], Feed | None] = field(default=lambda _url: None)
    """The feed of this address, or which had it once; None where it is not followed any more."""


@dataclass(frozen=True, slots=True)
class Format:
    """One output format: writes articles to a stream, or a file each into a folder, and says how many.

    Either `write` or `write_folder` is given. The stream need not be able to seek or tell; the folder
    is there. Articles come one by one and are many: keep none of them.
    """

    name: str
    suffix: str
    """Of the file, or of each file in the folder."""
    write: Callable[[Iterable[Article], BinaryIO], int] | None = None
    write_folder: Callable[[Iterable[Article], Path], int] | None = None
    write_removals: Callable[[Iterable[Article], Iterable[Removal], BinaryIO], int] | None = None
    """As `write`, and says which articles of earlier outputs may not be used any more, where the format can."""
    extra: str = ""
    """What has to be installed for it."""
    media_type: str = "application/octet-stream"
    write_described: Callable[[Iterable[Article], BinaryIO, FileMetadata], int] | None = None
    """The same as `write`, for a format whose files have a place for metadata."""
    write_table: Callable[[Iterable[Article], BinaryIO, TableOptions], int] | None = None
    """The same as `write`, for a table of which the columns can be chosen; SettingsError for one there is not."""

    @property
    def is_folder(self) -> bool:
        """Whether it makes a folder of files."""
        return self.write_folder is not None

    @property
    def is_text(self) -> bool:
        """Whether a person can read it."""
        kind = self.media_type.partition(";")[0]
        return kind.startswith("text/") or kind.endswith(("json", "jsonl", "+xml"))


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the command line, or a group of them; `run` is a typer function or app."""

    name: str
    run: Any
    help: str = ""
    order: int = field(default=90)
    """Where it stands in the list of commands, whose groups are tens; from 70 on it is among the others."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a page that takes the place of the element with its id, or comes at the end of its list."""

    html: str
    is_last: bool = False
    """Whether the page has nothing more to wait for: it is loaded anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """One page with its routes, which are those of FastAPI; without a title it has no place in the navigation."""

    name: str
    router: Any
    api: Any = None
    """Its part of `/api/v1`."""
    title: str = ""
    path: str = ""
    """Where the navigation leads."""
    order: int = field(default=90)
    live: Callable[[Any, str, Event], Fragment | None] | None = None
    """What an event changes on the page about this subject, for `/live/NAME/SUBJECT`; None for nothing."""
    live_whole: frozenset[str] = frozenset()
    """Kinds of events after which a part is shown anew as a whole: of many at once the last of each kind will do."""
    is_known: Callable[[Any, str], bool] | None = None
    """Whether there is this subject; without it the page is about everything, and its subject is `all`."""


# The shape of a rights signal: everything one file in `signals/` brings along.


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of one standard; `date` is that of its text where it has one, else of our look at it."""

    name: str
    source: str
    date: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalPlug:
    """One signal: where it is read, what it says of each use, and how a card shows it."""

    name: str
    title: str
    label: str = ""
    """What the row of the rights matrix is called; without one, the title."""
    order: int = 1_000
    """Its place in the rights matrix; ours count in tens."""
    signals_for: Callable[[FindingIndex, str], tuple[Signal, ...]]
    """What the findings say of the uses of the page at this address."""
    steps: tuple[str, ...]
    """The steps whose findings it reads: its silence counts only where all of them could look."""
    refuses: tuple[Use, ...] = USES
    """The uses it may refuse: while it cannot be read, nothing else allows them."""
    of_page: bool = False
    """Whether it speaks of single pages alone, never of a publisher."""
    unseen: Callable[[FindingIndex, str], tuple[Signal, ...]] | None = None
    """What is named for the page and could not be read, as unknown; steps that failed count without it."""
    prose: bool = False
    """Whether it reads sentences for people rather than words for machines."""
    step: Step | None = None
    """The scouting step that finds it, with the line of the card; none where another step does."""
    read_page: Callable[[PageTags], object | None] | None = None
    """What a page says of itself, as the facts of `name`; None where it says nothing."""
    with_known: Callable[[object, FindingIndex], object] | None = None
    """Those facts, completed by what is known of the publisher, where the page only names a document."""
    named_documents: Callable[[FindingIndex, str], tuple[str, ...]] | None = None
    """Addresses of the documents that the page at this address names, for its receipt: they may change."""
    read_named: Callable[[str, Sequence[str]], object] | None = None
    """The facts of a page that names these documents, none of them read: for `with_known`, long after it was read."""
    read_item: Callable[[Item], object | None] | None = None
    """The same for an item of a feed."""
    read_licence: Callable[[str, str], object | None] | None = None
    """The same for the licence that an article names: the article's address, the licence's address."""
    vocabularies: tuple[Vocabulary, ...] = ()


# The shape of a scouting step, and what it is given.

Made = TypeVar("Made")


class Once(Protocol):
    """Makes a thing once per scout: whoever asks for the same name while it is made, or later, shares it."""

    async def __call__(self, name: str, make: Callable[[], Awaitable[Made]], /) -> Made:
        """What `make` gave, or raised, the first time it was asked for by this name."""
        ...


class Advise(Protocol):
    """Answers a prompt in words, as a language model does; nothing it says is trusted."""

    async def __call__(self, prompt: str, /) -> str:
        """The answer; raises FetchError."""
        ...


class CostlyDocumentError(ParseError):
    """Reading the document takes more than it may, or ends its worker: nobody knows what it says."""


class ReadDocument(Protocol):
    """Has a document read where that can do no harm: in a worker that can be ended."""

    async def __call__(self, reader: Callable[..., Made], /, *arguments: Any) -> Made:
        """What `reader(*arguments)` gives; raises ParseError as it does, and CostlyDocumentError.

        The reader is a pure function of a module. It travels by its name, its arguments are plain data
        (bytes, addresses, headers), and what it gives comes back as data of the type that it declares.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDomain:
    """A line of a list of domains."""

    line: int
    text: str
    pages: int | None = None
    latest: str = ""
    """The newest month, as YYYY-MM."""


class CrawlList(Protocol):
    """The domains that an index holds, by a list that the operator has."""

    @property
    def name(self) -> str:
        """What the list is called."""
        ...

    async def find(self, domain: str, /) -> ListedDomain | None:
        """The line of the domain, if it is listed; raises ParseError when the list cannot be read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """What a scouting step may know: whom it is about, how to ask, what was found before it."""

    publisher: Publisher
    url: str
    """The address the operator gave: the publisher's homepage, or a page of it."""
    fetch: Fetch
    read: ReadDocument
    """Has a document read elsewhere; a step that parses strangers' bytes by itself holds up every other scout."""
    once: Once
    findings: Mapping[str, Finding]
    """Those of the steps it needs, and of no others."""
    before: Finding | None = None
    """What this step found the last time, whichever page that was about."""
    now: datetime
    fresh_since: datetime | None = None
    """A document whose server answered later need not be asked for again; None asks for all of them."""
    believed_since: datetime | None = None
    """What a page said later still counts, though the page is not asked for in this scout."""
    offline: bool = False
    """Whether nobody but the publisher may be asked."""
    advise: Advise | None = None
    """Whom to ask for a second opinion on a text, if the operator named somebody."""
    crawl_list: CrawlList | None = None
    """What is in Common Crawl, if the operator has a list of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The facts of a finding in one line, and what a card must know of that line."""

    text: str
    nothing: bool = False
    """Whether it says that nothing was found: where not everything could be fetched, the card adds that."""
    tone: Tone | None = None
    """Whether it is good news or bad; without it a signal's line has the tone of its verdicts, any other is plain."""
    rows: tuple[SummaryRow, ...] = ()
    """What the card shows beneath the line: addresses, newest dates, flaws."""
    newest_at: datetime | None = None
    """When the newest article was published, where the line tells that; shown by the reader's clock."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question to a publisher's site; `needs` names the steps that must be done before it."""

    name: str
    title: str
    run: Callable[[StepContext], Awaitable[Finding]]
    needs: tuple[str, ...] = ()
    about: Literal["publisher", "page"] = "publisher"
    """A finding about a page holds for that page alone; others are reused while they are fresh."""
    deadline: timedelta = timedelta(seconds=30)
    """For its own work, apart from waiting for documents: for these the scout's time holds."""
    asks: tuple[Priority, ...] = ()
    """The documents for which requests and time are kept until it has asked for them, or is done."""
    section: str = ""
    """Where its line stands on the card: access, rights, supply or metadata; any other is "More"."""
    label: str = ""
    """What the line is called; without one, the title."""
    order: int = 1_000
    """Its place in the section; ours count in tens."""
    summary: Callable[[Facts], str | Summary] | None = None
    """The facts in one line, for a person; without it the line says what the finding comes to.

    Where the finding is unknown, the card puts that word before it.
    """
    compared: tuple[str, ...] | Callable[[Facts], object] | None = None
    """What counts as a change from one finding to the next: names of facts, or what the function makes of them.

    Without it, all facts that last, those too that the line does not show.
    """
    details: Callable[[Facts], CardDetails] | None = None
    """What the card shows beyond the line: agents by purpose, terms by activity, fields, a rhythm."""
    changes: Callable[[Facts, Facts], Iterable[str]] | None = None
    """What differs from one finding to the next, in words, whichever page each is about.

    Without it the card looks at what is `compared` in two findings about the same page, and shows both summaries.
    """


# The shapes of outgoing traffic: Fetch, and the strategies behind it.


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
    partial: bool = False
    """Whether the part of a body that came before the deadline will do."""
    of_file: bool = False
    """Whether some bytes of a large file were asked for, whatever kind of file that is."""
    proxy: str = ""
    content: bytes = b""
    """What is sent along; nothing but a call to a service has any."""


class Strategy(Protocol):
    """Makes one hop: no redirects, no retries, no judgement of the answer."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """What an origin's robots.txt was when it was asked for; `body` is empty where there is none."""

    origin: str
    found: bool
    body: bytes = b""
    reason: str = ""
    asked_at: datetime


class RobotsStore(Protocol):
    """Where robots.txt files are kept from one process to the next, so that a day is a day."""

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin."""
        ...

    def save_robots_file(self, file: RobotsFile) -> None:
        """Keeps it in the place of what was kept."""
        ...
