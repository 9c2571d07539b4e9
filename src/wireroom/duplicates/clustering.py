"""Clustering: signatures and their near-duplicates become clusters, batch by batch.

Pure. Near-duplicates, and theirs in turn, are one cluster: the connected parts of a graph whose edges depend on
two articles alone. An edge is found on the turn of either end, whichever comes first, and nothing that was
joined is parted by another turn; hence any order, any batches and any restart end in the same clusters.
Whoever saves the decisions does it one at a time, for a decision rests on the clusters as they were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from wireroom.duplicates.canonical import CanonicalChoice, Trust, choose
from wireroom.duplicates.cluster_options import ClusterOptions
from wireroom.duplicates.similarity import are_near_duplicates
from wireroom.model import Article, Cluster, Signature

_PREFIX = "c-"  # tells a cluster's id from an article's at first sight


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDecision:
    """What is to be saved, whole: the arguments of `Store.save_clusters`."""

    clusters: tuple[Cluster, ...] = ()
    clustered: tuple[str, ...] = ()
    """Articles whose turn is over."""
    dissolved: tuple[str, ...] = ()
    """Clusters that are no more: merged into another, or taken apart."""
    uncluster: tuple[str, ...] = ()
    """Articles that get another turn, for their cluster was taken apart."""
    choices: Mapping[str, tuple[CanonicalChoice, ...]] = field(default_factory=dict)
    """For each of the clusters its canonical articles, and why."""


def cluster_id_of(article_id: str) -> str:
    """The id of the cluster whose first member this is."""
    return _PREFIX + article_id


def find_near_duplicates(
    batch: Iterable[Signature],
    candidates: Mapping[str, Iterable[Signature]],
    options: ClusterOptions,
) -> dict[str, list[Signature]]:
    """The near-duplicates of each signature of a batch among its candidates, who share a band with it.

    Two are compared once: being near-duplicates goes both ways, and both may be of the batch.
    """
    compared: dict[tuple[str, str], bool] = {}

    def alike(signature: Signature, other: Signature) -> bool:
        first, second = sorted((signature.article_id, other.article_id))
        if (first, second) not in compared:
            compared[first, second] = are_near_duplicates(signature, other, options)
        return compared[first, second]

    return {
        signature.article_id: [
            other
            for other in candidates.get(signature.article_id, ())
            if other.article_id != signature.article_id and alike(signature, other)
        ]
        for signature in batch
    }


def place(
    batch: Sequence[Signature],
    near_duplicates: Mapping[str, Sequence[Signature]],
    clusters: Mapping[str, Cluster],
    articles: Mapping[str, Article],
    trusts: Mapping[str, Trust],
) -> ClusterDecision:
    """The clusters that the signatures of a batch make, join or change.

    `near_duplicates` are those of each, as `find_near_duplicates` gives them, `clusters` those of anybody among
    them by article, `articles` and the `trusts` in their feeds at least those of all members, by article. A
    member whose article is missing stays, but is never canonical.
    """
    found = {
        signature.article_id: near_duplicates.get(signature.article_id, ()) for signature in batch
    }
    left = _left_clusters(found, clusters)
    waiting = _waiting(found, left)
    signatures = {signature.article_id: signature for signature in batch}
    signatures |= {
        near_duplicate.article_id: near_duplicate
        for its_near_duplicates in found.values()
        for near_duplicate in its_near_duplicates
    }
    changed = [
        _cluster(members, signatures, clusters)
        for members in _joined(found, clusters, waiting=waiting).all()
    ]
    choices = {cluster.id: _choices(cluster.members, articles, trusts) for cluster in changed}
    held = {cluster.id: cluster for cluster in clusters.values()}
    kept = [_with_canonicals(cluster, choices[cluster.id]) for cluster in changed]
    merged = {
        clusters[member].id for cluster in kept for member in cluster.members if member in clusters
    }
    return ClusterDecision(
        clusters=tuple(cluster for cluster in kept if held.get(cluster.id) != cluster),
        clustered=tuple(name for name in found if name not in waiting),
        dissolved=tuple(sorted((merged | left.keys()) - {cluster.id for cluster in kept})),
        uncluster=tuple(
            sorted({member for cluster in left.values() for member in cluster.members})
        ),
        choices=choices,
    )


def _left_clusters(
    found: Mapping[str, Sequence[Signature]], clusters: Mapping[str, Cluster]
) -> dict[str, Cluster]:
    """Clusters of which a member has no near-duplicate any more: its text was edited.

    It may have been what held the others together, so all of them get another turn.
    """
    return {
        clusters[article_id].id: clusters[article_id]
        for article_id, its_near_duplicates in found.items()
        if article_id in clusters
        and not any(
            near_duplicate.article_id in clusters[article_id].members
            for near_duplicate in its_near_duplicates
        )
    }


def _waiting(
    found: Mapping[str, Sequence[Signature]], left: Mapping[str, Cluster]
) -> frozenset[str]:
    """Whose cluster is taken apart now: they, and those of the batch who would join it, come next time."""
    loose = {member for cluster in left.values() for member in cluster.members}
    return frozenset(loose) | {
        article_id
        for article_id, its_near_duplicates in found.items()
        if any(near_duplicate.article_id in loose for near_duplicate in its_near_duplicates)
    }


def _joined(
    found: Mapping[str, Sequence[Signature]],
    clusters: Mapping[str, Cluster],
    *,
    waiting: frozenset[str],
) -> UnionFind:
    """Those of the batch with their near-duplicates, and with all that were with one of them before."""
    parts = UnionFind()
    for article_id, its_near_duplicates in found.items():
        if article_id not in waiting:
            parts.join(article_id, article_id)
            for near_duplicate in its_near_duplicates:
                if near_duplicate.article_id not in waiting:
                    parts.join(article_id, near_duplicate.article_id)
    held = {clusters[name].id: clusters[name] for name in parts.names() if name in clusters}
    for cluster in held.values():
        for member in cluster.members:
            parts.join(cluster.members[0], member)
    return parts


def _cluster(
    members: Sequence[str], signatures: Mapping[str, Signature], clusters: Mapping[str, Cluster]
) -> Cluster:
    """The members as one cluster, under the id of whoever was seen first.

    As a rule that is the oldest of the clusters that they were in, whose id so survives.
    """
    before = {clusters[member].id: clusters[member] for member in members if member in clusters}
    firsts = [(cluster.made_at, cluster.id) for cluster in before.values()]
    firsts += [
        (signatures[member].seen_at, cluster_id_of(member))
        for member in members
        if member in signatures
    ]
    made_at, cluster_id = min(firsts)
    return Cluster(id=cluster_id, members=tuple(sorted(members)), made_at=made_at)


def _choices(
    members: Iterable[str], articles: Mapping[str, Article], trusts: Mapping[str, Trust]
) -> tuple[CanonicalChoice, ...]:
    return choose((articles[member] for member in members if member in articles), trusts)


def _with_canonicals(cluster: Cluster, choices: Iterable[CanonicalChoice]) -> Cluster:
    return replace(cluster, canonicals={choice.language: choice.article_id for choice in choices})


# --- undoing -----------------------------------------------------------------------------------


def split(
    cluster: Cluster,
    article_id: str,
    articles: Mapping[str, Article],
    trusts: Mapping[str, Trust],
) -> ClusterDecision:
    """The cluster without this article; of two, none is left.

    Save `stand_alone` of the article as its signature, or its next near-duplicate brings it back.
    """
    rest = tuple(member for member in cluster.members if member != article_id)
    if len(rest) == len(cluster.members):
        return ClusterDecision()
    if len(rest) < 2:
        return dissolve(cluster)
    # Named after who leaves, it would share its id with the next cluster that one is the first of.
    first = cluster.id == cluster_id_of(article_id)
    kept = replace(cluster, id=cluster_id_of(rest[0]) if first else cluster.id, members=rest)
    choices = _choices(rest, articles, trusts)
    return ClusterDecision(
        clusters=(_with_canonicals(kept, choices),),
        dissolved=(cluster.id,) if first else (),
        choices={kept.id: choices},
    )


def dissolve(cluster: Cluster) -> ClusterDecision:
    """No cluster; its members stay apart as long as none of them gets another turn."""
    return ClusterDecision(dissolved=(cluster.id,))


def stand_alone(article: Article, *, seen_at: datetime) -> Signature:
    """The signature of an article that is to have no near-duplicates, whatever its text; only saving another by hand undoes that."""
    return Signature(
        article_id=article.id, bands=(), minhash=b"", language=article.language, seen_at=seen_at
    )


# The connected parts of a graph, found edge by edge.


class UnionFind:
    """Names that were joined, directly or over others, are in one part."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def join(self, item: str, other: str) -> None:
        """Puts two names, and all that were joined with them, in one part."""
        top, other_top = sorted((self._top(item), self._top(other)))
        self._above[other_top] = top

    def names(self) -> list[str]:
        """All names that were joined with any, themselves included."""
        return list(self._above)

    def all(self) -> list[tuple[str, ...]]:
        """The parts of two and more, each sorted, in the order of their first names."""
        parts: dict[str, list[str]] = {}
        for name in sorted(self._above):
            parts.setdefault(self._top(name), []).append(name)
        return [tuple(part) for part in parts.values() if len(part) > 1]

    def _top(self, name: str) -> str:
        """The root of a part; every name passed on the way points to it afterwards."""
        above = self._above.setdefault(name, name)
        while above != name:
            self._above[name] = higher = self._above[above]
            name, above = above, higher
        return name
