"""Why was I refused? One answer in, the error it means out, in the fixed vocabulary.

Pure. A status says what the server claims, the page what it does; both are asked.
"""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlsplit

from wireroom.errors import (
    BlockedError,
    FetchError,
    GoneError,
    StatusError,
    ThrottledError,
)
from wireroom.fetch.manners import clamp_retry_after
from wireroom.fetch.server_hints import retry_after
from wireroom.model import Response
from wireroom.parse.fingerprints import Fingerprint, challenge_in, recognise

TINY_PAGE = 30_000  # a wall is a small page; an article that mentions a login is not
LOOKED_AT = 30_000  # bytes searched for the marks of a wall

# Every server sends these and no bot manager is known by them: not worth a look on every page.
DULL = frozenset(
    {
        "accept-ranges",
        "cache-control",
        "connection",
        "content-encoding",
        "content-language",
        "content-length",
        "content-type",
        "date",
        "etag",
        "expires",
        "keep-alive",
        "last-modified",
        "transfer-encoding",
        "vary",
    }
)

_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|anmelden|connexion|account/login|sso|oauth2?)(?:[/.?]|$)"
)
_CONSENT_HOST = re.compile(r"(?:^|\.)(?:consent|guce|privacy-mgmt|cmp)\.")
_CONSENT_PATH = re.compile(
    r"/(?:consent|collectconsent|cookie-wall|privacy-gate|zustimmung)(?:[/.?]|$)"
)
_GONE = frozenset({404, 410})
_LATER = frozenset({429, 503})


def judge(response: Response, *, now: datetime) -> FetchError | None:
    """The error this answer means; None for an answer that can be worked with (2xx, 304)."""
    telling = [pair for pair in response.headers if pair[0] not in DULL]
    challenge = challenge_in(response.status, telling, response.body)
    if challenge is not None:
        return _challenged(response, challenge)
    if response.status == 304 or 200 <= response.status < 300:
        return _walled(response)
    if response.status in _GONE:
        return GoneError(response.url, response.status)
    if response.status in _LATER:
        asked = retry_after(response.headers, now=now)
        wait = None if asked is None else clamp_retry_after(asked)
        return ThrottledError(response.url, response.status, retry_after=wait)
    return _refused(response)


def _challenged(response: Response, challenge: Fingerprint) -> FetchError:
    message = f"challenge of {challenge.name} ({challenge.sign})"
    return BlockedError(response.url, response.status, message, kind="challenge")


def _refused(response: Response) -> FetchError:
    status, url = response.status, response.url
    if status == 401:
        return BlockedError(url, status, "a login is asked for", kind="login")
    if status == 402:
        price = next((value for name, value in response.headers if name == "crawler-price"), "")
        message = f"a payment is asked for{f' (crawler-price: {price[:40]})' if price else ''}"
        return BlockedError(url, status, message, kind="payment_required")
    if status == 403:
        makers = [print_.name for print_ in recognise(response.headers)]
        by = f"by {makers[0]}" if makers else "no bot manager recognised"
        return BlockedError(url, status, f"Forbidden ({by})", kind="blocked_waf")
    if status == 451:
        return StatusError(
            url, status, "not available for legal reasons", kind="gone", permanent=True
        )
    if status >= 500:
        return StatusError(url, status)
    return StatusError(url, status, kind="bad_response", permanent=True)


def _walled(response: Response) -> FetchError | None:
    """A wall that says 200: we asked for a page and were led to a login or a consent form."""
    if response.final_url == response.url or len(response.body) > TINY_PAGE:
        return None
    asked, got = urlsplit(response.url), urlsplit(response.final_url)
    if _CONSENT_HOST.search(got.hostname or "") or _leads_to(_CONSENT_PATH, asked.path, got.path):
        return BlockedError(
            response.url, response.status, f"led to {got.hostname}", kind="consent_wall"
        )
    if (
        _leads_to(_LOGIN_PATH, asked.path, got.path)
        and b"password" in response.body[:LOOKED_AT].lower()
    ):
        return BlockedError(response.url, response.status, f"led to {got.path[:80]}", kind="login")
    return None


def _leads_to(pattern: re.Pattern[str], asked: str, got: str) -> bool:
    return bool(pattern.search(got.lower())) and not pattern.search(asked.lower())
