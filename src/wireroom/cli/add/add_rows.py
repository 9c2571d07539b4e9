"""What `add` was given: addresses, OPML files, CSV files and lists, each row with what is said of it.

Opens files and stdin and nothing else. A bad row is a row with a reason; it stops no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wireroom.app.listed_feeds import (
    AddRow,
    ListEntry,
    check_rows,
    list_entries,
    without_routes,
)
from wireroom.cli.batch import read_list
from wireroom.display_text import counted
from wireroom.errors import SettingsError

MAX_FILE = 10_000_000  # bytes: a hundred thousand feeds; more is a database, not a list
DOCUMENTS = (".html", ".htm", ".xml", ".rss", ".atom", ".json")  # nobody's domain, if it is there
SUFFIXES = (".opml", ".csv", ".txt", ".xml")
"""Of files that hold lists; `feeds.xml` may be an OPML file under another name."""
PATHS = ("./", "../", "/", "~", ".\\", "..\\")
"""With one of these a path begins, and no address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddInput:
    """All rows, and what is to be said of the lists they came from."""

    rows: tuple[AddRow, ...]
    many: bool
    notes: tuple[str, ...] = ()


def gather(targets: Sequence[str], flags: Mapping[str, str], *, own_list: bool = False) -> AddInput:
    """Every row, in order; flags hold for all of them and go before what a list says.

    Of an OPML file that is not the operator's own, no proxy and no mirror is taken: they would see, or replace,
    what is read.
    """
    if targets.count("-") > 1:
        raise SettingsError(["-: stdin can be read once"], hint="Name it once.")
    notes: list[str] = []
    entries = list(_all_entries(targets, notes))
    if not own_list:
        entries = _without_routes(entries, notes)
    if not entries:
        empty = "The list names no feeds." if targets else "There is nothing to add."
        raise SettingsError([empty], hint="Try: wireroom add courier.example")
    many = len(entries) > 1 or any(_is_list(target) for target in targets)
    if many and "name" in flags:
        raise SettingsError(
            ["--name: a name stands for one feed, but there are more"],
            hint="Add them one after the other, or write names into a list.",
        )
    return AddInput(rows=check_rows(entries, flags), many=many, notes=tuple(notes))


def _without_routes(entries: Sequence[ListEntry], notes: list[str]) -> list[ListEntry]:
    """The entries without proxies and mirrors that an OPML file has named."""
    kept, count = without_routes(entries, outlines=True)
    if count:
        notes.append(
            f"{counted(count, 'feed')} with a proxy or mirrors in the list: not taken. "
            "--own-list takes them, if the list is yours."
        )
    return kept


# --- where rows come from ------------------------------------------------------------------------


def _is_list(text: str) -> bool:
    """Whether a file of feeds is meant, be it there or not; an address may end like one."""
    if text == "-":
        return True
    if "://" in text:
        return False
    return _is_path(text) or (text.lower().endswith(SUFFIXES + DOCUMENTS) and Path(text).is_file())


def _is_path(text: str) -> bool:
    """Whether this can only be a file: `./mine`, `feeds.txt`, but not `courier.test/feeds.txt`."""
    if text.startswith(PATHS) and not text.startswith("//"):
        return True
    first, slash, _ = text.partition("/")
    is_under_a_host = bool(slash) and "." in first and not text.lower().endswith((".opml", ".csv"))
    return text.lower().endswith(SUFFIXES) and not is_under_a_host


def _all_entries(targets: Sequence[str], notes: list[str]) -> Iterator[ListEntry]:
    for place, text in enumerate(targets, 1):
        if _is_list(text):
            yield from list_entries(text, read_list(text, max_bytes=MAX_FILE), notes)
        else:
            yield ListEntry(place, text, {}, "command line")
