"""The organisations that a page names in linked data or microdata, as claims of who publishes.

Pure: reads nodes, scores nothing. Which of them is the publisher is for scouting to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from wireroom.model import Facts
from wireroom.parse.metadata.jsonld import LinkedData, Node, is_organisation, text_of, types_of

MAX_ORGANISATIONS: Final = 50  # of one page
MAX_TEXT: Final = 300  # characters of a name or an address
MAX_LINKS: Final = 30  # addresses of the same body elsewhere

_ROLES: Final = (
    "publisher",
    "author",
    "isPartOf",
    "sourceOrganization",
    "copyrightHolder",
    "parentOrganization",
)
_MORE: Final = (
    *(
        "publishingPrinciples",
        "ownershipFundingInfo",
        "correctionsPolicy",
        "masthead",
        "foundingDate",
    ),
    *("contactPoint", "address", "ethicsPolicy", "diversityPolicy", "telephone", "email"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Organisation:
    """A body as a page describes it."""

    name: str = ""
    type: str = ""
    """In lower case, as schema.org calls it."""
    url: str = ""
    id: str = ""
    logo_url: str = ""
    same_as: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    """What other nodes name it as: publisher, author …"""
    more: Facts
    """Principles, contact, founding date … as far as they are said."""


def organisations(data: LinkedData, items: Iterable[Node] = ()) -> tuple[Organisation, ...]:
    """Every organisation of the page, each once, with the roles in which others refer to it."""
    found: dict[str, tuple[Node, list[str]]] = {}
    for node, role in _named([*data.nodes, *items], data):
        key = (
            str(node.get("@id") or "") or f"{text_of(node.get('name'), MAX_TEXT)} {node.get('url')}"
        )
        held = found.setdefault(key, (node, []))
        if role and role not in held[1]:
            held[1].append(role)
        if len(found) >= MAX_ORGANISATIONS:
            break
    return tuple(_organisation(node, roles) for node, roles in found.values())


def _named(nodes: list[Node], data: LinkedData) -> Iterator[tuple[Node, str]]:
    for node in nodes:
        if is_organisation(node):
            yield node, ""
        for role in _ROLES:
            value = node.get(role)
            for member in (value if isinstance(value, list) else [value])[:MAX_LINKS]:
                body = data.follow(member)
                if isinstance(body, dict) and is_organisation(body):
                    yield body, role


def _organisation(node: Node, roles: list[str]) -> Organisation:
    kinds = types_of(node)
    same_as = node.get("sameAs")
    links = (
        text_of(address, MAX_TEXT)
        for address in (same_as if isinstance(same_as, list) else [same_as])[:MAX_LINKS]
    )
    return Organisation(
        name=text_of(node.get("name"), MAX_TEXT),
        type=kinds[0] if kinds else "",
        url=_address(node.get("url")),
        id=text_of(node.get("@id"), MAX_TEXT),
        logo_url=_address(node.get("logo")),
        same_as=tuple(link for link in links if link.startswith(("http://", "https://"))),
        roles=tuple(roles),
        more={key: node[key] for key in _MORE if node.get(key)},
    )


def _address(value: Any) -> str:
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("url") or value.get("contentUrl") or value.get("@id")
    text = text_of(value, MAX_TEXT)
    return text if text.startswith(("http://", "https://", "/")) else ""
