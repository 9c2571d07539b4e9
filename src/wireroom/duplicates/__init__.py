"""Duplicates: near-duplicates become clusters. Signs and decides; the LSH bands are rows in the store.

Pure: no clock, no store, no network. `sign` makes of a text what near-duplicates are found by; whoever holds the
signatures looks up who shares a band; `find_near_duplicates` compares them, once a round; `place` decides who
belongs together and which article is canonical.
"""

from __future__ import annotations

from wireroom.duplicates.canonical import (
    CanonicalChoice,
    ContentQuality,
    Trust,
    choose,
    content_quality,
    earliest,
)
from wireroom.duplicates.cluster_options import ClusterOptions
from wireroom.duplicates.clustering import (
    ClusterDecision,
    dissolve,
    find_near_duplicates,
    place,
    split,
    stand_alone,
)
from wireroom.duplicates.minhash import sign
from wireroom.duplicates.similarity import Likeness, explain

__all__ = [
    "CanonicalChoice",
    "ClusterDecision",
    "ClusterOptions",
    "ContentQuality",
    "Likeness",
    "Trust",
    "choose",
    "content_quality",
    "dissolve",
    "earliest",
    "explain",
    "find_near_duplicates",
    "place",
    "sign",
    "split",
    "stand_alone",
]
