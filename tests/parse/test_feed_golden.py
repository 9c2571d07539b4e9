"""Golden feeds: one document per format, and every word we make of it."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from wireroom.parse.feed import read_feed

FOLDER = Path(__file__).parent / "feeds"
FEEDS = sorted(path for path in FOLDER.iterdir() if not path.name.endswith(".expected.json"))


def plain(value: Any) -> Any:
    """A noun as JSON data, defaults left out, so that the expected files stay short."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (
            (field.name, plain(getattr(value, field.name))) for field in dataclasses.fields(value)
        )
        return {name: shown for name, shown in fields if shown not in (None, "", [], {}, False)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, tuple | list):
        return [plain(member) for member in value]
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return value


@pytest.mark.parametrize("path", FEEDS, ids=lambda path: path.name)
def test_the_feed_is_read_as_expected(path: Path) -> None:
    document = read_feed(path.read_bytes(), base_url="https://golden.test/feed")
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert plain(document) == expected


def test_every_format_has_a_golden_feed() -> None:
    kinds = {read_feed(path.read_bytes()).kind for path in FEEDS}
    assert kinds == {"rss", "rdf", "atom", "json"}
