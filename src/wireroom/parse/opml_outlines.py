"""OPML: lists of feeds, as readers exchange them, with the settings of feeds that we wrote into ours.

Bytes in, outlines out. Whether an address can be asked and a setting holds is for others to say; a file that is
too deep or too long is read as far as that goes, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from wireroom.errors import UnknownFormatError
from wireroom.model import nested_category
from wireroom.parse.plain_text import clean, line
from wireroom.parse.xmltree import read_tree, root_start

NAMESPACE: Final = "urn:wireroom:opml"
"""Of the attributes that hold settings of a feed, each under its name in the settings file."""
MAX_OUTLINES: Final = 100_000  # as many as a settings file may have feeds
MAX_DEPTH: Final = 32  # groups within groups; people need three
MAX_ATTRIBUTES: Final = 100  # of one outline; reading them takes time that grows with their square
MAX_ATTRIBUTE: Final = 4_000  # characters of a title or an address, which has 2,048 at most
MAX_SETTING: Final = (
    100_000  # characters: a table of selectors; what is cut here is refused by its reader
)
_OURS: Final = f"{{{NAMESPACE}}}"


_FEED_TYPES: Final = frozenset({"rss", "atom"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlFeed:
    """One feed of the list."""

    url: str
    """Empty where its outline names none."""
    title: str = ""
    home_url: str = ""
    group: str = ""
    """The groups it stands in, the outermost first, as `category_path` reads them."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What we wrote beside it, as it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlDocument:
    """The list."""

    title: str = ""
    outlines: tuple[OpmlFeed, ...] = ()
    truncated: bool = False
    """Whether feeds are missing: the file was cut off, or a limit of ours left them out."""
    damaged_line: int = 0
    """The line in which it stops being well-formed, so that feeds may be missing; 0 for none."""


def read_opml(body: bytes, *, content_type: str = "") -> OpmlDocument:
    """The feeds of an OPML file; raises UnknownFormatError when it is none."""
    tree = read_tree(body, content_type=content_type)
    if _local(tree.root).lower() != "opml":
        raise UnknownFormatError(f"not OPML: its root element is {_local(tree.root)[:40]}")
    reading = _OutlineWalk()
    outlines = tuple(reading.feeds(tree.root))
    titles = (element for element in tree.root.iter() if _local(element).lower() == "title")
    title = next((title.text or "" for title in titles), "")
    return OpmlDocument(
        title=line(title, MAX_ATTRIBUTE),
        outlines=outlines,
        truncated=tree.cut or reading.truncated,
        damaged_line=_damaged_line(body) if tree.mended else 0,
    )


def _damaged_line(body: bytes) -> int:
    """The line of the first fault, for whoever is to mend the file; 1 where it cannot be told."""
    strict = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = root_start(body)  # so that no DOCTYPE is seen, as in `read_tree`
    except UnknownFormatError:
        return 1  # two bytes to a character, for one
    try:
        etree.fromstring(body[root:], strict)
    except etree.XMLSyntaxError as exc:
        return body.count(b"\n", 0, root) + (exc.lineno or 1)
    return 1


class _OutlineWalk:
    """One walk over the tree, without recursion: how deep it is was not decided by us."""

    def __init__(self) -> None:
        self.truncated = False

    def feeds(self, root: Any) -> Iterator[OpmlFeed]:
        """Every outline of a feed, in the order of the file; one that has lost its address has none."""
        count = 0
        waiting: list[tuple[Any, str, int]] = [(root, "", 0)]
        while waiting:
            element, group, depth = waiting.pop()
            is_outline = _local(element).lower() == "outline"
            attributes = self._attributes(element) if is_outline else {}
            url = _cleaned(attributes.get("xmlurl", "")) if is_outline else ""
            if url or _lost_address(element, attributes):
                count += 1
                yield _outline(url, attributes, group)
            if count >= MAX_OUTLINES or (depth >= MAX_DEPTH and len(element)):
                self.truncated = True
                if count >= MAX_OUTLINES:
                    return
                continue
            is_group = is_outline and not url
            name = nested_category(group, _name(attributes)) if is_group else group
            inner = [(child, name, depth + 1) for child in element if isinstance(child.tag, str)]
            waiting.extend(reversed(inner))

    def _attributes(self, element: Any) -> dict[str, str]:
        """The attributes, by their names in lower case."""
        if len(element.attrib) > MAX_ATTRIBUTES:
            self.truncated = True
            return {}
        return {str(name).lower(): value for name, value in element.attrib.items()}


def _lost_address(element: Any, attributes: Mapping[str, str]) -> bool:
    """Whether it says that it is a feed, and not where: whoever brings the list must hear of it."""
    is_feed = "xmlurl" in attributes or attributes.get("type", "").strip().lower() in _FEED_TYPES
    return is_feed and not len(element)


def _outline(url: str, attributes: Mapping[str, str], group: str) -> OpmlFeed:
    ours = {
        name.removeprefix(_OURS): clean(value)[:MAX_SETTING]
        for name, value in attributes.items()
        if name.startswith(_OURS)
    }
    return OpmlFeed(
        url=url,
        title=_name(attributes),
        home_url=_cleaned(attributes.get("htmlurl", "")),
        group=group,
        settings=ours,
    )


def _name(attributes: Mapping[str, str]) -> str:
    return _cleaned(attributes.get("title", "")) or _cleaned(attributes.get("text", ""))


def _cleaned(text: str) -> str:
    return line(text, MAX_ATTRIBUTE)


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
