"""The real parts tests talk to: which are here, and why one is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings

USUAL_EXAMPLES = 100  # what hypothesis asks by itself; `make check` asks for fewer
REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data"


def postgres_programs() -> Path | None:
    """The folder that holds initdb and pg_ctl, the newest version first."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def chromium_program() -> str | None:
    """The browser, by any of the names it goes by."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def _version(folder: Path) -> float:
    try:
        return float(folder.parent.name)
    except ValueError:
        return 0.0


def _missing_postgres() -> str:
    return "" if postgres_programs() else "PostgreSQL is not installed (no initdb found)"


def _missing_browser() -> str:
    return "" if chromium_program() else "Chromium is not installed"


def _missing_faketime() -> str:
    return "" if shutil.which("faketime") else "faketime is not installed"


def _missing_shared_data() -> str:
    return "" if SHARED_DATA.is_dir() else "the folder of real pages is not beside the repository"


MISSING: dict[str, Callable[[], str]] = {
    "postgres": _missing_postgres,
    "browser": _missing_browser,
    "faketime": _missing_faketime,
    "shared_data": _missing_shared_data,
}
"""Marker to the reason why its part is missing; empty when it is here."""

OPTIONAL_IN_CI = {"shared_data"}
"""Parts that CI may lack: the real pages are not ours to ship."""


def examples(full: int) -> settings:
    """So many examples for a property, but no more than any other has where few are wanted, as in `make check`."""
    usual = settings().max_examples
    return settings(max_examples=full if usual >= USUAL_EXAMPLES else usual)


def in_ci() -> bool:
    """Whether a missing part is a failure instead of a skipped test."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}
