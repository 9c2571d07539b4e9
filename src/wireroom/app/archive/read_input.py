"""One input to one output and one outcome: records are read here, pages parsed in workers, articles written in order.

The order of the archive is kept, whatever order workers answer in: so duplicates and limits come out the same each
time, and so does the file. What is held back for that is bounded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from wireroom.app.archive.archive_inputs import ArchiveInput
from wireroom.app.archive.archive_output import ArchiveOutput
from wireroom.app.archive.archive_sources import ArchiveFile, input_errors, open_archives
from wireroom.app.archive.crawl_rights import CrawlRights, TodayOf
from wireroom.app.archive.manifest import HostCost, InputOutcome, SetAside
from wireroom.app.archive.page_filter import (
    PageFilter,
    SkipReason,
    captured_at,
    holds_answer,
    is_page,
    is_robots,
)
from wireroom.errors import DeliverError
from wireroom.export.archive_columns import Capture
from wireroom.export.selection import Report, merge_reports
from wireroom.model import Use
from wireroom.parse.warc import BadRecord, HttpAnswer, Record, RecordHead, WarcReader, read_http
from wireroom.ports import Done, Engine, Lost
from wireroom.urls import host_of
from wireroom.workers.archive_jobs import (
    AddressJob,
    ArchivedPage,
    ArchiveEntry,
    ArchiveJob,
    ArchiveOutcome,
)
from wireroom.workers.document_jobs import Unread

WINDOW = 512  # pages whose outcomes may wait for an earlier one
MAX_SET_ASIDE = 100  # that an outcome lists
MAX_HOSTS = 100_000  # whose cost is counted
SLOWEST = 10
PROGRESS_EVERY = 50  # pages between two words about progress
MERGE_AT = 1_000  # reports of single articles that are put together

ReadOutcome: TypeAlias = Done[ArchivedPage, ArchiveOutcome | Unread] | Lost[ArchivedPage]
Watch: TypeAlias = Callable[[int, int, int], None]
"""Told how many bytes were read, pages parsed and articles written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTask:
    """What is to be done with one input; all of it can travel to another process."""

    found: ArchiveInput
    job: ArchiveJob
    wanted: PageFilter
    limit: int | None = None
    """Articles at most."""
    keep_duplicates: bool = False
    path: Path | None = None
    """Where an input that had to be fetched lies."""

    @property
    def use(self) -> Use | None:
        """What the articles are for."""
        return self.job.use


async def read_input(
    task: InputTask,
    engine: Engine,
    output: Callable[[], ArchiveOutput],
    *,
    today_of: TodayOf | None = None,
    watch: Watch = lambda _bytes, _pages, _articles: None,
) -> InputOutcome:
    """Reads the whole input; twice where a robots.txt stands behind pages that it speaks for."""
    rights = CrawlRights(today_of, task.job.now)
    if _needs_robots_first(task):
        await asyncio.to_thread(_read_robots, task, rights)
    addresses = await _saved_addresses(task, engine) if rights.knows_today else {}
    while True:
        reading = _InputReading(task, rights, addresses, watch)
        with output() as out:
            await reading.run(engine, out)
            if not rights.late or not reading.articles:
                return reading.outcome(out.finish(reading.day))
        rights.read_again()


def _needs_robots_first(task: InputTask) -> bool:
    """What is saved cannot be thrown away when a robots.txt comes late; behind a limit nobody would see one."""
    if task.found.kind == "pages":
        return False
    return task.job.form == "readings" or (task.use is not None and task.limit is not None)


class _InputReading:
    """One pass over an input."""

    def __init__(
        self, task: InputTask, rights: CrawlRights, addresses: Mapping[str, str], watch: Watch
    ) -> None:
        self._task = task
        self._rights = rights
        self._addresses_of_files = addresses
        self._watch = watch
        self._began = monotonic()
        self._room = asyncio.Event()
        self._sent = self._taken = 0
        self._consumed = 0
        self._addresses: set[bytes] = set()
        self._texts: set[bytes] = set()
        self._skipped: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._duplicates: Counter[str] = Counter()
        self._bad: Counter[str] = Counter()
        self._set_aside: list[SetAside] = []
        self._set_aside_count = 0
        self._hosts: dict[str, tuple[int, float]] = {}
        self._reports: list[Report] = []
        self._records = 0
        self.articles = 0
        self.day: datetime | None = None
        """When the first page was captured."""

    async def run(self, engine: Engine, out: ArchiveOutput) -> None:
        """Until the input ends, or there is enough."""
        waiting: dict[int, ReadOutcome] = {}
        async with aclosing(engine.spread(self._pages(), self._task.job)) as outcomes:
            async for done in outcomes:
                waiting[done.work.number] = done
                while self._taken in waiting:
                    self._take(waiting.pop(self._taken), out)
                    self._taken += 1
                    self._room.set()
                    if self._is_enough():
                        return

    def outcome(self, output: str) -> InputOutcome:
        """What came of it."""
        found, use = self._task.found, self._task.use
        return InputOutcome(
            location=found.name,
            stamp=found.stamp,
            output=output,
            articles=self.articles,
            records=self._records,
            pages=self._taken,
            size=self._consumed,
            skipped=dict(self._skipped),
            unread=dict(self._unread),
            duplicates=dict(self._duplicates),
            bad=dict(self._bad),
            set_aside=tuple(self._set_aside),
            set_aside_count=self._set_aside_count,
            hosts=slowest_hosts(self._host_costs()),
            report=merge_reports(use, self._reports) if use is not None else None,
            limited=self._is_enough(),
            seconds=round(monotonic() - self._began, 3),
            done_at=datetime.now(UTC),
        )

    def _host_costs(self) -> Iterator[HostCost]:
        for host, (pages, seconds) in self._hosts.items():
            yield HostCost(host=host, pages=pages, seconds=round(seconds, 4))

    # --- from the archive to the workers ----------------------------------------------------------

    async def _pages(self) -> AsyncIterator[ArchivedPage]:
        for page in self._found_pages():
            while self._sent - self._taken >= WINDOW:
                self._room.clear()
                await self._room.wait()
            self._sent += 1
            if self.day is None:
                self.day = page.capture.warc_date
            yield page

    def _found_pages(self) -> Iterator[ArchivedPage]:
        found = self._task.found
        if found.kind == "pages":
            yield from self._saved_pages()
            return
        before = 0
        with closing(_each_archive(self._task)) as archives:
            for file in archives:
                reader = WarcReader(file.stream, self._wants)
                for record in reader:
                    self._consumed = before + reader.consumed
                    page = self._page(record, file.name)
                    if page is not None:
                        yield page
                before = self._consumed = before + reader.consumed
                self._records += reader.records
        if not self._records and self._bad:
            raise DeliverError(
                f"{found.name} is no archive: nothing in it is a record.",
                hint="Name a WARC, a WACZ or a folder of pages.",
            )

    def _wants(self, head: RecordHead) -> bool:
        """Whether the block of a record is looked at; what is no page is not even counted."""
        if not is_page(head):
            return False
        skip = self._task.wanted.skip_head(head, captured_at(head))
        if is_robots(head) and skip not in {"publisher", "no_web_address"}:
            return True
        if skip is not None:
            self._skipped[skip] += 1
        return skip is None

    def _page(self, record: Record | BadRecord, name: str) -> ArchivedPage | None:
        if isinstance(record, BadRecord):
            self._bad[record.reason] += 1
            return None
        head = record.head
        at = captured_at(head)
        answer = read_http(record.block) if holds_answer(head) else None
        if answer is None and holds_answer(head):
            self._skipped["no_answer"] += 1
            return None
        if is_robots(head):
            if answer is not None:
                self._rights.add_robots(head.url, answer, answer.body, at or self._task.job.now)
            return None
        declared = answer.header("content-type") if answer else head.fields.get("content-type", "")
        named = head.fields.get("warc-identified-payload-type", "") or declared
        wanted = self._task.wanted
        skip = wanted.skip_answer(answer, named) if answer else wanted.skip_kind(named)
        if skip is not None:
            self._skipped[skip] += 1
            return None
        return self._archived(record, answer, name, at, declared)

    def _archived(
        self,
        record: Record,
        answer: HttpAnswer | None,
        name: str,
        at: datetime | None,
        content_type: str,
    ) -> ArchivedPage:
        head = record.head
        return ArchivedPage(
            number=self._sent,
            capture=Capture(
                warc_file=name,
                warc_offset=head.offset,
                warc_record_id=head.fields.get("warc-record-id", "").strip("<>"),
                warc_date=at,
                http_status=answer.status if answer is not None else None,
            ),
            url=head.url,
            body=answer.body if answer is not None else record.block,
            headers=answer.headers if answer is not None else (),
            content_type=content_type,
            fetched_at=at or self._task.job.now,
            rights=self._rights.of(head.url),
        )

    def _saved_pages(self) -> Iterator[ArchivedPage]:
        for page, size, skip in _saved_files(self._task):
            self._records += 1
            self._consumed += size
            if skip is not None:
                self._skipped[skip] += 1
                continue
            url = self._addresses_of_files.get(page.capture.warc_file, "")
            rights = self._rights.of(url) if url else b""
            yield replace(page, number=self._sent, rights=rights)

    # --- from the workers to the output -----------------------------------------------------------

    def _take(self, done: ReadOutcome, out: ArchiveOutput) -> None:
        page = done.work
        if isinstance(done, Lost):
            self._lose(done)
        elif isinstance(done.outcome, Unread):
            self._unread[done.outcome.kind] += 1
        else:
            outcome = done.outcome
            self._count_cost(page.url or outcome.url, outcome.seconds)
            self._reports += outcome.reports
            if len(self._reports) >= MERGE_AT and self._task.use is not None:
                self._reports = [merge_reports(self._task.use, self._reports)]
            if outcome.skipped:
                self._skipped[outcome.skipped] += 1
            for entry in outcome.entries:
                self._write(entry, out)
        pages = self._taken + 1  # with this one
        if pages % PROGRESS_EVERY == 0:
            self._watch(self._consumed, pages, self.articles)

    def _write(self, entry: ArchiveEntry, out: ArchiveOutput) -> None:
        if self._is_enough():
            return
        kind = self._known_as(entry)
        if kind:
            self._duplicates[kind] += 1
            if not self._task.keep_duplicates:
                return
        out.add(entry)
        self.articles += 1

    def _known_as(self, entry: ArchiveEntry) -> str:
        """By what an article of this input is one that was there before; empty for a new one."""
        address, text = bytes.fromhex(entry.article_id)[:8], bytes.fromhex(entry.text_hash)[:8]
        if address in self._addresses:
            return "address"
        self._addresses.add(address)
        if text and text in self._texts:
            return "text"
        self._texts.add(text)
        return ""

    def _lose(self, lost: Lost[ArchivedPage]) -> None:
        """A page that ended its worker, or took too much: it is named, and all others go on."""
        self._unread["too_complex" if lost.cause != "error" else "internal"] += 1
        self._set_aside_count += 1
        if len(self._set_aside) < MAX_SET_ASIDE:
            capture = lost.work.capture
            self._set_aside.append(
                SetAside(
                    warc_file=capture.warc_file,
                    warc_offset=capture.warc_offset,
                    url=lost.work.url,
                    cause=lost.cause,
                    message=lost.message,
                )
            )

    def _count_cost(self, url: str, seconds: float) -> None:
        host = host_of(url) if url else ""
        if host in self._hosts or len(self._hosts) < MAX_HOSTS:
            pages, sum_of_seconds = self._hosts.get(host, (0, 0.0))
            self._hosts[host] = (pages + 1, sum_of_seconds + seconds)

    def _is_enough(self) -> bool:
        limit = self._task.limit
        return limit is not None and self.articles >= limit


def _each_archive(task: InputTask) -> Generator[ArchiveFile, None, None]:
    with input_errors(task.found.name):
        yield from open_archives(task.found, task.path)


def _saved_files(task: InputTask) -> Iterator[tuple[ArchivedPage, int, SkipReason | None]]:
    """Each saved page of a folder, its bytes, and why it is not wanted, if so."""
    folder = Path(task.found.location)
    for name in task.found.pages:
        path = folder / name
        with input_errors(str(path)):
            state = path.stat()
        at = datetime.fromtimestamp(state.st_mtime, UTC)
        capture = Capture(warc_file=name, warc_date=at)
        page = ArchivedPage(number=0, capture=capture, url="", path=str(path), fetched_at=at)
        yield page, state.st_size, task.wanted.skip_file(name, at)


async def _saved_addresses(task: InputTask, engine: Engine) -> dict[str, str]:
    """Where saved pages say that they were saved from: only by that can what publishers say today be looked up."""
    if task.found.kind != "pages":
        return {}

    async def wanted() -> AsyncIterator[ArchivedPage]:
        for page, _size, skip in _saved_files(task):
            if skip is None:
                yield page

    found: dict[str, str] = {}
    async with aclosing(engine.spread(wanted(), AddressJob())) as outcomes:
        async for done in outcomes:
            if isinstance(done, Done) and done.outcome:
                found[done.work.capture.warc_file] = done.outcome
    return found


def _read_robots(task: InputTask, rights: CrawlRights) -> None:
    """Looks through an input for robots.txt alone."""
    with closing(_each_archive(task)) as archives:
        for file in archives:
            for record in WarcReader(file.stream, is_robots):
                answer = read_http(record.block) if isinstance(record, Record) else None
                if isinstance(record, Record) and answer is not None:
                    at = captured_at(record.head) or task.job.now
                    rights.add_robots(record.head.url, answer, answer.body, at)


def slowest_hosts(costs: Iterator[HostCost]) -> tuple[HostCost, ...]:
    """Those whose pages take the longest on average."""
    slow = sorted(costs, key=lambda cost: (-cost.seconds / cost.pages, cost.host))
    return tuple(slow[:SLOWEST])
