"""A plain text as a page: its paragraphs, and a first line that stands alone as the title."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import Final

from wireroom.parse.article.body_choice import ChosenBody
from wireroom.parse.article.declared_body import all_blocks, body_of
from wireroom.parse.encoding import decode
from wireroom.parse.html import MAX_BYTES, Page, open_page
from wireroom.parse.plain_text import clean

TEXT_SOURCE: Final = "plain text"
LONGEST_TITLE: Final = 150  # characters of a first line that may be a title
MAX_PARAGRAPHS: Final = 20_000  # more are a log or a table
CONFIDENCE: Final = 0.8  # nothing in a plain text says what it is
_APART: Final = re.compile(r"\n[ \t]*\n\s*")
_NO_TITLE: Final = ".,;:。．"  # how sentences end, and titles do not


def open_text(body: bytes | str, *, url: str, content_type: str) -> Page:
    """The page that a plain text would be."""
    body = body[:MAX_BYTES]
    if isinstance(body, str):
        return open_page(_markup(body), url=url)
    decoded = decode(body, content_type=content_type, kind="text")
    return replace(
        open_page(_markup(decoded.text), url=url),
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        encoding_fallback=decoded.fallback,
        lossy=decoded.lossy,
    )


def choose_text(page: Page) -> ChosenBody:
    """All of it but the title."""
    blocks = all_blocks(page.tree, TEXT_SOURCE)
    if blocks and blocks[0].kind == "heading":
        blocks = blocks[1:]
    return ChosenBody(body=body_of(blocks, confidence=CONFIDENCE), source=TEXT_SOURCE)


def _markup(text: str) -> str:
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n").strip()
    parts = _APART.split(text, maxsplit=MAX_PARAGRAPHS)
    heading = ""
    first = parts[0]
    if len(parts) > 1 and len(first) <= LONGEST_TITLE and first[-1:] not in _NO_TITLE:
        heading, parts = f"<h1>{escape(first)}</h1>", parts[1:]
    return heading + "".join(f"<p>{escape(part)}</p>" for part in parts)
