"""What may be done with many pages, use by use, as one HTML file that looks like a report card.

Pure. Whatever strangers wrote is escaped; links lead to http and https addresses only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import get_args

from wireroom.dates.reader_clock import UTC_CLOCK, ReaderClock
from wireroom.display_text import counted
from wireroom.model import USES, RobotsWord, Use, Word
from wireroom.report.html_page import html_link, html_table, html_word, whole_page

NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsRow:
    """One address, and what may be done with its page; without words, the note says why nobody knows."""

    url: str
    asked_url: str = ""
    """The address that was asked about, where it leads to another page."""
    words: Mapping[Use, Word] = field(default_factory=dict)
    robots: RobotsWord | None = None
    as_of: datetime | None = None
    permitted: bool | None = None
    """Whether the policy lets it be exported for the use in question; None when there is none."""
    note: str = ""


def to_rights_html(
    rows: Sequence[RightsRow],
    *,
    use: Use | None,
    now: datetime,
    clock: ReaderClock = UTC_CLOCK,
) -> str:
    """The whole page, its times by this clock with the zone beside each: how often each word is said of each use, then a row for each address."""
    about = f" for {use}" if use else ""
    head = (
        f"<h1>Rights of {counted(len(rows), 'address', 'addresses')}</h1>"
        f'<p class="meta">Made {escape(clock.long(now) + about)}</p>'
    )
    body = "".join((head, *_counts(rows), "<h2>Addresses</h2>", *_addresses(rows, use, clock)))
    return whole_page("Rights", body)


def _counts(rows: Sequence[RightsRow]) -> Iterator[str]:
    """A word a row, so that one sees at a glance what a list is good for."""
    yield "<h2>By use</h2>"
    counts = {use: Counter(row.words.get(use) for row in rows) for use in USES}
    cells = (
        [
            f'<th scope="row">{html_word(word)}</th>',
            *(f"<td>{counts[use][word]:,}</td>" for use in USES),
        ]
        for word in get_args(Word)
    )
    yield from html_table(("", *USES), cells, kind="counts")


def _addresses(rows: Sequence[RightsRow], use: Use | None, clock: ReaderClock) -> Iterator[str]:
    asked = ("Permitted",) if use else ()
    heads = ("Address", *USES, *asked, "robots.txt", "As of", "Note")
    yield from html_table(heads, (_cells(row, use, clock) for row in rows), kind="addresses")


def _cells(row: RightsRow, use: Use | None, clock: ReaderClock) -> list[str]:
    asked = f'<br><span class="meta">asked: {escape(row.asked_url)}</span>' if row.asked_url else ""
    permitted = [f"<td>{_permitted(row)}</td>"] if use else []
    as_of = escape(clock.named(row.as_of)) if row.as_of else NOTHING
    return [
        f'<th scope="row">{html_link(row.url)}{asked}</th>',
        *(f"<td>{_use_cell(row, each)}</td>" for each in USES),
        *permitted,
        f"<td>{escape(row.robots or NOTHING)}</td>",
        f"<td>{as_of}</td>",
        f'<td class="note">{escape(row.note) or NOTHING}</td>',
    ]


def _use_cell(row: RightsRow, use: Use) -> str:
    word = row.words.get(use)
    return html_word(word) if word else NOTHING


def _permitted(row: RightsRow) -> str:
    if row.permitted:
        return '<span class="yes">✓ yes</span>'
    return '<span class="deny">✗ no</span>'
