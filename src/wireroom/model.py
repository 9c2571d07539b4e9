"""The nouns: what the rooms hand to one another.

Frozen, slotted, keyword-only. No I/O, no SQL, no HTTP library, no clock. What a source *says*
(`Item`, `Claim`, `Signal`) and what we *hold* (`Article`, `Feed`, `Verdict`) are different types.
Times are aware UTC and end in `_at`, "not before" ends in `_after`; durations are `timedelta`.
A change is a new value: `dataclasses.replace(feed, failures=0)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

__all__ = [
    "USES",
    "Article",
    "ArticleState",
    "ArticleVersion",
    "Claim",
    "Cluster",
    "Condition",
    "ConditionKind",
    "Dossier",
    "Event",
    "Evidence",
    "Facts",
    "Feed",
    "FeedDocument",
    "FeedHints",
    "FeedKind",
    "FeedState",
    "Finding",
    "FindingVerdict",
    "Hints",
    "Item",
    "Lead",
    "LeadState",
    "Paywall",
    "PollResult",
    "Polled",
    "Problem",
    "ProblemKind",
    "Publisher",
    "Purpose",
    "RawPage",
    "Reading",
    "Receipt",
    "Request",
    "Response",
    "Rhythm",
    "RobotsWord",
    "ServerHints",
    "Signal",
    "Signature",
    "Use",
    "Validators",
    "Verdict",
    "Word",
]

Facts: TypeAlias = Mapping[str, Any]
"""Plain JSON data: what a step, a feed or a page said, kept as it was said."""

Use = Literal["search", "ai-input", "ai-index", "ai-train", "archive"]
USES: tuple[Use, ...] = ("search", "ai-input", "ai-index", "ai-train", "archive")

Word = Literal["allow", "deny", "paid", "unknown"]
FindingVerdict = Literal["yes", "no", "unknown", "failed", "skipped"]
ConditionKind = Literal[
    "attribution", "non-commercial", "territory", "payment", "users", "redistribution"
]
RobotsWord = Literal["allowed", "disallowed", "unknown"]
FeedKind = Literal["rss", "atom", "json", "rdf", "sitemap", "news_sitemap", "json_api"]
FeedState = Literal["live", "paused", "resting", "silent", "gone"]
PollResult = Literal["items", "same", "moved", "gone", "failed"]
LeadState = Literal["new", "fetched", "read", "duplicate", "refused", "retry", "failed"]
ArticleState = Literal["held", "withdrawn"]
Purpose = Literal["scout", "poll", "read"]
Paywall = Literal["free", "metered", "locked", "registration", "unknown"]

ProblemKind = Literal[
    # why a fetch failed
    "dns",
    "connect",
    "tls",
    "timeout",
    "too_large",
    "redirect_loop",
    "robots",
    "rights",
    "private_address",
    "gone",
    "throttled",
    "blocked_waf",
    "challenge",
    "consent_wall",
    "login",
    "payment_required",
    "server_error",
    "bad_response",
    # why what was fetched could not be read
    "unknown_format",
    "no_article",
    "too_complex",
    # our own side
    "our_network",
    "store",
    "internal",
]


# --- what a source is, and what it permits -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Who publishes: one per registered name of the host, without `www.`."""

    domain: str
    name: str = ""
    home_url: str = ""
    added_at: datetime
    scout_after: datetime | None = None
    strategy: str = ""
    """The fetch strategy that worked last; empty means the default order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where exactly something was read."""

    url: str
    line: int | None = None
    excerpt: str = ""
    status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one scouting step found out; "no" and "could not look" are never the same."""

    step: str
    verdict: FindingVerdict
    facts: Facts = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    found_at: datetime
    took: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What one source says about one use; `scope` is a path pattern, empty for everything."""

    family: str
    use: Use
    value: Word
    scope: str = ""
    evidence: Evidence
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A string attached to a permission, with its detail as found (a country, a price)."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What all signals together come to, for one use."""

    use: Use
    value: Word
    conditions: tuple[Condition, ...] = ()
    because: tuple[Signal, ...] = ()
    conflicts: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The rights an article was taken under, as they stood when it was fetched."""

    verdicts: tuple[Verdict, ...] = ()
    robots: RobotsWord = "unknown"
    licence_url: str = ""
    checked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """Everything one scouting brought home about a publisher."""

    publisher: Publisher
    findings: tuple[Finding, ...] = ()
    feeds: tuple[Feed, ...] = ()
    rights: tuple[Verdict, ...] = ()
    scouted_at: datetime


# --- what a publisher offers -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the operator knows about a feed that its pages do not say."""

    body_selector: str = ""
    metadata_selectors: Mapping[str, str] = field(default_factory=dict)
    json_ld: bool = True
    language: str = ""
    zone: str = ""
    field_map: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server gave us to ask "has it changed?", byte for byte as received."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often a feed publishes: a rate per day with its interval, and when in the week."""

    per_day: float
    low: float
    high: float
    confidence: Literal["high", "medium", "low"]
    sample_size: int
    span: timedelta
    source: str
    weekday: tuple[int, ...] = (0,) * 7
    hour: tuple[int, ...] = (0,) * 24
    newest_at: datetime | None = None
    dormant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed we follow, with all that decides when and how it is asked."""

    url: str
    publisher: str
    kind: FeedKind
    name: str = ""
    """How the operator calls it; empty for feeds that scouting found."""
    title: str = ""
    hints: Hints = field(default_factory=Hints)
    interval: timedelta | None = None
    """The operator's wish; None leaves it to the feed's own rhythm."""
    mirrors: tuple[str, ...] = ()
    proxy: str = ""
    region: str = ""
    category: str = ""
    validators: Validators = field(default_factory=Validators)
    rhythm: Rhythm | None = None
    reliability: float = 1.0
    failures: int = 0
    poll_after: datetime | None = None
    """Not to be asked before; None means at once."""
    state: FeedState = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHints:
    """What a feed document says about when to come back."""

    ttl: timedelta | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[str, ...] = ()
    period: timedelta | None = None
    hub_url: str = ""
    self_url: str = ""
    """Where the feed says it lives."""
    cloud_url: str = ""
    """Where rssCloud subscriptions are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerHints:
    """What a server's headers say about when to come back."""

    max_age: timedelta | None = None
    expires_at: datetime | None = None
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a feed, as the feed says it."""

    feed_url: str
    guid: str
    url: str = ""
    title: str = ""
    summary: str = ""
    content_html: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    published_at: datetime | None = None
    updated_at: datetime | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A feed as it was read from bytes."""

    kind: FeedKind | None = None
    title: str = ""
    home_url: str = ""
    items: tuple[Item, ...] = ()
    hints: FeedHints = field(default_factory=FeedHints)
    language: str = ""
    updated_at: datetime | None = None
    truncated: bool = False
    """Whether items are missing: the document was cut off, or a limit of ours left them out."""
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """The outcome of asking one feed once."""

    feed_url: str
    result: PollResult
    items: tuple[Item, ...] = ()
    validators: Validators = field(default_factory=Validators)
    server_hints: ServerHints = field(default_factory=ServerHints)
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """An address worth reading, and how far we got with it."""

    url: str
    publisher: str
    item: Item | None = None
    state: LeadState = "new"
    reason: str = ""
    attempts: int = 0
    read_after: datetime | None = None


# --- traffic -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One address to be asked for, why, and how much of it at most."""

    url: str
    purpose: Purpose
    method: Literal["GET", "HEAD"] = "GET"
    validators: Validators = field(default_factory=Validators)
    accept: str = ""
    max_bytes: int | None = None
    """Of the decoded body; None takes the limit for pages."""
    take_start: bool = False
    """Whether the beginning of a larger body will do; otherwise it is an error."""
    deadline: timedelta | None = None
    """For the whole exchange, redirects included, waiting for the host's turn excluded."""
    strategies: tuple[str, ...] = ()
    """Ways to fetch it, to be tried in this order; empty for the default."""
    proxy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server answered, bytes untouched; header names are lower case, repeats kept."""

    url: str
    final_url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    fetched_at: datetime
    elapsed: timedelta = timedelta()
    strategy: str = ""
    hops: tuple[str, ...] = ()
    """Every address asked on the way, the first included."""
    moved: bool = False
    """Whether the page has moved for good: there were redirects, and all were permanent."""
    truncated: bool = False
    """Whether `body` is only the beginning, as `Request.take_start` allowed."""
    validators: Validators = field(default_factory=Validators)
    """To be sent back with the next request for the same address."""
    server_hints: ServerHints = field(default_factory=ServerHints)
    """When the server says it is worth asking again."""


# --- what we hold ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One assertion about one field: where it stands and how far it is to be trusted."""

    value: Any
    source: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """The bytes an article was read from, when the operator wants them kept."""

    body: bytes
    content_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One normalised article; its id never changes, an edit gives it a new version."""

    id: str
    publisher: str
    url: str
    title: str
    fetched_at: datetime
    feed_url: str = ""
    canonical_url: str = ""
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None
    published_source: str = ""
    modified_at: datetime | None = None
    language: str = ""
    language_tag: str = ""
    tags: tuple[str, ...] = ()
    description: str = ""
    image_url: str = ""
    text: str = ""
    text_hash: str = ""
    word_count: int = 0
    quality: float = 0.0
    paywall: Paywall = "unknown"
    sources: Mapping[str, str] = field(default_factory=dict)
    """Field name to where its value came from."""
    extra: Facts = field(default_factory=dict)
    receipt: Receipt | None = None
    cluster_id: str = ""
    state: ArticleState = "held"
    version: int = 1
    raw: RawPage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The outcome of working on one lead once: its new state, and what came of it."""

    lead: Lead
    article: Article | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleVersion:
    """How an article read before an edit."""

    article_id: str
    version: int
    title: str
    text: str
    text_hash: str
    fetched_at: datetime
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """An article's MinHash: the bands by which likely twins are found, and the whole to compare."""

    article_id: str
    bands: tuple[int, ...]
    minhash: bytes
    language: str = ""
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Articles that tell the same text; one of them per language stands for the rest."""

    id: str
    members: tuple[str, ...]
    canonicals: Mapping[str, str] = field(default_factory=dict)
    """Language to the id of the article that stands for the cluster in it."""
    made_at: datetime


# --- what happened -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that went wrong, in a fixed vocabulary, and when to try again."""

    kind: ProblemKind
    message: str
    subject_url: str = ""
    at: datetime
    retry_after: timedelta | None = None
    permanent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, for those who watch; `seq` is given by the store."""

    kind: str
    subject: str
    at: datetime
    data: Facts = field(default_factory=dict)
    seq: int = 0
