"""HTML bytes become one tree, for the body, the metadata and the links alike.

The parser (lexbor) is quick on every real page, but takes time that grows with the square of nesting
and of attributes in one tag. So a cheap look over the bytes comes first: a page that could be such a
trap is scanned tag by tag and cut to named limits, and the page says what was cut. Pure: no address
is opened. What the tree means is for others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Final, Literal

from lxml import etree
from lxml import html as lxml_html
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

from wireroom.errors import ParseError
from wireroom.parse.elements import TellingElements, telling_elements
from wireroom.parse.encoding import Decoded, decode

Cut = Literal["bytes", "tags", "depth", "attributes", "tag length", "end"]
"""What was more than we take; or the page ends inside a tag, and browsers drop what that says."""

MAX_BYTES: Final = 10_000_000  # the fetch room takes no larger page either
MAX_TAGS: Final = 100_000  # the longest real pages have some 60,000
MAX_DEPTH: Final = 500  # browsers stop at 512
MAX_ATTRIBUTES: Final = 300  # in one tag; real tags have up to some 40
MAX_HIDDEN: Final = (
    5_000  # the same of what looks like a tag in a script: it takes the parser 0.03 s if it is one
)
MAX_TAG_LENGTH: Final = 2_000_000  # bytes; images inside an attribute reach hundreds of kilobytes

SAFE_TAGS: Final = 10_000  # if all of these are nested in one another the parser takes 0.2 s
SAFE_TAG_LENGTH: Final = 60_000  # bytes; on larger pages less, for each tag takes the parser 0.3 s
SAFE_WORK: Final = 14_000_000_000  # bytes of a page by those of a tag: all its tags that long take the parser a second
MAX_SQUARES: Final = 250_000_000  # attributes of longer tags, squared and summed: 0.3 s
WINDOW: Final = SAFE_TAG_LENGTH // 2  # bytes; every longer tag fills a whole window
LOOKS: Final = 3  # at different brackets of a window, for one that shows that tags end there
MOST_READ_AGAIN: Final = 200_000  # bytes in tags within tags, beside twice the page
LOOK_BACK: Final = (
    100  # open elements among which an end tag looks for its own; more is not well-meant
)
MIN_LOST_TEXT: Final = 20  # letters in the bytes that make a tree without text suspicious
LOST_TEXT_LOOK: Final = 200_000  # bytes that are searched for them

# What follows a tag's name, read as browsers read it: attribute by attribute, for only a quote behind the `=` of one hides
# a `>`, and an `=` where a name should begin is part of that name.
_NAME: Final = rb"[^\s/>][^\s/>=]*+"
_VALUE: Final = rb"""\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+"""
_REST: Final = rb"(?:[\s/]++|" + _NAME + rb"(?:\s*+=" + _VALUE + rb")?+)*+"
_ANY_TAG: Final = re.compile(rb"<(?=(/?+[a-zA-Z][^\s/>]*+" + _REST + rb"))")
"""A tag wherever it may begin, in others as well."""
# What is left of a tag behind a value with quotes, as far as one looks: the last value may go on behind that.
_REST_OF_TAG: Final = re.compile(
    _REST.replace(rb'[^"]*+"', rb'[^"]*+(?:"|\Z)').replace(rb"[^']*+'", rb"[^']*+(?:'|\Z)")
)
_TAG: Final = re.compile(
    rb"<(?:!--(?P<comment>)|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]{0,60})[^\s/>]*+"
    rb"(?P<rest>" + _REST + rb")(?P<close>>?))"
)
# One attribute from where the last one ended: matched, never searched for, so that no byte is read twice.
_ATTRIBUTE: Final = re.compile(
    rb"""[\s/]*+=?+[^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
)
# Elements without content, and those whose end is usually not written: neither adds to the depth.
_NO_DEPTH: Final = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"p li td th tr dt dd option optgroup tbody thead tfoot".split()
)
_DRAWING: Final = frozenset(
    b"svg g path circle ellipse line polygon polyline rect use image stop defs text tspan "
    b"lineargradient radialgradient clippath mask symbol title desc animate filter".split()
)
"""Tags of drawings, in which a tag that ends in a slash is an element without content."""
_SCOPES: Final = frozenset(b"table caption object marquee applet template button".split())
"""What an end tag inside does not look beyond, unless it is one of these itself."""
_RAW_TEXT: Final = frozenset(
    b"script style textarea title xmp iframe noembed noframes noscript".split()
)
_HIDDEN_TEXT: Final = frozenset(
    ("script", "style", "noscript", "template", "title", "textarea", "svg", "iframe", "head")
)
_NOT_TEXT: Final = (
    (b"<!--", b"-->"),
    *((b"<" + name, b"</" + name) for name in b"script style noscript template title svg".split()),
)
_SWALLOWING: Final = (
    (b"<!--", b"-->"),
    *((b"<" + name, b"</" + name) for name in b"title textarea noscript xmp iframe".split()),
)

_NO_BYTES: Final = Decoded("", "", "default")  # of a text: nobody had to decode it


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """A page's tree, where it came from and what is missing from it."""

    tree: LexborHTMLParser
    url: str = ""
    encoding: str = ""
    encoding_source: str = ""
    encoding_fallback: bool = False
    """What the server or the page declared did not hold, or nothing was known at all."""
    lossy: bool = False
    """Bytes that could not be decoded were replaced."""
    cut: tuple[Cut, ...] = ()
    parser: Literal["lexbor", "lxml"] = "lexbor"
    """lxml when lexbor saw no text although the bytes held some."""

    @cached_property
    def elements(self) -> TellingElements:
        """What says something of the page by its tag or an attribute; looked for once."""
        return telling_elements(self.tree)


def open_page(body: bytes | str, *, url: str = "", content_type: str = "") -> Page:
    """The page's tree; the bytes decide the encoding, `content_type` is a hint."""
    cut: list[Cut] = []
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        cut.append("bytes")
    if isinstance(body, str):
        markup, decoded = _utf8(body), _NO_BYTES
    else:
        decoded = decode(body, content_type=content_type)
        as_it_is = decoded.encoding == "utf-8" and decoded.source != "mostly utf-8"
        markup = body if as_it_is else _utf8(decoded.text)
    if _ends_in_meta(markup):
        cut.append("end")
    markup, more = _within_limits(markup)
    cut.extend(more)
    tree, parser = _parse(markup)
    return Page(
        tree=tree,
        url=url,
        encoding=decoded.encoding,
        encoding_source="text" if decoded is _NO_BYTES else decoded.source,
        encoding_fallback=decoded.fallback,
        lossy=decoded.lossy,
        cut=tuple(cut),
        parser=parser,
    )


_LAST_META: Final = 70_000  # bytes at the end of a page; no longer tag is read
_WHOLE_META: Final = re.compile(rb"""<meta(?:[^"'>]|"[^"]*"|'[^']*')*>""")


def _ends_in_meta(markup: bytes) -> bool:
    """Whether the last meta tag has no end: its answer was cut there, or it is meant not to be read."""
    end = markup[-_LAST_META:].lower()
    start = end.rfind(b"<meta")
    return start >= 0 and _WHOLE_META.match(end, start) is None


def _utf8(text: str) -> bytes:
    """The text as the parser wants it; lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def _parse(markup: bytes) -> tuple[LexborHTMLParser, Literal["lexbor", "lxml"]]:
    tree = _lexbor(markup)
    if _has_text(tree) or not _holds_text(markup):
        return tree, "lexbor"
    rescued = _lexbor(_as_lxml_reads_it(markup))
    return (rescued, "lxml") if _has_text(rescued) else (tree, "lexbor")


def _lexbor(markup: bytes) -> LexborHTMLParser:
    """One parse. With scripting on, a tracking image in a head's noscript does not end the head."""
    try:
        return LexborHTMLParser(markup, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
    except (SelectolaxError, ValueError, MemoryError) as exc:
        raise ParseError("The page could not be read as HTML.") from exc


def _has_text(tree: LexborHTMLParser) -> bool:
    """Whether any text would be seen; ends at the first."""
    waiting = [tree.body]
    while waiting:
        node = waiting.pop()
        while node is not None:
            text = node.text_content
            if text is not None:
                if not text.isspace():
                    return True
            elif node.tag not in _HIDDEN_TEXT:
                waiting.append(node.first_child)
            node = node.next
    return False


def _holds_text(markup: bytes) -> bool:
    """Whether something that reads like text is left when tags and scripts are taken away."""
    start = markup[:LOST_TEXT_LOOK].lower()
    for opening, closing in _NOT_TEXT:
        start = _without(start, opening, closing)
    visible = b" ".join(piece.rpartition(b">")[2] for piece in start.split(b"<"))
    letters = sum(map(str.isalpha, visible.decode("utf-8", "replace")))
    return letters >= MIN_LOST_TEXT


def _without(markup: bytes, opening: bytes, closing: bytes) -> bytes:
    """The markup without what stands between the two; an opening without an end is let stand."""
    pieces, place = [], 0
    while (start := markup.find(opening, place)) >= 0:
        end = markup.find(closing, start + len(opening))
        if end < 0:
            break
        pieces.append(markup[place:start])
        place = end + len(closing)
    pieces.append(markup[place:])
    return b" ".join(pieces)


def _as_lxml_reads_it(markup: bytes) -> bytes:
    """The page as the other parser repairs it, written out again; empty if it cannot either."""
    parser = lxml_html.HTMLParser(encoding="utf-8", recover=True, no_network=True, huge_tree=False)
    try:
        mended = _without_open_ends(markup.replace(b"\x00", b""))
        root = lxml_html.document_fromstring(mended, parser=parser)
        etree.strip_elements(root, etree.Comment, "script", "style", with_tail=False)
        etree.strip_tags(root, "frameset", "noframes")
        repaired: bytes = etree.tostring(root, method="html", encoding="utf-8")
    except (etree.LxmlError, ValueError, AssertionError):
        return b""
    return repaired


def _without_open_ends(markup: bytes) -> bytes:
    """The markup without the last comment or title that nobody closed: it swallows the page."""
    lower = markup.lower()
    for opening, closing in _SWALLOWING:
        start = lower.rfind(opening)
        if start >= 0 and lower.find(closing, start) < 0:
            markup = markup[:start] + b"<p>" + markup[start + len(opening) :].lstrip(b">")
            lower = markup.lower()
    return markup


def _within_limits(markup: bytes) -> tuple[bytes, list[Cut]]:
    """The markup itself where it cannot be a trap, else a copy cut to the limits."""
    safe = min(SAFE_TAG_LENGTH, SAFE_WORK // (len(markup) or 1))
    if markup.count(b"<") <= SAFE_TAGS and not _is_trap(markup, safe):
        return markup, []
    kept, cut = _Scissors(markup).run()
    kept, more = _without_hidden_attributes(kept, safe)
    return kept, [*dict.fromkeys((*cut, *more))]


def _is_trap(markup: bytes, safe: int) -> bool:
    """Whether a tag is very long, or many that are longer than is safe have many attributes."""
    left = MAX_SQUARES
    for start, end in _long_tags(markup, safe):
        if end - start > SAFE_TAG_LENGTH:
            return True
        left -= _attributes(markup, start, end, SAFE_TAG_LENGTH)[0] ** 2
        if left < 0:
            return True
    return False


def _attributes(markup: bytes, place: int, end: int, most: int) -> tuple[int, int]:
    """How many attributes stand there, up to `most`, and where the last of them ends."""
    for count in range(most):
        found = _ATTRIBUTE.match(markup, place, end)
        if found is None or found.end() == place:
            return count, place
        place = found.end()
    return most, place


def _long_tags(markup: bytes, safe: int) -> Iterator[tuple[int, int]]:
    """Where tags begin and end that are longer than is safe, wherever a parser may see tags begin.

    Scripts, comments and the like are not told from the rest, for parsers differ in where these end: each `<` before
    a letter counts, also one inside of another tag. Of the same bytes only so much is read again; who makes
    us do more gets the rest of the page as one long tag.
    """
    budget = MOST_READ_AGAIN + 2 * len(markup)
    for begin, last in _doubtful(markup, safe // 2):
        for tag in _ANY_TAG.finditer(markup, begin):
            start, end = tag.span(1)
            if start > last:
                break
            budget -= end - start
            if budget < 0:
                yield start, len(markup)
                return
            if end - start > safe:
                yield start, end


def _doubtful(markup: bytes, window: int) -> list[tuple[int, int]]:
    """The places between which a tag would have to begin to go through a window in which none is known to end."""
    found: dict[int, int] = {}
    begin = 0  # before it no tag begins that goes on until here
    is_long = len(markup) > MAX_TAG_LENGTH
    for start in range(0, len(markup) - window + 1, window):
        ends = _ends_in(markup, start, start + window)
        if ends:
            begin = start
        elif ends is False or is_long:
            found[begin] = start
    return list(found.items())


def _ends_in(markup: bytes, start: int, end: int) -> bool | None:
    """Whether any tag that enters a window ends in it, by a glance; None if it can only be one value.

    A tag that goes through a whole window goes over its brackets in values with quotes. If it ends within the
    window from the next such quote on, whichever of the two it is, there is no such tag. Scripts may look like
    such tags: no is no proof, yes is one.
    """
    bracket = start
    for look in range(start, end, (end - start) // LOOKS):
        bracket = markup.find(b">", max(look, bracket), end)
        if bracket < 0:
            return False
        ends = [_ends_behind(quote, markup, start, bracket, end) for quote in (b'"', b"'")]
        if False not in ends:
            return None if None in ends else True
    return False


def _ends_behind(quote: bytes, markup: bytes, start: int, bracket: int, end: int) -> bool | None:
    """The same for a tag that has a bracket in a value with these quotes."""
    place = markup.find(quote, bracket, end)
    if place < 0:
        return False if markup.find(quote, start, bracket) >= 0 else None
    rest = _REST_OF_TAG.match(markup, place + 1, end)
    return rest is not None and rest.end() < end


def _without_hidden_attributes(markup: bytes, safe: int) -> tuple[bytes, list[Cut]]:
    """The markup without the attributes of tags that the scan from tag to tag took for something else."""
    pieces: list[bytes] = []
    kept = 0
    left = MAX_SQUARES
    for start, end in _long_tags(markup, safe):
        is_long = end - start > SAFE_TAG_LENGTH
        if is_long and end == len(markup):  # nobody closed it, or too much was read again
            return b"".join((*pieces, markup[kept:start])), ["tag length"]
        most = max(min(MAX_HIDDEN, isqrt(max(left, 0))), MAX_ATTRIBUTES)
        count, place = _attributes(markup, max(kept, start), end, most)
        left -= count**2
        if count == most and place < end:
            pieces.append(markup[kept:place])
            kept = end
    return (b"".join((*pieces, markup[kept:])), ["attributes"]) if pieces else (markup, [])


class _Scissors:
    """A scan from tag to tag that leaves out what is too deep, too long or too much."""

    __slots__ = ("cut", "drawing", "kept", "markup", "open", "pieces", "waiting")

    def __init__(self, markup: bytes) -> None:
        self.markup = markup
        self.pieces: list[bytes] = []
        self.kept = 0  # everything before has been copied or left out
        self.open: list[
            tuple[bytes, bool]
        ] = []  # names from the root down, and whether they were kept
        self.waiting: Counter[bytes] = Counter()  # how many of each name are open
        self.drawing = False
        self.cut: list[Cut] = []

    def run(self) -> tuple[bytes, list[Cut]]:
        """The markup within the limits, and which of them were needed."""
        place = tags = 0
        end = len(self.markup)
        while tags <= MAX_TAGS and (found := _TAG.search(self.markup, place)):
            tags += 1
            place = self._past(found)
        if tags > MAX_TAGS:
            end = place
            self._say("tags")
        if not self.cut:
            return self.markup, []
        self.pieces.append(self.markup[self.kept : end])
        return b"".join(self.pieces), self.cut

    def _past(self, tag: re.Match[bytes]) -> int:
        """Judges one tag; where to look for the next comes back."""
        if tag["comment"] is not None:
            after = self.markup.find(b"-->", tag.end())
            return after + 3 if after >= 0 else len(self.markup)
        if not tag["close"]:
            return self._past_unclosed(tag)
        name = tag["name"].lower()
        if tag["end"]:
            self._judge_end(tag, name)
            return tag.end()
        self._judge_start(tag, name)
        return self._past_raw_text(tag, name) if name in _RAW_TEXT else tag.end()

    def _past_unclosed(self, tag: re.Match[bytes]) -> int:
        """A quote without its partner: the tag may go on to the end of the page."""
        after = self.markup.find(b">", tag.end())
        after = len(self.markup) if after < 0 else after + 1
        if after - tag.start() > SAFE_TAG_LENGTH:
            self._leave_out(tag.start(), after, "tag length")
        return after

    def _past_raw_text(self, tag: re.Match[bytes], name: bytes) -> int:
        ending = re.compile(rb"</" + re.escape(name) + rb"[\s/>]", re.IGNORECASE)
        found = ending.search(self.markup, tag.end())
        return found.start() if found else len(self.markup)

    def _judge_end(self, tag: re.Match[bytes], name: bytes) -> None:
        """Closes what the tag closes; one that closes nothing must not make room for more."""
        if not self.waiting[name]:
            return
        for place in range(len(self.open) - 1, max(-1, len(self.open) - 1 - LOOK_BACK), -1):
            held, kept = self.open[place]
            if held == name:
                self._close_down_to(place)
                if not kept:
                    self._leave_out(tag.start(), tag.end(), "depth")
                return
            if held in _SCOPES and name not in _SCOPES:
                return  # a cell or an object keeps the end tag from what is outside of it

    def _close_down_to(self, place: int) -> None:
        for name, _ in self.open[place:]:
            self.waiting[name] -= 1
        del self.open[place:]

    def _judge_start(self, tag: re.Match[bytes], name: bytes) -> None:
        if self._adds_depth(tag, name):
            kept = len(self.open) < MAX_DEPTH
            if len(self.open) < MAX_DEPTH + LOOK_BACK:
                self.open.append((name, kept))
                self.waiting[name] += 1
            if not kept:
                self._leave_out(tag.start(), tag.end(), "depth")
                return
        if tag.end() - tag.start() > MAX_TAG_LENGTH:
            self._leave_out(tag.start("rest"), tag.end("rest"), "tag length")
        elif tag.end() - tag.start() > 2 * MAX_ATTRIBUTES:
            self._cut_attributes(tag)

    def _adds_depth(self, tag: re.Match[bytes], name: bytes) -> bool:
        if name in _NO_DEPTH or name in _RAW_TEXT:
            return False
        self.drawing = name == b"svg" or (self.drawing and name in _DRAWING)
        return not (self.drawing and tag["rest"].endswith(b"/"))

    def _cut_attributes(self, tag: re.Match[bytes]) -> None:
        start, end = tag.span("rest")
        count, place = _attributes(self.markup, start, end, MAX_ATTRIBUTES)
        if count == MAX_ATTRIBUTES and place < end:
            self._leave_out(place, end, "attributes")

    def _leave_out(self, start: int, end: int, why: Cut) -> None:
        self.pieces.append(self.markup[self.kept : start])
        self.kept = end
        self._say(why)

    def _say(self, why: Cut) -> None:
        if why not in self.cut:
            self.cut.append(why)
