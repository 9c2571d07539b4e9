"""What requests to the API share: keys that make one safe to send again, conditions on what was seen, options of feeds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from fastapi import Header, Query
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.exceptions import HTTPException

from wireroom.dates.durations import format_duration
from wireroom.model import OPTIONS, Feed
from wireroom.model.feed_options import FeedOption

LONGEST_KEY = 200  # characters; a UUID has 36
LONGEST_TAGS = 1_000  # characters of If-Match
LONGEST_URL = 4_000  # characters of the address of a feed

IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=LONGEST_KEY,
        description="A word of your own for this request: sent again it begins nothing new, and the same job is answered.",
    ),
]
IfMatch = Annotated[
    str,
    Header(
        alias="If-Match",
        max_length=LONGEST_TAGS,
        description="The ETag that was seen: nothing is done when it holds no more (412).",
    ),
]
FeedUrl = Annotated[
    str,
    Query(
        max_length=LONGEST_URL, description="The address of the feed, as the list of feeds has it."
    ),
]


def tag_of(data: object) -> str:
    """An ETag of data whose text may differ in what does not matter."""
    return f'"{sha256(msgspec.json.encode(data)).hexdigest()[:32]}"'


def tags_in(header: str) -> set[str]:
    """The tags that a header names."""
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}


def require_match(if_match: str, tag: str) -> None:
    """412 where somebody else has changed what was seen."""
    if if_match.strip() and not tags_in(if_match) & {tag, "*"}:
        raise HTTPException(412, "It has changed since you read it. Read it again.")


def require_plan(if_match: str, tag: str) -> None:
    """428 without the tag of a plan, of which `*` is none; 412 where another would be carried out."""
    if not if_match.strip() or "*" in tags_in(if_match):
        raise HTTPException(428, "Ask for the plan first, and send its tag as If-Match.")
    require_match(if_match, tag)


# Options of feeds: each has the type that it has in the settings file, null stands for its default.

_TYPES: Final[Mapping[str, Any]] = {
    "switch": bool,
    "share": float,
    "urls": list[str],
    "selectors": dict[str, str],
    "item_fields": dict[str, str],
}


def _field(option: FeedOption) -> tuple[Any, Any]:
    info = option.info
    kind: Any = Literal[info.choices] if info.choices else _TYPES.get(info.kind, str)
    return kind | None, Field(default=None, description=info.help)


if TYPE_CHECKING:
    _Options = BaseModel
else:
    _Options = create_model(
        "_Options",
        __config__=ConfigDict(extra="forbid"),
        **{name: _field(option) for name, option in OPTIONS.items()},
    )


class OptionValues(_Options):
    """What is said of a feed: options that are named, null for the default."""

    def texts(self) -> dict[str, str]:
        """The options that were named, as a form has them."""
        return {name: _text(value) for name, value in self.model_dump(exclude_unset=True).items()}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def option_values(feed: Feed) -> OptionValues:
    """Every option of a feed; null for one that is at its default, and of a secret one no user info."""
    return OptionValues(**{name: _value(option, feed) for name, option in OPTIONS.items()})


def _value(option: FeedOption, feed: Feed) -> Any:
    from wireroom.settings.secrets import without_user_info

    value = option.of(feed)
    if value == option.default:
        return None
    if option.info.secret:
        return without_user_info(value) if isinstance(value, str) else value
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
