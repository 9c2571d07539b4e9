"""The originals of reprints: articles are completed with the earliest one that tells the same text, and its rights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wireroom.duplicates import earliest
from wireroom.lru import LruCache
from wireroom.model import Article, Original
from wireroom.ports import Store

KNOWN_CLUSTERS = (
    4096  # clusters whose original is kept at hand; reprints mostly come close to one another
)


class OriginalFinder:
    """Completes articles, cluster by cluster."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: LruCache[str, Original] = LruCache(KNOWN_CLUSTERS)

    def complete(self, articles: Iterable[Article]) -> Iterator[Article]:
        """The articles as they come, reprints with their original."""
        return map(self.of, articles)

    def of(self, article: Article) -> Article:
        """The article with its original; as it is where it is the original itself, or the only one."""
        original = self._original(article) if article.cluster_id else None
        if original is None or original.id == article.id:
            return article
        return replace(article, original=original)

    def _original(self, article: Article) -> Original | None:
        known = self._known.get(article.cluster_id)
        if known is not None:
            return known
        cluster = self._store.clusters_of([article.id]).get(article.id)
        if cluster is None:
            return None
        first = earliest(self._store.articles(ids=cluster.members))
        if first is None:
            return None
        found = Original(
            id=first.id,
            publisher=first.publisher,
            url=first.url,
            feed_url=first.feed_url,
            published_at=first.published_at,
            receipt=first.receipt,
        )
        self._known[article.cluster_id] = found
        return found
