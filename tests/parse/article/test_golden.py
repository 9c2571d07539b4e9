"""Whole pages of our own, one folder per difficulty, and the whole article that is to come of each."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wireroom import ExtractConfig, extract
from wireroom.model import Article, Hints, Item

FOLDER = Path(__file__).parent / "golden"
PAGES = sorted(FOLDER.glob("*/*.html"))
FETCHED_AT = datetime(2026, 11, 14, 12, tzinfo=UTC)


def _config(config: dict[str, Any]) -> ExtractConfig:
    item = msgspec.convert(config["item"], Item) if "item" in config else None
    return ExtractConfig(hints=msgspec.convert(config.get("hints", {}), Hints), item=item)


def _named(page: Path) -> str:
    return f"{page.parent.name}/{page.stem}"


def read_golden(page: Path) -> Article:
    config = json.loads(page.with_suffix(".config.json").read_text(encoding="utf-8"))
    return extract(
        page.read_bytes(),
        url=config["url"],
        content_type=config.get("content_type", ""),
        fetched_at=FETCHED_AT,
        config=_config(config),
    )


def shown(article: Article) -> dict[str, Any]:
    """What is written down: everything but what says the same twice, or changes with the weights."""
    built: dict[str, Any] = json.loads(msgspec.json.encode(article))
    kept = {name: value for name, value in built.items() if value not in ("", [], {}, None)}
    kept["quality"] = "good" if article.quality >= 0.5 else "doubtful"
    for name in ("formats", "json_ld", "confidence"):
        kept["extra"].pop(name, None)
    return kept


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_page_gives_the_article_that_is_written_down(page: Path) -> None:
    expected = json.loads(page.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert shown(read_golden(page)) == expected


def test_every_page_has_its_pair() -> None:
    assert {page.with_suffix(".expected.json") for page in PAGES} == set(
        FOLDER.glob("*/*.expected.json")
    )


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_every_known_field_has_a_source_and_a_confidence(page: Path) -> None:
    article = read_golden(page)
    for name in ("title", "authors", "published_at", "language", "tags", "image_url", "text"):
        if getattr(article, name):
            assert article.sources[name]
            assert 0 < article.extra["confidence"][name] <= 1
