"""The fetch strategies that the settings choose: whether each exists and can be opened.

Settings know no rooms and rooms know no files; `app` knows both, and reports a strategy
that does not exist with the place where it was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.errors import SettingsError
from wireroom.ports import StrategyPlug
from wireroom.registry import plugs

if TYPE_CHECKING:
    from wireroom.settings import Loaded, Settings

PROXY = "proxy"  # the strategy of every feed that names a proxy


def check_strategies(loaded: Loaded) -> None:
    """Raises SettingsError for strategies that do not exist."""
    known = plugs("fetch.strategies", StrategyPlug)
    expected = f"expected one of {', '.join(sorted(known))}"
    problems = [
        loaded.problem(("fetch", "strategies", place), name, expected)
        for place, name in enumerate(loaded.settings.fetch.strategies)
        if name not in known
    ]
    if problems:
        hint = "Choose another, or install the package that brings it."
        raise SettingsError(problems, hint=hint)


def chosen_strategies(settings: Settings) -> list[StrategyPlug]:
    """The strategies that the settings and their feeds ask for, each once, as far as they exist."""
    names = dict.fromkeys(settings.fetch.strategies)
    if any(feed.options().proxy for feed in settings.feeds):
        names[PROXY] = None
    known = plugs("fetch.strategies", StrategyPlug)
    return [known[name] for name in names if name in known]
