"""A page as harmless HTML in which each run of text is marked as kept or dropped.

Pure. Nothing of the page's markup is copied: its texts are written anew, escaped, into a few plain elements without
attributes of the page but `lang` and `dir`. So there is no script, style, form, frame, address or drawing in it,
whatever stood in the page; links and images are shown as their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Final

from selectolax.lexbor import LexborNode

from wireroom.parse.body.blocks import tidy
from wireroom.parse.body.types import Block
from wireroom.parse.html import Page
from wireroom.parse.plain_text import WORD_BYTES

MAX_HTML: Final = 2_000_000  # characters; the longest real pages have some 300,000 of text
MAX_RUNS: Final = 20_000  # runs of text; the reader of bodies looks at 8,000 blocks
MAX_REASON: Final = 200  # characters
FEWEST_WORDS: Final = 4  # of a run that may be known again by standing in the article's text
OUTSIDE: Final = "outside of what is looked at for the text"

_SKIPPED: Final = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "applet",
        "video",
        "audio",
        "canvas",
        "select",
        "option",
        "optgroup",
        "button",
        "input",
        "textarea",
        "datalist",
        "map",
        "head",
        "title",
        "meta",
        "link",
        "base",
        "basefont",
        "bgsound",
        "noembed",
        "noframes",
        "frameset",
        "frame",
        "progress",
        "param",
        "source",
        "track",
        "dialog",
        "menu",
        "annotation",
        "col",
        "colgroup",
        "portal",
        "fencedframe",
    ]
)
_SHOWN: Final = {
    **dict.fromkeys(
        [
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "ul",
            "ol",
            "li",
            "dl",
            "dt",
            "dd",
            "blockquote",
            "pre",
            "table",
        ],
        "",
    ),
    **dict.fromkeys(
        ["thead", "tbody", "tfoot", "tr", "td", "th", "caption", "figure", "figcaption"], ""
    ),
    **dict.fromkeys(["article", "section", "header", "footer", "nav", "main", "aside"], ""),
    **dict.fromkeys(
        [
            "address",
            "body",
            "center",
            "details",
            "dir",
            "div",
            "fieldset",
            "form",
            "hgroup",
            "html",
        ],
        "div",
    ),
    **dict.fromkeys(["legend", "search", "summary", "xmp", "listing", "plaintext"], "div"),
}
"""Elements that begin a line of their own, and as what they are shown; empty: as themselves."""
_MARKS: Final = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "code": "code"}
TAGS: Final = frozenset(
    {"div", "span", "br", "hr", *_MARKS.values(), *(shown or tag for tag, shown in _SHOWN.items())}
)
"""Every element that a snapshot may hold."""
_LANG: Final = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,5}")
_TEXT, _COMMENT = 2, 4  # lexbor's numbers of what is no element


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPage:
    """A page as harmless HTML; the runs of its text have the class `kept` or `dropped`, with the reason as title."""

    html: str
    kept: int = 0
    dropped: int = 0
    """Runs of text of each."""
    cut: bool = False
    """Whether the page is longer than what is shown."""


def mark_page(
    page: Page,
    blocks: Sequence[Block],
    text: str = "",
    fields: Mapping[str, str] = MappingProxyType({}),
) -> MarkedPage:
    """The page with every run of text marked as it was decided; `text` is what came of it, `fields` what else is kept, by name.

    A run is known by its words: those of a field or a block, or words that stand in the text, which may have come from elsewhere.
    """
    writer = _Writer(_Decisions(blocks, text, fields))
    root = page.tree.body
    if root is not None:
        _walk(root, writer)
    writer.close_run()
    return MarkedPage(
        html="".join(writer.parts), kept=writer.kept, dropped=writer.dropped, cut=writer.is_full
    )


def _words(text: str) -> str:
    """The words of a text alone, whatever its case and plain punctuation."""
    packed = text.casefold().encode("utf-8", "replace").translate(WORD_BYTES)
    return b" ".join(packed.split()).decode("utf-8", "replace")


class _Decisions:
    """What was decided about each block, found by its words; blocks of the same words in their order."""

    def __init__(self, blocks: Iterable[Block], text: str, fields: Mapping[str, str]) -> None:
        named = {_words(value): name for name, value in fields.items()}
        self._fields = {words: name for words, name in named.items() if words}
        self._by_words: dict[str, list[tuple[bool, str]]] = {}
        for block in blocks:
            self._by_words.setdefault(_words(block.text), []).append((block.kept, block.reason))
        self._text = f" {_words(text)} "

    def of(self, raw: str) -> tuple[bool, str]:
        """Whether a run of text was kept, and why."""
        words = _words(tidy(raw))
        if name := self._fields.get(words):
            return True, f"it is the {name}"
        known = self._by_words.get(words)
        if known:
            return known.pop(0) if len(known) > 1 else known[0]
        if words.count(" ") + 1 >= FEWEST_WORDS and f" {words} " in self._text:
            return True, "it stands in the text"
        return False, OUTSIDE


class _Writer:
    """Writes elements and runs of text; a run waits until its end, when it is known what became of it."""

    def __init__(self, decisions: _Decisions) -> None:
        self.parts: list[str] = []
        self.kept = self.dropped = 0
        self.is_full = False
        self._decisions = decisions
        self._run: list[str] = []
        self._words: list[str] = []
        self._open: list[str] = []  # marks within the run
        self._size = 0

    def add_words(self, words: str) -> None:
        if not self._run and words.isspace():
            return
        self._run.append(escape(words))
        self._words.append(words)

    def add_note(self, text: str) -> None:
        """What is shown in the place of something else, and is no text of the page."""
        self._run.append(f'<span class="image">{escape(text)}</span>')

    def open_mark(self, start: str, end: str) -> None:
        self._run.append(start)
        self._open.append(end)

    def close_mark(self) -> None:
        self._run.append(self._open.pop())

    def break_line(self) -> None:
        if self._run:
            self._run.append("<br>")
            self._words.append(" ")

    def close_run(self) -> None:
        """The run is over: it is written with what was decided about it."""
        marks, inner, raw = self._open, "".join(self._run), "".join(self._words)
        starts = [f"<{end[2:]}" for end in marks]
        inner += "".join(reversed(marks))
        self._run, self._words = list(starts), []
        if not raw.strip():
            if 'class="image"' in inner:
                self._put(f'<span class="dropped">{inner}</span>')
            return
        kept, reason = self._decisions.of(raw)
        self.kept, self.dropped = self.kept + kept, self.dropped + (not kept)
        word = "kept" if kept else "dropped"
        self._put(f'<span class="{word}" title="{escape(reason[:MAX_REASON])}">{inner}</span>')
        if self.kept + self.dropped >= MAX_RUNS:
            self.is_full = True

    def put_tag(self, tag: str) -> None:
        self.close_run()
        self._put(tag)

    def _put(self, html: str) -> None:
        self._size += len(html)
        if self._size > MAX_HTML:
            self.is_full = True
        self.parts.append(html)


def _walk(root: LexborNode, writer: _Writer) -> None:
    """Goes through the page in order; no recursion, for pages may be nested deeply."""
    path: list[tuple[LexborNode, str]] = []  # with what closes it
    node: LexborNode | None = root.first_child
    while node is not None:
        child, end = (None, "") if writer.is_full else _enter(node, writer)
        if child is not None:
            path.append((node, end))
            node = child
            continue
        following = node.next
        while following is None and path:
            node, end = path.pop()
            _leave(end, writer)
            following = node.next
        node = following


def _enter(node: LexborNode, writer: _Writer) -> tuple[LexborNode | None, str]:
    """Writes what begins here; what is inside, and what closes it."""
    number, tag = node.tag_id, node.tag or ""
    if number == _TEXT:
        writer.add_words(node.text_content or "")
        return None, ""
    if number == _COMMENT or tag in _SKIPPED:
        return None, ""
    if tag == "br":
        writer.break_line()
    elif tag == "hr":
        writer.put_tag("<hr>")
    elif tag == "img":
        alt = tidy(node.attributes.get("alt") or "")
        writer.add_note(f"[image: {alt[:MAX_REASON]}]" if alt else "[image]")
    elif node.first_child is not None:
        return node.first_child, _begin(node, tag, writer)
    return None, ""


def _begin(node: LexborNode, tag: str, writer: _Writer) -> str:
    if tag in _SHOWN:
        shown = _SHOWN[tag] or tag
        writer.put_tag(f"<{shown}{_language(node)}>")
        return f"</{shown}>"
    mark = _MARKS.get(tag)
    if mark is not None:
        writer.open_mark(f"<{mark}>", f"</{mark}>")
        return _MARK_END
    return ""


_MARK_END: Final = "mark"


def _leave(end: str, writer: _Writer) -> None:
    if end == _MARK_END:
        writer.close_mark()
    elif end:
        writer.put_tag(end)


def _language(node: LexborNode) -> str:
    """Its language and direction, where they are written as they should be."""
    found = []
    language = (node.attributes.get("lang") or "").strip()
    if _LANG.fullmatch(language):
        found.append(f' lang="{language}"')
    direction = (node.attributes.get("dir") or "").strip().lower()
    if direction in {"ltr", "rtl", "auto"}:
        found.append(f' dir="{direction}"')
    return "".join(found)
