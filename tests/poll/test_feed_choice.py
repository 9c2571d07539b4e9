"""What is followed of a publisher, and what is said of the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from wireroom.model import Dossier, Feed, FeedKind, Finding, Publisher
from wireroom.poll.discovery import choose_feeds

NOW = datetime(2026, 5, 3, tzinfo=UTC)
HOME = "https://courier.test/"


def feed(path: str, kind: FeedKind = "rss", title: str = "") -> Feed:
    return Feed(url=HOME + path, publisher="courier.test", kind=kind, title=title)


def dossier(*feeds: Feed, measured: dict[str, Any] | None = None, **lists: list[str]) -> Dossier:
    figures = {HOME + path: figures for path, figures in (measured or {}).items()}
    facts = {"measured": {"feeds": figures}, **lists}
    return Dossier(
        publisher=Publisher(domain="courier.test", added_at=NOW),
        findings=(Finding(step="feeds", outcome="yes", facts=facts, found_at=NOW),),
        feeds=feeds,
        scouted_at=NOW,
    )


def test_the_main_feed_and_the_news_sitemap_are_followed() -> None:
    choice = choose_feeds(
        dossier(
            feed("rss.xml"),
            feed("atom.xml", "atom"),
            feed("news-sitemap.xml", "news_sitemap"),
            measured={
                "rss.xml": {"newest_url": HOME + "1", "entries": 20},
                "atom.xml": {"newest_url": HOME + "1", "entries": 20},
            },
            comments=[HOME + "comments.xml"],
            barred=[HOME + "all.xml"],
        )
    )
    assert [(pick.feed.url, pick.why) for pick in choice.taken] == [
        (HOME + "rss.xml", "main feed, 20 items"),
        (HOME + "news-sitemap.xml", "news sitemap: every story of the last two days"),
    ]
    assert [(pick.feed.url, pick.why) for pick in choice.left] == [
        (HOME + "atom.xml", f"the same stories as {HOME}rss.xml"),
        (HOME + "comments.xml", "comments of readers"),
        (HOME + "all.xml", "robots.txt bars it"),
    ]


def test_a_feed_with_other_stories_is_named_but_not_taken() -> None:
    choice = choose_feeds(
        dossier(
            feed("rss.xml"),
            feed("sport.xml"),
            measured={"rss.xml": {"newest_url": "a"}, "sport.xml": {"newest_url": "b"}},
        )
    )
    assert [pick.feed.url for pick in choice.taken] == [HOME + "rss.xml"]
    assert "add this one by its address" in choice.left[0].why


def test_comments_alone_are_nothing_to_follow() -> None:
    choice = choose_feeds(dossier(comments=[HOME + "comments/feed/"]))
    assert not choice.taken
    assert [pick.why for pick in choice.left] == ["comments of readers"]


def test_a_name_that_only_sounds_like_comments_or_a_podcast_is_followed() -> None:
    for url in ("https://commentary.test/feed", "https://podcastnews.test/rss.xml"):
        choice = choose_feeds(dossier(Feed(url=url, publisher="courier.test", kind="rss")))
        assert [pick.feed.url for pick in choice.taken] == [url]
    assert not choose_feeds(dossier(feed("tag/harbour/feed"))).taken


def test_a_sitemap_will_do_where_there_is_no_feed() -> None:
    choice = choose_feeds(dossier(feed("sitemap.xml", "sitemap")))
    assert [pick.why for pick in choice.taken] == ["sitemap: there is no feed"]


def test_nothing_on_offer_is_nothing_chosen() -> None:
    assert choose_feeds(dossier()) == choose_feeds(dossier())
    assert not choose_feeds(dossier()).taken
