"""What reading a body gives back: its blocks and what is to be thought of them. Frozen, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

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
    "image",  # the image itself, where images are asked for; its text is what it says of itself
]
SpanKind = Literal["link", "strong", "emphasis", "code", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineSpan:
    """A link or an emphasis inside a block: from character `start` up to, not including, `end`."""

    start: int
    end: int
    kind: SpanKind
    url: str = ""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One paragraph, heading, item, cell …, and why it was kept or dropped.

    A struct, for a page has a hundred: a frozen dataclass of as many fields takes thirty times as long to make.
    """

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
    url: str = ""
    """Of an image: where it is."""
    path: str = ""
    """Where it stands in the page, for the explain view only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleImage:
    """An image of the article, and where among the blocks of its body it stands."""

    url: str
    alt: str
    """What it says of itself."""
    before: int
    """The place of the block before which it stands; as many as there are blocks at the end."""


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
    images: tuple[ArticleImage, ...] = ()
    """The images of the article, in order, where they were asked for."""

    def captions(self) -> tuple[str, ...]:
        """The captions, and the words of images that have none, in order."""
        return tuple(b.text for b in self.blocks if b.kept and b.kind in ("caption", "alt"))

    def with_images(self) -> tuple[Block, ...]:
        """The blocks with the images between them."""
        if not self.images:
            return self.blocks
        blocks: list[Block] = []
        start = 0
        for image in self.images:
            blocks += self.blocks[start : image.before]
            blocks.append(image_block(image.url, image.alt))
            start = max(start, image.before)
        return (*blocks, *self.blocks[start:])


def image_block(url: str, alt: str) -> Block:
    """An image as a block."""
    return Block(kind="image", text=alt, kept=True, probability=1.0, reason="image", url=url)
