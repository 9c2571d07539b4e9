"""Turns the blocks of an article into HTML, in the manner of a layout.

Pure. What intrudes between the paragraphs (boxes, links to other articles) is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

from wireroom.town.truth import StoryBlock

Placed = tuple[int, StoryBlock]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockStyle:
    """How a layout writes each kind of block; `{}` stands for the escaped text."""

    paragraph: str = "<p>{}</p>"
    heading: str = "<h2>{}</h2>"
    quote: str = "<blockquote><p>{}</p></blockquote>"
    code: str = "<pre><code>{}</code></pre>"
    listing: str = "<ul>{}</ul>"
    table: str = "<table>{}</table>"
    caption: str = '<figure><img src="{image}" alt=""><figcaption>{}</figcaption></figure>'
    inline_links: bool = False
    """Whether a word of the paragraphs is a link, as writers of the web do."""


def blocks_html(
    blocks: tuple[StoryBlock, ...], style: BlockStyle, *, image: str, intruders: Mapping[int, str]
) -> str:
    """The article's text as HTML; an intruder follows the block at its place."""
    parts: list[str] = []
    for kind, group in groupby(enumerate(blocks), key=lambda placed: placed[1].kind):
        placed = list(group)
        if kind == "item":
            parts.append(style.listing.format("".join(_item(block) for _, block in placed)))
        elif kind == "row":
            parts.append(style.table.format(_rows(placed)))
        else:
            for place, block in placed:
                parts.append(_plain(block, style, image))
                parts.append(intruders.get(place, ""))
            continue
        parts += [intruders.get(place, "") for place, _ in placed]
    return "\n".join(part for part in parts if part)


def _plain(block: StoryBlock, style: BlockStyle, image: str) -> str:
    text = escape(block.text, quote=False)
    if block.kind == "paragraph":
        return style.paragraph.format(_with_link(text) if style.inline_links else text)
    templates = {"heading": style.heading, "quote": style.quote, "code": style.code}
    if block.kind in templates:
        return templates[block.kind].format(text)
    return style.caption.format(text, image=image)


def _with_link(text: str) -> str:
    """The text with its third word linked, where words are written apart."""
    words = text.split(" ")
    if len(words) < 8 or "&" in words[2]:
        return text
    words[2] = f'<a href="/">{words[2]}</a>'
    words[5] = f"<em>{words[5]}</em>"
    return " ".join(words)


def _item(block: StoryBlock) -> str:
    return f"<li>{escape(block.text, quote=False)}</li>"


def _rows(placed: list[Placed]) -> str:
    head, *body = [block.cells for _, block in placed]
    rows = [_row(head, "th"), *(_row(cells, "td") for cells in body)]
    return "".join(rows)


def _row(cells: tuple[str, ...], tag: str) -> str:
    inner = "".join(f"<{tag}>{escape(cell, quote=False)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
