"""The elements that say something of a page by their tag or an attribute, found by one query for all readers.

A query goes over the whole tree, whatever it looks for: many of them would take longer than the parser itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

Attributes: TypeAlias = dict[str, str | None]
Element: TypeAlias = tuple[str, LexborNode, Attributes]
"""Its tag, its node, its attributes."""

_HEAD_TAGS: Final = frozenset(("meta", "link", "title", "base", "script"))
_LESSER_HEADINGS: Final = frozenset(("h2", "h3"))
_MARKS: Final = frozenset(("itemprop", "rel", "data-paywall", "subscriptions-section"))
_QUERY: Final = (
    "meta,link,title,base,script,h1,h2,h3,time,[itemprop],[rel~=author i],[rel~=tag i]"
    ",[data-paywall],[subscriptions-section]"
)


class TellingElements(NamedTuple):
    """The elements, each kind in the order of the page."""

    head: list[Element]
    """Tags of the head, also those that broken markup pushed into the body."""
    marked: list[Element]
    """Headlines, times, microdata, links to authors and tags, walls."""
    lesser_headings: list[LexborNode]

    def data_scripts(self) -> list[str]:
        """The scripts of linked data, as they are written."""
        scripts = (data_script(node, about) for tag, node, about in self.head if tag == "script")
        return [text for text in scripts if text]


def telling_elements(tree: LexborHTMLParser) -> TellingElements:
    """All of them."""
    found = TellingElements([], [], [])
    last = 0
    for node in tree.css(_QUERY):
        key = node.mem_id
        if key == last:
            continue  # the parser gives an element once for every part of the query that it matches
        last = key
        tag, attributes = node.tag or "", node.attributes
        if tag in _HEAD_TAGS:
            found.head.append((tag, node, attributes))
            if "itemprop" not in attributes:
                continue
        elif tag in _LESSER_HEADINGS:
            found.lesser_headings.append(node)
            if _MARKS.isdisjoint(attributes):
                continue
        found.marked.append((tag, node, attributes))
    return found


def data_script(node: LexborNode, attributes: Attributes) -> str:
    """What a script of linked data holds; empty for any other script."""
    if "ld+json" not in (attributes.get("type") or "").lower():
        return ""
    held = node.first_child
    return (held.text_content if held is not None else None) or ""
