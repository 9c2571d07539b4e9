"""What an operator may say about a feed, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.parse.article.test_extract import FETCHED_AT, PAGE, PARAGRAPH, URL
from wireroom import ExtractConfig, extract, read_article
from wireroom.model import Article, Hints, Item
from wireroom.parse.body import block_hash

COPY = """<html><body><p>Before</p><div class="c"><p>a</p><p> </p><div class="c">b</div></div><p class="c">d</p>
</body></html>"""


def _with(page: str = PAGE, **hints: object) -> Article:
    return extract(page, url=URL, fetched_at=FETCHED_AT, config=ExtractConfig(hints=Hints(**hints)))  # type: ignore[arg-type]  # each test names its own


def test_body_selector_gives_each_match_once_apart_by_a_blank_line() -> None:
    article = _with(COPY, body_selector=".c")
    assert article.text == "a\n\nb\n\nd"
    assert article.sources["text"] == "body selector"


@pytest.mark.parametrize(
    ("selector", "why"),
    [(".none", "matched nothing"), ("p[", "not a CSS selector"), ("nav + div", "matched nothing")],
)
def test_selector_that_fails_leaves_it_to_the_general_way_and_says_so(
    selector: str, why: str
) -> None:
    article = _with(body_selector=selector)
    assert article.text.startswith("The ferry between")
    assert article.sources["text"] == "page"
    assert any(why in note for note in article.extra["notes"])


def test_selector_whose_match_holds_no_text_is_reported_too() -> None:
    article = _with(
        PAGE.replace("<nav>", "<div id=x><script>1</script></div><nav>"), body_selector="#x"
    )
    assert article.sources["text"] == "page"
    assert any("matched no text" in note for note in article.extra["notes"])


def test_selected_markup_keeps_headings_lists_and_links() -> None:
    page = '<html><body><h2 class="c">Head</h2><ul class="c"><li>one</li></ul><p class="c"><a href="/x">y</a></p></body></html>'
    config = ExtractConfig(hints=Hints(body_selector=".c"))
    reading = read_article(page, url=URL, config=config, rich=True)
    assert "## Head\n\n- one\n\n[y](https://www.courier.test/x)" in reading.markdown()


LINKED = PAGE.replace(
    "</head>",
    '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Another headline for all",'
    ' "datePublished": "2026-11-03T08:00:00Z", "author": {"name": "Bryony Thackray"}}</script></head>',
)


def test_linked_data_is_read_and_kept() -> None:
    article = _with(LINKED)
    assert article.authors == ("Bryony Thackray",)
    assert article.extra["json_ld"][0]["headline"] == "Another headline for all"
    assert article.extra["formats"]["json-ld"]["author"] == "Bryony Thackray"


def test_linked_data_can_be_switched_off() -> None:
    article = _with(LINKED, json_ld=False)
    assert article.authors == ()
    assert "json_ld" not in article.extra


def test_language_and_zone_of_the_feed_count() -> None:
    page = PAGE.replace(
        "</head>", '<meta property="article:published_time" content="2026-11-03 10:00"></head>'
    )
    bare = page.replace(' lang="en-GB"', "")
    assert _with(bare, language="en-NZ").language_tag == "en-NZ"
    article = _with(page, language="en-NZ", zone="Pacific/Auckland")
    assert article.language_tag == "en-GB", "the page says so"
    assert article.published_at == datetime(2026, 11, 2, 21, 0, tzinfo=UTC)
    assert article.extra["published"] == {
        "local_day": "2026-11-03",
        "precision": "minute",
        "zone_from": "hint",
        "offset_minutes": 780,
    }


@pytest.mark.parametrize("given", [None, FETCHED_AT, FETCHED_AT.replace(tzinfo=None)])
def test_no_date_is_later_than_the_fetch_whoever_says_when_that_was(given: datetime | None) -> None:
    for days, is_believed in ((-2, True), (2, False)):
        at = (given or datetime.now(UTC)).replace(tzinfo=UTC, microsecond=0) + timedelta(days=days)
        stamp = f'<meta property="article:published_time" content="{at.isoformat()}"></head>'
        article = extract(PAGE.replace("</head>", stamp), fetched_at=given)
        assert (article.published_at == at) is is_believed
        assert article.fetched_at.tzinfo is UTC


def test_page_without_date_gets_none_or_on_request_the_time_of_its_fetch() -> None:
    page, url = PAGE, "https://www.courier.test/ferry"
    assert extract(page, url=url, fetched_at=FETCHED_AT).published_at is None
    config = ExtractConfig(undated="fetched")
    article = extract(page, url=url, fetched_at=FETCHED_AT, config=config)
    assert article.published_at == FETCHED_AT
    assert article.published_source == "fetched"
    assert article.extra["confidence"]["published_at"] < 0.2


def test_the_operator_may_date_articles_by_their_fetch() -> None:
    article = extract(
        PAGE, url="", fetched_at=FETCHED_AT, config=ExtractConfig(hints=Hints(undated="fetched"))
    )
    assert (article.published_at, article.published_source) == (FETCHED_AT, "fetched")


def test_known_boilerplate_is_left_out() -> None:
    box = "The Courier is written by people who live on the river and will be for a long time to come."
    page = PAGE.replace("</article>", f"<p>{box}</p></article>")
    assert box in _with(page).text
    config = ExtractConfig(boilerplate=frozenset({block_hash(box)}))
    assert box not in extract(page, url=URL, config=config).text


ITEM = Item(
    feed_url="https://www.courier.test/feed",
    guid="1",
    title="What the feed calls it",
    authors=("Jonah Marrable",),
    extra={"prn_industry": "Transport"},
)


@pytest.mark.parametrize(
    ("precedence", "title"),
    [("page", "Ferry returns after ten years"), ("feed", "What the feed calls it")],
)
def test_precedence_says_whom_to_believe(precedence: str, title: str) -> None:
    config = ExtractConfig(item=ITEM, precedence=precedence)  # type: ignore[arg-type]  # from a table
    article = extract(PAGE, url=URL, fetched_at=FETCHED_AT, config=config)
    assert article.title == title
    assert article.authors == ("Jonah Marrable",)
    assert article.feed_url == ITEM.feed_url
    assert article.extra["feed"]["prn_industry"] == "Transport"
    assert "authors" not in article.extra["feed"], "the article names the same"


def test_authors_of_the_feed_are_kept_where_the_page_names_others() -> None:
    page = PAGE.replace("</head>", '<meta name="author" content="Ada Berg"></head>')
    config = ExtractConfig(item=replace(ITEM, authors=("Jonah Marrable", "Bo Lind")))
    article = extract(page, url=URL, fetched_at=FETCHED_AT, config=config)
    assert article.authors == ("Ada Berg",)
    assert article.extra["feed"]["authors"] == ["Jonah Marrable", "Bo Lind"]


STUB = f"<html lang=en><body><h1>T</h1><p>{PARAGRAPH}</p><p>Subscribe to read on.</p></body></html>"


def test_feed_content_is_the_text_where_the_page_shows_next_to_nothing() -> None:
    content = "".join(f"<p>{n} {PARAGRAPH}and it goes on about number {n}.</p>" for n in range(9))
    page = "<html><body><h1>T</h1><p>Please switch on scripts.</p></body></html>"
    item = Item(feed_url="f", guid="1", title="T", content_html=content)
    article = extract(page, url=URL, config=ExtractConfig(item=item))
    assert article.text.startswith("0 The ferry")
    assert article.sources["text"] == "feed content"
    assert any("feed content" in note for note in article.extra["notes"])


def test_text_that_another_source_has_and_the_page_has_not_lowers_the_quality() -> None:
    more = "".join(
        f"<p>Number {n} tells of sheep and wool and of the {n} hills around.</p>" for n in range(9)
    )
    body = "".join(f"<p>{PARAGRAPH}Part {n} of the story goes on.</p>" for n in range(6))
    item = Item(feed_url="f", guid="1", title="T", content_html=body + more)
    config = ExtractConfig(item=item)
    plain = extract(PAGE, url=URL)
    doubted = extract(PAGE, url=URL, config=config)
    assert doubted.quality < plain.quality
    assert any("feed content" in reason for reason in doubted.extra["quality"])


def test_modes_keep_more_or_less() -> None:
    lengths = [
        len(extract(PAGE, url=URL, config=ExtractConfig(mode=mode)).text)
        for mode in ("precision", "balanced", "recall")
    ]
    assert lengths == sorted(lengths)
