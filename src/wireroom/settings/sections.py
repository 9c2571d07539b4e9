"""What can be set, section by section, each setting with its default and its reason.

One frozen tree of pydantic models; `Settings` is its root. Reading files, the environment and
flags is the business of `wireroom.settings.sources`. A room adds its section here, and the
command line, the schema for editors and the reference docs follow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from wireroom.model import USES, FeedKind, Hints, Use, Word
from wireroom.ports import StoreOptions
from wireroom.rights.policy import Kept, Policy
from wireroom.settings import kinds
from wireroom.settings.durations import EXAMPLES, format_duration
from wireroom.urls import identity_key, publisher_domain

__all__ = [
    "FeedSettings",
    "FetchSettings",
    "LogSettings",
    "RightsSettings",
    "ScoutSettings",
    "Section",
    "Settings",
    "StoreSettings",
    "feeds_twice",
]

MIN_INTERVAL = timedelta(minutes=1)  # nobody's news is younger; more often is only a burden
MIN_TIMEOUT = timedelta(milliseconds=100)  # less and no server on earth is reached
LONGEST_DELAY = timedelta(hours=1)  # between two requests; who wants more wants no traffic
LONGEST_WAIT = timedelta(minutes=10)  # for another writer; who waits longer has a stuck process
MAX_FEEDS = 100_000  # a list for one file; more belong into the database by import
TWICE = "feeds_twice"

# What a record of a JSON API can be mapped to: the fields of an `Item` that a source fills.
ItemField = Literal[
    "guid",
    "url",
    "title",
    "summary",
    "content_html",
    "authors",
    "tags",
    "published_at",
    "updated_at",
]
_SELECTOR_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _read_selector_name(text: str) -> str:
    if not _SELECTOR_NAME.fullmatch(text):
        raise ValueError("expected a name of letters, digits, _ and -")
    return text


_TABLE = WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}})
_TABLES = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    }
)

_LISTS = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    }
)


def _at_least(low: timedelta) -> AfterValidator:
    def check(span: timedelta) -> timedelta:
        if span < low:
            raise ValueError(f"expected at least {format_duration(low)}")
        return span

    return AfterValidator(check)


def _at_most(high: timedelta) -> AfterValidator:
    def check(span: timedelta) -> timedelta:
        if span > high:
            raise ValueError(f"expected at most {format_duration(high)}")
        return span

    return AfterValidator(check)


Words = Annotated[str, AfterValidator(kinds.read_words)]
Name = Annotated[str, AfterValidator(kinds.read_name)]
WebUrl = Annotated[str, AfterValidator(kinds.read_web_url)]
Endpoint = Annotated[str, AfterValidator(kinds.read_endpoint)]
HostName = Annotated[str, AfterValidator(kinds.read_host_name)]
Pinned = Annotated[str, AfterValidator(kinds.read_pinned)]
Selector = Annotated[str, AfterValidator(kinds.read_selector)]
SelectorName = Annotated[str, AfterValidator(_read_selector_name)]
Span = Annotated[
    timedelta,
    BeforeValidator(kinds.read_time_span),
    PlainSerializer(format_duration),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"const": 0}], "description": EXAMPLES}),
]


class Section(BaseModel):
    """A part of the settings: frozen, and unknown names are problems."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class FetchSettings(Section):
    """Outgoing traffic."""

    delay: Annotated[Span, _at_most(LONGEST_DELAY)] = Field(
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
    timeout: Annotated[Span, _at_least(MIN_TIMEOUT), _at_most(LONGEST_WAIT)] = Field(
        default=timedelta(seconds=30),
        description="For one exchange, redirects included, waiting for its turn excluded.",
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
        description="Ways to fetch, tried in this order; the one that works is remembered.",
        examples=[["plain", "proxy"]],
    )
    strategy_options: Annotated[Mapping[Name, Mapping[Name, str]], _TABLES] = Field(
        default_factory=dict,
        description="Options of strategies by name, such as the address of a proxy.",
        examples=[{"proxy": {"url": "socks5://127.0.0.1:1080"}}],
    )
    unpinned: tuple[HostName, ...] = Field(
        default=(),
        description="Hosts that may be asked by a strategy that resolves names by itself.",
    )
    allow_private: tuple[Endpoint, ...] = Field(
        default=(),
        description="Private or loopback places that may be asked, each as exactly host:port.",
        examples=[["intranet.example:8080"]],
    )


class ScoutSettings(Section):
    """How publishers are looked at."""

    fresh_for: Span = Field(
        default=timedelta(hours=24),
        description="How long findings are believed before the publisher is asked again.",
        examples=["24 h"],
    )
    offline: bool = Field(
        default=False,
        description="True asks publishers alone, and no third party such as Common Crawl.",
    )
    rest: Annotated[Span, _at_most(LONGEST_DELAY)] | None = Field(
        default=None,
        description="How long a host is left alone after a visit; unset is ten times fetch.delay.",
        examples=["10 s"],
    )
    at_once: int = Field(
        default=16, ge=1, le=256, description="Publishers of a list that are visited side by side."
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


class StoreSettings(Section):
    """What is kept, and how."""

    raw_kept_for: Span = Field(
        default=timedelta(days=7),
        description="How long the pages themselves are kept beside their articles; 0 keeps none.",
        examples=["7 days", 0],
    )
    busy_timeout: Annotated[Span, _at_most(LONGEST_WAIT)] = Field(
        default=timedelta(seconds=30),
        description="How long a writer waits for another one before it gives up.",
        examples=["30 s"],
    )


class RightsSettings(Section):
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
        description="Verdicts about a use under which an article is handed on for it.",
    )
    export_on_for: Annotated[Mapping[Use, tuple[Word, ...]], _LISTS] = Field(
        default_factory=dict,
        description="The same for single uses, instead of `export_on`.",
        examples=[{"search": ["allow", "unknown"]}],
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
        )


class LogSettings(Section):
    """What is told on standard error; -v and -q go before it."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="The least important messages that are shown."
    )
    format: Literal["text", "json"] = Field(
        default="text", description="Lines for people, or one JSON object a line for machines."
    )


class FeedSettings(Section):
    """A feed to follow, as the operator writes it down."""

    name: Name = Field(description="How you call it; marks it as kept in step by `sync`.")
    url: WebUrl = Field(description="Where it is.", examples=["https://courier.example/rss.xml"])
    publisher: Annotated[str, AfterValidator(kinds.read_publisher)] = Field(
        default="",
        description="The publisher's domain; empty takes the host of the feed, without www.",
    )
    kind: FeedKind | None = Field(
        default=None, description="Its format; unset leaves it to what the feed turns out to be."
    )
    body_selector: Annotated[str, AfterValidator(kinds.read_selector_or_none)] = Field(
        default="",
        description="CSS of the elements that hold an article's text; empty lets wireroom find it.",
        examples=["article .story p"],
    )
    metadata_selectors: Annotated[Mapping[SelectorName, Selector], _TABLE] = Field(
        default_factory=dict,
        description="Further fields by name, each as CSS, or css@attribute.",
        examples=[{"section": "nav .here", "image": "meta[property='og:image']@content"}],
    )
    json_ld: bool = Field(default=True, description="Whether the JSON-LD of its pages is read.")
    language: Annotated[str, AfterValidator(kinds.read_language)] = Field(
        default="",
        description="The language of its articles where the pages do not say.",
        examples=["de"],
    )
    zone: Annotated[str, AfterValidator(kinds.read_zone)] = Field(
        default="", description="The time zone of dates that name none.", examples=["Europe/Vienna"]
    )
    field_map: Annotated[Mapping[ItemField, Name], _TABLE] = Field(
        default_factory=dict,
        description="For JSON APIs: our field = where it stands in a record.",
        examples=[{"title": "headline", "url": "links.web"}],
    )
    interval: Annotated[Span, _at_least(MIN_INTERVAL)] | None = Field(
        default=None,
        description="How often to ask; unset follows the feed's own rhythm.",
        examples=["15 min"],
    )
    mirrors: tuple[WebUrl, ...] = Field(
        default=(), description="Other addresses of the same feed, tried in order when it fails."
    )
    proxy: Annotated[str, AfterValidator(kinds.read_proxy)] = Field(
        default="", description="The proxy to ask through; its user info is never shown."
    )
    region: Words = Field(default="", description="A region, in your own words.")
    category: Words = Field(default="", description="A category, in your own words.")
    enabled: bool = Field(default=True, description="False pauses it.")

    def publisher_name(self) -> str:
        """The publisher's domain, as written or from the feed's address."""
        return self.publisher or publisher_domain(self.url)

    def hints(self) -> Hints:
        """What the operator knows about the feed that its pages do not say."""
        return Hints(
            body_selector=self.body_selector,
            metadata_selectors=dict(self.metadata_selectors),
            json_ld=self.json_ld,
            language=self.language,
            zone=self.zone,
            field_map={str(ours): theirs for ours, theirs in self.field_map.items()},
        )


def feeds_twice(feeds: Any) -> list[tuple[int, str, str]]:
    """Feeds whose name or address stands in the list before, as (place, field, expectation).

    Works on data that was not validated yet, so that all problems can be told at once.
    """
    found: list[tuple[int, str, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for place, feed in enumerate(feeds if isinstance(feeds, (list, tuple)) else ()):
        for name, value in _identities(feed):
            before = seen.setdefault((name, value), place)
            if before != place:
                found.append((place, name, f"expected another {name} than that of feeds[{before}]"))
    return found


def _identities(feed: Any) -> list[tuple[str, str]]:
    fields = dict(feed) if isinstance(feed, (Mapping, FeedSettings)) else {}
    name, url = fields.get("name"), fields.get("url")
    found = [("name", name.strip())] if isinstance(name, str) else []
    try:
        return [*found, ("url", identity_key(url))] if isinstance(url, str) else found
    except ValueError:
        return found  # not an address; that is told elsewhere


def _each_once(feeds: tuple[FeedSettings, ...]) -> tuple[FeedSettings, ...]:
    for place, name, expected in feeds_twice(feeds):
        raise PydanticCustomError(TWICE, "feeds[{place}].{name}: {expected}", {"place": place, "name": name, "expected": expected})  # fmt: skip
    return feeds


class Settings(Section):
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
    hosts: Annotated[Mapping[HostName, Pinned], _TABLE] = Field(
        default_factory=dict,
        description="Names that are found at a fixed address:port, without asking DNS.",
        examples=[{"courier.test": "127.0.0.1:8080"}],
    )
    fetch: FetchSettings = FetchSettings()
    scout: ScoutSettings = ScoutSettings()
    store: StoreSettings = StoreSettings()
    rights: RightsSettings = RightsSettings()
    log: LogSettings = LogSettings()
    feeds: Annotated[tuple[FeedSettings, ...], AfterValidator(_each_once)] = Field(
        default=(), description="Feeds to follow; `wireroom sync` brings them into the database.",
        max_length=MAX_FEEDS,
    )  # fmt: skip

    def rest_after_visit(self) -> timedelta:
        """How long a host is left alone after a visit."""
        return 10 * self.fetch.delay if self.scout.rest is None else self.scout.rest

    def store_options(self) -> StoreOptions:
        """The store's part of the settings."""
        return StoreOptions(
            raw_kept_for=self.store.raw_kept_for, busy_timeout=self.store.busy_timeout
        )
