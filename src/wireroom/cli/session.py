"""What a command is given: the streams, the settings and the app of this run.

A command is a plain function; a parameter of type `Session` is filled in by `cli.app`. Settings and
app are loaded when they are first asked for, so that a command pays only for what it uses.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.streams import Streams, set_up_logs
from wireroom.errors import SettingsError

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.settings import Flag, Loaded

EVERYWHERE = "Options of every command"

Json = Annotated[bool, typer.Option("--json", help="Data as JSON on stdout.")]
"""For every command that has data to show."""
ScoutTime = Annotated[
    str,
    typer.Option(
        "--time",
        metavar="SPAN",
        help="How long a scout may take, such as 10m (scout.time; of add: scout.add_time).",
    ),
]
"""For every command that scouts while somebody waits."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of every command, wherever they stood on the command line."""

    db: str = ""
    config: str = ""
    sets: tuple[str, ...] = ()
    verbosity: int = 0
    flags: tuple[tuple[str, str, str], ...] = ()
    """Options of a command that stand for a setting: the option, the setting, what was given."""

    def over(self, earlier: Choices) -> Choices:
        """These choices laid over those before the command."""
        return Choices(
            db=self.db or earlier.db,
            config=self.config or earlier.config,
            sets=(*earlier.sets, *self.sets),
            verbosity=earlier.verbosity + self.verbosity,
            flags=(*earlier.flags, *self.flags),
        )


@dataclass(slots=True)
class Session:
    """One run of one command."""

    streams: Streams = field(default_factory=Streams)
    choices: Choices = Choices()
    loaded: Loaded | None = None
    """The settings, once they are loaded; `load` gives them."""

    def chosen(self, choices: Choices) -> Session:
        """The session with further choices made."""
        session = replace(self, choices=choices.over(self.choices))
        session.streams.verbosity = session.choices.verbosity
        session.streams.find_log_format = session.early_log_format
        set_up_logs(session.streams.verbosity, style=lambda: session.streams.log_format)
        return session

    def early_log_format(self) -> str:
        """The setting log.format, before the settings are loaded, or where they cannot be."""
        from wireroom.settings.setting_sources import early_log_format

        return early_log_format(self.choices.config or None, self._flags())

    def given(self, option: str, setting: str, text: str) -> Session:
        """The session in which an option of the command sets a setting; without a text, as it is."""
        if not text:
            return self
        flags = (*self.choices.flags, (option, setting, text))
        return replace(self, choices=replace(self.choices, flags=flags), loaded=None)

    def load(self) -> Loaded:
        """The settings with their origins; SettingsError tells all that is wrong."""
        if self.loaded is None:
            from wireroom.settings import load_settings

            try:
                loaded = load_settings(config=self.choices.config or None, flags=self._flags())
            except SettingsError:
                self._check_database()  # what is wrong with --db itself goes first
                raise
            log = loaded.settings.log
            self.streams.log_format = log.format
            set_up_logs(self.streams.verbosity, level=log.level, style=log.format)
            if self.streams.verbosity > 0:
                _show_sources(loaded)
            _check_chosen(loaded)
            self.loaded = loaded
        return self.loaded

    def _check_database(self) -> None:
        if self.choices.db:
            from wireroom.app.application import database_url
            from wireroom.app.factories import check_database

            check_database(database_url(self.choices.db))

    def reader_clock(self) -> ReaderClock:
        """The clock by which the reader is shown times."""
        from wireroom.dates.reader_clock import ReaderClock

        return ReaderClock(self.load().settings.display.reader_zone())

    @contextmanager
    def app(self) -> Iterator[App]:
        """The app on the database of the settings, closed afterwards.

        A database that was not there before and in which nothing is held at the end is taken away again.
        """
        from wireroom.app import open_app

        is_new = not self.has_database()
        try:
            with open_app(self.load().settings) as app:
                yield app
        finally:
            if is_new:
                self._remove_unused()

    def _remove_unused(self) -> None:
        from wireroom.app.factories import remove_unused_database

        remove_unused_database(self.load().settings)

    @contextmanager
    def app_to_read(self) -> Iterator[App]:
        """The same for whoever saves nothing: where there is no database, it is one in memory."""
        from wireroom.app import open_app
        from wireroom.app.scout import IN_MEMORY

        if self.has_database():
            with self.app() as app:
                yield app
            return
        with open_app(IN_MEMORY, settings=self.load().settings) as app:
            yield app

    def database_file(self) -> Path | None:
        """The file of an SQLite database; None for any other database."""
        from wireroom.app.factories import database_file

        return database_file(self.load().settings)

    def has_database(self) -> bool:
        """Whether there is something to look at; looking must not make an empty file."""
        from wireroom.app.factories import has_database

        return has_database(self.load().settings)

    def show_none(self, otherwise: str) -> None:
        """Says why nothing is shown: there is no database at all, or else this."""
        if self.has_database():
            self.streams.missing(otherwise)
        else:
            self.show_nothing_held()

    def show_nothing_held(self) -> None:
        """Says that there is no database yet, and what makes one."""
        file = self.database_file()
        if file is not None and not file.parent.is_dir():
            hint = (
                f"The folder {file.parent} does not exist: make it, or name another file with --db."
            )
        else:
            hint = "Begin with: wireroom add courier.example; another database is named by --db"
        self.streams.missing(f"Nothing is held yet: there is no {self.database_name()}.", hint)

    def show_unknown(self, publisher: str) -> None:
        """Says that this publisher was never scouted."""
        self.streams.missing(
            f"Nothing is known about {publisher}.", f"Try: wireroom scout {publisher}"
        )

    def database_name(self) -> str:
        """The database's address as it may be shown."""
        from wireroom.app.factories import database_name

        return database_name(self.load().settings)

    def _flags(self) -> list[Flag]:
        from wireroom.settings import Flag

        flags = [Flag("--set", *_name_and_value(text)) for text in self.choices.sets]
        flags += [Flag(*flag) for flag in self.choices.flags]
        if self.choices.db:
            from wireroom.app.application import database_url

            flags.append(Flag("--db", "database_url", database_url(self.choices.db)))
        return flags


def _name_and_value(text: str) -> tuple[str, str]:
    """What `--set` was given; without a name for what is no name=value."""
    name, sign, value = text.partition("=")
    return (name.strip(), value.strip()) if sign and name.strip() else ("", text)


def _show_sources(loaded: Loaded) -> None:
    """Which file holds, and whose robots.txt is not asked because the operator says so."""
    log = logging.getLogger(__name__)
    if loaded.file:
        log.info("settings file", extra={"file": loaded.file, "named_by": loaded.named_by})
    for row in loaded.rows():
        if row.path == "fetch.agreed" and row.value:
            more = {"hosts": ", ".join(row.value), "set_by": row.origin}
            log.info("robots.txt not asked, by agreement", extra=more)


def _check_chosen(loaded: Loaded) -> None:
    """Looks for what the settings name; loading the fetch room is paid by those who choose in it."""
    if "strategies" in loaded.settings.fetch.model_fields_set:
        from wireroom.app.factories import check_strategies

        check_strategies(loaded)
