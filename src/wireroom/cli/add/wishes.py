"""What is said of a feed, by flags, a CSV row or an OPML outline, checked as the settings file is.

Everything arrives as text under the names of the settings file; a problem is told in the same words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from wireroom.app.add import Wanted
from wireroom.app.scout import read_address
from wireroom.errors import SettingsError

TABLES = frozenset({"metadata_selectors", "field_map"})
NAMES = (
    *("name", "url", "publisher", "kind", "body_selector", "metadata_selectors", "json_ld"),
    *("language", "zone", "field_map", "group_threshold", "group_window", "interval", "mirrors"),
    *("proxy", "region", "category", "role", "enabled"),
)
"""Everything that can be said of a feed."""
UNNAMED = "feed"  # stands in for the name that a feed of the settings file must have


def pairs(texts: Iterable[str], flag: str) -> str:
    """`name=value` flags as one table in text."""
    table: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise SettingsError([f"{flag} {text}: expected NAME=VALUE"])
        table[name.strip()] = value.strip()
    return json.dumps(table, ensure_ascii=False) if table else ""


def read_wish(target: str, said: Mapping[str, str], origin: str, *, title: str = "") -> Wanted:
    """What is wanted of the feed at this address; SettingsError tells all that is wrong."""
    from pydantic import ValidationError

    from wireroom.settings import FeedSettings

    given = {name: value.strip() for name, value in said.items() if value.strip()}
    values = {name: _value(name, text, origin) for name, text in given.items()}
    values |= {"name": given.get("name", UNNAMED), "url": read_address(target).candidates[0]}
    try:
        checked = FeedSettings.model_validate(values)
    except ValidationError as exc:
        problems = [_problem(error, origin) for error in exc.errors(include_url=False)]
        raise SettingsError(problems) from exc
    return Wanted(
        name=checked.name if "name" in given else "",
        title=title,
        publisher=checked.publisher,
        kind=checked.kind,
        hints=checked.hints(),
        interval=checked.interval,
        mirrors=checked.mirrors,
        proxy=checked.proxy,
        region=checked.region,
        category=checked.category,
        role=checked.role if "role" in given else None,
        enabled=checked.enabled,
    )


def _value(name: str, text: str, origin: str) -> Any:
    if name == "mirrors":
        return text.split()
    return _table(name, text, origin) if name in TABLES else text


def _table(name: str, text: str, origin: str) -> Any:
    """A table: JSON as OPML has it, or `name=value; name=value` as people write it into a cell."""
    if not text.startswith("{"):
        return json.loads(pairs(text.split(";"), f"{name} ({origin}):"))
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
