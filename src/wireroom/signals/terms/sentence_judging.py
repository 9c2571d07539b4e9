"""What one sentence says of each activity, and what all of them together say.

The strictest word holds. A prohibition stays one where permission could lift it; whatever depends on
more than the sentence tells is conditional; nothing said is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from wireroom.model import ConditionKind
from wireroom.signals.terms.modality import Modality, SentencePart, SentenceParts, part_sentence
from wireroom.signals.terms.phrases import Table
from wireroom.signals.terms.sentences import Sentence, folded
from wireroom.signals.terms.types import (
    ACTIVITIES,
    STRICTNESS,
    Activity,
    ActivityWord,
    Passage,
)

MAX_QUOTE: Final = (
    700  # characters that a report shows; a longer sentence is quoted from its beginning
)
NEAR: Final = 30  # characters before a purpose in which it may be named as one of several
MAX_DETAIL: Final = 80  # characters of the words that state a condition

_MINING: Final[frozenset[Activity]] = frozenset({"ai_ml", "tdm"})
_DERIVING: Final[tuple[Activity, ...]] = ("ai_ml", "redistribution")
_PERSONAL: Final = frozenset({"non-commercial"})


def judge_sentence(sentence: Sentence, text: str, table: Table) -> Iterator[Passage]:
    """A passage for every activity the sentence speaks of."""
    words = folded(sentence.text)
    if not _speaks(words, table) or table.personal_data.search(words):
        return
    lead = part_sentence(folded(sentence.lead), table).parts[-1] if sentence.lead else None
    quote, offset = _quote(sentence, text, with_lead=bool(lead and lead.modalities))
    for passage in _passages(words, lead, table):
        yield replace(passage, quote=quote, offset=offset)


def _speaks(words: str, table: Table) -> bool:
    """Whether the sentence is about any activity at all; most of most documents are not."""
    others = (table.derivative, table.granted_to_us)
    return bool(_topics(words, table)) or any(pattern.search(words) for pattern in others)


def _passages(words: str, lead: SentencePart | None, table: Table) -> Iterator[Passage]:
    """The passages of a folded sentence, still without their quote."""
    if table.granted_to_us.search(words) and table.reader_content.search(words):
        because = "readers license what they write to the publisher"
        yield Passage(activity="ugc", word="conditional", because=because)
        return
    parted = part_sentence(words, table)
    by_permission = any(table.permission.search(exception) for exception in parted.exceptions)
    for part in parted.parts:
        governed = _governed(part, parted.parts, lead)
        for activity, word, because in _words(part, governed, table, bool(parted.exceptions)):
            yield Passage(
                activity=activity,
                word=word,
                by_permission=by_permission,
                conditions=_conditions(part.text, table),
                because=because,
            )
    for activity in _left_out(parted, table):
        yield Passage(activity=activity, word="conditional", because="left out of a permission")


def strictest(passages: Iterable[Passage]) -> dict[Activity, Passage]:
    """One passage for every activity: of the strictest word, the first to say it."""
    held = {activity: Passage(activity=activity, word="silent") for activity in ACTIVITIES}
    for passage in passages:
        if STRICTNESS[passage.word] > STRICTNESS[held[passage.activity].word]:
            held[passage.activity] = passage
    return held


def conflicts_of(passages: Iterable[Passage]) -> tuple[Activity, ...]:
    """Activities that are permitted here and prohibited there."""
    words: dict[Activity, set[ActivityWord]] = {}
    for passage in passages:
        words.setdefault(passage.activity, set()).add(passage.word)
    return tuple(
        activity
        for activity in ACTIVITIES
        if {"permitted", "prohibited"} <= words.get(activity, set())
    )


def _left_out(parted: SentenceParts, table: Table) -> list[Activity]:
    """What a permission names as its exception: "you may do anything, except for training"."""
    modalities = frozenset(modality for part in parted.parts for modality in part.modalities)
    if "permits" not in modalities or modalities & {"forbids", "reserves"}:
        return []
    return [activity for exception in parted.exceptions for activity in _topics(exception, table)]


def _quote(sentence: Sentence, text: str, *, with_lead: bool) -> tuple[str, int]:
    """The sentence as it stands, from its lead on where that fits."""
    end = sentence.offset + len(sentence.text)
    if with_lead and end - sentence.lead_offset <= MAX_QUOTE:
        return text[sentence.lead_offset : end], sentence.lead_offset
    return sentence.text[:MAX_QUOTE].rstrip(), sentence.offset


def _governed(
    part: SentencePart, parts: tuple[SentencePart, ...], lead: SentencePart | None
) -> frozenset[Modality]:
    """What governs the words: their own, those of the lead, else those of their neighbours."""
    own = part.modalities | (lead.modalities if lead else frozenset())
    return own or frozenset(modality for other in parts for modality in other.modalities)


def _words(
    part: SentencePart, governed: frozenset[Modality], table: Table, excepted: bool
) -> Iterator[tuple[Activity, ActivityWord, str]]:
    word = _word(part.text, governed, table, excepted)
    if word == "silent":
        return
    topics = _topics(part.text, table)
    of_readers = _is_of_readers(part.text, table)
    for activity in topics:
        if of_readers and activity != "ugc":
            continue
        yield activity, _fitted(activity, word, part.text, governed, table), ""
    if word != "permitted" and table.derivative.search(part.text):
        for activity in _DERIVING:
            yield activity, "conditional", "derivative works are not free"


def _word(text: str, governed: frozenset[Modality], table: Table, excepted: bool) -> ActivityWord:
    """What the part says of whatever it speaks of."""
    if governed & {"forbids", "reserves"}:
        return "conditional" if _is_commercial_only(text, table) else "prohibited"
    if "ours" in governed and not governed & {"requires", "permits"}:
        return "silent"
    if governed & {"requires", "doubts"}:
        return "conditional"
    if "permits" in governed:
        asked = text.rstrip().endswith("?")  # the answer stands elsewhere
        shadowed = asked or excepted or table.shadows.search(text) or _conditions(text, table)
        return "conditional" if shadowed else "permitted"
    return "silent"


def _fitted(
    activity: Activity,
    word: ActivityWord,
    text: str,
    governed: frozenset[Modality],
    table: Table,
) -> ActivityWord:
    """The word for this activity: reading for oneself is permitted even where that is its limit."""
    if governed <= {"reserves"} and activity not in _MINING:
        return "silent"
    if activity != "manual_use":
        return word
    if word == "prohibited":
        return word if table.manual_forbidden.search(text) else "silent"
    is_personal = set(_conditions(text, table)) <= _PERSONAL
    is_plain = "doubts" not in governed and not _is_shadowed(text, table) and "?" not in text
    return "permitted" if "permits" in governed and is_personal and is_plain else word


def _is_shadowed(text: str, table: Table) -> bool:
    """Whether a negation is left when the words that limit to personal use are out of the way."""
    return table.shadows.search(table.personal.sub(" ", text)) is not None


def _is_commercial_only(text: str, table: Table) -> bool:
    """Whether a prohibition spares what is not commercial."""
    found = table.commercial_only.search(text)
    if found is None:
        return False
    before = text[max(0, found.start() - NEAR) : found.start()]
    return table.whatever.search(before) is None


def _topics(text: str, table: Table) -> list[Activity]:
    found = [
        activity
        for activity in ACTIVITIES
        if activity in table.topics and table.topics[activity].search(text)
    ]
    return [*found, "ugc"] if _is_of_readers(text, table) else found


def _is_of_readers(text: str, table: Table) -> bool:
    """Whether it is about reusing what readers wrote."""
    return bool(table.reader_content.search(text) and table.reuse.search(text))


def _conditions(text: str, table: Table) -> Mapping[ConditionKind, str]:
    """The conditions that the words state, each with those words."""
    found: dict[ConditionKind, str] = {}
    for kind, pattern in table.conditions.items():
        match = pattern.search(text)
        if match is not None:
            found[kind] = match[0].strip()[:MAX_DETAIL]
    return found
