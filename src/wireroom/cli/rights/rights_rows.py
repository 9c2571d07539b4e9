"""`wireroom rights` of many addresses: a row each, as a table, CSV, JSON and a page.

Rows of one run are shown in the order in which they were asked for; `--jsonl` shows each as it is known.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wireroom.cli.batch import code_of_all
from wireroom.cli.exits import ERROR, OK, REFUSED, code_of_problem, reason_with_advice
from wireroom.cli.scout.scout_rows import set_aside
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.display_text import visible_line
from wireroom.errors import DeliverError
from wireroom.export.csv_table import safe_cell
from wireroom.model import USES, Use
from wireroom.private_files import PUBLIC, write_whole
from wireroom.report import signs
from wireroom.report.matrix import unread_note
from wireroom.report.rights_page import NOTHING, RightsRow, to_rights_html
from wireroom.settings.secrets import redact

if TYPE_CHECKING:
    from wireroom.app.page_rights import PageRights, RightsResult
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.dates.reader_clock import ReaderClock

RightsForm = Literal["table", "csv", "json", "jsonl"]
CSV_COLUMNS = (
    *("line", "asked", "outcome", "url", "publisher"),
    *(f"rights_{use.replace('-', '_')}" for use in USES),
    *("robots", "as_of", "for", "permitted", "reason"),
)
STYLES = {
    signs.signed(word): style
    for word, style in (("allow", "green"), ("deny", "red"), ("paid", "yellow"), ("unknown", "dim"))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsOutcome:
    """One address at its end: with its rights, or with the reason for none."""

    place: int
    """Among all that were asked for."""
    line: int
    """Where it stood, counted from 1; of addresses on the command line, which one it was."""
    text: str
    word: Literal["completed", "failed", "duplicate", "invalid"]
    code: int
    """The exit code, had it been the only one."""
    publisher: str = ""
    reason: str = ""
    """Why there are no rights, or why the use in question is refused."""
    rights: PageRights | None = None

    def row(self, use: Use | None) -> RightsRow:
        """The outcome as a row of a table."""
        permitted = None if use is None else self.code == OK and self.rights is not None
        found = self.rights
        note = redact(self.reason or (unread_words(found) if found is not None else ""))
        if found is None:
            return RightsRow(url=redact(self.text), permitted=permitted, note=note)
        return RightsRow(
            url=redact(found.card.url),
            asked_url=redact(found.asked_url),
            words={permission.use: permission.word for permission in found.card.rights},
            robots=found.receipt.robots,
            as_of=found.as_of,
            permitted=permitted,
            note=note,
        )


def unread_words(found: PageRights) -> str:
    """What nobody could look at, where that leaves rights unknown or robots.txt unread; empty for most."""
    robots = found.card.facts.robots
    is_read = robots is None or robots.state in {"found", "absent"}
    notes = ("" if is_read else "robots.txt could not be fetched", unread_note(found.card))
    return "; ".join(filter(None, notes))


def judged(place: int, line: int, text: str, found: PageRights) -> RightsOutcome:
    """A page of which its rights are known, whatever they are."""
    return RightsOutcome(
        place=place,
        line=line,
        text=text,
        word="completed",
        code=OK if found.permitted else REFUSED,
        publisher=found.card.domain,
        reason=found.reason,
        rights=found,
    )


def set_aside_row(place: int, row: ScoutRow) -> RightsOutcome:
    """A row that nobody is asked about."""
    aside = set_aside(row)
    return RightsOutcome(
        place=place,
        line=row.line,
        text=row.text,
        word=aside.word,
        code=aside.code,
        reason=aside.reason,
    )


def outcome_of_row(place: int, row: ScoutRow, result: RightsResult) -> RightsOutcome:
    """A row that was asked about."""
    if result.rights is not None:
        return judged(place, row.line, row.text, result.rights)
    error = result.error
    return RightsOutcome(
        place=place,
        line=row.line,
        text=row.text,
        word="failed",
        code=code_of_problem(error.kind) if error is not None else ERROR,
        publisher=result.address.domain,
        reason=reason_with_advice(error) if error is not None else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsViewOptions:
    """What is to be shown, and where."""

    form: RightsForm
    html: Path | None
    use: Use | None


@dataclass(frozen=True, slots=True)
class _KeptRow:
    """What is kept of an outcome until the end: a list may have fifty thousand of them."""

    outcome: RightsOutcome
    row: RightsRow
    plain: Mapping[str, Any]


class RightsView:
    """Takes outcomes, shows them, and remembers how it all ends."""

    def __init__(
        self,
        streams: Streams,
        view: RightsViewOptions,
        data_of: Callable[[PageRights, Use | None], Mapping[str, Any]],
        clock: ReaderClock,
    ) -> None:
        """`data_of` gives the data of one page, as `rights URL --json` shows it."""
        self._clock = clock
        self._streams = streams
        self._view = view
        self._data_of = data_of
        self._shown: list[_KeptRow] = []

    def add(self, outcome: RightsOutcome) -> None:
        """Takes what became of an address; of its rights only what will be shown is kept."""
        if self._view.form == "jsonl":
            self._streams.jsonl([self._plain(outcome)])
        plain = self._plain(outcome) if self._view.form == "json" else {}
        kept = _KeptRow(replace(outcome, rights=None), outcome.row(self._view.use), plain)
        self._shown.append(kept)

    def end(self, now: datetime) -> int:
        """Shows all that was taken, in order; gives the exit code."""
        shown = sorted(self._shown, key=lambda kept: kept.outcome.place)
        if self._view.form == "json":
            self._streams.json([kept.plain for kept in shown])
        elif self._view.form == "csv":
            self._streams.text(_to_csv(shown, self._view.use).rstrip("\n"))
        elif self._view.form == "table":
            self._table(shown)
        if self._view.html is not None:
            self._write(self._view.html, shown, now)
        codes = [kept.outcome.code for kept in shown]
        is_refused = self._view.use is not None and REFUSED in codes
        return REFUSED if is_refused else code_of_all(codes)

    def _plain(self, outcome: RightsOutcome) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "line": outcome.line,
            "asked": outcome.text,
            "outcome": outcome.word,
            "publisher": outcome.publisher or None,
        }
        if outcome.rights is not None:
            return plain | dict(self._data_of(outcome.rights, self._view.use))
        plain["reason"] = outcome.reason
        use = self._view.use
        return plain if use is None else plain | {"for": use, "permitted": False}

    def _table(self, shown: Sequence[_KeptRow]) -> None:
        rows = [kept.row for kept in shown if kept.outcome.word == "completed"]
        if rows:
            self._streams.fitted_table(
                [self._cells(row) for row in rows], columns=_columns(self._view.use), styles=STYLES
            )
        for kept in shown:
            if kept.outcome.reason:
                self._tell(kept.outcome)
            elif kept.row.note:
                self._streams.note(f"{kept.row.url}: {kept.row.note}")

    def _cells(self, row: RightsRow) -> tuple[str, ...]:
        words = (signs.signed(row.words[use]) if use in row.words else NOTHING for use in USES)
        permitted = () if self._view.use is None else ("yes" if row.permitted else "no",)
        as_of = self._clock.minute(row.as_of, "never")
        return (row.url, *words, *permitted, row.robots or NOTHING, as_of)

    def _tell(self, outcome: RightsOutcome) -> None:
        where = f"line {outcome.line}: {outcome.text[:200]}"
        if outcome.word == "duplicate":
            self._streams.note(f"{where}: {outcome.reason}")
        elif outcome.word == "completed":
            self._streams.error(f"{where}: refused for {outcome.reason}")
        else:
            self._streams.error(f"{where}: {outcome.reason}")

    def _write(self, path: Path, shown: Sequence[_KeptRow], now: datetime) -> None:
        rows = [kept.row for kept in shown if kept.outcome.word != "duplicate"]
        page = to_rights_html(rows, use=self._view.use, now=now, clock=self._clock)
        try:
            write_whole(path, page.encode("utf-8", "replace"), PUBLIC)
        except OSError as exc:
            raise DeliverError(
                f"{path} cannot be written: {exc.strerror}.", hint="Name another place."
            ) from exc
        self._streams.note(f"Written: {path}")


def _columns(use: Use | None) -> tuple[TableColumn, ...]:
    permitted = () if use is None else (TableColumn(head=f"for {use}"),)
    return (
        TableColumn(head="address", narrowest=20),
        *(TableColumn(head=each, spare=0 if each == use else 3) for each in USES),
        *permitted,
        TableColumn(head="robots.txt", spare=1),
        TableColumn(head="as of", spare=2),
    )


def _to_csv(shown: Sequence[_KeptRow], use: Use | None) -> str:
    """A table for spreadsheets; no cell of it is computed."""
    out = StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    for kept in shown:
        cells = _csv_cells(kept.outcome, kept.row, use)
        table.writerow([safe_cell(visible_line(cell)) for cell in cells])
    return out.getvalue()


def _csv_cells(outcome: RightsOutcome, row: RightsRow, use: Use | None) -> tuple[str, ...]:
    return (
        str(outcome.line),
        redact(outcome.text),
        outcome.word,
        row.url if outcome.word == "completed" else "",
        outcome.publisher,
        *(row.words.get(each, "") for each in USES),
        row.robots or "",
        row.as_of.isoformat() if row.as_of else "",
        use or "",
        "" if row.permitted is None else str(row.permitted).lower(),
        row.note,
    )
