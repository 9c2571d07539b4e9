"""Pages to read metadata from, written short: a head, a body, an address."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from wireroom.parse.metadata import Metadata, read_metadata

URL = "https://www.courier.test/harbour/ferry-returns"
FETCHED_AT = datetime(2026, 11, 15, 12, tzinfo=UTC)


def tree_of(head: str = "", body: str = "", *, lang: str = "en") -> LexborHTMLParser:
    """The tree of a page with this head and body."""
    attribute = f' lang="{lang}"' if lang else ""
    return LexborHTMLParser(f"<html{attribute}><head>{head}</head><body>{body}</body></html>")


def read(
    head: str = "", body: str = "", *, lang: str = "en", url: str = URL, **more: Any
) -> Metadata:
    """What the page says of itself."""
    more.setdefault("fetched_at", FETCHED_AT)
    return read_metadata(tree_of(head, body, lang=lang), url=url, **more)


def meta(**pairs: str) -> str:
    """Meta tags; a double underscore stands for a colon."""
    return "".join(
        f'<meta property="{name.replace("__", ":")}" content="{value}">'
        for name, value in pairs.items()
    )


def script(value: Any) -> str:
    """A script of linked data; a text is taken as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f'<script type="application/ld+json">{text}</script>'


def article(**fields: Any) -> str:
    """A script with one news article."""
    return typed("NewsArticle", **fields)


def typed(name: str, **fields: Any) -> str:
    """A script with one thing of this type."""
    return script({"@context": "https://schema.org", "@type": name, **fields})
