"""The nodes about this page, out of graphs, lists and references."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parse.metadata.pages import FETCHED_AT, URL, article, read, script
from wireroom.parse.metadata.jsonld import about_page, link_scripts, types_of
from wireroom.parse.metadata.lenient_json import MAX_SCRIPT_LENGTH


def test_authors_by_reference_are_found_in_the_graph() -> None:
    graph = {
        "@graph": [
            {"@type": "Person", "@id": "#p1", "name": "Ada Lind"},
            {"@type": "Person", "@id": "#p2", "name": "Bo Falk"},
            {
                "@type": "NewsArticle",
                "headline": "Ferry",
                "author": [{"@id": "#p1"}, {"@id": "#p2"}],
            },
        ]
    }
    assert read(script(graph)).authors.value == ("Ada Lind", "Bo Falk")


def test_references_reach_into_other_scripts() -> None:
    head = article(headline="Ferry", author={"@id": "#p1"}) + script(
        {"@type": "Person", "@id": "#p1", "name": "Ada Lind"}
    )
    assert read(head).authors.value == ("Ada Lind",)


def test_a_ring_of_references_ends() -> None:
    data = link_scripts(['[{"@id": "a", "x": {"@id": "b"}}, {"@id": "b", "x": {"@id": "a"}}]'])
    assert data.follow({"@id": "missing"}) == {"@id": "missing"}
    assert data.follow({"@id": "a"}) == {"@id": "a", "x": {"@id": "b"}}


def test_main_entity_is_opened() -> None:
    page = {"@type": "WebPage", "mainEntity": {"@type": "Article", "headline": "Ferry returns"}}
    assert read(script(page)).title.value == "Ferry returns"


def test_web_pages_give_dates_only() -> None:
    page = {
        "@type": "WebPage",
        "name": "Page name",
        "headline": "SEO",
        "datePublished": "2026-11-03",
    }
    found = read(script(page), "<h1>Ferry returns after ten years</h1>")
    assert found.title.value == "Ferry returns after ten years"
    assert found.published.source == "json-ld page datePublished"


def test_a_broken_script_does_not_hide_the_others() -> None:
    head = article(headline="First") + script('{"@type": "Article" "oops"}') + script("{}")
    found = read(head)
    assert found.title.value == "First"
    assert found.json_ld[0]["headline"] == "First"
    assert found.notes == ("json-ld: 1 of 3 scripts could not be read",)


def test_json_ld_can_be_switched_off() -> None:
    from wireroom.model import Hints

    found = read(article(headline="First"), hints=Hints(json_ld=False))
    assert found.title.value == ""
    assert found.json_ld == ()


@pytest.mark.parametrize(
    ("value", "types"),
    [
        ("NewsArticle", ("newsarticle",)),
        ("https://schema.org/NewsArticle", ("newsarticle",)),
        ("schema:BlogPosting", ("blogposting",)),
        (["Article", "LiveBlogPosting"], ("article", "liveblogposting")),
        (None, ()),
        ([1, {"a": 1}], ()),
    ],
)
def test_types_are_read_in_every_spelling(value: Any, types: tuple[str, ...]) -> None:
    assert types_of({"@type": value}) == types


def test_the_fullest_article_comes_first() -> None:
    bare = {"@type": "Article", "headline": "Bare"}
    full = {"@type": "Article", "headline": "Full", "datePublished": "2026-11-01", "author": "A"}
    page = {"@type": "WebPage", "datePublished": "2026-11-02"}
    assert about_page([page, bare, full, {"@type": "Organization"}], [URL]) == [full, bare, page]


def test_teasers_of_other_pages_are_left_out() -> None:
    own = {"@type": "NewsArticle", "headline": "Own", "url": URL, "datePublished": "2026-11-02"}
    teaser = {
        "@type": "NewsArticle",
        "headline": "Other",
        "url": "https://www.courier.test/other",
        "datePublished": "2026-11-09",
        "author": "Someone Else",
    }
    found = read(script([teaser, own]))
    assert found.title.value == "Own"
    assert found.published.value is not None
    assert found.published.value.local_day.isoformat() == "2026-11-02"
    assert found.authors.value == ()


def test_lists_of_stories_are_not_taken_for_the_page() -> None:
    listing = {
        "@type": "ItemList",
        "itemListElement": [
            {"@type": "NewsArticle", "headline": "Other", "datePublished": "2026-01-01"}
        ],
    }
    found = read(script(listing))
    assert found.title.value == ""
    assert found.published.value is None


def test_scripts_too_long_are_reported() -> None:
    found = read(script('{"a": "' + "x" * MAX_SCRIPT_LENGTH + '"}'), fetched_at=FETCHED_AT)
    assert found.notes == ("json-ld: 1 of 1 scripts could not be read",)


@pytest.mark.parametrize(
    "odd", [{"@id": 5}, {"@type": {}}, {"@graph": "x"}, {"mainEntity": [1]}, []]
)
def test_odd_shapes_are_passed_over(odd: Any) -> None:
    assert read(script(odd) + article(headline="Ferry")).title.value == "Ferry"
