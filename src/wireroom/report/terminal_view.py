"""A card on a terminal or in a plain text file. Reads the card alone, decides nothing.

Everything passes through the `Terminal` it is given, which takes control characters and markup out of strangers' words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from wireroom.report import signs
from wireroom.report.matrix import cells_of, label_of, notes_of, silence_notes, split_families
from wireroom.report.signs import to_blocks

if TYPE_CHECKING:
    from wireroom.model import Evidence
    from wireroom.report import Card
    from wireroom.report.types import Line, Section


class Terminal(Protocol):
    """Where a card is shown."""

    def line(self, text: object = "", *, style: str = "", indent: int = 0) -> None:
        """Writes one line."""
        ...

    def prose(self, text: str, *, indent: int = 0) -> None:
        """Writes sentences, wrapped."""
        ...

    def heading(self, text: str) -> None:
        """Writes a heading."""
        ...

    def table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[str] = (),
        styles: Mapping[str, str] | None = None,
        indent: int = 0,
    ) -> None:
        """Writes aligned columns."""
        ...


BAR = 10  # cells of a part's bar
MAX_SHOWN = 12  # names of bots, or changes, in a card; --explain shows all
_COLOURS = {
    "allow": "green",
    "deny": "red",
    "paid": "yellow",
    "unknown": "dim",
    "silent": "dim",
    "unseen": "dim",
    "permitted": "green",
    "prohibited": "red",
    "conditional": "yellow",
    "barred": "red",
    "some": "yellow",
    "free": "green",
}
_LINES = {"yes": "cyan", "no": "", "unknown": "yellow", "failed": "red", "skipped": "dim"}
STYLES = {f"{signs.sign(word)} {word}": style for word, style in _COLOURS.items()}
STYLES |= {signs.LINES[word]: style for word, style in _LINES.items()}
STYLES |= {"·": "dim"}
_LETTERS = {"A": "green", "B": "green", "C": "yellow", "D": "yellow", "E": "red", "F": "red"}


def show_card(card: Card, terminal: Terminal, *, explain: bool = False) -> None:
    """The whole card; with `explain` every line is followed by its evidence."""
    _head(card, terminal)
    show_rights(card, terminal, explain=explain)
    for section in card.sections:
        _section(section, terminal, explain=explain, now=card.shown_at)
        if section.key == "supply":
            _rhythm(card, terminal)
    _bots(card, terminal, explain=explain)
    _terms(card, terminal)
    _fields(card, terminal)
    _changes(card, terminal, explain=explain)


def _head(card: Card, terminal: Terminal) -> None:
    grade = card.grade
    message = f"{grade.letter}  {card.name}  ({grade.points} of 100)"
    terminal.line(message, style=f"bold {_LETTERS[grade.letter]}")
    terminal.prose(card.sentence)
    for note in card.notes:
        terminal.prose(note)
    since = signs.age(card.scouted_at, card.shown_at)
    when = f"{card.scouted_at:%d %B %Y, %H:%M} UTC{f', {since}' if since else ''}"
    terminal.line(f"{card.url}  scouted {when}", style="dim")
    terminal.line()
    rows = [
        (part.name, _bar(part.points, part.of), f"{part.points:>2} of {part.of}", part.why)
        for part in grade.parts
    ]
    terminal.table(rows, indent=2)


def _bar(points: int, of: int) -> str:
    full = round(BAR * points / of)
    return "█" * full + "░" * (BAR - full)


# --- rights ---


def show_rights(card: Card, terminal: Terminal, *, explain: bool = False) -> None:
    """The matrix: a row for every family that speaks, a column for every use."""
    _title("Rights", terminal)
    speaking, _, _ = split_families(card)
    heads = [row.use for row in card.rights]
    rows = [("all together", *(signs.signed(row.word) for row in card.rights))]
    rows += [
        (label_of(name), *(signs.signed(cell.word) for cell in cells_of(name, card)))
        for name in speaking
    ]
    terminal.table(rows, columns=("", *heads), styles=STYLES, indent=2)
    for message in silence_notes(card):
        terminal.prose(message, indent=2)
    for about, note in notes_of(card.rights):
        terminal.prose(f"{about}: {note}", indent=2)
    if explain:
        _explain_rights(card, terminal)


def _explain_rights(card: Card, terminal: Terminal) -> None:
    for row in card.rights:
        for cell in row.cells:
            for evidence in cell.evidence:
                family = label_of(cell.family)
                terminal.prose(f"{row.use}, {family}: {signs.signed(cell.word)}", indent=4)
                _evidence([evidence], terminal, indent=6)


# --- what was found ---


def _section(section: Section, terminal: Terminal, *, explain: bool, now: datetime | None) -> None:
    _title(section.title, terminal)
    if not explain:
        rows = [(signs.sign(line.word), line.label, _aged(line, now)) for line in section.lines]
        terminal.table(rows, styles=STYLES, indent=2)
        return
    for line in section.lines:
        _explained(line, terminal, now)


def _aged(line: Line, now: datetime | None) -> str:
    """What was found, and how long ago."""
    since = signs.age(line.found_at, now)
    return f"{line.value} ({since})" if since else line.value


def _explained(line: Line, terminal: Terminal, now: datetime | None) -> None:
    message = f"{signs.sign(line.word)} {line.label}: {_aged(line, now)}"
    terminal.line(message, style=_LINES.get(line.word, "dim"), indent=2)
    _evidence(line.evidence, terminal, indent=6)


def _evidence(evidence: Sequence[Evidence], terminal: Terminal, *, indent: int) -> None:
    for place in evidence:
        line = f", line {place.line}" if place.line else ""
        status = f" ({place.status})" if place.status else ""
        excerpt = f": {place.excerpt}" if place.excerpt else ""
        terminal.prose(f"{place.url}{line}{status}{excerpt}", indent=indent)


def _rhythm(card: Card, terminal: Terminal) -> None:
    picture = card.picture
    if picture is None:
        return
    terminal.line()
    for line in to_blocks(picture):
        terminal.line(line, indent=4)
    terminal.prose(
        f"{signs.until(picture)}{picture.per_day:.1f} a day, between {picture.low:.1f} and {picture.high:.1f}, "
        f"{picture.confidence} confidence; clock: {picture.zone}",
        indent=4,
    )


def _bots(card: Card, terminal: Terminal, *, explain: bool) -> None:
    if not card.bots:
        return
    _title("AI bots by purpose", terminal)
    rows = [
        (
            signs.PURPOSES.get(bot.purpose, bot.purpose),
            signs.signed(bot.word),
            f"{len(bot.barred):>3} of {bot.total}",
            _few(bot.barred, explain=explain),
        )
        for bot in card.bots
    ]
    terminal.table(rows, styles=STYLES, indent=2)


def _few(names: Sequence[str], *, explain: bool) -> str:
    if explain or len(names) <= MAX_SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_SHOWN])} and {len(names) - MAX_SHOWN} more"


def _terms(card: Card, terminal: Terminal) -> None:
    if not card.terms:
        return
    _title("Terms of service", terminal)
    rows = [
        (signs.ACTIVITIES.get(term.activity, term.activity), signs.signed(term.word), term.quote)
        for term in card.terms
    ]
    terminal.table(rows, styles=STYLES, indent=2)


def _fields(card: Card, terminal: Terminal) -> None:
    if not card.fields:
        return
    _title("Fields of an article", terminal)
    rows = [(name, ", ".join(found) or "–") for name, found in card.fields]
    terminal.table(rows, indent=2)


def _changes(card: Card, terminal: Terminal, *, explain: bool) -> None:
    _title("Changes", terminal)
    if not card.changes:
        terminal.line("none known", indent=2)
    shown = card.changes if explain else card.changes[:MAX_SHOWN]
    for change in shown:
        terminal.prose(f"since {change.at:%d %B %Y}: {change.text}", indent=2)
    if len(shown) < len(card.changes):
        terminal.line(f"and {len(card.changes) - len(shown)} more: --explain", indent=2)


def _title(text: str, terminal: Terminal) -> None:
    terminal.line()
    terminal.heading(text)
