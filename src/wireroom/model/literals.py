"""The fixed vocabularies: every word that a field of a noun may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

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
FeedRole = Literal["primary", "secondary", "fallback"]
FeedState = Literal["live", "paused", "resting", "silent", "gone"]
ObservationAbout = Literal["availability", "quality", "stability"]
PollResult = Literal["items", "same", "moved", "gone", "failed", "spared"]
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
