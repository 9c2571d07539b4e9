"""One store, one clock: what the other parts of the app stand on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar

from wireroom.errors import SettingsError, StoreError, WireroomError
from wireroom.model import Article, Event, Use
from wireroom.ports import Store, StoreOptions
from wireroom.private_files import draft_of

if TYPE_CHECKING:
    from wireroom.app.add import Added, AddRequest
    from wireroom.app.export import ExportResult
    from wireroom.app.feeds import ChangedFeeds, FeedStats
    from wireroom.app.purge import Purged, PurgePlan
    from wireroom.app.retry import Retried
    from wireroom.app.run import RunCounts, StopFlag
    from wireroom.app.scout import RightsChange
    from wireroom.app.status import Status
    from wireroom.app.sync import Difference
    from wireroom.model import Dossier, Finding
    from wireroom.query import Query
    from wireroom.rights import Policy
    from wireroom.settings import FeedSettings, Settings

log = logging.getLogger(__name__)

T = TypeVar("T")


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

    def status_of_store(self) -> str:
        """Whether the store can be worked with: ok, paused, read_only or damaged."""
        return self.store.health().state

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
        self.note("backup_made", path.name)

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
        unasked: Mapping[str, str] | None = None,
    ) -> ExportResult:
        """Exports articles into a file, a folder or a stream; for a use, only what it permits.

        The format is that of the output's suffix unless it is named. With a cursor only what is new or
        changed since the cursor was saved is exported. `unique` leaves out near-duplicates of a canonical
        article. `articles` are ids or addresses of those that are meant. Of a table, `columns` are chosen and
        a byte order mark can be had. Of hosts that are `unasked`, each with the reason, nothing is permitted for a
        use. Nothing is written when there is nothing.
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
            unasked=unasked or {},
        )
        exported = export(self, request, policy=policy, progress=progress)
        if exported.count:
            name = request.output.name if isinstance(request.output, Path) else "-"
            self.note("articles_exported", name, count=exported.count, form=exported.form, use=use)
        return exported

    def format_of(self, form: str) -> tuple[str, str]:
        """The suffix and the media type of a format; SettingsError where there is none of that name."""
        from wireroom.app.export_output import find_format

        plug = find_format(form, Path(f"articles.{form}"))
        return plug.suffix, plug.media_type

    # --- scouting, adding, running: each also inside an event loop ---------------------------------

    def scout(self, url: str, *, refresh: bool = False) -> Dossier:
        """What a publisher offers and permits, kept; FetchError when nobody is there."""
        refuse_running_loop("app.scout", "await app.scout_async(…)")
        return asyncio_run(self.scout_async(url, refresh=refresh))

    async def scout_async(self, url: str, *, refresh: bool = False) -> Dossier:
        """The same inside an event loop."""
        from wireroom.app.scout import read_address, scout_address

        return await scout_address(self, read_address(url), refresh=refresh)

    def add(
        self, *targets: str, request: AddRequest | None = None, scout: bool = True
    ) -> tuple[Added, ...]:
        """Follows publishers, or the feeds that are named; what became of each, in their order.

        One that fails stops no other: its outcome is `failed`, with the error. With `scout` off nobody is asked.
        """
        refuse_running_loop("app.add", "await app.add_async(…)")
        return asyncio_run(self.add_async(*targets, request=request, scout=scout))

    async def add_async(
        self, *targets: str, request: AddRequest | None = None, scout: bool = True
    ) -> tuple[Added, ...]:
        """The same inside an event loop."""
        from wireroom.app.add import AddRequest, add_many

        wanted = [(target, request or AddRequest()) for target in targets]
        results = {result.place: result async for result in add_many(self, wanted, scout=scout)}
        return tuple(results[place].outcome_for(target) for place, target in enumerate(targets))

    def run_once(self) -> RunCounts:
        """Polls what is due and reads what is new, until nothing is due any more."""
        refuse_running_loop("app.run_once", "await app.run_once_async()")
        return asyncio_run(self.run_async(once=True))

    async def run_once_async(self) -> RunCounts:
        """The same inside an event loop."""
        return await self.run_async(once=True)

    def run(
        self,
        *,
        once: bool = False,
        stop: StopFlag | None = None,
        on_event: Callable[[Event], object] | None = None,
    ) -> RunCounts:
        """The same day after day, until `stop` is set: a `threading.Event`, say, that another thread or a signal sets.

        What is in flight is finished or given back within 10 seconds. `on_event` is called with each event, in order.
        """
        refuse_running_loop("app.run", "await app.run_async()")
        return asyncio_run(self.run_async(once=once, stop=stop, on_event=on_event))

    async def run_async(
        self,
        *,
        once: bool = False,
        stop: StopFlag | None = None,
        on_event: Callable[[Event], object] | None = None,
    ) -> RunCounts:
        """The same inside an event loop; `stop` may be an `asyncio.Event`."""
        from wireroom.app.run import run_watched

        return await run_watched(self, once=once, stop=stop, on_event=on_event)

    # --- looking after what is held ----------------------------------------------------------------

    def query(self, text: str) -> Query:
        """A query as it was typed, by the reader's clock; QueryError says what is wrong with it, and where."""
        from wireroom.app.search import typed_query

        return typed_query(text, self.settings, now=self.clock())

    def articles(self, query: str = "") -> Iterator[Article]:
        """What is held, newest first, streamed; the query is that of `wireroom search`."""
        return self.store.articles(self.query(query))

    def events(self, *, after: int = 0) -> Iterator[Event]:
        """What happened, oldest first; of those that have a higher number than `after`."""
        from wireroom.app.event_log import events_after

        return events_after(self.store, after)

    def last_event_number(self) -> int:
        """The number of the newest event; 0 when there is none."""
        from wireroom.app.event_log import last_event_number

        return last_event_number(self.store)

    def feeds(self) -> tuple[FeedStats, ...]:
        """The feeds that are followed, with what came of each."""
        from wireroom.app.feeds import FollowedFeeds

        return FollowedFeeds(self).stats()

    def pause(self, *names: str) -> ChangedFeeds:
        """Leaves feeds alone until they are resumed; each by name, address or title, or all of a publisher."""
        from wireroom.app.feeds import ChangedFeeds, FollowedFeeds

        feeds, missing = FollowedFeeds(self).named(names)
        FollowedFeeds(self).pause(feeds)
        return ChangedFeeds(feeds=tuple(feeds), missing=tuple(missing))

    def resume(self, *names: str) -> ChangedFeeds:
        """Asks feeds again, at once, whatever had become of them; what each of them waits for."""
        from wireroom.app.feeds import ChangedFeeds, FollowedFeeds

        feeds, missing = FollowedFeeds(self).named(names)
        waits = FollowedFeeds(self).resume(feeds)
        return ChangedFeeds(feeds=tuple(feeds), missing=tuple(missing), waits=waits)

    def retry(
        self, url: str = "", *, feed: str = "", publisher: str = "", refused: bool = False
    ) -> Retried:
        """Opens pages again that were given up, or with `refused` those that were forbidden; or the one page that is named.

        The next run reads them.
        """
        from wireroom.app.feeds import require_feed
        from wireroom.app.retry import retry_leads

        feed_url = require_feed(self, feed).url if feed else ""
        domain = self._require_publisher(publisher) if publisher else ""
        return retry_leads(self, url=url, feed_url=feed_url, publisher=domain, refused=refused)

    def plan_purge(
        self,
        *,
        older_than: timedelta | None = None,
        feed: str = "",
        publisher: str = "",
        query: str = "",
        most: int | None = None,
    ) -> PurgePlan:
        """The articles that would be removed, by everything that is given, at most so many; nothing is changed."""
        from wireroom.app.feeds import no_such_feed
        from wireroom.app.purge import feeds_to_purge, plan_purge

        if older_than is None and not (feed or publisher or query.strip()):
            hint = "Name older_than, feed, publisher or query."
            raise SettingsError(["plan_purge: nothing says what is to go"], hint=hint)
        feed_urls = feeds_to_purge(self, feed) if feed else ()
        if feed and not feed_urls:
            raise no_such_feed(feed)
        domain = self._require_publisher(publisher) if publisher else ""
        before = self.clock() - older_than if older_than is not None else None
        return plan_purge(
            self, before=before, publisher=domain, feed_urls=feed_urls, query=query, most=most
        )

    def purge(self, plan: PurgePlan) -> Purged:
        """Removes for good what was planned, with versions and raw pages; these pages are not fetched again."""
        from wireroom.app.purge import purge_articles

        return purge_articles(self, plan)

    def history(self, publisher: str, *, step: str = "") -> tuple[Finding, ...]:
        """Every finding about a publisher that differed from the one before it, oldest first; none: it was never scouted."""
        from wireroom.app.scout import publisher_history, read_address, step_named

        if step:
            step = step_named(step)
        return publisher_history(self, read_address(publisher).domain, step=step)

    def rights_history(self, publisher: str) -> tuple[RightsChange, ...]:
        """Each verdict about a publisher that flipped and each line of a signal that changed, oldest first."""
        from wireroom.app.scout import publisher_rights_history, read_address

        return publisher_rights_history(self, read_address(publisher).domain)

    def _require_publisher(self, text: str) -> str:
        """The domain of a publisher that is known."""
        from wireroom.app.purge import publisher_to_purge

        domain = publisher_to_purge(text)
        if not self.knows(domain):
            raise SettingsError([f"nothing is known about {domain}"], hint="Scout or add it first.")
        return domain

    def note(self, kind: str, subject: str, **data: object) -> None:
        """Emits an event about something that is done whether it can be written down or not."""
        self.store.set_fail_fast(True)  # nobody waits for a lock in order to write that down
        try:
            self.store.emit([Event(kind=kind, subject=subject, at=self.clock(), data=data)])
        except StoreError as exc:
            log.warning("event lost", extra={"kind": kind, "reason": exc.message})
        finally:
            self.store.set_fail_fast(False)


def open_app(
    database: str | Path | Settings | None = None,
    *,
    settings: Settings | None = None,
    options: StoreOptions | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> App:
    """An app on a database: a file, or an address such as `sqlite:///news.db` or `postgresql://user@host/name`.

    Or on that of settings. With nothing at all it stands where the commands do: `wireroom.toml` and the environment
    are read (`WIREROOM_DATABASE_URL`, say). A database alone has the default settings, whatever file lies beside it.
    """
    from wireroom.store import open_store

    if database is None and settings is None:
        from wireroom.settings import load_settings

        settings = load_settings().settings
    if not isinstance(database, str | PurePath | None):
        settings, database = database, None
    url = settings.database_url if database is None and settings else database_url(database or "")
    options = options or (settings.store_options() if settings else StoreOptions())
    return App(open_store(url, options), clock=clock, settings=settings)


def database_url(database: str | PurePath) -> str:
    """The address of a database: an address as it is, the name of a file as that of an SQLite file."""
    text = str(database)
    return text if "://" in text or not text else f"sqlite:///{text}"


def asyncio_run(job: Coroutine[Any, Any, T]) -> T:
    """What the coroutine gives, in an event loop of its own; asyncio is loaded by those who need it."""
    import asyncio

    return asyncio.run(job)


def refuse_running_loop(called: str, instead: str) -> None:
    """What is called without `await` cannot work where an event loop runs; says what to use there."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WireroomError(f"{called} was called inside an event loop.", hint=f"Use: {instead}")
