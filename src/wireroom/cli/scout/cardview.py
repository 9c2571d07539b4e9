"""A card for the eyes, on a terminal or in a plain text file. Reads the card alone, decides nothing.

Everything passes through `Streams`, which takes control characters and markup out of strangers' words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wireroom.cli.streams import Streams
from wireroom.report import signs
from wireroom.report.matrix import not_heard, notes_of, said_by, speakers
from wireroom.report.picture import to_blocks

if TYPE_CHECKING:
    from wireroom.model import Evidence
    from wireroom.report import Card
    from wireroom.report.types import Line, Section

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


def show_card(card: Card, streams: Streams, *, explain: bool = False) -> None:
    """The whole card; with `explain` every line is followed by its evidence."""
    _head(card, streams)
    show_rights(card, streams, explain=explain)
    for section in card.sections:
        _section(section, streams, explain=explain)
        if section.key == "supply":
            _rhythm(card, streams)
    _bots(card, streams, explain=explain)
    _terms(card, streams)
    _fields(card, streams)
    _changes(card, streams, explain=explain)


def _head(card: Card, streams: Streams) -> None:
    grade = card.grade
    message = f"{grade.letter}  {card.name}  ({grade.points} of 100)"
    streams.line(message, style=f"bold {_LETTERS[grade.letter]}")
    streams.prose(card.sentence)
    streams.line(f"{card.url}  scouted {card.scouted_at:%d %B %Y, %H:%M} UTC", style="dim")
    streams.line()
    rows = [
        (part.name, _bar(part.points, part.of), f"{part.points:>2} of {part.of}", part.why)
        for part in grade.parts
    ]
    streams.table(rows, indent=2)


def _bar(points: int, of: int) -> str:
    full = round(BAR * points / of)
    return "█" * full + "░" * (BAR - full)


# --- rights ---


def show_rights(card: Card, streams: Streams, *, explain: bool = False) -> None:
    """The matrix: a row for every family that speaks, a column for every use."""
    _title("Rights", streams)
    spoken, _, _ = speakers(card)
    heads = [signs.USES[row.use] for row in card.rights]
    rows = [("all together", *(signs.signed(row.word) for row in card.rights))]
    rows += [
        (signs.FAMILIES.get(name, name), *(signs.signed(cell.word) for cell in said_by(name, card)))
        for name in spoken
    ]
    streams.table(rows, columns=("", *heads), styles=STYLES, indent=2)
    for message in not_heard(card):
        streams.prose(message, indent=2)
    for about, note in notes_of(card.rights):
        streams.prose(f"{about}: {note}", indent=2)
    if explain:
        _explain_rights(card, streams)


def _explain_rights(card: Card, streams: Streams) -> None:
    for row in card.rights:
        for cell in row.cells:
            for one in cell.evidence:
                family = signs.FAMILIES.get(cell.family, cell.family)
                streams.prose(
                    f"{signs.USES[row.use]}, {family}: {signs.signed(cell.word)}", indent=4
                )
                _evidence([one], streams, indent=6)


# --- what was found ---


def _section(section: Section, streams: Streams, *, explain: bool) -> None:
    _title(section.title, streams)
    if not explain:
        rows = [(signs.sign(line.word), line.label, line.value) for line in section.lines]
        streams.table(rows, styles=STYLES, indent=2)
        return
    for line in section.lines:
        _explained(line, streams)


def _explained(line: Line, streams: Streams) -> None:
    message = f"{signs.sign(line.word)} {line.label}: {line.value}"
    streams.line(message, style=_LINES.get(line.word, "dim"), indent=2)
    _evidence(line.evidence, streams, indent=6)


def _evidence(evidence: Sequence[Evidence], streams: Streams, *, indent: int) -> None:
    for one in evidence:
        line = f", line {one.line}" if one.line else ""
        status = f" ({one.status})" if one.status else ""
        excerpt = f": {one.excerpt}" if one.excerpt else ""
        streams.prose(f"{one.url}{line}{status}{excerpt}", indent=indent)


def _rhythm(card: Card, streams: Streams) -> None:
    picture = card.picture
    if picture is None:
        return
    streams.line()
    for line in to_blocks(picture):
        streams.line(line, indent=4)
    streams.prose(
        f"{picture.per_day:.1f} a day, between {picture.low:.1f} and {picture.high:.1f}, "
        f"{picture.confidence} confidence; clock: {picture.zone}",
        indent=4,
    )


def _bots(card: Card, streams: Streams, *, explain: bool) -> None:
    if not card.bots:
        return
    _title("AI bots by purpose", streams)
    rows = [
        (
            signs.PURPOSES.get(bot.purpose, bot.purpose),
            signs.signed(bot.word),
            f"{len(bot.barred):>3} of {bot.total}",
            _few(bot.barred, explain=explain),
        )
        for bot in card.bots
    ]
    streams.table(rows, styles=STYLES, indent=2)


def _few(names: Sequence[str], *, explain: bool) -> str:
    if explain or len(names) <= MAX_SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_SHOWN])} and {len(names) - MAX_SHOWN} more"


def _terms(card: Card, streams: Streams) -> None:
    if not card.terms:
        return
    _title("Terms of service", streams)
    rows = [
        (signs.ACTIVITIES[term.activity], signs.signed(term.word), term.quote)
        for term in card.terms
    ]
    streams.table(rows, styles=STYLES, indent=2)


def _fields(card: Card, streams: Streams) -> None:
    if not card.fields:
        return
    _title("Fields of an article", streams)
    rows = [(name, ", ".join(found) or "–") for name, found in card.fields]
    streams.table(rows, indent=2)


def _changes(card: Card, streams: Streams, *, explain: bool) -> None:
    _title("Changes", streams)
    if not card.changes:
        streams.line("none known", indent=2)
    shown = card.changes if explain else card.changes[:MAX_SHOWN]
    for change in shown:
        streams.prose(f"since {change.at:%d %B %Y}: {change.text}", indent=2)
    if len(shown) < len(card.changes):
        streams.line(f"and {len(card.changes) - len(shown)} more: --explain", indent=2)


def _title(text: str, streams: Streams) -> None:
    streams.line()
    streams.heading(text)
