"""What an address says about the kind of its page."""

from __future__ import annotations

import pytest

from wireroom.parse.pages.url_shape import PATH_KINDS, UNKNOWN, UrlShape, read_url_shape


def _count_of(address: UrlShape, kind: str) -> int:
    return address.words[list(PATH_KINDS).index(kind)]


@pytest.mark.parametrize(
    "url", ["", "ferry", "ftp://courier.test/a", "mailto:ada@courier.test", "://"]
)
def test_what_is_no_address_says_nothing(url: str) -> None:
    assert read_url_shape(url) == UNKNOWN


@pytest.mark.parametrize(
    ("path", "words", "number"),
    [
        ("/harbour/ferry-returns-after-three-years", 5, 0),
        ("/harbour/ferry_returns-8812345.html", 3, 1),
        ("/ferry-returns-again/8812345", 3, 1),
        ("/2026/11/03/8812345", 0, 1),
        ("/", 0, 0),
    ],
)
def test_slugs_are_counted_by_word(path: str, words: int, number: int) -> None:
    found = read_url_shape(f"https://courier.test{path}")
    assert (found.slug_words, found.number) == (words, number)


def test_slugs_in_other_scripts_have_words_too() -> None:
    assert (
        read_url_shape("https://courier.test/新しい図書館を来年の春に開館すると発表").slug_words
        >= 4
    )
    escaped = "https://courier.test/%D0%BF%D0%B0%D1%80%D0%BE%D0%BC-%D1%81%D0%BD%D0%BE%D0%B2%D0%B0"
    assert read_url_shape(escaped).slug_words == 2


def test_words_of_a_path_count_most_at_its_end() -> None:
    assert _count_of(read_url_shape("https://a.test/products/desk-lamp"), "product") == 1
    assert _count_of(read_url_shape("https://a.test/shop/products"), "product") == 2
    assert _count_of(read_url_shape("https://docs.a.test/install"), "documentation") == 1
    assert _count_of(read_url_shape("https://a.test/ferry"), "forum") == 0


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://a.test", True),
        ("https://a.test/", True),
        ("https://a.test/en/", True),
        ("https://a.test/pt-br/index.php", True),
        ("https://a.test/?utm_source=mail&fbclid=1", True),
        ("https://a.test/?p=1234", False),
        ("https://a.test/news", False),
    ],
)
def test_home_pages(url: str, home: bool) -> None:
    assert read_url_shape(url).home is home


def test_long_addresses_are_cut() -> None:
    found = read_url_shape("https://a.test/" + "a-/" * 100_000)
    assert 0 < found.depth <= 12
