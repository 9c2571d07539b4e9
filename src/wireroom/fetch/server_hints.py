"""A server's headers as text, and what they say about coming back: Retry-After, max-age, Expires, validators.

Pure; `now` is an argument. Nothing is clamped here: that is a matter of manners.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache

from wireroom.model import ServerHints, Validators

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
