"""A text cut into sentences, each with its place and with the words that introduce it.

"You may not:" and the items below it are one sentence to a reader; so each item knows its lead. What has
no full stop for too long is cut, and the rest is led by its beginning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wireroom.parse.metadata.vocabulary import listed

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


def sentences_of(text: str) -> Iterator[Sentence]:
    """Every sentence in order, at most MAX_SENTENCES."""
    lead: Sentence | None = None
    items = count = 0
    for line in _LINE.finditer(text):
        if not line[0].strip():
            continue
        if lead is not None and (items >= MAX_ITEMS or not _is_item(line[0])):
            lead, items = None, 0
        for sentence in _of_line(line[0], line.start()):
            yield _led(sentence, lead)
            count += 1
            if count >= MAX_SENTENCES:
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
