"""What reading the metadata of a page gives back: fields that say where they come from. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from wireroom.dates import Moment
from wireroom.model import Claim, Facts, Paywall

T = TypeVar("T")

Format = Literal["json-ld", "opengraph", "microdata", "twitter"]
FORMATS: tuple[Format, ...] = ("json-ld", "opengraph", "microdata", "twitter")
KEY_FIELDS: tuple[str, ...] = (
    "headline",
    "author",
    "datePublished",
    "dateModified",
    "image",
    "description",
    "isAccessibleForFree",
    "wordCount",
    "articleSection",
    "inLanguage",
    "keywords",
)
"""What is looked for in each format, under the names of schema.org."""

FormatTable: TypeAlias = Mapping[Format, Mapping[str, Any]]
"""Per format, not merged: key fields found, and `publisher` and `@type` where they are said."""

Precedence = Literal["page", "feed"]
"""Who is believed first when the page and its feed item differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Generic[T]):
    """One field: its value, where it comes from, how far to trust it, and all that was said."""

    value: T
    source: str = ""
    """Empty when nothing is known."""
    confidence: float = 0.0
    claims: tuple[Claim, ...] = ()
    """Every assertion about the field, the one most trusted first."""
    notes: tuple[str, ...] = ()
    """What is odd about it, in words for the explain view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """All a page says of itself besides its body; unknown stays empty."""

    title: Field[str]
    authors: Field[tuple[str, ...]]
    published: Field[Moment | None]
    modified: Field[Moment | None]
    language: Field[str]
    """ISO 639-1."""
    language_tag: Field[str]
    """BCP 47, as full as it was said."""
    tags: Field[tuple[str, ...]]
    section: Field[str]
    description: Field[str]
    image_url: Field[str]
    canonical_url: Field[str]
    """Empty when the page names none that is plausible; the claims show what was refused."""
    licence_url: Field[str]
    publisher: Field[str]
    """The name of whoever publishes."""
    paywall: Field[Paywall]
    """Its claims are the evidence."""
    formats: FormatTable = field(default_factory=dict)
    """Only the formats that were found."""
    selected: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """What the operator's selectors matched, by name."""
    json_ld: tuple[Facts, ...] = ()
    """The objects as the page wrote them."""
    extra: Facts = field(default_factory=dict)
    """Addresses of other forms of the page, and what else is worth keeping."""
    notes: tuple[str, ...] = ()
    """What could not be read or was left out."""
