"""Which records of an archive are pages that are wanted, by headers alone: before anything is parsed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Literal, TypeAlias
from zlib import crc32

from wireroom.parse.warc import HttpAnswer, RecordHead
from wireroom.urls import is_web_url, is_within, publisher_domain

Kind: TypeAlias = Literal["html", "feed", "json"]
KINDS: Final[tuple[Kind, ...]] = ("html", "feed", "json")
SkipReason: TypeAlias = Literal[
    "revisit", "no_web_address", "publisher", "date", "sample", "no_answer", "status", "kind"
]
"""Why a record was left out unread. A revisit says that a page had not changed, and holds nothing of it."""

ROBOTS: Final = "/robots.txt"
_PAGES: Final = frozenset({"response", "resource", "revisit"})
_KIND_OF: Final[dict[str, Kind]] = {
    "": "html",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/rss+xml": "feed",
    "application/atom+xml": "feed",
    "application/rdf+xml": "feed",
    "application/feed+json": "feed",
    "application/xml": "feed",
    "text/xml": "feed",
    "application/json": "json",
    "application/ld+json": "json",
}
_HTTP: Final = "application/http"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """What is wanted of an archive."""

    publishers: tuple[str, ...] = ()
    """Domains, with all hosts below them; none for all."""
    since: datetime | None = None
    until: datetime | None = None
    """Captured from then on, and up to then."""
    statuses: tuple[int, ...] = (200,)
    kinds: tuple[Kind, ...] = ("html",)
    languages: tuple[str, ...] = ()
    """Decided in the worker, after 1,000 characters of a page."""
    sample: float = 1.0
    """The share of pages that is wanted; the same ones each time."""

    def skip_head(self, head: RecordHead, at: datetime | None) -> SkipReason | None:
        """Why the record is not wanted, by its own header; `at` is when it was captured."""
        if head.kind == "revisit":
            return "revisit"
        return self.skip_address(head.url) or self.skip_date(at)

    def skip_address(self, url: str) -> SkipReason | None:
        """Why a page at this address is not wanted."""
        domain = domain_of(url)
        if not domain:
            return "no_web_address"
        if self.publishers and not _is_below(domain, self.publishers):
            return "publisher"
        return self._skip_sample(url)

    def skip_file(self, name: str, at: datetime) -> SkipReason | None:
        """Why a saved page is not wanted, by the name of its file; whose it is, only the page says."""
        if "html" not in self.kinds:
            return "kind"
        return self._skip_sample(name) or self.skip_date(at)

    def _skip_sample(self, name: str) -> SkipReason | None:
        if self.sample < 1.0 and crc32(name.encode("utf-8", "replace")) >= self.sample * 2**32:
            return "sample"
        return None

    def skip_date(self, at: datetime | None) -> SkipReason | None:
        """Why a page that was captured then is not wanted; where nobody knows when, any bound leaves it out."""
        if self.since is None and self.until is None:
            return None
        early = self.since is not None and (at is None or at < self.since)
        late = self.until is not None and (at is None or at > self.until)
        return "date" if early or late else None

    def skip_answer(self, answer: HttpAnswer, content_type: str) -> SkipReason | None:
        """Why an answer is not wanted, by its status and its headers."""
        if self.statuses and answer.status not in self.statuses:
            return "status"
        return self.skip_kind(content_type)

    def skip_kind(self, content_type: str) -> SkipReason | None:
        """Why a body that is called this is not wanted."""
        media_type = content_type.partition(";")[0].strip().lower()
        return None if _KIND_OF.get(media_type) in self.kinds else "kind"


def is_page(head: RecordHead) -> bool:
    """Whether the record may hold a page; requests, metadata and the like hold none."""
    return head.kind in _PAGES


def is_robots(head: RecordHead) -> bool:
    """Whether the record is the answer to a request for robots.txt."""
    return head.kind == "response" and head.url.endswith(ROBOTS) and head.url.count("/") == 3


def holds_answer(head: RecordHead) -> bool:
    """Whether its block is the answer of a server, rather than the page itself."""
    return head.kind == "response" or head.fields.get("content-type", "").startswith(_HTTP)


def captured_at(head: RecordHead) -> datetime | None:
    """When the record was made; None where its date is none."""
    try:
        at = datetime.fromisoformat(head.fields.get("warc-date", ""))
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def domain_of(url: str) -> str:
    """The publisher's domain; empty for what is no web address."""
    end = url.find("/", 8)
    return _domain(url if end < 0 else url[: end + 1])


@lru_cache(maxsize=4096)  # hosts; an archive has runs of the same
def _domain(origin: str) -> str:
    if not is_web_url(origin):
        return ""
    try:
        return publisher_domain(origin)
    except ValueError:
        return ""


@lru_cache(maxsize=4096)
def _is_below(domain: str, publishers: tuple[str, ...]) -> bool:
    return is_within(domain, publishers)
