"""Pages of every paper of the town: twelve languages, seven layouts, boxes in every place. What is read is what was written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wireroom.parse.body import Body, read_body
from wireroom.parse.html import open_page
from wireroom.town import build_town
from wireroom.town.pages import article_page
from wireroom.town.truth import Story

TOWN = build_town(now=datetime(2026, 11, 18, 20, tzinfo=UTC))
STORIES = 8  # of each publisher
MOST_LOST = 0.04  # share of lines
PAPERS = sorted(host for host in TOWN.publishers if TOWN.stories(host, limit=1))


def _read(story: Story) -> Body:
    return read_body(open_page(article_page(TOWN, story), url=story.url), titles=[story.title])


def _written(story: Story) -> set[str]:
    """The lines of the text: paragraphs, list items, rows and code; captions are no part of it."""
    lines: set[str] = set()
    for block in story.shown_blocks:
        if block.kind != "caption":
            text = " | ".join(cell for cell in block.cells if cell) or block.text
            lines.update(line.strip().removeprefix("- ") for line in text.split("\n"))
    return lines


@pytest.mark.parametrize("host", PAPERS)
def test_nothing_but_the_article_is_read(host: str) -> None:
    for story in TOWN.stories(host, limit=STORIES):
        found = {line.strip().removeprefix("- ") for line in _read(story).text.split("\n")} - {""}
        written = _written(story)
        foreign = {line for line in found if not any(line in each for each in written)}
        assert not foreign, story.url


@pytest.mark.parametrize("host", PAPERS)
def test_nothing_of_the_article_is_lost(host: str) -> None:
    lost = wanted = 0
    for story in TOWN.stories(host, limit=STORIES):
        text = _read(story).text
        lines = [line for line in _written(story) if line]
        wanted += len(lines)
        lost += sum(
            all(part not in text for part in (line, line.split(" | ")[0])) for line in lines
        )
    assert wanted
    assert lost <= MOST_LOST * wanted, "a few lines of code stand alone in a box of their own"
