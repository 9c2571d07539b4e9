"""Where the database of the settings is, and whether it is there yet: looking must not make an empty file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireroom.settings import Settings


def database_file(settings: Settings) -> Path | None:
    """The file of an SQLite database; None for any other database."""
    url = settings.database_url
    file = url.removeprefix("sqlite:///").partition("?")[0]
    return Path(file) if url.startswith("sqlite:///") and file != ":memory:" else None


def has_database(settings: Settings) -> bool:
    """Whether there is something to look at."""
    file = database_file(settings)
    try:
        return file is None or file.exists()
    except OSError:  # a folder that may not be looked into; the store says what is wrong
        return True


def database_name(settings: Settings) -> str:
    """The database's address as it may be shown."""
    from wireroom.settings import redact_address

    return redact_address(settings.database_url)
