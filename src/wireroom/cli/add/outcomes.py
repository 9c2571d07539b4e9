"""What became of one row, in a word, and the exit code it stands for. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from wireroom.cli.exits import NOTHING_FOUND, OK, REFUSED, USAGE, code_of_problem
from wireroom.cli.fetch_advice import reason_with_advice
from wireroom.errors import FetchError

if TYPE_CHECKING:
    from wireroom.app.add import Added, AddResult, Pick
    from wireroom.cli.add.add_rows import AddRow

Word = Literal["added", "known", "refused", "nothing", "invalid", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOutcome:
    """One row at its end."""

    row: AddRow
    word: Word
    code: int
    """The exit code, had it been the only one."""
    reason: str = ""
    added: Added | None = None

    def plain(self) -> dict[str, Any]:
        """The row as data."""
        added = self.added
        return {
            "line": self.row.line,
            "target": self.row.target,
            "outcome": self.word,
            "reason": self.reason,
            "publisher": added.publisher if added else "",
            "page": added.page_url if added else "",
            "taken": [_pick(pick) for pick in added.taken] if added else [],
            "left": [_pick(pick) for pick in added.left] if added else [],
            "changed": [asdict(field_change) for field_change in added.changed] if added else [],
        }


def _pick(pick: Pick) -> dict[str, str]:
    feed = pick.feed
    return {"url": feed.url, "kind": feed.kind, "name": feed.name, "why": pick.why}


def left_out(row: AddRow, reason: str = "") -> AddOutcome:
    """A row that nobody is asked about: it makes no sense, or stood there before."""
    if row.same:
        return AddOutcome(row=row, word="known", code=OK, reason=row.reason)
    return AddOutcome(row=row, word="invalid", code=USAGE, reason=reason or row.reason)


def outcome_of(row: AddRow, result: AddResult) -> AddOutcome:
    """A row that was tried."""
    if result.added is not None:
        return _reached(row, result.added)
    if isinstance(result.error, FetchError):
        return _unreached(row, result.error)
    return left_out(row, str(result.error))


def _unreached(row: AddRow, error: FetchError) -> AddOutcome:
    """A row at whose address nobody is, or where we may not ask."""
    reason = reason_with_advice(error)
    if error.kind == "gone":
        return AddOutcome(row=row, word="nothing", code=NOTHING_FOUND, reason=reason)
    code = code_of_problem(error.kind)
    word: Word = "refused" if code == REFUSED else "failed"
    return AddOutcome(row=row, word=word, code=code, reason=reason)


def _reached(row: AddRow, added: Added) -> AddOutcome:
    """A row about which something is known now."""
    codes = {"added": OK, "known": OK, "refused": REFUSED, "nothing": NOTHING_FOUND}
    code = codes[added.outcome]
    if added.outcome == "nothing" and added.kind:
        code = code_of_problem(added.kind, otherwise=NOTHING_FOUND)
    return AddOutcome(row=row, word=added.outcome, code=code, reason=added.reason, added=added)
