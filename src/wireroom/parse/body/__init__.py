"""The body of a page: what of it is the article, and nothing else.

`read_body` is the entry. Inside, in order: `blocks` lays the tree out, `element_names` and `block_features`
measure, `block_weights` decide, `block_rules` correct, `place` and `render` write; `layout` tells what a text
was. Pure; it never sees metadata.
"""

from __future__ import annotations

from wireroom.parse.body.body_reader import block_hash, count_words, read_body
from wireroom.parse.body.layout import blocks_of, image_places, layout_of
from wireroom.parse.body.render import to_html, to_markdown, to_text
from wireroom.parse.body.types import (
    ArticleImage,
    Block,
    BlockKind,
    Body,
    InlineSpan,
    Mode,
    SpanKind,
)

__all__ = [
    "ArticleImage",
    "Block",
    "BlockKind",
    "Body",
    "InlineSpan",
    "Mode",
    "SpanKind",
    "block_hash",
    "blocks_of",
    "count_words",
    "image_places",
    "layout_of",
    "read_body",
    "to_html",
    "to_markdown",
    "to_text",
]
