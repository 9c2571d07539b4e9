"""Why was I refused? One answer in, the error it means out, in the fixed vocabulary.

Pure. A status says what the server claims, the page what it does; both are asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from urllib.parse import urlsplit

from wireroom.errors import (
    BlockedError,
    FetchError,
    GoneError,
    StatusError,
    ThrottledError,
)
from wireroom.fetch.fetch_options import clamp_retry_after
from wireroom.model import Response, ServerHints, Validators
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


# A server's headers as text, and what they say about coming back: Retry-After, max-age, Expires, validators.
#
# Pure; `now` is an argument. Nothing is clamped here: that is a matter of manners.

HINTS = frozenset({"cache-control", "etag", "expires", "last-modified", "retry-after"})
"""The headers that are read here."""

MAX_VALIDATOR = 1024  # characters of an ETag we send back; longer ones are a server's mistake
MAX_DAYS = 3650  # of a max-age; "forever" is written as anything up to 2^63

_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?([0-9]{1,10})", re.IGNORECASE)
_NO_CACHE = re.compile(r"(?:^|[,\s])no-(?:cache|store)(?:[,\s=]|$)", re.IGNORECASE)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_SECONDS = re.compile(r"[0-9]{1,64}(?:\.[0-9]+)?")

_TIMES = frozenset({"cache-control", "expires", "retry-after"})
NO_HINTS = ServerHints()

Headers = Iterable[tuple[str, str]]


def header(headers: Headers, name: str) -> str:
    """The value of a header, repeats joined as HTTP says; empty when it is not there."""
    found = [value for key, value in headers if key == name]
    return found[0] if len(found) == 1 else ", ".join(found)


@lru_cache(maxsize=1024)  # servers use the same names again and again
def name_of(raw: bytes) -> str:
    """A header's name as we keep it."""
    return raw.decode("latin-1").lower()


def value_of(name: str, raw: bytes) -> str:
    """A header's value; a place that is not written in UTF-8 keeps its bytes, escaped as in an address."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        if name == "location":
            return _NOT_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), raw).decode("ascii")
        return raw.decode("utf-8", "replace")


def retry_after(headers: Headers, *, now: datetime) -> timedelta | None:
    """How long the server asks us to wait, from seconds or from a date; never negative."""
    value = next((value.strip() for key, value in headers if key == "retry-after"), "")
    if _SECONDS.fullmatch(value):
        return timedelta(seconds=min(float(value), MAX_DAYS * 86_400))
    at = _date(value)
    return None if at is None else max(at - now, timedelta())


def server_hints(headers: Headers, *, now: datetime) -> ServerHints:
    """What the headers say about when to ask again."""
    headers = headers if isinstance(headers, tuple) else tuple(headers)
    if not [key for key, _ in headers if key in _TIMES]:
        return NO_HINTS
    cache = header(headers, "cache-control")
    age = _MAX_AGE.search(cache)
    fresh = None
    if age and not _NO_CACHE.search(cache):
        fresh = timedelta(seconds=min(int(age[1]), MAX_DAYS * 86_400))
    return ServerHints(
        max_age=fresh,
        expires_at=None if cache else _date(header(headers, "expires")),
        retry_after=retry_after(headers, now=now),
    )


def validators(headers: Headers) -> Validators:
    """ETag and Last-Modified, exactly as received."""
    headers = headers if isinstance(headers, tuple) else tuple(headers)
    return Validators(
        etag=_fit(header(headers, "etag")), last_modified=_fit(header(headers, "last-modified"))
    )


def _fit(value: str) -> str:
    """The validator, where it can be sent back as it came: bytes that are no UTF-8 are lost by now."""
    whole = value.isprintable() and "\N{REPLACEMENT CHARACTER}" not in value
    return value if whole and len(value) <= MAX_VALIDATOR else ""


def _date(value: str) -> datetime | None:
    if not value:
        return None
    try:
        at = parsedate_to_datetime(value[:64])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    try:
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except OverflowError:  # "never", written as the last day of 9999 in a zone west of Greenwich
        return at.replace(tzinfo=UTC)
