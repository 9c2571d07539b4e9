"""One run of `add`: rows are looked at side by side, and what becomes of each is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from wireroom.cli.add.add_view import AddView
from wireroom.cli.add.outcomes import AddOutcome, left_out, reached, unreached
from wireroom.cli.session import Session
from wireroom.errors import FetchError, SettingsError

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.adding import Adding
    from wireroom.cli.add.add_rows import AddInput, AddRow
    from wireroom.cli.scout.live import Steps


class Errand:
    """What is to be followed, and where that is shown."""

    def __init__(self, session: Session, showing: AddView, *, scout: bool) -> None:
        self._session = session
        self._showing = showing
        self._scout = scout

    def run(self, gathered: AddInput) -> int:
        """Adds every row; gives the exit code. One that fails stops no other."""
        for note in gathered.notes:
            self._session.streams.note(note)
        try:
            with self._session.app() as app:
                if gathered.many:
                    asyncio.run(self._many(app, gathered.rows))
                else:
                    self._one(app, gathered.rows[0])
        finally:
            self._showing.end()
        return self._showing.code

    def _one(self, app: App, row: AddRow) -> None:
        """One row, its publisher's steps shown while they run; what is wrong with it is an error."""
        from wireroom.cli.scout.errand import tell_asking
        from wireroom.cli.scout.live import Steps
        from wireroom.scout.address import read_address

        if row.wanted is None:
            raise SettingsError([row.reason], hint="See: wireroom add --help")
        if self._scout:
            tell_asking(self._session, app, read_address(row.target))
        with self._session.streams.live() as show:
            steps = Steps(self._session.streams, show)
            outcome = asyncio.run(self._only(app, row, steps))
        self._showing.add(outcome)

    async def _only(self, app: App, row: AddRow, steps: Steps) -> AddOutcome:
        from wireroom.app.factories import open_adding

        settings = self._session.load().settings
        async with open_adding(app, settings, scout=self._scout, watch=steps.tell) as adding:
            return await _outcome(adding, row)

    async def _many(self, app: App, rows: Sequence[AddRow]) -> None:
        from wireroom.app.factories import open_adding

        settings = self._session.load().settings
        with self._session.streams.progress("Adding") as progress:
            progress(0, len(rows))
            async with (
                open_adding(app, settings, scout=self._scout) as adding,
                aclosing(_outcomes(adding, rows, settings.scout.at_once)) as outcomes,
            ):
                done = 0
                async for outcome in outcomes:
                    done += 1
                    self._showing.add(outcome)
                    progress(done, len(rows))


async def _outcome(adding: Adding, row: AddRow) -> AddOutcome:
    if row.wanted is None:
        return left_out(row)
    try:
        return reached(row, await adding.add(row.target, row.wanted))
    except FetchError as error:
        return unreached(row, error)
    except SettingsError as error:
        return left_out(row, str(error))


async def _outcomes(
    adding: Adding, rows: Sequence[AddRow], at_once: int
) -> AsyncGenerator[AddOutcome, None]:
    """What becomes of each row, as it is known; so many at once."""
    under_way: list[asyncio.Task[AddOutcome]] = []
    try:
        for row in rows:
            under_way.append(asyncio.create_task(_outcome(adding, row)))
            if len(under_way) >= at_once:
                for outcome in await _ready(under_way):
                    yield outcome
        while under_way:
            for outcome in await _ready(under_way):
                yield outcome
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _ready(under_way: list[asyncio.Task[AddOutcome]]) -> list[AddOutcome]:
    """The outcomes of those that are done, in the order of the list; they are under way no longer."""
    done, rest = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
    outcomes = [task.result() for task in under_way if task in done]
    under_way[:] = [task for task in under_way if task in rest]
    return outcomes
