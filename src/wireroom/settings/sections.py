"""What can be set, section by section, each setting with its default and its reason.

One frozen tree of pydantic models; `Settings` is its root. Reading files, the environment and
flags is the business of `wireroom.settings.setting_sources`. A room adds its section here, and the
command line, the schema for editors and the reference docs follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta, tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from wireroom.model import USES, Use, Word
from wireroom.ports import StoreOptions
from wireroom.rights.policy import Kept, Policy, Reprints
from wireroom.settings import kinds
from wireroom.settings.feed_settings import MAX_FEEDS, FeedSettings, each_once
from wireroom.settings.kinds import (
    LISTS,
    LONGEST_DELAY,
    LONGEST_WAIT,
    MIN_TIMEOUT,
    TABLE,
    TABLES,
    Endpoint,
    HostName,
    Name,
    Pinned,
    SettingsSection,
    Span,
    Words,
    at_least,
    at_most,
)
from wireroom.settings.machine_zone import MachineZone

MIN_SCOUT_TIME = timedelta(seconds=1)  # of one scout; less would be no look at all
LONGEST_SCOUT = timedelta(
    hours=1
)  # 30 requests with the longest Crawl-delay that is heeded take half of it
MIN_SCOUT = timedelta(hours=1)  # publishers change their terms rarely, and a scout is a burden


class FetchSettings(SettingsSection):
    """Outgoing traffic."""

    delay: Annotated[Span, at_most(LONGEST_DELAY)] = Field(
        default=timedelta(seconds=1),
        description="Between an answer and the next request to the same host.",
        examples=["1 s"],
    )
    concurrency: int = Field(
        default=256, ge=1, le=10_000, description="Requests in flight over all hosts."
    )
    per_address: int = Field(
        default=8,
        ge=1,
        le=1000,
        description="Requests in flight to one address, which may serve many hosts.",
    )
    timeout: Annotated[Span, at_least(MIN_TIMEOUT), at_most(LONGEST_WAIT)] = Field(
        default=timedelta(seconds=30),
        description="For one exchange, redirects included, waiting for the host excluded.",
        examples=["30 s"],
    )
    max_page_bytes: int = Field(
        default=10_000_000,
        ge=10_000,
        le=1_000_000_000,
        description="The largest page or feed that is read, after decoding.",
    )
    host_budget: int = Field(
        default=20_000,
        ge=1,
        description="Requests to one host within 24 hours; links that never end must end.",
    )
    ports: tuple[Annotated[int, Field(ge=1, le=65_535)], ...] = Field(
        default=(80, 443), description="Ports that may be asked."
    )
    strategies: tuple[Name, ...] = Field(
        default=("plain",),
        min_length=1,
        description="Strategies to fetch by, tried in this order; the one that works is remembered.",
        examples=[["plain", "proxy"]],
    )
    strategy_options: Annotated[Mapping[Name, Mapping[Name, str]], TABLES] = Field(
        default_factory=dict,
        description="Options of strategies by name, such as the address of a proxy.",
        examples=[{"proxy": {"url": "socks5://127.0.0.1:1080"}}],
    )
    unpinned: tuple[HostName, ...] = Field(
        default=(),
        description="Hosts that may be asked by a strategy that resolves names by itself.",
    )
    agreed: tuple[HostName, ...] = Field(
        default=(),
        description="Hosts with which you have agreed terms: their robots.txt is not asked. Exact names, without "
        "their subdomains; never taken from a file that was found in the working folder.",
        examples=[["index.commoncrawl.org"]],
    )
    allow_private: tuple[Endpoint, ...] = Field(
        default=(),
        description="Private or loopback addresses that may be asked, each as exactly host:port.",
        examples=[["intranet.example:8080"]],
    )


class ScoutSettings(SettingsSection):
    """How publishers are scouted."""

    fresh_for: Span = Field(
        default=timedelta(hours=24),
        description="How long the answer of a server is believed before its document is asked for again.",
        examples=["24 h"],
    )
    time: Annotated[Span, at_least(MIN_SCOUT_TIME), at_most(LONGEST_SCOUT)] = Field(
        default=timedelta(seconds=60),
        description="How long one scout may take; what it did not get to, it says. `--time` of scout and rights.",
        examples=["5 min"],
    )
    add_time: Annotated[Span, at_least(MIN_SCOUT_TIME), at_most(LONGEST_SCOUT)] = Field(
        default=timedelta(minutes=5),
        description="How long the scout of a publisher that is added may take: who has a Crawl-delay has feeds, too. "
        "`--time` of add.",
    )
    offline: bool = Field(
        default=False,
        description="True asks publishers alone, and no third party such as Common Crawl.",
    )
    rest: Annotated[Span, at_most(LONGEST_DELAY)] | None = Field(
        default=None,
        description="How long a host is left alone after a scout; unset is ten times fetch.delay.",
        examples=["10 s"],
    )
    at_once: int = Field(
        default=16, ge=1, le=256, description="Publishers of a list that are scouted at once."
    )
    common_crawl_list: Annotated[str, AfterValidator(kinds.read_file_name)] = Field(
        default="",
        description="A file of the domains in Common Crawl, plain or gzip: one a line, with the count of its pages and the "
        "newest month (YYYY-MM) behind it where they are known. With it the index is not asked.",
        examples=["cc-domains.txt.gz"],
    )
    model_url: Annotated[str, AfterValidator(kinds.read_web_url_or_none)] = Field(
        default="",
        description="A language model that may tighten what the rules read in terms of service: where "
        "it answers chat completions, as OpenAI's protocol has them; empty asks none.",
        examples=["https://model.example/v1/chat/completions"],
    )
    model: Words = Field(
        default="", description="Which model of that service is asked.", examples=["small-1"]
    )
    model_key: Annotated[str, AfterValidator(kinds.read_key)] = Field(
        default="",
        description="The service's key; it is never shown. Best given by the environment, as "
        "WIREROOM_SCOUT__MODEL_KEY.",
    )


class ClusterSettings(SettingsSection):
    """How near-duplicates are found and clustered."""

    enabled: bool = Field(default=True, description="Whether near-duplicates are looked for.")
    threshold: float = Field(
        default=0.46,
        gt=0,
        le=1,
        description="How much of what two texts say they must say alike to be near-duplicates, 0 to 1.",
    )
    window: Span = Field(
        default=timedelta(days=15),
        description="How far apart two articles may have been read.",
        examples=["15 days"],
    )


class StoreSettings(SettingsSection):
    """What is kept, and how."""

    raw_kept_for: Span = Field(
        default=timedelta(days=7),
        description="How long the pages themselves are kept beside their articles; 0 keeps none.",
        examples=["7 days", 0],
    )
    busy_timeout: Annotated[Span, at_most(LONGEST_WAIT)] = Field(
        default=timedelta(seconds=30),
        description="How long a writer waits for another one before it gives up.",
        examples=["30 s"],
    )
    cases: str = Field(
        default="",
        description="The folder for reports of wrong texts; empty: `cases` beside the database.",
        examples=["/var/lib/wireroom/cases"],
    )


class RightsSettings(SettingsSection):
    """What is done about what publishers permit; robots.txt is obeyed whatever stands here."""

    uses: tuple[Use, ...] = Field(
        default=(),
        description="What articles are taken for; none leaves every use to the export.",
        examples=[["ai-index", "search"]],
    )
    fetch_on: tuple[Word, ...] = Field(
        default=("allow", "unknown", "paid", "deny"),
        description="Verdicts about these uses under which a page is fetched.",
        examples=[["allow", "unknown"]],
    )
    store_on_deny: Kept = Field(
        default="text",
        description="How much is kept when archiving, or one of these uses, is denied.",
    )
    store_on_paid: Kept = Field(
        default="text", description="How much is kept when one of them has a price."
    )
    store_on_unknown: Kept = Field(
        default="text", description="How much is kept when nothing is said about one of them."
    )
    excerpt_words: int = Field(
        default=50, ge=1, le=1000, description="How many words an excerpt has."
    )
    export_on: tuple[Word, ...] = Field(
        default=("allow",),
        description="Verdicts about a use under which an article is exported for it.",
    )
    export_on_for: Annotated[Mapping[Use, tuple[Word, ...]], LISTS] = Field(
        default_factory=dict,
        description="The same for single uses, instead of `export_on`.",
        examples=[{"search": ["allow", "unknown"]}],
    )
    certain: bool = Field(
        default=True,
        description="Whether an allow counts only while every source that might refuse can be read.",
    )

    reprints: Reprints = Field(
        default="own",
        description="Whose rights count when a reprint is exported for a use: its own, "
        "or the strictest of its own and those of its original.",
    )

    def policy(self) -> Policy:
        """The policy of the rights room."""
        return Policy(
            uses=self.uses,
            fetch_on=self.fetch_on,
            store_on={
                "allow": "text",
                "deny": self.store_on_deny,
                "paid": self.store_on_paid,
                "unknown": self.store_on_unknown,
            },
            excerpt_words=self.excerpt_words,
            export_on={use: self.export_on_for.get(use, self.export_on) for use in USES},
            certain=self.certain,
            reprints=self.reprints,
        )


class DisplaySettings(SettingsSection):
    """How people read what is shown."""

    zone: Annotated[str, AfterValidator(kinds.read_zone)] = Field(
        default="",
        description="The time zone in which times are shown and typed, days in queries included; empty is the machine's "
        "(TZ, else the system's). JSON and exports are in UTC.",
        examples=["Europe/Vienna", "UTC"],
    )

    def reader_zone(self) -> tzinfo:
        """The zone in which people read."""
        return ZoneInfo(self.zone) if self.zone else MachineZone()


class LogSettings(SettingsSection):
    """What is told on standard error; -v and -q go before it."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="The least important messages that are shown."
    )
    format: Literal["text", "json"] = Field(
        default="text", description="Lines for people, or one JSON object a line for machines."
    )


class RunSettings(SettingsSection):
    """How much `run` does at once, and by what engine pages are read."""

    engine: Name = Field(
        default="local",
        description="How parsing is spread over processes, for `run`, `archive`, `extract`, `test-feed` and `reparse`.",
    )
    address: Words = Field(
        default="",
        description="The Ray cluster that the engine ray joins; empty starts one on this machine. Never taken from a "
        "file that was found in the working folder.",
        examples=["10.0.0.1:6379"],
    )
    readers: int = Field(
        default=1, ge=1, le=64, description="Readers on each node of a Ray cluster."
    )
    workers: int = Field(
        default=0, ge=0, le=256, description="Processes that read pages; 0 is one for each core."
    )
    in_flight: int = Field(
        default=512, ge=1, le=10_000, description="Feeds and leads that are in flight at once."
    )
    scout: bool = Field(
        default=True,
        description="Whether a publisher is scouted before its pages are read, and again in time. "
        "Without it what it permits is unknown.",
    )
    scout_every: Annotated[Span, at_least(MIN_SCOUT)] = Field(
        default=timedelta(days=7),
        description="How often the publishers that are followed are scouted again.",
        examples=["7 days"],
    )
    scout_time: Annotated[Span, at_least(MIN_SCOUT_TIME), at_most(LONGEST_SCOUT)] = Field(
        default=timedelta(minutes=5),
        description="How long one scout of a run may take: nobody waits for it, so it gets to what others did not.",
        examples=["5 min"],
    )
    learn: bool = Field(
        default=True,
        description="Whether blocks that repeat across a publisher's articles are left out.",
    )


class WebSettings(SettingsSection):
    """The pages and the API; never taken from a file that was found in the working folder."""

    host: Words = Field(
        default="127.0.0.1",
        description="Where the server listens; on any other address than loopback it wants a token.",
        examples=["192.0.2.10"],
    )
    port: int = Field(default=8420, ge=0, le=65_535, description="0 finds a free one.")
    token: Annotated[str, AfterValidator(kinds.read_token)] = Field(
        default="",
        description="What opens the pages, or `sha256:` and its hash; it is never shown. Best given by the environment, as "
        "WIREROOM_WEB__TOKEN.",
    )
    names: tuple[HostName, ...] = Field(
        default=(),
        description="Further names by which browsers may ask for the server, such as that of a proxy before it.",
        examples=[["news.example"]],
    )
    proxies: tuple[Words, ...] = Field(
        default=(),
        description="Addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
        examples=[["10.0.0.2"]],
    )


class Settings(SettingsSection):
    """Everything that can be set."""

    database_url: Annotated[str, AfterValidator(kinds.read_database)] = Field(
        default="sqlite:///wireroom.db",
        description="Where everything is kept; the password is never shown.",
        examples=["sqlite:///wireroom.db", "postgresql://desk:secret@localhost/news"],
    )
    contact_url: Annotated[str, AfterValidator(kinds.read_contact)] = Field(
        default="",
        description="Where publishers reach you; it is sent with every request.",
        examples=["https://you.example/bot", "mailto:you@example.org"],
    )
    hosts: Annotated[Mapping[HostName, Pinned], TABLE] = Field(
        default_factory=dict,
        description="Names that are found at a fixed address:port, without asking DNS.",
        examples=[{"courier.test": "127.0.0.1:8080"}],
    )
    fetch: FetchSettings = FetchSettings()
    scout: ScoutSettings = ScoutSettings()
    run: RunSettings = RunSettings()
    cluster: ClusterSettings = ClusterSettings()
    store: StoreSettings = StoreSettings()
    rights: RightsSettings = RightsSettings()
    display: DisplaySettings = DisplaySettings()
    log: LogSettings = LogSettings()
    web: WebSettings = WebSettings()
    feeds: Annotated[tuple[FeedSettings, ...], AfterValidator(each_once)] = Field(
        default=(), description="Feeds to follow; `wireroom sync` brings them into the database.",
        max_length=MAX_FEEDS,
    )  # fmt: skip

    def rest_after_scout(self) -> timedelta:
        """How long a host is left alone after a scout."""
        return 10 * self.fetch.delay if self.scout.rest is None else self.scout.rest

    def store_options(self) -> StoreOptions:
        """The store's part of the settings."""
        return StoreOptions(
            raw_kept_for=self.store.raw_kept_for, busy_timeout=self.store.busy_timeout
        )
