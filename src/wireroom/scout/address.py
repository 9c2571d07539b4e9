"""What an operator typed, as a publisher and a page of it.

Pure. An address without a scheme is meant as https, and as http where https is not spoken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from wireroom.errors import SettingsError
from wireroom.model import Publisher
from wireroom.urls import MAX_URL_LENGTH, fetch_url, host_of, publisher_domain, resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A page of a publisher, and its homepage; `candidates` are the spellings to try, best first."""

    domain: str
    candidates: tuple[str, ...]


def read_address(text: str) -> Address:
    """The address in what was typed; SettingsError says what is wrong with it."""
    typed = text.strip()
    if not typed:
        raise _wrong("URL is required.", "Give a publisher's address, such as courier.example.")
    if len(typed) > MAX_URL_LENGTH:
        raise _wrong(f"The URL is longer than {MAX_URL_LENGTH} characters.", "Give a shorter one.")
    scheme, mark, _rest = typed.partition("://")
    if mark and scheme.lower() not in {"http", "https"}:
        raise _wrong(f"Invalid URL: {scheme!r} is not supported.", "Use http or https.")
    spellings = (typed,) if mark else (f"https://{typed}", f"http://{typed}")
    try:
        candidates = tuple(fetch_url(spelling) for spelling in spellings)
        domain = publisher_domain(candidates[0])
    except ValueError as exc:
        raise _wrong(f"Invalid URL: {typed[:200]!r} ({exc}).", "Give it as in a browser.") from exc
    if "." not in host_of(candidates[0]).strip("[]") and ":" not in domain:
        raise _wrong(f"{typed[:200]!r} names no domain.", "Give a full name: courier.example.")
    return Address(domain=domain, candidates=candidates)


def home_address(publisher: Publisher) -> Address:
    """The front page of the publisher; by http as well, should https not answer any more.

    Always its root: a front page that once stood at another path may have moved to another host since.
    """
    home = publisher.home_url
    is_own = bool(home) and publisher_domain(home) == publisher.domain
    address = read_address(resolve(home, "/") if is_own else publisher.domain)
    first = address.candidates[0]
    if len(address.candidates) > 1 or not first.startswith("https://"):
        return address
    return replace(address, candidates=(first, first.replace("https://", "http://", 1)))


def _wrong(message: str, hint: str) -> SettingsError:
    return SettingsError([message], hint=hint)
