"""Blocks become plain text, Markdown or HTML.

HTML is built from our own few tags around escaped text, never by letting the page's markup through:
what is not in the blocks cannot come out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final

from wireroom.parse.body.types import Block, InlineSpan, SpanKind
from wireroom.urls import is_web_url

CELL_GAP: Final = " | "
PICTURES: Final = frozenset(("caption", "alt"))
"""Kinds of blocks that speak of an image."""
NO_WORDS: Final = "image"
"""The kind of a block that is no part of any text."""
MAX_INDENT: Final = 8  # levels of nested lists that are shown as such

_MARKDOWN_SPECIAL: Final = re.compile(
    r"([\\`*_\[\]<>#|~])|&(?=#?\w{1,32};)|^[-+](?=\s|$)|^-(?=-+\s*$)|^=(?==*\s*$)|^(\d+)([.)])(?=\s|$)",
    re.MULTILINE,
)
_IMAGE_THEN_CAPTION: Final = "></figure>\n<figure><figcaption>"
_FENCE: Final = re.compile("`{3,}")
_HTML_MARKS: Final[dict[SpanKind, str]] = {
    "strong": "strong",
    "emphasis": "em",
    "code": "code",
    "deleted": "del",
}
_MARKDOWN_MARKS: Final[dict[SpanKind, str]] = {
    "strong": "**",
    "emphasis": "*",
    "code": "`",
    "deleted": "~~",
}


def to_text(blocks: Iterable[Block], *, captions: bool = False) -> str:
    """Plain text: paragraphs apart by a blank line, items and table rows on lines of their own.

    Captions and the words of images are no part of it, unless they are asked for.
    """
    pieces: list[str] = []
    last: Block | None = None
    for block in blocks:
        if not block.kept or block.kind == NO_WORDS or (block.kind in PICTURES and not captions):
            continue
        if last is not None:
            pieces.append(_gap(last, block))
        pieces.append(_plain(block))
        last = block
    return "".join(pieces)


def _gap(before: Block, block: Block) -> str:
    if block.kind == before.kind == "item":
        return "\n"
    if block.kind == before.kind == "cell":
        if block.row == before.row:
            return "\n" if block.continues else CELL_GAP
        return "\n"
    if before.kind == "term" and block.kind in ("term", "definition"):
        return "\n"
    return "\n\n"


def _plain(block: Block) -> str:
    if block.kind != "item":
        return block.text
    indent = "  " * min(block.level - 1, MAX_INDENT)
    return f"{indent}{'  ' if block.continues else '- '}{block.text}"


# --- Markdown ----------------------------------------------------------------------------------


def to_markdown(blocks: Iterable[Block]) -> str:
    """CommonMark with tables; the page's own characters are escaped where they would mean more."""
    return "\n\n".join(_markdown_group(kind, group) for kind, group in _groups(blocks))


def _groups(blocks: Iterable[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Kept blocks by what holds them: a list, a table, or each by itself.

    What an image says of itself is said with the image, where that is shown.
    """
    kept: list[Block] = []
    for block in blocks:
        alt = kept[-1].text if kept and kept[-1].kind == NO_WORDS else ""
        if block.kept and not (block.kind in PICTURES and block.text == alt):
            kept.append(block)
    places = {id(block): place for place, block in enumerate(kept)}

    def holder(block: Block) -> tuple[str, int]:
        together = block.kind in ("item", "cell")
        return block.kind, 0 if together else places[id(block)]

    for (kind, _), group in groupby(kept, key=holder):
        yield kind, list(group)


def _markdown_group(kind: str, group: list[Block]) -> str:
    if kind == "item":
        return "\n".join(_markdown_item(block) for block in group)
    if kind == "cell":
        return _markdown_table(group)
    block = group[0]
    if kind == "code":
        fence = "`" * max((len(run) + 1 for run in _FENCE.findall(block.text)), default=3)
        return f"{fence}\n{block.text}\n{fence}"
    text = _markdown_inline(block)
    if kind == NO_WORDS:
        return f"![{text.replace(chr(10), ' ')}]({_markdown_url(block.url)})"
    if kind == "heading":
        return f"{'#' * (block.level or 2)} {text.replace(chr(10), ' ')}"
    if kind == "quote" or block.quoted:
        return "\n".join(f"> {line}" for line in text.split("\n"))
    if kind in ("caption", "alt"):
        return f"*{text}*"
    return text.replace("\n", "  \n")


def _markdown_item(block: Block) -> str:
    indent = "    " * min(block.level - 1, MAX_INDENT)
    lead = "    " if block.continues else f"{block.number}. " if block.number else "- "
    return f"{indent}{lead}{_markdown_inline(block).replace(chr(10), ' ')}"


def _markdown_table(cells: Sequence[Block]) -> str:
    rows = [_row_texts(list(row), _markdown_inline) for _, row in groupby(cells, key=_row)]
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _row(block: Block) -> int:
    return block.row


def _row_texts(cells: Sequence[Block], write: Callable[[Block], str]) -> list[str]:
    """The cells of one row; a cell of several paragraphs is one."""
    texts: list[str] = []
    for cell in cells:
        text = write(cell).replace("\n", " ")
        if cell.continues and texts:
            texts[-1] = f"{texts[-1]} {text}"
            continue
        texts += [""] * (cell.column - 1 - len(texts))  # a cell without text keeps its place
        texts.append(text)
    return texts


def _markdown_inline(block: Block) -> str:
    return _woven(block, _markdown_escape, _markdown_open, _markdown_close)


def _markdown_escape(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """A sign behind a backslash; of a number that begins a line, the point behind it."""
    return f"{found[2]}\\{found[3]}" if found[2] else f"\\{found[0]}"


def _markdown_open(span: InlineSpan) -> str:
    return "[" if span.kind == "link" else _MARKDOWN_MARKS[span.kind]


def _markdown_close(span: InlineSpan) -> str:
    if span.kind != "link":
        return _MARKDOWN_MARKS[span.kind]
    return f"]({_markdown_url(span.url)})"


def _markdown_url(url: str) -> str:
    url = url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return url.replace("<", "%3C").replace(">", "%3E")


# --- HTML --------------------------------------------------------------------------------------


def to_html(blocks: Iterable[Block]) -> str:
    """HTML of a dozen tags; the only attributes are a link's address and its rel, an image's address and words."""
    markup = "\n".join(_html_group(kind, group) for kind, group in _groups(blocks))
    return markup.replace(_IMAGE_THEN_CAPTION, "><figcaption>")  # they are one figure


def _html_group(kind: str, group: list[Block]) -> str:
    if kind == "item":
        return _html_list(group)
    if kind == "cell":
        return _html_table(group)
    block = group[0]
    text = _html_inline(block)
    if kind == "code":
        return f"<pre><code>{escape(block.text)}</code></pre>"
    if kind == "heading":
        level = block.level or 2
        return f"<h{level}>{text}</h{level}>"
    if kind == NO_WORDS:
        address = f' src="{escape(block.url)}"' if is_web_url(block.url) else ""
        return f'<figure><img{address} alt="{escape(block.text)}"></figure>'
    if kind in ("caption", "alt"):
        return f"<figure><figcaption>{text}</figcaption></figure>"
    paragraph = f"<p>{text}</p>"
    return f"<blockquote>{paragraph}</blockquote>" if kind == "quote" or block.quoted else paragraph


def _html_list(items: Sequence[Block]) -> str:
    pieces: list[str] = []
    open_lists: list[str] = []
    for item in items:
        if item.continues and open_lists:
            pieces.append(f"<br>{_html_inline(item)}")
            continue
        tag = "ol" if item.number else "ul"
        depth = min(item.level, len(open_lists) + 1, MAX_INDENT)
        while len(open_lists) > depth or (len(open_lists) == depth and open_lists[-1] != tag):
            pieces.append(f"</li></{open_lists.pop()}>")
        if len(open_lists) == depth:
            pieces.append("</li>")
        else:
            open_lists.append(tag)
            pieces.append(f"<{tag}>")
        pieces.append(f"<li>{_html_inline(item)}")
    while open_lists:
        pieces.append(f"</li></{open_lists.pop()}>")
    return "".join(pieces)


def _html_table(cells: Sequence[Block]) -> str:
    rows = (_row_texts(list(row), _html_inline) for _, row in groupby(cells, key=_row))
    body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
    return f"<table>{body}</table>"


def _html_inline(block: Block) -> str:
    return _woven(block, _html_escape, _html_open, _html_close)


def _html_escape(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _html_open(span: InlineSpan) -> str:
    if span.kind != "link":
        return f"<{_HTML_MARKS[span.kind]}>"
    if not is_web_url(span.url):
        return "<span>"
    return f'<a href="{escape(span.url)}" rel="noopener noreferrer nofollow">'


def _html_close(span: InlineSpan) -> str:
    if span.kind != "link":
        return f"</{_HTML_MARKS[span.kind]}>"
    return "</a>" if is_web_url(span.url) else "</span>"


def _woven(
    block: Block,
    write: Callable[[str], str],
    opening: Callable[[InlineSpan], str],
    closing: Callable[[InlineSpan], str],
) -> str:
    """The block's text with its marks written in; marks are nested or apart, never crossed."""
    if not block.marks:
        return write(block.text)
    pieces: list[str] = []
    waiting: list[InlineSpan] = []
    place = 0
    for span in block.marks:
        while waiting and waiting[-1].end <= span.start:
            place = _write_up_to(block, place, waiting[-1].end, pieces, write)
            pieces.append(closing(waiting.pop()))
        if waiting and span.end > waiting[-1].end:
            continue
        place = _write_up_to(block, place, span.start, pieces, write)
        pieces.append(opening(span))
        waiting.append(span)
    while waiting:
        place = _write_up_to(block, place, waiting[-1].end, pieces, write)
        pieces.append(closing(waiting.pop()))
    _write_up_to(block, place, len(block.text), pieces, write)
    return "".join(pieces)


def _write_up_to(
    block: Block, place: int, end: int, pieces: list[str], write: Callable[[str], str]
) -> int:
    if end > place:
        pieces.append(write(block.text[place:end]))
        return end
    return place
