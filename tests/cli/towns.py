"""The town for commands that scout: served once, and settings in the working folder that lead there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.cli.conftest import Ran

Run = Callable[..., Ran]

SETTINGS = """
database_url = "sqlite:///w.db"

[fetch]
delay = "0 s"
timeout = "5 s"

[scout]
offline = true

[hosts]
"""


def write_settings(hosts: Mapping[str, str]) -> None:
    """Writes settings under which these hosts are found, without gaps between requests."""
    lines = "\n".join(f"{json.dumps(name)} = {json.dumps(place)}" for name, place in hosts.items())
    Path("wireroom.toml").write_text(SETTINGS + lines + "\n", encoding="utf-8")
