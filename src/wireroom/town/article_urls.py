"""Where an article of the town lives: one function per habit of publishers.

Pure. Every address ends in the article's number, by which the town finds it again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from wireroom.town.declaration import AddressStyle, TownPublisher
from wireroom.town.writing import StoryDraft

MAX_SLUG_WORDS = 8

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _UrlParts:
    """What an address may be made of."""

    number: int
    draft: StoryDraft
    local: datetime


def story_url(publisher: TownPublisher, *, number: int, draft: StoryDraft, out_at: datetime) -> str:
    """The address of an article; it never changes, whatever is edited later."""
    place = _UrlParts(number=number, draft=draft, local=out_at + publisher.utc_offset)
    path = _STYLES[publisher.addresses](place)
    return f"http://{publisher.host}{path}"


def slug(title: str) -> str:
    """The title in lower-case ASCII words; empty when its script has no Latin letters."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = _NOT_A_WORD.sub(" ", plain).split()[:MAX_SLUG_WORDS]
    return "-".join(words) if any(word.isalpha() for word in words) else ""


def _dated(place: _UrlParts) -> str:
    return f"/{place.local:%Y/%m/%d}/{_slug_or_key(place.draft)}-{place.number}"


def _section(place: _UrlParts) -> str:
    return f"/{place.draft.subject.key}/{_slug_or_key(place.draft)}-{place.number}.html"


def _query(place: _UrlParts) -> str:
    return f"/article.php?id={place.number}"


def _number(place: _UrlParts) -> str:
    return f"/news/{place.local:%Y%m}/{place.number}"


def _unicode(place: _UrlParts) -> str:
    letters = "".join(
        character
        for character in place.draft.title
        if not unicodedata.category(character).startswith("P")
    )
    words = "-".join(letters.split()[:MAX_SLUG_WORDS])
    return quote(f"/{place.draft.subject.key}/{words}-{place.number}")


def _api(place: _UrlParts) -> str:
    return f"/api/v1/articles/{place.number}"


def _slug_or_key(draft: StoryDraft) -> str:
    return slug(draft.title) or draft.subject.key


_STYLES: dict[AddressStyle, Callable[[_UrlParts], str]] = {
    "dated": _dated,
    "section": _section,
    "query": _query,
    "number": _number,
    "unicode": _unicode,
    "api": _api,
}
