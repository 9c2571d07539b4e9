"""Hides what must not be shown: user info of addresses, passwords and tokens in their queries.

Pure. Everything that shows a setting, an address or somebody else's message goes through `redact`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

HIDDEN = "***"

# In a sentence the user info ends where the host's part of the address does: "/@name" is a path.
# "user:password" itself is how a message shows what an address looks like, and no secret.
_USER_INFO = re.compile(r"(?<=://)(?!(?i:user:password)@)[^\s\"'<>/?#]*@")
# Alone, the last "@" counts: database drivers take passwords with "/", "?" and "@" in them.
_ANY_USER_INFO = re.compile(r"^(.*?://)?.*@", re.DOTALL)
_QUERY_SECRET = re.compile(
    r"(?i)([?&;#](?:[a-z0-9_-]*(?:password|passwd|secret|token|apikey|[_-]key|signature)"
    r"|(?:[a-z0-9_-]*[_-])?(?:auth|authorization|bearer|credential|jwt|key|pass|pwd|pw|sig))=)"
    r"[^&;#\s\"'<>]+"
)


def redact(text: str) -> str:
    """The text without the secrets of the addresses in it."""
    if "://" in text:
        text = _USER_INFO.sub(f"{HIDDEN}@", text)
    return _QUERY_SECRET.sub(rf"\1{HIDDEN}", text)


def redact_address(text: str) -> str:
    """A secret address, sound or broken: but for its scheme nothing before the last "@" is shown."""
    return redact(_ANY_USER_INFO.sub(lambda found: f"{found[1] or ''}{HIDDEN}@", text))


def without_user_info(address: str) -> str:
    """The address without its user info; empty when it cannot be told where that ends."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if not host or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}:{port}" if port is not None else f"{parts.scheme}://{host}"


# Where this platform keeps a program's settings and what it can make anew. Loads nothing heavy.

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
