"""What reading a document of Really Simple Licensing gives back. No logic.

Vocabulary of RSL 1.0, Recommendation of November 2025 with its errata up to June 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

NAMESPACE: Final = "https://rslstandard.org/rsl"
USAGES: Final = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search")
OLD_USAGES: Final = {
    "train-ai": "ai-train",
    "train-genai": "ai-train",
    "ai-inference": "ai-input",
    "inference": "ai-input",
    "ai-use": "ai-input",
    "ai-summarize": "ai-input",
}
"""Words of drafts, and what they are called now."""
USERS: Final = ("commercial", "non-commercial", "education", "government", "personal")
PAYMENTS: Final = (
    "purchase",
    "subscription",
    "training",
    "crawl",
    "use",
    "contribution",
    "attribution",
    "free",
    "inference",
    "royalty",
)
"""The last two are of drafts."""

RslPlace = Literal["robots", "header", "html_link", "html_script", "feed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RslPayment:
    """What a licence costs, and how it is paid."""

    type: str = "free"
    standard_urls: tuple[str, ...] = ()
    custom_url: str = ""
    amount: str = ""
    currency: str = ""
    accepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslLegal:
    """A statement about the licence: a warranty, a disclaimer, an attestation, a contact, a proof."""

    type: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslReporting:
    """What has to be reported, and where."""

    type: str
    profile: str = ""
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslLicence:
    """One licence; None for a list that is not there, which is not the same as an empty one."""

    permits_usage: tuple[str, ...] | None = None
    permits_user: tuple[str, ...] | None = None
    permits_geo: tuple[str, ...] | None = None
    prohibits_usage: tuple[str, ...] = ()
    prohibits_user: tuple[str, ...] = ()
    prohibits_geo: tuple[str, ...] = ()
    payments: tuple[RslPayment, ...] = ()
    legal: tuple[RslLegal, ...] = ()
    reporting: tuple[RslReporting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslCopyright:
    """Who holds the rights."""

    name: str = ""
    type: str = ""
    email: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslContent:
    """What a set of addresses may be used for; `url` is a path pattern or an address with one."""

    url: str = ""
    server: str = ""
    """Where a token has to be got before the content is used, even if it is free."""
    encrypted: bool = False
    lastmod: str = ""
    line: int | None = None
    licences: tuple[RslLicence, ...] = ()
    copyright: RslCopyright | None = None
    terms_url: str = ""
    schema_url: str = ""
    alternates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslDocument:
    """A whole document."""

    contents: tuple[RslContent, ...] = ()
    max_age_days: int = 30
    mended: bool = False
    """Whether it was not well-formed: what it prohibits holds, what it permits may be half of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslNotice:
    """A place that names a document, and the document when it could be had."""

    place: RslPlace
    licence_url: str = ""
    """Empty where the document stands in the page itself."""
    page_url: str = ""
    line: int | None = None
    agents: tuple[str, ...] = ()
    """Of the group of robots.txt it stands in; none outside of groups."""
    part: bool = False
    """Whether it speaks of an element of the page only."""
    excerpt: str = ""
    document: RslDocument | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslFacts:
    """Every place that names an RSL document, with the document where it could be had."""

    notices: tuple[RslNotice, ...] = ()
