"""Articles without the near-duplicates of another one, for whoever wants each text once.

Of a cluster the canonical article of each language passes. Where it may not be used and another may, that one stands in
for it, unless the original of the cluster may not be used either: a reprint lends nobody's text a permission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wireroom.app.cluster_round import cluster_inputs
from wireroom.duplicates import choose
from wireroom.lru import LruCache
from wireroom.model import Article, Cluster
from wireroom.ports import Store

KNOWN_CLUSTERS = 4096  # kept in memory; near-duplicates mostly come close to one another

Permits = Callable[[Article], bool]


class UniqueArticles:
    """The articles of an export as they come, near-duplicates left out and counted."""

    def __init__(
        self,
        articles: Iterable[Article],
        store: Store,
        *,
        permits: Permits | None = None,
        permits_with_original: Permits | None = None,
    ) -> None:
        """Without `permits` every use is meant, and nobody stands in; the other asks the original of a reprint too."""
        self._articles = articles
        self._store = store
        self._permits = permits
        self._permits_with_original = permits_with_original
        self._clusters: LruCache[str, Cluster] = LruCache(KNOWN_CLUSTERS)
        self._chosen: LruCache[str, frozenset[str]] = LruCache(KNOWN_CLUSTERS)
        self.near_duplicates = 0
        self.stand_ins = 0

    def __iter__(self) -> Iterator[Article]:
        for article in self._articles:
            cluster = self._cluster_of(article) if article.cluster_id else None
            if cluster is None or article.id in cluster.canonicals.values():
                yield article
            elif article.id in self._stand_ins(cluster):
                self.stand_ins += 1
                yield article
            else:
                self.near_duplicates += 1

    def _cluster_of(self, article: Article) -> Cluster | None:
        cluster = self._clusters.get(article.cluster_id)
        if cluster is None:
            cluster = self._store.clusters_of([article.id]).get(article.id)
            if cluster is not None:
                self._clusters[article.cluster_id] = cluster
        return cluster

    def _stand_ins(self, cluster: Cluster) -> frozenset[str]:
        found = self._chosen.get(cluster.id)
        if found is None:
            found = self._chosen[cluster.id] = self._find_stand_ins(cluster)
        return found

    def _find_stand_ins(self, cluster: Cluster) -> frozenset[str]:
        """Those that pass in place of a canonical article, by the rules by which that one was chosen."""
        if self._permits is None or self._permits_with_original is None:
            return frozenset()
        canonicals = self._store.articles(ids=sorted(cluster.canonicals.values()))
        barred = {article.id for article in canonicals if not self._permits(article)}
        languages = {name for name, chosen in cluster.canonicals.items() if chosen in barred}
        if not languages:
            return frozenset()
        _, members, trusts = cluster_inputs(self._store, {cluster.members[0]: ()})
        usable = [
            member
            for member in members.values()
            if member.state == "held" and self._permits_with_original(member)
        ]
        choices = choose(usable, trusts)
        return frozenset(each.article_id for each in choices if each.language in languages)
