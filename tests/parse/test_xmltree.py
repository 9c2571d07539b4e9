"""The door for XML: what is cut away, what is mended, what is said to be missing."""

from __future__ import annotations

import pytest

from wireroom.errors import UnknownFormatError
from wireroom.parse.xmltree import MAX_MARKS, element_text, inner_markup, read_tree


def test_a_sound_document_is_neither_mended_nor_cut() -> None:
    tree = read_tree(b"<?xml version='1.0'?><a><b>x</b></a>")
    assert (tree.mended, tree.cut) == (False, False)
    assert element_text(tree.root) == "x"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"<a>x &nbsp;&eacute; y</a>", "x \u00a0é y"),
        (b"<a>x & y</a>", "x & y"),
        (b"<a>x &nope; y</a>", "x &nope; y"),
        (b"<a>1 < 2</a>", "1 < 2"),
        (b"<a>x\x01\x02y</a>", "xy"),
        (b"<a>x&#1;&#xD800;&#x110000;y</a>", "xy"),
        (b"<a>&bad;&#145;<![CDATA[&nbsp;]]></a>", "&bad;‘&nbsp;"),
        (b"<a b=c>x</a>", "x"),
    ],
)
def test_documents_are_mended(body: bytes, text: str) -> None:
    tree = read_tree(body)
    assert tree.mended
    assert element_text(tree.root) == text


def test_what_stands_in_front_of_the_root_is_never_parsed() -> None:
    body = b"junk<!-- c --><?pi?><!DOCTYPE a [<!ENTITY e 'boo'>]> more <a>&e;</a>"
    tree = read_tree(body)
    assert tree.source.startswith(b"<a>")
    assert element_text(tree.root) == "&e;"


def test_depth_and_missing_ends_are_reported() -> None:
    assert read_tree(b"<a><b>x").cut
    assert read_tree(b"<r>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</r>").cut


@pytest.mark.long
def test_too_many_tags_are_left_out_and_that_is_reported() -> None:
    tree = read_tree(b"<r>" + b"<b/>" * 800_000 + b"</r>")
    assert tree.cut
    assert len(tree.root) <= MAX_MARKS


def test_tags_within_cdata_do_not_count() -> None:
    tree = read_tree(b"<r><c><![CDATA[" + b"<b>" * 900_000 + b"]]></c></r>")
    assert not tree.cut
    assert len(tree.root[0].text) == 2_700_000


def test_inner_markup_is_html() -> None:
    body = (
        b'<c xmlns:h="http://www.w3.org/1999/xhtml">a &amp; <h:p id="1">b<h:br/><h:i/></h:p> c</c>'
    )
    assert inner_markup(read_tree(body).root) == 'a &amp; <p id="1">b<br/><i></i></p> c'


@pytest.mark.parametrize(
    "body", [b"", b"words", b"<", b"<!--", b"<!DOCTYPE a [", b"\x00\x01", b"<?xml?>"]
)
def test_without_an_element_there_is_no_document(body: bytes) -> None:
    with pytest.raises(UnknownFormatError):
        read_tree(body)


def test_a_document_that_only_lacks_its_end_is_read_as_it_stands() -> None:
    tree = read_tree(b"<rss><channel><item><title>One &amp; two</title></item><item><title>Thr")
    assert (tree.mended, tree.cut) == (True, True)
    assert [item[0].text for item in tree.root[0]] == ["One & two", "Thr"]
