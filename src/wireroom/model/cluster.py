"""Articles that are near-duplicates of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """An article's MinHash: the bands by which likely near-duplicates are found, and the whole to compare."""

    article_id: str
    bands: tuple[int, ...]
    minhash: bytes
    language: str = ""
    seen_at: datetime
    threshold: float | None = None
    """How alike its near-duplicates must be, where its feed has a rule of its own; so the next."""
    window: timedelta | None = None
    """How far back its near-duplicates are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Articles that are near-duplicates of each other; one of them per language is canonical."""

    id: str
    members: tuple[str, ...]
    canonicals: Mapping[str, str] = field(default_factory=dict)
    """Language to the id of the cluster's canonical article in it."""
    made_at: datetime
