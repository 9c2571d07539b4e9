"""What each edit of an article changed, as data and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app.explain import Edit

STYLES = {"+": "green", "-": "red"}


def edit_data(edit: Edit) -> dict[str, Any]:
    """An edit as plain data."""
    return {
        "from": edit.old_version,
        "to": edit.new_version,
        "at": edit.at,
        "diff": list(edit.diff),
    }


def show_edits(edits: Sequence[Edit], streams: Streams) -> None:
    """The changes, as `diff` writes them."""
    if not edits:
        streams.note("It was never edited.")
    for edit in edits:
        versions = f"version {edit.old_version} to {edit.new_version}"
        streams.heading(f"{versions}, read on {edit.at:%Y-%m-%d %H:%M} UTC")
        for line in edit.diff:
            if not line.startswith("@@"):
                streams.line(line, style=STYLES.get(line[:1], ""))
        streams.line()
