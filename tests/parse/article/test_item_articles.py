"""Feeds and APIs: one article per item, read from what the feed carries."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from wireroom import ExtractConfig, articles_from_feed, extract_all
from wireroom.errors import NoArticleError, ParseError
from wireroom.model import FeedDocument, Hints, Item
from wireroom.parse.feed import read_feed
from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.feed_bodies import api_page, feed_text
from wireroom.town.press import PUBLISHERS
from wireroom.town.town_config import AGENCY_FIELDS
from wireroom.town.world import build_town
from wireroom.urls import article_id

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
FEED_URL = "https://www.courier.test/feed"
TEXT = "The ferry between Eastferry and Long Barrow Quay returned on Tuesday after ten years. "
CONTENT = "".join(f"<p>{TEXT}Part {n} of it is told here at some length.</p>" for n in range(8))
ITEM = Item(
    feed_url=FEED_URL,
    guid="17",
    url="https://www.courier.test/ferry?utm_source=rss",
    title="Ferry returns",
    summary="A ferry is back.",
    content_html=CONTENT,
    authors=("Bryony Thackray",),
    tags=("river",),
    published_at=datetime(2026, 11, 3, 8, tzinfo=UTC),
    extra={"image_url": "https://www.courier.test/ferry.png"},
)


def _document(*items: Item, language: str = "en-GB") -> FeedDocument:
    return FeedDocument(kind="rss", items=items, language=language)


@pytest.mark.long
def test_a_feed_with_more_than_can_be_read_in_time_says_what_was_left() -> None:
    short = replace(ITEM, content_html="", summary=TEXT)
    articles = articles_from_feed(_document(*[short] * 2_000), fetched_at=NOW)
    assert len(articles) == 1_250
    assert articles[-1].extra["notes"] == ["feed: 750 more items are not read"]
    assert "notes" not in articles[0].extra


@pytest.mark.long
def test_one_item_is_read_however_long_it_is() -> None:
    long = replace(ITEM, content_html=CONTENT + "<i>x</i>" * 60_000)
    articles = articles_from_feed(_document(long, ITEM), fetched_at=NOW)
    assert len(articles) == 1
    assert any("1 more item" in note for note in articles[0].extra["notes"])


def test_every_field_of_an_item_reaches_its_article_and_says_so() -> None:
    (article,) = articles_from_feed(_document(ITEM), fetched_at=NOW)
    assert article.title == "Ferry returns"
    assert article.url == "https://www.courier.test/ferry"
    assert article.id == article_id("courier.test", article.url)
    assert article.feed_url == FEED_URL
    assert article.authors == ("Bryony Thackray",)
    assert article.tags == ("river",)
    assert article.published_at == ITEM.published_at
    assert article.image_url == "https://www.courier.test/ferry.png"
    assert (article.language, article.language_tag) == ("en", "en-GB")
    assert article.text.count("\n\n") == 7
    assert article.quality > 0.7
    named = ("title", "authors", "tags", "published_at", "image_url", "language")
    assert {article.sources[name] for name in named} == {"feed"}
    assert article.sources["text"] == "feed content"
    assert article.extra["feed"]["guid"] == "17"


def test_a_summary_alone_is_an_article_of_low_quality() -> None:
    item = Item(feed_url=FEED_URL, guid="1", title="T", summary=TEXT)
    (article,) = articles_from_feed(_document(item), fetched_at=NOW)
    assert article.text == TEXT.strip()
    assert article.quality < 0.5
    assert article.sources["text"] == "feed summary"
    assert "only the feed's summary" in article.extra["quality"]


def test_items_without_any_text_are_left_out() -> None:
    assert articles_from_feed(_document(Item(feed_url=FEED_URL, guid="1", title="T"))) == ()


def test_boxes_in_the_content_are_left_out_as_on_pages() -> None:
    box = (
        "<h4>Related posts:</h4><ul><li><a href='/a'>One</a></li><li><a href='/b'>Two</a></li></ul>"
    )
    item = Item(feed_url=FEED_URL, guid="1", title="T", content_html=CONTENT + box)
    (article,) = articles_from_feed(_document(item))
    assert "Related posts" not in article.text


def test_a_feed_that_lies_about_its_language_is_not_believed() -> None:
    german = "<p>Die Fähre ist nach zehn Jahren auf den Fluss zurückgekehrt, und alle sahen zu.</p>"
    item = Item(feed_url=FEED_URL, guid="1", title="T", content_html=german * 4)
    (article,) = articles_from_feed(_document(item, language="en"))
    assert article.language == "de"
    assert article.sources["language"] == "text"


FEEDS = [
    (publisher, plan)
    for publisher in PUBLISHERS
    for plan in publisher.feeds
    if plan.kind in ("rss", "atom", "rdf", "json") and publisher.articles and not plan.comments
]


@pytest.mark.parametrize(
    ("publisher", "plan"), FEEDS, ids=[f"{publisher.host}{plan.path}" for publisher, plan in FEEDS]
)
def test_the_towns_feeds_give_their_stories(publisher: TownPublisher, plan: FeedPlan) -> None:
    town = build_town(now=NOW)
    body = feed_text(town, publisher.host, plan).encode("utf-8")
    url = f"http://{publisher.host}{plan.path}"
    document = read_feed(body, base_url=url, content_type="text/xml; charset=utf-8")
    articles = articles_from_feed(document, fetched_at=NOW)
    titles = {story.url: story.title for story in town.stories(publisher.host)}
    assert articles
    for article in articles:
        assert article.url in titles
        assert article.title.split() == titles[article.url].split()
        assert article.text


def test_the_agencys_api_gives_its_stories() -> None:
    town = build_town(now=NOW)
    plan = next(publisher for publisher in PUBLISHERS if publisher.host == "agency.test").feeds[0]
    page = api_page(town, "agency.test", plan, 1)
    config = ExtractConfig(hints=Hints(field_map=AGENCY_FIELDS))
    articles = extract_all(page or "", url="http://agency.test/api", fetched_at=NOW, config=config)
    assert len(articles) == plan.items
    for article, story in zip(articles, town.stories("agency.test"), strict=False):
        assert article.title == story.title
        assert article.authors == story.authors
        assert article.word_count > 100
        assert article.quality > 0.7


def test_a_page_gives_one_article_and_a_feed_several() -> None:
    page = f"<html lang='en'><body><article><h1>T</h1>{CONTENT}</article></body></html>"
    assert len(extract_all(page)) == 1
    feed = f"<rss version='2.0'><channel>{'<item><title>T</title><description>Words of it</description></item>' * 3}</channel></rss>"
    assert len(extract_all(feed)) == 3
    assert len(extract_all(feed.encode("utf-16"))) == 3


def test_a_feed_without_text_is_no_article() -> None:
    with pytest.raises(NoArticleError):
        extract_all(b"<rss version='2.0'><channel/></rss>")
    with pytest.raises(ParseError):
        extract_all(b"{}")


@pytest.mark.parametrize("text", ["null", "OK", "<p>OK.</p>", "undefined", "N/A"])
def test_a_word_of_a_machine_is_no_text_of_an_item(text: str) -> None:
    item = Item(
        feed_url="https://c.test/feed",
        guid="1",
        url="https://c.test/1",
        title="Bridge",
        content_html=text,
    )
    assert articles_from_feed(_document(item)) == ()
    hello = Item(
        feed_url="https://c.test/feed",
        guid="2",
        url="https://c.test/2",
        title="Note",
        content_html="Good morning!",
    )
    assert len(articles_from_feed(_document(hello))) == 1


def test_items_without_text_are_counted_and_noted() -> None:
    whole = "The harbour board met at noon to write_settings who pays for the new quay. " * 3
    feed = f"<rss><channel><item><title>A</title></item><item><title>B</title></item><item><title>C</title><description>{whole}</description></item></channel></rss>"
    articles = extract_all(feed.encode())
    assert [article.title for article in articles] == ["C"]
    assert "feed: 2 items hold no text, and no article" in articles[0].extra["notes"]


@pytest.mark.parametrize(
    "body", [b"null", b'"OK"', b"OK", b"true", b"Service unavailable, please try again later."]
)
@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_the_answer_of_a_machine_is_no_article(body: bytes, content_type: str) -> None:
    with pytest.raises(NoArticleError):
        extract_all(body, content_type=content_type)
