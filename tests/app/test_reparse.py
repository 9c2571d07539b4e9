"""Kept pages read anew: what is compared, what is saved, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.run.world import QUICK, add, run_once
from tests.cli.inline import InlineEngine
from tests.store.postgres_server import running_server
from wireroom.app import App, open_app
from wireroom.app.cluster_round import cluster_round
from wireroom.app.reparse import (
    EXAMPLES,
    ReparseRequest,
    ReparseSummary,
    compare_article,
    kept_pages,
    reparse_pages,
)
from wireroom.duplicates import ClusterOptions, sign
from wireroom.model import Article, Lead, RawPage, Reading, Receipt, Verdict
from wireroom.town import Running
from wireroom.urls import article_id

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
HOME = "https://courier.test/"
SENTENCE = "The harbour master opened the gates at noon, and the ferry left with the tide. "
PAGE = f"<html lang=en><head><title>The ferry sails</title></head><body><article><h1>The ferry sails</h1>{f'<p>{SENTENCE * 4}</p>' * 5}</article></body></html>"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def followed(request: pytest.FixtureRequest, tmp_path: Path, town: Running) -> Iterator[App]:
    """An app on each database that goes by the town's clock."""
    if request.param == "sqlite":
        with open_app(f"sqlite:///{tmp_path}/w.db", clock=town.town.clock.now) as app:
            yield app
        return
    with (
        running_server() as server,
        open_app(server.new_database(), clock=town.town.clock.now) as app,
    ):
        yield app


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:", clock=lambda: NOW + timedelta(days=1)) as app:
        yield app


def hold(app: App, number: int = 1, *, page: str = PAGE, **changes: Any) -> Article:
    """An article as an older extractor might have left it, with its page."""
    url = f"{HOME}{number}"
    article = Article(
        id=article_id("courier.test", url),
        publisher="courier.test",
        url=url,
        title="The ferry",
        text="Cookies? The harbour",
        text_hash="old",
        word_count=3,
        fetched_at=NOW,
        raw=RawPage(body=page.encode(), content_type="text/html"),
    )
    article = replace(article, **changes)
    lead = Lead(url=url, publisher="courier.test", state="read")
    app.store.save_readings([Reading(lead=lead, article=article)], now=NOW)
    return article


async def read_anew(app: App, *, apply: bool = False, **request: Any) -> ReparseSummary:
    return await reparse_pages(app, ReparseRequest(**request), InlineEngine(), apply=apply)


# --- comparing -------------------------------------------------------------------------------------


HELD = Article(
    id="a",
    publisher="courier.test",
    url=HOME,
    title="T",
    text="x",
    text_hash="x",
    fetched_at=NOW,
    published_at=NOW,
    authors=("Ida Bek",),
)


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, ()),
        ({"title": "U"}, ("title",)),
        ({"text": "y", "text_hash": "y", "word_count": 1}, ("text", "word_count")),
        ({"text": "cut down", "text_hash": "x"}, ()),
        ({"authors": ()}, ("authors",)),
        ({"published_at": NOW - timedelta(days=1)}, ("published_at",)),
        ({"published_at": None}, ()),  # what is known stays
        ({"tags": ("ferry",), "quality": 0.5}, ("tags", "quality")),
        ({"extra": {"section": "News"}, "sources": {"title": "h1"}}, ()),
    ],
)
def test_what_differs_is_named(changes: dict[str, Any], fields: tuple[str, ...]) -> None:
    change = compare_article(HELD, replace(HELD, **changes))
    assert (change.fields if change is not None else ()) == fields


def test_a_reading_of_before_changes_nothing() -> None:
    earlier = replace(HELD, title="U", fetched_at=NOW - timedelta(days=1))
    assert compare_article(HELD, earlier) is None


# --- reading anew ----------------------------------------------------------------------------------


async def test_nothing_is_saved_unless_asked_for(app: App) -> None:
    held = hold(app)
    summary = await read_anew(app)
    assert (summary.pages, summary.changed, summary.saved) == (1, 1, 0)
    assert summary.fields == {"title": 1, "text": 1, "other": 1}, summary.examples
    assert summary.words_before == 3
    assert summary.words_after > 50
    assert [change.held.id for change in summary.examples] == [held.id]
    now = app.store.article(held.id)
    assert now is not None
    assert now.text == held.text


async def test_what_differs_is_saved_as_an_edit(app: App) -> None:
    receipt = Receipt(verdicts=(Verdict(use="search", value="allow"),), checked_at=NOW)
    held = hold(app, receipt=receipt)
    summary = await read_anew(app, apply=True)
    assert summary.saved == 1
    after = app.store.article(held.id)
    assert after is not None
    assert (after.title, after.version) == ("The ferry sails", 2)
    assert after.text.startswith(SENTENCE[:-1])
    assert (after.receipt, after.fetched_at, after.url) == (receipt, held.fetched_at, held.url)
    assert [version.title for version in app.store.versions(held.id)] == ["The ferry"]
    again = await read_anew(app, apply=True)
    assert (again.pages, again.changed, again.saved) == (1, 0, 0), "going on changes nothing twice"


async def test_pages_that_give_no_article_any_more_change_nothing(app: App) -> None:
    held = hold(app, page="<html><body>Sign in to go on</body></html>")
    summary = await read_anew(app, apply=True)
    assert (summary.pages, summary.saved, summary.unread.total()) == (0, 0, 1)
    assert app.store.article(held.id) == replace(held, raw=None)


async def test_rights_that_hold_now_are_kept(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    denied = Receipt(verdicts=(Verdict(use="archive", value="deny"),), checked_at=NOW)
    held = hold(app, receipt=denied)
    rights = app.settings.rights.model_copy(update={"store_on_deny": "nothing"})
    monkeypatch.setattr(app, "_settings", app.settings.model_copy(update={"rights": rights}))
    summary = await read_anew(app, apply=True)
    assert summary.unread == {"rights": 1}
    now = app.store.article(held.id)
    assert now is not None
    assert now.text == held.text


async def test_what_only_the_feed_gave_stays(app: App) -> None:
    of_feed: dict[str, Any] = {"authors": ("Ida Bek",), "tags": ("ferry",)}
    held = hold(
        app, sources={"authors": "feed", "tags": "feed"}, extra={"feed": {"id": "1"}}, **of_feed
    )
    await read_anew(app, apply=True)
    after = app.store.article(held.id)
    assert after is not None
    assert (after.authors, after.tags, after.extra["feed"]) == (
        ("Ida Bek",),
        ("ferry",),
        {"id": "1"},
    )
    assert after.title == "The ferry sails"


@pytest.mark.parametrize(
    ("request_of", "pages"),
    [
        (lambda first: {"articles": (first.id[:8], "f" * 24)}, 1),
        (lambda first: {"articles": (first.url,)}, 1),
        (lambda _: {"query": "publisher:courier.test"}, 3),
        (lambda _: {"query": "publisher:herald.test"}, 0),
        (lambda _: {"feed_urls": (f"{HOME}rss",)}, 1),
        (lambda _: {}, 3),
    ],
)
async def test_articles_are_chosen(
    app: App, request_of: Callable[[Article], dict[str, Any]], pages: int
) -> None:
    first = hold(app)
    hold(app, 2, feed_url=f"{HOME}rss")
    hold(app, 3)
    hold(app, 4, raw=None)
    assert kept_pages(app) == 3
    request = request_of(first)
    summary = await read_anew(app, **request)
    assert summary.pages == pages
    assert summary.missing == [name for name in request.get("articles", ()) if name == "f" * 24]


async def test_only_some_examples_are_kept(app: App) -> None:
    for number in range(EXAMPLES + 2):
        hold(app, number)
    seen: list[tuple[int, int]] = []
    summary = await reparse_pages(
        app, ReparseRequest(), InlineEngine(), progress=lambda *done: seen.append(done)
    )
    assert (summary.changed, len(summary.examples)) == (EXAMPLES + 2, EXAMPLES)
    assert seen == [(EXAMPLES + 2, EXAMPLES + 2)]


# --- on the town -----------------------------------------------------------------------------------


async def follow_both(app: App, town: Running) -> None:
    """A publisher by its sitemap alone, for what stands whole in a feed has no page; and one that reprints it."""
    await add(app, town, "courier.test", "digest.test")
    for feed in app.store.feeds(publisher="courier.test"):
        if feed.kind not in {"sitemap", "news_sitemap"}:
            app.store.remove_feed(feed.url)


async def test_what_was_read_today_reads_the_same(followed: App, town: Running) -> None:
    await follow_both(followed, town)
    await run_once(followed, town, replace(QUICK, keep_raw=True))
    requests = len(town.log)
    summary = await read_anew(followed)
    assert summary.pages == kept_pages(followed) > 10
    assert (summary.changed, summary.unread) == (0, {}), summary.examples
    assert len(town.log) == requests, "nothing was asked for"


async def test_receipts_stay_and_clusters_follow(followed: App, town: Running) -> None:
    await follow_both(followed, town)
    await run_once(followed, town, replace(QUICK, keep_raw=True))
    store = followed.store
    before = {held.id: held for held in store.articles() if store.raw(held.id) is not None}
    clusters = _clusters(followed)
    assert clusters
    for article in before.values():  # as if an older extractor had read them
        text = " ".join(f"{article.id}{number}" for number in range(60))
        worse = replace(article, title="Untitled", text=text, text_hash=article.id)
        lead = Lead(url=article.url, publisher=article.publisher, state="read")
        signature = sign(article.id, text, article.language, article.fetched_at, ClusterOptions())
        reading = Reading(lead=lead, article=worse, signature=signature)
        store.save_readings([reading], now=followed.clock())
    while any(cluster_round(store, ClusterOptions(), holder="test", clock=followed.clock)):
        continue
    assert _clusters(followed) < clusters
    summary = await read_anew(followed, apply=True)
    assert summary.saved == summary.pages == len(before)
    for name, held in before.items():
        after = store.article(name)
        assert after is not None
        assert (after.text_hash, after.receipt) == (held.text_hash, held.receipt)
        assert after.version == held.version + 2
    assert _clusters(followed) == clusters


def _clusters(app: App) -> set[frozenset[str]]:
    """Which articles are together."""
    members: dict[str, set[str]] = {}
    for article in app.store.articles():
        if article.cluster_id:
            members.setdefault(article.cluster_id, set()).add(article.id)
    return {frozenset(ids) for ids in members.values()}
