"""Whole texts in a feed beside a news sitemap: the pages that both name are not fetched as articles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.run.world import rss, run_once, save
from tests.rights_formats import Answer
from tests.rights_world import A, ServedWorlds, Site, served_worlds, story_url
from wireroom.app import App, open_app
from wireroom.model import Feed, Hints

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
STORIES = 3  # so few of one length pass for whole
SITEMAP = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">{urls}</urlset>"""
NAMED = """<url><loc>{url}</loc><news:news><news:publication><news:name>A</news:name>
<news:language>en</news:language></news:publication><news:publication_date>2026-03-02T10:00:00Z
</news:publication_date><news:title>Quay {n}</news:title></news:news></url>"""
LATE = 0.5  # seconds in which the pages of the sitemap come up while the feed has not answered


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWorlds]:
    with served_worlds() as served:
        yield served


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW) as app:
        yield app


def publish(served: ServedWorlds) -> None:
    urls = "".join(NAMED.format(url=story_url(A, n), n=n) for n in range(1, STORIES + 1))
    sitemap = Answer(200, SITEMAP.format(urls=urls), (("Content-Type", "application/xml"),))
    served.world = {A: {**Site(whole_feed=True).serve(A, STORIES), "/news.xml": sitemap}}
    served.asked.clear()


def sitemap(**more: object) -> Feed:
    feed = Feed(url=f"http://{A}/news.xml", publisher=A, kind="news_sitemap")
    return replace(feed, **more)  # type: ignore[arg-type]  # fields by name


def pages_asked(served: ServedWorlds) -> list[str]:
    return [path for _, path in served.asked if path.startswith("/news/")]


@pytest.fixture
def _feed_is_late(served: ServedWorlds, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = served.answer

    def late(host: str, path: str) -> Answer:
        if path == "/feed.xml":
            time.sleep(LATE)
        return answer(host, path)

    monkeypatch.setattr(served, "answer", late)


@pytest.mark.usefixtures("_feed_is_late")
async def test_a_page_whose_text_stands_in_a_feed_of_the_same_round_is_not_fetched(
    served: ServedWorlds, app: App
) -> None:
    publish(served)
    before = NOW - timedelta(hours=1)
    save(app, [sitemap(poll_after=before), rss(A, "feed.xml", poll_after=NOW)])
    await run_once(app, served)
    articles = list(app.store.articles())
    assert [article.sources["text"] for article in articles] == ["feed content"] * STORIES
    assert pages_asked(served) == []  # nothing is allowed here, so that nobody asks them for rights
    assert {article.feed_url for article in articles} == {f"http://{A}/feed.xml"}


async def test_a_text_that_was_in_a_feed_before_the_sitemap_named_it_serves_too(
    served: ServedWorlds, app: App
) -> None:
    publish(served)
    save(app, [rss(A, "feed.xml"), sitemap()])
    await run_once(app, served)
    assert {article.sources["text"] for article in app.store.articles()} == {"feed content"}
    assert pages_asked(served) == []


async def test_where_no_feed_has_the_text_pages_are_fetched(served: ServedWorlds, app: App) -> None:
    publish(served)
    served.world = {A: {**served.world[A], **Site().serve(A, STORIES)}}
    save(app, [sitemap(), rss(A, "feed.xml")])
    await run_once(app, served)
    assert sorted(pages_asked(served)) == [f"/news/story-{n}" for n in range(1, STORIES + 1)]


async def test_selectors_of_the_feed_want_its_pages(served: ServedWorlds, app: App) -> None:
    publish(served)
    save(app, [sitemap(), rss(A, "feed.xml", hints=Hints(body_selector="article p"))])
    await run_once(app, served)
    assert len(pages_asked(served)) == STORIES
