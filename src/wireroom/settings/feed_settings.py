"""A feed as the operator writes it down, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from wireroom.model import FeedKind, FeedRole, Hints
from wireroom.settings import kinds
from wireroom.settings.pieces import TABLE, Name, Section, Selector, Span, WebUrl, Words, at_least
from wireroom.urls import identity_key, publisher_domain

MIN_INTERVAL = timedelta(minutes=1)  # nobody's news is younger; more often is only a burden
MAX_FEEDS = 100_000  # a list for one file; more belong into the database by import
TWICE = "feeds_twice"

# What a record of a JSON API can be mapped to: the fields of an `Item` that a source fills.
ItemField = Literal[
    "guid",
    "url",
    "title",
    "summary",
    "content_html",
    "authors",
    "tags",
    "published_at",
    "updated_at",
]
_SELECTOR_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _read_selector_name(text: str) -> str:
    if not _SELECTOR_NAME.fullmatch(text):
        raise ValueError("expected a name of letters, digits, _ and -")
    return text


SelectorName = Annotated[str, AfterValidator(_read_selector_name)]


class FeedSettings(Section):
    """A feed to follow, as the operator writes it down."""

    name: Name = Field(description="How you call it; marks it as kept in step by `sync`.")
    url: WebUrl = Field(description="Where it is.", examples=["https://courier.example/rss.xml"])
    publisher: Annotated[str, AfterValidator(kinds.read_publisher)] = Field(
        default="",
        description="The publisher's domain; empty takes the host of the feed, without www.",
    )
    kind: FeedKind | None = Field(
        default=None, description="Its format; unset leaves it to what the feed turns out to be."
    )
    body_selector: Annotated[str, AfterValidator(kinds.read_selector_or_none)] = Field(
        default="",
        description="CSS of the elements that hold an article's text; empty lets wireroom find it.",
        examples=["article .story p"],
    )
    metadata_selectors: Annotated[Mapping[SelectorName, Selector], TABLE] = Field(
        default_factory=dict,
        description="Further fields by name, each as CSS, or css@attribute.",
        examples=[{"section": "nav .here", "image": "meta[property='og:image']@content"}],
    )
    json_ld: bool = Field(default=True, description="Whether the JSON-LD of its pages is read.")
    language: Annotated[str, AfterValidator(kinds.read_language)] = Field(
        default="",
        description="The language of its articles where the pages do not say.",
        examples=["de"],
    )
    zone: Annotated[str, AfterValidator(kinds.read_zone)] = Field(
        default="", description="The time zone of dates that name none.", examples=["Europe/Vienna"]
    )
    field_map: Annotated[Mapping[ItemField, Name], TABLE] = Field(
        default_factory=dict,
        description="For JSON APIs: our field = where it stands in a record.",
        examples=[{"title": "headline", "url": "links.web"}],
    )
    group_threshold: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="How alike copies of its articles must be; unset as [group] says.",
        examples=[0.7],
    )
    group_window: Span | None = Field(
        default=None,
        description="How far back copies of its articles are looked for; unset as [group] says.",
        examples=["30 days"],
    )
    interval: Annotated[Span, at_least(MIN_INTERVAL)] | None = Field(
        default=None,
        description="How often to ask; unset follows the feed's own rhythm.",
        examples=["15 min"],
    )
    mirrors: tuple[WebUrl, ...] = Field(
        default=(), description="Other addresses of the same feed, tried in order when it fails."
    )
    proxy: Annotated[str, AfterValidator(kinds.read_proxy)] = Field(
        default="", description="The proxy to ask through; its user info is never shown."
    )
    region: Words = Field(
        default="", description="A region, or several with commas between them, in your own words."
    )
    category: Words = Field(default="", description="A category, or several, in your own words.")
    role: FeedRole = Field(
        default="primary",
        description="secondary: stands back behind a primary one that has the same story; fallback: asked only "
        "while no other feed of its region answers, or of its publisher when it has no region.",
    )
    enabled: bool = Field(default=True, description="False pauses it.")

    def publisher_name(self) -> str:
        """The publisher's domain, as written or from the feed's address."""
        return self.publisher or publisher_domain(self.url)

    def hints(self) -> Hints:
        """What the operator knows about the feed that its pages do not say."""
        return Hints(
            body_selector=self.body_selector,
            metadata_selectors=dict(self.metadata_selectors),
            json_ld=self.json_ld,
            language=self.language,
            zone=self.zone,
            field_map={str(ours): theirs for ours, theirs in self.field_map.items()},
            group_threshold=self.group_threshold,
            group_window=self.group_window,
        )


def feeds_twice(feeds: Any) -> list[tuple[int, str, str]]:
    """Feeds whose name or address stands in the list before, as (place, field, expectation).

    Works on data that was not validated yet, so that all problems can be told at once.
    """
    found: list[tuple[int, str, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for place, feed in enumerate(feeds if isinstance(feeds, (list, tuple)) else ()):
        for name, value in _identities(feed):
            before = seen.setdefault((name, value), place)
            if before != place:
                found.append((place, name, f"expected another {name} than that of feeds[{before}]"))
    return found


def _identities(feed: Any) -> list[tuple[str, str]]:
    fields = dict(feed) if isinstance(feed, (Mapping, FeedSettings)) else {}
    name, url = fields.get("name"), fields.get("url")
    found = [("name", name.strip())] if isinstance(name, str) else []
    try:
        return [*found, ("url", identity_key(url))] if isinstance(url, str) else found
    except ValueError:
        return found  # not an address; that is told elsewhere


def each_once(feeds: tuple[FeedSettings, ...]) -> tuple[FeedSettings, ...]:
    """The list, when no feed stands in it twice."""
    for place, name, expected in feeds_twice(feeds):
        raise PydanticCustomError(TWICE, "feeds[{place}].{name}: {expected}", {"place": place, "name": name, "expected": expected})  # fmt: skip
    return feeds
