"""What `scout` was given: addresses, lists and CSV files, each row with what becomes of it.

Opens the file or stdin and nothing else. A bad row is a row with a reason; it stops no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wireroom.app.scout import Address, read_address
from wireroom.cli.batch import RowList, decode_list, read_list
from wireroom.errors import SettingsError
from wireroom.urls import identity_key

MAX_FILE = 5_000_000  # bytes: some fifty thousand addresses; more is a database, not a list
COLUMN = "url"

RowOutcome = Literal["queued", "duplicate", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutRow:
    """One address that was asked for, and whether it is worth a visit."""

    line: int
    """Where it stood, counted from 1; of addresses on the command line, which one it was."""
    text: str
    outcome: RowOutcome
    reason: str = ""
    address: Address | None = None


def gather(typed: list[str], source: str) -> list[ScoutRow]:
    """Every row of the command line and the file, in order; the first of equal ones is visited."""
    if ("-" in typed and source == "-") or typed.count("-") > 1:
        raise SettingsError(["-: stdin can be read once"], hint="Name it once.")
    seen: dict[str, int] = {}
    return [_row(line, text, seen) for line, text in _texts(typed, source)]


def _texts(typed: list[str], source: str) -> Iterator[tuple[int, str]]:
    for place, text in enumerate(typed, 1):
        if text == "-":
            yield from _listed("-")
        else:
            yield place, text
    if source:
        yield from _listed(source)


def _row(line: int, text: str, seen: dict[str, int]) -> ScoutRow:
    try:
        address = read_address(text)
    except SettingsError as error:
        return ScoutRow(line=line, text=text, outcome="invalid", reason=error.message)
    key = identity_key(address.candidates[0])
    if key in seen:
        reason = f"the same as line {seen[key]}"
        return ScoutRow(line=line, text=text, outcome="duplicate", reason=reason, address=address)
    seen[key] = line
    return ScoutRow(line=line, text=text, outcome="queued", address=address)


def _listed(source: str) -> Iterator[tuple[int, str]]:
    """The addresses of a file: the column of a CSV, else each line but for blanks and # remarks."""
    rows = RowList(source, decode_list(read_list(source, max_bytes=MAX_FILE)))
    columns = rows.columns
    if COLUMN in columns:
        place = columns.index(COLUMN)
        for line, cells in rows.rows():
            if len(cells) > place and cells[place].strip():
                yield line, cells[place].strip()
        return
    if source.lower().endswith(".csv"):
        raise SettingsError(
            [f"{source}: no column is called URL"], hint="Name it in the first line."
        )
    yield from rows.lines()
