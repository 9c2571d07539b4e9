"""Which formats of structured data a page has, and which key fields stand in each: not merged.

Pure. For whoever wants to know how well a publisher describes its articles; the weighed fields are in
`Metadata` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from wireroom.parse.metadata.jsonld import Node, text_of, types_of
from wireroom.parse.metadata.metadata_sources import Sources
from wireroom.parse.metadata.types import KEY_FIELDS, Format, FormatTable

MAX_VALUE: Final = 500  # characters shown of one field

_OPENGRAPH: Final = {
    "headline": ("og:title",),
    "author": ("article:author", "og:article:author"),
    "datePublished": ("article:published_time", "og:article:published_time"),
    "dateModified": ("article:modified_time", "og:updated_time"),
    "image": ("og:image", "og:image:url", "og:image:secure_url"),
    "description": ("og:description",),
    "isAccessibleForFree": ("article:content_tier",),
    "articleSection": ("article:section",),
    "inLanguage": ("og:locale",),
    "keywords": ("article:tag",),
    "publisher": ("og:site_name",),
    "@type": ("og:type",),
}
_TWITTER: Final = {
    "headline": ("twitter:title",),
    "author": ("twitter:creator",),
    "image": ("twitter:image", "twitter:image:src"),
    "description": ("twitter:description",),
    "publisher": ("twitter:site",),
    "@type": ("twitter:card",),
}


def format_table(sources: Sources) -> FormatTable:
    """The formats found, each with its key fields, `publisher` and `@type` as far as they are said."""
    readers: dict[Format, Callable[[], Mapping[str, Any]]] = {
        "json-ld": lambda: _of_node(sources.nodes, sources),
        "opengraph": lambda: _of_metas(_OPENGRAPH, sources),
        "microdata": lambda: _of_node(sources.items, sources),
        "twitter": lambda: _of_metas(_TWITTER, sources),
    }
    return {name: found for name, read in readers.items() if (found := read())}


def _of_metas(names: Mapping[str, tuple[str, ...]], sources: Sources) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, metas in names.items():
        values = [value[:MAX_VALUE] for _, value in sources.head.every(*metas)]
        if values:
            found[key] = values if key == "keywords" else values[0]
    return found


def _of_node(nodes: list[Node], sources: Sources) -> dict[str, Any]:
    if not nodes:
        return {}
    node = nodes[0]
    found: dict[str, Any] = {}
    for key in KEY_FIELDS:
        value = node.get(key)
        shown = value if isinstance(value, bool) else _shown(value, sources)
        if shown not in ("", None):
            found[key] = shown
    if name := _shown(node.get("publisher"), sources):
        found["publisher"] = name
    if kinds := types_of(node):
        found["@type"] = kinds[0]
    return found


def _shown(value: Any, sources: Sources) -> str:
    """One line for a reader: names of people, the address of an image, keywords with commas."""
    if isinstance(value, list):
        return ", ".join(filter(None, (_shown(member, sources) for member in value[:20])))[
            :MAX_VALUE
        ]
    value = sources.data.follow(value)
    if isinstance(value, dict) and not value.get("name"):
        value = value.get("url") or value.get("contentUrl") or value.get("@id") or ""
    return text_of(value, MAX_VALUE)
