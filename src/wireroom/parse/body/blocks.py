"""A page's tree laid out flat: its blocks of text in order, and the elements they stand in.

One walk over the tree, without recursion, that keeps columns instead of objects: a page has some
hundred blocks and each is looked at many times. Nothing is judged here; what a block is worth is
for `features` and `choose` to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_BLOCKS: Final = 8_000
"""Blocks of one page; the longest articles have some 2,000, a listing of everything has more."""

MAX_BLOCK_TEXT: Final = 1_000_000
"""Characters of one block; a novel has as many, and whoever sends more in one paragraph wants harm."""

# Kinds of blocks by number, in the order of `model.BlockKind`.
TEXT, PARAGRAPH, HEADING, ITEM, TERM, DEFINITION, CELL, QUOTE, CODE, CAPTION, ALT = range(11)

# What the walk does at an element.
_INLINE, _MARK, _LINK, _BLOCK, _SKIP, _BREAK, _IMAGE = range(7)

_INLINE_TAGS = """abbr acronym bdi bdo big cite data dfn font ins label mark meter nobr output q rb rp
    rt ruby s small span strike sub sup time tt u wbr math mi mn mo mrow msup msub mtext semantics
    picture slot"""
_MARK_TAGS = "b strong i em code kbd samp var del"
_BLOCK_TAGS = """address article aside blockquote body caption center dd details dir div dl dt
    fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main ol p pre
    search section summary table tbody td tfoot th thead tr ul xmp listing plaintext"""
_SKIP_TAGS = """script style noscript template svg iframe object embed video audio canvas select
    option optgroup button input textarea datalist map head title meta link base noembed noframes
    frameset progress param source track dialog menu annotation col colgroup"""
_APART_TAGS = "nav footer"
"""Half of a page's blocks and next to none of its body: entered only when nothing else is found."""

_ROLES: Final = {
    **dict.fromkeys(_INLINE_TAGS.split(), _INLINE),
    **dict.fromkeys(_MARK_TAGS.split(), _MARK),
    **dict.fromkeys(_BLOCK_TAGS.split(), _BLOCK),
    **dict.fromkeys(_SKIP_TAGS.split(), _SKIP),
    **dict.fromkeys(_APART_TAGS.split(), _BLOCK),
    "a": _LINK,
    "br": _BREAK,
    "img": _IMAGE,
}
_KIND_OF_TAG: Final = {
    "p": PARAGRAPH,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    "li": ITEM,
    "dt": TERM,
    "dd": DEFINITION,
    **dict.fromkeys(("td", "th"), CELL),
    "blockquote": QUOTE,
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), CODE),
    **dict.fromkeys(("figcaption", "caption"), CAPTION),
}
_INHERITED: Final = frozenset({ITEM, DEFINITION, CELL, QUOTE, CODE, CAPTION, HEADING})
"""Kinds that the text of plain elements inside takes over: a `p` in a `li` is part of an item."""
_PLAIN_TAGS: Final = frozenset(("p", "div", "center", "address", "figure", ""))

_LINE_BREAK: Final = "\x0b"  # stands for a `br` until white space is collapsed
_PHRASE_ENDS: Final = frozenset(".!?…:")


_Tag: TypeAlias = "tuple[str, int]"
"""A tag's name and role; a bare tuple, for the walk takes some thousand of them apart."""
_Open: TypeAlias = "tuple[LexborNode, int, str, int]"
"""An element that is open: its node, its role and tag, and the parts of its block before it."""


def _tag_table(*, everything: bool) -> dict[int, _Tag]:
    """The parser's own number of every tag we know, to its name and role."""
    page = LexborHTMLParser("")
    apart = () if everything else _APART_TAGS.split()
    table: dict[int, _Tag] = {_COMMENT_NODE: ("", _SKIP)}
    for name, role in _ROLES.items():
        table[page.create_node(name).tag_id] = (name, _SKIP if name in apart else role)
    return table


_TEXT_NODE: Final = 2  # lexbor's own numbers of what is no element
_COMMENT_NODE: Final = 4
_MOST_TAGS: Final = _tag_table(everything=False)
_ALL_TAGS: Final = _tag_table(everything=True)


@dataclass(slots=True)
class Columns:
    """What the walk saw, as parallel lists: elements first, then blocks."""

    # one entry per block-level element, in order of opening
    parent: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    node: list[LexborNode] = field(default_factory=list)
    gives: list[int] = field(default_factory=list)
    """The kind that text directly in the element has."""

    # one entry per block
    text: list[str] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    """The element a block stands in."""
    chars: list[int] = field(default_factory=list)
    """Its characters, white space of the source included: only good for shares."""
    linked: list[int] = field(default_factory=list)
    """How many of those are link text."""
    spans: dict[int, list[Span]] = field(default_factory=dict)
    """Block to its links and marks."""
    parts: dict[int, list[str]] = field(default_factory=dict)
    """The raw pieces of the blocks that have spans."""
    images: list[PlacedImage] = field(default_factory=list)
    """Every image, whether it says something of itself or not."""
    cut: bool = False
    """Whether there was more than `MAX_BLOCKS` or `MAX_BLOCK_TEXT` let in."""


Span: TypeAlias = "tuple[int, int, str, LexborNode]"
"""A link or mark in a block: its first part, the part after its last, its tag, its node."""
PlacedImage: TypeAlias = "tuple[int, LexborNode, bool]"
"""An image: the number of the block before which it stands, its node, whether it is in a link."""


def lay_out(root: LexborNode | None, *, everything: bool = False, marks: bool = True) -> Columns:
    """The blocks under `root` in order; navigation and footers only with `everything`.

    Without `marks` the links and emphases inside of blocks are not kept.
    """
    columns = Columns()
    if root is not None:
        draft = _BlockDraft(columns)
        draft.waiting.append((root, _BLOCK, "body", 0))
        draft.open_waiting()
        _walk(draft, root, _ALL_TAGS if everything else _MOST_TAGS, marks)
    return columns


def drawn_as(attributes: Mapping[str, str | None]) -> Drawn:
    """How an element says it is drawn; most say nothing."""
    if "hidden" in attributes:
        return "hidden"
    style = attributes.get("style")
    if not style:
        return ""
    drawn = [_DRAWINGS.get(value.lower(), "") for value in _STYLE.findall(style)]
    return "hidden" if "hidden" in drawn else "apart" if "apart" in drawn else ""


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_unseen(names: str) -> bool:
    """Whether one of the names of a class is one of these, as a style sheet would have it."""
    return is_unseen_name(names) and not _UNSEEN_NAMES.isdisjoint(names.split())


def is_unseen_name(names: str) -> bool:
    """Whether a class is one of those that keep a text for screen readers alone."""
    if "-only" not in names and "hidden" not in names and "reader" not in names:
        return False
    return any(map(names.__contains__, UNSEEN_NAMES))


Drawn: TypeAlias = Literal["hidden", "apart", ""]
UNSEEN_NAMES: Final = ("sr-only", "visually-hidden", "screen-reader-text")
_UNSEEN_NAMES: Final = frozenset(UNSEEN_NAMES)
_STYLE: Final = re.compile(
    r"(?:^|[;\s])(?:display|visibility)\s{0,9}:\s{0,9}([a-z-]{1,20})", re.IGNORECASE
)
_DRAWINGS: Final[dict[str, Drawn]] = {
    **dict.fromkeys(("none", "hidden", "collapse"), "hidden"),
    **dict.fromkeys(("block", "flex", "grid", "table", "list-item"), "apart"),
}


def _walk(  # noqa: C901 - one loop on purpose: a call per node would double its time
    draft: _BlockDraft,
    root: LexborNode,
    tags: dict[int, _Tag],
    marks: bool,
) -> None:
    """Fills the columns, node by node in order.

    Elements wait until text stands in them: most of a page's elements hold none. Words of two elements
    that touch each other are kept apart where they are not one word, for they are drawn apart.
    """
    parts, waiting, parent = draft.parts, draft.waiting, draft.columns.parent
    path: list[_Open] = []
    lines: list[int] = []  # how deep the elements stand that are drawn as lines
    in_link = 0
    ended = touches = False
    node = root.first_child
    while node is not None:
        number = node.tag_id
        if number == _TEXT_NODE:
            words = node.text_content
            if words and not words.isspace():
                if not parts:
                    draft.start()
                elif ended:
                    if words[0].isupper() and _are_two(parts[-1], words, touches):
                        parts.append(" ")
                    ended = touches = False
                parts.append(words)
                if in_link:
                    draft.linked += len(words)
            elif parts:
                parts.append(" ")
        else:
            tag, role = tags.get(number) or _stranger(node)
            if role == _BLOCK:
                if parts:
                    draft.close()
                child = node.first_child
                if child is not None:
                    opened = (node, role, tag, 0)
                    waiting.append(opened)
                    path.append(opened)
                    node = child
                    continue
            elif role < _BLOCK:
                child = node.first_child
                if child is not None:
                    touches = ended
                    # Parts of sentences alone: of whole blocks that nobody sees, who decides looks at the names.
                    drawn: Drawn = ""
                    if attributes := node.attributes:
                        if "style" in attributes or "hidden" in attributes:
                            drawn = drawn_as(attributes)
                        if not drawn and (names := attributes.get("class")) and _is_unseen(names):
                            drawn = "hidden"
                    if drawn != "hidden":
                        if drawn == "apart":
                            draft.draw_line()
                            lines.append(len(path))
                        if role == _LINK:
                            in_link += 1
                        path.append((node, role, tag, len(parts)))
                        node = child
                        continue
            elif role == _BREAK:
                draft.break_line()
            elif role == _IMAGE:
                draft.add_image(node, bool(in_link))
        following = node.next
        while following is None and path:
            node, role, tag, start = path.pop()
            if role == _BLOCK:
                if parts:
                    draft.close()
                if waiting:
                    waiting.pop()
                else:
                    draft.here = parent[draft.here]
            else:
                ended = True
                if role != _INLINE:
                    in_link -= role == _LINK
                    if marks:
                        draft.add_span(start, tag, node)
                if lines and lines[-1] == len(path):
                    lines.pop()
                    draft.draw_line()
            following = node.next
        node = following
    draft.close()


def _are_two(before: str, after: str, touches: bool) -> bool:
    """Whether two texts are words of their own: "Weather" and "Storm", "What now?" and "The".

    `touches` when both stand in elements; "You" and "Tube" are one word where only one of them does.
    """
    last = before[-1]
    if last in _PHRASE_ENDS:
        return after[1:2].islower()
    return touches and (last.islower() or (last.isdigit() and after[1:2].islower()))


def _stranger(node: LexborNode) -> _Tag:
    """A tag that HTML does not know: a web component holds blocks, `o:p` is a turn of phrase."""
    name = node.tag or ""
    if name.startswith("-"):
        return name, _SKIP
    return "", _BLOCK if "-" in name else _INLINE


def inherited_kind(kind: int, tag: str) -> int:
    """What text in an element is, inside one whose text is of a kind."""
    if kind in _INHERITED and tag in _PLAIN_TAGS:
        return kind
    return _KIND_OF_TAG.get(tag, TEXT)


class _BlockDraft:
    """The block that is being collected."""

    __slots__ = ("alts", "columns", "here", "home", "linked", "parts", "spans", "waiting")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parts: list[str] = []
        self.spans: list[Span] = []
        self.alts: list[tuple[str, int, bool]] = []
        self.waiting: list[_Open] = []
        self.here = -1
        self.home = 0
        self.linked = 0

    def start(self) -> None:
        """Begins a block here; the elements around it are now known to hold text."""
        if self.waiting:
            self.open_waiting()
        self.home = self.here

    def open_waiting(self) -> None:
        """Enters the elements that wait for text into the columns, outermost first."""
        columns, here = self.columns, self.here
        gives = columns.gives
        kind = gives[here] if here >= 0 else TEXT
        for node, _, tag, _ in self.waiting:
            if tag not in _PLAIN_TAGS or kind not in _INHERITED:  # as `inherited_kind` has it
                kind = _KIND_OF_TAG.get(tag, TEXT)
            columns.parent.append(here)
            columns.tag.append(tag)
            columns.node.append(node)
            here = len(gives)
            gives.append(kind)
        self.waiting.clear()
        self.here = here

    def close(self) -> None:
        """Ends the block, and starts an empty one with the same list of parts."""
        columns, parts = self.columns, self.parts
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        if len(raw) > MAX_BLOCK_TEXT:
            raw = raw[:MAX_BLOCK_TEXT]
            columns.cut = True
        kind = columns.gives[self.home]
        text = _code_text(raw) if kind == CODE else tidy(raw)
        if text:
            if self.spans:
                columns.spans[len(columns.text)] = self.spans
                columns.parts[len(columns.text)] = parts.copy()
                self.spans = []
            self._put(text, kind, self.home, len(raw), self.linked)
        parts.clear()
        self.linked = 0
        if self.alts:
            self._put_images()

    def break_line(self) -> None:
        """A `br`: two in a row part paragraphs, as old pages do it."""
        parts = self.parts
        if not parts:
            return
        last = len(parts) - 1
        while last >= 0 and parts[last] == " ":
            last -= 1
        if last >= 0 and parts[last] == _LINE_BREAK and self.columns.gives[self.home] != CODE:
            self.close()
        else:
            parts.append(_LINE_BREAK)

    def draw_line(self) -> None:
        """An element that is drawn as a line begins or ends here."""
        if self.parts and self.parts[-1] != _LINE_BREAK:
            self.parts.append(_LINE_BREAK)

    def add_span(self, start: int, tag: str, node: LexborNode) -> None:
        """Notes a link or mark that has just ended, unless it held no text."""
        if start < len(self.parts):
            self.spans.append((start, len(self.parts), tag, node))

    def add_image(self, node: LexborNode, in_link: bool) -> None:
        """Keeps what an image says of itself; inside a sentence it waits for the sentence's end."""
        columns = self.columns
        columns.images.append((len(columns.text) + bool(self.parts), node, in_link))
        alt = tidy(node.attributes.get("alt") or "")
        if not alt:
            return
        if self.parts:
            self.alts.append((alt, self.here, in_link))
            return
        self.start()
        self.alts.append((alt, self.here, in_link))
        self._put_images()

    def _put_images(self) -> None:
        for alt, home, in_link in self.alts:
            self._put(alt, ALT, home, len(alt), len(alt) if in_link else 0)
        self.alts.clear()

    def _put(self, text: str, kind: int, home: int, chars: int, linked: int) -> None:
        columns = self.columns
        if len(columns.text) >= MAX_BLOCKS:
            columns.cut = True
            return
        columns.text.append(text)
        columns.kind.append(kind)
        columns.home.append(home)
        columns.chars.append(chars)
        columns.linked.append(linked)


_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff\ufffe\uffff]"
)
"""Control characters and blanks of no width; joiners stay, since scripts and emoji need them."""


def tidy(raw: str) -> str:
    """Text with its white space collapsed, line breaks of the page kept, unseen marks gone."""
    if raw.isprintable() and "  " not in raw:
        return raw.strip(" ")  # single blanks are all its white space
    if _LINE_BREAK in raw:
        lines = (" ".join(line.split()) for line in raw.split(_LINE_BREAK))
        text = "\n".join(lines).strip("\n")
    else:
        text = " ".join(raw.split())
    return text if text.isprintable() else _UNSEEN.sub("", text)


def _code_text(raw: str) -> str:
    """Text of which every blank counts."""
    text = raw.replace("\r\n", "\n").replace(_LINE_BREAK, "\n").strip("\n")
    return _UNSEEN.sub("", text.rstrip())
