"""What one page says about its use, in its headers and its tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from wireroom.model import Facts
from wireroom.parse.html import open_page
from wireroom.parse.page_tags import PageTags, read_page_tags
from wireroom.ports import SignalPlug
from wireroom.signals.content_signal import PLUG as CONTENT_SIGNAL
from wireroom.signals.content_usage import PLUG as CONTENT_USAGE
from wireroom.signals.licence import LicencePage
from wireroom.signals.licence import page_of as licence_page
from wireroom.signals.preferences import HeaderFacts
from wireroom.signals.robots_tag import RobotsTagPage
from wireroom.signals.robots_tag import page_of as robots_tag_page
from wireroom.signals.rsl.rsl_document import RslNotice
from wireroom.signals.rsl.rsl_verdict import page_notices
from wireroom.signals.tdmrep.tdm_documents import TdmPage
from wireroom.signals.tdmrep.tdm_documents import page_of as tdm_page

URL = "https://courier.test/news/a.html"
BY = "https://creativecommons.org/licenses/by/4.0/"
RSL = "application/rsl+xml"


class Reading(NamedTuple):
    """What each signal reads of one walk through a page."""

    url: str
    rsl: tuple[RslNotice, ...]
    content_signal: tuple[str, ...]
    content_usage: tuple[str, ...]
    tdm: TdmPage
    robots_tag: RobotsTagPage
    licence: LicencePage


def _reading(
    html: str | None,
    headers: Iterable[tuple[str, str]] = (),
    json_ld: Iterable[Facts] | None = None,
) -> Reading:
    page = None if html is None else open_page(html)
    tags = read_page_tags(page, url=URL, headers=headers, json_ld=json_ld)
    return Reading(
        url=tags.url,
        rsl=page_notices(tags),
        content_signal=_values(CONTENT_SIGNAL, tags),
        content_usage=_values(CONTENT_USAGE, tags),
        tdm=tdm_page(tags),
        robots_tag=robots_tag_page(tags),
        licence=licence_page(tags),
    )


def _values(plug: SignalPlug, tags: PageTags) -> tuple[str, ...]:
    facts = plug.read_page(tags) if plug.read_page is not None else None
    return facts.pages[0].values if isinstance(facts, HeaderFacts) else ()


def _read(html: str = "", *headers: tuple[str, str]) -> Reading:
    return _reading(html, headers)


def test_headers_are_taken_by_name_whatever_its_case() -> None:
    reading = _read(
        "",
        ("Content-Signal", "ai-train=no"),
        ("content-usage", "train-ai=n"),
        ("CONTENT-USAGE", "search=y"),
        ("X-Robots-Tag", "noarchive"),
        ("x-robots-tag", "otherbot: noindex"),
        ("tdm-reservation", "1"),
        ("tdm-policy", "/policy.json"),
    )
    assert reading.content_signal == ("ai-train=no",)
    assert reading.content_usage == ("train-ai=n", "search=y")
    assert [(directive.agent, directive.name) for directive in reading.robots_tag.directives] == [
        ("", "noarchive"),
        ("otherbot", "noindex"),
    ]
    assert (reading.tdm.header.reservation, reading.tdm.header.policy_url) == (
        1,
        "https://courier.test/policy.json",
    )


def test_without_a_tree_headers_speak() -> None:
    reading = _reading(None, [("link", f'<{BY}>; rel="license"')])
    assert reading.licence.notices[0].code == "CC BY 4.0"
    assert reading.licence.notices[0].place == "header"


def test_meta_tags_speak_of_robots_and_mining() -> None:
    reading = _read(
        '<head><base href="https://cdn.test/x/"><meta name="TDM-Reservation" content="0">'
        '<meta name="tdm-policy" content="p.json"><meta name="robots" content="noai">'
        '<meta name="description" content="noai is a word"></head>'
    )
    assert reading.tdm.meta.reservation == 0
    assert reading.tdm.meta.policy_url == "https://cdn.test/x/p.json"
    assert [directive.name for directive in reading.robots_tag.directives] == ["noai"]


def test_rsl_is_named_by_header_link_and_script() -> None:
    reading = _read(
        f'<head><link rel="License" type="{RSL}; charset=utf-8" href="/rsl.xml">'
        f'<script type="{RSL}"><rsl xmlns="https://rslstandard.org/rsl"><content url=""><license>'
        '<permits type="usage">search</permits></license></content></rsl></script></head>'
        f'<body><div><link rel="license" type="{RSL}" href="/part.xml"></div></body>',
        ("Link", f'</other>; rel=next, </rsl.xml>; rel=license; type="{RSL}"'),
    )
    assert [
        (rsl_notice.place, rsl_notice.licence_url, rsl_notice.part) for rsl_notice in reading.rsl
    ] == [
        ("header", "https://courier.test/rsl.xml", False),
        ("html_link", "https://courier.test/rsl.xml", False),
        ("html_script", "", False),
        ("html_link", "https://courier.test/part.xml", True),
    ]
    assert reading.rsl[2].document is not None
    assert reading.rsl[2].document.contents[0].licences[0].permits_usage == ("search",)
    assert reading.licence.notices == ()


def test_an_inline_document_that_cannot_be_read_has_a_problem() -> None:
    (notice,) = _read(f'<script type="{RSL}">no xml</script>').rsl
    assert notice.document is None
    assert notice.problem


def test_licences_of_the_page_and_not_of_its_pictures() -> None:
    reading = _read(
        f'<head><link rel="license" href="{BY}"></head><body>'
        '<figure><a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">p</a></figure>'
        '<footer><a rel="nofollow LICENSE" href="//creativecommons.org/publicdomain/zero/1.0/">0</a></footer>'
        '<a rel="license" href="javascript:x">no</a></body>'
    )
    assert [(notice.place, notice.code) for notice in reading.licence.notices] == [
        ("html_link", "CC BY 4.0"),
        ("html_anchor", "CC0 1.0"),
    ]
    assert reading.licence.notices[0].excerpt.startswith("<link")


def test_linked_data_about_the_page_is_heard() -> None:
    html = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "x", '
        f'"license": "{BY}", "usageInfo": "https://courier.test/use"}}</script>'
        '<script type="application/ld+json">{"@type": "ImageObject", "license": "https://a.test/"}</script>'
    )
    reading = _read(html)
    assert [(notice.place, notice.code) for notice in reading.licence.notices] == [
        ("json_ld", "CC BY 4.0")
    ]
    assert [field.name for field in reading.licence.fields] == ["license", "usageInfo"]
    given_nodes = _reading("", json_ld=[{"@type": "NewsArticle", "license": BY}])
    assert given_nodes.licence.notices[0].code == "CC BY 4.0"


def test_parts_that_may_not_be_quoted_are_counted() -> None:
    assert (
        _read("<p data-nosnippet>a</p><div data-nosnippet>b</div>").robots_tag.nosnippet_parts == 2
    )


@given(
    st.text(max_size=300),
    st.lists(st.tuples(st.text(max_size=20), st.text(max_size=60)), max_size=5),
)
def test_any_page_is_read(html: str, headers: list[tuple[str, str]]) -> None:
    assert _reading(html, headers).url == URL


def test_a_page_of_signals_is_bounded() -> None:
    html = (
        f'<link rel="license" href="{BY}">' * 3_000
        + '<meta name="robots" content="noai,noai,noai">' * 3_000
    )
    reading = _read(html, *[("x-robots-tag", "noai," * 100)] * 100)
    assert len(reading.licence.notices) <= 50
    assert len(reading.robots_tag.directives) <= 200
