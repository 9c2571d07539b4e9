"""What an operator types, and what comes of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wireroom.errors import SettingsError
from wireroom.model import Publisher
from wireroom.scout.address import home_address, read_address

NOW = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "domain", "first"),
    [
        ("courier.example", "courier.example", "https://courier.example/"),
        (" www.Courier.example ", "courier.example", "https://www.courier.example/"),
        ("http://courier.example/a?b=1", "courier.example", "http://courier.example/a?b=1"),
        ("news.courier.example/x", "news.courier.example", "https://news.courier.example/x"),
        ("bücher.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
    ],
)
def test_an_address_is_a_publisher_and_a_page(typed: str, domain: str, first: str) -> None:
    address = read_address(typed)
    assert (address.domain, address.candidates[0]) == (domain, first)


def test_https_is_meant_and_http_is_tried_only_when_no_scheme_was_given() -> None:
    assert read_address("courier.example").candidates[1] == "http://courier.example/"
    assert len(read_address("https://courier.example").candidates) == 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "URL is required"),
        ("   ", "URL is required"),
        ("http://", "Invalid URL"),
        ("ht tp://x", "Invalid URL"),
        ("ftp://courier.example/", "'ftp' is not supported"),
        ("javascript://courier.example/", "not supported"),
        ("courier", "names no domain"),
        ("https://" + "a" * 3000 + ".example", "longer than 2048"),
    ],
)
def test_what_is_no_address_is_reported_with_a_hint(typed: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as wrong:
        read_address(typed)
    assert wrong.value.hint


@pytest.mark.parametrize(
    ("home_url", "candidates"),
    [
        ("", ("https://blog.courier.example/", "http://blog.courier.example/")),
        ("http://blog.courier.example/", ("http://blog.courier.example/",)),
        (
            "https://blog.courier.example/de/",
            ("https://blog.courier.example/", "http://blog.courier.example/"),
        ),
        (
            "https://courier.example/",
            ("https://blog.courier.example/", "http://blog.courier.example/"),
        ),
    ],
    ids=["unknown", "root", "a path", "another host"],
)
def test_a_publisher_is_looked_for_at_the_root_of_its_own_host(
    home_url: str, candidates: tuple[str, ...]
) -> None:
    publisher = Publisher(domain="blog.courier.example", home_url=home_url, added_at=NOW)
    assert home_address(publisher).candidates == candidates
