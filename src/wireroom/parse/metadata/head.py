"""The head of a page in one pass: meta tags, links, scripts of data, the title.

Reads a tree that somebody else parsed. Meta tags are kept by lower-case name whatever attribute names
them, links by relation; both also count when broken markup pushed them into the body. Lengths and
numbers are bounded. What a name means is for others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wireroom.parse.elements import (
    Attributes,
    TellingElements,
    data_script,
    telling_elements,
)
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

MAX_TAGS: Final = 1_500  # of meta, link and script together; real pages have up to some 400
MAX_VALUES: Final = 100  # of one meta name: citation_author and article:tag repeat
MAX_META: Final = 5_000  # characters of one value
MAX_TITLE: Final = 1_000  # characters
MAX_TEXT_NODES: Final = 200  # read below one element


@dataclass(frozen=True, slots=True)
class Link:
    """One link tag."""

    href: str
    type: str = ""
    hreflang: str = ""


@dataclass(slots=True)
class Head:
    """What the head says, in the order it says it."""

    metas: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, list[Link]] = field(default_factory=dict)
    title: str = ""
    base_href: str = ""
    language: str = ""
    """Of the html element."""
    data_scripts: list[str] = field(default_factory=list)
    script_urls: list[str] = field(default_factory=list)

    def first(self, *names: str) -> str:
        """The first value of the first of these meta names that has one."""
        for name in names:
            if name in self.metas:
                return self.metas[name][0]
        return ""

    def every(self, *names: str) -> Iterator[tuple[str, str]]:
        """Name and value of each of these meta tags, in the order of the names given."""
        metas = self.metas
        for name in names:
            if name in metas:  # of some thirty names hardly any
                for value in metas[name]:
                    yield name, value

    def link(self, rel: str) -> str:
        """The address of the first link of a relation."""
        return self.links[rel][0].href if rel in self.links else ""


def read_head(tree: LexborHTMLParser, elements: TellingElements | None = None) -> Head:
    """All meta tags, links and scripts of data of the page; `elements` are its own, where they are known."""
    head = Head()
    root = tree.root
    if root is None:
        return head
    attributes = root.attributes
    head.language = attributes.get("lang") or attributes.get("xml:lang") or ""
    for tag, node, attributes in (elements or telling_elements(tree)).head[:MAX_TAGS]:
        if tag == "meta":
            _take_meta(head, attributes)
        elif tag == "link":
            _take_link(head, attributes)
        elif tag == "script":
            _take_script(head, node, attributes)
        elif tag == "title":
            if not head.title and (node.parent is None or node.parent.tag != "svg"):
                head.title = text_below(node, MAX_TITLE)
        elif not head.base_href:
            head.base_href = (attributes.get("href") or "").strip()
    return head


def _take_meta(head: Head, attributes: Attributes) -> None:
    content = attributes.get("content")
    if content is None:
        content = attributes.get("value")
    if not content or content.isspace():
        return
    text = line(content, MAX_META)
    names = {attributes.get(key) for key in ("property", "name", "http-equiv")}
    for name in names:
        if name and text:
            values = head.metas.setdefault(name.strip().lower(), [])
            if len(values) < MAX_VALUES:
                values.append(text)


def _take_link(head: Head, attributes: Attributes) -> None:
    href = (attributes.get("href") or "").strip()
    rel = attributes.get("rel")
    if not href or not rel:
        return
    link = Link(href, attributes.get("type") or "", attributes.get("hreflang") or "")
    for word in rel.lower().split():
        if word not in _DULL_RELS:
            head.links.setdefault(word, []).append(link)


_DULL_RELS: Final = frozenset(
    listed(
        """
        stylesheet preload prefetch dns-prefetch preconnect modulepreload icon shortcut
        """
    )
)


def _take_script(head: Head, node: LexborNode, attributes: Attributes) -> None:
    src = attributes.get("src")
    if src:
        head.script_urls.append(src.strip())
        return
    if text := data_script(node, attributes):
        head.data_scripts.append(text)


def text_below(node: LexborNode, limit: int, *, apart: bool = False) -> str:
    """The text of an element as one line; hidden parts left out, at most so many characters.

    With `apart` every piece stands by itself: bylines put a name and a role side by side in spans.
    """
    pieces: list[str] = []
    length = 0
    for text in _texts(node):
        pieces.append(text)
        length += len(text)
        if length > 2 * limit or len(pieces) >= MAX_TEXT_NODES:
            break
    return line((" " if apart else "").join(pieces), limit)


_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "button", "select"})
_WITHIN_WORDS: Final = frozenset(
    listed(
        """
        a abbr b bdi cite em font i mark q s small span strong sub sup u wbr
        -text -comment
        """
    )
)


def _texts(top: LexborNode) -> Iterator[str]:
    """The pieces of text below an element, with blanks where blocks begin and end."""
    waiting: list[LexborNode | str | None] = [top.first_child]
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        if isinstance(node, str):
            yield node
            continue
        waiting.append(node.next)
        text = node.text_content
        if text is not None:
            yield text
            continue
        tag = node.tag
        if tag not in _WITHIN_WORDS:
            yield " "
            waiting.append(" ")
        if tag not in _UNSEEN:
            waiting.append(node.first_child)
