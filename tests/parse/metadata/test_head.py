"""The head in one pass: whatever names a tag, wherever broken markup pushed it."""

from __future__ import annotations

import pytest

from tests.parse.metadata.pages import tree_of
from wireroom.parse.elements import telling_elements
from wireroom.parse.metadata.head import (
    MAX_META,
    MAX_VALUES,
    read_head,
    text_below,
)


@pytest.mark.parametrize(
    "tag",
    [
        '<meta name="Author" content="Ada">',
        '<meta property="author" content="Ada">',
        '<META NAME=author CONTENT=" Ada ">',
        '<meta http-equiv="author" content="Ada">',
        '<meta name="author" value="Ada">',
    ],
)
def test_metas_are_known_by_any_name(tag: str) -> None:
    assert read_head(tree_of(tag)).metas == {"author": ["Ada"]}


def test_tags_in_the_body_count() -> None:
    head = read_head(tree_of("", '<div><meta name="author" content="Ada"></div>'))
    assert head.first("author") == "Ada"


def test_empty_tags_do_not_count() -> None:
    tags = '<meta name="author" content=" "><meta name="author"><meta content="x"><link rel="canonical">'
    head = read_head(tree_of(tags))
    assert (head.metas, head.links) == ({}, {})


def test_values_are_bounded() -> None:
    many = '<meta name="a" content="x">' * 300 + f'<meta name="b" content="{"y" * 9000}">'
    head = read_head(tree_of(many))
    assert len(head.metas["a"]) == MAX_VALUES
    assert len(head.metas["b"][0]) == MAX_META


def test_links_are_kept_by_every_relation() -> None:
    head = read_head(
        tree_of('<link rel="Alternate license" href="/x" hreflang="de" type="text/html">')
    )
    assert set(head.links) == {"alternate", "license"}
    assert head.links["license"][0].hreflang == "de"
    assert head.link("license") == "/x"
    assert head.link("none") == ""


@pytest.mark.parametrize(
    "kind", ["application/ld+json", "APPLICATION/LD+JSON", "application/ld+json; charset=utf-8"]
)
def test_scripts_of_data_are_taken_raw(kind: str) -> None:
    head = read_head(tree_of("", f'<script type="{kind}">{{"a": "&amp;<b>"}}</script>'))
    assert head.data_scripts == ['{"a": "&amp;<b>"}']


def test_language_and_base_are_read() -> None:
    head = read_head(tree_of('<base href="/a/">', lang="de-AT"))
    assert (head.language, head.base_href) == ("de-AT", "/a/")


def test_text_below_keeps_words_apart_and_hides_scripts() -> None:
    tree = tree_of(
        "", "<div id=x>One<p>two</p>th<b>ree</b><script>no()</script><style>no</style></div>"
    )
    node = tree.css_first("#x")
    assert node is not None
    assert text_below(node, 100) == "One two three"
    assert text_below(node, 5) == "One t"


def test_each_telling_element_is_found_once_in_the_order_of_the_page() -> None:
    tree = tree_of(
        '<title>T</title><meta name="a" content="x" itemprop="b">',
        '<h2>Two</h2><h1 itemprop="headline">One</h1><a rel="nofollow">x</a><a rel="Author me">Ada</a>'
        '<h3 itemprop="c">Three</h3><time>now</time><script src="/x.js"></script><p class="x">no</p>',
    )
    found = telling_elements(tree)
    assert [tag for tag, _, _ in found.head] == ["title", "meta", "script"]
    assert [tag for tag, _, _ in found.marked] == ["meta", "h1", "a", "h3", "time"]
    assert [node.tag for node in found.lesser_headings] == ["h2", "h3"]
