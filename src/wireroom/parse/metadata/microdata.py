"""Microdata: the items that a page marks up in its own elements, in the form of linked data.

Reads nodes of a tree that somebody else parsed and searched; climbs from each property to the item it
belongs to. Bounded in every direction. Properties outside of any item make up one item without a type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from selectolax.lexbor import LexborNode

from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.jsonld import Node
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

MAX_PROPERTIES: Final = 400  # of a page; shops mark up every offer
MAX_CLIMB: Final = 60  # elements from a property up to its item
MAX_VALUE: Final = 1_000  # characters of one property
MAX_REPEATS: Final = 50  # of one property in one item

_ADDRESS_TAGS: Final = {"a": "href", "area": "href", "link": "href", "img": "src", "iframe": "src"}
_LOOSE: Final = 0  # the item of properties that stand outside of every item


def read_microdata(properties: Iterable[LexborNode]) -> list[Node]:
    """The outermost items, given every element with `itemprop` in the order of the page."""
    items: dict[int, Node] = {}
    inner: set[int] = set()
    for count, node in enumerate(properties):
        if count >= MAX_PROPERTIES:
            break
        attributes = node.attributes
        names = (attributes.get("itemprop") or "").split()
        if not names:
            continue
        owner = _owner(node, items)
        if owner is None:
            continue
        value: Any
        if "itemscope" in attributes:
            value = _item(node, items)
            inner.add(node.mem_id)
        else:
            value = _value(node, attributes)
        if value:
            _add(items.setdefault(owner, {}), names, value)
    return [item for key, item in items.items() if key not in inner and len(item) > 0]


def _owner(node: LexborNode, items: dict[int, Node]) -> int | None:
    """The key of the item around a property; None inside of comments."""
    around = node.parent
    for _ in range(MAX_CLIMB):
        if around is None:
            break
        key = around.mem_id
        if key in items:
            return key
        attributes = around.attributes
        if "comment" in f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower():
            return None
        if "itemscope" in attributes:
            _item(around, items)
            return key
        around = around.parent
    return _LOOSE


def _item(node: LexborNode, items: dict[int, Node]) -> Node:
    key = node.mem_id
    if key not in items:
        attributes = node.attributes
        kind = line(attributes.get("itemtype") or "", MAX_VALUE)
        items[key] = {"@type": kind.split() or [""]}
        if name := attributes.get("itemid"):
            items[key]["@id"] = line(name, MAX_VALUE)
    return items[key]


def _value(node: LexborNode, attributes: dict[str, str | None]) -> str:
    tag = node.tag or ""
    declared = attributes.get("content")
    if (
        declared is None
        and tag in _ADDRESS_TAGS
        and "name" not in (attributes.get("itemprop") or "")
    ):
        declared = attributes.get(_ADDRESS_TAGS[tag])
        if tag == "a" and not _is_address_property(attributes):
            declared = None
    if declared is None and tag in ("time", "data", "meter"):
        declared = attributes.get("datetime") or attributes.get("value")
    return line(declared, MAX_VALUE) if declared else text_below(node, MAX_VALUE)


_ADDRESS_PROPERTIES: Final = frozenset(
    listed(
        """
        url image logo sameas mainentityofpage thumbnailurl contenturl embedurl discussionurl
        """
    )
)


def _is_address_property(attributes: dict[str, str | None]) -> bool:
    """Links around a name are written as `itemprop="author"`; what is meant is the name."""
    names = (attributes.get("itemprop") or "").lower().split()
    return not _ADDRESS_PROPERTIES.isdisjoint(names)


def _add(item: Node, names: list[str], value: Any) -> None:
    for name in names:
        held = item.get(name)
        if held is None:
            item[name] = value
        elif not isinstance(held, list):
            item[name] = [held, value]
        elif len(held) < MAX_REPEATS:
            held.append(value)
