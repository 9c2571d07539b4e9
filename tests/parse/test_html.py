"""Bytes to one tree: what is decoded, what is cut, what the second parser saves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborNode

from tests.budget import cpu_within
from tests.parts import examples
from wireroom.parse import html
from wireroom.parse.html import MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_HIDDEN, open_page

MAX_CPU = 2.0  # seconds a page may take, whatever it is


def _first(page: html.Page, tag: str) -> LexborNode:
    node = page.tree.css_first(tag)
    assert node is not None
    return node


def _depth(page: html.Page) -> int:
    node, depth = page.tree.body, 0
    while node is not None:
        node, depth = node.first_child, depth + 1
    return depth


def test_a_plain_page_is_parsed_as_it_is() -> None:
    page = open_page(b"<p>The ferry is late.", url="https://courier.test/a")
    assert _first(page, "p").text() == "The ferry is late."
    assert (page.cut, page.parser, page.url) == ((), "lexbor", "https://courier.test/a")


def test_the_bytes_decide_the_encoding() -> None:
    body = "<meta charset=windows-1251><p>Паром опаздывает на два часа".encode("windows-1251")
    page = open_page(body, content_type="text/html")
    assert _first(page, "p").text() == "Паром опаздывает на два часа"
    assert page.encoding == "windows-1251"


def test_text_is_taken_as_text_even_with_lone_surrogates() -> None:
    page = open_page("<meta charset=gbk><p>caf\u00e9 \ud800")
    assert _first(page, "p").text().startswith("café")


def test_a_tracking_image_does_not_end_the_head() -> None:
    page = open_page("<head><noscript><img src=x></noscript><link rel=canonical href=/a></head>")
    assert page.tree.css_first("head link") is not None


def test_what_is_too_deep_is_cut_and_its_text_kept() -> None:
    page = open_page(b"<div>" * 20_000 + b"down here" + b"</div>" * 20_000 + b"<p>after")
    assert page.cut == ("depth",)
    assert _depth(page) <= MAX_DEPTH + 2
    assert "down here" in _first(page, "body").text()
    assert "after" in _first(page, "body").text()


def test_a_drawing_of_many_strokes_is_not_deep() -> None:
    drawing = b"<svg>" + b'<path d="M0 0"/>' * 9_000 + b"</svg><p>text"
    assert open_page(drawing).cut == ()


def test_attributes_past_the_limit_are_cut_and_the_first_kept() -> None:
    names = " ".join(f"a{n}" for n in range(20_000))
    page = open_page(f"<p class=lead {names}>words")
    node = _first(page, "p")
    assert page.cut == ("attributes",)
    assert node.attributes["class"] == "lead"
    assert len(node.attributes) <= MAX_ATTRIBUTES
    assert node.text() == "words"


def test_a_long_image_inside_an_attribute_is_no_trap() -> None:
    page = open_page(b'<img src="data:image/png;base64,' + b"A" * 300_000 + b'"><p>words')
    assert page.cut == ()
    assert _first(page, "p").text() == "words"


@pytest.mark.parametrize("shift", range(14))
def test_attributes_that_hide_the_end_of_their_tag_are_counted(shift: int) -> None:
    hiding = b"""a=">" b='>' c=d"e f= ">" """
    page = open_page(b"x" * (html.WINDOW - 3 + shift) + b"<p " + hiding * 9_000 + b">words")
    assert page.cut == ("attributes",)
    assert _first(page, "p").text() == "words"


def test_a_sign_where_a_name_should_begin_does_not_end_a_tag() -> None:
    page = open_page(b"<p " + b"".join(b" = a%d='>'" % n for n in range(9_000)) + b">words")
    assert page.cut == ("attributes",)
    assert _first(page, "p").text() == "words"


def test_values_that_go_over_the_end_of_a_window_do_not_end_a_tag() -> None:
    markup = b"<p"
    for number in range(9_000):
        markup += b" a%d=''" % number
        if len(markup) % html.WINDOW > html.WINDOW - 30:
            markup += b" b%d='>%s'" % (number, b"z" * 60)
    page = open_page(markup + b">words")
    assert page.cut == ("attributes",)
    assert _first(page, "p").text() == "words"


HIDING = {
    "script": b'<script>"<a b=\'"</script>',
    "script in a comment of a script": b"<script><!--<script></script><a b='</script>--></script>",
    "style": b"<style><a b='</style>",
    "comment": b"<!-- <a b=' -->",
    "comment that ends oddly": b"<!-- <a b=' --!>",
    "comment that ends at once": b"<!--><a b='-->",
    "section of a drawing": b"<svg><![CDATA[ <a b=' ]]></svg>",
    "title of a drawing": b"<svg><title><a b='</title></svg>",
    "text of a form": b"<textarea><a b='</textarea>",
}


@pytest.mark.parametrize("many", [False, True], ids=["few tags", "many tags"])
@pytest.mark.parametrize("before", HIDING.values(), ids=HIDING.keys())
def test_what_looks_like_a_tag_hides_no_tag_behind_it(before: bytes, many: bool) -> None:
    trap = before + b'<div a="\'>" ' + _attributes(MAX_HIDDEN + 15_000) + b">x</div><p>'"
    body = b"<p>words" + trap + (b"<i>x</i>" * (html.SAFE_TAGS + 1) if many else b"")
    page = open_page(body)
    assert page.cut == ("attributes",)
    assert all(len(node.attributes) <= MAX_HIDDEN for node in page.tree.css("div"))


@pytest.mark.parametrize("before", [b"", HIDING["comment"], HIDING["script"]])
@pytest.mark.parametrize(("attributes", "tags"), [(14_000, 5), (14_000, 60), (1_500, 900)])
def test_many_tags_of_many_attributes_are_cut(before: bytes, attributes: int, tags: int) -> None:
    tag = b'<div a="\'>" ' + b" ".join(b"%x" % number for number in range(attributes)) + b">x</div>"
    with cpu_within(MAX_CPU):
        page = open_page(b"<p>words" + before + tag * tags)
    assert page.cut == ("attributes",)
    work = sum(len(node.attributes) ** 2 for node in page.tree.css("div"))
    assert work <= html.MAX_SQUARES + tags * MAX_ATTRIBUTES**2
    assert _first(page, "p").text().startswith("words")


def test_a_large_page_of_long_tags_with_few_attributes_is_whole() -> None:
    image = b'<img class=a src="data:image/png;base64,' + b"A" * 9_000 + b'"><p>words</p>'
    page = open_page(image * 300)
    assert page.cut == ()
    assert len(page.tree.css("img")) == 300


def test_code_that_looks_like_a_long_tag_stays() -> None:
    loop = (
        b"for (i = 0; i <items.length; i++) { a(i); } "
        + b"let theNumberOfAllHarboursOfTheCoast = 'thirty-one-and-a-half-at-low-tide'; " * 90
    )
    code = loop * (2 * html.WINDOW // len(loop) + 2)
    page = open_page(b"<p>words<script>" + code + b"</script><p>more words")
    assert page.cut == ()
    assert _first(page, "script").text() == code.decode()


def test_tags_within_a_tag_are_not_read_again_and_again() -> None:
    with cpu_within(MAX_CPU):
        open_page(b"<p>words" + b"<a b=c " * (html.SAFE_TAGS - 10) + b">" + b"x" * 100_000)
        open_page(b"<p>words" + b"<a b='\" " * 400_000)


def test_bytes_past_the_limit_are_cut_and_reported() -> None:
    page = open_page(b"<p>words</p>" + b" " * MAX_BYTES)
    assert page.cut == ("bytes",)


def _attributes(number: int, *, ends: int = 0) -> bytes:
    """That many attributes; of each so many one hides what looks like the end of its tag."""
    return b" ".join(b"a%d" % n if not ends or n % ends else b'a%d=">"' % n for n in range(number))


# Made when they are needed: they are large, and every process of a test run reads this file.
TRAPS: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b"<div>" * 300_000,
    "nested and closed": lambda: b"<div>" * 100_000 + b"x" + b"</div>" * 100_000,
    "links around blocks": lambda: b"<a><div>" * 100_000,
    "attributes": lambda: b"<p " + _attributes(600_000) + b">x",
    "attributes that hide their ends": lambda: b"<p " + _attributes(300_000, ends=1) + b">x",
    "attributes that hide a few ends": lambda: b"<p " + _attributes(400_000, ends=5_000) + b">x",
    "attributes after a stray quote": lambda: b'<p " ' + _attributes(400_000, ends=5_000) + b">x",
    "a quote that never ends": lambda: b'<p "' + _attributes(300_000),
    "angle brackets": lambda: b"<" * 3_000_000,
    "comments that never end": lambda: b"<!--" * 1_000_000,
    "tables": lambda: b"<table><tr><td>" * 200_000,
    "formatting": lambda: b"<b><i><u>" * 100_000 + b"<p>" * 1_000,
    "zeros": lambda: b"\x00" * 3_000_000,
}


@pytest.mark.parametrize("make", TRAPS.values(), ids=TRAPS.keys())
def test_no_page_takes_long(make: Callable[[], bytes]) -> None:
    body = make()
    with cpu_within(MAX_CPU):
        open_page(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<html><frameset><frame></frameset><p>The harbour office opens again on Monday.</html>",
        b"<html><body><!-- <p>The harbour office opens again on Monday.</html>",
        b"<html><title>News<body><p>The harbour office opens again on Monday.</html>",
        b"<html><body><textarea><p>The harbour office opens again on Monday.</html>",
    ],
    ids=["frameset", "comment", "title", "textarea"],
)
def test_the_second_parser_finds_text_that_was_swallowed(body: bytes) -> None:
    page = open_page(body)
    assert page.parser == "lxml"
    assert "harbour office" in _first(page, "body").text()


def test_a_page_of_scripts_alone_has_no_lost_text() -> None:
    page = open_page(b"<div id=app></div><script>" + b"let harbour = 'office';" * 50 + b"</script>")
    assert page.parser == "lexbor"


@examples(150)
@given(st.binary(max_size=400) | st.text(max_size=400))
def test_nothing_makes_it_raise(body: bytes | str) -> None:
    assert open_page(body).parser in ("lexbor", "lxml")


PIECES = st.sampled_from(
    [
        b"<div",
        b">",
        b'"',
        b"'",
        b"<!--",
        b"-->",
        b"</p>",
        b"<svg>",
        b"<path/>",
        b"a=",
        b" ",
        b"x",
        b"</",
    ]
)


@examples(150)
@given(st.lists(PIECES, max_size=60))
def test_the_scissors_never_lose_their_way(pieces: list[bytes]) -> None:
    markup, cut = html._Scissors(b"".join(pieces)).run()
    assert cut or markup == b"".join(pieces)


def test_end_tags_that_close_nothing_make_no_room_for_more_depth() -> None:
    markup = b"<div></b>" * 20_000 + b"text"
    with cpu_within(2):
        page = open_page(markup)
    assert "depth" in page.cut


def test_a_cell_keeps_end_tags_from_what_is_outside_of_it() -> None:
    markup = b"<div><table><object></div>" * 15_000 + b"text"
    page = open_page(markup)
    assert "depth" in page.cut


def test_unclosed_elements_are_closed_by_what_holds_them() -> None:
    markup = b"<body>" + b"<section><span><b>x</section>" * 4_000
    assert open_page(markup).cut == ()


def test_a_tag_of_blanks_is_read_once() -> None:
    markup = b"<p" + b" " * 1_500_000 + b">text" + b"<i>" * 10_001
    with cpu_within(2):
        open_page(markup)
