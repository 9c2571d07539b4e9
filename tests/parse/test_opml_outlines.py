"""OPML: other readers' lists, our own attributes, and files that mean harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parse.bounds import MAX_MEGABYTES, MAX_SECONDS, Costs, short_form
from wireroom.errors import ParseError, UnknownFormatError
from wireroom.model import category_path, nested_category
from wireroom.parse import opml_outlines as opml
from wireroom.parse.opml_outlines import NAMESPACE, read_opml

LIST = f"""<?xml version="1.0"?><opml version="2.0" xmlns:w="{NAMESPACE}"><head><title>Mine</title></head><body>
<outline text="Coast"><outline text="Harbour"><outline type="rss" text="Courier" title="The Courier"
 xmlUrl="https://courier.test/rss.xml" htmlUrl="https://courier.test/" w:body_selector="article  p"/></outline>
<outline xmlUrl="https://faro.test/feed" text="Faro"/></outline>
<outline XMLURL="https://phare.test/feed" TEXT="Phare"/><outline text="a note"/></body></opml>"""


def test_groups_titles_and_our_settings_are_read() -> None:
    found = read_opml(LIST.encode())
    assert found.title == "Mine"
    assert not found.truncated
    assert [(outline.url, outline.title, outline.group) for outline in found.outlines] == [
        ("https://courier.test/rss.xml", "The Courier", "Coast/Harbour"),
        ("https://faro.test/feed", "Faro", "Coast"),
        ("https://phare.test/feed", "Phare", ""),
    ]
    assert found.outlines[0].settings == {"body_selector": "article  p"}
    assert found.outlines[0].home_url == "https://courier.test/"


def test_a_slash_in_the_name_of_a_group_parts_no_groups() -> None:
    group = nested_category(nested_category("", "Radio/TV"), "Coast")
    assert group == "Radio\\/TV/Coast"
    assert category_path(group) == ("Radio/TV", "Coast")
    assert category_path("a//b") == ("a//b",)
    assert nested_category("Coast", "") == "Coast"


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(UnknownFormatError, match="not OPML: its root element is rss"):
        read_opml(b"<rss><channel/></rss>")
    with pytest.raises(UnknownFormatError):
        read_opml(b"no markup at all")


def test_entities_are_neither_expanded_nor_fetched() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    body = (
        f'<!DOCTYPE opml [<!ENTITY e0 "ha"><!ENTITY file SYSTEM "file:///etc/hostname">{bomb}]>'
        '<opml><body><outline text="&e11;" xmlUrl="https://a.test/&file;"/></body></opml>'
    )
    (outline,) = read_opml(body.encode()).outlines
    assert len(outline.title) < 20
    assert outline.url in {"https://a.test/", "https://a.test/&file;"}


def test_depth_and_length_are_bounded_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = '<outline text="deep" xmlUrl="https://deep.test/"/>'
    deep = (
        "<opml><body>" + '<outline text="g">' * 200 + inner + "</outline>" * 200 + "</body></opml>"
    )
    found = read_opml(deep.encode())
    assert (found.outlines, found.truncated) == ((), True)
    deeper = "<opml><body>" + '<outline text="g">' * 100_000
    assert read_opml(deeper.encode()).truncated
    monkeypatch.setattr(opml, "MAX_OUTLINES", 3)
    flat = f"<opml><body>{inner * 5}</body></opml>"
    found = read_opml(flat.encode())
    assert (len(found.outlines), found.truncated) == (3, True)


HOSTILE = {
    "deep": "b'<opml><body>' + b'<outline text=\"g\">' * 500_000",
    "long": "b'<opml><body>' + b'<outline xmlUrl=\"http://a.test/\"/>' * 250_000",
    "attributes": "b'<opml><body><outline ' + b' '.join(b'a%d=\"x\"' % n for n in range(500_000))",
    "value": "b'<opml><body><outline xmlUrl=\"' + b'x' * 9_000_000 + b'\"/>'",
    "entities": "b'<opml>' + b'&a;' * 3_000_000",
}
READ = """
from wireroom.parse.opml_outlines import read_opml
def read(body):
    try:
        return read_opml(body)
    except ParseError as error:
        return error
"""


FEW = ("deep", "value")


@pytest.fixture(scope="module")
def costs() -> Costs:
    return Costs(READ, "read", HOSTILE, FEW)


@pytest.mark.long
@pytest.mark.parametrize("name", short_form(HOSTILE, FEW))
def test_hostile_files_cost_no_more_than_any_document(name: str, costs: Costs) -> None:
    assert costs[name].seconds < MAX_SECONDS, costs[name]
    assert costs[name].megabytes < MAX_MEGABYTES, costs[name]


def test_a_file_that_breaks_off_says_so() -> None:
    half = LIST.encode()[: LIST.index("XMLURL")]
    found = read_opml(half)
    assert len(found.outlines) == 2
    assert found.truncated


@given(st.binary(max_size=400))
def test_nothing_but_a_parse_error_comes_out(body: bytes) -> None:
    for document in (body, b"<opml><body>" + body):
        try:
            found = read_opml(document)
        except ParseError:
            continue
        assert all(outline.url for outline in found.outlines)
