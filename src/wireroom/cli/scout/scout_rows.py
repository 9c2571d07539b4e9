"""What `scout` was given: addresses, lists and CSV files, each row with what becomes of it.

Opens the file or stdin and nothing else. A bad row is a row with a reason; it stops no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wireroom.app.row_list import RowList, decode_list
from wireroom.app.scout import Address, read_address
from wireroom.cli.batch import read_list
from wireroom.cli.exits import (
    ERROR,
    NOTHING_FOUND,
    OK,
    REFUSED,
    USAGE,
    advised,
    code_of_problem,
    reason_with_advice,
)
from wireroom.display_text import counted
from wireroom.errors import FetchError, SettingsError
from wireroom.urls import identity_key

if TYPE_CHECKING:
    from wireroom.app.scout import ScoutResult
    from wireroom.report import Card


MAX_FILE = 5_000_000  # bytes: some fifty thousand addresses; more is a database, not a list
COLUMN = "url"

RowOutcome = Literal["queued", "duplicate", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutRow:
    """One address that was asked for, and whether it is worth a scout."""

    line: int
    """Where it stood, counted from 1; of addresses on the command line, which one it was."""
    text: str
    outcome: RowOutcome
    reason: str = ""
    address: Address | None = None


def gather(typed: list[str], source: str) -> list[ScoutRow]:
    """Every row of the command line and the file, in order; the first of equal ones is scouted."""
    if ("-" in typed and source == "-") or typed.count("-") > 1:
        raise SettingsError(["-: stdin can be read once"], hint="Name it once.")
    seen: dict[str, int] = {}
    return [_row(line, text, seen) for line, text in _texts(typed, source)]


def count_rows(rows: Iterable[ScoutRow]) -> str:
    """How many rows are asked about and how many are not, in one line."""
    counts = Counter(row.outcome for row in rows)
    parts = [f"{counted(counts['queued'], 'URL')} queued"]
    parts += [f"{counts[word]:,} {word}" for word in ("duplicate", "invalid") if counts[word]]
    return f"{', '.join(parts)}."


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


# What became of one row, and the exit code it stands for. Pure.

_ABOUT_REACHING = frozenset({"homepage", "robots", "access", "waf"})
"""Steps that say whether a site is reached and may be read; the others say what there is.

Fewer than the section "access" of a card: which agents are barred, and a paywall, are something that was found.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutOutcome:
    """One row at its end."""

    row: ScoutRow
    word: Literal["completed", "failed", "duplicate", "invalid"]
    code: int
    """The exit code, had it been the only one."""
    reason: str = ""
    card: Card | None = None

    def plain(self) -> dict[str, Any]:
        """The row as data; the card of a completed one is under `card`."""
        from wireroom.report import to_plain

        row: dict[str, Any] = {
            "line": self.row.line,
            "url": self.row.text,
            "outcome": self.word,
            "publisher": self.row.address.domain if self.row.address else None,
        }
        if self.reason:
            row["reason"] = self.reason
        return row | {"card": to_plain(self.card)} if self.card else row


def set_aside(row: ScoutRow) -> ScoutOutcome:
    """A row for which nobody is scouted."""
    if row.outcome == "duplicate":
        return ScoutOutcome(row=row, word="duplicate", code=OK, reason=row.reason)
    return ScoutOutcome(row=row, word="invalid", code=USAGE, reason=row.reason)


def outcome_of(row: ScoutRow, result: ScoutResult) -> ScoutOutcome:
    """A row that was scouted: with its card, however little stands on it, or with the reason for none."""
    if result.card is not None:
        return _completed(row, result.card)
    if result.error is None:
        raise AssertionError("a scout ends in a card or in an error")
    return _failed(row, result.error)


def _failed(row: ScoutRow, error: FetchError) -> ScoutOutcome:
    """A row at whose address nobody is, or where we may not ask."""
    return ScoutOutcome(
        row=row, word="failed", code=code_of_problem(error.kind), reason=reason_with_advice(error)
    )


def _completed(row: ScoutRow, card: Card) -> ScoutOutcome:
    """A row with its card, however little stands on it."""
    return ScoutOutcome(
        row=row, word="completed", code=card_code(card), reason=what_is_missing(card), card=card
    )


def card_code(card: Card) -> int:
    """0 when the publisher could be looked at; else what kept us from it."""
    steps = {step.name: step for step in card.steps}
    homepage = steps.get("homepage")
    if homepage is None or homepage.word not in {"failed", "skipped"}:
        return OK
    code = code_of_problem(homepage.kind)
    access = steps.get("access")
    if code == REFUSED and access is not None and access.word == "unknown":
        code = ERROR  # nobody refused: robots.txt could not be had, and we wait until it can
    if code != ERROR:
        return code
    offers = [
        step for name, step in steps.items() if name not in _ABOUT_REACHING and step.word == "yes"
    ]
    return OK if offers else NOTHING_FOUND


def what_is_missing(card: Card) -> str:
    """Why a card is as good as empty, in one line; nothing for any other."""
    code = card_code(card)
    if code == OK:
        return ""
    homepage = next(step for step in card.steps if step.name == "homepage")
    message = f"{card.url}: the homepage could not be fetched: {homepage.reason}"
    return advised(message, homepage.kind, permanent=code == REFUSED)
