"""The engine of the settings: how parsing is spread for `run`, `archive`, `extract`, `test-feed` and `reparse`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from wireroom.errors import SettingsError, Wording
from wireroom.ports import Engine, EngineOptions, EnginePlug
from wireroom.registry import plug_named, plugs, why_missing

if TYPE_CHECKING:
    from wireroom.settings import Settings

RAY: Final = "ray"  # the engine that spreads the readers of a run over machines as well
SQLITE: Final = "sqlite:"  # so begins the address of a file


@asynccontextmanager
async def open_engine(settings: Settings, *, workers: int | None = None) -> AsyncIterator[Engine]:
    """The engine of the settings, closed afterwards; so many workers, or as the settings say."""
    engine = engine_of(settings, workers)
    try:
        yield engine
    finally:
        await engine.close()


def engine_of(settings: Settings, workers: int | None = None) -> Engine:
    """The engine of the settings, to be closed by whoever asked; nothing is started before there is work."""
    count = settings.run.workers if workers is None else workers
    options = EngineOptions(workers=count, address=settings.run.address)
    return find_engine(settings.run.engine).open(options)


def check_engine(settings: Settings) -> None:
    """Raises where `run` cannot be done by the engine of the settings: before anything is opened or made."""
    plug = find_engine(settings.run.engine)
    if plug.name == RAY:
        from wireroom.workers.ray_cluster import require_ray

        require_ray()
        require_server(settings)


def check_address(settings: Settings, address: str | None) -> None:
    """Raises where a cluster was named and the engine joins none."""
    if address and settings.run.engine != RAY:
        raise SettingsError(
            [f"the engine {settings.run.engine} joins no cluster, and {address} was named"],
            hint=Wording("Set run.engine to ray.", terminal="Add: --engine ray"),
        )


def require_server(settings: Settings) -> None:
    """Raises where several machines cannot share the database."""
    from wireroom.app.factories import database_name

    if settings.database_url.startswith(SQLITE):
        raise SettingsError(
            [f"the engine ray needs PostgreSQL: machines cannot share {database_name(settings)}"],
            hint=Wording(
                "Name a server: postgresql://USER@HOST/NAME",
                terminal="Name a server: --db postgresql://USER@HOST/NAME",
            ),
        )


def check_shared(settings: Settings, *, into_store: bool) -> None:
    """Raises where machines cannot read archives together: a file of a database is looked at by one alone."""
    from wireroom.app.factories import has_database
    from wireroom.workers.ray_cluster import require_ray

    require_ray()
    if into_store or has_database(settings):
        require_server(settings)


def find_engine(name: str) -> EnginePlug:
    """The engine of this name; SettingsError when there is none."""
    plug = plug_named("workers", EnginePlug, name)
    if plug is None:
        known = ", ".join(sorted(plugs("workers", EnginePlug)))
        why = why_missing("workers", name, EnginePlug)
        problem = f"There is no engine {name!r}{f'; {why}' if why else ''}."
        raise SettingsError([problem], hint=f"Known are: {known}.")
    return plug
