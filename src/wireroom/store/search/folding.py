"""What else of a page's clusters a query finds: copies of a story stand anywhere in the results, and are shown once.

A page is cut out of an order by its edges, so it cannot know from itself what stood before it. The members of its clusters are
few and are asked about one by one: the page costs the same however far it is from the first.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Select, func, select

from wireroom.model import Article
from wireroom.ports import ClusterHits
from wireroom.query.query_tree import QueryNode, WordTerm, terms_of
from wireroom.store import schema
from wireroom.store.rows import chunks, listed
from wireroom.store.search.search_plan import SearchPlan

MOST_MEMBERS = 20  # newest of a cluster that are asked about
AT_ONCE = 8  # members a statement asks about: under a millisecond
FOLDING_TIME = 0.1  # seconds; a page has a handful of copies, which take a tenth of a millisecond each, a prefix more

_article, _member = schema.article, schema.cluster_member
_age = func.row_number().over(
    partition_by=_member.c.cluster_id, order_by=_article.c.position.desc()
)
_members = (
    select(_member.c.cluster_id, _article.c.id, _article.c.position, _age.label("age"))
    .join(_article, _article.c.id == _member.c.article_id)
    .where(_member.c.cluster_id.in_(listed("ids")))
    .subquery("members")
)
_NEWEST = select(_members).where(_members.c.age <= MOST_MEMBERS + 1)

PlaceOf = Callable[[int], tuple[float, int]]
"""Where a match at this position stands in the order of the search; the first has the highest."""


class MatchesOf(Protocol):
    """An index that knows where a node of words holds."""

    def matching(self, node: QueryNode) -> Select[int]:
        """The positions of the articles for which it does."""
        ...


class _ClusterMember(NamedTuple):
    id: str
    position: int


def cluster_hits(
    conn: Connection,
    index: MatchesOf,
    plan: SearchPlan,
    page: Sequence[tuple[int, Article]],
    place_of: PlaceOf,
) -> dict[str, ClusterHits]:
    """By cluster: the matches that it has, those of the page and all others, the first of the order first."""
    found: defaultdict[str, set[_ClusterMember]] = defaultdict(set)
    for position, article in page:
        if article.cluster_id:
            found[article.cluster_id].add(_ClusterMember(article.id, position))
    if not found:
        return {}
    known = {each for hits in found.values() for each in hits}
    members = _newest_members(conn, found)
    others = [each for each in members if each.age <= MOST_MEMBERS and each.member not in known]
    asked = _PositionCheck(conn, index, plan)
    matching = asked.matching([each.member.position for each in others])
    cut = {each.cluster_id for each in members if each.age > MOST_MEMBERS}
    cut |= {each.cluster_id for each in others[asked.count :]}
    for each in others:
        if each.member.position in matching:
            found[each.cluster_id].add(each.member)
    return {
        cluster_id: ClusterHits(
            ids=tuple(hit.id for hit in sorted(hits, key=lambda hit: place_of(hit.position))[::-1]),
            is_cut=cluster_id in cut,
        )
        for cluster_id, hits in found.items()
    }


class _AgedMember(NamedTuple):
    cluster_id: str
    member: _ClusterMember
    age: int
    """1 for the newest of its cluster."""


def _newest_members(conn: Connection, cluster_ids: Iterable[str]) -> list[_AgedMember]:
    """The newest members of each cluster, one more than are asked about; first the newest of all clusters."""
    rows = (
        row for part in chunks(cluster_ids) for row in conn.execute(_NEWEST, {"ids": part}).all()
    )
    members = [
        _AgedMember(row.cluster_id, _ClusterMember(row.id, row.position), row.age) for row in rows
    ]
    return sorted(members, key=lambda each: (each.age, each.member))


class _PositionCheck:
    """Asks at which positions a query holds, a few at a time, while there is time."""

    def __init__(self, conn: Connection, index: MatchesOf, plan: SearchPlan) -> None:
        self._conn = conn
        self._plan = plan
        self.count = 0
        """Positions that were asked about."""
        own = _article.c.position
        query = select(own).where(own.in_(listed("positions")), *plan.conditions(index.matching))
        if plan.match is not None:
            # Position by position: as a list of its own, all that a frequent word has would be gone through.
            words = index.matching(plan.match)
            query = query.where(words.where(words.selected_columns[0] == own).exists())
        self._query = query

    def matching(self, positions: Sequence[int]) -> set[int]:
        """Those at which it holds, of as many as were asked about."""
        found: set[int] = set()
        size = 1 if self._has_prefix() else AT_ONCE
        ends = time.monotonic() + FOLDING_TIME
        while self.count < len(positions) and time.monotonic() < ends:
            part = positions[self.count : self.count + size]
            inside = [each for each in part if self._plan.floor <= each < self._plan.below]
            if inside:
                found.update(self._conn.execute(self._query, {"positions": inside}).scalars())
            self.count += len(part)
        return found

    def _has_prefix(self) -> bool:
        """Whether it asks for words by their beginning, which SQLite collects anew each time it is asked."""
        terms = terms_of(self._plan.match) if self._plan.match is not None else ()
        return any(isinstance(term, WordTerm) and term.phrase.is_open for term in terms)
