"""What was found out about a publisher, and when it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.errors import SettingsError
from wireroom.model import Finding
from wireroom.signals import all_steps

if TYPE_CHECKING:
    from wireroom.app.application import App


def check_step(name: str) -> None:
    """Raises SettingsError where there is no scouting step of this name."""
    names = sorted(all_steps())
    if name not in names:
        raise SettingsError(
            [f"--step {name}: there is no such step"], hint=f"One of: {', '.join(names)}"
        )


def publisher_history(app: App, publisher: str, *, step: str = "") -> tuple[Finding, ...]:
    """Every finding that differed from the one before it, oldest first; of one step if it is named."""
    return app.store.history(publisher, step=step)
