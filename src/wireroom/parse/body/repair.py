"""What the markup of a page makes of its text, put right: the columns mended before anything is measured.

A heading or a link that nobody closed goes on to the end of the page, some papers set every paragraph as a
heading, and old pages draw their columns with a table. A browser shows all of them as its readers expect;
by their tags alone they would be headings, links and cells. Nothing is judged here and no word is lost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from wireroom.parse.body.blocks import (
    ALT,
    CELL,
    HEADING,
    PARAGRAPH,
    TEXT,
    Columns,
    inherited_kind,
    lay_out,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

LONG_TEXT: Final = 80  # characters, as the features have it: prose, not a label
LONGEST_HEADING: Final = 300  # characters in the elements inside a heading; more is the article
LONG_CELL: Final = 600  # characters of one cell; no table of figures says so much in one place
MIN_PROSE: Final = 2  # long blocks of one kind that make a habit of what could be an accident
A_LINK: Final = 0.5  # share of link text that makes a block part of a link
MAX_STEPS: Final = 30  # elements that are looked through for the link of a block

_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS: Final = frozenset(("td", "th"))
_TABLES: Final = frozenset(("table",))
SENTENCE_ENDS: Final = frozenset(".!?…。！？؟।\"'”’»)」』")


def lay_out_repaired(
    root: LexborNode | None, *, everything: bool = False, marks: bool = True
) -> Columns:
    """What `lay_out` gives, mended where it can be seen to be broken; most pages are not."""
    columns = lay_out(root, everything=everything, marks=marks)
    if HEADING in columns.kind:
        _close_headings(columns)
        _set_as_prose(columns)
    if CELL in columns.kind:
        _open_layout_tables(columns)
    _close_links(columns)
    return columns


# --- headings ------------------------------------------------------------------------------------


def _close_headings(columns: Columns) -> None:
    """Ends a heading where the first element inside begins, if the article stands in these."""
    tags = columns.tag
    nested: dict[int, list[int]] = defaultdict(list)
    for element, outer in enumerate(columns.parent):
        if outer > 0 and tags[outer] in _HEADINGS:
            nested[outer].append(element)
    if not nested:
        return
    inside = _characters_inside(columns)
    for heading, elements in nested.items():
        if sum(inside[element] for element in elements) > LONGEST_HEADING:
            for element in elements:
                columns.parent[element] = columns.parent[heading]
    _hand_down(columns)


def _characters_inside(columns: Columns) -> list[int]:
    """Characters in each element and those inside it."""
    found = [0] * len(columns.parent)
    for home, text in zip(columns.home, columns.text, strict=True):
        found[home] += len(text)
    for element in range(len(found) - 1, 0, -1):
        found[columns.parent[element]] += found[element]
    return found


def _hand_down(columns: Columns) -> None:
    """What text in each element is, once elements have moved or changed."""
    gives = columns.gives
    for element, outer in enumerate(columns.parent):
        gives[element] = inherited_kind(gives[outer] if outer >= 0 else TEXT, columns.tag[element])
    columns.kind[:] = [
        kind if kind == ALT else gives[home]
        for kind, home in zip(columns.kind, columns.home, strict=True)
    ]


def _set_as_prose(columns: Columns) -> None:
    """Paragraphs that are set as headings become paragraphs, where the page makes a habit of it."""
    blocks: dict[str, list[int]] = defaultdict(list)
    for block, kind in enumerate(columns.kind):
        if kind == HEADING:
            blocks[columns.tag[columns.home[block]]].append(block)
    for same in blocks.values():
        if len(same) < MIN_PROSE:
            continue
        prose = [block for block in same if _is_prose(columns, block)]
        characters = sum(len(columns.text[block]) for block in same)
        if len(prose) < MIN_PROSE or 2 * sum(len(columns.text[b]) for b in prose) < characters:
            continue
        for block in same:
            if columns.text[block][-1] in SENTENCE_ENDS:
                columns.kind[block] = columns.gives[columns.home[block]] = PARAGRAPH
                columns.tag[columns.home[block]] = "p"


def _is_prose(columns: Columns, block: int) -> bool:
    text = columns.text[block]
    return (
        letters(text) >= LONG_TEXT
        and text[-1] in SENTENCE_ENDS
        and columns.linked[block] < A_LINK * columns.chars[block]
    )


def letters(text: str) -> int:
    """The length of a text, as long as the same would be in an alphabet."""
    return len(text) if text.isascii() or ord(max(text[:40])) < 0x3040 else 2 * len(text)


# --- tables --------------------------------------------------------------------------------------


def _open_layout_tables(columns: Columns) -> None:
    """The cells of a table that only draws columns become plain boxes."""
    cell_of, table_of = _nearest(columns, _CELLS), _nearest(columns, _TABLES)
    drawn = _drawn_tables(columns, cell_of, table_of)
    if not drawn:
        return
    for element, tag in enumerate(columns.tag):
        if tag in _CELLS and table_of[element] in drawn:
            columns.tag[element] = "div"
    _hand_down(columns)


def _drawn_tables(columns: Columns, cell_of: list[int], table_of: list[int]) -> set[int]:
    """The tables that hold other tables, or paragraphs in one of their cells, or nothing but paragraphs."""
    prose: Counter[int] = Counter()
    drawn: set[int] = set()
    for block, home in enumerate(columns.home):
        cell = cell_of[home]
        if cell < 0:
            continue
        text = columns.text[block]
        if letters(text) >= LONG_TEXT and columns.linked[block] < A_LINK * columns.chars[block]:
            prose[cell] += 1
        if len(text) >= LONG_CELL:
            drawn.add(table_of[cell])
    drawn.update(table_of[cell] for cell, count in prose.items() if count >= MIN_PROSE)
    for element, tag in enumerate(columns.tag):
        if tag == "table" and (around := cell_of[element]) >= 0:
            drawn.add(table_of[around])
    single = {
        table
        for table, rows in _cells_by_row(columns, cell_of, table_of).items()
        if all(len(cells) == 1 for cells in rows.values())
        and sum(bool(prose[cell]) for cells in rows.values() for cell in cells) >= MIN_PROSE
    }
    return (drawn | single) - {-1}


def _cells_by_row(
    columns: Columns, cell_of: list[int], table_of: list[int]
) -> dict[int, dict[int, set[int]]]:
    """The cells with text of each row of each table."""
    rows: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for home in columns.home:
        cell = cell_of[home]
        if cell >= 0:
            rows[table_of[cell]][columns.parent[cell]].add(cell)
    return rows


def _nearest(columns: Columns, tags: frozenset[str]) -> list[int]:
    """For each element the innermost one of these tags around it or itself, or -1."""
    found: list[int] = []
    for element, outer in enumerate(columns.parent):
        is_one = columns.tag[element] in tags
        found.append(element if is_one else found[outer] if outer >= 0 else -1)
    return found


# --- links ---------------------------------------------------------------------------------------


def _close_links(columns: Columns) -> None:
    """A link over several paragraphs was left open, and an anchor without an address is no link."""
    long = [
        block
        for block, (linked, chars) in enumerate(zip(columns.linked, columns.chars, strict=True))
        if linked >= LONG_TEXT and linked >= A_LINK * chars and columns.kind[block] != ALT
    ]
    if not long:
        return
    addresses = {block: _address(columns, block) for block in long}
    often = Counter(addresses.values())
    left_open = {where for where, count in often.items() if where == "" or count >= MIN_PROSE}
    left_open.discard(None)
    if not left_open:
        return
    first, last = long[0], long[-1]
    for block in range(first, last + 1):
        if columns.linked[block] and _address(columns, block) in left_open:
            columns.linked[block] = 0
            columns.spans[block] = [
                span
                for span in columns.spans.get(block, ())
                if span[2] != "a" or (span[3].attributes.get("href") or "") not in left_open
            ]


def _address(columns: Columns, block: int) -> str | None:
    """Where the link leads in which a block stands; None where none is found."""
    node: LexborNode | None = columns.node[columns.home[block]]
    link = node.css_first("a") if node is not None else None
    for _ in range(MAX_STEPS):
        if link is not None or node is None:
            break
        node = node.parent
        link = node if node is not None and node.tag == "a" else None
    return None if link is None else link.attributes.get("href") or ""
