"""The kinds of value a setting can have: how each is read, and what is said when it is wrong.

Pure functions that return the value in its normal form or raise ValueError("expected …").
They know neither files nor pydantic.
"""

from __future__ import annotations

import re
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    WithJsonSchema,
)

from wireroom.dates.durations import EXAMPLES, LONGEST, format_duration, read_duration
from wireroom.urls import is_web_url

MAX_WORDS = 200  # of a name, a category, a selector: longer ones are a paste gone wrong
MAX_ADDRESS = 2048  # what servers accept
PROXY_SCHEMES = ("http", "https", "socks4", "socks5", "socks5h")

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,6}")
_DATABASE = re.compile(r"[a-z][a-z0-9+_.-]*://\S*(?: \S+)*")
_ATTRIBUTE = re.compile(r"(?<=.)@[A-Za-z_:][\w:.-]*$")
_PRINTABLE = re.compile(r"[!-~]+")


def read_words(text: str) -> str:
    """One line of text without control characters."""
    if len(text) > MAX_WORDS or not text.isprintable():
        raise ValueError(f"expected one line of at most {MAX_WORDS} printable characters")
    return text.strip()


def read_name(text: str) -> str:
    """One line of text that is not blank."""
    name = read_words(text)
    if not name:
        raise ValueError("expected at least one character")
    return name


def read_selector(text: str) -> str:
    """CSS, `css@attribute`, and either with `[]` behind it for every match, as pages are read."""
    selector = read_name(text)
    _check_css(_ATTRIBUTE.sub("", selector.removesuffix("[]").strip()))
    return selector


def read_selector_or_none(text: str) -> str:
    """CSS alone; blank for none."""
    selector = read_words(text)
    if selector:
        _check_css(selector)
    return selector


def _check_css(css: str) -> None:
    """The library that reads the pages decides; loaded only for those who have selectors."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(css)
    except (SelectolaxError, ValueError) as exc:
        raise ValueError("expected a CSS selector") from exc


def read_time_span(value: object) -> timedelta:
    """A duration from its spelling; a bare number has no unit, only zero needs none."""
    if isinstance(value, timedelta):
        return _bounded(value)
    if isinstance(value, str):
        return read_duration(value)
    if value == 0 and not isinstance(value, bool):
        return timedelta()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise ValueError(f"expected {EXAMPLES}: a number alone does not say its unit")
    raise ValueError(f"expected {EXAMPLES}")


def read_web_url(text: str) -> str:
    """An http or https address without user info."""
    if not is_web_url(text.strip()):
        raise ValueError('expected a web address such as "https://courier.example/feed.xml"')
    return text.strip()


def read_web_url_or_none(text: str) -> str:
    """The same; blank for none."""
    return read_web_url(text) if text.strip() else ""


def read_file_name(text: str) -> str:
    """The name of a file in one line; blank for none."""
    if len(text) > MAX_ADDRESS or not text.isprintable():
        raise ValueError("expected the name of a file")
    return text.strip()


def read_key(text: str) -> str:
    """A key that can stand in a header; empty for none."""
    key = text.strip()
    if key and not _PRINTABLE.fullmatch(key):
        raise ValueError("expected a key of plain characters without blanks")
    return key


MIN_TOKEN = 16  # characters: what opens the pages must not be guessed


def read_token(text: str) -> str:
    """A token, or `sha256:` and 64 hex digits; empty for none."""
    token = read_key(text)
    if token.startswith("sha256:") and not re.fullmatch(r"sha256:[0-9a-f]{64}", token):
        raise ValueError("expected sha256: and 64 hex digits")
    if token and len(token) < MIN_TOKEN:
        raise ValueError(f"expected at least {MIN_TOKEN} characters")
    return token


def read_contact(text: str) -> str:
    """A web or mail address that can stand in the User-Agent header; empty for none."""
    plain = text.strip()
    fits = _PRINTABLE.fullmatch(plain) and not set('()<>"\\') & set(plain)
    if not plain or (fits and (is_web_url(plain) or re.fullmatch(r"mailto:[^@]+@[^@]+", plain))):
        return plain
    raise ValueError(
        'expected an address such as "https://you.example/bot" or "mailto:you@example.org"'
    )


def read_database(text: str) -> str:
    """A database address; which schemes there are is known to the store alone."""
    plain = text.strip()
    if len(plain) > MAX_ADDRESS or not plain.isprintable() or not _DATABASE.fullmatch(plain):
        raise ValueError('expected "sqlite:///file.db" or "postgresql://user:password@host/name"')
    return plain


def read_host_name(text: str) -> str:
    """A host name in lower case; international names in their xn-- form."""
    name = text.strip().lower()
    if len(name) > 253 or not _HOST_NAME.fullmatch(name):
        raise ValueError('expected a host name such as "courier.example" (international: "xn--…")')
    return name


def read_publisher(text: str) -> str:
    """A publisher's domain; empty for that of the feed."""
    return read_host_name(text) if text else ""


def read_endpoint(text: str) -> str:
    """`host:port`, the host a name or a literal address."""
    host, port = _split_endpoint(text)
    if host.startswith("["):
        return f"[{_literal(host[1:-1])}]:{port}"
    return f"{read_host_name(host)}:{port}"


def read_pinned(text: str) -> str:
    """`address:port`, the address a literal one: names would have to be resolved."""
    host, port = _split_endpoint(text)
    address = _literal(host.removeprefix("[").removesuffix("]"))
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def read_language(text: str) -> str:
    """A language tag as in BCP 47; empty for unknown."""
    if text and not _LANGUAGE.fullmatch(text):
        raise ValueError('expected a language tag such as "en", "pt-BR" or "zh-Hant"')
    return text


def read_zone(text: str) -> str:
    """The name of a time zone; empty for unknown."""
    if not text:
        return ""
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError) as exc:  # "Europe" is a folder, hence OSError
        raise ValueError('expected a time zone such as "Europe/Vienna" or "UTC"') from exc
    return text


def read_proxy(text: str) -> str:
    """The address of a proxy, with user info when it needs one; empty for none."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        sound = parts.scheme in PROXY_SCHEMES and bool(parts.hostname) and parts.port is not None
    except ValueError:
        sound = False
    if not sound or not text.isprintable() or " " in text:
        raise ValueError(
            f'expected "scheme://host:port" with a scheme of {", ".join(PROXY_SCHEMES)}'
        )
    return text


def _bounded(span: timedelta) -> timedelta:
    if not timedelta() <= span <= LONGEST:
        raise ValueError(f"expected 0 to {LONGEST.days} days")
    return span


def _split_endpoint(text: str) -> tuple[str, int]:
    host, colon, port = text.strip().rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not colon or not host or (":" in host and not bracketed):
        raise ValueError('expected "host:port" such as "127.0.0.1:8080" or "[::1]:8080"')
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise ValueError("expected a port from 1 to 65535 after the colon")
    return host, int(port)


def _literal(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise ValueError('expected a literal address and a port such as "127.0.0.1:8080"') from None


# What the sections of the settings are made of: kinds of values, each checked as it is read.

MIN_TIMEOUT = timedelta(milliseconds=100)  # less and no server on earth is reached
LONGEST_DELAY = timedelta(hours=1)  # between two requests; who wants more wants no traffic
LONGEST_WAIT = timedelta(minutes=10)  # for another writer; who waits longer has a stuck process


TABLE = WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}})
TABLES = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    }
)

LISTS = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    }
)


def at_least(low: timedelta) -> AfterValidator:
    """A time span of no less."""

    def check(span: timedelta) -> timedelta:
        if span < low:
            raise ValueError(f"expected at least {format_duration(low)}")
        return span

    return AfterValidator(check)


def at_most(high: timedelta) -> AfterValidator:
    """A time span of no more."""

    def check(span: timedelta) -> timedelta:
        if span > high:
            raise ValueError(f"expected at most {format_duration(high)}")
        return span

    return AfterValidator(check)


Words = Annotated[str, AfterValidator(read_words)]
Name = Annotated[str, AfterValidator(read_name)]
WebUrl = Annotated[str, AfterValidator(read_web_url)]
Endpoint = Annotated[str, AfterValidator(read_endpoint)]
HostName = Annotated[str, AfterValidator(read_host_name)]
Pinned = Annotated[str, AfterValidator(read_pinned)]
Selector = Annotated[str, AfterValidator(read_selector)]
Span = Annotated[
    timedelta,
    BeforeValidator(read_time_span),
    PlainSerializer(format_duration),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"const": 0}], "description": EXAMPLES}),
]


class SettingsSection(BaseModel):
    """A part of the settings: frozen, and unknown names are problems."""

    # Built with the whole that it is part of: most sections are never read alone, and every start pays.
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )
