"""A feed in texts under the names of the settings file: flags, cells of a CSV, attributes of OPML.

The only place that turns the text of an option into its value and back. What is read is checked as the settings
file is, and a problem is told in the same words. A table is JSON, or `name=value; name=value` as people write it
into a cell; addresses have blanks between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from wireroom.errors import SettingsError
from wireroom.model import OPTIONS, Feed
from wireroom.model.feed_options import FeedOption
from wireroom.settings.durations import format_duration
from wireroom.settings.secrets import redact_address, without_user_info

if TYPE_CHECKING:
    from wireroom.settings.feed_settings import ListedFeed

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

    from wireroom.settings.feed_settings import ListedFeed

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
    from wireroom.settings.problems import expectation, path_text, tell

    path = tuple(error["loc"])
    if path[-1] == "[key]":  # the name in a table is wrong; pydantic gives it as the input
        return f"{path_text(path[:-1])} ({origin}): {expectation(error)}"
    return tell(path, error["input"], origin, expectation(error))


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
