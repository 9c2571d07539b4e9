"""Use cases as web pages, an API and agents call them: typed values in, frozen results out, nothing printed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.export.holding import hold
from tests.export.samples import NOW, article
from wireroom.app import App, open_app
from wireroom.app.explain import article_edits, article_text, explain_article, find_article
from wireroom.app.extract import Document, ExtractInputs, Extraction, Unread, extract_documents
from wireroom.app.fetch import fetch_pages
from wireroom.app.purge import (
    feeds_to_purge,
    plan_purge,
    publisher_to_purge,
    purge_articles,
    purge_raw_pages,
)
from wireroom.app.retry import Retried, retry_leads
from wireroom.app.scout import publisher_history, step_named
from wireroom.app.search import (
    count_matches,
    search_articles,
    search_page,
    time_filter,
)
from wireroom.app.status import held_counts
from wireroom.app.sync import follows_anything, seed_feeds
from wireroom.errors import SettingsError
from wireroom.model import Problem
from wireroom.settings import FeedSettings, Settings

WEEKLY = "weekly.example"


@pytest.fixture
def app() -> Iterator[App]:
    feeds = (FeedSettings(name="a", url="https://a.example/rss"),)
    settings = Settings(database_url="sqlite:///:memory:", feeds=feeds)
    with open_app(settings, clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def held(app: App) -> App:
    hold(app, [article(1), article(2, WEEKLY), article(3, WEEKLY)])
    return app


@pytest.fixture(autouse=True)
def _silent(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", ""), "a use case prints nothing"


def test_what_a_page_of_matches_shows(held: App) -> None:
    query = held.query(f"publisher:{WEEKLY}")
    first = search_page(held, query, limit=1)
    second = search_page(held, query, limit=1, cursor=first.cursor)
    assert search_page(held, query, limit=1, cursor=second.back).articles == first.articles
    counted = count_matches(held, query)
    assert (counted.count.count, counted.count.reach) == (2, "all")
    assert count_matches(held, query, most=1).count.reach == "newest"
    assert counted.facets.values["publisher"] == ((WEEKLY, 2),)
    assert sum(count for _, count in counted.days.days) == 2


def test_articles_are_found_page_by_page(held: App) -> None:
    found = search_articles(held, limit=2)
    assert (len(found.articles), found.has_more) == (2, True)
    assert not search_articles(held, f"publisher:{WEEKLY}", limit=2).has_more
    assert time_filter("--since", "after", "24 h") == 'after:"24 h"'
    with pytest.raises(SettingsError, match="since soon: expected a date"):
        time_filter("--since", "after", "soon")


def test_what_would_go_is_planned_before_it_goes(held: App) -> None:
    plan = plan_purge(held, publisher=WEEKLY)
    assert (len(plan.ids), dict(plan.publishers)) == (2, {WEEKLY: 2})
    assert held_counts(held).counts["articles"] == 3
    seen: list[tuple[int, int]] = []
    assert purge_articles(held, plan, progress=lambda *step: seen.append(step)).articles == 2
    assert seen == [(2, 2)]
    assert purge_articles(held, plan).articles == 0, "they are gone already"
    assert plan_purge(held, before=NOW - timedelta(days=10_000)).ids == ()
    assert purge_raw_pages(held, dry_run=True) == 0
    assert feeds_to_purge(held, "nobody") == ()
    assert feeds_to_purge(held, "https://gone.example/rss") == ("https://gone.example/rss",)
    with pytest.raises(SettingsError, match="publisher '"):
        publisher_to_purge("")


def test_one_article_is_found_explained_and_read(held: App) -> None:
    wanted = article(1)
    assert find_article(held, wanted.id[:6]) == find_article(held, wanted.url)
    found = find_article(held, wanted.id)
    assert found is not None
    explained = explain_article(held, found)
    assert explained.cluster is None
    assert 0 <= explained.worth <= 1
    assert article_edits(held, found) == ()
    assert found.title in article_text(found)
    assert find_article(held, "ffffffff") is None
    with pytest.raises(SettingsError, match="digits"):
        find_article(held, "0")


def test_pages_are_opened_again(held: App) -> None:
    assert retry_leads(held) == Retried()
    with pytest.raises(SettingsError, match="expected the address of a page"):
        retry_leads(held, url="courier.example")


def test_a_new_database_begins_with_the_feeds_of_the_file(app: App) -> None:
    assert not follows_anything(app)
    assert seed_feeds(app) == 1
    assert follows_anything(app)
    hold(app, [article(1)])
    assert seed_feeds(app) == 0, "what was read once is followed by sync alone"


def test_the_history_of_nobody_is_empty(app: App) -> None:
    assert publisher_history(app, "nobody.example") == ()
    assert not app.knows("nobody.example")
    with pytest.raises(SettingsError, match="there is no step"):
        step_named("weather")


async def test_documents_and_pages_that_cannot_be_had_are_results() -> None:
    url = "http://127.0.0.1/"
    missing = Document(name="gone.html", place=0)
    inputs = ExtractInputs(
        addresses=(Document(name=url, place=1, url=url),), missing=((missing, "no such file"),)
    )
    results = [
        result async for result in extract_documents(inputs, Extraction(), Settings(), workers=1)
    ]
    assert [result.document.name for result in results] == ["gone.html", url]
    kinds = [result.outcome.kind for result in results if isinstance(result.outcome, Unread)]
    assert kinds == ["gone", "private_address"]
    (outcome,) = [outcome async for outcome in fetch_pages(Settings(), [url])]
    assert isinstance(outcome, Problem)
    assert outcome.kind == "private_address"
