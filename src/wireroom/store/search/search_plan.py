"""How a query is answered: what the index of words finds, what the articles' own columns say, between which positions.

Most queries are words side by side with filters. What the index of words can say goes there in one match; times of
publication become positions, which are the order of the index; the rest is asked of the articles' rows. Where words and
columns are alternatives (`storm OR quality:>0.5`), the words become a set of positions beside the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, and_, false, not_, or_

from wireroom.query.query_reader import span_of
from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    CanonicalTerm,
    FacetTerm,
    NotNode,
    QualityTerm,
    Query,
    QueryNode,
    TimeTerm,
    terms_of,
)
from wireroom.store import schema
from wireroom.store.feeds_table import feed_addresses_named
from wireroom.store.packing import as_micros
from wireroom.store.search.match_text import is_matchable
from wireroom.store.search.positions import HIGHEST, LOWEST, Walk, floor_at

_article = schema.article

Matching = Callable[[QueryNode], Select[int]]
"""Gives the positions of the articles for which a node of words and facets holds."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What to ask: a match of words, conditions on the articles' rows, and a range of positions."""

    floor: int
    below: int
    match: AllOf | None
    """None when no words or facets are asked for."""
    others: tuple[QueryNode, ...]
    """What the articles' rows have to say."""

    @property
    def walk(self) -> Walk:
        """Its positions, the newest first."""
        return Walk(self.floor, self.below)

    def conditions(self, matching: Matching) -> list[ColumnElement[bool]]:
        """The conditions on the articles' rows, in SQL."""
        return [_condition(node, matching) for node in self.others]


def plan_search(conn: Connection, query: Query) -> SearchPlan:
    """How the query is answered; names of feeds are looked up."""
    root = _with_addresses(conn, query.root)
    after, before = span_of(query, "published")
    words = [node for node in root.nodes if is_matchable(node)]
    others = [
        node
        for node in root.nodes
        if not is_matchable(node) and not (isinstance(node, TimeTerm) and node.field == "published")
    ]
    return SearchPlan(
        floor=LOWEST if after is None else floor_at(after),
        below=HIGHEST if before is None else floor_at(before),
        match=AllOf(tuple(words)) if words else None,
        others=tuple(others),
    )


# --- names of feeds ----------------------------------------------------------------------------


def _with_addresses(conn: Connection, root: AllOf) -> AllOf:
    """The tree with the addresses of feeds in the place of their names."""
    names = {
        term.value
        for term in terms_of(root)
        if isinstance(term, FacetTerm) and term.field == "feed"
    }
    if not names:
        return root
    addresses = {name: feed_addresses_named(conn, name) for name in names}
    return AllOf(tuple(_addressed(node, addresses) for node in root.nodes))


def _addressed(node: QueryNode, addresses: Mapping[str, Sequence[str]]) -> QueryNode:
    if isinstance(node, NotNode):
        return NotNode(_addressed(node.node, addresses))
    if isinstance(node, AllOf):
        return AllOf(tuple(_addressed(each, addresses) for each in node.nodes))
    if isinstance(node, AnyOf):
        return AnyOf(tuple(_addressed(each, addresses) for each in node.nodes))
    if isinstance(node, FacetTerm) and node.field == "feed":
        return AnyOf(tuple(FacetTerm("feed", url) for url in addresses[node.value]))
    return node


# --- columns -----------------------------------------------------------------------------------


def _condition(node: QueryNode, matching: Matching) -> ColumnElement[bool]:
    if is_matchable(node):
        return _article.c.position.in_(matching(node))
    if isinstance(node, NotNode):
        return not_(_condition(node.node, matching))
    if isinstance(node, AllOf):
        return and_(*_conditions(node.nodes, matching, AllOf))
    if isinstance(node, AnyOf):
        return or_(false(), *_conditions(node.nodes, matching, AnyOf))
    return _of_column(node)


def _conditions(
    nodes: Sequence[QueryNode], matching: Matching, kind: type[AllOf | AnyOf]
) -> list[ColumnElement[bool]]:
    """Those of the columns one by one, those of words as one match."""
    words = tuple(node for node in nodes if is_matchable(node))
    found = [_condition(node, matching) for node in nodes if not is_matchable(node)]
    return [*found, _condition(kind(words), matching)] if words else found


def _of_column(node: QueryNode) -> ColumnElement[bool]:
    if isinstance(node, TimeTerm):
        is_published = node.field == "published"
        column = _article.c.position if is_published else _article.c.arrived_at
        value = floor_at(node.at) if is_published else as_micros(node.at)
        return column >= value if node.is_after else column < value
    if isinstance(node, CanonicalTerm):
        return _article.c.is_near_duplicate.is_(not node.is_canonical)
    assert isinstance(node, QualityTerm)  # noqa: S101 - words and facets are matchable
    comparisons: dict[str, ColumnElement[bool]] = {
        ">": _article.c.quality > node.value,
        ">=": _article.c.quality >= node.value,
        "<": _article.c.quality < node.value,
        "<=": _article.c.quality <= node.value,
    }
    return comparisons[node.comparison]
