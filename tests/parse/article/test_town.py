"""The town's pages, in every language and layout it has, as whole articles."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from functools import cache

import pytest

from wireroom import extract
from wireroom.errors import NoArticleError
from wireroom.model import Article
from wireroom.parse.plain_text import normal_form
from wireroom.town.pages import article_page, home_page
from wireroom.town.press import PUBLISHERS
from wireroom.town.truth import Story
from wireroom.town.world import build_town
from wireroom.urls import article_id

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
WRITERS = [publisher.host for publisher in PUBLISHERS if publisher.articles]
STORIES = 5  # of each publisher
FOUND = 0.85  # of the characters of the truth that a text has
RIGHT = 0.75  # of the characters of a text that are in the truth; pages laid out in tables have no boxes


@cache
def _read(host: str) -> list[tuple[Story, Article]]:
    town = build_town(now=NOW)
    return [
        (story, extract(article_page(town, story), url=story.url, fetched_at=NOW))
        for story in town.stories(host, limit=STORIES)
    ]


@pytest.mark.parametrize("host", WRITERS)
def test_fields_are_those_of_the_story(host: str) -> None:
    for story, article in _read(host):
        assert article.title.split() == story.title.split()
        assert article.authors == story.authors
        assert article.language == story.language
        assert article.publisher == host
        assert article.id == article_id(host, story.url)
        assert article.published_source
        assert article.fetched_at == NOW


@pytest.mark.parametrize("host", WRITERS)
def test_text_is_that_of_the_story(host: str) -> None:
    for story, article in _read(host):
        found = Counter(normal_form(article.text).replace(" ", ""))
        wanted = Counter(normal_form(story.shown_text).replace(" ", ""))
        both = (found & wanted).total()
        assert both >= FOUND * wanted.total(), article.text
        assert both >= RIGHT * found.total(), article.text


@pytest.mark.parametrize("host", WRITERS)
def test_quality_is_good_unless_a_wall_hides_the_text(host: str) -> None:
    for story, article in _read(host):
        assert article.quality >= (0.5 if story.shown == len(story.blocks) else 0.2)
        assert article.paywall in (story.paywall, "unknown")


@pytest.mark.parametrize(
    "host", [writer for writer in WRITERS if writer != "agency.test"]
)  # it has none
def test_the_home_page_is_no_article(host: str) -> None:
    page = home_page(build_town(now=NOW), host)
    with pytest.raises(NoArticleError):
        extract(page, url=f"http://{host}/", fetched_at=NOW)
