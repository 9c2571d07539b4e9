"""Two texts compared: what is kept, added and removed, paragraph by paragraph and inside of these word by word. Pure.

Bounded: beyond the limits a paragraph is shown as removed and added whole, and a text as cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal

MAX_PARAGRAPHS: Final = 1_000  # of each text; a novel has more, a story has thirty
MAX_WORDS: Final = 1_000  # of a paragraph that is compared word by word
MAX_COMPARED: Final = 20_000  # words in paragraphs that changed, in all
ALIKE: Final = 0.3  # of its words that a paragraph must share to count as the other one edited

PartKind = Literal["kept", "added", "removed"]
_WORD: Final = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPart:
    """Words that stand in both texts, or in one of them alone."""

    kind: PartKind
    text: str
    """With the white space before its words; the first part of a paragraph has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffParagraph:
    """A paragraph: kept, added or removed whole, or edited."""

    kind: Literal["kept", "added", "removed", "edited"]
    parts: tuple[DiffPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiff:
    """What one text has become in another."""

    paragraphs: tuple[DiffParagraph, ...] = ()
    added: int = 0
    removed: int = 0
    kept: int = 0
    """Words of each."""
    cut: bool = False
    """Whether a text is longer than what was compared."""

    @property
    def is_same(self) -> bool:
        """Whether nothing differs, as far as it was compared."""
        return not (self.added or self.removed or self.cut)


def diff_texts(before: str, after: str) -> TextDiff:
    """What was kept, added and removed from one text to the other."""
    old, new = _paragraphs(before), _paragraphs(after)
    cut = max(len(old), len(new)) > MAX_PARAGRAPHS
    found = tuple(_compare(old[:MAX_PARAGRAPHS], new[:MAX_PARAGRAPHS]))
    counts = dict.fromkeys(("kept", "added", "removed"), 0)
    for paragraph in found:
        for part in paragraph.parts:
            counts[part.kind] += len(part.text.split())
    return TextDiff(paragraphs=found, cut=cut, **counts)


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _compare(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffParagraph]:
    left = MAX_COMPARED
    matcher = SequenceMatcher(None, old, new)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        gone, come = old[start:end], new[new_start:new_end]
        if kind == "equal":
            yield from (_whole("kept", text) for text in come)
            continue
        for was, now in zip_longest(gone, come):
            if was is None or now is None:
                yield _whole("added", now) if now is not None else _whole("removed", was or "")
                continue
            size = len(was.split()) + len(now.split())
            edited = _edited(was, now) if size <= min(left, 2 * MAX_WORDS) else None
            left -= size
            if edited is not None:
                yield edited
            else:
                yield _whole("removed", was)
                yield _whole("added", now)


def _whole(kind: PartKind, text: str) -> DiffParagraph:
    return DiffParagraph(kind=kind, parts=(DiffPart(kind=kind, text=text),))


def _edited(before: str, after: str) -> DiffParagraph | None:
    """The paragraph with its edits; None where the two have too little in common to be one paragraph."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new])
    if matcher.ratio() < ALIKE:
        return None
    parts: list[DiffPart] = []
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            parts.append(DiffPart(kind="kept", text="".join(new[new_start:new_end])))
            continue
        if end > start:
            parts.append(DiffPart(kind="removed", text="".join(old[start:end])))
        if new_end > new_start:
            parts.append(DiffPart(kind="added", text="".join(new[new_start:new_end])))
    return DiffParagraph(kind="edited", parts=tuple(parts))
