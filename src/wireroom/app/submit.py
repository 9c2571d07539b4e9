"""One box for whatever somebody wants to follow: an address, a feed, several lines, OPML or CSV, pasted or uploaded.

What it is, is told by what stands in it. Each row has an outcome; a bad one stops no other. Of a list no proxy and no
mirror is taken: whoever wrote it would see, or replace, what is read.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, Literal, Self

from wireroom.app.add import Added, add_many
from wireroom.app.listed_feeds import AddRow as AddRow
from wireroom.app.listed_feeds import check_rows, list_entries, without_routes
from wireroom.app.row_list import RowList, decode_list
from wireroom.display_text import counted
from wireroom.errors import SettingsError
from wireroom.ports import JobRow, RowWord
from wireroom.scout.runner import Progress

if TYPE_CHECKING:
    from wireroom.app.application import App

MAX_BYTES: Final = 5_000_000  # of a list: fifty thousand feeds
MAX_ROWS: Final = 5_000  # that are added in one go; each is a scout of its publisher
SUFFIXES: Final = (".csv", ".opml")
"""Of a file that is uploaded."""
PASTED: Final = "the box"

SubmissionKind = Literal["address", "addresses", "opml", "csv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What was handed over."""

    kind: SubmissionKind
    rows: tuple[AddRow, ...]
    notes: tuple[str, ...] = ()
    """What is to be said of the list as a whole."""
    name: str = ""
    """Of a file: its name."""
    body: bytes = b""
    """As it was handed over: `read_submission` reads it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcome:
    """What became of one row."""

    line: int
    target: str
    outcome: RowWord
    publisher: str = ""
    feeds: int = 0
    """Feeds of it that are followed."""
    reason: str = ""
    added: Added | None = None
    """All that is known of it; None for a row that nobody was asked about, or that was written down."""

    @classmethod
    def of(cls, row: JobRow) -> Self:
        """The outcome that was written down."""
        return cls(**asdict(row))

    def row(self) -> JobRow:
        """What is written down of it."""
        return JobRow(
            line=self.line,
            target=self.target,
            outcome=self.outcome,
            publisher=self.publisher,
            feeds=self.feeds,
            reason=self.reason,
        )


def read_submission(given: str | bytes, *, filename: str = "") -> Submission:
    """What was pasted, or uploaded as a file of this name; SettingsError tells why it cannot be read."""
    body = given if isinstance(given, bytes) else given.encode("utf-8", "replace")
    source = _source(filename)
    if len(body) > MAX_BYTES:
        raise SettingsError(
            [f"{source} is larger than {MAX_BYTES // 1_000_000} MB."], hint="Split it."
        )
    notes: list[str] = []
    entries = list(list_entries(source, body, notes, any_columns=True))
    if not entries:
        raise SettingsError([f"{source} names nothing to follow."], hint="Try: courier.example")
    if len(entries) > MAX_ROWS:
        raise SettingsError(
            [f"{source} has {len(entries):,} rows, at most {MAX_ROWS:,} are taken."],
            hint="Split it.",
        )
    kept, count = without_routes(entries, outlines=False)
    if count:
        notes.append(f"{counted(count, 'feed')} with a proxy or mirrors in the list: not taken.")
    rows = check_rows(kept, {})
    return Submission(
        kind=_kind(source, body, len(rows)),
        rows=rows,
        notes=tuple(notes),
        name=source if filename else "",
        body=body,
    )


def _source(filename: str) -> str:
    """The name of what was given, for messages; SettingsError for a file that is no list."""
    if not filename:
        return PASTED
    name = filename.replace("\\", "/").rpartition("/")[2][:200]
    if not name.lower().endswith(SUFFIXES):
        raise SettingsError(
            [f"{name}: expected a file that ends in {' or '.join(SUFFIXES)}"],
            hint="Paste addresses into the box instead.",
        )
    return name


def _kind(source: str, body: bytes, rows: int) -> SubmissionKind:
    """What it was read as; the same signs by which its rows were read."""
    text = decode_list(body)
    if text.lstrip().startswith("<") or source.lower().endswith(".opml"):
        return "opml"
    if text.lstrip().startswith("{"):
        return "addresses"
    if "url" in RowList(source, text).columns:
        return "csv"
    return "address" if rows == 1 else "addresses"


async def submit(
    app: App,
    submission: Submission,
    *,
    scout: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> AsyncGenerator[RowOutcome, None]:
    """Follows what was handed over; an outcome for each row, as it is known, those that nobody is asked about first.

    With `scout` off nobody is asked for anything. The steps of scouts are reported to `progress`.
    """
    wanted = [(row, row.request) for row in submission.rows if row.request is not None]
    for row in submission.rows:
        if row.request is None:
            outcome: RowWord = "same" if row.same else "invalid"
            yield RowOutcome(line=row.line, target=row.target, outcome=outcome, reason=row.reason)
    targets = [(row.target, request) for row, request in wanted]
    async with aclosing(add_many(app, targets, scout=scout, progress=progress)) as results:
        async for result in results:
            row = wanted[result.place][0]
            yield _outcome(row, result.outcome_for(row.target))


def _outcome(row: AddRow, added: Added) -> RowOutcome:
    return RowOutcome(
        line=row.line,
        target=row.target,
        outcome=added.outcome,
        publisher=added.publisher,
        feeds=len(added.taken),
        reason=added.reason or added.problem,
        added=added,
    )
