"""What lists and overviews show, from a SQL database: each method one read at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from wireroom.ports import (
    OverviewLog,
    Place,
    PublisherFilter,
    PublisherKind,
    PublisherOrder,
    PublisherPage,
    PublisherRecord,
)
from wireroom.store import publisher_lists
from wireroom.store.database import Database


class SqlOverviewLog(OverviewLog):
    """What is held, as lists show it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def publishers(
        self,
        chosen: PublisherFilter,
        *,
        order: PublisherOrder = "name",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> PublisherPage:
        find = partial(publisher_lists.list_publishers, chosen=chosen, order=order, reverse=reverse)
        return self._db.read(partial(find, after=after, limit=limit))

    def publishers_named(self, domains: Sequence[str]) -> Mapping[str, PublisherRecord]:
        return self._db.read(partial(publisher_lists.find_publishers, domains=domains))

    def publisher_kinds(self, chosen: PublisherFilter) -> tuple[PublisherKind, ...]:
        return self._db.read(partial(publisher_lists.count_kinds, chosen=chosen))
