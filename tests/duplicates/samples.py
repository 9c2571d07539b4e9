"""Texts, articles and a store of signatures to cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from wireroom.duplicates import ClusterDecision, ClusterOptions, find_near_duplicates, place, sign
from wireroom.duplicates.similarity import shared_bands
from wireroom.model import Article, Cluster, Signature

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
OPTIONS = ClusterOptions()


def prose(seed: object, words: int = 200) -> str:
    """Words that no other seed puts in this order."""
    chance = Random(f"{seed}")
    return " ".join(chance.choice(_STOCK) for _ in range(words))


_CHANCE = Random("stock")
_STOCK = [
    "".join(_CHANCE.choices("aeioubcdfglmnprst", k=_CHANCE.randint(2, 8))) for _ in range(900)
]


def edited(text: str, *, keep: float = 0.8, seed: object = 0) -> str:
    """The first part of a text and as many other words as were cut."""
    words = text.split()
    kept = round(len(words) * keep)
    return " ".join([*words[:kept], *prose(f"edit {seed}", len(words) - kept).split()])


def signed(
    name: str,
    text: str,
    *,
    language: str = "en",
    at: datetime = NOW,
    options: ClusterOptions = OPTIONS,
) -> Signature:
    signature = sign(name, text, language, at, options)
    assert signature is not None
    return signature


def article(name: str, **fields: Any) -> Article:
    made = Article(
        id=name,
        publisher="courier.test",
        url=f"https://courier.test/{name}",
        title="Bells",
        fetched_at=NOW,
    )
    return replace(made, **{"language": "en", "text": "Bells rang.", "word_count": 200, **fields})


class SignatureStore:
    """What a store does for clustering, in a dictionary."""

    def __init__(self) -> None:
        self.signatures: dict[str, Signature] = {}
        self.waiting: dict[str, None] = {}
        self.clusters: dict[str, Cluster] = {}

    def save(self, signatures: Iterable[Signature]) -> None:
        for signature in signatures:
            self.signatures[signature.article_id] = signature
            self.waiting[signature.article_id] = None

    def near_duplicates(
        self, signature: Signature, options: ClusterOptions
    ) -> tuple[Signature, ...]:
        since = signature.seen_at - options.window
        near = (other for other in self.signatures.values() if other.seen_at >= since)
        return tuple(other for other in near if shared_bands(signature, other))

    def decide(self, limit: int, options: ClusterOptions = OPTIONS) -> ClusterDecision:
        batch = [self.signatures[name] for name in list(self.waiting)[:limit]]
        near = {
            signature.article_id: self.near_duplicates(signature, options) for signature in batch
        }
        return place(
            batch,
            find_near_duplicates(batch, near, options),
            {name: cluster for cluster in self.clusters.values() for name in cluster.members},
            {
                name: article(name, language=signature.language)
                for name, signature in self.signatures.items()
            },
            {},
        )

    def obey(self, decision: ClusterDecision) -> None:
        for cluster_id in decision.dissolved:
            del self.clusters[cluster_id]
        self.clusters |= {cluster.id: cluster for cluster in decision.clusters}
        for name in decision.clustered:
            self.waiting.pop(name, None)
        self.waiting |= dict.fromkeys(decision.uncluster)
        members = [name for cluster in self.clusters.values() for name in cluster.members]
        assert len(members) == len(set(members)), "an article stands in one cluster at most"

    def cluster_all(self, *, limit: int = 100, options: ClusterOptions = OPTIONS) -> None:
        rounds = 0
        while self.waiting:
            self.obey(self.decide(limit, options))
            rounds += 1
            assert rounds <= 10 * (1 + len(self.signatures)), "clustering does not come to an end"


def day(number: float) -> datetime:
    return NOW + timedelta(days=number)


def members(clusters: Iterable[Cluster]) -> set[frozenset[str]]:
    return {frozenset(cluster.members) for cluster in clusters}


def by_article(clusters: Sequence[Cluster]) -> Mapping[str, Cluster]:
    return {name: cluster for cluster in clusters for name in cluster.members}
