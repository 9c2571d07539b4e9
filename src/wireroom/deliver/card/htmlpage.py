"""A card as one HTML file that needs nothing else: no script, no address that is loaded.

Whatever strangers wrote is escaped here; links lead to http and https addresses only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from wireroom.deliver.card import signs
from wireroom.deliver.card.nouns import Card, Cell, Line, Permission, Section
from wireroom.deliver.card.picture import to_svg
from wireroom.model import Evidence
from wireroom.urls import is_web_url

__all__ = ["to_html"]


def to_html(card: Card) -> str:
    """The whole page; every line can be opened to see its evidence."""
    body = "".join(
        (
            *_head(card),
            *_rights(card),
            *(part for section in card.sections for part in _section(section)),
            *_rhythm(card),
            *_bots(card),
            *_terms(card),
            *_fields(card),
            *_changes(card),
        )
    )
    title = escape(f"{card.name}: report card")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{_style()}</style></head><body>{body}</body></html>\n"
    )


@cache
def _style() -> str:
    return files("wireroom.deliver.card").joinpath("page.css").read_text(encoding="utf-8")


def _head(card: Card) -> Iterator[str]:
    grade = card.grade
    yield (
        f'<header><div class="letter" aria-label="Grade {grade.letter}">{grade.letter}'
        f"<small>{grade.points} of 100</small></div><div><h1>{escape(card.name)}</h1>"
        f'<p class="sentence">{escape(card.sentence)}</p>'
        f'<p class="meta">{_link(card.url)} · scouted {card.scouted_at:%d %B %Y, %H:%M} UTC</p>'
        "</div></header><div class=parts>"
    )
    for part in grade.parts:
        yield (
            f'<div class="part"><b><span>{escape(part.name.capitalize())}</span>'
            f"<span>{part.points}/{part.of}</span></b>"
            f'<meter min="0" max="{part.of}" value="{part.points}">{part.points} of {part.of}</meter>'
            f'<p class="why">{escape(part.why)}</p></div>'
        )
    yield "</div>"


def _rights(card: Card) -> Iterator[str]:
    families = [
        name
        for place, name in enumerate(card.families)
        if any(row.cells[place].word != "silent" for row in card.rights)
    ]
    heads = ("Use", "Verdict", *(signs.FAMILIES.get(name, name) for name in families))
    rows = (_permission(row, families) for row in card.rights)
    yield "<h2>Rights</h2>"
    yield from _table(heads, rows)
    silent = [signs.FAMILIES.get(name, name) for name in card.families if name not in families]
    if silent:
        yield f'<p class="meta">Silent: {escape(", ".join(silent))}.</p>'


def _permission(row: Permission, families: Sequence[str]) -> list[str]:
    notes = [f"{one.kind}{': ' + one.detail if one.detail else ''}" for one in row.conditions]
    if row.conflicts_with:
        against = ", ".join(signs.FAMILIES.get(name, name) for name in row.conflicts_with)
        notes.append(f"contradicted by {against}")
    told = f'<div class="why">{escape("; ".join(notes))}</div>' if notes else ""
    cells = {cell.family: cell for cell in row.cells}
    return [
        f"<th scope=row>{escape(signs.USES[row.use])}</th>",
        f"<td class=cell><b>{_word(row.word)}</b>{told}</td>",
        *(_cell(cells[name]) for name in families),
    ]


def _cell(cell: Cell) -> str:
    return f"<td class=cell>{_word(cell.word)}{_evidence(cell.evidence)}</td>"


def _section(section: Section) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2><dl>"
    for line in section.lines:
        yield f"<dt>{escape(line.label)}</dt><dd>{_told(line)}{_evidence(line.evidence)}</dd>"
    yield "</dl>"


def _told(line: Line) -> str:
    kind = line.word.replace(" ", "-")
    return f'<span class="{kind}" title="{escape(line.word)}">{signs.sign(line.word)}</span> {escape(line.value)}'


def _rhythm(card: Card) -> Iterator[str]:
    picture = card.picture
    if picture is None:
        return
    yield "<h2>When articles come out</h2>"
    yield to_svg(picture)
    yield (
        f'<p class="meta">{escape(picture.label)}: {picture.per_day:g} a day, between {picture.low:g} and '
        f"{picture.high:g}, {escape(picture.confidence)} confidence. Clock: {escape(picture.zone)}.</p>"
    )


def _bots(card: Card) -> Iterator[str]:
    if not card.bots:
        return
    yield "<h2>AI bots by purpose</h2>"
    rows = (
        [
            f"<th scope=row>{escape(signs.PURPOSES.get(one.purpose, one.purpose))}</th>",
            f"<td>{escape(one.word)}</td>",
            f"<td>{len(one.barred)} of {one.total}</td>",
            f"<td>{_folded('names', one.barred)}</td>",
        ]
        for one in card.bots
    )
    yield from _table(("Purpose", "Word", "Barred", "Names"), rows)


def _terms(card: Card) -> Iterator[str]:
    if not card.terms:
        return
    yield "<h2>Terms of service</h2>"
    rows = (
        [
            f"<th scope=row>{escape(signs.ACTIVITIES[one.activity])}</th>",
            f"<td class=cell>{_word(one.word)}</td>",
            f"<td>{f'<blockquote>{escape(one.quote)}</blockquote>' if one.quote else ''}</td>",
        ]
        for one in card.terms
    )
    yield from _table(("Activity", "Word", "Sentence"), rows)


def _fields(card: Card) -> Iterator[str]:
    if not card.fields:
        return
    formats = ("json-ld", "opengraph", "microdata", "twitter")
    yield "<h2>Fields of an article</h2>"
    rows = (
        [
            f"<th scope=row>{escape(name)}</th>",
            *(f"<td>{_there(one in found)}</td>" for one in formats),
        ]
        for name, found in card.fields
    )
    yield from _table(("Field", "JSON-LD", "OpenGraph", "Microdata", "Twitter"), rows)


def _changes(card: Card) -> Iterator[str]:
    yield "<h2>Changes</h2>"
    if not card.changes:
        yield '<p class="meta">None known.</p>'
        return
    yield "<ul>"
    for change in card.changes:
        yield f"<li>Since {change.at:%d %B %Y}: {escape(change.text)}</li>"
    yield "</ul>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield '<div class="scroll"><table><thead><tr>'
    yield from (f"<th scope=col>{escape(head)}</th>" for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(row)}</tr>"
    yield "</tbody></table></div>"


def _word(word: str) -> str:
    return f'<span class="{word}">{signs.sign(word)} {escape(word)}</span>'


def _there(there: bool) -> str:
    return '<span class="yes">✓ yes</span>' if there else '<span class="no">– no</span>'


def _evidence(evidence: Sequence[Evidence]) -> str:
    if not evidence:
        return ""
    shown = "".join(f"<li>{_one(one)}</li>" for one in evidence)
    return f"<details><summary>evidence ({len(evidence)})</summary><ul>{shown}</ul></details>"


def _one(evidence: Evidence) -> str:
    line = f", line {evidence.line}" if evidence.line else ""
    status = f" ({evidence.status})" if evidence.status else ""
    excerpt = f"<blockquote>{escape(evidence.excerpt)}</blockquote>" if evidence.excerpt else ""
    return f"{_link(evidence.url)}{line}{status}{excerpt}"


def _folded(what: str, names: Sequence[str]) -> str:
    if not names:
        return "none"
    return f"<details><summary>{what}</summary>{escape(', '.join(names))}</details>"


def _link(url: str) -> str:
    if not is_web_url(url):
        return escape(url)
    return f'<a rel="noopener noreferrer nofollow" href="{escape(url)}">{escape(url)}</a>'
