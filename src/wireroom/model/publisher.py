"""Who publishes, and everything one scout found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from wireroom.model.feed import Feed
from wireroom.model.literals import Use, Word
from wireroom.model.rights import Finding, Verdict


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
class Dossier:
    """Everything one scout found about a publisher."""

    publisher: Publisher
    findings: tuple[Finding, ...] = ()
    feeds: tuple[Feed, ...] = ()
    rights: tuple[Verdict, ...] = ()
    scouted_at: datetime
    moved_from: str = ""
    """The front page that was asked for, where its publisher has moved here; known to whoever asked, and not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherSummary:
    """What a list shows of a publisher: the last whole scout in a few words, kept so that no dossier has to be read."""

    scouted_at: datetime
    verdicts: Mapping[Use, Word] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    """Signals that say something about any use, by their names."""
    unread: tuple[str, ...] = ()
    """Signals that might refuse a use and could not be read."""
    grade: str = ""
    points: int = 0
    language: str = ""
    """That of most of its feeds; empty where none names one."""
    rhythm: str = ""
    """How often it publishes, in words; empty where that is not known."""
    per_day: float | None = None
    feeds_offered: int = 0
    """Feeds that the scout could read, followed or not."""
    rights_changed_at: datetime | None = None
    """When a scout last found another verdict, or another line of a signal; None where that never happened."""
    signs: tuple[str, ...] = ()
    """Signs that the scout went wrong."""
    has_news_sitemap: bool = False
