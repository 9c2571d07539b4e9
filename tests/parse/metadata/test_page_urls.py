"""Addresses: the canonical one only when plausible, never anything but http."""

from __future__ import annotations

import pytest

from tests.parse.metadata.pages import URL, article, meta, read


def _canonical(href: str) -> str:
    return f'<link rel="canonical" href="{href}">'


ACCEPTED = [
    (_canonical(URL), URL, "link canonical"),
    (_canonical("/harbour/ferry-returns"), URL, "link canonical"),
    (_canonical("https://courier.test/harbour/ferry"), "https://courier.test/harbour/ferry", "link canonical"),
    (_canonical("https://news.courier.test/ferry"), "https://news.courier.test/ferry", "link canonical"),
    (_canonical(f"{URL}?utm_source=x#top"), URL, "link canonical"),
    (meta(og__url=URL), URL, "og:url"),
    (_canonical("https://other.test/a") + meta(og__url=URL), URL, "og:url"),
    (article(mainEntityOfPage={"@id": URL}), URL, "json-ld url"),
]  # fmt: skip
REFUSED = [
    ("https://other.test/harbour/ferry-returns", "another site"),
    ("https://www.courier.test/", "the home page"),
    ("/", "the home page"),
    ("/tag/harbour", "a list"),
    ("/category/harbour/", "a list"),
    ("/404", "an error page"),
    ("javascript:alert(1)", "not a web address"),
    ("mailto:desk@courier.test", "not a web address"),
    ("https://user:secret@courier.test/a", "not a web address"),
]


@pytest.mark.parametrize(("head", "url", "source"), ACCEPTED)
def test_plausible_addresses_are_taken(head: str, url: str, source: str) -> None:
    found = read(head).canonical_url
    assert (found.value, found.source) == (url, source)


@pytest.mark.parametrize(("href", "why"), REFUSED)
def test_others_are_refused_and_reported(href: str, why: str) -> None:
    found = read(_canonical(href)).canonical_url
    assert found.value == ""
    assert found.notes == (f"link canonical refused: {why}",)
    assert found.claims[0].confidence == 0.0


def test_two_canonical_links_are_not_sure() -> None:
    found = read(_canonical(URL) + _canonical("/harbour/other")).canonical_url
    assert found.confidence <= 0.5


def test_the_home_page_may_call_itself_so() -> None:
    home = "https://www.courier.test/"
    assert read(_canonical(home), url=home).canonical_url.value == home


def test_links_count_from_the_base() -> None:
    head = '<base href="https://www.courier.test/a/">' + _canonical("ferry")
    assert read(head).canonical_url.value == "https://www.courier.test/a/ferry"


@pytest.mark.parametrize(
    ("head", "url", "source"),
    [
        (meta(og__image="/a.png"), "https://www.courier.test/a.png", "og:image"),
        ('<meta name="twitter:image" content="/a.png">', "https://www.courier.test/a.png", "twitter:image"),
        (article(image={"url": "/a.png"}), "https://www.courier.test/a.png", "json-ld image"),
        (article(image=["/a.png", "/b.png"]), "https://www.courier.test/a.png", "json-ld image"),
        ('<link rel="image_src" href="/a.png">', "https://www.courier.test/a.png", "link image_src"),
        (meta(og__image="/placeholder.png") + article(image="/a.png"), "https://www.courier.test/a.png", "json-ld image"),
        (meta(og__image="javascript:x()"), "", ""),
        (meta(og__image="data:image/png;base64,AAAA"), "", ""),
    ],
)  # fmt: skip
def test_image(head: str, url: str, source: str) -> None:
    found = read(head).image_url
    assert (found.value, found.source) == (url, source)


@pytest.mark.parametrize(
    ("head", "url"),
    [
        (
            '<link rel="license" href="https://licence.test/by/4.0/">',
            "https://licence.test/by/4.0/",
        ),
        (article(license="https://licence.test/by/4.0/"), "https://licence.test/by/4.0/"),
        ('<meta name="copyright" content="All rights reserved">', ""),
    ],
)
def test_licence(head: str, url: str) -> None:
    assert read(head).licence_url.value == url


def test_other_forms_of_the_page_are_kept() -> None:
    head = '<link rel="amphtml" href="/amp/ferry"><link rel="author" href="/ada">' + meta(
        og__type="Article"
    )
    assert read(head).extra == {
        "amp_url": "https://www.courier.test/amp/ferry",
        "author_url": "https://www.courier.test/ada",
        "og_type": "article",
    }


def test_a_page_without_an_address_takes_absolute_ones() -> None:
    assert read(_canonical(URL), url="").canonical_url.value == URL
    assert read(_canonical("/a"), url="").canonical_url.value == ""
