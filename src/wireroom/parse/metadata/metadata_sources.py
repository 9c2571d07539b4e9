"""Everything a field can be read from, gathered once: head, linked data, microdata, sights, feed item.

Holds no rule about any field; only what several of them need, such as the names by which the publisher
goes, and how a claim is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

from wireroom.languages import language_of, region_of
from wireroom.model import Claim, Hints, Item
from wireroom.parse.metadata.head import Head
from wireroom.parse.metadata.jsonld import LinkedData, Node, is_article, is_web_page, text_of
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.metadata.types import Field, Precedence
from wireroom.parse.metadata.visible import VisibleElements
from wireroom.urls import publisher_domain, registered_domain, web_link

MAX_CLAIMS: Final = 60  # kept about one field
ADDRESSES_KEPT: Final = 256  # a page gives its own address and that of its picture several times
MAX_NAME: Final = 200  # characters of a publisher's name

_AMERICAN: Final = frozenset({"com", "org", "net", "edu", "gov", "us", "io", "ai", "co"})

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Sources:
    """One page, read but not yet weighed."""

    url: str
    head: Head
    data: LinkedData
    nodes: list[Node]
    """Linked data about this page, the likeliest first."""
    items: list[Node]
    """Microdata about this page, the likeliest first."""
    visible: VisibleElements
    hints: Hints = field(default_factory=Hints)
    item: Item | None = None
    precedence: Precedence = "page"
    selected: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    fetched_at: datetime | None = None

    @cached_property
    def articles(self) -> list[Node]:
        """The linked data that speaks of an article rather than of the page around it."""
        return [node for node in self.nodes if not is_web_page(node) or is_article(node)]

    @cached_property
    def publisher_names(self) -> list[str]:
        """How the publisher calls itself, the surest first."""
        found = [self.head.first("og:site_name", "application-name", "apple-mobile-web-app-title")]
        about = (*self.nodes[:3], *self.items[:2])
        found += (text_of(self.data.follow(node.get("publisher")), MAX_NAME) for node in about)
        for node in self.data.nodes[:40]:
            kind = str(node.get("@type")).lower()
            if "website" in kind or "organization" in kind:
                found += (
                    text_of(node.get("name"), MAX_NAME),
                    text_of(node.get("alternateName"), MAX_NAME),
                )
        return list(dict.fromkeys(filter(None, found)))

    @cached_property
    def publisher_keys(self) -> frozenset[str]:
        """What the publisher's names, its host and its handles have in common with any spelling."""
        keys = {name_key(name) for name in self.publisher_names}
        keys.add(name_key(self.head.first("twitter:site")))
        try:
            host = publisher_domain(self.url)
        except ValueError:
            host = ""
        if host:
            registered = registered_domain(host) or host
            keys |= {name_key(host), name_key(registered), name_key(registered.partition(".")[0])}
        return frozenset(key for key in keys if len(key) > 1)

    @cached_property
    def spoken(self) -> str:
        """The page's language tag; its region decides whether 3/4 is in March or in April."""
        declared = self.head.language or self.hints.language
        locale = self.head.first("og:locale")
        if region_of(declared) or language_of(declared) not in ("", language_of(locale) or "en"):
            return declared
        if region_of(locale):
            return locale
        # English without a country is mostly American, unless the address names another.
        top = self.url.partition("://")[2].partition("/")[0].rpartition(".")[2]
        return "en-US" if language_of(declared) == "en" and top in _AMERICAN else declared

    def picked(self, *names: str) -> Iterator[str]:
        """What the operator's selectors of these names matched."""
        for name in names:
            value = self.selected.get(name, ())
            yield from (value,) if isinstance(value, str) else value

    def address(self, href: str) -> str:
        """The web address a link of this page leads to, empty for anything else."""
        return _link(self.base_url, href)

    @cached_property
    def home(self) -> str:
        """The front page of its host, without the slash at the end."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}" if rest else ""

    @cached_property
    def base_url(self) -> str:
        """What relative links count from."""
        return _link(self.url, self.head.base_href) or self.url


@lru_cache(maxsize=ADDRESSES_KEPT)
def _link(base_url: str, href: str) -> str:
    """The absolute http(s) address, empty when there is none: `javascript:` and the like are dropped."""
    return web_link(base_url, href) if href else ""


def first_field(claims: Iterable[Claim], nothing: T) -> Field[T]:
    """The field as its first claim has it."""
    kept = tuple(claim for claim, _ in zip(claims, range(MAX_CLAIMS), strict=False))
    if not kept:
        return Field(value=nothing)
    best: Any = kept[0].value
    return Field(value=best, source=kept[0].source, confidence=kept[0].confidence, claims=kept)
