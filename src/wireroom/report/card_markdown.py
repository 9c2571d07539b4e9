"""A card as Markdown, for issues, wikis and mails. What strangers wrote cannot become markup here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wireroom.dates.reader_clock import UTC_CLOCK, ReaderClock
from wireroom.display_text import visible
from wireroom.model import USE_MEANINGS, Evidence
from wireroom.report import signs
from wireroom.report.matrix import cells_of, notes_of, silence_notes, split_families
from wireroom.report.types import Card, Section
from wireroom.signals import label_of

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~!]|&(?=#?\w+;))")
_BREAKS: Final = re.compile(r"\s+")


def to_markdown(card: Card, clock: ReaderClock = UTC_CLOCK, *, explain: bool = False) -> str:
    """The card, its times by this clock with the zone beside each; with `explain` every line brings its evidence."""
    parts = [
        *_head(card, clock),
        *_rights(card),
        *(text for section in card.sections for text in _lines(card, section, clock, explain)),
        "",
        ", ".join(f"{sign} {meaning}" for sign, meaning in signs.LEGEND),
        *_bots(card),
        *_terms(card),
        *_fields(card),
        *_rhythm(card),
        *_changes(card, clock),
    ]
    return visible("\n".join(parts)).rstrip() + "\n"


def _head(card: Card, clock: ReaderClock) -> Iterator[str]:
    yield f"# {_text(card.name)}: report card"
    yield ""
    grade = card.grade
    yield f"**{grade.letter}** ({grade.points} of 100: {grade.about}). {_text(card.sentence)}"
    yield ""
    for note in card.notes:
        yield _text(note)
        yield ""
    yield f"{_text(card.url)}, scouted {clock.long(card.scouted_at)}"
    yield ""
    if card.next_steps:
        yield from (f"- {_text(step.text)}: {_text(step.command)}" for step in card.next_steps)
        yield ""
    yield from _table(
        ("Part", "Points", "Why"),
        ((part.name, f"{part.points} of {part.of}", part.why) for part in card.grade.parts),
    )


def _rights(card: Card) -> Iterator[str]:
    """Families by uses, as the uses are few and the families many."""
    speaking, _, _ = split_families(card)
    yield from ("", "## Rights", "")
    heads = ("", *(row.use for row in card.rights))
    rows = [("all together", *(signs.signed(row.word) for row in card.rights))]
    rows += [
        (label_of(name), *(signs.signed(cell.word) for cell in cells_of(name, card)))
        for name in speaking
    ]
    yield from _table(heads, rows)
    yield ""
    yield from (f"- {row.use}: {USE_MEANINGS[row.use]}" for row in card.rights)
    for message in silence_notes(card):
        yield from ("", f"{message[:1].upper()}{message[1:]}.")
    notes = notes_of(card.rights)
    if notes:
        yield ""
    yield from (f"- {_text(about)}: {_text(note)}" for about, note in notes)


def _lines(card: Card, section: Section, clock: ReaderClock, explain: bool) -> Iterator[str]:
    yield from ("", f"## {section.title}", "")
    for line in section.lines:
        when = signs.dated(line.found_at, card.scouted_at, clock)
        sign = signs.line_sign(line.word, line.tone)
        yield f"- {sign} **{_text(line.label)}**: {_text(signs.line_words(line, clock.named))}{when}"
        yield from (f"  - {_text(signs.row_words(row, clock.named))}" for row in line.rows)
        if explain:
            yield from (f"  - {_evidence(evidence)}" for evidence in line.evidence)


def _evidence(evidence: Evidence) -> str:
    where = evidence.url + (f", line {evidence.line}" if evidence.line else "")
    status = f" ({evidence.status})" if evidence.status else ""
    excerpt = f": {_text(evidence.excerpt)}" if evidence.excerpt else ""
    return f"{_text(where)}{status}{excerpt}"


def _bots(card: Card) -> Iterator[str]:
    if not card.bots:
        return
    yield from ("", "## AI bots by purpose", "")
    rows = (
        (
            signs.PURPOSES.get(bot.purpose, bot.purpose),
            signs.signed(bot.word),
            signs.barred_words(bot),
            ", ".join(bot.barred) or "none",
        )
        for bot in card.bots
    )
    yield from _table(("Purpose", "Word", "Barred", "Names"), rows)


def _terms(card: Card) -> Iterator[str]:
    if not card.terms:
        return
    yield from ("", "## Terms of service", "")
    rows = (
        (signs.ACTIVITIES.get(term.activity, term.activity), signs.signed(term.word), term.quote)
        for term in card.terms
    )
    yield from _table(("Activity", "Word", "Sentence"), rows)


def _fields(card: Card) -> Iterator[str]:
    if not card.fields:
        return
    yield from ("", "## Fields of an article", "")
    yield from _table(
        ("Field", "Stands in"), ((name, ", ".join(found) or "–") for name, found in card.fields)
    )


def _rhythm(card: Card) -> Iterator[str]:
    picture = card.picture
    if picture is None:
        return
    yield from ("", "## Rhythm", "")
    yield _text(f"{signs.picture_words(picture)}.")


def _changes(card: Card, clock: ReaderClock) -> Iterator[str]:
    yield from ("", "## Changes", "")
    if not card.changes:
        yield "None known."
    for change in card.changes:
        yield f"- since {clock.long_day(change.at)}: {_text(change.text)}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(_text(cell) for cell in row)} |"


def _text(value: str) -> str:
    """A stranger's words on one line, with nothing in them that Markdown reads."""
    return _MARKUP.sub(r"\\\1", _BREAKS.sub(" ", value).strip())
