"""Which text is the article's: the operator's selector, the page's blocks, or what others tell.

The page is believed first. A declared text (linked data, the feed) bears witness: where the page's reader has
lost much of it, the page is read again with it known, and where the page holds next to nothing of it,
or something else altogether, it is the text. To read every page with it known would do harm: it holds
bylines and titles too, and is often cut short.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from msgspec import structs
from selectolax.lexbor import LexborNode, SelectolaxError

from wireroom.parse.article.declared_body import (
    DeclaredBody,
    all_blocks,
    all_images,
    body_of,
    declared_bodies,
    overlap,
)
from wireroom.parse.article.types import ExtractConfig
from wireroom.parse.body import Body, InlineSpan, count_words, read_body, to_text
from wireroom.parse.html import Page, open_page
from wireroom.urls import canonical_url

PAGE_SOURCE: Final = "page"
SELECTOR_SOURCE: Final = "body selector"

MAX_MATCHES: Final = 2_000  # elements of one selector; an article has some hundred paragraphs
MAX_SELECTOR: Final = 500  # characters
DECLARED_CONFIDENCE: Final = 0.85  # of a text that the page tells but does not show
HARDLY_ANY: Final = (
    0.3  # of the declared words on the page: the page shows no more than a beginning
)
OTHER_TEXT: Final = 0.35  # of our words in the declared text: the reader took something else
WITNESSED: Final = 0.7  # of the declared words on the page: with fewer, the reader lost something


ALL_OURS: Final = 0.9  # of our words in the told text: with fewer, the reader may have read on
MIN_BEYOND: Final = 150  # characters after the told text that are worth a look
OTHER_REASON: Final = "another article"
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBody:
    """The body, where it comes from, and what is to be said about the choice."""

    body: Body
    source: str
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def choose_body(
    page: Page,
    config: ExtractConfig,
    *,
    rich: bool,
    explain: bool,
    any_kind: bool = False,
    shift: float = 0.0,
) -> ChosenBody:
    """The body of a page as the configuration wants it; empty when there is none.

    `any_kind` for a page that is known to be no article, with a `shift` as `read_body` takes it.
    """
    chosen = _chosen(page, config, rich=rich, explain=explain, any_kind=any_kind, shift=shift)
    return replace(chosen, body=_without_tracking(chosen.body)) if rich else chosen


def _chosen(
    page: Page,
    config: ExtractConfig,
    *,
    rich: bool,
    explain: bool,
    any_kind: bool,
    shift: float,
) -> ChosenBody:
    notes: tuple[str, ...] = ()
    if config.hints.body_selector:
        body, note = _selected(page, config, rich=rich)
        if body is not None:
            return ChosenBody(body=body, source=SELECTOR_SOURCE)
        notes = (f"body_selector: {note}; read in the general way",)
    reader = partial(
        read_body,
        page,
        mode=config.mode,
        any_kind=any_kind,
        shift=shift,
        titles=(config.item.title,) if config.item is not None else (),
        known_boilerplate=config.boilerplate,
        captions=config.wants_captions(),
        images=config.wants_images(),
        rich=rich,
        explain=explain,
    )
    chosen = ChosenBody(body=reader(), source=PAGE_SOURCE, notes=notes)
    declared = declared_bodies(page, json_ld=config.hints.json_ld, item=config.item)
    return _weighed(chosen, declared[0], reader) if declared else chosen


def _weighed(chosen: ChosenBody, declared: DeclaredBody, reader: Callable[..., Body]) -> ChosenBody:
    """The page's text, a second reading of the page with the feed's text known, or the feed's text."""
    shared = overlap(chosen.body.text, declared.text)
    if shared.theirs >= WITNESSED:
        return chosen if shared.ours >= ALL_OURS else _ended(chosen, declared)
    again = reader(anchors=(declared.text,))
    shared = overlap(again.text, declared.text)
    if shared.theirs < HARDLY_ANY or (shared.theirs < WITNESSED and shared.ours < OTHER_TEXT):
        return _as_declared(chosen, declared)
    doubt = f"{declared.source} has text that the body had not"
    return replace(chosen, body=again, doubts=(*chosen.doubts, doubt))


def _ended(chosen: ChosenBody, declared: DeclaredBody) -> ChosenBody:
    """The body up to where the told text ends, if a headline and another text follow.

    A told text that was cut short ends within a paragraph, or what follows has no headline.
    """
    kept = [block for block in chosen.body.blocks if block.kept]
    linked_text = _words_of(declared.text)
    own = [place for place, block in enumerate(kept) if _words_of(block.text) in linked_text]
    last = own[-1] if own else -1
    beyond = kept[last + 1 :]
    prose = sum(len(block.text) for block in beyond if block.kind != "heading")
    if not own or not beyond or beyond[0].kind != "heading" or prose < MIN_BEYOND:
        return chosen
    if any(b.kind == "heading" and b.level <= beyond[0].level for b in kept[: last + 1]):
        return chosen  # the next section
    if not linked_text.endswith(_words_of(kept[last].text)):
        return chosen
    cut = {id(block) for block in beyond}
    blocks = tuple(
        structs.replace(block, kept=False, reason=OTHER_REASON) if id(block) in cut else block
        for block in chosen.body.blocks
    )
    text = to_text(blocks, captions=chosen.body.with_captions)
    return replace(
        chosen, body=replace(chosen.body, blocks=blocks, text=text, word_count=count_words(text))
    )


def _words_of(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _as_declared(chosen: ChosenBody, declared: DeclaredBody) -> ChosenBody:
    note = f"text: from {declared.source}, for the page shows little of it"
    body = body_of(
        declared.blocks, confidence=DECLARED_CONFIDENCE, captions=chosen.body.with_captions
    )
    return replace(chosen, body=body, source=declared.source, notes=(*chosen.notes, note))


# --- the operator's selector ---------------------------------------------------------------------


def _selected(page: Page, config: ExtractConfig, *, rich: bool) -> tuple[Body | None, str]:
    """The body that a selector matches, or why there is none."""
    try:
        nodes = page.tree.css(config.hints.body_selector[:MAX_SELECTOR])[:MAX_MATCHES]
    except (SelectolaxError, ValueError):
        return None, "not a CSS selector"
    if not nodes:
        return None, "matched nothing"
    markup = "\n".join(node.html or "" for node in _outermost(nodes))
    tree = open_page(markup).tree
    blocks = all_blocks(tree, SELECTOR_SOURCE, base_url=page.url if rich else None)
    body = body_of(blocks, confidence=1.0, captions=config.wants_captions())
    if config.wants_images():
        body = replace(body, images=all_images(tree, page.url))
    return (body, "") if body.text else (None, "matched no text")


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """The matches that stand in no other match: nested text is not given twice."""
    keys = {node.mem_id for node in nodes}
    return [node for node in nodes if not _is_inside(node, keys)]


def _is_inside(node: LexborNode, keys: set[int]) -> bool:
    around = node.parent
    while around is not None and around.mem_id not in keys:
        around = around.parent
    return around is not None


# --- links ---------------------------------------------------------------------------------------


def _without_tracking(body: Body) -> Body:
    """The body with links that lead where they led, and tell nobody who follows them."""
    blocks = tuple(
        structs.replace(block, marks=tuple(map(_untracked, block.marks))) if block.marks else block
        for block in body.blocks
    )
    return replace(body, blocks=blocks)


def _untracked(span: InlineSpan) -> InlineSpan:
    front, sign, fragment = span.url.partition("#")
    try:
        return replace(span, url=canonical_url(front) + sign + fragment) if span.url else span
    except ValueError:
        return span
