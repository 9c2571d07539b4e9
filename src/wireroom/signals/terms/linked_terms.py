"""Terms that a page names in its linked data, where no reader sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wireroom.parse.html import Page
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import link_scripts
from wireroom.urls import is_web_url, resolve

MAX_NODES: Final = 500  # of linked data on one page
MAX_URL: Final = 2_000  # characters
# What schema.org calls them; the second is about one work, and on homepages often means all.
_FIELDS: Final = {"termsOfService": 0.95, "usageInfo": 0.6}


def read_linked_terms(page: Page, *, url: str) -> dict[str, float]:
    """Addresses of terms in the JSON-LD of a page, with how likely they are that."""
    found: dict[str, float] = {}
    nodes = link_scripts(read_head(page.tree).data_scripts).nodes[:MAX_NODES]
    for field, score in _FIELDS.items():
        for node in nodes:
            for written in _addresses(node.get(field)):
                try:
                    address = resolve(url, written)
                except ValueError:
                    continue
                if is_web_url(address):
                    found[address] = max(score, found.get(address, 0.0))
    return found


def _addresses(value: Any) -> Iterator[str]:
    for node in value if isinstance(value, list) else [value]:
        written = node.get("url") or node.get("@id") if isinstance(node, dict) else node
        if isinstance(written, str) and " " not in written.strip() and 0 < len(written) <= MAX_URL:
            yield written.strip()
