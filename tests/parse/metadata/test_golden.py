"""Whole pages of our own and all that is to be read from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.parse.metadata.pages import FETCHED_AT
from wireroom.parse.metadata import Metadata, read_metadata

FOLDER = Path(__file__).parent / "golden"
PAGES = sorted(FOLDER.glob("*.html"))
URL = "https://www.courier.test/page"
URLS = {
    "graph-of-references": "https://www.courier.test/2026/11/03/ferry-returns/",
    "microdata": "https://www.courier.test/es/transbordador",
}


def _shown(found: Metadata) -> dict[str, Any]:
    moment, changed = found.published.value, found.modified.value
    return {
        "title": found.title.value,
        "authors": list(found.authors.value),
        "published_at": moment.at.isoformat() if moment else None,
        "local_day": moment.local_day.isoformat() if moment else None,
        "modified_at": changed.at.isoformat() if changed else None,
        "language_tag": found.language_tag.value,
        "tags": list(found.tags.value),
        "section": found.section.value,
        "description": found.description.value,
        "image_url": found.image_url.value,
        "canonical_url": found.canonical_url.value,
        "publisher": found.publisher.value,
        "paywall": found.paywall.value,
        "formats": list(found.formats),
        "sources": {
            name: getattr(found, name).source
            for name in ("title", "authors", "published", "paywall")
        },
        "notes": [*found.notes, *found.published.notes, *found.authors.notes],
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_reads_as_written_down(page: Path) -> None:
    tree = LexborHTMLParser(page.read_bytes())
    found = read_metadata(tree, url=URLS.get(page.stem, URL), fetched_at=FETCHED_AT)
    expected = json.loads(page.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert _shown(found) == expected


def test_every_page_has_its_pair() -> None:
    assert {page.stem for page in PAGES} == {
        pair.name.removesuffix(".expected.json") for pair in FOLDER.glob("*.expected.json")
    }
