"""The text of an article as HTML, from our own text and layout: nothing of the page's own markup is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

from wireroom.display_text import visible
from wireroom.export.article_text import text_blocks
from wireroom.model import Article

if TYPE_CHECKING:
    from wireroom.export.article_text import Block

LOWEST = 6  # level of a heading
BELOW_TITLE = 1  # levels by which the headings of a text stand below that of the page

_ALONE = {
    "quote": Markup("<blockquote>{}</blockquote>"),
    "code": Markup("<pre><code>{}</code></pre>"),
    "caption": Markup('<p class="caption">{}</p>'),
    "alt": Markup('<p class="caption">{}</p>'),
    "image": Markup('<p class="caption">Image: {}</p>'),  # publishers' servers are not asked
    "term": Markup("<p><b>{}</b></p>"),
}
_PARAGRAPH = Markup("<p>{}</p>")


def article_html(article: Article) -> Markup:
    """Paragraphs, headings, lists, tables, quotations, captions and code."""
    return Markup("\n").join(_grouped(text_blocks(article)))


def _grouped(blocks: Iterable[Block]) -> Iterator[Markup]:
    """Items of a list and cells of a table stand together."""
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        if kind == "item":
            yield _list(group)
        elif kind == "cell":
            yield _table(group)
        else:
            yield from map(_alone, group)


def _alone(block: Block) -> Markup:
    if block.kind == "heading":
        level = min(LOWEST, (block.level or 1) + BELOW_TITLE)
        return Markup("<h{0}>{1}</h{0}>").format(level, visible(block.text))
    return _ALONE.get(block.kind, _PARAGRAPH).format(visible(block.text))


def _list(items: Iterable[Block]) -> Markup:
    """One list; how deep an item is nested is shown by its indent, not by lists in lists."""
    lines, is_numbered = [], False
    for item in items:
        is_numbered = is_numbered or bool(item.number)
        level = min(LOWEST, item.level or 1)
        if item.number:
            line = Markup('<li value="{}" class="level-{}">{}</li>')
            lines.append(line.format(item.number, level, visible(item.text)))
        else:
            further = " further" if item.continues else ""
            line = Markup('<li class="level-{}{}">{}</li>')
            lines.append(line.format(level, further, visible(item.text)))
    return Markup("<{0}>{1}</{0}>").format("ol" if is_numbered else "ul", Markup("").join(lines))


def _table(cells: Iterable[Block]) -> Markup:
    """Every cell in its column; what its place says: the first row names columns where the corner before them is empty."""
    rows = [_columns(row) for _, row in groupby(cells, key=lambda cell: cell.row)]
    width = max(max(row) for row in rows)
    head = Markup("")
    if len(rows) > 1 and 1 not in rows[0]:
        names = _row(rows.pop(0), width, Markup('<th scope="col">{}</th>'))
        head = Markup("<thead>{}</thead>").format(names)
    body = Markup("").join(_row(row, width, Markup("<td>{}</td>")) for row in rows)
    table = Markup(
        '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
        "<table>{}<tbody>{}</tbody></table></div>"
    )
    return table.format(head, body)


def _columns(cells: Iterable[Block]) -> dict[int, str]:
    """The texts of one row by their columns; paragraphs of one cell are one."""
    texts: dict[int, str] = {}
    for cell in cells:
        column = cell.column or max(texts, default=0) + (not cell.continues)
        texts[column] = f"{texts[column]} {cell.text}" if column in texts else cell.text
    return texts


def _row(texts: Mapping[int, str], width: int, cell: Markup) -> Markup:
    shown = (cell.format(visible(texts.get(column, ""))) for column in range(1, width + 1))
    return Markup("<tr>{}</tr>").format(Markup("").join(shown))
