"""What others say the article is: the text in linked data, the content of the feed's item.

Such a text is exact when it is whole, and sometimes cut short. It serves as an anchor for the body's
reader, as the body itself where the page holds none, and as a witness when the two disagree.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from wireroom.model import Item
from wireroom.parse.body import ArticleImage, Block, Body, count_words, to_text
from wireroom.parse.body.images import article_images
from wireroom.parse.body.place import place_blocks
from wireroom.parse.body.repair import lay_out_repaired
from wireroom.parse.html import Page, open_page
from wireroom.parse.metadata.jsonld import about_page, link_scripts
from wireroom.parse.plain_text import clean, has_markup

LINKED_SOURCE: Final = "json-ld articleBody"
ITEM_SOURCE: Final = "feed content"

MIN_WORDS: Final = 25  # of a declared text that is worth looking at; less is a teaser
LITTLE_TEXT: Final = 100  # words, as the reader of bodies has it
MAX_DECLARED: Final = 500_000  # characters of it that are read
MAX_SCRIPTS: Final = 60  # of linked data, looked through for it
MAX_COMPARED: Final = 20_000  # characters of each text that are compared

_WORD: Final = re.compile(r"\w+")


class DeclaredBody(NamedTuple):
    """A text that another source calls the article."""

    text: str
    source: str
    blocks: tuple[Block, ...]


def declared_bodies(page: Page, *, json_ld: bool, item: Item | None) -> tuple[DeclaredBody, ...]:
    """What linked data and the feed's item tell, the surest first; mostly nothing."""
    bodies = []
    if json_ld and (text := _article_body(page)):
        bodies.append(_declared(text, LINKED_SOURCE))
    if item is not None and item.content_html:
        bodies.append(_declared(item.content_html, ITEM_SOURCE))
    return tuple(body for body in bodies if body is not None)


def _article_body(page: Page) -> str:
    scripts = page.elements.data_scripts()[:MAX_SCRIPTS]
    telling = [text for text in scripts if "articleBody" in text]  # on one page of ten
    if not telling:
        return ""
    data = link_scripts(telling)
    for node in about_page(data.nodes, [page.url]):
        value: Any = node.get("articleBody")
        if isinstance(value, list):
            value = "\n\n".join(text for text in value if isinstance(text, str))
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _declared(markup: str, source: str) -> DeclaredBody | None:
    markup = markup[:MAX_DECLARED]
    blocks = _blocks(markup, source)
    text = to_text(blocks)
    return DeclaredBody(text, source, blocks) if count_words(text) >= MIN_WORDS else None


def _blocks(markup: str, source: str) -> tuple[Block, ...]:
    """The blocks of a piece of markup or plain text, all kept."""
    if has_markup(markup):
        return all_blocks(open_page(markup).tree, source)
    text = clean(unescape(markup))  # JSON needs no references; many pages write them all the same
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\r\n|\n|\r", text))
    return tuple(
        Block(kind="paragraph", text=part, kept=True, probability=1.0, reason=source)
        for part in parts
        if part
    )


def all_blocks(
    tree: LexborHTMLParser, source: str, *, base_url: str | None = None
) -> tuple[Block, ...]:
    """Every block of a tree, kept because `source` says so."""
    columns = lay_out_repaired(tree.body, everything=True)
    decisions = ((block, (True, 1.0, source)) for block in range(len(columns.text)))
    return place_blocks(columns, decisions, base_url=base_url)


def all_images(tree: LexborHTMLParser, base_url: str) -> tuple[ArticleImage, ...]:
    """The images among `all_blocks` of a tree."""
    columns = lay_out_repaired(tree.body, everything=True)
    numbers = range(len(columns.text))
    return article_images(columns, numbers, [True] * len(numbers), base_url)


def body_of(
    blocks: tuple[Block, ...],
    *,
    confidence: float,
    doubts: tuple[str, ...] = (),
    captions: bool = False,
) -> Body:
    """A body that somebody else chose; little text is doubtful whoever chose it."""
    text = to_text(blocks, captions=captions)
    words = count_words(text)
    if words < LITTLE_TEXT:
        confidence *= 0.5 + 0.5 * words / LITTLE_TEXT if words else 0.0
        doubts = (*doubts, "little text")
    return Body(
        text=text,
        blocks=blocks,
        word_count=words,
        confidence=round(confidence, 3),
        doubts=doubts,
        with_captions=captions,
    )


class Overlap(NamedTuple):
    """How much two texts share: of our words those declared, of the declared words those we have."""

    ours: float
    theirs: float


def overlap(text: str, message: str) -> Overlap:
    """Counted by words, each as often as it stands there; only the beginnings are compared."""
    length = min(MAX_COMPARED, max(len(text), len(message)))
    found = Counter(_WORD.findall(text[:length].lower()))
    wanted = Counter(_WORD.findall(message[:length].lower()))
    both = (found & wanted).total()
    return Overlap(both / (found.total() or 1), both / (wanted.total() or 1))
