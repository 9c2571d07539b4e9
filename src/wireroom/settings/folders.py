"""Where this platform keeps a program's settings and what it can make anew. Loads nothing heavy."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "wireroom"


def config_folder(environ: Mapping[str, str]) -> Path | None:
    """The folder of our settings file; None where the platform names none."""
    home = _home(environ)
    if sys.platform == "win32":
        return _ours(environ.get("APPDATA", ""))
    if sys.platform == "darwin":
        return _ours(f"{home}/Library/Application Support" if home else "")
    return _ours(environ.get("XDG_CONFIG_HOME", "") or (f"{home}/.config" if home else ""))


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder of what may be deleted at any time; None where the platform names none."""
    home = _home(environ)
    if sys.platform == "win32":
        return _ours(environ.get("LOCALAPPDATA", ""))
    if sys.platform == "darwin":
        return _ours(f"{home}/Library/Caches" if home else "")
    return _ours(environ.get("XDG_CACHE_HOME", "") or (f"{home}/.cache" if home else ""))


def has_password_file(environ: Mapping[str, str]) -> bool:
    """Whether PostgreSQL's library would find passwords in its usual file."""
    home = _home(environ)
    return bool(home) and os.path.lexists(Path(home) / ".pgpass")


def _home(environ: Mapping[str, str]) -> str:
    return environ.get("USERPROFILE" if sys.platform == "win32" else "HOME", "")


def _ours(base: str) -> Path | None:
    return Path(base) / NAME if base and Path(base).is_absolute() else None
