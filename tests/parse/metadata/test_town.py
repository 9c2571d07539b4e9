"""The town's pages, in every language and layout it has, against what it knows to be true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from selectolax.lexbor import LexborHTMLParser

from wireroom.parse.metadata import Metadata, read_metadata
from wireroom.town.declaration import TownPublisher
from wireroom.town.pages import article_page
from wireroom.town.press import PUBLISHERS
from wireroom.town.truth import Story
from wireroom.town.world import Town, build_town

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
WRITERS = [publisher for publisher in PUBLISHERS if publisher.articles]
STORIES = 6  # of each publisher
SAME_TIME = timedelta(minutes=1)
A_DAY = timedelta(days=1)


@cache
def _town() -> Town:
    return build_town(now=NOW)


@cache
def _read(host: str) -> list[tuple[Story, Metadata]]:
    town = _town()
    stories = town.stories(host, limit=STORIES)
    trees = [LexborHTMLParser(article_page(town, story)) for story in stories]
    return [
        (story, read_metadata(tree, url=story.url, fetched_at=NOW))
        for story, tree in zip(stories, trees, strict=True)
    ]


@pytest.mark.parametrize("host", [writer.host for writer in WRITERS])
def test_title_authors_language_and_description_are_right(host: str) -> None:
    for story, found in _read(host):
        assert found.title.value.split() == story.title.split()
        assert found.authors.value == story.authors
        assert found.language.value == story.language
        assert found.description.value == story.description


@pytest.mark.parametrize("host", [writer.host for writer in WRITERS])
def test_date_is_right(host: str) -> None:
    for story, found in _read(host):
        moment = found.published.value
        assert moment is not None
        exact = moment.zone_from in ("offset", "name")
        assert abs(moment.at - story.published_at) < (SAME_TIME if exact else A_DAY)


@pytest.mark.parametrize(
    "town_publisher",
    [writer for writer in WRITERS if writer.metadata],
    ids=lambda publisher: publisher.host,
)
def test_pages_with_metadata_give_the_rest_too(town_publisher: TownPublisher) -> None:
    for story, found in _read(town_publisher.host):
        assert set(found.tags.value) == set(story.tags)
        assert found.section.value == story.section
        assert found.image_url.value == story.image_url
        assert found.language_tag.value == story.language_tag
        assert found.paywall.value == story.paywall
        assert (found.modified.value is None) == (story.modified_at is None)


def test_reprints_do_not_claim_the_address_of_what_they_reprint() -> None:
    for story, found in _read("digest.test"):
        assert found.canonical_url.value in ("", story.url)
        if "agency.test" in story.canonical_url:
            assert any("another site" in note for note in found.canonical_url.notes)
