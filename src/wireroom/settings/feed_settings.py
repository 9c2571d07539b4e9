"""A feed as the operator writes it down, and lists of them.

Its fields are made from those of `FeedOptions`: here stands how each kind of value is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model
from pydantic_core import PydanticCustomError

from wireroom.model import OPTIONS, FeedKind, FeedOptions, with_options
from wireroom.model.feed_options import FeedOption, OptionKind
from wireroom.settings import kinds
from wireroom.settings.pieces import (
    TABLE,
    Name,
    Selector,
    SettingsSection,
    Span,
    WebUrl,
    Words,
    at_least,
)
from wireroom.urls import page_key, publisher_domain

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


_TYPES: Mapping[OptionKind, Any] = {
    "name": Name,
    "words": Words,
    "css": Annotated[str, AfterValidator(kinds.read_selector_or_none)],
    "selectors": Annotated[Mapping[SelectorName, Selector], TABLE],
    "item_fields": Annotated[Mapping[ItemField, Name], TABLE],
    "switch": bool,
    "language": Annotated[str, AfterValidator(kinds.read_language)],
    "zone": Annotated[str, AfterValidator(kinds.read_zone)],
    "share": Annotated[float, Field(gt=0, le=1)],
    "span": Span,
    "urls": tuple[WebUrl, ...],
    "proxy": Annotated[str, AfterValidator(kinds.read_proxy)],
}
"""How each kind of option is checked, but for choices, which have theirs beside them."""


class FeedAddress(SettingsSection):
    """What a feed is, beside its options."""

    name: Name = Field(description=OPTIONS["name"].info.help)
    url: WebUrl = Field(description="Where it is.", examples=["https://courier.example/rss.xml"])
    publisher: Annotated[str, AfterValidator(kinds.read_publisher)] = Field(
        default="",
        description="The publisher's domain; empty takes the host of the feed, without www.",
    )
    kind: FeedKind | None = Field(
        default=None, description="Its format; unset leaves it to what the feed turns out to be."
    )

    def publisher_name(self) -> str:
        """The publisher's domain, as written or from the feed's address."""
        return self.publisher or publisher_domain(self.url)


def _fields() -> Iterator[tuple[str, Any]]:
    """A field of the model for every option but the name, which a feed of the file must have."""
    for option in OPTIONS.values():
        if option.name in FeedAddress.model_fields:
            continue
        info = option.info
        field = Field(
            default=option.default,
            description=info.help,
            examples=list(info.examples) or None,
        )
        yield option.name, (_type(option), field)


def _type(option: FeedOption) -> Any:
    info = option.info
    checked = Literal[info.choices] if info.choices else _TYPES[info.kind]
    if info.least is not None:
        checked = Annotated[checked, at_least(info.least)]
    return checked | None if option.default is None else checked


if TYPE_CHECKING:
    _WithOptions = FeedAddress
else:
    _WithOptions = create_model("_WithOptions", __base__=FeedAddress, **dict(_fields()))


class FeedSettings(_WithOptions):
    """A feed to follow, as the operator writes it down."""

    enabled: bool = Field(default=True, description="False pauses it.")

    if TYPE_CHECKING:  # most of its fields are not written down here

        def __init__(self, **options: Any) -> None: ...

    def options(self) -> FeedOptions:
        """What the operator says of it."""
        return with_options(FeedOptions(), self.values())

    def values(self) -> dict[str, Any]:
        """Every option by its name."""
        return {name: getattr(self, name) for name in OPTIONS}

    def values_said(self) -> dict[str, Any]:
        """The same of the options that were named; not of those that were left out."""
        return {name: getattr(self, name) for name in OPTIONS if name in self.model_fields_set}


class ListedFeed(FeedSettings):
    """The same in a list or on the command line, where it need not have a name."""

    name: Words = ""


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
    key = page_key(url) if isinstance(url, str) else ""
    return [*found, ("url", key)] if key else found  # what is no address is reported elsewhere


def each_once(feeds: tuple[FeedSettings, ...]) -> tuple[FeedSettings, ...]:
    """The list, when no feed stands in it twice."""
    for place, name, expected in feeds_twice(feeds):
        raise PydanticCustomError(TWICE, "feeds[{place}].{name}: {expected}", {"place": place, "name": name, "expected": expected})  # fmt: skip
    return feeds
