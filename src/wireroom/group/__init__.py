"""Group: near-duplicates become clusters. Signs and decides; the LSH bands are rows in the store.

Pure: no clock, no store, no network. `sign` makes of a text what twins are found by; whoever holds the
signatures looks up who shares a band; `place` decides who belongs together and who stands for them.
"""

from __future__ import annotations

from wireroom.group.choosing import Choice, Trust, choose
from wireroom.group.deciding import Decision, dissolve, place, split, stand_alone
from wireroom.group.likeness import Likeness, explain
from wireroom.group.options import GroupOptions
from wireroom.group.quality import ContentQuality, content_quality
from wireroom.group.signing import sign

__all__ = [
    "Choice",
    "ContentQuality",
    "Decision",
    "GroupOptions",
    "Likeness",
    "Trust",
    "choose",
    "content_quality",
    "dissolve",
    "explain",
    "place",
    "sign",
    "split",
    "stand_alone",
]
