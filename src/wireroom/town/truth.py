"""The truth about an article: what a perfect reader would take from its page.

Frozen values only; nothing here knows how a page is written or served.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

from wireroom.model import Paywall

BlockKind = Literal["paragraph", "heading", "quote", "item", "row", "code", "caption"]
EditKind = Literal["correction", "update", "withdrawal"]

# Items of one list and rows of one table stand on lines of their own, everything else apart.
_CLOSE_TOGETHER = frozenset({"item", "row"})


@dataclass(frozen=True, slots=True)
class StoryBlock:
    """One piece of an article's text, in reading order; a row keeps its cells."""

    kind: BlockKind
    text: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoryEdit:
    """A change that the publisher makes to an article after it came out."""

    kind: EditKind
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One article of the town as it stands at one moment."""

    publisher: str
    number: int
    url: str
    canonical_url: str
    title: str
    authors: tuple[str, ...]
    published_at: datetime
    modified_at: datetime | None
    language: str
    language_tag: str
    section: str
    tags: tuple[str, ...]
    description: str
    image_url: str
    paywall: Paywall
    blocks: tuple[StoryBlock, ...]
    """The whole text, also where the page holds only a part of it."""
    shown: int
    """How many of the blocks the page holds; fewer than all of them behind a wall."""
    version: int = 1
    withdrawn: bool = False
    edits: tuple[StoryEdit, ...] = ()
    """All edits, those that are still to come included."""
    reprint_of: str = ""
    """The address of the original, on a syndicator's page."""
    subject: str = ""

    @property
    def text(self) -> str:
        """The whole text: blocks apart by a blank line, list items and table rows by a line."""
        return _join(self.blocks)

    @property
    def shown_blocks(self) -> tuple[StoryBlock, ...]:
        """The blocks that the page holds."""
        return self.blocks[: self.shown]

    @property
    def shown_text(self) -> str:
        """The text that the page holds."""
        return _join(self.shown_blocks)


def _join(blocks: tuple[StoryBlock, ...]) -> str:
    parts: list[str] = []
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        between = "\n" if kind in _CLOSE_TOGETHER else "\n\n"
        parts.append(between.join(block.text for block in group))
    return "\n\n".join(parts)
