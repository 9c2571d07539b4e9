"""The demo: opens the town, a settings file and an app, runs the steps, and clears all of it away.

What is shown stands in `demo_steps`.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from wireroom.cli.demo.demo_steps import STEPS, Demo
from wireroom.cli.exits import OK
from wireroom.cli.session import Choices, Session
from wireroom.errors import SettingsError

if TYPE_CHECKING:
    from types import FrameType

    from wireroom.town import Running


def run_demo(session: Session, *, seed: int | None, serve: bool) -> int:
    """Runs every step in its order; with `serve` the town stays open afterwards."""
    if session.choices.config:
        raise SettingsError(
            ["--config: the demo writes a settings file of its own"], hint="Leave it out."
        )
    with _open_demo(session, seed=seed, serve=serve) as demo:
        for number, step in enumerate(STEPS, 1):
            demo.streams.heading(f"{number}. {step.title}")
            step.run(demo)
            demo.streams.line()
        if serve:
            demo.streams.flush()
            _wait(session)
    return OK


@contextmanager
def _open_demo(session: Session, *, seed: int | None, serve: bool) -> Iterator[Demo]:
    """Everything the steps need, and nothing left of it afterwards."""
    from wireroom.town import DEFAULT_SEED, build_town, running_town

    town = build_town(seed=DEFAULT_SEED if seed is None else seed)
    with (
        TemporaryDirectory(prefix="wireroom-demo-") as name,
        running_town(town) as running,
    ):
        file = _settings_file(Path(name), running, session.choices)
        inner = replace(session, choices=file.choices, loaded=None)
        with inner.app() as app:
            yield Demo(session=inner, app=app, running=running, config=file.config, stays=serve)


@dataclass(frozen=True)
class _SettingsFile:
    config: Path
    choices: Choices


def _settings_file(folder: Path, running: Running, choices: Choices) -> _SettingsFile:
    """The settings file in its folder.

    The database is named by a flag as well, which goes before the environment: an operator who has
    WIREROOM_DATABASE_URL set must not find the town in their news.
    """
    own = f"sqlite:///{(folder / 'wireroom.db').as_posix()}"
    config = folder / "wireroom.toml"
    named = "" if choices.db else f"database_url = {json.dumps(own)}\n\n"
    config.write_text(named + running.settings_toml(), encoding="utf-8")
    return _SettingsFile(config, replace(choices, config=str(config), db=choices.db or own))


def _wait(session: Session) -> None:
    """Until Ctrl-C, which ends the run as everywhere, or SIGTERM, which ends it well."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        session.streams.note("The town is open until you press Ctrl-C.")
        ended.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
