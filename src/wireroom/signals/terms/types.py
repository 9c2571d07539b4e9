"""What reading terms of service gives back. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from wireroom.model import ConditionKind

Activity = Literal[
    "scraping",
    "ai_ml",
    "manual_use",
    "archiving",
    "tdm",
    "api_rss",
    "redistribution",
    "ugc",
]
ACTIVITIES: Final[tuple[Activity, ...]] = (
    "scraping",
    "ai_ml",
    "manual_use",
    "archiving",
    "tdm",
    "api_rss",
    "redistribution",
    "ugc",
)
"""What terms of service are judged on."""

ActivityWord = Literal["permitted", "prohibited", "conditional", "silent"]
STRICTNESS: Final[dict[ActivityWord, int]] = {
    "silent": 0,
    "permitted": 1,
    "conditional": 2,
    "prohibited": 3,
}
"""Of several words about one activity the strictest holds."""

Method = Literal["rules", "model"]
DocumentType = Literal[
    "terms_of_use", "terms_of_sale", "legal_notice", "licence", "privacy_policy", "unknown"
]
TermsState = Literal["judged", "language", "empty"]
"""Whether words were looked for; if not, because of its language or because there is no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What one sentence says of one activity."""

    activity: Activity
    word: ActivityWord
    quote: str = ""
    """As it stands in the text, from `offset` on."""
    offset: int = 0
    by_permission: bool = False
    """Whether the sentence leaves a way open: with the publisher's permission."""
    conditions: Mapping[ConditionKind, str] = field(default_factory=dict)
    """What else the sentence asks for, each with the words that say so."""
    because: str = ""
    """Why, where the sentence does not name the activity itself."""
    method: Method = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsReading:
    """A whole document: one passage for every activity, silent ones included."""

    state: TermsState
    activities: Mapping[Activity, Passage]
    language: str = ""
    document_type: DocumentType = "unknown"
    territorial_exceptions: tuple[str, ...] = ()
    arbitration_clauses: tuple[str, ...] = ()
    confidence: float = 0.0
    """0 to 1: how far the words can be trusted."""
    conflicts: tuple[Activity, ...] = ()
    """Activities that one sentence permits and another forbids; the stricter word holds."""
    truncated: bool = False
    words: int = 0
