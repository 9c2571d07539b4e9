"""The fixed vocabularies: every word that a field of a type may hold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Any, Literal, TypeAlias

Facts: TypeAlias = Mapping[str, Any]
"""Plain JSON data: what a step, a feed or a page said, kept as it was said."""
Use = Literal["search", "ai-input", "ai-index", "ai-train", "archive"]
USES: tuple[Use, ...] = ("search", "ai-input", "ai-index", "ai-train", "archive")
USE_MEANINGS: Mapping[Use, str] = {
    "search": "index it and show a link with a snippet",
    "ai-input": "give it to a model that answers a question",
    "ai-index": "keep it in an index that models search",
    "ai-train": "train a model on it",
    "archive": "keep the full text",
}
"""What each use is, in the same words everywhere."""
Word = Literal["allow", "deny", "paid", "unknown"]
FindingOutcome = Literal["yes", "no", "unknown", "failed", "skipped"]
ConditionKind = Literal[
    "attribution", "non-commercial", "territory", "payment", "users", "redistribution"
]
RobotsWord = Literal["allowed", "disallowed", "unknown"]
FeedKind = Literal["rss", "atom", "json", "rdf", "sitemap", "news_sitemap", "json_api"]
FeedRole = Literal["primary", "secondary", "fallback"]
Undated = Literal["unknown", "fetched"]
"""What an article without a date gets: nothing, or the time of its fetch, marked as such."""
FeedState = Literal["live", "paused", "resting", "silent", "gone"]
ObservationAbout = Literal["availability", "quality", "stability"]
PollResult = Literal["items", "same", "moved", "gone", "failed", "spared"]
LeadState = Literal["new", "fetched", "read", "duplicate", "refused", "retry", "failed"]
ArticleState = Literal["held", "withdrawn"]
RemovalCause = Literal["rights", "withdrawn", "purged"]
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
    # why a scout did not ask for it: its time, or its requests, were wanted for something else
    "scout_time",
    "scout_requests",
    # our own side
    "our_network",
    "store",
    "internal",
]

NOT_REACHED: frozenset[ProblemKind] = frozenset({"scout_time", "scout_requests"})
"""The kinds of documents that a scout did not get to."""


class Priority(IntEnum):
    """What a scout asks for first when requests or time are short: the lower before the higher."""

    FRONT = 0
    """robots.txt, the homepage and the page in question: all else is found by them."""
    FEED = 1
    """The likeliest of the feeds that are announced."""
    SITEMAP = 2
    """The likeliest of the sitemaps that are named."""
    TERMS = 3
    """Terms and licences that are named."""
    RIGHTS_FILE = 4
    """A file about rights at its well-known address."""
    ARTICLE = 5
    """One article as a sample."""
    MORE = 6
    """More of what is announced, and whatever else a step wants."""
    GUESS = 7
    """An address that nobody has named, where something often is."""


class LeadCause(StrEnum):
    """Why a lead is in its state. Its `reason` says the same in prose, for people alone."""

    NONE = ""
    """Nothing is in its way: it is new, or it was read."""
    ASKED_ANEW = "asked_anew"
    """Somebody wants its page to be fetched, whatever a feed holds of it."""
    DUPLICATE = "duplicate"
    """Another address of an article that is held."""
    BAD_ADDRESS = "bad_address"
    """Its address cannot be asked."""
    ROBOTS = "robots"
    RIGHTS = "rights"
    PRIVATE_ADDRESS = "private_address"
    """We may not ask: its robots.txt, its rights under our policy, an address that is not public."""
    GONE = "gone"
    """404: it may come back."""
    WITHDRAWN = "withdrawn"
    """410 or 451: the publisher took it back."""
    NOT_FETCHED = "not_fetched"
    """The server, or the way to it, failed."""
    UNREADABLE = "unreadable"
    """It was fetched and gave no article."""
    OUR_FAULT = "our_fault"
    """Our network, our store or our own code failed."""
    PURGED = "purged"
    """Its article was removed on purpose: it is never read again."""


class ObservationCause(StrEnum):
    """What an observation is about when later polls depend on it; its `reason` is prose."""

    NONE = ""
    NOT_FOUND = "not_found"
    """404: often enough in a row, and the feed is gone."""
    RENAMED = "renamed"
    """Its items came back under new ids: said once."""
