"""A card as one HTML file that needs nothing else: no script, no address that is loaded.

Whatever strangers wrote is escaped here; links lead to http and https addresses only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from html import escape
from importlib.resources import files

from wireroom.dates.reader_clock import UTC_CLOCK, ReaderClock
from wireroom.display_text import visible
from wireroom.model import USE_MEANINGS, Evidence
from wireroom.report import signs
from wireroom.report.matrix import cells_of, notes_of, silence_notes, split_families
from wireroom.report.signs import to_svg
from wireroom.report.types import Card, Cell, Line, Section
from wireroom.signals import label_of
from wireroom.urls import is_web_url

FORMATS = {
    "json-ld": "JSON-LD",
    "opengraph": "OpenGraph",
    "microdata": "Microdata",
    "twitter": "Twitter",
}
_LEFT = frozenset({"access", "rights"})
"""The sections of the left column on a wide screen; all others stand on the right."""


def to_html(card: Card, clock: ReaderClock = UTC_CLOCK) -> str:
    """The whole page, its times by this clock with the zone beside each; every line can be opened to see its evidence."""
    return whole_page(f"{card.name}: report card", card_body(card, clock))


def card_body(card: Card, clock: ReaderClock = UTC_CLOCK) -> str:
    """The card itself, to be put into a page; its style is `page.css`."""
    return visible(
        "".join(
            (
                *_head(card, clock),
                *_rights(card),
                *_panels(card, clock),
                *_bots(card),
                *_terms(card),
                *_changes(card, clock),
            )
        )
    )


def whole_page(title: str, body: str) -> str:
    """A page of this HTML that loads nothing; the title is text."""
    return visible(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body>{body}</body></html>\n"
    )


@cache
def _style() -> str:
    return files("wireroom.report").joinpath("page.css").read_text(encoding="utf-8")


def _head(card: Card, clock: ReaderClock) -> Iterator[str]:
    grade = card.grade
    yield (
        f'<header><div class="letter {grade.letter}" role="img" aria-label="Grade {grade.letter}, '
        f'{grade.points} of 100: {escape(grade.about)}">{grade.letter}<small>{grade.points} of 100</small></div>'
        f'<div><h1>{escape(card.name)}</h1><p class="sentence">{escape(card.sentence)}</p>'
        + "".join(f'<p class="sentence">{escape(note)}</p>' for note in card.notes)
        + f'<p class="meta">{html_link(card.url)} · scouted {clock.long(card.scouted_at)}</p>'
        "</div></header>"
    )
    yield from _next_steps(card)
    yield f'<p class="meta graded">Grade {grade.letter}: {escape(grade.about)}.</p><div class="parts">'
    for part in grade.parts:
        yield (
            f'<div class="part"><b><span>{escape(part.name.capitalize())}</span>'
            f"<span>{part.points}/{part.of}</span></b>"
            f'<meter min="0" max="{part.of}" value="{part.points}">{part.points} of {part.of}</meter>'
            f'<p class="why">{escape(part.why)}</p></div>'
        )
    yield "</div>"


def _next_steps(card: Card) -> Iterator[str]:
    if card.next_steps:
        yield '<ul class="next">'
        yield from (
            f"<li>{escape(step.text[:1].upper() + step.text[1:])}: <code>{escape(step.command)}</code></li>"
            for step in card.next_steps
        )
        yield "</ul>"


# --- rights ---


def _rights(card: Card) -> Iterator[str]:
    speaking, _, _ = split_families(card)
    together = (f"<td><b>{html_word(row.word)}</b></td>" for row in card.rights)
    rows = [['<th scope="row">All together</th>', *together]]
    rows += [_family(name, card) for name in speaking]
    yield "<h2>Rights</h2>"
    yield from html_table(("", *(row.use for row in card.rights)), rows, kind="matrix")
    yield '<dl class="uses">'
    yield from (f"<dt>{row.use}</dt><dd>{USE_MEANINGS[row.use]}</dd>" for row in card.rights)
    yield "</dl>"
    yield from (
        f'<p class="note"><b>{escape(about)}</b>: {escape(note)}.</p>'
        for about, note in notes_of(card.rights)
    )
    for message in silence_notes(card):
        yield f'<p class="meta">{escape(message[:1].upper() + message[1:])}.</p>'


def _family(name: str, card: Card) -> list[str]:
    """What a family says, use by use; its evidence stands under its name."""
    cells = cells_of(name, card)
    label = escape(label_of(name))
    return [
        f'<th scope="row">{_opened(label, _everything(cells))}</th>',
        *(f"<td>{html_word(cell.word)}</td>" for cell in cells),
    ]


def _everything(cells: Iterable[Cell]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence for cell in cells for evidence in cell.evidence))


# --- what was found ---


def _panels(card: Card, clock: ReaderClock) -> Iterator[str]:
    beneath = {"supply": _rhythm(card), "metadata": _fields(card)}
    yield '<div class="panels">'
    for is_left in (True, False):
        yield '<div class="column">'
        for section in card.sections:
            if (section.key in _LEFT) is is_left:
                yield "<section>"
                yield from _section(section, card.scouted_at, clock)
                yield from beneath.get(section.key, ())
                yield "</section>"
        yield "</div>"
    yield "</div>"
    legend = " ".join(f"<span>{sign} {escape(meaning)}</span>" for sign, meaning in signs.LEGEND)
    yield f'<p class="meta legend">{legend}</p>'


def _section(section: Section, card_at: datetime, clock: ReaderClock) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2><dl>"
    for line in section.lines:
        yield f"<dt>{escape(line.label)}</dt><dd>{_value(line, card_at, clock)}</dd>"
    yield "</dl>"


def _value(line: Line, card_at: datetime, clock: ReaderClock) -> str:
    sign = signs.line_sign(line.word, line.tone)
    kind = line.word.replace(" ", "-") if line.tone == "plain" else line.tone
    meaning = signs.MEANINGS.get(sign, line.word)
    mark = f'<span class="sign {kind}" role="img" aria-label="{meaning}" title="{meaning}">{sign}</span>'
    when = escape(signs.dated(line.found_at, card_at, clock))
    value = escape(signs.line_words(line, clock.named))
    return _opened(f"{mark} {value}{when}", line.evidence) + _rows(line, clock)


def _rows(line: Line, clock: ReaderClock) -> str:
    if not line.rows:
        return ""
    shown = (
        f"{html_link(row.url)} {escape(signs.row_text(row, clock.named))}".strip()
        if row.url
        else escape(signs.row_text(row, clock.named))
        for row in line.rows
    )
    return f'<ul class="rows">{"".join(f"<li>{row}</li>" for row in shown)}</ul>'


def _opened(html: str, evidence: Sequence[Evidence]) -> str:
    """Something that opens to show where it was read."""
    if not evidence:
        return html
    shown = "".join(f"<li>{_place(place)}</li>" for place in evidence)
    return f"<details><summary>{html}</summary><ul>{shown}</ul></details>"


def _place(evidence: Evidence) -> str:
    line = f", line {evidence.line}" if evidence.line else ""
    status = f" ({evidence.status})" if evidence.status else ""
    excerpt = f"<blockquote>{escape(evidence.excerpt)}</blockquote>" if evidence.excerpt else ""
    return f"{html_link(evidence.url)}{line}{status}{excerpt}"


def _rhythm(card: Card) -> Iterator[str]:
    picture = card.picture
    if picture is None:
        return
    yield "<h3>When articles come out</h3>"
    yield to_svg(picture)
    yield f'<p class="meta">{escape(signs.picture_words(picture))}.</p>'


def _fields(card: Card) -> Iterator[str]:
    if not card.fields:
        return
    yield "<h3>Fields of an article</h3>"
    rows = (
        [
            f'<th scope="row">{escape(name)}</th>',
            *(f"<td>{_there(form in found)}</td>" for form in FORMATS),
        ]
        for name, found in card.fields
    )
    yield from html_table(("", *FORMATS.values()), rows, kind="fields")


def _bots(card: Card) -> Iterator[str]:
    if not card.bots:
        return
    yield "<h2>AI bots by purpose</h2>"
    rows = (
        [
            f'<th scope="row">{escape(signs.PURPOSES.get(bot.purpose, bot.purpose))}</th>',
            f"<td>{html_word(bot.word)}</td>",
            f"<td>{escape(signs.barred_words(bot))}</td>",
            f"<td>{_names(bot.barred)}</td>",
        ]
        for bot in card.bots
    )
    yield from html_table(("Purpose", "", "Barred", "Names"), rows, kind="bots")


def _names(names: Sequence[str]) -> str:
    if not names:
        return "–"
    return f"<details><summary>show them</summary>{escape(', '.join(names))}</details>"


def _terms(card: Card) -> Iterator[str]:
    if not card.terms:
        return
    yield "<h2>Terms of service</h2>"
    rows = (
        [
            f'<th scope="row">{escape(signs.ACTIVITIES.get(term.activity, term.activity))}</th>',
            f"<td>{html_word(term.word)}</td>",
            f"<td>{f'<q>{escape(term.quote)}</q> {_source(term.url)}' if term.quote else '–'}</td>",
        ]
        for term in card.terms
    )
    yield from html_table(("Activity", "", "Sentence"), rows, kind="terms")


def _source(url: str) -> str:
    if not is_web_url(url):
        return ""
    return f'<a class="meta" rel="noopener noreferrer nofollow" href="{escape(url)}">source</a>'


def _changes(card: Card, clock: ReaderClock) -> Iterator[str]:
    yield "<h2>Changes</h2>"
    if not card.changes:
        yield '<p class="meta">None known.</p>'
        return
    yield "<ul>"
    for change in card.changes:
        yield f"<li>Since {clock.long_day(change.at)}: {escape(change.text)}</li>"
    yield "</ul>"


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str) -> Iterator[str]:
    """A table; heads are text, rows are cells of HTML."""
    yield f'<div class="scroll" tabindex="0"><table class="{kind}"><thead><tr>'
    yield from (f'<th scope="col">{escape(head)}</th>' if head else "<td></td>" for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(row)}</tr>"
    yield "</tbody></table></div>"


def html_word(word: str) -> str:
    """A word behind its sign, in its colour."""
    return f'<span class="word {escape(word)}">{escape(signs.signed(word))}</span>'


def _there(there: bool) -> str:
    return '<span class="yes">✓ yes</span>' if there else '<span class="no">– no</span>'


def html_link(url: str) -> str:
    """A link to a web address; anything else as text."""
    if not is_web_url(url):
        return escape(url)
    return f'<a rel="noopener noreferrer nofollow" href="{escape(url)}">{escape(url)}</a>'
