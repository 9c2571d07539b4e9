"""Every way to an article's text brings the layout of that text with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from wireroom import ExtractConfig, articles_from_feed, extract, read_article
from wireroom.model import Article, FeedDocument, Hints, Item
from wireroom.parse.body import blocks_of, to_text
from wireroom.town.pages import article_page
from wireroom.town.press import PUBLISHERS
from wireroom.town.world import build_town

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
URL = "https://www.courier.test/ferry"
TEXT = "The ferry between Eastferry and Long Barrow Quay returned on Tuesday after ten years. "
CONTENT = (
    f"<p>{TEXT * 3}</p><h2>The new engine</h2><p>It is loud. {TEXT * 3}</p>"
    f"<ul><li>Bicycles: {TEXT}</li><li>Horses: {TEXT}</li></ul>"
    f"<blockquote>Come and see! {TEXT * 2}</blockquote><p>There it goes. {TEXT * 3}</p>"
)
LAYOUT = "p2plqp"


def _of_page() -> Article:
    return extract(f"<article>{CONTENT}</article>", url=URL, fetched_at=NOW)


def _of_selector() -> Article:
    config = ExtractConfig(hints=Hints(body_selector=".text"))
    page = f"<body><p>{TEXT}</p><div class=text>{CONTENT}</div></body>"
    return extract(page, url=URL, fetched_at=NOW, config=config)


def _of_linked_data() -> Article:
    data = json.dumps({"@type": "NewsArticle", "headline": "Ferry", "articleBody": CONTENT})
    safe = data.replace("</", "<\\/")
    page = f"<script type=application/ld+json>{safe}</script><p>Sign in.</p>"
    config = ExtractConfig(any_page=True)
    return extract(f"<body>{page}</body>", url=URL, fetched_at=NOW, config=config)


def _of_item() -> Article:
    item = Item(feed_url=URL, guid="17", url=URL, title="Ferry", content_html=CONTENT)
    (article,) = articles_from_feed(FeedDocument(kind="rss", items=(item,)), fetched_at=NOW)
    return article


@pytest.mark.parametrize("read", [_of_page, _of_selector, _of_linked_data, _of_item])
def test_the_layout_comes_with_the_text(read: Callable[[], Article]) -> None:
    article = read()
    assert article.layout == LAYOUT, article.text


def test_a_plain_text_and_a_summary_are_paragraphs() -> None:
    text = extract(f"Ferry\n\n{TEXT * 9}\n\n{TEXT * 9}", content_type="text/plain", fetched_at=NOW)
    assert text.layout == "pp"
    item = Item(feed_url=URL, guid="1", title="T", summary=TEXT)
    (article,) = articles_from_feed(FeedDocument(kind="rss", items=(item,)), fetched_at=NOW)
    assert article.layout == "p"


def test_dropped_blocks_that_are_explained_are_not_in_it() -> None:
    page = f"<body><nav><ul><li>Home</li></ul></nav><article>{CONTENT}</article></body>"
    reading = read_article(page, url=URL, fetched_at=NOW, explain=True, rich=True)
    assert reading.article.layout == LAYOUT


@pytest.mark.parametrize("host", [publisher.host for publisher in PUBLISHERS if publisher.articles])
def test_the_layouts_of_the_town_fit_their_texts(host: str) -> None:
    town = build_town(now=NOW)
    for story in town.stories(host, limit=3):
        article = extract(article_page(town, story), url=story.url, fetched_at=NOW)
        letters = article.layout.split(" ")[0]
        assert len(letters) - letters.count("i") == article.text.count("\n\n") + 1
        assert letters.count("i") == len(article.captions)
        assert to_text(blocks_of(article.text, article.layout, article.captions)) == article.text


def test_captions_stand_in_the_text_where_they_are_asked_for() -> None:
    figure = "<figure><img src=a.jpg alt=''><figcaption>The ferry at noon.</figcaption></figure>"
    page = (
        f"<article>{CONTENT.replace('<ul>', f'<p>It left. {TEXT * 3}</p>{figure}<ul>')}</article>"
    )
    beside = extract(page, url=URL, fetched_at=NOW)
    assert (beside.layout, beside.captions) == ("p2ppilqp", ("The ferry at noon.",))
    assert "at noon" not in beside.text
    for config in (ExtractConfig(captions=True), ExtractConfig(hints=Hints(captions=True))):
        asked = extract(page, url=URL, fetched_at=NOW, config=config)
        assert (asked.layout, asked.captions) == ("p2ppclqp", beside.captions)
        assert "\n\nThe ferry at noon.\n\n" in asked.text
