"""Elements by their names: what an item of an XML feed says, before anybody judges it.

Knows namespaces and nothing about feeds' meaning. A name is `title` for the format's own vocabulary
and `dc:creator` for that of a known module, whatever prefix or spelling of the address the document
chose; elements of unknown namespaces are kept apart, under the empty name.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from wireroom.parse.xmltree import element_text

Fields: TypeAlias = dict[str, list[Any]]
UNKNOWN = ""

MAX_FIELDS = 500  # children of one item that are looked at; real items have up to sixty
MAX_NAMES = 2000  # distinct element names of one document; real ones have fewer than eighty
MAX_TAG_LENGTH = 300  # namespace and name; the longest known has 70 characters

_OWN = (
    "http://purl.org/rss/1.0",
    "http://my.netscape.com/rdf/simple/0.9",
    "http://channel.netscape.com/rdf/simple/0.9",
    "http://backend.userland.com/rss",
    "http://backend.userland.com/rss2",
    "http://backend.userland.com/rss091",
    "http://blogs.law.harvard.edu/tech/rss",
    "http://purl.org/net/rss1.1",
)
_MODULES = {
    "http://www.w3.org/2005/atom": "atom",
    "http://purl.org/atom/ns": "atom",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/elements/1.0": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://purl.org/rss/1.0/modules/slash": "slash",
    "http://purl.org/syndication/thread/1.0": "thr",
    "http://wellformedweb.org/commentapi": "wfw",
    "http://search.yahoo.com/mrss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://creativecommons.org/ns": "cc",
    "http://web.resource.org/cc": "cc",
    "http://backend.userland.com/creativecommonsrssmodule": "creativecommons",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativecommons",
    "https://rslstandard.org/rsl": "rsl",
    "http://rslstandard.org/rsl": "rsl",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "http://www.georss.org/georss": "georss",
}
# Prefixes that stand for a module even where the document forgot to declare them.
_PREFIXES = {**{family: family for family in _MODULES.values()}, "a10": "atom", "rss": ""}


class ElementNames(dict[str, str]):
    """Tags of one document and what they are called here; looks each tag up once."""

    def __init__(self, root_tag: str) -> None:
        super().__init__()
        self._own = root_tag[1:].partition("}")[0] if root_tag[0] == "{" else ""

    def __missing__(self, tag: Any) -> str:
        if not isinstance(tag, str):
            return UNKNOWN
        name = _name(tag, self._own) if len(tag) < MAX_TAG_LENGTH else UNKNOWN
        if len(self) < MAX_NAMES:
            self[tag] = name
        return name


@lru_cache(maxsize=4096)  # the same eighty tags in every feed; one that lies only fills the cache
def _name(tag: str, own: str) -> str:
    """What a tag is called in a document whose root has the namespace `own`."""
    family: str | None
    if tag[0] == "{":
        namespace, _, local = tag[1:].partition("}")
        family = _family(namespace, own)
    else:
        prefix, colon, local = tag.partition(":")
        family = _PREFIXES.get(prefix.lower()) if colon else ""
        local = local or prefix
    if family is None:
        return UNKNOWN
    return f"{family}:{local.lower()}" if family else local.lower()


def _family(namespace: str, own: str) -> str | None:
    """The module of a namespace; empty for the format's own, None for one that is not known."""
    normal = namespace.strip().lower().rstrip("/#")
    module = _MODULES.get(normal)
    if normal in _OWN or (namespace == own and module in {None, "atom", "rdf"}):
        return ""
    return module


def gather(element: Any, names: ElementNames) -> Fields:
    """The children of an element by name, in the order of the document."""
    found: Fields = {}
    for child in element if len(element) <= MAX_FIELDS else islice(element, MAX_FIELDS):
        name = names[child.tag]
        if name in found:
            found[name].append(child)
        else:
            found[name] = [child]
    return found


def first_text(fields: Fields, *names: str) -> str:
    """The text of the first of these elements that has any."""
    return text_among(fields, names)


def text_among(fields: Fields, names: tuple[str, ...]) -> str:
    """The same for names that are kept in a table."""
    for name in names:
        if name in fields:
            for element in fields[name]:
                text = element_text(element) if len(element) else element.text
                if text and (text := text.strip()):
                    return text
    return ""
