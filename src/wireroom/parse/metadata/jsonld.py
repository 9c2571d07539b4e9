"""Linked data: the nodes that describe this page, out of every script that holds some.

Pure. Graphs, lists and main entities are laid flat, references by `@id` are followed, and the nodes
are ranked: articles that have a headline, a date and an author first, mere web pages last. Items of
microdata come in the same form and are ranked by the same rules. Weighing values is for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, TypeAlias

from wireroom.parse.metadata.lenient_json import read_values
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line_of_html
from wireroom.urls import page_key

Node: TypeAlias = dict[str, Any]

MAX_SCRIPTS: Final = 60  # of one page; galleries write one per picture
MAX_TOTAL: Final = 3_000_000  # characters of all scripts of a page
MAX_NODES: Final = 1_000  # laid flat; a shop's page may list hundreds of offers
MAX_INDEXED: Final = 5_000  # values looked through for an `@id`
MAX_TYPE: Final = 100  # characters of a type, the vocabulary's address included
MAX_TYPES: Final = 8  # of one node
HERE: Final = 3.0  # added to the rank of a node that names this page
ELSEWHERE: Final = -8.0  # and of one that names another
MAX_STEPS: Final = 4  # from reference to reference; a ring of them must end

_ARTICLES: Final = frozenset(
    listed(
        """
        article newsarticle blogposting liveblogposting reportagenewsarticle
        analysisnewsarticle opinionnewsarticle backgroundnewsarticle reviewnewsarticle
        askpublicnewsarticle advertisercontentarticle satiricalarticle scholarlyarticle
        medicalscholarlyarticle techarticle apireference report socialmediaposting
        discussionforumposting
        """
    )
)
_OTHER_WORKS: Final = frozenset(
    listed(
        """
        recipe howto review criticreview podcastepisode claimreview qapage question
        creativework blog episode videoobject medicalwebpage course event
        """
    )
)
_WEB_PAGES: Final = frozenset(
    listed(
        """
        webpage itempage aboutpage checkoutpage collectionpage contactpage faqpage profilepage
        """
    )
)
_ORGANISATIONS: Final = frozenset(
    listed(
        """
        organization newsmediaorganization corporation localbusiness ngo
        educationalorganization governmentorganization collegeoruniversity medicalorganization
        brand onlinebusiness
        """
    )
)
_OPENED: Final = ("@graph", "mainEntity", "mainEntityOfPage", "mainContentOfPage", "blogPost")
_OPENED_ALONE: Final = "blogPost"  # one post is the page; several are a list of other pages


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedData:
    """What the scripts of a page say, as said and laid flat."""

    objects: tuple[Node, ...] = ()
    """The objects as they were written."""
    nodes: tuple[Node, ...] = ()
    by_id: Mapping[str, Node]
    scripts: int = 0
    unread: int = 0
    """Scripts that could not be read or were too long."""

    def follow(self, value: Any) -> Any:
        """The node that a reference stands for; whatever is none comes back as it is."""
        for _ in range(MAX_STEPS):
            if not isinstance(value, dict) or not _is_reference(value):
                return value
            found = self.by_id.get(str(value["@id"]))
            if found is None or found is value:
                return value
            value = found
        return value


NO_DATA: Final = LinkedData(by_id={})


def link_scripts(texts: Iterable[str]) -> LinkedData:
    """The linked data of all scripts together: one may refer to another's nodes."""
    objects: list[Node] = []
    scripts = unread = total = 0
    for text in texts:
        scripts += 1
        total += len(text)
        if scripts > MAX_SCRIPTS or total > MAX_TOTAL:
            unread += 1
            continue
        found = list(_objects(read_values(text)))
        unread += not found and not text.isspace()
        objects += found
    if not scripts:
        return NO_DATA
    nodes = tuple(flat(objects))
    return LinkedData(
        objects=tuple(objects),
        nodes=nodes,
        by_id=_by_id(objects),
        scripts=scripts,
        unread=unread,
    )


def _objects(values: Iterable[Any]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from (held for held in value if isinstance(held, dict))


def flat(objects: list[Node]) -> Iterator[Node]:
    """Every node that stands for itself, in order; lists of other stories are not opened."""
    waiting = objects[::-1]
    count = 0
    while waiting and count < MAX_NODES:
        node = waiting.pop()
        if not _is_reference(node) and ("@type" in node or "headline" in node):
            count += 1
            yield node
        for key in reversed(_OPENED):
            held = node.get(key)
            if isinstance(held, dict):
                waiting.append(held)
            elif isinstance(held, list) and key != _OPENED_ALONE:
                waiting += (child for child in reversed(held) if isinstance(child, dict))


def _by_id(objects: list[Node]) -> dict[str, Node]:
    """The fullest node of every `@id`, wherever it is written out."""
    found: dict[str, Node] = {}
    waiting: list[Any] = list(objects)
    for _ in range(MAX_INDEXED):
        if not waiting:
            break
        value = waiting.pop()
        if isinstance(value, list):
            waiting += (held for held in value if isinstance(held, dict | list))
            continue
        name = value.get("@id")
        if isinstance(name, str) and len(value) > len(found.get(name, ("@id",))):
            found[name] = value
        waiting += (held for held in value.values() if isinstance(held, dict | list))
    return found


def _is_reference(node: Node) -> bool:
    """Whether it only points to a node that is written out elsewhere."""
    return "@id" in node and (len(node) == 1 or (len(node) == 2 and "@type" in node))


# --- what a node is -------------------------------------------------------------------------------


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Its types in lower case, without the vocabulary's address."""
    value = node.get("@type")
    types = value if isinstance(value, list) else [value]
    return tuple(
        name[:MAX_TYPE].rpartition("/")[2].rpartition(":")[2].strip().lower()
        for name in types[:MAX_TYPES]
        if isinstance(name, str)
    )


def is_article(node: Mapping[str, Any]) -> bool:
    """Whether it says that it is an article of any kind."""
    return not _ARTICLES.isdisjoint(types_of(node))


def is_web_page(node: Mapping[str, Any]) -> bool:
    """Whether it describes the page around an article rather than the article."""
    return not _WEB_PAGES.isdisjoint(types_of(node))


def is_organisation(node: Mapping[str, Any]) -> bool:
    """Whether it says that it is a firm, an office or another body."""
    return not _ORGANISATIONS.isdisjoint(types_of(node))


def about_page(nodes: Iterable[Node], addresses: Iterable[str]) -> list[Node]:
    """The nodes that describe the page at one of these addresses, the likeliest first.

    Nodes that name another page are somebody's teasers: they are left out when a node names this one,
    and come last otherwise.
    """
    ranked = [(rank, node) for node in nodes if (rank := _rank(node)) > 0]
    if len(ranked) > 1:
        here = frozenset(_page_keys(addresses))
        places = [_nearness(node, here) for _, node in ranked]
        worst = 0.0 if max(places) > 0 else ELSEWHERE
        ranked = [
            (rank + place, node)
            for (rank, node), place in zip(ranked, places, strict=True)
            if place >= worst
        ]
    ranked.sort(key=itemgetter(0), reverse=True)
    return [node for _, node in ranked]


def _rank(node: Node) -> float:
    types = types_of(node)
    if not _ARTICLES.isdisjoint(types):
        rank = 10.0
    elif not _OTHER_WORKS.isdisjoint(types):
        rank = 5.0
    elif not _WEB_PAGES.isdisjoint(types):
        rank = 1.0
    else:
        return 4.0 if not types and "headline" in node else 0.0
    return rank + sum(key in node for key in ("headline", "datePublished", "author"))


def _nearness(node: Node, here: frozenset[str]) -> float:
    declared = set(_page_keys(_addresses(node)))
    if not declared or not here:
        return 0.0
    return HERE if declared & here else ELSEWHERE


def _page_keys(urls: Iterable[str]) -> Iterator[str]:
    """The pages that are meant; a slash at the end makes no other page here."""
    return (key.rstrip("/") for url in urls if (key := page_key(url)))


def _addresses(node: Node) -> Iterator[str]:
    around = node.get("mainEntityOfPage")
    held = around.get("@id") or around.get("url") if isinstance(around, dict) else around
    for value in (held, node.get("url")):
        if isinstance(value, str) and value.startswith("http"):
            yield value


def text_of(value: Any, limit: int) -> str:
    """One line of whatever stands where a text should: the first of a list, the name of a node."""
    for _ in range(MAX_STEPS):
        if isinstance(value, str):
            return line_of_html(value, limit)
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("@value") or value.get("name") or value.get("headline") or ""
        else:
            break
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
