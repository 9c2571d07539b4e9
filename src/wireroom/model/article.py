"""What we hold: leads, the articles they end in, and what each field rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wireroom.model.cluster import Signature
from wireroom.model.events import Problem
from wireroom.model.feed import Item, Observation
from wireroom.model.literals import ArticleState, Facts, LeadCause, LeadState, Paywall
from wireroom.model.rights import Receipt


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
class Original:
    """What a reprint says of its original: where that stands, and the rights it was taken under."""

    id: str
    publisher: str
    url: str
    feed_url: str = ""
    published_at: datetime | None = None
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One normalised article; its id never changes, an edit gives it a new version."""

    id: str
    publisher: str
    url: str
    title: str
    fetched_at: datetime
    arrived_at: datetime | None = field(default=None, compare=False)
    """When it was first read, which the store notes; `fetched_at` is when it was read last."""
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
    layout: str = ""
    """What each paragraph of the text was on its page, see `wireroom.parse.body.layout`; empty when unknown."""
    captions: tuple[str, ...] = ()
    """What stands below its images, and what these say of themselves; no part of the text unless asked for."""
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
    original: Original | None = None
    """The earliest article that tells the same text, where this one is a reprint; looked up when it is shown or exported."""
    raw: RawPage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """An address worth reading, and how far we got with it."""

    url: str
    publisher: str
    item: Item | None = None
    state: LeadState = "new"
    cause: LeadCause = LeadCause.NONE
    """What the state rests on."""
    reason: str = ""
    """The same in prose, for people."""
    attempts: int = 0
    read_after: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The outcome of working on one lead once: its new state, and what came of it."""

    lead: Lead
    article: Article | None = None
    problem: Problem | None = None
    signature: Signature | None = None
    """Of the article's text, for finding its near-duplicates; none for a text that is too short."""
    blocks: tuple[str, ...] = ()
    """The `block_hash` of each block that was kept: what the publisher's memory counts."""
    observations: tuple[Observation, ...] = ()
    """What the reading says of the feed that led to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boilerplate:
    """What is known of a publisher's boilerplate: blocks that repeat across its articles."""

    publisher: str
    pages: int = 0
    """Articles counted, old ones for less."""
    boilerplate: tuple[str, ...] = ()
    """The `block_hash` of each block that belongs to no article of its own."""
    learnt_at: datetime


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
    layout: str = ""
