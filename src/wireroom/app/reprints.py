"""The originals of reprints: articles are completed with the earliest one that tells the same text, and its rights.

One that left its cluster, since it was removed, cut down or edited, is the original of those that stayed all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from wireroom.duplicates import earliest
from wireroom.lru import LruCache
from wireroom.model import Article, Original
from wireroom.ports import FormerOriginal, Store

KNOWN_CLUSTERS = (
    4096  # clusters whose original is kept at hand; reprints mostly come close to one another
)


class OriginalFinder:
    """Completes articles, cluster by cluster."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: LruCache[str, Original] = LruCache(KNOWN_CLUSTERS)
        self._prepared = _Prepared(frozenset(), {})

    def complete(self, articles: Iterable[Article]) -> Iterator[Article]:
        """The articles as they come, reprints with their original."""
        return map(self.of, articles)

    def prepare(self, articles: Sequence[Article]) -> None:
        """Looks up at once what would be one question for each of these; they come next."""
        alone = [article.id for article in articles if not article.cluster_id]
        self._prepared = _Prepared(frozenset(alone), dict(self._store.receipts.original_of(alone)))

    def of(self, article: Article) -> Article:
        """The article with its original; as it is where it is the original itself, or the only one."""
        original = self._of_cluster(article) if article.cluster_id else self._of_one(article)
        if original is None or original.id == article.id:
            return article
        return replace(article, original=original)

    def _of_one(self, article: Article) -> Original | None:
        """Of an article in no cluster: the original left it, and then there was none any more."""
        if article.id not in self._prepared.ids:
            self.prepare([article])
        former = self._prepared.formers.get(article.id)
        return self._first([article], [former]) if former is not None else None

    def _of_cluster(self, article: Article) -> Original | None:
        known = self._known.get(article.cluster_id)
        if known is not None:
            return known
        cluster = self._store.clusters_of([article.id]).get(article.id)
        if cluster is None:
            return None
        members = list(self._store.articles(ids=cluster.members))
        found = self._first(members, self._store.receipts.original_of(cluster.members).values())
        if found is not None:
            self._known[article.cluster_id] = found
        return found

    def _first(
        self, members: Iterable[Article], formers: Iterable[FormerOriginal]
    ) -> Original | None:
        """The earliest of those that are there and those that left."""
        first = earliest(members)
        former = min(
            formers, key=lambda former: (former.first_at, former.original.id), default=None
        )
        if former is None:
            return _original(first) if first is not None else None
        if first is not None and _when(first) <= (former.first_at, former.original.id):
            return _original(first)
        held = self._store.article(former.original.id)  # where it was cut down, or edited
        return _original(held) if held is not None else former.original


class _Prepared(NamedTuple):
    """Articles whose former originals were asked for, and those that there are."""

    ids: frozenset[str]
    formers: dict[str, FormerOriginal]


def _when(article: Article) -> tuple[datetime, str]:
    return article.published_at or article.fetched_at, article.id


def _original(article: Article) -> Original:
    return Original(
        id=article.id,
        publisher=article.publisher,
        url=article.url,
        feed_url=article.feed_url,
        published_at=article.published_at,
        receipt=article.receipt,
    )
