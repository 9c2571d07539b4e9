"""Long CDATA sections, taken out of a feed before it is parsed and handed to whoever reads them.

Half of what feeds weigh is content in CDATA, of which a parser changes nothing: to carry it around the
parser saves a fifth of the time that a feed takes. A mark stands in the section's place. Only what
fills a `description`, a `summary` or a content is taken, and only where an item has it: everything
else is put back into the tree. Where anything is odd, nothing is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from wireroom.parse.feed.compose import is_dirty
from wireroom.parse.feed.feed_context import MARK, MARK_END
from wireroom.parse.feed.fields import ElementNames
from wireroom.parse.plain_text import clean

MIN_LIFTED: Final = 1_000  # bytes; a shorter section is parsed in the time that it takes to lift it
MAX_TAG: Final = 200  # bytes of the tag in front of it
FIRST_LOOK: Final = 65_536  # bytes; whoever writes sections does so from the first item on

_START: Final = b"<![CDATA["
_END: Final = re.compile(rb"\]\]>")  # finds it in half the time that `bytes.find` takes
_TAG: Final = re.compile(rb"<(description|summary|content|content:encoded)(?:\s[^<>]{0,180})?>\s*+")
_CLOSING: Final = {
    b"<description>": b"</description>",
    b"<content:encoded>": b"</content:encoded>",
    b'<content type="html">': b"</content>",
}
_CONTROLS: Final = bytes({*range(32)} - {9, 10, 13})  # not allowed in XML
_PRIVATE: Final = b"\xee"  # with this the UTF-8 of all of them begins; few texts have it at all
_NAMES: Final = ("{*}description", "{*}summary", "{*}content", "{*}encoded")
_ITEMS: Final = frozenset({"item", "entry"})


class Lifted(NamedTuple):
    """A document with marks in it, and what they stand for."""

    source: bytes
    texts: dict[str, str]


def lift(data: bytes, root: int = 0) -> Lifted | None:
    """The document from its root on, without long sections; None when it has none or is odd."""
    if data.find(_START, root, root + FIRST_LOOK) < 0 or _PRIVATE in data:
        return None
    kept: list[bytes] = []
    texts: dict[str, str] = {}
    looked = copied = root
    while (start := data.find(_START, looked)) >= 0:
        closing = _END.search(data, start)
        if closing is None or _is_in_comment(data, looked, start):
            return None
        looked = closing.end()
        if looked - start < MIN_LIFTED or not _fills_an_element(data, start, looked):
            continue
        text = _text(data[start + len(_START) : closing.start()])
        if text is None:
            return None
        placeholder = f"{MARK}{len(texts)}{MARK_END}"
        texts[placeholder] = text
        kept += (data[copied:start], placeholder.encode())
        copied = looked
    return Lifted(b"".join([*kept, data[copied:]]), texts) if texts else None


def _is_in_comment(data: bytes, place: int, start: int) -> bool:
    """Whether a comment that began after `place` goes on at `start`."""
    if data.find(b"<!--", place, start) < 0:  # backwards it would take three times as long
        return False
    return data.rfind(b"<!--", place, start) > data.rfind(b"-->", place, start)


def _fills_an_element(data: bytes, start: int, end: int) -> bool:
    """Whether the section between these two places is all that one of our elements holds."""
    opening = data[data.rfind(b"<", max(0, start - MAX_TAG), start) : start]
    closing = _CLOSING.get(opening)  # nine of ten stand right behind a tag without attributes
    if closing is None and (tag := _TAG.fullmatch(opening)):
        closing = b"</" + tag[1] + b">"
    if closing is None:
        return False
    return data[end : end + MAX_TAG].lstrip(b" \t\r\n").startswith(closing)


def _text(section: bytes) -> str | None:
    """What the parser would have made of it, clean; None where it would have stumbled."""
    if len(section.translate(None, _CONTROLS)) < len(section):
        return None
    try:
        text = section.decode()
    except UnicodeDecodeError:
        return None
    if is_dirty(section):
        text = clean(text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def put_back(
    root: Any, texts: dict[str, str], names: ElementNames, is_wanted: Callable[[str, Any], bool]
) -> None:
    """Every text into the tree that is not a field of an item which its reader wants by its mark."""
    for element in root.iter(*_NAMES) if texts else ():
        placeholder = (element.text or "").strip()
        text = (
            texts.get(placeholder) if placeholder.startswith(MARK) else None
        )  # no long text is hashed for it
        if text is None:
            continue
        parent = element.getparent()
        is_field = parent is not None and names[parent.tag] in _ITEMS
        if not is_field or not is_wanted(names[element.tag], element):
            element.text = text
