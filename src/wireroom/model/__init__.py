"""The types that rooms pass on.

Frozen, slotted, keyword-only. No I/O, no SQL, no HTTP library, no clock. What a source *says*
(`Item`, `Claim`, `Signal`) and what we *hold* (`Article`, `Feed`, `Verdict`) are different types.
Times are aware UTC and end in `_at`, "not before" ends in `_after`; durations are `timedelta`.
A change is a new value: `dataclasses.replace(feed, failures=0)`.
"""

from __future__ import annotations

from wireroom.model.article import (
    Article,
    ArticleVersion,
    Boilerplate,
    Claim,
    Lead,
    Original,
    RawPage,
    Reading,
)
from wireroom.model.cluster import Cluster, Signature
from wireroom.model.events import Event, Problem
from wireroom.model.feed import (
    Feed,
    FeedDocument,
    FeedHints,
    Item,
    Observation,
    Polled,
    PollHistory,
    Rhythm,
    ServerHints,
    Validators,
)
from wireroom.model.feed_options import (
    OPTIONS,
    FeedOptions,
    Hints,
    category_path,
    nested_category,
    with_options,
)
from wireroom.model.http import Request, Response
from wireroom.model.literals import (
    USES,
    ArticleState,
    ConditionKind,
    Facts,
    FeedKind,
    FeedRole,
    FeedState,
    FindingOutcome,
    LeadCause,
    LeadState,
    ObservationAbout,
    ObservationCause,
    Paywall,
    PollResult,
    ProblemKind,
    Purpose,
    RemovalCause,
    RobotsWord,
    Use,
    Word,
)
from wireroom.model.publisher import Dossier, Publisher
from wireroom.model.rights import (
    Condition,
    Evidence,
    Finding,
    Receipt,
    Removal,
    Signal,
    TypedFacts,
    Verdict,
)

__all__ = [
    "OPTIONS",
    "USES",
    "Article",
    "ArticleState",
    "ArticleVersion",
    "Boilerplate",
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
    "FeedOptions",
    "FeedRole",
    "FeedState",
    "Finding",
    "FindingOutcome",
    "Hints",
    "Item",
    "Lead",
    "LeadCause",
    "LeadState",
    "Observation",
    "ObservationAbout",
    "ObservationCause",
    "Original",
    "Paywall",
    "PollHistory",
    "PollResult",
    "Polled",
    "Problem",
    "ProblemKind",
    "Publisher",
    "Purpose",
    "RawPage",
    "Reading",
    "Receipt",
    "Removal",
    "RemovalCause",
    "Request",
    "Response",
    "Rhythm",
    "RobotsWord",
    "ServerHints",
    "Signal",
    "Signature",
    "TypedFacts",
    "Use",
    "Validators",
    "Verdict",
    "Word",
    "category_path",
    "nested_category",
    "with_options",
]
