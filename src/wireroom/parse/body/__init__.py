"""The body of a page: what of it is the article, and nothing else.

`read_body` is the entry. Inside, in order: `blocks` lays the tree out, `element_names` and `block_features`
measure, `block_weights` decide, `block_rules` correct, `place` and `render` write; `layout` tells what a text
was. Pure; it never sees metadata.

The names below are loaded when they are first asked for: who needs a type does not pay for the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "block_hash": "body_reader",
    "count_words": "body_reader",
    "read_body": "body_reader",
    "blocks_of": "layout",
    "image_places": "layout",
    "layout_of": "layout",
    "to_html": "render",
    "to_markdown": "render",
    "to_text": "render",
}
"""Of names that do not stand in `types`."""


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'types')}"), name)
