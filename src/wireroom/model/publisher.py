"""Who publishes, and everything one scout found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wireroom.model.feed import Feed
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
