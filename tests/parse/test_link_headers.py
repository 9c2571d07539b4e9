"""Link headers by RFC 8288, and headers that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom.parse.links import links_of_rel, read_link_headers
from wireroom.urls import is_web_url

BASE = "https://courier.test/news/"


def _links(value: str | list[str]) -> list[tuple[str, tuple[str, ...]]]:
    return [(link.url, link.rels) for link in read_link_headers(value, base_url=BASE)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('<https://a.test/f>; rel="alternate"', [("https://a.test/f", ("alternate",))]),
        ("</feed>;rel=alternate", [("https://courier.test/feed", ("alternate",))]),
        ("<x>; REL=Hub", [("https://courier.test/news/x", ("hub",))]),
        (
            '<a>; rel="self  Alternate self"',
            [("https://courier.test/news/a", ("self", "alternate"))],
        ),
        ("<a>; rel=x, <b>; rel=y", [(BASE + "a", ("x",)), (BASE + "b", ("y",))]),
        (
            '<a>; title="one, <two>; rel=no"; rel=yes, <b>',
            [(BASE + "a", ("yes",)), (BASE + "b", ())],
        ),
        (' , ,<a>;rel=x ,, <b> ; rel = "y" ', [(BASE + "a", ("x",)), (BASE + "b", ("y",))]),
        ("<a>; rel=first; rel=second", [(BASE + "a", ("first",))]),
        ("<a>;;rel=x", [(BASE + "a", ("x",))]),
        ('<a>; rel="no end', [(BASE + "a", ("no", "end"))]),
        ("<a> rubbish, <b>; rel=x", [(BASE + "a", ()), (BASE + "b", ("x",))]),
        ("<javascript:alert(1)>; rel=alternate", []),
        ("<mailto:a@b.test>; rel=author", []),
        ("https://a.test/; rel=alternate", []),
        ("<a", []),
        ("", []),
    ],
)
def test_headers_are_read(value: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert _links(value) == expected


def test_several_headers_are_one_list() -> None:
    assert [url for url, _ in _links(["<a>; rel=x", "<b>; rel=y"])] == [BASE + "a", BASE + "b"]


def test_parameters_are_kept() -> None:
    value = r"""<a>; type="Application/RSL+XML; q=1"; title="a \"quoted\" word"; title*=UTF-8''na%C3%AFve; crossorigin"""
    (link,) = read_link_headers(value, base_url=BASE)
    assert link.type == "application/rsl+xml"
    assert link.parameters["title"] == "naïve"
    assert link.parameters["crossorigin"] == ""


def test_a_link_about_something_else_is_not_about_the_response() -> None:
    links = read_link_headers('<a>; rel=license; anchor="/other", <b>; rel=license', base_url=BASE)
    assert [link.url for link in links_of_rel(links, "license")] == [BASE + "b"]
    assert links[0].anchor == "https://courier.test/other"


def test_without_a_base_only_whole_addresses_are_kept() -> None:
    links = read_link_headers("<a>; rel=x, <https://b.test/c>; rel=y")
    assert [link.url for link in links] == ["https://b.test/c"]


@pytest.mark.parametrize(
    "value",
    [
        *("<a>;" * 20_000, '<a>; x="' * 9_000, "<a>" + ";" * 65_000, "<" * 65_000, ", " * 32_000),
        *('<a>;x="' + "\\" * 65_000, "<a>;x" + " " * 65_000, "<a>x, " * 10_000, "<a>;x=" * 10_000),
    ],
)
def test_hostile_headers_cost_little(value: str) -> None:
    with cpu_within(2):
        assert len(read_link_headers(value, base_url=BASE)) <= 200


@given(st.text(alphabet="<>;,=\"\\' abrel*%\x00é", max_size=300))
def test_any_header_is_read(value: str) -> None:
    for link in read_link_headers(value, base_url=BASE):
        assert is_web_url(link.url)
