"""The town's pages: every article passes, whatever its language; front pages do not."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from tests.parse.pages.pages import judged
from wireroom.parse.pages import DOUBT_BELOW
from wireroom.town.pages import article_page, home_page
from wireroom.town.press import PUBLISHERS
from wireroom.town.world import Town, build_town

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
WRITERS = [publisher.host for publisher in PUBLISHERS if publisher.articles]
STORIES = 4  # of each publisher


@cache
def _town() -> Town:
    return build_town(now=NOW)


@pytest.mark.parametrize("host", WRITERS)
def test_articles_pass_with_and_without_their_address(host: str) -> None:
    for story in _town().stories(host, limit=STORIES):
        page = article_page(_town(), story)
        assert judged(page, story.url).kind == "article"
        assert judged(page, "").article > DOUBT_BELOW


@pytest.mark.parametrize("host", WRITERS)
def test_front_pages_are_doubted(host: str) -> None:
    assert judged(home_page(_town(), host), f"http://{host}/").article < DOUBT_BELOW
