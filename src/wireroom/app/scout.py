"""Scouting publishers for their report cards: one with its steps watched, or many side by side.

What a visit is stands in `scouting`; here somebody asks for one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.app.application import open_app, refuse_running_loop
from wireroom.app.concurrency import run_concurrently
from wireroom.errors import FetchError
from wireroom.model import Dossier
from wireroom.report import Card, make_card
from wireroom.scout.address import Address as Address
from wireroom.scout.address import read_address as read_address

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.scouting import Scouting
    from wireroom.scout.runner import Progress as Progress
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
    from wireroom.signals import all_steps

    return {name: step.title for name, step in all_steps().items()}


def needs_visit(app: App, address: Address, *, refresh: bool = False) -> bool:
    """Whether the publisher would be asked: nothing is known of it, or that is too old."""
    held = app.store.dossier(address.domain)
    fresh_for = timedelta() if refresh else app.settings.scout.fresh_for
    return held is None or held.scouted_at <= app.clock() - fresh_for


async def scout_address(
    app: App,
    address: Address,
    *,
    refresh: bool = False,
    offline: bool | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Dossier:
    """The dossier of one publisher, every step reported on the way; FetchError when nobody is there."""
    from wireroom.app.factories import open_scouting

    async with (
        open_scouting(app, app.settings, offline=offline) as scouting,
        aclosing(scouting.scout(address, refresh=refresh)) as steps,
    ):
        async for step in steps:
            if isinstance(step, Dossier):
                return step
            if progress is not None:
                progress(step)
    raise AssertionError("a visit ends in a dossier or in an error")


async def scout_many(
    app: App, addresses: Iterable[Address], *, refresh: bool = False, offline: bool | None = None
) -> AsyncGenerator[ScoutResult, None]:
    """What comes of each address, as it is known; one that fails stops no other."""
    from wireroom.app.factories import open_scouting

    async with open_scouting(app, app.settings, offline=offline) as scouting:

        async def visit(address: Address) -> ScoutResult:
            return await _visit(app, scouting, address, refresh=refresh)

        at_once = app.settings.scout.at_once
        async with aclosing(run_concurrently(addresses, visit, at_once=at_once)) as results:
            async for result in results:
                yield result


async def _visit(app: App, scouting: Scouting, address: Address, *, refresh: bool) -> ScoutResult:
    try:
        dossier = await scouting.dossier(address, refresh=refresh)
    except FetchError as error:
        return ScoutResult(address=address, error=error)
    return ScoutResult(address=address, card=report_card(app, dossier))


def report_card(app: App, dossier: Dossier) -> Card:
    """The card of a dossier, with how it changed over time."""
    return make_card(dossier, history=app.store.history(dossier.publisher.domain))


# --- for scripts that own no app -----------------------------------------------------------------


async def scout_publisher_async(
    url: str,
    *,
    settings: Settings | None = None,
    database: str | None = None,
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
    database: str | None = None,
    refresh: bool = False,
    offline: bool | None = None,
) -> Dossier:
    """The same as `scout_publisher_async`, for scripts and notebooks without an event loop."""
    refuse_running_loop("scout_publisher", "await scout_publisher_async(…)")
    import asyncio

    return asyncio.run(
        scout_publisher_async(
            url, settings=settings, database=database, refresh=refresh, offline=offline
        )
    )
