"""What headers say about coming back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wireroom.fetch.response_errors import retry_after, server_hints, validators

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cache", "age"),
    [
        ("max-age=600", timedelta(minutes=10)),
        ("public, MAX-AGE = 60", timedelta(minutes=1)),
        ('max-age="30"', timedelta(seconds=30)),
        ("s-maxage=600", None),
        ("no-cache, max-age=600", None),
        ("no-store", None),
        ("max-age=banana", None),
        ("max-age=9999999999", timedelta(days=3650)),
        ("", None),
    ],
)
def test_max_age_is_passed_on(cache: str, age: timedelta | None) -> None:
    assert server_hints([("cache-control", cache)], now=NOW).max_age == age


def test_expires_counts_only_without_cache_control() -> None:
    expires = ("expires", "Sun, 15 Nov 2026 13:00:00 GMT")
    assert server_hints([expires], now=NOW).expires_at == NOW + timedelta(hours=1)
    assert server_hints([expires, ("cache-control", "no-cache")], now=NOW).expires_at is None
    assert server_hints([("expires", "-1")], now=NOW).expires_at is None
    assert server_hints([("expires", "0")], now=NOW).expires_at is None


def test_validators_are_kept_exactly_as_received() -> None:
    kept = validators([("etag", ' W/"a,b" '.strip()), ("last-modified", "Mon, 32 Foo 2026")])
    assert (kept.etag, kept.last_modified) == ('W/"a,b"', "Mon, 32 Foo 2026")


def test_a_monstrous_or_broken_validator_is_not_sent_back() -> None:
    assert validators([("etag", '"' + "x" * 5000 + '"')]).etag == ""
    assert validators([("etag", '"a\x01b"')]).etag == ""


def test_a_number_of_seconds_beyond_all_reason_is_still_a_long_wait() -> None:
    assert retry_after([("retry-after", "9" * 30)], now=NOW) == timedelta(days=3650)
