"""Why was I refused? Each answer means one word of the fixed vocabulary, or nothing is wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wireroom.errors import BlockedError, GoneError, StatusError, ThrottledError
from wireroom.fetch.response_errors import judge
from wireroom.model import Response

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
URL = "https://courier.test/story"
ARTICLE = (
    "<html><head><title>Cloudflare outage: just a moment of panic</title></head><body>"
    + "<p>Visitors were asked to verify you are human, and access denied pages, Ray ID included, "
    "were seen by millions. Checking your browser before accessing became a saying.</p>"
    * 30
    + "</body></html>"
).encode()
CHALLENGE = (
    b"<html><head><title>Just a moment...</title></head><body>"
    b"<script src='/cdn-cgi/challenge-platform/h/b.js'></script></body></html>"
)


def answer(
    status: int = 200, body: bytes = b"<p>text</p>", *, final_url: str = URL, **headers: str
) -> Response:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(
        url=URL, final_url=final_url, status=status, headers=named, body=body, fetched_at=NOW
    )


def kind(response: Response) -> str:
    error = judge(response, now=NOW)
    return error.kind if error else ""


@pytest.mark.parametrize("status", [200, 203, 206, 304])
def test_a_good_answer_means_nothing(status: int) -> None:
    assert judge(answer(status), now=NOW) is None


@pytest.mark.parametrize(
    ("status", "error", "word"),
    [
        (404, GoneError, "gone"),
        (410, GoneError, "gone"),
        (451, StatusError, "gone"),
        (401, BlockedError, "login"),
        (402, BlockedError, "payment_required"),
        (403, BlockedError, "blocked_waf"),
        (429, ThrottledError, "throttled"),
        (503, ThrottledError, "throttled"),
        (500, StatusError, "server_error"),
        (502, StatusError, "server_error"),
        (400, StatusError, "bad_response"),
        (418, StatusError, "bad_response"),
    ],
)
def test_each_status_has_its_word(status: int, error: type[StatusError], word: str) -> None:
    judged = judge(answer(status), now=NOW)
    assert type(judged) is error
    assert judged.kind == word
    assert f"HTTP {status}" in str(judged)


def test_an_article_about_a_bot_manager_is_not_a_block() -> None:
    assert kind(answer(200, ARTICLE, server="cloudflare", cf_ray="1")) == ""


def test_a_short_article_about_a_bot_manager_is_not_a_block_either() -> None:
    assert len(ARTICLE[:6000]) < 20_000
    assert kind(answer(200, ARTICLE[:6000])) == ""


@pytest.mark.parametrize("status", [200, 403, 503])
def test_a_challenge_page_is_one_whatever_its_status(status: int) -> None:
    assert kind(answer(status, CHALLENGE, server="cloudflare")) == "challenge"


def test_a_header_that_says_challenge_is_enough() -> None:
    judged = judge(answer(200, ARTICLE, cf_mitigated="challenge"), now=NOW)
    assert judged is not None
    assert "Cloudflare" in str(judged)


def test_the_bot_manager_is_named_where_it_can_be() -> None:
    blocked = judge(answer(403, b"no", set_cookie="datadome=abc; Path=/"), now=NOW)
    assert blocked is not None
    assert "DataDome" in str(blocked)
    assert "no bot manager recognised" in str(judge(answer(403, b"no"), now=NOW))


def test_headers_name_the_maker_before_the_page_does() -> None:
    judged = judge(answer(403, CHALLENGE, set_cookie="datadome=abc", server="cloudflare"), now=NOW)
    assert judged is not None
    assert "challenge of DataDome" in str(judged)


def test_the_price_of_a_crawl_is_reported() -> None:
    assert "USD 0.01" in str(judge(answer(402, crawler_price="USD 0.01"), now=NOW))


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("120", timedelta(minutes=2)),
        ("1.5", timedelta(seconds=1.5)),
        ("0", timedelta(seconds=1)),
        ("99999999", timedelta(hours=24)),
        ("Sun, 15 Nov 2026 12:05:00 GMT", timedelta(minutes=5)),
        ("Sunday, 15-Nov-26 12:05:00 GMT", timedelta(minutes=5)),
        ("Sun Nov 15 12:05:00 2026", timedelta(minutes=5)),
        ("Sun, 15 Nov 2026 14:05:00 +0200", timedelta(minutes=5)),
        ("Sun, 15 Nov 2020 12:05:00 GMT", timedelta(seconds=1)),
        ("Sun, 15 Nov 2099 12:05:00 GMT", timedelta(hours=24)),
        ("Sun, 99 Nov 2026 12:05:00 GMT", None),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("9" * 400, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(value: str, wait: timedelta | None) -> None:
    judged = judge(answer(429, retry_after=value), now=NOW)
    assert judged is not None
    assert judged.retry_after == wait


def test_being_led_to_a_login_is_reported() -> None:
    form = b"<form action='/login'><input type='password'></form>"
    assert kind(answer(200, form, final_url="https://courier.test/login?next=/story")) == "login"
    assert kind(answer(200, form)) == "", "we asked for that page ourselves"
    assert kind(answer(200, b"<p>story</p>", final_url="https://courier.test/login-now")) == ""


def test_being_led_to_a_consent_form_is_reported() -> None:
    wall = b"<html>Please accept</html>"
    assert kind(answer(200, wall, final_url="https://consent.courier.test/c?x")) == "consent_wall"
    assert kind(answer(200, wall, final_url="https://courier.test/consent?to=x")) == "consent_wall"
    assert kind(answer(200, wall, final_url="https://courier.test/story-of-consent")) == ""


def test_no_bot_manager_is_known_by_a_header_that_is_not_looked_at() -> None:
    from wireroom.fetch.response_errors import DULL
    from wireroom.parse import fingerprints

    assert not DULL & {header for _, _, header, _ in fingerprints._HEADERS}
    assert "set-cookie" not in DULL
