"""One run of `scout`: visits are made, many side by side, and handed over to be shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.cli.scout.live import Steps
from wireroom.cli.scout.scout_outcomes import ScoutOutcome, completed, failed, set_aside
from wireroom.cli.scout.scout_view import ScoutView, ScoutViewOptions
from wireroom.cli.session import Session
from wireroom.errors import FetchError
from wireroom.model import Dossier

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.scouting import Scouting
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.report import Card
    from wireroom.scout.address import Address


class Errand:
    """Which publishers, and how they are to be looked at and shown."""

    def __init__(
        self, session: Session, view: ScoutViewOptions, *, refresh: bool, offline: bool | None
    ) -> None:
        self._session = session
        self._view = view
        self._refresh = refresh
        self._offline = offline

    def one(self, address: Address) -> int:
        """Visits one publisher before the reader's eyes; FetchError when nobody is there."""
        with self._session.app() as app:
            dossier = visit(
                self._session, app, address, refresh=self._refresh, offline=self._offline
            )
            card = _card(app, dossier)
        return ScoutView(self._session.streams, self._view, many=False).one(card)

    def many(self, rows: Sequence[ScoutRow]) -> int:
        """Visits all of them side by side; one that fails stops no other."""
        showing = ScoutView(self._session.streams, self._view, many=True)
        showing.announce(rows)
        try:
            with self._session.app() as app:
                asyncio.run(self._run(app, rows, showing))
        finally:
            showing.end()
        return showing.code

    async def _run(self, app: App, rows: Sequence[ScoutRow], showing: ScoutView) -> None:
        queued = sum(row.outcome == "queued" for row in rows)
        with self._session.streams.progress("Scouting") as progress:
            progress(0, queued)
            done = 0
            async with aclosing(self._outcomes(app, rows)) as outcomes:
                async for outcome in outcomes:
                    showing.add(outcome)
                    done += outcome.row.outcome == "queued"
                    progress(done, queued)

    async def _outcomes(
        self, app: App, rows: Sequence[ScoutRow]
    ) -> AsyncGenerator[ScoutOutcome, None]:
        """What becomes of each row, as it is known."""
        from wireroom.app.factories import open_scouting

        settings = self._session.load().settings
        under_way: set[asyncio.Task[ScoutOutcome]] = set()
        async with open_scouting(app, settings, offline=self._offline) as scouting:
            try:
                for row in rows:
                    if row.address is None or row.outcome != "queued":
                        yield set_aside(row)
                        continue
                    if len(under_way) >= settings.scout.at_once:
                        done, under_way = await _first_of(under_way)
                        for task in done:
                            yield task.result()
                    visiting = self._outcome(app, scouting, row, row.address)
                    under_way.add(asyncio.create_task(visiting))
                while under_way:
                    done, under_way = await _first_of(under_way)
                    for task in done:
                        yield task.result()
            finally:
                for task in under_way:
                    task.cancel()
                await asyncio.gather(*under_way, return_exceptions=True)

    async def _outcome(
        self, app: App, scouting: Scouting, row: ScoutRow, address: Address
    ) -> ScoutOutcome:
        try:
            dossier = await scouting.dossier(address, refresh=self._refresh)
        except FetchError as error:
            return failed(row, error)
        return completed(row, _card(app, dossier))


async def _first_of(
    tasks: set[asyncio.Task[ScoutOutcome]],
) -> tuple[set[asyncio.Task[ScoutOutcome]], set[asyncio.Task[ScoutOutcome]]]:
    return await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


def visit(
    session: Session, app: App, address: Address, *, refresh: bool, offline: bool | None
) -> Dossier:
    """The dossier of one publisher, its steps shown while they run; elsewhere it is said who is asked."""
    tell_asking(session, app, address, refresh=refresh)
    with session.streams.live() as show:
        steps = Steps(session.streams, show)
        return asyncio.run(_watched(session, app, address, steps, refresh=refresh, offline=offline))


def tell_asking(session: Session, app: App, address: Address, *, refresh: bool = False) -> None:
    """Says at once who is about to be asked, where no steps are drawn: an answer may take its time."""
    if session.streams.redraws:
        return
    held = app.store.dossier(address.domain)
    fresh_for = timedelta() if refresh else session.load().settings.scout.fresh_for
    if held is None or held.scouted_at <= app.clock() - fresh_for:
        session.streams.note(f"Asking {address.domain} …")
        session.streams.flush()


async def _watched(
    session: Session,
    app: App,
    address: Address,
    steps: Steps,
    *,
    refresh: bool,
    offline: bool | None,
) -> Dossier:
    from wireroom.app.factories import open_scouting

    settings = session.load().settings
    async with (
        open_scouting(app, settings, offline=offline) as scouting,
        aclosing(scouting.scout(address, refresh=refresh)) as progress,
    ):
        async for step in progress:
            if isinstance(step, Dossier):
                return step
            steps.tell(step)
    raise AssertionError("a visit ends in a dossier or in an error")


def _card(app: App, dossier: Dossier) -> Card:
    from wireroom.report import make_card

    return make_card(dossier, history=app.store.history(dossier.publisher.domain))
