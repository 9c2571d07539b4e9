"""Which pages of a sitemap are older articles, and which sitemaps of an index may hold some."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wireroom.parse.sitemap import News, SitemapDocument, SitemapEntry
from wireroom.poll.discovery import (
    Span,
    choose_pages,
    choose_sitemaps,
    leads_of,
    looks_like_article,
)

MAY = Span(since=datetime(2026, 5, 1, tzinfo=UTC), until=datetime(2026, 5, 31, 23, 59, tzinfo=UTC))
STORY = "https://courier.test/2026/05/03/harbour-master-resigns-at-last"


def document(*entries: SitemapEntry) -> SitemapDocument:
    return SitemapDocument(kind="urlset", entries=entries)


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        (STORY, True),
        ("https://courier.test/news/harbour-master-resigns", True),
        ("https://courier.test/article.php?id=9", True),
        ("https://courier.test/town/town-7.html", True),
        ("https://courier.test/news/12", True),
        ("https://courier.test/港口主管在三十年后辞职没有人知道谁接任", True),
        ("https://courier.test/", False),
        ("https://courier.test/de/", False),
        ("https://courier.test/sport", False),
        ("https://courier.test/politics/2", False),
        ("https://courier.test/tag/storm-surge-of-may", False),
        ("https://courier.test/author/jane-doe-senior-editor", False),
        ("https://courier.test/search?q=storm+surge+today", False),
        ("https://courier.test/about-us", False),
        ("no address", False),
    ],
)
def test_what_looks_like_an_article(url: str, is_one: bool) -> None:
    assert looks_like_article(url) is is_one


def test_only_dated_articles_of_the_range_on_own_hosts_are_taken() -> None:
    chosen = choose_pages(
        document(
            SitemapEntry(STORY, "2026-05-03"),
            SitemapEntry(f"{STORY}-again", "2026-05-31T22:00:00Z"),
            SitemapEntry(f"{STORY}-late", "2026-06-01"),
            SitemapEntry(f"{STORY}-undated"),
            SitemapEntry("https://courier.test/sport", "2026-05-03"),
            SitemapEntry(STORY.replace("courier", "victim"), "2026-05-03"),
            SitemapEntry("https://courier.test/n", "", News(published_text="2026-05-09T08:00Z")),
        ),
        "courier.test",
        MAY,
    )
    urls = [entry.url for entry in chosen.entries]
    assert urls == [f"{STORY}-again", "https://courier.test/n", STORY]
    assert (chosen.outside, chosen.undated, chosen.no_article, chosen.elsewhere) == (1, 1, 1, 1)


def test_sitemaps_of_other_months_are_not_asked() -> None:
    base = "https://www.courier.test"
    found = choose_sitemaps(
        [
            SitemapEntry(f"{base}/sitemap-2026-05.xml", "2020-01-01"),
            SitemapEntry(f"{base}/sitemap-2026-04.xml", "2026-11-01"),
            SitemapEntry(f"{base}/sitemap/202605.xml"),
            SitemapEntry(f"{base}/old.xml", "2026-04-01"),
            SitemapEntry(f"{base}/new.xml", "2026-11-01"),
            SitemapEntry(f"{base}/undated.xml"),
            SitemapEntry("https://victim.test/sitemap.xml", "2026-11-01"),
        ],
        "courier.test",
        MAY,
    )
    assert [url.removeprefix(base) for url in found] == [
        "/sitemap-2026-05.xml",
        "/sitemap/202605.xml",
        "/new.xml",
        "/undated.xml",
    ]


def test_leads_carry_what_the_sitemap_says() -> None:
    news = News(name="Courier", language="en", published_text="2026-05-09T08:00:00Z", title="Storm")
    (lead,) = leads_of([SitemapEntry(STORY, "2026-05-10", news)], "courier.test", feed_url="x")
    assert (lead.url, lead.publisher, lead.state) == (STORY, "courier.test", "new")
    assert lead.item is not None
    assert (lead.item.feed_url, lead.item.title) == ("x", "Storm")
    assert lead.item.published_at == datetime(2026, 5, 9, 8, tzinfo=UTC)
