"""What two spellings of one address have in common, and what must never be thrown together."""

from __future__ import annotations

import pytest

from wireroom.urls import article_id, canonical_url, fetch_url, host_of, identity_key, is_web_url

SAME_PAGE = [
    ("https://Courier.TEST/a", "https://courier.test/a"),
    ("https://www.courier.test/a", "https://courier.test/a"),
    ("http://courier.test/a", "https://courier.test/a"),
    ("http://courier.test:80/a", "https://courier.test/a"),
    ("https://courier.test:443/a", "https://courier.test/a"),
    ("https://courier.test./a", "https://courier.test/a"),
    ("https://courier.test", "https://courier.test/"),
    ("https://courier.test/a?", "https://courier.test/a"),
    ("https://courier.test/a#top", "https://courier.test/a"),
    ("https://courier.test/a?b=2&a=1", "https://courier.test/a?a=1&b=2"),
    ("https://courier.test/a?utm_source=x&id=7&fbclid=y", "https://courier.test/a?id=7"),
    ("https://courier.test/a?UTM_Whatever=x&trkCampaign=1", "https://courier.test/a"),
    ("https://courier.test/x/../a/./b", "https://courier.test/a/b"),
    ("https://courier.test/%7eann/%c3%a4", "https://courier.test/~ann/%C3%A4"),
    ("https://courier.test/ä", "https://courier.test/%C3%A4"),
    ("https://zürich-bote.test/a", "https://xn--zrich-bote-9db.test/a"),
    ("https://courier.test/a;jsessionid=0F9", "https://courier.test/a"),
]


@pytest.mark.parametrize(("url", "key"), SAME_PAGE)
def test_spellings_of_one_page_share_a_key(url: str, key: str) -> None:
    assert identity_key(url) == key
    assert identity_key(canonical_url(url)) == key
    assert identity_key(key) == key


@pytest.mark.parametrize(
    "url",
    [
        "",
        "courier.test/a",
        "ftp://courier.test/",
        "https://",
        "https:///a",
        "https://u:p@courier.test/",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    assert not is_web_url(url)
    with pytest.raises(ValueError, match=r"address|host"):
        identity_key(url)


def test_the_fetched_address_stays_as_published() -> None:
    url = "http://www.courier.test/a%7e?utm_source=x&b=2&a=1#top"
    assert fetch_url(url) == "http://www.courier.test/a%7e?utm_source=x&b=2&a=1"


def test_host_names_a_port_only_where_it_is_unusual() -> None:
    assert host_of("http://Courier.test:80/") == "courier.test"
    assert host_of("http://courier.test:8080/") == "courier.test:8080"


def test_article_id_is_one_per_publisher_and_page() -> None:
    first = article_id("courier.test", "https://www.courier.test/a?utm_source=x")
    assert first == article_id("courier.test", "http://courier.test/a")
    assert first != article_id("herald.test", "http://courier.test/a")
    assert first == "a71d12dd65fed62927050343"  # it must never change: stores hold it
