"""A card on a terminal or in a plain text file. Reads the card alone, decides nothing.

Everything passes through the `Terminal` it is given, which takes control characters and markup out of strangers' words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from wireroom.dates.reader_clock import UTC_CLOCK, ReaderClock
from wireroom.model import USE_MEANINGS
from wireroom.report import signs
from wireroom.report.matrix import cells_of, notes_of, silence_notes, split_families
from wireroom.report.signs import to_blocks
from wireroom.signals import label_of

if TYPE_CHECKING:
    from wireroom.model import Evidence
    from wireroom.ports import Tone
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
MAX_UNKNOWN = 6  # lines that are named as not known
MAX_ROWS = 6  # beneath a line; --explain shows all
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
_LINES = {"yes": "cyan", "no": "dim", "unknown": "yellow", "failed": "red", "skipped": "dim"}
_TONES = {"good": "green", "bad": "red", "mixed": "yellow"}
STYLES = {f"{signs.sign(word)} {word}": style for word, style in _COLOURS.items()}
STYLES |= {signs.LINES[word]: style for word, style in _LINES.items()}
STYLES |= {signs.TONES[tone]: _TONES[tone] for tone in signs.TONES}
STYLES |= {"·": "dim"}
_LETTERS = {"A": "green", "B": "green", "C": "yellow", "D": "yellow", "E": "red", "F": "red"}


def line_style(word: str, tone: Tone = "plain") -> str:
    """The colour of a line; its sign says the same."""
    return STYLES.get(signs.line_sign(word, tone), "dim")


def show_card(
    card: Card,
    terminal: Terminal,
    *,
    explain: bool = False,
    verdict_last: bool = False,
    clock: ReaderClock = UTC_CLOCK,
) -> None:
    """The whole card; with `explain` every line is followed by its evidence.

    In a file what matters stands first. On a screen, with `verdict_last`, it stands last, where nobody has to scroll.
    The zone of its times is named once, where it says when the publisher was scouted.
    """
    if not verdict_last:
        _conclusion(card, terminal, clock)
        _grade(card, terminal)
        show_rights(card, terminal, explain=explain)
    else:
        terminal.heading(f"{card.name}: report card")
    for section in card.sections:
        _section(section, terminal, _TimeView(card.shown_at, clock), explain=explain)
        if section.key == "supply":
            _rhythm(card, terminal)
    terminal.line()
    terminal.prose("  ".join(f"{sign} {meaning}" for sign, meaning in signs.LEGEND), indent=2)
    _bots(card, terminal, explain=explain)
    _terms(card, terminal)
    _fields(card, terminal)
    _changes(card, terminal, clock, explain=explain)
    if verdict_last:
        show_rights(card, terminal, explain=explain)
        _grade(card, terminal)
        terminal.line()
        _conclusion(card, terminal, clock)


def show_brief(card: Card, terminal: Terminal) -> None:
    """The card in a few lines: grade, what it comes to, the uses by their words, its best feed, what to do."""
    _headline(card, terminal)
    terminal.prose(card.sentence)
    for note in card.notes:
        terminal.prose(note)
    by_word: dict[str, list[str]] = {}
    for row in card.rights:
        by_word.setdefault(row.word, []).append(row.use)
    terminal.prose(
        "; ".join(f"{signs.signed(word)} {', '.join(uses)}" for word, uses in by_word.items())
    )
    if card.facts.feeds:
        terminal.prose(f"feed: {card.facts.feeds[0].url}")
    _unknowns(card, terminal)
    for step in card.next_steps[:1]:
        terminal.prose(f"next: {step.text}: {step.command}")


# --- what it comes to ---


def _conclusion(card: Card, terminal: Terminal, clock: ReaderClock) -> None:
    """Who, what there is, each use with its word, what is not known, what to do."""
    _headline(card, terminal)
    terminal.prose(card.sentence)
    for note in card.notes:
        terminal.prose(note)
    since = signs.age(card.scouted_at, card.shown_at)
    when = f"{clock.long(card.scouted_at)}{f', {since}' if since else ''}"
    terminal.line(f"{card.url}  scouted {when}", style="dim")
    terminal.line()
    rows = [
        (
            signs.signed(row.word),
            row.use,
            f"{USE_MEANINGS[row.use]}{', on conditions' if row.conditions else ''}",
        )
        for row in card.rights
    ]
    terminal.table(rows, styles=STYLES, indent=2)
    _unknowns(card, terminal, indent=2)
    terminal.line()
    terminal.table([(step.text, step.command) for step in card.next_steps], indent=2)


def _headline(card: Card, terminal: Terminal) -> None:
    grade = card.grade
    style = f"bold {_LETTERS[grade.letter]}"
    terminal.line(f"{grade.letter}  {card.name}  ({grade.points} of 100)", style=style)
    terminal.line(f"The grade says {grade.about}.", style="dim")


def _unknowns(card: Card, terminal: Terminal, indent: int = 0) -> None:
    """Which lines say that nobody knows: they may hide what matters."""
    lines = [line for section in card.sections for line in section.lines]
    labels = [line.label for line in lines if line.word in {"failed", "unknown"}]
    if labels:
        more = f"; and {len(labels) - MAX_UNKNOWN} more" if len(labels) > MAX_UNKNOWN else ""
        terminal.prose(f"Not known: {'; '.join(labels[:MAX_UNKNOWN])}{more}", indent=indent)


def _grade(card: Card, terminal: Terminal) -> None:
    _title("Grade", terminal)
    rows = [
        (part.name, _bar(part.points, part.of), f"{part.points:>2} of {part.of}", part.why)
        for part in card.grade.parts
    ]
    terminal.table(rows, indent=2)


def _bar(points: int, of: int) -> str:
    full = round(BAR * points / of)
    return "█" * full + "░" * (BAR - full)


# --- rights ---


def show_rights(
    card: Card, terminal: Terminal, *, explain: bool = False, meanings: bool = False
) -> None:
    """The matrix: a row for every family that speaks, a column for every use; with `meanings` what each use is."""
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
    if meanings:
        terminal.line()
        terminal.table([(row.use, USE_MEANINGS[row.use]) for row in card.rights], indent=2)
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


@dataclass(frozen=True, slots=True)
class _TimeView:
    """When the card is shown, and by which clock."""

    now: datetime | None
    clock: ReaderClock


def _section(section: Section, terminal: Terminal, times: _TimeView, *, explain: bool) -> None:
    _title(section.title, terminal)
    if not explain:
        rows = [row for line in section.lines for row in _rows(line, times)]
        terminal.table(rows, styles=STYLES, indent=2)
        return
    for line in section.lines:
        _explained(line, terminal, times)


def _rows(line: Line, times: _TimeView) -> Iterator[tuple[str, str, str]]:
    """A line with its sign, and the first of what stands beneath it."""
    yield signs.line_sign(line.word, line.tone), line.label, _aged(line, times)
    for row in line.rows[:MAX_ROWS]:
        yield "", "", signs.row_words(row, times.clock.minute)
    if len(line.rows) > MAX_ROWS:
        yield "", "", f"and {len(line.rows) - MAX_ROWS} more: --explain"


def _aged(line: Line, times: _TimeView) -> str:
    """What was found, and how long ago."""
    since = signs.age(line.found_at, times.now)
    value = signs.line_words(line, times.clock.minute)
    return f"{value} ({since})" if since else value


def _explained(line: Line, terminal: Terminal, times: _TimeView) -> None:
    message = f"{signs.line_sign(line.word, line.tone)} {line.label}: {_aged(line, times)}"
    terminal.line(message, style=line_style(line.word, line.tone), indent=2)
    for row in line.rows:
        terminal.prose(signs.row_words(row, times.clock.minute), indent=4)
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
    terminal.prose(signs.picture_words(picture), indent=4)


def _bots(card: Card, terminal: Terminal, *, explain: bool) -> None:
    if not card.bots:
        return
    _title("AI bots by purpose", terminal)
    if not any(bot.barred for bot in card.bots):
        total = sum(bot.total for bot in card.bots)
        terminal.prose(f"none of {total} is barred from this page", indent=2)
        return
    rows = [
        (
            signs.PURPOSES.get(bot.purpose, bot.purpose),
            signs.signed(bot.word),
            signs.barred_words(bot),
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
        if term.word != "silent"
    ]
    terminal.table(rows, styles=STYLES, indent=2)
    silent = [term.activity for term in card.terms if term.word == "silent"]
    if silent:
        names = ", ".join(signs.ACTIVITIES.get(name, name) for name in silent)
        terminal.prose(f"{signs.signed('silent')} on: {names}", indent=2)


def _fields(card: Card, terminal: Terminal) -> None:
    if not card.fields:
        return
    _title("Fields of an article", terminal)
    rows = [(name, ", ".join(found) or "–") for name, found in card.fields]
    terminal.table(rows, indent=2)


def _changes(card: Card, terminal: Terminal, clock: ReaderClock, *, explain: bool) -> None:
    _title("Changes", terminal)
    if not card.changes:
        terminal.line("none known", indent=2)
    shown = card.changes if explain else card.changes[:MAX_SHOWN]
    for change in shown:
        terminal.prose(f"since {clock.long_day(change.at)}: {change.text}", indent=2)
    if len(shown) < len(card.changes):
        terminal.line(f"and {len(card.changes) - len(shown)} more: --explain", indent=2)


def _title(text: str, terminal: Terminal) -> None:
    terminal.line()
    terminal.heading(text)
