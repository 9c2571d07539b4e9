"""Link headers (RFC 8288): what a response says it is related to.

Pure. Header values come in, links go out, in order; malformed parts are passed over, never raised.
A response header is input like any other: lengths and counts are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborNode

from wireroom.parse.encoding import decode
from wireroom.parse.labels import known_label
from wireroom.parse.plain_text import clean
from wireroom.urls import web_link

MAX_HEADER = 65_536  # characters of one value: the cap on all headers together
MAX_LINKS = 200  # of one response; preload lists have dozens
MAX_PARAMETERS = 30  # of one link
MAX_VALUE = 2_048  # characters of one parameter
MAX_RELS = 20  # relations of one link

_TARGET = re.compile(r"[\s,]*<([^<>]{0,4096})>")
_PARAMETER = re.compile(r"\s*;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]{0,100})\s*(=\s*)?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"?')
_UNQUOTED = re.compile(r"[^\s;,\"]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEXT_LINK = re.compile(r",\s*(?=<)")


@dataclass(frozen=True, slots=True)
class HeaderLink:
    """One link of a header: where to, how related, and from what, if not from the response itself."""

    url: str
    rels: tuple[str, ...] = ()
    """Lower case; a relation of one's own is an address and stays one."""
    type: str = ""
    anchor: str = ""
    """What the link speaks of when that is not the response itself, resolved where possible."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """All of them by lower-case name, the first of each name."""


def read_link_headers(values: str | Iterable[str], *, base_url: str = "") -> tuple[HeaderLink, ...]:
    """The links of one or several Link headers, addresses of the web only."""
    found: list[HeaderLink] = []
    for value in [values] if isinstance(values, str) else values:
        for target, parameters in _parts(value[:MAX_HEADER]):
            link = _link(target, parameters, base_url)
            if link is not None:
                found.append(link)
            if len(found) >= MAX_LINKS:
                return tuple(found)
    return tuple(found)


def links_of_rel(links: Iterable[HeaderLink], rel: str) -> tuple[HeaderLink, ...]:
    """Those of one relation that speak of the response itself."""
    return tuple(link for link in links if rel in link.rels and not link.anchor)


def _link(target: str, parameters: dict[str, str], base_url: str) -> HeaderLink | None:
    url = web_link(base_url, target)
    if not url:
        return None
    anchor = parameters.get("anchor", "")
    anchor = web_link(base_url, anchor) or anchor if anchor else ""
    rels = dict.fromkeys(word.lower() for word in parameters.get("rel", "").split()[:MAX_RELS])
    return HeaderLink(
        url=url,
        rels=tuple(rels),
        type=parameters.get("type", "").partition(";")[0].strip().lower(),
        anchor="" if anchor == base_url else anchor,
        parameters=parameters,
    )


def _parts(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    place = 0
    while match := _TARGET.match(value, place):
        parameters, place = _parameters(value, match.end())
        yield match[1], parameters
        following = _NEXT_LINK.search(value, place)
        if following is None:
            return
        place = following.end()


def _parameters(value: str, place: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    for _ in range(MAX_PARAMETERS):
        name = _PARAMETER.match(value, place)
        if name is None:
            break
        text, place = ("", name.end()) if name[2] is None else _value(value, name.end())
        if name[1]:
            found.setdefault(name[1].lower(), clean(text[:MAX_VALUE]))
    for key in [key for key in found if key.endswith("*")]:
        if text := _extended(found[key]):
            found[key[:-1]] = text
    return found, place


def _value(value: str, place: int) -> tuple[str, int]:
    if quoted := _QUOTED.match(value, place):
        return _ESCAPED.sub(r"\1", quoted[1]), quoted.end()
    bare = _UNQUOTED.match(value, place)
    return (bare[0], bare.end()) if bare else ("", place)


def _extended(text: str) -> str:
    """The value of `title*=UTF-8''na%C3%AFve` (RFC 8187); empty when it is none."""
    charset, first, rest = text.partition("'")
    _, second, escaped = rest.partition("'")
    if not (first and second) or not known_label(charset):
        return ""
    body = unquote_to_bytes(escaped)
    return clean(decode(body, content_type=f"text/plain; charset={charset}", kind="text").text)


# Where in a page a link stands: what it speaks of, and whether that is the small print.

MAX_STEPS: Final = 12  # from a link upwards
MAX_NAME: Final = 100  # characters of an id or a class

_WHOLE_PAGE: Final = frozenset(("head", "html", "body"))
# Elements around a link that only make it look like something.
_DRESS: Final = frozenset(
    (
        "p",
        "span",
        "a",
        "small",
        "b",
        "i",
        "em",
        "strong",
        "cite",
        "li",
        "ul",
        "ol",
        "footer",
        "header",
    )
)
_FOOTER_NAMES: Final = ("footer", "fuss", "pied", "bottom", "colophon", "legal")


def scope_of(node: LexborNode) -> str:
    """The element a licence speaks of, as a selector; empty for the whole page."""
    parent = node.parent
    for _ in range(MAX_STEPS):
        if parent is None or parent.tag in _WHOLE_PAGE:
            return ""
        if parent.tag not in _DRESS:
            return _selector(parent)
        parent = parent.parent
    return ""


def _selector(node: LexborNode) -> str:
    attributes = node.attributes
    name = (attributes.get("id") or "").split()[:1]
    if name:
        return f"{node.tag}#{name[0][:MAX_NAME]}"
    classes = (attributes.get("class") or "").split()[:1]
    return f"{node.tag}.{classes[0][:MAX_NAME]}" if classes else str(node.tag)


def in_footer(node: LexborNode) -> bool:
    """Whether a link stands in a footer, by element, role, class or id."""
    parent = node.parent
    for _ in range(MAX_STEPS):
        if parent is None or parent.tag in _WHOLE_PAGE:
            return False
        attributes = parent.attributes
        if parent.tag == "footer" or attributes.get("role") == "contentinfo":
            return True
        names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"[
            : 4 * MAX_NAME
        ].lower()
        if any(name in names for name in _FOOTER_NAMES):
            return True
        parent = parent.parent
    return False
