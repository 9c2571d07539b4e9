"""The engine of the settings: how parsing is spread for `run`, `extract`, `test-feed` and `reparse`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wireroom.errors import SettingsError
from wireroom.ports import Engine, EngineOptions, EnginePlug
from wireroom.registry import plug_named, plugs, why_missing

if TYPE_CHECKING:
    from wireroom.settings import Settings


@asynccontextmanager
async def open_engine(settings: Settings, *, workers: int | None = None) -> AsyncIterator[Engine]:
    """The engine of the settings, closed afterwards; so many workers, or as the settings say."""
    count = settings.run.workers if workers is None else workers
    engine = find_engine(settings.run.engine).open(EngineOptions(workers=count))
    try:
        yield engine
    finally:
        await engine.close()


def find_engine(name: str) -> EnginePlug:
    """The engine of this name; SettingsError when there is none."""
    plug = plug_named("workers", EnginePlug, name)
    if plug is None:
        known = ", ".join(sorted(plugs("workers", EnginePlug)))
        why = why_missing("workers", name, EnginePlug)
        problem = f"There is no engine {name!r}{f'; {why}' if why else ''}."
        raise SettingsError([problem], hint=f"Known are: {known}.")
    return plug
