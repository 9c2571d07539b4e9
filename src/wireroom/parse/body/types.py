"""What reading a body gives back: its blocks and what is to be thought of them. Frozen, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["precision", "balanced", "recall"]
"""What to do when in doubt: rather leave out, neither, rather keep."""

BlockKind = Literal[
    "text",  # text that stands in no paragraph: directly in a div
    "paragraph",
    "heading",
    "item",
    "term",
    "definition",
    "cell",
    "quote",
    "code",
    "caption",
    "alt",  # what an image says of itself
]
SpanKind = Literal["link", "strong", "emphasis", "code", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineSpan:
    """A link or an emphasis inside a block: from character `start` up to, not including, `end`."""

    start: int
    end: int
    kind: SpanKind
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One paragraph, heading, item, cell …, and why it was kept or dropped."""

    kind: BlockKind
    text: str
    kept: bool
    probability: float
    """How likely it belongs to the body, by the weights alone."""
    reason: str
    """What decided: the weights, or the name of a rule."""
    level: int = 0
    """Of a heading, 1 to 6; of an item, how deep its list is nested, from 1."""
    number: int = 0
    """Of an item in a numbered list, else 0."""
    continues: bool = False
    """An item's or a cell's further paragraph."""
    row: int = 0
    """Of a cell: equal for the cells of one row, different for every row of the page; else 0."""
    column: int = 0
    """Of a cell: its place in the row, from 1, empty cells and spans counted; else 0."""
    quoted: bool = False
    """It stands inside a quotation."""
    marks: tuple[InlineSpan, ...] = ()
    path: str = ""
    """Where it stands in the page, for the explain view only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutline:
    """The whole page in numbers, dropped blocks included, for whoever judges what kind it is."""

    blocks: int = 0
    characters: int = 0
    linked_share: float = 0.0
    """Of the characters, those in links."""
    signposts: int = 0
    """Blocks that are mostly links."""
    prose: int = 0
    """Characters of long blocks that are not mostly links."""
    prose_blocks: int = 0
    container_prose: int = 0
    """Of the prose, what stands in the best container."""
    likelihood: float = 0.0
    """Mean probability of all blocks, by their length."""
    labels: int = 0
    """Blocks of a few words."""
    prices: int = 0
    """Currency signs in such blocks."""
    alike: int = 0
    """Blocks that look like several others."""
    most_alike: int = 0
    """Blocks of the most frequent look."""
    sentences: int = 0
    """Blocks that end like a sentence."""
    headings: int = 0
    cells: int = 0
    images: int = 0
    """Images that say something of themselves."""
    articles: int = 0
    """Elements called article."""
    forms: int = 0
    opening: str = ""
    """The first words of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a page, and how far it is to be trusted."""

    text: str
    """Without captions, unless these were asked for."""
    blocks: tuple[Block, ...]
    """The kept ones in order; all of them when the body was read with `explain`."""
    word_count: int
    confidence: float
    """0 to 1; falls when the reading is doubtful."""
    doubts: tuple[str, ...] = ()
    """Why the confidence is not higher."""
    agreement: float = 1.0
    """How much the two candidates have in common: what the weights keep, what the container holds."""
    outline: PageOutline = PageOutline()
    """The page around it, in numbers."""
    with_captions: bool = False
    """Whether captions and the words of images stand in the text."""

    def captions(self) -> tuple[str, ...]:
        """The captions, and the words of images that have none, in order."""
        return tuple(b.text for b in self.blocks if b.kept and b.kind in ("caption", "alt"))
