"""How outcomes of `add` are shown: what was chosen and why, what was left and why; a line each of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from wireroom.cli.batch import code_of_all
from wireroom.cli.exits import (
    NOTHING_FOUND,
    OK,
    REFUSED,
    USAGE,
    code_of_problem,
    reason_with_advice,
)
from wireroom.cli.feeds.naming import change_cells
from wireroom.cli.streams import Streams
from wireroom.display_text import counted
from wireroom.errors import FetchError, in_one_line, terminal_words

if TYPE_CHECKING:
    from wireroom.app.add import Added, AddResult, Pick
    from wireroom.app.listed_feeds import AddRow


Form = Literal["text", "json", "jsonl"]

WORDS = ("added", "known", "refused", "nothing", "failed", "invalid")
STYLES = {
    "added": "green",
    "known": "dim",
    "refused": "red",
    "nothing": "yellow",
    "failed": "red",
    "invalid": "bold red",
    "+": "green",
    "–": "dim",
}
FEW = (
    5  # addresses typed by hand, of which each is shown in full; of more, and of files, a line each
)
MAX_LEFT = 20  # feeds that were left out are shown; --json has all


class AddView:
    """Takes outcomes, shows them, and remembers how it all ends."""

    def __init__(self, streams: Streams, form: Form, *, many: bool, typed: bool = False) -> None:
        self._streams = streams
        self._form = form
        self._full = not many or typed
        self._many = many
        self._kept: list[Any] = []
        self._bad: list[tuple[str, str, str]] = []
        """Rows of which nothing is followed: they stand last, where they are not overlooked."""
        self._down = 0
        self._later: list[AddOutcome] = []
        self._codes: list[int] = []
        self._words: Counter[str] = Counter()

    def add(self, outcome: AddOutcome) -> None:
        """Shows what became of a row."""
        self._codes.append(outcome.code)
        self._words[outcome.word] += 1
        self._down += outcome.added is not None and bool(outcome.added.problem)
        if self._form == "jsonl":
            self._streams.jsonl([outcome.plain()])
        elif self._form == "json":
            self._kept.append(outcome.plain())
        elif self._full and self._many and self._streams.redraws:
            self._later.append(outcome)  # below the bar, once that is gone
        elif self._full:
            self._in_full(outcome)
        elif outcome.code:
            self._bad.append(_line(outcome))
        elif self._streams.is_terminal:
            self._kept.append(_line(outcome))
        else:
            self._streams.line("  ".join(_line(outcome)))
        if not self._many and self._form != "text" and outcome.code:
            self._streams.error(_describe(outcome))

    def end(self) -> None:
        """Shows what was kept until the end, also when the run was interrupted."""
        if self._form == "json" and (self._many or self._kept):
            self._streams.json(self._kept if self._many else self._kept[0])
        elif self._streams.is_terminal and (self._kept or self._bad):
            self._streams.table([*self._kept, *self._bad], styles=STYLES)
        else:
            for line in self._bad:
                self._streams.line("  ".join(line))
        self._kept, self._bad = [], []
        for outcome in self._later:
            self._in_full(outcome)
        self._later = []
        if self._many and self._words:
            counts = [f"{self._words[word]:,} {word}" for word in WORDS if self._words[word]]
            down = f" {counted(self._down, 'feed')} kept that did not answer." if self._down else ""
            self._streams.note(f"{', '.join(counts)}.{down}")
        if self._form == "text" and self._full and self._words["added"]:
            self._streams.note("They are polled by the next: wireroom run")

    @property
    def code(self) -> int:
        """0 when every row went well; what all of them had in common, else 1."""
        return code_of_all(self._codes)

    def _in_full(self, outcome: AddOutcome) -> None:
        added = outcome.added
        if added is not None and added.page_url:
            self._streams.prose(f"{_of_page(added)}:")
        if added is not None and added.moved_from:
            self._streams.prose(f"{added.moved_from} has moved to {added.publisher}.")
        if added is not None and added.taken:
            head = "Following" if outcome.word == "added" else "Followed already"
            self._streams.heading(f"{head}: {added.publisher}")
            self._picks("+", added.taken)
            for notice in added.notices:
                self._streams.prose(notice, indent=2)
        if added is not None and added.changed:
            self._streams.heading("Changed")
            rows = [
                (field_change.field, *change_cells(field_change)) for field_change in added.changed
            ]
            self._streams.table(rows, indent=2)
        if added is not None and added.left:
            self._streams.heading("Left out")
            self._picks("–", added.left[:MAX_LEFT])
            if len(added.left) > MAX_LEFT:
                self._streams.line(f"and {len(added.left) - MAX_LEFT} more", indent=2)
        if outcome.code:
            self._streams.error(_describe(outcome))
        elif outcome.word == "known" and not (added and added.taken):
            self._streams.line("  ".join(_line(outcome)))

    def _picks(self, sign: str, picks: Sequence[Pick]) -> None:
        rows = [(sign, _called(pick), pick.feed.kind, pick.why) for pick in picks]
        if not self._streams.is_terminal:
            self._streams.table(rows, styles=STYLES, indent=2)
            return
        for _, called, kind, why in rows:  # an address is there to be copied, so it is not broken
            self._streams.line(f"{sign}  {called}", style=STYLES[sign], indent=2)
            self._streams.prose(f"{why} ({kind})", indent=5)


def _called(pick: Pick) -> str:
    feed = pick.feed
    return f"{feed.name}: {feed.url}" if feed.name else feed.url


def _line(outcome: AddOutcome) -> tuple[str, str, str]:
    message = outcome.reason
    if not message and outcome.added is not None:
        message = _summary(outcome.added)
    return outcome.word, _place(outcome), message


def _place(outcome: AddOutcome) -> str:
    return outcome.row.target or outcome.row.place


def _of_page(added: Added) -> str:
    return f"{added.page_url} is a page; the feeds of {added.publisher} were looked for"


def _summary(added: Added) -> str:
    kinds = ", ".join(pick.feed.kind.replace("_", " ") for pick in added.taken)
    left = f"; {len(added.left)} left out" if added.left else ""
    page = "a page, so feeds were looked for; " if added.page_url else ""
    page += f"moved from {added.moved_from}; " if added.moved_from else ""
    changed = ", ".join(dict.fromkeys(field_change.field for field_change in added.changed))
    message = f"; changed: {changed}" if changed else ""
    down = f"; kept, though it does not answer now: {added.problem}" if added.problem else ""
    firsts = (notice.partition(". ")[0] for notice in added.notices)
    notices = "".join(f"; {first[0].lower()}{first[1:]}" for first in firsts)
    return f"{page}{added.publisher}: {kinds}{left}{message}{down}{notices}"


def _describe(outcome: AddOutcome) -> str:
    target, reason = _place(outcome), outcome.reason
    message = f"{outcome.word}: {reason}"
    if target not in reason.partition(" ")[0]:  # most errors begin with the address themselves
        message = f"{target}: {message}"
    if outcome.word != "refused" or outcome.added is None:
        return message
    return in_one_line(message, f"Who says so: wireroom rights {outcome.added.publisher} --explain")


# What became of one row, in a word, and the exit code it stands for. Pure.

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
            "moved_from": added.moved_from if added else "",
            "taken": [_pick(pick) for pick in added.taken] if added else [],
            "left": [_pick(pick) for pick in added.left] if added else [],
            "changed": [asdict(field_change) for field_change in added.changed] if added else [],
            "problem": added.problem if added else "",
            "rights": {row.use: row.value for row in added.verdicts} if added else {},
            "notices": list(added.notices) if added else [],
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
        return _unreached(row, result.error, result.outcome_for(row.target).outcome)
    return left_out(row, result.error.words().terminal if result.error is not None else "")


def _unreached(row: AddRow, error: FetchError, word: Word) -> AddOutcome:
    """A row at whose address nobody is, or where we may not ask."""
    code = NOTHING_FOUND if word == "nothing" else code_of_problem(error.kind)
    return AddOutcome(row=row, word=word, code=code, reason=reason_with_advice(error))


def _reached(row: AddRow, added: Added) -> AddOutcome:
    """A row about which something is known now."""
    codes = {"added": OK, "known": OK, "refused": REFUSED, "nothing": NOTHING_FOUND}
    code = codes[added.outcome]
    if added.outcome == "nothing" and added.kind:
        code = code_of_problem(added.kind, otherwise=NOTHING_FOUND)
    return AddOutcome(
        row=row, word=added.outcome, code=code, reason=terminal_words(added.reason), added=added
    )
