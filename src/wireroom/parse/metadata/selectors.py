"""The operator's selectors for one feed: `name: css@attr`, the first match or a list.

Reads a tree that somebody else parsed. `css` alone gives the text of the first match, `css@attr` an
attribute of it, and either with `[]` behind it every match. A selector that matches nothing, or that is
none, is told in a note and stops nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from wireroom.parse.metadata.head import text_below
from wireroom.parse.plain_text import line

MAX_SELECTORS: Final = 50  # of one feed
MAX_SELECTOR: Final = 500  # characters of one
MAX_MATCHES: Final = 100  # of one selector
MAX_VALUE: Final = 5_000  # characters of one match

_ATTRIBUTE: Final = re.compile(r"(.+?)@([A-Za-z_:][\w:.-]*)\s*$", re.DOTALL)


def select(
    tree: LexborHTMLParser, selectors: Mapping[str, str]
) -> tuple[dict[str, str | tuple[str, ...]], tuple[str, ...]]:
    """What each selector matched, by name; and which matched nothing."""
    found: dict[str, str | tuple[str, ...]] = {}
    notes: list[str] = []
    for name, selector in list(selectors.items())[:MAX_SELECTORS]:
        stripped = selector.strip().removesuffix("[]")
        values = _values(tree, stripped)
        if values is None:
            notes.append(f"selector {name}: not a CSS selector")
        elif not values:
            notes.append(f"selector {name}: matched nothing")
        else:
            found[name] = tuple(values) if stripped != selector.strip() else values[0]
    return found, tuple(notes)


def _values(tree: LexborHTMLParser, selector: str) -> list[str] | None:
    css, attribute = _split(selector[:MAX_SELECTOR])
    try:
        nodes = tree.css(css)[:MAX_MATCHES]
    except (SelectolaxError, ValueError):
        return None
    outermost = _outermost(nodes) if not attribute else nodes
    values = (_value(node, attribute) for node in outermost)
    return [value for value in values if value]


def _split(selector: str) -> tuple[str, str]:
    """The CSS and the attribute; a bare selector of a meta tag means its content."""
    match = _ATTRIBUTE.fullmatch(selector.strip())
    return (match[1].strip(), match[2].lower()) if match else (selector.strip(), "")


def _value(node: LexborNode, attribute: str) -> str:
    if attribute:
        return line(node.attributes.get(attribute) or "", MAX_VALUE)
    if node.tag == "meta":
        return line(node.attributes.get("content") or "", MAX_VALUE)
    return text_below(node, MAX_VALUE)


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """The matches that stand in no other match: nested text is not given twice."""
    keys: set[int] = set()
    kept = []
    for node in nodes:
        around = node.parent
        while around is not None and around.mem_id not in keys:
            around = around.parent
        if around is None and node.mem_id not in keys:
            keys.add(node.mem_id)
            kept.append(node)
    return kept
