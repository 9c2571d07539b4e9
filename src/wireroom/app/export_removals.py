"""What left under a cursor for a use: noted before it leaves, and told again once it may not be used any more.

Articles are noted before they are written: who is killed in between tells of a removal too many, never of one too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice

from wireroom.app.reprints import OriginalFinder
from wireroom.export.selection import PermittedArticles
from wireroom.model import Article, Removal
from wireroom.ports import Store

AT_ONCE = 200  # articles that are noted, or looked at again, together
MAX_LISTED = 10_000  # removals that a report lists; an output that carries them has all


class LeavingArticles:
    """Articles on their way out, each noted in the store before it is given.

    `before` is called before the first of them: it keeps the id of the cursor, without which nobody could name again
    what an export had given that was cut short.
    """

    def __init__(
        self,
        articles: Iterable[Article],
        store: Store,
        cursor: str,
        *,
        now: datetime,
        before: Callable[[], None],
    ) -> None:
        self._articles = iter(articles)
        self._store = store
        self._cursor = cursor
        self._now = now
        self._before = before

    def __iter__(self) -> Iterator[Article]:
        batch = list(islice(self._articles, AT_ONCE))
        if batch:
            self._before()
        while batch:
            self._store.receipts.save_exported(self._cursor, batch, now=self._now)
            yield from batch
            batch = list(islice(self._articles, AT_ONCE))


class Removals:
    """Articles that left under a cursor and may not be used any more, judged as an export judges; iterate once.

    Those that were given are remembered by id, the first of them whole.
    """

    def __init__(
        self,
        store: Store,
        cursor: str,
        permitted: PermittedArticles,
        finder: OriginalFinder,
        *,
        now: datetime,
    ) -> None:
        self._store = store
        self._cursor = cursor
        self._permitted = permitted
        self._finder = finder
        self._now = now
        self.listed: list[Removal] = []
        self._ids: list[str] = []

    def __iter__(self) -> Iterator[Removal]:
        for removal in self._found():
            self._ids.append(removal.id)
            if len(self.listed) < MAX_LISTED:
                self.listed.append(removal)
            yield removal

    @property
    def count(self) -> int:
        """How many were given."""
        return len(self._ids)

    def forget(self, *, listed_only: bool = False) -> None:
        """Forgets that those who were given left, once somebody was told, so that it is told once."""
        ids = [removal.id for removal in self.listed] if listed_only else self._ids
        self._store.receipts.forget_exported(self._cursor, ids)

    def _found(self) -> Iterator[Removal]:
        left = self._store.receipts.exported(self._cursor)
        while batch := list(islice(left, AT_ONCE)):
            articles = list(self._store.articles(ids=[exported.article_id for exported in batch]))
            self._finder.prepare(articles)
            held = {article.id: article for article in self._finder.complete(articles)}
            for exported in batch:
                article = held.get(exported.article_id)
                removal = self._permitted.removal(exported, article, now=self._now)
                if removal is not None:
                    yield removal
