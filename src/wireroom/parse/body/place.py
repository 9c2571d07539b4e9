"""Rows of the columns become `Block`s: list levels and numbers, table rows, quotes, links.

Only what is returned is dressed up like this: a page has many more blocks than its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, get_args

from wireroom.parse.body.blocks import CELL, CODE, ITEM, Columns, tidy
from wireroom.parse.body.types import Block, BlockKind, InlineSpan, SpanKind
from wireroom.urls import is_web_url, resolve

KINDS: Final[tuple[BlockKind, ...]] = get_args(BlockKind)
MAX_MARKS: Final = 60  # of one block; link lists aside, prose has a handful
MAX_MARKED_TEXT: Final = 20_000  # characters; finding marks in longer blocks would take long
PATH_STEPS: Final = 6  # elements shown of where a block stands

Decision = tuple[bool, float, str]
"""Kept or not, how likely, and why."""

_MARKS: Final[dict[str, SpanKind]] = {
    "a": "link",
    "b": "strong",
    "strong": "strong",
    "i": "emphasis",
    "em": "emphasis",
    "var": "emphasis",
    "code": "code",
    "kbd": "code",
    "samp": "code",
    "del": "deleted",
}
_LISTS: Final = frozenset(("ul", "ol", "dir"))
_ITEMS: Final = frozenset(("li",))
_QUOTES: Final = frozenset(("blockquote",))
MAX_COLUMNS: Final = 60  # of a table; wider ones are not written for readers
MAX_SPAN: Final = 20  # columns of one cell; one page says 9007199254740991
_ROWS: Final = frozenset(("tr",))
_CELLS: Final = frozenset(("td", "th"))
_HEADINGS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}


def place_blocks(
    columns: Columns,
    decisions: Iterable[tuple[int, Decision]],
    *,
    base_url: str | None = None,
    paths: bool = False,
) -> tuple[Block, ...]:
    """The blocks of the given numbers, in order, with all that is known of their place.

    Links and emphases are looked up when there is a `base_url`, if only an empty one.
    """
    placer = _Placer(columns, base_url)
    return tuple(placer.place(number, decision, paths) for number, decision in decisions)


class _Placer:
    """Knows the block before, for items and cells of several paragraphs."""

    def __init__(self, columns: Columns, base_url: str | None) -> None:
        self.columns = columns
        self.base_url = base_url
        self.last_holder = -1
        self.numbers: dict[int, int] = {}
        self.quotes = "blockquote" in columns.tag

    def place(self, number: int, decision: Decision, with_path: bool) -> Block:
        columns = self.columns
        kind = columns.kind[number]
        home = columns.home[number]
        kept, probability, reason = decision
        level = item_number = row = column = 0
        holder = -1
        if kind == ITEM:
            holder, level, item_number = self._item(home)
        elif kind == CELL:
            holder = self._nearest(home, _CELLS)
            row = self._nearest(home, _ROWS) + 1
            column = self._column(holder)
        else:
            level = _HEADINGS.get(columns.tag[home], 0)
        continues = holder >= 0 and holder == self.last_holder
        self.last_holder = holder
        return Block(
            kind=KINDS[kind],
            text=columns.text[number],
            kept=kept,
            probability=round(probability, 3),
            reason=reason,
            level=level,
            number=item_number,
            continues=continues,
            row=row,
            column=column,
            quoted=self.quotes and self._nearest(home, _QUOTES) >= 0,
            marks=() if self.base_url is None else _marks(columns, number, self.base_url),
            path=self._path(home) if with_path else "",
        )

    def _nearest(self, element: int, tags: frozenset[str]) -> int:
        """The innermost element of these tags around a place, or -1."""
        while element >= 0 and self.columns.tag[element] not in tags:
            element = self.columns.parent[element]
        return element

    def _column(self, cell: int) -> int:
        """The place of a cell in its row: those before it are counted, with or without text."""
        if cell < 0:
            return 0
        place, node = 1, self.columns.node[cell].prev
        for _ in range(MAX_COLUMNS):
            if node is None or place >= MAX_COLUMNS:
                break
            if node.tag in _CELLS:
                place += _span(node.attributes.get("colspan"))
            node = node.prev
        return place

    def _item(self, home: int) -> tuple[int, int, int]:
        """The list item around a place, how deep its list is nested, and its number or 0."""
        item = self._nearest(home, _ITEMS)
        if item < 0:
            return -1, 1, 0
        level, element = 0, item
        while element >= 0:
            level += self.columns.tag[element] in _LISTS
            element = self.columns.parent[element]
        around = self.columns.parent[item]
        numbered = around >= 0 and self.columns.tag[around] == "ol"
        return item, max(level, 1), self._number(item) if numbered else 0

    def _number(self, item: int) -> int:
        if not self.numbers:
            seen: dict[int, int] = {}
            for element, tag in enumerate(self.columns.tag):
                if tag == "li":
                    around = self.columns.parent[element]
                    self.numbers[element] = seen[around] = seen.get(around, 0) + 1
        return self.numbers[item]

    def _path(self, element: int) -> str:
        steps: list[str] = []
        while element >= 0 and len(steps) < PATH_STEPS:
            attributes = self.columns.node[element].attributes
            names = ".".join((attributes.get("class") or "").split()[:3])
            steps.append(self.columns.tag[element] + (f".{names}" if names else ""))
            element = self.columns.parent[element]
        return " > ".join(reversed(steps))


def _span(declared: str | None) -> int:
    """How many columns a cell says it takes; pages say anything."""
    return (
        min(int(declared), MAX_SPAN)
        if declared
        and declared.isascii()
        and declared.isdigit()
        and len(declared) < 9
        and int(declared)
        else 1
    )


def _marks(columns: Columns, number: int, base_url: str) -> tuple[InlineSpan, ...]:
    """The links and emphases of a block, by place in its text."""
    spans = columns.spans.get(number)
    if not spans or columns.kind[number] == CODE or columns.chars[number] > MAX_MARKED_TEXT:
        return ()
    length = len(columns.text[number])
    place = _places(columns.parts[number])
    marks = []
    for first, after, tag, node in spans[:MAX_MARKS]:
        start, end = place(first, True), min(place(after, False), length)
        kind = _MARKS.get(tag)
        if kind is None or start >= end:
            continue
        url = link_url(base_url, node.attributes.get("href") or "") if kind == "link" else ""
        if url or kind != "link":
            marks.append(InlineSpan(start=start, end=end, kind=kind, url=url))
    return tuple(sorted(marks, key=lambda span: (span.start, -span.end)))


def link_url(base_url: str, href: str) -> str:
    """Where a link leads, if that is an address of the web; else nothing."""
    if not href or href[0] == "#":
        return ""
    try:
        url = resolve(base_url, href) if base_url else href
    except ValueError:
        return ""
    return url if is_web_url(url) else ""


def _places(parts: list[str]) -> Callable[[int, bool], int]:
    """A function from a boundary between raw parts to a place in the collapsed text."""

    def place(boundary: int, opening: bool) -> int:
        before = "".join(parts[:boundary])
        here = len(tidy(before))
        apart = before[-1:].isspace() or (boundary < len(parts) and parts[boundary][:1].isspace())
        return here + 1 if opening and here and apart else here

    return place
