"""A feed as the operator writes it down, and lists of them.

Its fields are made from those of `FeedOptions`: here stands how each kind of value is checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, create_model
from pydantic_core import PydanticCustomError

from wireroom.dates.durations import format_duration
from wireroom.errors import SettingsError
from wireroom.model import OPTIONS, Feed, FeedKind, FeedOptions, with_options
from wireroom.model.feed_options import FeedOption, OptionKind
from wireroom.settings import kinds
from wireroom.settings.kinds import (
    TABLE,
    Name,
    Selector,
    SettingsSection,
    Span,
    WebUrl,
    Words,
    at_least,
)
from wireroom.settings.secrets import redact_address, without_user_info
from wireroom.urls import page_key, publisher_domain

MAX_FEEDS = 100_000  # a list for one file; more belong into the database by import
TWICE = "feeds_twice"

_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _read_field_name(text: str) -> str:
    if not _FIELD_NAME.fullmatch(text):
        raise ValueError("expected a name of letters, digits, _ and -")
    return text


# Of a field that selectors or a map of an API fill: an item's, or one of the operator's own, which goes to `extra`.
FieldName = Annotated[str, AfterValidator(_read_field_name)]


_TYPES: Mapping[OptionKind, Any] = {
    "name": Name,
    "words": Words,
    "css": Annotated[str, AfterValidator(kinds.read_selector_or_none)],
    "selectors": Annotated[Mapping[FieldName, Selector], TABLE],
    "item_fields": Annotated[Mapping[FieldName, Name], TABLE],
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

    def given_values(self) -> dict[str, Any]:
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


# A feed in texts under the names of the settings file: flags, cells of a CSV, attributes of OPML.
#
# The only place that turns the text of an option into its value and back. What is read is checked as the settings
# file is, and a problem is told in the same words. A table is JSON, or `name=value; name=value` as people write it
# into a cell; addresses have blanks between them.

NAMES: Final = tuple(dict.fromkeys(("name", "url", "publisher", "kind", *OPTIONS, "enabled")))
"""Everything that can be said of a feed."""


def table_text(texts: Iterable[str], flag: str) -> str:
    """Texts of the form `name=value` as one table."""
    table: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise SettingsError([f"{flag} {text}: expected NAME=VALUE"])
        table[name.strip()] = value.strip()
    return json.dumps(table, ensure_ascii=False) if table else ""


def read_feed_text(url: str, texts: Mapping[str, str], origin: str) -> ListedFeed:
    """The feed at this address with what is said of it; SettingsError tells all that is wrong."""
    from pydantic import ValidationError

    given = {name: text.strip() for name, text in texts.items() if text.strip()}
    values = {name: _read(name, text, origin) for name, text in given.items()}
    try:
        return ListedFeed.model_validate(values | {"url": url})
    except ValidationError as exc:
        problems = [_problem(error, origin) for error in exc.errors(include_url=False)]
        raise SettingsError(problems) from exc


def _read(name: str, text: str, origin: str) -> Any:
    """The value as it would stand in the settings file."""
    default = OPTIONS[name].default if name in OPTIONS else ""
    if isinstance(default, tuple):
        return text.split()
    return _read_table(name, text, origin) if isinstance(default, Mapping) else text


def _read_table(name: str, text: str, origin: str) -> Any:
    if not text.startswith("{"):
        return json.loads(table_text(text.split(";"), f"{name} ({origin}):"))
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise SettingsError([f"{name} ({origin}): expected a table in JSON"]) from exc


def _problem(error: Any, origin: str) -> str:
    """One line, as `load_settings` would tell it."""
    from wireroom.settings.problems import describe_problem, expectation, path_text

    path = tuple(error["loc"])
    if path[-1] == "[key]":  # the name in a table is wrong; pydantic gives it as the input
        return f"{path_text(path[:-1])} ({origin}): {expectation(error)}"
    return describe_problem(path, error["input"], origin, expectation(error))


def feed_texts(feed: Feed) -> Iterator[tuple[str, str]]:
    """What is said of the feed, but for its address and what is at its default; `read_feed_text` reads it back."""
    texts = {name: option_text(option, option.of(feed)) for name, option in OPTIONS.items()}
    texts |= {"publisher": feed.publisher, "kind": feed.kind}
    texts |= {"enabled": "false" if feed.state == "paused" else ""}
    return ((name, texts[name]) for name in NAMES if texts.get(name))


def option_text(option: FeedOption, value: Any) -> str:
    """The value as text, without its user info where that is secret; empty for the default."""
    if value == option.default:
        return ""
    if option.info.secret:
        return without_user_info(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, Mapping):
        return json.dumps(dict(value), ensure_ascii=False, sort_keys=True)
    return f"{value:g}" if isinstance(value, float) else str(value)


def shown_option(option: FeedOption, value: Any) -> str:
    """The value for people; empty for the default."""
    if value == option.default:
        return ""
    if option.info.secret:
        value = redact_address(value)
    if isinstance(value, timedelta):
        value = format_duration(value)
    if isinstance(value, tuple):
        value = ", ".join(value)
    return option.info.shown.format(value)
