"""The links of a saved listing of a forum: JSON as `https://www.reddit.com/r/NAME/new.json` answers it. Opens nothing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wireroom.errors import SettingsError


class _Post(msgspec.Struct):
    """What one post says of itself."""

    url: str = ""
    title: str = ""
    is_self: bool = False
    """Whether it is a text of the forum and leads nowhere."""


class _Child(msgspec.Struct):
    data: _Post = msgspec.field(default_factory=_Post)


class _Children(msgspec.Struct):
    children: list[_Child]


class _Listing(msgspec.Struct):
    data: _Children


def listed_links(source: str, text: str) -> Iterator[tuple[int, str, str]]:
    """The place, address and title of each post that leads somewhere; SettingsError for JSON that is no listing."""
    try:
        posts = [child.data for child in msgspec.json.decode(text, type=_Listing).data.children]
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as exc:
        raise SettingsError(
            [f"{source} is JSON, and no listing of a forum."],
            hint="Give addresses line by line, OPML or CSV.",
        ) from exc
    for place, post in enumerate(posts, 1):
        if post.url and not post.is_self:
            yield place, post.url, post.title
