"""Who may and who may not: a sentence cut into parts, each of which permits, forbids or depends.

A part begins where the sentence turns from one to the other. Where the place of the turn is in doubt, the
prohibition gets the larger part, for a permission read into a prohibition is the one error that counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from wireroom.signals.terms.phrases import Table

Modality = Literal["forbids", "reserves", "requires", "doubts", "permits", "ours"]
# Found in this order; what one has found is hidden from the next: "not permitted" permits nothing.
_ORDER: Final[tuple[Modality, ...]] = (
    "doubts",
    "ours",
    "forbids",
    "reserves",
    "requires",
    "permits",
)
_HIDDEN: Final = "\x1f"
_STRONG_SIGNS: Final = ";"
_WEAK_SIGNS: Final = ","


class _Event(NamedTuple):
    start: int
    end: int
    modality: Modality


@dataclass(frozen=True, slots=True)
class SentencePart:
    """Some words of a sentence, and all that governs them."""

    text: str
    modalities: frozenset[Modality]


@dataclass(frozen=True, slots=True)
class SentenceParts:
    """A sentence in parts; exceptions hold for all of it and are no part's words."""

    parts: tuple[SentencePart, ...]
    exceptions: tuple[str, ...] = ()


def part_sentence(folded: str, table: Table) -> SentenceParts:
    """The parts of a folded sentence; one part without any modality when nothing is said."""
    exceptions = tuple(match[0] for match in table.exceptions.finditer(folded))
    spoken = table.exceptions.sub(_hide, folded)
    events = _events(spoken, table)
    cuts = [0, *_cuts(spoken, events, table), len(spoken)]
    parts = []
    for start, end in pairwise(cuts):
        modalities = frozenset(event.modality for event in events if start <= event.start < end)
        parts.append(SentencePart(spoken[start:end], modalities))
    return SentenceParts(tuple(parts), exceptions)


def _hide(match: re.Match[str]) -> str:
    return _HIDDEN * len(match[0])


def _events(spoken: str, table: Table) -> list[_Event]:
    found: list[_Event] = []
    for modality in _ORDER:
        pattern: re.Pattern[str] = getattr(table, modality)
        found.extend(_Event(*match.span(), modality) for match in pattern.finditer(spoken))
        spoken = pattern.sub(_hide, spoken)
    return sorted(found)


def _cuts(spoken: str, events: list[_Event], table: Table) -> list[int]:
    """Where parts begin: between neighbours that say different things."""
    cuts = []
    for event, other in pairwise(events):
        if _is_strict(event) == _is_strict(other) and event.modality != "ours" != other.modality:
            continue
        between = spoken[event.end : other.start]
        place = _turn(between, table, late=_is_strict(event))
        if place is not None:
            cuts.append(event.end + place)
    return cuts


def _is_strict(event: _Event) -> bool:
    return event.modality in {"forbids", "reserves"}


def _turn(between: str, table: Table, *, late: bool) -> int | None:
    """The word or sign at which it turns; the last one where the first half forbids."""
    for words, signs in ((table.turns, _STRONG_SIGNS), (table.joints, _WEAK_SIGNS)):
        whole = re.compile(rf"(?:{words.pattern})\b")
        places = [match.start() for match in whole.finditer(between)]
        places += [place for place, char in enumerate(between) if char in signs]
        if places:
            return max(places) if late else min(places)
    return None
