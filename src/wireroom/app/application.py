"""One store, one clock: what the other parts of the app stand on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from wireroom.errors import StoreError, WireroomError
from wireroom.model import Article, Event, Use
from wireroom.ports import Store, StoreOptions
from wireroom.private_files import draft_of

if TYPE_CHECKING:
    from wireroom.app.add import Added, AddRequest
    from wireroom.app.export import ExportResult
    from wireroom.app.run import RunCounts
    from wireroom.app.status import Status
    from wireroom.app.sync import Difference
    from wireroom.rights import Policy
    from wireroom.settings import FeedSettings, Settings

log = logging.getLogger(__name__)


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class App:
    """One store, one clock, and the settings of whoever opened it. Close it, or use it in a `with` block."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime] = utc_now,
        settings: Settings | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self._settings = settings

    @property
    def settings(self) -> Settings:
        """Those it was opened with, else the defaults."""
        if self._settings is None:
            from wireroom.settings import Settings

            self._settings = Settings()
        return self._settings

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def sync(self, feeds: Sequence[FeedSettings], *, apply: bool) -> Difference:
        """How the feeds of a file differ from those held; with `apply` the store follows the file.

        It follows whole or not at all. A feed whose address has changed keeps its items and leads,
        and a poll that is saved meanwhile keeps what it has learnt.
        """
        from wireroom.app.sync import sync_feeds

        return sync_feeds(self, feeds, apply=apply)

    def status(self) -> Status:
        """What is held, and how things stand."""
        from wireroom.app.status import read_status

        return read_status(self)

    def knows(self, publisher: str) -> bool:
        """Whether anything is known of the publisher of this domain."""
        return self.store.publisher(publisher) is not None

    def backup(
        self,
        path: Path,
        *,
        replace: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Writes a consistent copy of the live database to a file.

        With `replace` a file that is there already is replaced once the copy is complete.
        """
        target = draft_of(path) if replace else path
        try:
            self.store.backup(target, progress=progress)
            if replace:
                target.replace(path)
        except OSError as exc:
            raise StoreError(
                f"{path} cannot be written: {exc.strerror}.", hint="Name another file."
            ) from exc
        finally:
            if replace:
                target.unlink(missing_ok=True)
        self._note("backup_made", path.name)

    def export(
        self,
        output: str | Path | BinaryIO,
        *,
        form: str = "",
        use: Use | None = None,
        query: str = "",
        cursor: str | Path | None = None,
        limit: int | None = None,
        unique: bool = False,
        report: str | Path | None = None,
        replace: bool = False,
        articles: Sequence[str] = (),
        columns: Sequence[str] = (),
        byte_order_mark: bool = False,
        policy: Policy | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExportResult:
        """Exports articles into a file, a folder or a stream; for a use, only what it permits.

        The format is that of the output's suffix unless it is named. With a cursor only what is new or
        changed since the cursor was saved is exported. `unique` leaves out near-duplicates of a canonical
        article. `articles` are ids or addresses of those that are meant. Of a table, `columns` are chosen and
        a byte order mark can be had. Nothing is written when there is nothing.
        """
        from wireroom.app.export import ExportRequest, export

        request = ExportRequest(
            output=Path(output) if isinstance(output, str) else output,
            form=form,
            use=use,
            query=query,
            cursor=None if cursor is None else Path(cursor),
            limit=limit,
            unique=unique,
            report=None if report is None else Path(report),
            replace=replace,
            articles=tuple(articles),
            columns=tuple(columns),
            byte_order_mark=byte_order_mark,
        )
        exported = export(self, request, policy=policy, progress=progress)
        if exported.count:
            name = request.output.name if isinstance(request.output, Path) else "-"
            self._note("articles_exported", name, count=exported.count, form=exported.form, use=use)
        return exported

    # add and run, from a script

    def add(self, *targets: str, request: AddRequest | None = None) -> tuple[Added, ...]:
        """Follows publishers, or the feeds that are named; what became of each."""
        import asyncio

        refuse_running_loop("app.add", "await app.add_async(…)")
        return asyncio.run(self.add_async(*targets, request=request))

    async def add_async(
        self, *targets: str, request: AddRequest | None = None
    ) -> tuple[Added, ...]:
        """The same inside an event loop."""
        from wireroom.app.factories import open_adding

        async with open_adding(self, self.settings) as adding:
            return tuple([await adding.add(target, request) for target in targets])

    def run_once(self) -> RunCounts:
        """Polls what is due and reads what is new, until nothing is due any more."""
        import asyncio

        refuse_running_loop("app.run_once", "await app.run_once_async()")
        return asyncio.run(self.run_once_async())

    async def run_once_async(self) -> RunCounts:
        """The same inside an event loop."""
        from wireroom.app.run import open_run

        async with open_run(self, self.settings) as run_loop:
            return await run_loop.run(once=True)

    def articles(self, query: str = "") -> Iterator[Article]:
        """What is held, newest first, streamed; the query is that of `wireroom search`."""
        return self.store.articles(query)

    def _note(self, kind: str, subject: str, **data: object) -> None:
        """Emits an event about something that is done whether it can be written down or not."""
        self.store.set_fail_fast(True)  # nobody waits for a lock in order to write that down
        try:
            self.store.emit([Event(kind=kind, subject=subject, at=self.clock(), data=data)])
        except StoreError as exc:
            log.warning("event lost", extra={"kind": kind, "reason": exc.message})
        finally:
            self.store.set_fail_fast(False)


def open_app(
    database: str | Settings,
    *,
    settings: Settings | None = None,
    options: StoreOptions | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> App:
    """An app on the database at this address, or on that of the settings."""
    from wireroom.store import open_store

    if not isinstance(database, str):
        settings, database = database, database.database_url
    options = options or (settings.store_options() if settings else StoreOptions())
    return App(open_store(database, options), clock=clock, settings=settings)


def refuse_running_loop(called: str, instead: str) -> None:
    """What is called without `await` cannot work where an event loop runs; says what to use there."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WireroomError(f"{called} was called inside an event loop.", hint=f"Use: {instead}")
