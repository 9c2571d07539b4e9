"""What became of one row, and the exit code it stands for. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK, REFUSED, USAGE, code_of_problem
from wireroom.cli.fetch_advice import advised, reason_with_advice
from wireroom.errors import FetchError

if TYPE_CHECKING:
    from wireroom.app.scout import ScoutResult
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.report import Card

_DOORS = frozenset({"homepage", "robots", "access", "waf"})
"""Steps about how one gets in; the others are about what there is."""


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
    """A row that nobody is visited for."""
    if row.outcome == "duplicate":
        return ScoutOutcome(row=row, word="duplicate", code=OK, reason=row.reason)
    return ScoutOutcome(row=row, word="invalid", code=USAGE, reason=row.reason)


def outcome_of(row: ScoutRow, result: ScoutResult) -> ScoutOutcome:
    """A row that was visited: with its card, however little stands on it, or with the reason for none."""
    if result.card is not None:
        return _completed(row, result.card)
    if result.error is None:
        raise AssertionError("a visit ends in a card or in an error")
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
    door = steps.get("homepage")
    if door is None or door.word not in {"failed", "skipped"}:
        return OK
    code = code_of_problem(door.kind)
    access = steps.get("access")
    if code == REFUSED and access is not None and access.word == "unknown":
        code = ERROR  # nobody refused: robots.txt could not be had, and we wait until it can
    if code != ERROR:
        return code
    offers = [step for name, step in steps.items() if name not in _DOORS and step.word == "yes"]
    return OK if offers else NOTHING_FOUND


def what_is_missing(card: Card) -> str:
    """Why a card is as good as empty, in one line; nothing for any other."""
    code = card_code(card)
    if code == OK:
        return ""
    door = next(step for step in card.steps if step.name == "homepage")
    message = f"{card.url}: the homepage could not be looked at: {door.reason}"
    return advised(message, door.kind, permanent=code == REFUSED)
