"""Scouting publishers for their report cards: one with its steps watched, or many side by side.

How a site is scouted stands in `scout.visit`; here it is asked for and saved.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from wireroom.app.application import asyncio_run, open_app, refuse_running_loop
from wireroom.app.concurrency import run_concurrently
from wireroom.app.holders import SCOUT, holder_name
from wireroom.app.host_leases import HostLeases
from wireroom.app.scout_log import NEVER, ScoutLog
from wireroom.app.store_thread import StoreExecutor, call_directly
from wireroom.errors import FetchError, SettingsError
from wireroom.model import Dossier, Finding, Request, Response
from wireroom.ports import Advise, CrawlList, Fetch, ReadDocument
from wireroom.scout.address import Address as Address
from wireroom.scout.address import read_address as read_address
from wireroom.scout.document_reading import read_inline
from wireroom.scout.dossier import scout_after
from wireroom.scout.runner import Progress as Progress
from wireroom.scout.scout_fetch import SCOUT_TIME, no_gap
from wireroom.scout.visit import ElsewhereError, scout_site
from wireroom.signals import all_signals, all_steps, history_of_rights
from wireroom.signals.freshness import FRESH_FOR, lacked_time
from wireroom.urls import host_of, same_site

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.report import Card
    from wireroom.rights.rights_history import RightsChange as RightsChange
    from wireroom.settings import Settings


IN_MEMORY = "sqlite:///:memory:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutResult:
    """What came of one address: its card, or why there is none."""

    address: Address
    card: Card | None = None
    error: FetchError | None = None


def step_titles() -> Mapping[str, str]:
    """The title of every scouting step, by its name."""
    return {name: step.title for name, step in all_steps().items()}


def needs_scout(app: App, address: Address, *, refresh: bool = False) -> bool:
    """Whether the publisher would be asked: nothing is known of it, or that is too old."""
    held = app.store.dossier(address.domain)
    fresh_for = timedelta() if refresh else app.settings.scout.fresh_for
    if held is None or not _is_within(held, fresh_for, app.clock()):
        return True
    return any(lacked_time(finding, app.settings.scout.time) for finding in held.findings)


def _is_within(dossier: Dossier, fresh_for: timedelta, now: datetime) -> bool:
    """Whether it was made so lately; one from a time that is still to come was not."""
    return now - fresh_for < dossier.scouted_at <= now


async def scout_address(
    app: App,
    address: Address,
    *,
    refresh: bool = False,
    offline: bool | None = None,
    progress: Callable[[Progress], None] | None = None,
    slowed: Callable[[str, timedelta], None] | None = None,
) -> Dossier:
    """The dossier of one publisher, every step reported on the way; FetchError when nobody is there.

    `slowed` is called once when robots.txt wants a longer time between two requests: with the host and that time.
    """
    from wireroom.app.factories import open_fetcher, scouting_by
    from wireroom.app.readers import open_readers

    host = host_of(address.candidates[0])
    async with (
        open_fetcher(app, app.settings) as fetcher,
        open_readers(app.settings, workers=1) as readers,
        scouting_by(fetcher, app, app.settings, offline=offline, readers=readers) as scouting,
        aclosing(scouting.scout(address, refresh=refresh, follow_moved=True)) as steps,
    ):
        async for step in steps:
            if isinstance(step, Dossier):
                return step
            if slowed is not None and fetcher.pace(host):
                slowed(host, fetcher.gap_of(host))
                slowed = None
            if progress is not None:
                progress(step)
    raise AssertionError("a scout ends in a dossier or in an error")


async def scout_many(
    app: App,
    addresses: Iterable[Address],
    *,
    refresh: bool = False,
    offline: bool | None = None,
    follow_moved: bool = True,
) -> AsyncGenerator[ScoutResult, None]:
    """What comes of each address, as it is known; one that fails stops no other.

    A publisher that has moved is scouted where it is, unless `follow_moved` is off.
    """
    from wireroom.app.factories import open_scouting

    async with open_scouting(app, app.settings, offline=offline) as scouting:

        async def scout(address: Address) -> ScoutResult:
            return await _scout(app, scouting, address, refresh=refresh, follow_moved=follow_moved)

        at_once = app.settings.scout.at_once
        async with aclosing(run_concurrently(addresses, scout, at_once=at_once)) as results:
            async for result in results:
                yield result


async def _scout(
    app: App, scouting: Scouting, address: Address, *, refresh: bool, follow_moved: bool
) -> ScoutResult:
    try:
        dossier = await scouting.dossier(address, refresh=refresh, follow_moved=follow_moved)
    except FetchError as error:
        return ScoutResult(address=address, error=error)
    return ScoutResult(address=address, card=report_card(app, dossier))


def report_card(app: App, dossier: Dossier) -> Card:
    """The card of a dossier, with how it changed over time."""
    from wireroom.report import make_card

    history = app.store.history(dossier.publisher.domain)
    return make_card(dossier, history=history, now=app.clock())


def held_card(app: App, domain: str) -> Card | None:
    """The card of what is known of a publisher, without asking anybody; None for one that was never scouted."""
    dossier = app.store.dossier(domain)
    return report_card(app, dossier) if dossier is not None else None


# --- for scripts that own no app -----------------------------------------------------------------


async def scout_publisher_async(
    url: str,
    *,
    settings: Settings | None = None,
    database: str | Path | None = None,
    refresh: bool = False,
    offline: bool | None = None,
) -> Dossier:
    """What the publisher at this address offers and permits, for this page of it.

    With a database (its address, or that of the settings) findings are kept there and reused while they
    are fresh; without either nothing is kept. SettingsError says what is wrong with the address,
    FetchError that nobody is there or that we may not ask.
    """
    from wireroom.settings import Settings

    address = read_address(url)
    chosen = settings or Settings()
    kept_at = database or (settings.database_url if settings else IN_MEMORY)
    with open_app(kept_at, settings=chosen) as app:
        return await scout_address(app, address, refresh=refresh, offline=offline)


def scout_publisher(
    url: str,
    *,
    settings: Settings | None = None,
    database: str | Path | None = None,
    refresh: bool = False,
    offline: bool | None = None,
) -> Dossier:
    """The same as `scout_publisher_async`, for scripts and notebooks without an event loop."""
    refuse_running_loop("scout_publisher", "await scout_publisher_async(…)")
    return asyncio_run(
        scout_publisher_async(
            url, settings=settings, database=database, refresh=refresh, offline=offline
        )
    )


# Scouting, wired: a scout is given the last dossier, and what it found is saved.
#
# One scout per publisher at a time: who asks for the same publisher meanwhile, in this process or in another
# on the same database, waits and is given what that scout found.

AGAIN_AFTER = timedelta(days=7)  # for callers without settings: `scout_every` decides
SHARED = timedelta(minutes=5)  # who waited for a scout takes what it found, though it took its time
RUN_SCOUT_TIME = timedelta(minutes=5)  # for callers without settings: `run.scout_time` decides
MAX_HOSTS = 3  # to which a page may lead, one after the other: each is asked for its own rights
REST = timedelta(seconds=10)  # between the scouts of two processes, as between two of one


class Scouting:
    """Scouts publishers through one `Fetch` and keeps their dossiers."""

    def __init__(
        self,
        app: App,
        fetch: Fetch,
        *,
        fresh_for: timedelta = FRESH_FOR,
        rest: timedelta = REST,
        offline: bool = False,
        advise: Advise | None = None,
        crawl_list: CrawlList | None = None,
        leases: bool = True,
        keep: bool = True,
        execute: StoreExecutor = call_directly,
        again_after: timedelta = AGAIN_AFTER,
        read: ReadDocument = read_inline,
        time: timedelta = SCOUT_TIME,
        run_time: timedelta = RUN_SCOUT_TIME,
        gap_of: Callable[[str], timedelta] = no_gap,
    ) -> None:
        """With `leases` off whoever asks for a scout holds the publisher's host already; with `keep` off nothing is saved.

        `read` has documents read: without an engine, in this very process. `execute` makes the calls to the store, see
        `with_executor`. A dossier is saved with the time when the publisher is due again, `again_after` its oldest finding.
        A scout takes `time`; what it did not get to is left to a run, which takes `run_time`. `gap_of` says how long a
        host wants to be left alone between two requests of a scout.
        """
        self._app = app
        self._fetch = fetch
        self._fresh_for = fresh_for
        self._rest = rest
        self._offline = offline
        self._advise = advise
        self._keep = keep
        self._crawl_list = crawl_list
        self._execute = execute
        self._again_after = again_after
        self._read = read
        self._time = time
        self._run_time = run_time
        self._gap_of = gap_of
        holder = holder_name(SCOUT)
        self._leases = HostLeases(app, holder, gap=rest, execute=execute) if leases else None
        self._log = ScoutLog(app, execute)
        self._steps = all_steps()
        self._scouts: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def with_executor(
        self,
        execute: StoreExecutor,
        *,
        watched: Callable[[Fetch], Fetch],
        again_after: timedelta,
        read: ReadDocument,
    ) -> Scouting:
        """The same for a run, which must not wait for locks or documents on its loop; `watched` is put around what fetches."""
        return Scouting(
            self._app,
            watched(self._fetch),
            fresh_for=self._fresh_for,
            rest=self._rest,
            offline=self._offline,
            advise=self._advise,
            crawl_list=self._crawl_list,
            leases=self._leases is not None,
            execute=execute,
            again_after=again_after,
            read=read,
            time=self._run_time,
            run_time=self._run_time,
            gap_of=self._gap_of,
        )

    async def scout(
        self, address: Address, *, refresh: bool = False, follow_moved: bool = False
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Progress of every step, then the dossier; raises FetchError when nobody is there.

        A page that leads to another host is judged there: the dossier is that of the host. With `follow_moved` that holds
        for a front page as well, if it leads there for good; a publisher that is followed stays the one that it is.
        """
        moved_from = ""
        for _ in range(MAX_HOSTS):
            reports = self._scout(address, refresh=refresh, follow_moved=follow_moved)
            try:
                async with aclosing(reports):
                    async for report in reports:
                        if isinstance(report, Dossier):
                            yield replace(report, moved_from=moved_from)
                        else:
                            yield report
            except ElsewhereError as elsewhere:
                address = read_address(elsewhere.url)
                moved_from = moved_from or elsewhere.moved_from
            else:
                return
        raise FetchError(
            address.candidates[0], f"led from host to host {MAX_HOSTS} times", kind="redirect_loop"
        )

    async def _scout(
        self, address: Address, *, refresh: bool, follow_moved: bool
    ) -> AsyncGenerator[Progress | Dossier, None]:
        scout_lock = self._scouts.setdefault(address.domain, asyncio.Lock())
        fresh_for = timedelta() if refresh else self._fresh_for
        known = await self._held(address.domain)
        async with scout_lock:
            lease = _ScoutLease(self._leases, host_of(address.candidates[0]), self._fetch)
            try:
                last = await self._last(address, known, lease, fresh_for)
                reports = scout_site(
                    address,
                    await self._through_proxy(address.domain, lease.fetch),
                    now=self._app.clock(),
                    last=last,
                    fresh_for=self._shared_for(fresh_for) if _is_newer(last, known) else fresh_for,
                    believed_for=self._fresh_for,
                    steps=self._steps,
                    offline=self._offline,
                    advise=self._advise,
                    crawl_list=self._crawl_list,
                    read=self._read,
                    time=self._time,
                    gap_of=self._gap_of,
                    follow_moved=follow_moved,
                )
                async with aclosing(self._kept(address.domain, last, reports)) as kept:
                    async for report in kept:
                        yield report
            finally:
                await lease.give_back()

    async def _through_proxy(self, domain: str, fetch: Fetch) -> Fetch:
        """The same for a publisher whose feeds are asked through a proxy: its pages are, too."""
        feeds = await self._execute(lambda: self._app.store.feeds(publisher=domain))
        proxy = next((feed.proxy for feed in feeds if feed.proxy), "")
        if not proxy:
            return fetch

        async def ask(request: Request) -> Response:
            own = same_site(request.url, f"https://{domain}/") and not request.proxy
            return await fetch(replace(request, proxy=proxy) if own else request)

        return ask

    async def dossier(
        self, address: Address, *, refresh: bool = False, follow_moved: bool = False
    ) -> Dossier:
        """The same without the progress."""
        reports = self.scout(address, refresh=refresh, follow_moved=follow_moved)
        async with aclosing(reports):
            async for report in reports:
                if isinstance(report, Dossier):
                    return report
        raise AssertionError("a scout ends in a dossier or in an error")

    async def _last(
        self, address: Address, known: Dossier | None, lease: _ScoutLease, fresh_for: timedelta
    ) -> Dossier | None:
        """What is held, once nobody else is about to know better; a fresh dossier needs no lease."""
        while True:
            last = await self._held(address.domain)
            if _is_newer(last, known):
                return last  # somebody else has just been there
            if last is not None and _is_within(last, fresh_for, self._app.clock()):
                return last
            if await lease.take():
                return await self._held(address.domain)
            await lease.wait()

    async def _held(self, domain: str) -> Dossier | None:
        return await self._execute(lambda: self._app.store.dossier(domain))

    async def _kept(
        self, domain: str, last: Dossier | None, reports: AsyncGenerator[Progress | Dossier, None]
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """What the scout reports, saved on the way."""
        if not self._keep:
            async with aclosing(reports):
                async for report in reports:
                    yield report
            return
        async with self._log.buffer(domain, last) as buffer, aclosing(reports):
            async for report in reports:
                whole = self._planned(report) if isinstance(report, Dossier) else report
                await buffer.add(whole)
                yield whole

    def _shared_for(self, fresh_for: timedelta) -> timedelta:
        """How long what another scout has just found is taken: at least for the time that a scout takes."""
        return max(fresh_for, self._run_time + SHARED)

    def _planned(self, dossier: Dossier) -> Dossier:
        """The dossier with the time when its publisher is due again: at once where a run will get further."""
        now = self._app.clock()
        due = scout_after(dossier, every=self._again_after, now=now)
        if any(lacked_time(finding, self._run_time) for finding in dossier.findings):
            due = now
        return replace(dossier, publisher=replace(dossier.publisher, scout_after=due))


class _ScoutLease:
    """The host of one scout: taken before the first request, given back at the end.

    Without leases somebody else does that.
    """

    def __init__(self, leases: HostLeases | None, host: str, fetch: Fetch) -> None:
        self._leases = leases
        self._host = host
        self._fetch = fetch
        if leases is not None:
            leases.use(host)

    async def fetch(self, request: Request) -> Response:
        """The answer, once the host is ours; FetchError when it will not be soon."""
        if self._leases is not None:
            await self._leases.hold(self._host)
        return await self._fetch(request)

    async def take(self) -> bool:
        """Whether the host is ours now."""
        return self._leases is None or await self._leases.take(self._host)

    async def wait(self) -> None:
        """A moment, after which it may be free; FetchError when that is not to be expected soon."""
        if self._leases is not None:
            await self._leases.wait(self._host)

    async def give_back(self) -> None:
        """Lets others have the host, after a cooldown."""
        if self._leases is not None:
            self._leases.done(self._host)
            await self._leases.give_back_unused()


def _is_newer(last: Dossier | None, known: Dossier | None) -> bool:
    """Whether somebody has scouted it meanwhile, to the end."""
    if last is None:
        return False
    return last.scouted_at > (known.scouted_at if known else NEVER)


# What was found out about a publisher, and when it changed.


def step_named(text: str) -> str:
    """The scouting step of this name or title; SettingsError where there is none."""
    titles = step_titles()
    found = [name for name, title in titles.items() if text.lower() in {name, title.lower()}]
    if not found:
        raise SettingsError(
            [f"there is no step {text}"], hint=f"One of: {', '.join(sorted(titles))}"
        )
    return found[0]


def publisher_rights_history(
    app: App, publisher: str, *, step: str = ""
) -> tuple[RightsChange, ...]:
    """Each flip of a verdict and each changed line of a signal, oldest first; of one step its lines alone."""
    known = app.store.publisher(publisher)
    home_url = known.home_url if known is not None else ""
    found = history_of_rights(app.store.history(publisher), home_url or f"https://{publisher}/")
    if not step:
        return found
    families = {plug.name for plug in all_signals() if step in plug.steps}
    return tuple(change for change in found if change.family in families)


def publisher_history(app: App, publisher: str, *, step: str = "") -> tuple[Finding, ...]:
    """Every finding that differed from the one before it, oldest first; of one step if it is named."""
    return app.store.history(publisher, step=step)
