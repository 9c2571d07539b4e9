"""A layout beside a text: nothing of the text is ever lost, and its Markdown is that of the page."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.budget import cpu_within
from tests.parts import examples
from wireroom.parse.body import (
    Block,
    BlockKind,
    blocks_of,
    layout_of,
    read_body,
    to_html,
    to_markdown,
    to_text,
)
from wireroom.parse.body.place import KINDS
from wireroom.parse.html import open_page

MAX_CPU = 2.0  # seconds a text may take, whatever it is

PROSE = "The council met for the third time this week to speak about the bridge and its bearings."
PAGE = f"""<body><article><h1>Bridge</h1><p>{PROSE} It was meeting number 1.</p><h3>Cracks</h3><p>{PROSE} It was meeting number 2.</p>
<blockquote><p>Nobody had expected them, said the engineer of the bridge.</p></blockquote>
<ul><li>The ferry runs every ten minutes, bicycles and prams included.</li>
<li>It has a new engine,<br>two new doors<ul><li>both of them green, as they ever were</li></ul></li></ul>
<p>{PROSE} It was meeting number 3.</p><ol><li>Turn off the road before the bridge.</li><li>Wait for the ferry.</li></ol>
<p>{PROSE} It was meeting number 4.</p><table><tr><th></th><th>Eastferry</th><th>Lowport</th></tr>
<tr><td>Bridges in use</td><td>12</td><td>8</td></tr></table><p>{PROSE} It was meeting number 5.</p>
<pre>cracks = 3

print(cracks)</pre>
<figure><img src=a.png alt=""><figcaption>The bridge on Tuesday morning.</figcaption></figure>
<dl><dt>Bearing</dt><dd>What the bridge lies on, and what has to be renewed.</dd></dl>
<p>{PROSE} It was meeting number 6.</p></article></body>"""


def block(kind: BlockKind, text: str, **place: Any) -> Block:
    return Block(kind=kind, text=text, kept=True, probability=1, reason="", **place)


def again(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks after their text and layout were all that was held of them."""
    return blocks_of(to_text(blocks, captions=True), layout_of(blocks, captions=True))


def test_a_page_is_the_same_in_markdown_once_its_text_is_held() -> None:
    blocks = read_body(open_page(PAGE), mode="recall").blocks
    assert layout_of(blocks, captions=True) == "p3pqlpnpTpkKcdp 23123"
    assert to_markdown(again(blocks)) == to_markdown(blocks)
    assert to_html(again(blocks)) == to_html(blocks)
    message = to_markdown(again(blocks))
    for part in ("### Cracks", "> Nobody", "\n- The ferry", "\n    - both", "2. Wait", "| --- |"):
        assert part in message
    assert "|  | Eastferry | Lowport |" in message
    assert "```\ncracks = 3\n\nprint(cracks)\n```" in message


@pytest.mark.parametrize(
    ("blocks", "layout"),
    [
        ((), ""),
        ((block("text", "a"), block("definition", "b"), block("alt", "c")), "ppc"),
        ((block("heading", "a", level=6), block("heading", "b")), "62"),
        ((block("paragraph", "a", quoted=True), block("code", "b", quoted=True)), "qk"),
        ((block("code", "a\n\nb"), block("code", "c")), "kKk"),
        ((block("term", "a"), block("term", "b"), block("definition", "c")), "d"),
        ((block("item", "a", level=1, number=1), block("item", "b", level=1)), "L #-"),
        (tuple(block("item", "a", level=1, number=n) for n in (3, 4, 99, 100)), "L 3#Z#"),
        ((block("item", "a\n- b", level=1), block("item", "c", level=1, continues=True)), "L -+."),
        ((block("cell", "a", row=1, column=1), block("cell", "b", row=1, column=2)), "t"),
        ((block("cell", "a", row=1, column=3), block("cell", "b\nc", row=2, column=40)), "T 3E+"),
        ((block("cell", "a | b", row=1, column=1),), "T 1+"),
        ((block("cell", "a", column=1), block("cell", "b", column=1, continues=True)), "T 1."),
        ((block("paragraph", "a\n\nb"), block("item", "c\n\nd", level=1)), "pppp"),
    ],
)
def test_every_kind_has_its_letter(blocks: tuple[Block, ...], layout: str) -> None:
    assert layout_of(blocks, captions=True) == layout
    assert to_text(again(blocks), captions=True) == to_text(blocks, captions=True)


def test_captions_beside_the_text_keep_their_places() -> None:
    body = read_body(open_page(PAGE), mode="recall")
    layout = layout_of(body.blocks)
    assert layout == "p3pqlpnpTpkKidp 23123"
    assert body.captions() == ("The bridge on Tuesday morning.",)
    assert "Tuesday morning" not in body.text
    held = blocks_of(body.text, layout, body.captions())
    assert to_text(held) == body.text
    assert to_markdown(held) == to_markdown(body.blocks)


@pytest.mark.parametrize("captions", [(), ("b",), ("b", "c", "d")])
def test_captions_that_are_not_held_are_left_out(captions: tuple[str, ...]) -> None:
    blocks = (block("caption", "b"), block("paragraph", "a"), block("alt", "c"))
    held = blocks_of("a", layout_of(blocks), captions)
    assert [found.text for found in held if found.kind == "caption"] == list(captions[:2])
    assert to_text(held) == "a"


def test_a_caption_beside_the_text_parts_no_list() -> None:
    items = (block("item", "a", level=1), block("caption", "b"), block("item", "c", level=1))
    assert (to_text(items), layout_of(items)) == ("- a\n- c", "li")


def test_dropped_blocks_have_none() -> None:
    kept, dropped = block("paragraph", "a"), replace(block("heading", "b"), kept=False)
    assert layout_of([dropped, kept, dropped]) == "p"


def test_two_pieces_of_code_stay_two() -> None:
    blocks = (block("code", "a\n\n\nb"), block("code", "c"))
    assert [block.text for block in again(blocks)] == ["a\n\n\nb", "c"]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("a\n\nb", ""),
        ("a\n\nb", "2"),
        ("a\n\nb", "22q"),
        ("a", "x"),
        ("a", "l"),
        ("a", "L -"),
        ("- a", "L --"),
        ("- a", "L +"),
        ("a", "L 2"),
        ("a | b", "T 1"),
        ("a | b", "T"),
        ("a | b", "T +2"),
        ("a | b", "T .2"),
        ("a | b", "T 1."),
    ],
)
def test_a_layout_that_does_not_fit_gives_paragraphs(text: str, layout: str) -> None:
    assert {block.kind for block in blocks_of(text, layout)} == {"paragraph"}


def test_an_empty_text_has_no_blocks() -> None:
    assert blocks_of("", "p") == blocks_of("") == ()


# --- whatever the blocks -------------------------------------------------------------------------

ODD = st.text(st.sampled_from("ab-1.| \n\u200b"), max_size=8)
ANY_BLOCKS = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from(KINDS),
        text=ODD,
        kept=st.sampled_from((True, True, True, False)),
        probability=st.just(1.0),
        reason=st.just(""),
        level=st.integers(0, 6),
        number=st.integers(0, 2),
        continues=st.booleans(),
        row=st.integers(0, 2),
        column=st.integers(0, 80),
        quoted=st.booleans(),
    ),
    max_size=6,
).map(tuple)


@examples(400)
@given(ANY_BLOCKS)
def test_the_text_comes_back_whatever_the_blocks(blocks: tuple[Block, ...]) -> None:
    assert to_text(again(blocks), captions=True) == to_text(blocks, captions=True)
    assert to_text(blocks_of(to_text(blocks), layout_of(blocks), ("x",))) == to_text(blocks)


@examples(400)
@given(st.lists(ODD, max_size=6).map("\n\n".join), st.text("p2qlnLtTckKd -#1.+a", max_size=12))
def test_the_text_comes_back_whatever_the_layout(text: str, layout: str) -> None:
    assert to_text(blocks_of(text, layout), captions=True) == text
    letters = layout.split(" ")[0].ljust(text.count("\n\n") + 1, "l")[: text.count("\n\n") + 1]
    blocks = blocks_of(text, " ".join((letters, *layout.split(" "))))
    assert to_text(blocks, captions=True) == text


# --- blocks as pages give them -------------------------------------------------------------------

WORDS = st.lists(st.sampled_from(["ferry", "12", "a*b", "-", "1.", "#"]), min_size=1, max_size=4)
LINE = WORDS.map(" ".join)
LINES = st.lists(LINE, min_size=1, max_size=2).map("\n".join)
SINGLE = st.one_of(
    st.builds(block, st.sampled_from(("paragraph", "text", "quote", "caption", "alt")), LINES),
    st.builds(block, st.just("paragraph"), LINES, quoted=st.just(True)),
    st.builds(block, st.just("heading"), LINES, level=st.integers(1, 6)),
    st.builds(block, st.just("code"), st.lists(LINE, min_size=1, max_size=3).map("\n\n".join)),
).map(lambda block: (block,))
MEANING = st.tuples(
    st.builds(block, st.just("term"), LINE), st.builds(block, st.just("definition"), LINES)
)


@st.composite
def lists(draw: st.DrawFn) -> tuple[Block, ...]:
    """A list of up to three levels, items numbered or not, some of several lines or paragraphs."""
    items: list[Block] = []
    for level in draw(st.lists(st.integers(1, 3), min_size=1, max_size=6)):
        number = draw(st.integers(0, 61))
        items.append(block("item", draw(LINES), level=level, number=number))
        if draw(st.booleans()):
            items.append(block("item", draw(LINES), level=level, continues=True))
    return tuple(items)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Block, ...]:
    """A table with empty cells, cells of two paragraphs and cells with line breaks and bars."""
    cells: list[Block] = []
    for row in range(1, draw(st.integers(2, 4))):
        for column in sorted(draw(st.sets(st.integers(1, 4), min_size=1))):
            text = draw(LINES | st.just("a | b"))
            cells.append(block("cell", text, row=row, column=column))
            if draw(st.booleans()):
                cells.append(block("cell", draw(LINE), row=row, column=column, continues=True))
    return tuple(cells)


@pytest.mark.long
@examples(200)
@given(st.lists(st.tuples(SINGLE, lists() | tables() | MEANING), min_size=1, max_size=4))
def test_markdown_and_html_are_those_of_the_page(
    parts: list[tuple[tuple[Block, ...], tuple[Block, ...]]],
) -> None:
    blocks = tuple(block for pair in parts for group in pair for block in group)
    assert to_text(again(blocks), captions=True) == to_text(blocks, captions=True)
    assert to_markdown(again(blocks)) == to_markdown(blocks)
    assert to_html(again(blocks)) == to_html(blocks)


# --- bounds --------------------------------------------------------------------------------------

HOSTILE = {
    "code": (block("code", "x\n\n" * 300_000),),
    "item": (block("item", "x\n" * 500_000 + "x", level=1),),
    "items": tuple(block("item", "x", level=n, number=n % 2) for n in range(8_000)),
    "cell": (block("cell", "x | " * 250_000, row=1, column=1),),
    "cells": tuple(block("cell", "x", row=n, column=n % 60) for n in range(8_000)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_the_longest_blocks_take_no_longer_for_their_length(name: str) -> None:
    with cpu_within(MAX_CPU):
        text = to_text(HOSTILE[name])
        layout = layout_of(HOSTILE[name])
        assert to_text(blocks_of(text, layout)) == text
        assert len(layout) <= len(text) + 2
