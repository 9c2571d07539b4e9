"""Scouts that ran out of time are gone on with by a run, which takes longer."""

from __future__ import annotations

from datetime import timedelta

from tests.scout.contexts import HOME
from tests.scout.instant_loop import run_at_once
from tests.scout.test_scout_time import PAPER, Paced, delayed
from wireroom.app import App, open_app
from wireroom.app.scout import Scouting, needs_scout
from wireroom.app.store_thread import call_directly
from wireroom.model import Dossier
from wireroom.scout.address import read_address
from wireroom.scout.document_reading import read_inline
from wireroom.signals.freshness import unreached_of

ADDRESS = read_address(HOME)
WEEK = timedelta(days=7)


def scouting(app: App, fetch: Paced, *, in_run: bool = False) -> Scouting:
    made = Scouting(
        app,
        fetch,
        offline=True,
        leases=False,
        rest=timedelta(),
        run_time=timedelta(minutes=10),
        gap_of=fetch.gap_of,
    )
    if not in_run:
        return made
    return made.with_executor(
        call_directly, watched=lambda fetch: fetch, again_after=WEEK, read=read_inline
    )


def due_after(dossier: Dossier, app: App) -> timedelta:
    assert dossier.publisher.scout_after is not None
    return dossier.publisher.scout_after - app.clock()


def test_a_publisher_whose_scout_ran_out_of_time_is_due_at_once_and_a_run_completes_it() -> None:
    with open_app("sqlite:///:memory:") as app:
        hurried = run_at_once(scouting(app, delayed()).dossier(ADDRESS))
        assert any(map(unreached_of, hurried.findings))
        assert due_after(hurried, app) <= timedelta()
        assert not needs_scout(app, ADDRESS), "the same time would not get further"
        fetch = Paced(PAPER, gap=10.0)
        whole = run_at_once(scouting(app, fetch, in_run=True).dossier(ADDRESS))
        assert not any(map(unreached_of, whole.findings))
        assert due_after(whole, app) > timedelta(days=1)
        assert "/terms" not in fetch.paths, "what was found is not asked for again"


def test_a_scout_that_got_to_everything_is_due_in_time() -> None:
    with open_app("sqlite:///:memory:") as app:
        whole = run_at_once(scouting(app, Paced(PAPER)).dossier(ADDRESS))
        assert due_after(whole, app) > timedelta(days=1)
