"""What stands beside the store's own port, in a SQL database: receipts over time, the queue as it lies, counted matches, jobs.

What a method does is said at the ports, `wireroom.ports.store_logs` and `wireroom.ports.job_log`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import partial

from wireroom.model import Article, LeadState, Receipt, Use
from wireroom.ports import (
    Exported,
    FormerOriginal,
    HitCount,
    HitCounts,
    HitSummary,
    HostRecord,
    JobLog,
    JobPage,
    JobRecord,
    JobRow,
    LeadPage,
    PageRecord,
    Place,
    QueueLog,
    ReceiptLog,
    RunRecord,
)
from wireroom.query import Query
from wireroom.store import former_original_table, jobs_table, receipts_table
from wireroom.store.cleaning import clean
from wireroom.store.database import Database
from wireroom.store.queue import listing
from wireroom.store.search import counting

STREAM_PAGE = 200  # rows with their articles read at once while all are streamed: about 2 MB


class SqlReceiptLog(ReceiptLog):
    """Receipts over time, in a SQL database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def former(self, article_ids: Sequence[str]) -> Mapping[str, tuple[Receipt, ...]]:
        find = partial(receipts_table.former_receipts, article_ids=article_ids)
        return self._db.read(find)

    def save_exported(self, cursor: str, articles: Sequence[Article], *, now: datetime) -> None:
        save = partial(receipts_table.save_exported, cursor=cursor, articles=articles, now=now)
        self._db.write(save)

    def exported(self, cursor: str) -> Iterator[Exported]:
        next_page = partial(receipts_table.exported_page, cursor=cursor, limit=STREAM_PAGE)
        after = ""
        while found := self._db.read(partial(next_page, after=after)):
            yield from found
            after = found[-1].article_id

    def forget_exported(self, cursor: str, article_ids: Sequence[str] | None = None) -> int:
        forget = partial(receipts_table.forget_exported, cursor=cursor, article_ids=article_ids)
        return self._db.write(forget)

    def original_of(self, article_ids: Sequence[str]) -> Mapping[str, FormerOriginal]:
        return self._db.read(
            partial(former_original_table.former_original_of, article_ids=article_ids)
        )

    def forget_original(self, article_ids: Sequence[str]) -> int:
        return self._db.write(
            partial(former_original_table.forget_original, article_ids=article_ids)
        )


class SqlQueueLog(QueueLog):
    """What waits in the queue of a SQL database, and who is at work."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def leads(
        self,
        *,
        publisher: str = "",
        feed_url: str = "",
        states: Collection[LeadState] = (),
        cursor: str = "",
        limit: int = 50,
    ) -> LeadPage:
        find = partial(listing.list_leads, publisher=publisher, feed_url=feed_url, states=states)
        return self._db.read(partial(find, cursor=cursor, limit=limit))

    def page(self, url: str) -> PageRecord:
        return self._db.read(lambda conn: listing.find_page(conn, url))

    def hosts(self, *, now: datetime, names: Sequence[str] | None = None) -> tuple[HostRecord, ...]:
        return self._db.read(partial(listing.list_hosts, now=now, names=names))

    def save_run(self, run: RunRecord, *, done: Mapping[str, int] | None = None) -> None:
        held = clean(run)
        self._db.write(lambda conn: listing.save_run(conn, held, done=done or {}))

    def forget_run(self, holder: str) -> None:
        self._db.write(lambda conn: listing.forget_run(conn, holder))

    def runs(self) -> tuple[RunRecord, ...]:
        return self._db.read(listing.list_runs)


class SqlHitCounts(HitCounts):
    """What matches queries in a SQL database, counted."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def summary(
        self, query: Query | str, *, use: Use, zone: tzinfo, most: int, within: timedelta
    ) -> HitSummary:
        find = partial(counting.find_hits, index=self._db.index, query=query)
        hits = self._db.read(partial(find, most=most, within=within))
        count = HitCount(count=len(hits.positions), reach=hits.reach)
        facets = self._db.read(partial(counting.count_facets, hits=hits, use=use, within=within))
        return HitSummary(count=count, facets=facets, days=counting.count_days(hits, zone))


class SqlJobLog(JobLog):
    """Jobs of all servers, in a SQL database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, job: JobRecord, rows: Sequence[JobRow] = ()) -> None:
        held, known = clean(job), [clean(row) for row in rows]
        self._db.write(lambda conn: jobs_table.save_job(conn, held, known))

    def find(self, job_id: str) -> JobRecord | None:
        return self._db.read(lambda conn: jobs_table.find_job(conn, job_id))

    def rows(self, job_id: str) -> tuple[JobRow, ...]:
        return self._db.read(lambda conn: jobs_table.job_rows(conn, job_id))

    def newest(
        self, *, publisher: str = "", after: Place | None = None, limit: int = 50
    ) -> JobPage:
        find = partial(jobs_table.newest_jobs, publisher=publisher, after=after)
        return self._db.read(partial(find, limit=limit))
