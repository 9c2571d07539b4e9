"""What each edit of an article changed: its versions, compared paragraph by paragraph."""

from __future__ import annotations

from difflib import unified_diff
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.model import Article, ArticleVersion

MAX_LINES = 2_000  # lines of a version that are compared: comparing takes the square of them


def edits(app: App, article: Article) -> list[dict[str, Any]]:
    """What changed from each version to the next, oldest first."""
    held: list[ArticleVersion | Article] = [*app.store.versions(article.id), article]
    return [
        {
            "from": before.version,
            "to": after.version,
            "at": after.fetched_at,
            "diff": list(unified_diff(_lines(before), _lines(after), lineterm="", n=1))[2:],
        }
        for before, after in pairwise(held)
    ]


def _lines(version: ArticleVersion | Article) -> list[str]:
    lines = [version.title, *(line for line in version.text.split("\n") if line)]
    return lines[:MAX_LINES]


def show_edits(changes: list[dict[str, Any]], streams: Streams) -> None:
    """The changes, as `diff` writes them."""
    if not changes:
        streams.note("It was never edited.")
    styles = {"+": "green", "-": "red"}
    for change in changes:
        at = f"{change['at']:%Y-%m-%d %H:%M}"
        streams.heading(f"version {change['from']} to {change['to']}, read on {at} UTC")
        for line in change["diff"]:
            if not line.startswith("@@"):
                streams.line(line, style=styles.get(line[:1], ""))
        streams.line()
