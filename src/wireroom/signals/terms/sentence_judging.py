"""What one sentence says of each activity, and what all of them together say.

The strictest word holds. A prohibition stays one where permission could lift it; whatever depends on
more than the sentence tells is conditional; nothing said is silent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from wireroom.model import ConditionKind
from wireroom.parse.metadata.vocabulary import listed
from wireroom.signals.terms.phrases import Table
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


# Who may and who may not: a sentence cut into parts, each of which permits, forbids or depends.
#
# A part begins where the sentence turns from one to the other. Where the place of the turn is in doubt, the
# prohibition gets the larger part, for a permission read into a prohibition is the one error that counts.

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


# A text cut into sentences, each with its place and with the words that introduce it.
#
# "You may not:" and the items below it are one sentence to a reader; so each item knows its lead. What has
# no full stop for too long is cut, and the rest is led by its beginning.

MAX_SENTENCE: Final = 2_000  # characters; the longest sentences of lawyers have some 1,500
MAX_SENTENCES: Final = 8_000  # of one document; the text itself is cut long before that
MAX_WORD: Final = 100  # characters; no phrase has so long a word, and patterns go over words anew
MAX_ITEMS: Final = 60  # that one lead can have
MAX_HEADING: Final = 120  # characters of a line that may be a heading

_LINE: Final = re.compile(r"[^\n]+")
_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++(?=[\"'“„«(\[¿¡§•]*[^\W\d_]|§|\(?\d)"
)
# After these a full stop ends no sentence; single letters and numbers are seen to by rule.
_SHORT: Final = frozenset(
    listed(
        """e.g i.e etc no nos inc ltd co corp vs art arts sec para paras cf approx dept mr mrs ms dr prof st u.s u.k
    abs nr ziff ggf bzw usw evtl inkl exkl vgl z.b d.h u.a i.s.d i.s.v gem sog bspw einschl str lit satz
    al p.ex p ex cie env n° réf sté m mme num núm núms ud uds sr sra srs pág dpto ej p.ej apdo s.a s.l"""
    )
)
_BULLET: Final = re.compile(r"\s*(?:[-–—•*·▪◦]|\(?(?:[a-z]|[ivx]{1,5}|\d{1,2})[).])\s+")
_PLAIN: Final = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "–": "-", "—": "-", "‑": "-", "\u00ad": "", "ß": "ss", "œ": "oe"}
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in the text from `offset` on; a lead has its own place."""

    text: str
    offset: int
    lead: str = ""
    lead_offset: int = 0


def sentences_of(text: str, cut: list[str] | None = None) -> Iterator[Sentence]:
    """Every sentence in order, at most MAX_SENTENCES; which limit was met is put into `cut`."""
    lead: Sentence | None = None
    items = count = 0
    met = [] if cut is None else cut
    for line in _LINE.finditer(text):
        if not line[0].strip():
            continue
        if lead is not None and (items >= MAX_ITEMS or not _is_item(line[0])):
            if _is_item(line[0]):
                met.append(f"more than {MAX_ITEMS} items of one list")
            lead, items = None, 0
        for sentence in _of_line(line[0], line.start()):
            yield _led(sentence, lead)
            count += 1
            if count >= MAX_SENTENCES:
                met.append(f"more than {MAX_SENTENCES:,} sentences")
                return
        if lead is not None:
            items += 1
        if lead is None or (line[0].rstrip().endswith(":") and not _BULLET.match(line[0])):
            lead, items = _lead_of(line[0], line.start()), 0


def folded(text: str) -> str:
    """The text as phrases are written: lower case, no accents, plain signs, single blanks."""
    text = unicodedata.normalize("NFKD", text.lower().translate(_PLAIN))
    words = "".join(char for char in text if not unicodedata.combining(char)).split()
    return " ".join(word[:MAX_WORD] for word in words)


def _led(sentence: Sentence, lead: Sentence | None) -> Sentence:
    if lead is None or sentence.lead:
        return sentence
    return Sentence(sentence.text, sentence.offset, lead.text, lead.offset)


def _lead_of(line: str, offset: int) -> Sentence | None:
    """What introduces the lines below: a last sentence that ends in a colon, or a heading."""
    *_, last = _of_line(line, offset)
    if last.text.endswith(":"):
        return last
    is_heading = len(last.text) <= MAX_HEADING and last.text[-1] not in ".!?;,"
    return last if is_heading else None


def _is_item(line: str) -> bool:
    """Whether a line goes on with a list: it has a bullet, begins small, or ends as items do."""
    if _BULLET.match(line):
        return True
    stripped = line.strip()
    return stripped[0].islower() or stripped[-1] in ";,"


def _of_line(line: str, offset: int) -> Iterator[Sentence]:
    start = 0
    for end in _END.finditer(line):
        if _is_abbreviation(line, end.start()):
            continue
        yield from _pieces(line, start, end.end(), offset)
        start = end.end()
    yield from _pieces(line, start, len(line), offset)


def _pieces(line: str, start: int, end: int, offset: int) -> Iterator[Sentence]:
    first: Sentence | None = None
    for at in range(start, end, MAX_SENTENCE):
        piece = line[at : min(at + MAX_SENTENCE, end)]
        text = piece.strip()
        if not text:
            continue
        place = offset + at + len(piece) - len(piece.lstrip())
        if first is None:
            first = Sentence(text, place)
            yield first
        else:
            yield Sentence(text, place, first.text, first.offset)


def _is_abbreviation(line: str, stop: int) -> bool:
    if line[stop] != ".":
        return False
    word = line[max(0, stop - 20) : stop].rpartition(" ")[2].lstrip("([\"'«„").lower()
    return len(word) <= 1 or word in _SHORT or word.rstrip(".").isdigit()
