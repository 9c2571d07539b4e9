"""Feeds and sitemaps are well-formed where they should be, and agree with the truth."""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.town.client import ask
from tests.town.conftest import NOW
from tests.town.reading import Page
from wireroom.town import FeedPlan, Running, Town
from wireroom.town.answers import answer
from wireroom.town.press import PUBLISHERS

DC = "{http://purl.org/dc/elements/1.1/}"
RSS1 = "{http://purl.org/rss/1.0/}"
ATOM = "{http://www.w3.org/2005/Atom}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
RSL = "{https://rslstandard.org/rsl}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
NEWS = "{http://www.google.com/schemas/sitemap-news/0.9}"

FEEDS = [(publisher.host, feed) for publisher in PUBLISHERS for feed in publisher.feeds]


def _of_kind(*kinds: str) -> list[Any]:
    return [
        pytest.param(host, feed, id=f"{host}{feed.path}")
        for host, feed in FEEDS
        if feed.kind in kinds and not feed.comments
    ]


def _xml(town: Town, host: str, feed: FeedPlan) -> ET.Element:
    made = answer(town, host, feed.path)
    assert made.status == 200
    body = gzip.decompress(made.body) if feed.gzipped else made.body
    encoding = town.publisher(host).charset.encoding if "sitemap" not in feed.kind else "utf-8"
    # The standard library's parser knows no Shift_JIS: decode first, drop the declaration.
    text = body.decode(encoding).lstrip().partition("?>")[2]
    return ET.fromstring(text)


@pytest.mark.parametrize(("host", "feed"), _of_kind("rss"))
def test_rss_agrees_with_the_truth(still_town: Town, host: str, feed: FeedPlan) -> None:
    items = _xml(still_town, host, feed).findall("channel/item")
    stories = still_town.stories(host, limit=feed.items)
    assert len(items) == len(stories)
    for item, story in zip(items, stories, strict=True):
        assert item.findtext("title") == story.title
        assert item.findtext("link") == story.url
        assert item.findtext("description") == story.description
        assert [element.text for element in item.findall(f"{DC}creator")] == list(story.authors)
        assert [element.text for element in item.findall("category")] == list(story.tags)
        if feed.quirk != "local_dates":
            written = parsedate_to_datetime(item.findtext("pubDate") or "")
            assert written == story.published_at
            assert written.utcoffset() == still_town.publisher(host).utc_offset
        content = item.findtext(f"{CONTENT}encoded")
        assert (content is not None) is feed.whole_text
        if content:
            assert story.blocks[0].text in Page(content).lines


def test_rss_in_spanish_has_dates_in_words(still_town: Town) -> None:
    publisher = still_town.publisher("faro.test")
    item = _xml(still_town, publisher.host, publisher.feed("rss")).findall("channel/item")[0]
    assert item.findtext("pubDate") == "12 de noviembre de 2026 06:00:00"


def test_rss_names_hub_licence_and_when_to_come_back(still_town: Town) -> None:
    publisher = still_town.publisher("courier.test")
    channel = _xml(still_town, publisher.host, publisher.feed("rss")).find("channel")
    assert channel is not None
    assert channel.findtext("ttl") == "30"
    assert {element.get("rel") for element in channel.findall(f"{ATOM}link")} == {"self", "hub"}
    assert (
        channel.findtext("{http://backend.userland.com/creativeCommonsRssModule}license")
        == publisher.rights.licence_url
    )
    assert channel.find(f"item/{RSL}content") is not None


def test_comments_feed_holds_comments(still_town: Town) -> None:
    plan = next(feed for feed in still_town.publisher("courier.test").feeds if feed.comments)
    links = [
        element.findtext("link") or ""
        for element in _xml(still_town, "courier.test", plan).findall("channel/item")
    ]
    assert links
    assert all("#comment-" in link for link in links)


@pytest.mark.parametrize(("host", "feed"), _of_kind("atom"))
def test_atom_agrees_with_the_truth(still_town: Town, host: str, feed: FeedPlan) -> None:
    root = _xml(still_town, host, feed)
    base = root.get("{http://www.w3.org/XML/1998/namespace}base", "")
    assert bool(base) is (feed.quirk == "relative_links")
    stories = still_town.stories(host, limit=feed.items)
    for entry, story in zip(root.findall(f"{ATOM}entry"), stories, strict=True):
        link = entry.find(f"{ATOM}link")
        assert link is not None
        assert base.rstrip("/") + link.get("href", "") == story.url
        assert entry.findtext(f"{ATOM}title") == story.title
        published = entry.findtext(f"{ATOM}published")
        assert (published is None) is (feed.quirk == "only_updated")
        updated = datetime.fromisoformat(entry.findtext(f"{ATOM}updated") or "")
        assert updated == (story.modified_at or story.published_at)


@pytest.mark.parametrize(("host", "feed"), _of_kind("rdf"))
def test_rdf_agrees_with_the_truth(still_town: Town, host: str, feed: FeedPlan) -> None:
    items = _xml(still_town, host, feed).findall(f"{RSS1}item")
    for item, story in zip(items, still_town.stories(host, limit=feed.items), strict=True):
        assert item.findtext(f"{RSS1}title") == story.title
        assert datetime.fromisoformat(item.findtext(f"{DC}date") or "") == story.published_at


@pytest.mark.parametrize(("host", "feed"), _of_kind("json"))
def test_json_feed_agrees_with_the_truth(still_town: Town, host: str, feed: FeedPlan) -> None:
    found = json.loads(answer(still_town, host, feed.path).body)
    assert found["version"] == "https://jsonfeed.org/version/1.1"
    for item, story in zip(found["items"], still_town.stories(host, limit=feed.items), strict=True):
        assert (item["url"], item["title"]) == (story.url, story.title)
        assert datetime.fromisoformat(item["date_published"]) == story.published_at


def test_json_api_pages_through_all_articles(still_town: Town) -> None:
    path, seen = "/api/v1/articles", []
    while path:
        page = json.loads(answer(still_town, "agency.test", path).body)
        seen += [record["links"]["self"] for record in page["data"]]
        path = page["links"].get("next", "").removeprefix("http://agency.test")
    assert seen == [story.url for story in still_town.stories("agency.test")]


@pytest.mark.parametrize("page", ["0", "99", "-1", "x"])
def test_json_api_refuses_a_page_that_is_not_there(still_town: Town, page: str) -> None:
    made = answer(still_town, "agency.test", f"/api/v1/articles?page={page}")
    assert made.status == 400
    assert "no such page" in json.loads(made.body)["error"]["message"]


@pytest.mark.parametrize("host", ["courier.test", "sentinel.test", "yunjiang.test", "phare.test"])
def test_sitemaps_name_every_article(still_town: Town, host: str) -> None:
    plans = [feed for feed in still_town.publisher(host).feeds if feed.kind == "sitemap"]
    found = [
        loc.text
        for plan in plans
        for loc in _xml(still_town, host, plan).findall(f"{MAP}url/{MAP}loc")
    ]
    assert sorted(found, key=str) == sorted(story.url for story in still_town.stories(host))


@pytest.mark.parametrize(("host", "feed"), _of_kind("sitemap"))
def test_plain_sitemap_declares_news_and_uses_none(
    still_town: Town, host: str, feed: FeedPlan
) -> None:
    body = answer(still_town, host, feed.path).body
    text = (gzip.decompress(body) if feed.gzipped else body).decode()
    assert "sitemap-news" in text
    assert "<news:news>" not in text


@pytest.mark.parametrize(("host", "feed"), _of_kind("news_sitemap"))
def test_news_sitemap_holds_the_last_two_days(still_town: Town, host: str, feed: FeedPlan) -> None:
    urls = _xml(still_town, host, feed).findall(f"{MAP}url")
    young = [
        story for story in still_town.stories(host) if NOW - story.published_at <= timedelta(days=2)
    ]
    assert [url.findtext(f"{MAP}loc") for url in urls] == [story.url for story in young]
    titles = [url.findtext(f"{NEWS}news/{NEWS}title") for url in urls]
    assert titles == [story.title for story in young]


@pytest.mark.parametrize(("host", "feed"), _of_kind("sitemap_index"))
def test_index_names_its_children_and_the_news_come_last(
    still_town: Town, host: str, feed: FeedPlan
) -> None:
    locs = [
        element.text for element in _xml(still_town, host, feed).findall(f"{MAP}sitemap/{MAP}loc")
    ]
    assert locs == [f"http://{host}{path}" for path in feed.children]
    assert "news" in (locs[-1] or "")
    for path in feed.children:
        assert answer(still_town, host, path).status == 200


@pytest.mark.parametrize(
    ("host", "feed"), [pytest.param(h, f, id=f"{h}{f.path}") for h, f in FEEDS]
)
def test_feeds_are_announced_where_the_declaration_says(
    served: Running, host: str, feed: FeedPlan
) -> None:
    home = ask(served, host)
    publisher = served.town.publisher(host)
    page = Page(home.body.decode(publisher.charset.encoding))
    tags = [link["href"] for link in page.links if link.get("rel") == "alternate"]
    assert (feed.path in tags) is (feed.announced == "link")
    assert (feed.path in page.hrefs) is (feed.announced == "anchor")
    links = " ".join(home.all("Link"))
    assert (f"<{feed.path}>" in links) is (feed.announced == "header")
    robots = ask(served, host, "/robots.txt").body.decode()
    assert (
        (feed.path in robots.split())
        or (feed.announced != "robots")
        or (f"http://{host}{feed.path}" in robots.split())
    )
    if feed.announced == "index_page":
        assert "/rss/" in page.hrefs
        listing = ask(served, host, "/rss/").body.decode(publisher.charset.encoding)
        assert feed.path in Page(listing).hrefs


def test_odd_media_types_are_served_as_declared(served: Running) -> None:
    assert ask(served, "haneul.test", "/feed.json").header("Content-Type") == "application/json"
    assert ask(served, "nadi.test", "/feed/").header("Content-Type") == "text/plain"
    assert ask(served, "nagisa.test", "/rss/index.rdf").header("Content-Type") == "text/xml"


def test_old_feed_has_blanks_before_its_declaration(served: Running) -> None:
    body = ask(served, "tikhobereg.test", "/rss.xml").body
    assert body.startswith(b"\n  <?xml")
    assert b'encoding="windows-1251"' in body[:60]
