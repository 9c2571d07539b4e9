"""Feeds, sitemaps, what they hold, and the rhythm in them."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, context_of, served
from wireroom.errors import BlockedError, RefusedError, StatusError, UnreachableError
from wireroom.model import Finding
from wireroom.parse.links import FeedLink
from wireroom.ports import StepContext
from wireroom.report.build import summary
from wireroom.scout import domain_list, feed_ranking
from wireroom.scout.domain_list import DomainList
from wireroom.scout.sitemap_guesses import NEWS_PATHS, USUAL_PATHS
from wireroom.scout.steps import (
    common_crawl,
    feeds,
    frequency,
    robots,
    sitemap_analysis,
    sitemaps,
)

NEWS_NS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
ORIGIN = HOME.rstrip("/")


def rss(
    count: int = 20,
    *,
    gap: timedelta = timedelta(hours=6),
    title: str = "Courier",
    newest: datetime = NOW,
) -> str:
    items = "".join(
        f"<item><title>{n}</title><link>{HOME}{title}/{n}</link><guid>{title}{n}</guid>"
        f"<pubDate>{format_datetime(newest - n * gap)}</pubDate></item>"
        for n in range(count)
    )
    return f"<rss version='2.0'><channel><title>{title}</title><link>{HOME}</link>{items}</channel></rss>"


def urlset(*entries: str, attributes: str = "") -> str:
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {attributes}>{"".join(entries)}</urlset>'


def changed(url: str, at: str) -> str:
    return f"<url><loc>{url}</loc><lastmod>{at}</lastmod></url>"


def news(url: str, at: str) -> str:
    return (
        f"<url><loc>{url}</loc><news:news><news:publication><news:name>C</news:name>"
        f"<news:language>en</news:language></news:publication><news:publication_date>{at}"
        f"</news:publication_date><news:title>T</news:title></news:news></url>"
    )


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc><lastmod>2026-11-14</lastmod></sitemap>' for url in urls)}</sitemapindex>"


def xml(body: str) -> Answer:
    return served("", body, kind="application/xml")


# --- feeds -------------------------------------------------------------------------------------


async def test_announced_feeds_are_read_and_the_main_one_comes_first() -> None:
    page = (
        '<title>Courier</title><link rel="alternate" type="application/rss+xml" href="/comments/feed">'
        '<link rel="Alternate" type="application/RSS+XML; charset=utf-8" href="/rss.xml">'
        '<link rel><link rel="alternate" type="text/xml" href="/not-a-feed.xml">'
    )
    answers = {
        HOME: page,
        f"{HOME}rss.xml": rss(),
        f"{HOME}comments/feed": rss(30, title="Comments"),
        f"{HOME}not-a-feed.xml": "<!doctype html><p>Hello",
    }
    found = await feeds.run(context_of(answers))
    assert [feed["url"] for feed in found.facts["feeds"]] == [f"{HOME}rss.xml"]
    assert found.facts["comments"] == [f"{HOME}comments/feed"]
    assert found.facts["feeds"][0]["kind"] == "rss"
    assert f"{HOME}not-a-feed.xml" in found.facts["problems"]
    assert found.facts["measured"]["newest_url"] == f"{HOME}Courier/0"


def announced(*links: tuple[str, str]) -> str:
    """A homepage that announces feeds: address and title of each."""
    return "<title>Courier</title>" + "".join(
        f'<link rel="alternate" type="application/rss+xml" href="{href}" title="{title}">'
        for href, title in links
    )


SECTIONS = [(f"/feeds/{name}.xml", f"Courier {name}") for name in ("Sport", "Politics", "Culture", "Travel", "Cars", "Food", "Arts", "Letters", "Motoring")]  # fmt: skip


@pytest.mark.parametrize(
    ("href", "title"),
    [
        ("/feeds/x17.xml", "All news"),
        ("/feeds/all.xml", ""),
        ("/feeds/17.xml", "Courier"),
        ("/a/b/c/17.xml", "Sämtliche Nachrichten"),
        ("/a/b/17.xml", "Toute l'actualité"),
        ("/a/17.xml", "Últimas noticias"),
        ("/a/17.xml", "全部新聞"),
        ("/a/17.xml", "トップニュース"),
        ("/a/17.xml", "Все новости"),
        ("/a/17.xml", "أخبار"),
        ("/feed/", "Courier » Feed"),
        ("/services/rss/homepage.xml", "Courier"),
        ("/rss.xml", "RSS"),
    ],
)
async def test_the_whole_is_read_before_its_parts_wherever_it_is_listed(
    href: str, title: str
) -> None:
    page = announced(*SECTIONS, (href, title))
    table = Table({HOME: page, f"{ORIGIN}{href}": rss(title="All")})
    found = await feeds.run(context_of(fetch=table))
    assert table.asked[1].url == f"{ORIGIN}{href}"
    assert found.facts["feeds"][0]["url"] == f"{ORIGIN}{href}"


NYT = [
    ("/rss/world.xml", "NYT > World"),
    ("/rss/us.xml", "NYT > U.S."),
    ("/services/xml/rss/nyt/HomePage.xml", "NYT > Home Page"),
    ("/rss/tech.xml", "NYT > Technology"),
]


@pytest.mark.parametrize(
    ("links", "first"),
    [
        pytest.param(NYT, 2, id="its short name stands in every title"),
        pytest.param([("/rss/a/sports.rdf", "スポーツ"), ("/rss/a/newsheadlines.rdf", "速報・新着"), ("/rss/a/politics.rdf", "政治")], 1, id="Japanese"),
        pytest.param([("/rss/2", "رياضة"), ("/rss/1", "كل الأخبار"), ("/rss/3", "اقتصاد")], 1, id="Arabic"),
        pytest.param([("/international/rss_full.xml", "International"), ("/rss/une.xml", "Toutes les actualités en continu"), ("/sport/rss_full.xml", "Sport")], 1, id="French"),
        pytest.param([("/category/sport/feed/", "Courier » Sport Category Feed"), ("/feed/", "Courier » Feed")], 1, id="a category"),
        pytest.param([("/author/ann/feed/", ""), ("/x/y/z/rss", "")], 1, id="a writer"),
        pytest.param([("/podcast.xml", "Podcast"), ("/local-affairs.xml", "Local affairs")], 1, id="a podcast"),
        pytest.param([("/uk/rss", "UK"), ("/topnews/rss", "Top News"), ("/tv/rss", "TV")], 1, id="short names of parts"),
        pytest.param([("/feeds/7", "a"), ("/feeds/8", "b")], 0, id="nothing to tell them apart"),
    ],
)  # fmt: skip
def test_the_words_of_title_and_address_say_which_feed_is_the_whole(
    links: list[tuple[str, str]], first: int
) -> None:
    found = [FeedLink(url=f"{ORIGIN}{href}", title=title) for href, title in links]
    assert feed_ranking.likeliest(found, HOME)[0] == found[first]


async def test_reading_goes_on_past_dead_feeds_and_says_what_is_left() -> None:
    dead = [(f"/{n}.xml", "") for n in range(6)]
    live = [(f"/feeds/{n}.xml", f"Section {n}") for n in "abcdefghij"]
    answers = {f"{ORIGIN}{href}": rss(title=name.replace(" ", "")) for href, name in live}
    table = Table({HOME: announced(*dead, *live), **answers})
    found = await feeds.run(context_of(fetch=table))
    assert found.facts["count"] == feed_ranking.MAX_READ
    assert len(table.asked) == 1 + len(dead) + feed_ranking.MAX_READ
    assert len(found.facts["not_asked"]) == len(live) - feed_ranking.MAX_READ
    assert summary(found) == (
        "Found 4 feed(s), 6 more announced and not asked for, 6 announced and could not be read"
    )
    rows = {row.url: row.text for row in feeds.summary(found.facts).rows}
    assert rows[f"{HOME}0.xml"] == "HTTP 404"
    none = Table({HOME: announced(*((f"/{n}.xml", "") for n in range(99)))})
    lost = await feeds.run(context_of(fetch=none))
    assert (lost.outcome, len(lost.facts["not_asked"])) == ("unknown", 99 - feed_ranking.MAX_TRIED)


async def test_feeds_of_friends_are_no_feeds_of_the_publisher() -> None:
    friends = [f"https://friend{n}.example/feed" for n in range(3)]
    anchors = "".join(f'<a href="{url}">A friend</a>' for url in friends)
    answers: dict[str, Answer] = {url: rss(title=f"Friend{n}") for n, url in enumerate(friends)}
    table = Table({HOME: announced(("/rss.xml", "")) + anchors, f"{HOME}rss.xml": rss(), **answers})
    found = await feeds.run(context_of(fetch=table))
    assert [feed["url"] for feed in found.facts["feeds"]] == [f"{HOME}rss.xml"]
    assert (found.facts["not_asked"], len(table.asked)) == ([], 2)
    alone = await feeds.run(context_of({HOME: anchors, **answers}))
    assert alone.facts["count"] == 3, "a publisher may have its feeds elsewhere"


async def test_a_scout_without_requests_left_keeps_the_feeds_it_has() -> None:
    links = [(f"/{name}.xml", name) for name in "abcdef"]
    spent = RefusedError("", "the requests are spent", kind="robots", permanent=False)
    answers: dict[str, Answer] = {f"{HOME}{name}.xml": spent for name in "abcdef"}
    page: dict[str, Answer] = {HOME: announced(*links)}
    nothing = await feeds.run(context_of(page | answers))
    assert (nothing.outcome, nothing.facts["barred"]) == ("unknown", [])
    some = await feeds.run(context_of(page | answers | {f"{HOME}a.xml": rss()}))
    assert (some.outcome, some.facts["count"]) == ("yes", 1)


def comments_feed(*links: str, title: str = "Courier") -> str:
    items = "".join(
        f"<item><title>By: Ann</title><link>{link}</link><guid isPermaLink='false'>{link}</guid>"
        f"<pubDate>{format_datetime(NOW - n * timedelta(minutes=9))}</pubDate></item>"
        for n, link in enumerate(links)
    )
    return f"<rss version='2.0'><channel><title>{title}</title><link>{HOME}</link>{items}</channel></rss>"


BELOW = [f"{HOME}story/#comment-{n}" for n in range(9)]


@pytest.mark.parametrize(
    ("href", "title", "body", "is_comments"),
    [
        pytest.param("/comments/feed/", "Courier » Comments Feed", comments_feed(*BELOW), True, id="WordPress"),
        pytest.param("/?feed=comments-rss2", "", comments_feed(*BELOW), True, id="WordPress without paths"),
        pytest.param("/welcome/feed/", "Courier » Willkommen Kommentar-Feed", comments_feed(*BELOW), True, id="of one page"),
        pytest.param("/crss", "", comments_feed(*BELOW), True, id="known by its items"),
        pytest.param("/c.xml", "", comments_feed(*(f"{HOME}s.html?showComment={n}#c{n}" for n in range(5))), True, id="Blogger"),
        pytest.param("/c.xml", "", comments_feed(title="Kommentare zu: Hafen"), True, id="no comments yet"),
        pytest.param("/c.xml", "", comments_feed(title="Comentarios en: Puerto"), True, id="none yet, in Spanish"),
        pytest.param("/comment/rss", "Comment", rss(title="Comment"), False, id="opinion in English"),
        pytest.param("/kommentare/feed/", "Kommentare", rss(title="Kommentare"), False, id="opinion in German"),
        pytest.param("/feed", "Commentary", rss(title="Commentary"), False, id="a magazine called so"),
    ],
)  # fmt: skip
async def test_comments_are_no_articles(
    href: str, title: str, body: str, is_comments: bool
) -> None:
    table = Table({HOME: announced((href, title), ("/rss.xml", "")), f"{ORIGIN}{href}": body, f"{HOME}rss.xml": rss()})  # fmt: skip
    found = await feeds.run(context_of(fetch=table))
    urls = {feed["url"] for feed in found.facts["feeds"]}
    assert urls == {f"{HOME}rss.xml"} | (set() if is_comments else {f"{ORIGIN}{href}"})
    assert found.facts["comments"] == ([f"{ORIGIN}{href}"] if is_comments else [])
    assert found.facts["measured"]["newest_url"].startswith(f"{HOME}Courier")


async def test_a_wrong_address_of_its_own_swaps_no_feeds() -> None:
    def with_self(title: str, url: str) -> str:
        link = f"<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='self' href='{url}'/>"
        return rss(title=title).replace("<channel>", f"<channel>{link}")

    page = announced(("/rss.xml", ""), ("/sport.xml", "Sport"), ("/rss2.xml", ""))
    answers = {
        HOME: page,
        f"{HOME}rss.xml": with_self("Courier", f"{HOME}rss.xml"),
        f"{HOME}sport.xml": with_self("Sport", f"{HOME}rss.xml"),  # as templates are copied
        f"{HOME}rss2.xml": with_self("Courier", f"{HOME}rss.xml"),  # the same under another address
    }
    found = await feeds.run(context_of(answers))
    by_url = {feed["url"]: feed["title"] for feed in found.facts["feeds"]}
    assert by_url == {f"{HOME}rss.xml": "Courier", f"{HOME}sport.xml": "Sport"}


def closed(url: str) -> RefusedError:
    return RefusedError(url, "disallowed by line 2 of robots.txt: Disallow: /feed", kind="robots")


async def test_a_feed_that_robots_bar_is_barred_and_not_missing() -> None:
    url = f"{HOME}feed/"
    alone = await feeds.run(context_of({HOME: announced(("/feed/", "")), url: closed(url)}))
    assert (alone.outcome, alone.facts["barred"]) == ("unknown", [url])
    assert summary(alone) == "unknown: robots.txt bars 1 announced feed"
    assert "Disallow: /feed" in alone.evidence[0].excerpt
    page = announced(("/feed/", ""), ("/sport.xml", "Sport"))
    beside = await feeds.run(context_of({HOME: page, url: closed(url), f"{HOME}sport.xml": rss()}))
    assert summary(beside) == "Found 1 feed(s), 1 barred by robots.txt"
    guessed = await feeds.run(context_of({HOME: "<p>Hello", url: closed(url)}))
    assert (guessed.outcome, guessed.facts["barred"]) == ("unknown", [])
    assert summary(guessed) == "unknown: no feed found in what could be fetched"


async def test_what_is_dated_ahead_is_not_the_newest() -> None:
    ahead = rss(5, newest=NOW + timedelta(days=30), gap=timedelta(days=20))
    found = await feeds.run(
        context_of({HOME: announced(("/rss.xml", "")), f"{HOME}rss.xml": ahead})
    )
    assert found.facts["measured"]["newest_url"] == f"{HOME}Courier/2"


async def test_without_announcement_a_few_usual_addresses_are_tried() -> None:
    table = Table({HOME: '<meta name="generator" content="WordPress 6.6">', f"{HOME}feed/": rss()})
    found = await feeds.run(context_of(fetch=table))
    assert found.facts["feeds"][0]["source"] == "probe"
    assert sum(request.url != HOME for request in table.asked) <= 6


@pytest.mark.parametrize(
    ("answers", "path"),
    [
        ({HOME: '<script src="/wp-content/a.js">'}, "?feed=rss2"),
        ({HOME: '<img src="/typo3temp/a.png">'}, "?type=100"),
        (
            {HOME: "<p>Hello", f"{HOME}robots.txt": "Sitemap: /arc/outboundfeeds/news-sitemap/"},
            "arc/outboundfeeds/rss/",
        ),
    ],
)
async def test_a_system_is_known_by_the_addresses_of_its_files(
    answers: dict[str, Answer], path: str
) -> None:
    found = await feeds.run(context_of(answers | {f"{HOME}{path}": rss()}))
    assert [feed["url"] for feed in found.facts["feeds"]] == [f"{HOME}{path}"]


async def test_the_usual_addresses_are_tried_until_one_is_a_feed() -> None:
    table = Table({HOME: "<p>Hello", f"{HOME}feed/": rss()})
    await feeds.run(context_of(fetch=table))
    asked = [
        request.url for request in table.asked if request.url not in {HOME, f"{HOME}robots.txt"}
    ]
    assert len(asked) == feeds.AT_ONCE


async def test_a_page_that_lists_feeds_is_read_for_them() -> None:
    answers = {
        HOME: '<a href="/rss/">RSS</a>',
        f"{HOME}rss/": '<!doctype html><a href="/rss/all.xml">All</a><a href="/news/x">No</a>',
        f"{HOME}rss/all.xml": rss(),
    }
    table = Table(answers)
    found = await feeds.run(context_of(fetch=table))
    assert [(fact["url"], fact["source"]) for fact in found.facts["feeds"]] == [
        (f"{HOME}rss/all.xml", "index_page")
    ]
    assert [request.url for request in table.asked] == [HOME, f"{HOME}rss/", f"{HOME}rss/all.xml"]


async def test_no_feed_and_no_homepage_are_different_findings() -> None:
    nothing = await feeds.run(context_of({HOME: "<p>Hello"}))
    blind = await feeds.run(context_of({HOME: BlockedError(HOME, 403)}))
    assert (nothing.outcome, nothing.facts["count"], nothing.facts["error"]) == ("no", 0, None)
    assert blind.outcome == "unknown"
    assert "homepage fetch failed" in blind.facts["error"]


# --- sitemaps ----------------------------------------------------------------------------------


def with_robots(context: StepContext, *urls: str, verdict: str = "yes") -> StepContext:
    facts = {"url": f"{HOME}robots.txt", "sitemaps_from_robots": list(urls)}
    found = Finding(step="robots", outcome=verdict, facts=facts, found_at=NOW)  # type: ignore[arg-type] # a word of the five
    return replace(context, findings={"robots": found})


async def test_robots_lines_count_and_news_names_are_probed_all_the_same() -> None:
    table = Table({HOME: "<p>Hello", f"{ORIGIN}{NEWS_PATHS[1]}": xml(urlset())})
    found = await sitemaps.run(with_robots(context_of(fetch=table), f"{HOME}a.xml", f"{HOME}b.xml"))
    assert found.facts["sitemap_urls"] == [
        f"{ORIGIN}{NEWS_PATHS[1]}",
        f"{HOME}a.xml",
        f"{HOME}b.xml",
    ]
    assert (found.facts["source"], found.facts["count"]) == ("robots.txt", 3)
    asked = {request.url for request in table.asked}
    assert asked.isdisjoint({f"{ORIGIN}{path}" for path in USUAL_PATHS})


async def test_usual_addresses_are_tried_until_one_is_there() -> None:
    table = Table({HOME: "<p>Hello", f"{ORIGIN}{USUAL_PATHS[0]}": xml(urlset())})
    found = await sitemaps.run(with_robots(context_of(fetch=table)))
    assert (found.facts["sitemap_urls"], found.facts["source"]) == ([f"{HOME}sitemap.xml"], "probe")
    assert f"{ORIGIN}{USUAL_PATHS[2]}" not in {request.url for request in table.asked}


@pytest.mark.parametrize(
    "refusal", [StatusError("", 405), StatusError("", 501), UnreachableError("", "reset")]
)
async def test_a_server_that_does_not_speak_head_is_asked_for_the_beginning(
    refusal: StatusError,
) -> None:
    class NoHead(Table):
        async def __call__(self, request):  # type: ignore[no-untyped-def] # as the table's
            if request.method == "HEAD":
                self.asked.append(request)
                raise refusal
            return await super().__call__(request)

    table = NoHead(
        {HOME: "<p>Hello", f"{HOME}sitemap.xml": served("", urlset(), kind="text/plain")}
    )
    found = await sitemaps.run(with_robots(context_of(fetch=table)))
    assert found.facts["sitemap_urls"] == [f"{HOME}sitemap.xml"]


async def test_who_says_that_head_is_not_spoken_is_not_asked_so_again() -> None:
    class NoHead(Table):
        async def __call__(self, request):  # type: ignore[no-untyped-def] # as the table's
            if request.method == "HEAD":
                self.asked.append(request)
                raise StatusError(request.url, 405)
            return await super().__call__(request)

    table = NoHead({HOME: "<p>Hello"})
    await sitemaps.run(with_robots(context_of(fetch=table)))
    heads = [request.url for request in table.asked if request.method == "HEAD"]
    assert not {f"{ORIGIN}{path}" for path in USUAL_PATHS[2:]} & set(heads)
    assert {f"{ORIGIN}{path}" for path in USUAL_PATHS} <= {request.url for request in table.asked}


@pytest.mark.parametrize(
    ("body", "kind", "count"),
    [
        (urlset(), "application/xml", 1),
        (urlset(), "text/html", 1),
        ("<!doctype html><p>Not found", "application/xml", 0),
        ("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "text/xml", 0),
        ("<html><body>Sorry</body></html>", "text/xml; charset=utf-8", 0),
    ],
)
async def test_the_file_says_what_it_is_and_not_the_type_that_a_head_names(
    body: str, kind: str, count: int
) -> None:
    table = Table({HOME: "<p>Hello", f"{HOME}sitemap.xml": served("", body, kind=kind)})
    found = await sitemaps.run(with_robots(context_of(fetch=table)))
    assert found.facts["count"] == count


async def test_what_was_looked_for_is_not_asked_again_to_be_read() -> None:
    many = urlset(
        *(changed(f"{HOME}{'x' * 99}{n}", f"2026-11-{n % 13 + 1:02}") for n in range(300))
    )
    table = Table({HOME: "<p>Hello", f"{HOME}sitemap.xml": xml(many)})
    context = with_robots(context_of(fetch=table))
    found = await sitemaps.run(context)
    held = await sitemap_analysis.run(replace(context, findings={"sitemaps": found}))
    assert held.facts["measured"]["documents"] == {f"{HOME}sitemap.xml": "urlset, 300 entries"}
    asked = [request for request in table.asked if request.url == f"{HOME}sitemap.xml"]
    assert [request.method for request in asked] == ["HEAD", "GET"]


async def test_an_address_that_is_not_of_the_web_is_no_sitemap() -> None:
    text = "Sitemap: javascript:alert(1)\nSitemap: file:///etc/a.xml\nSitemap: /b.xml\nSitemap: mailto:a@b.c\n"
    page = '<link rel="sitemap" href="javascript:void(0)"><a href="javascript:go(\'/sitemap.xml\')">map</a>'
    context = context_of({HOME: page, f"{HOME}robots.txt": text})
    by_robots = await robots.run(context)
    assert by_robots.facts["sitemaps_from_robots"] == [f"{HOME}b.xml"]
    found = await sitemaps.run(replace(context, findings={"robots": by_robots}))
    assert found.facts["sitemap_urls"] == [f"{HOME}b.xml"]


async def test_a_page_in_place_of_a_sitemap_is_none() -> None:
    page = served("", "<!doctype html><p>Not found", kind="application/xhtml+xml")
    answers: dict[str, Answer] = {f"{ORIGIN}{path}": page for path in (*USUAL_PATHS, *NEWS_PATHS)}
    found = await sitemaps.run(with_robots(context_of({HOME: "<p>Hello", **answers})))
    assert (found.outcome, found.facts["source"], found.facts["count"]) == ("no", "none", 0)


# --- looked into -------------------------------------------------------------------------------


async def analyse(answers: Mapping[str, Answer], *urls: str) -> tuple[Finding, Table]:
    table = Table(answers)
    facts = {"sitemap_urls": list(urls)}
    found = Finding(step="sitemaps", outcome="yes" if urls else "no", facts=facts, found_at=NOW)
    context = replace(context_of(fetch=table), findings={"sitemaps": found})
    return await sitemap_analysis.run(context), table


async def test_no_sitemaps_no_requests() -> None:
    found, table = await analyse({})
    assert (found.facts["has_news_sitemap"], found.facts["sitemaps_checked"]) == (False, 0)
    assert (found.facts["news_sitemap_url"], found.facts["error"], table.asked) == (None, None, [])


async def test_the_news_child_is_found_wherever_it_stands() -> None:
    children = [f"{HOME}s{n}.xml" for n in range(40)] + [f"{HOME}sitemap-news.xml"]
    answers: dict[str, Answer] = {
        f"{HOME}i.xml": xml(index(*children)),
        f"{HOME}sitemap-news.xml": xml(
            urlset(news(f"{HOME}a", "2026-11-14T08:00:00Z"), attributes=NEWS_NS)
        ),
        children[-2]: xml(urlset(changed(f"{HOME}b", "2026-11-13"))),
    }
    found, table = await analyse(answers, f"{HOME}i.xml")
    assert found.facts["news_sitemap_url"] == f"{HOME}sitemap-news.xml"
    assert found.facts["sitemaps_checked"] == 3
    assert len(table.asked) == 3
    assert found.facts["feeds"][0]["kind"] == "news_sitemap"
    assert found.facts["measured"]["news_dates"] == ["2026-11-14T08:00:00+00:00"]


async def test_a_namespace_that_is_only_declared_is_no_news() -> None:
    found, _ = await analyse({f"{HOME}s.xml": xml(urlset(changed(f"{HOME}a", "2026-11-01"), attributes=NEWS_NS))}, f"{HOME}s.xml")  # fmt: skip
    assert (found.facts["has_news_sitemap"], found.facts["news_namespace_declared"]) == (
        False,
        True,
    )


async def test_dates_are_read_then_sorted_then_cut() -> None:
    spelt = ["2026-11-14T01:00:00+09:00", "2026-11-13T20:00:00Z", "2026-10", "junk", "2027-01-01"]
    many = [changed(f"{HOME}{n}", f"2026-09-{n % 30 + 1:02}") for n in range(200)]
    entries = [changed(f"{HOME}x{n}", at) for n, at in enumerate(spelt)]
    packed = served("", gzip.compress(urlset(*many, *entries).encode()), kind="application/xml")
    found, _ = await analyse({f"{HOME}s.xml.gz": packed}, f"{HOME}s.xml.gz")
    dates = found.facts["measured"]["lastmod_dates"]
    assert len(dates) == 50
    assert dates[:3] == ["2026-11-13T20:00:00+00:00", "2026-11-13T16:00:00+00:00", "2026-10-01T00:00:00+00:00"]  # fmt: skip


async def test_an_index_that_names_itself_ends() -> None:
    url = f"{HOME}i.xml"
    found, table = await analyse({url: xml(index(url, url))}, url)
    assert (len(table.asked), found.facts["sitemaps_checked"]) == (1, 1)


async def test_an_index_of_indexes_is_followed_one_level_and_what_is_deeper_is_named() -> None:
    top, middle, low = (f"{HOME}{name}.xml" for name in ("top", "middle", "low"))
    held = urlset(news(f"{HOME}a", "2026-11-14T08:00:00Z"), attributes=NEWS_NS)
    answers = {top: xml(index(middle)), middle: xml(index(low, f"{HOME}x.xml")), low: xml(held)}
    found, _ = await analyse(answers | {f"{HOME}x.xml": xml(held)}, top)
    assert (found.outcome, found.facts["sitemaps_checked"]) == ("yes", 3)
    answers[low] = answers[f"{HOME}x.xml"] = xml(index(f"{HOME}deep.xml"))
    deep, table = await analyse(answers, top)
    assert (deep.outcome, deep.facts["has_news_sitemap"]) == ("unknown", None)
    assert len(deep.facts["not_followed"]) == 1
    assert "indexes below them were not followed" in summary(deep)
    assert f"{HOME}deep.xml" not in {request.url for request in table.asked}


def minutes(count: int, gap: float, *, newest: datetime = NOW) -> list[datetime]:
    return [newest - timedelta(minutes=n * gap) for n in range(count)]


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        pytest.param(minutes(200, 5), 200, id="busy: all on one day"),
        pytest.param([NOW] * 200, 0, id="one stamp"),
        pytest.param(minutes(200, 0.01), 0, id="one build"),
        pytest.param([*minutes(20, 60), *[NOW - 300 * DAY] * 900], 20, id="built long ago"),
        pytest.param([*minutes(3, 5), *[NOW - DAY] * 900], 0, id="three changes since"),
        pytest.param([*minutes(60, 8), *minutes(200, 30, newest=NOW - DAY)], 260, id="a busy day"),
        pytest.param([*[NOW] * 60, *(NOW - n * DAY for n in range(1, 60))], 119, id="date-only"),
        pytest.param([NOW] * 4, 4, id="too few to tell"),
        pytest.param([], 0, id="none"),
    ],
)
def test_a_busy_sitemap_is_not_taken_for_one_that_was_built_anew(
    changes: list[datetime], left: int
) -> None:
    assert len(sitemap_analysis.since_build(changes)) == left


async def test_a_sitemap_that_was_built_anew_leaves_the_dates_of_the_others() -> None:
    built = urlset(*(changed(f"{HOME}b{n}", "2026-11-14T03:00:00Z") for n in range(60)))
    busy = urlset(*(changed(f"{HOME}{n}", at.isoformat()) for n, at in enumerate(minutes(99, 9))))
    both = {f"{HOME}a.xml": xml(built), f"{HOME}b.xml": xml(busy)}
    found, _ = await analyse(both, *both)
    measured = found.facts["measured"]
    assert (measured["rebuilt"], len(measured["lastmod_dates"])) == (False, 50)
    assert "2026-11-14T03:00:00+00:00" not in measured["lastmod_dates"]
    alone, _ = await analyse(both, f"{HOME}a.xml")
    assert (alone.facts["measured"]["rebuilt"], alone.outcome) == (True, "no")


async def test_failures_are_reported_and_do_not_stop_the_others() -> None:
    some, _ = await analyse({f"{HOME}b.xml": xml(urlset(news(f"{HOME}a", "2026-11-14"), attributes=NEWS_NS))}, f"{HOME}a.xml", f"{HOME}b.xml")  # fmt: skip
    assert some.facts["has_news_sitemap"] is True
    none, _ = await analyse({f"{HOME}a.xml": "<!doctype html>"}, f"{HOME}a.xml", f"{HOME}c.xml")
    assert (none.outcome, none.facts["has_news_sitemap"]) == ("failed", None)
    assert none.facts["error"]
    cut, _ = await analyse({f"{HOME}a.xml": xml("<urlset><url>")}, f"{HOME}a.xml")
    assert cut.facts["measured"]["lastmod_dates"] == []


# --- rhythm ------------------------------------------------------------------------------------


async def rhythm(
    answers: Mapping[str, Answer], feed_urls: list[str], **measured: object
) -> Finding:
    held = {
        "feeds": Finding(step="feeds", outcome="yes" if feed_urls else "no", facts={"feeds": [{"url": url} for url in feed_urls]}, found_at=NOW),
        "sitemap_analysis": Finding(step="sitemap_analysis", outcome="no", facts={"measured": measured}, found_at=NOW),
    }  # fmt: skip
    return await frequency.run(replace(context_of(answers), findings=held))


async def test_the_rhythm_is_that_of_all_feeds_each_article_once() -> None:
    both = {
        f"{HOME}a": rss(40, gap=timedelta(hours=12)),
        f"{HOME}b": rss(40, gap=timedelta(hours=12)),
    }
    found = await rhythm(both, list(both))
    assert (found.facts["source"], found.facts["frequency_label"]) == ("rss", "~2 articles/day")
    assert found.facts["measured"]["sample_size"] == 40
    assert sum(found.facts["measured"]["weekday"]) == 40


async def test_an_article_in_the_feed_and_in_the_news_sitemap_counts_once() -> None:
    entries = (
        news(f"{HOME}Courier/{n}", (NOW - n * timedelta(hours=8)).isoformat()) for n in range(30)
    )
    held = xml(urlset(*entries, attributes=NEWS_NS))
    found, _ = await analyse({f"{HOME}s.xml": held}, f"{HOME}s.xml")
    both = {
        "feeds": Finding(step="feeds", outcome="yes", facts={"feeds": [{"url": f"{HOME}a"}]}, found_at=NOW),
        "sitemap_analysis": found,
    }  # fmt: skip
    context = context_of({f"{HOME}a": rss(30, gap=timedelta(hours=8))})
    finding = await frequency.run(replace(context, findings=both))
    assert finding.facts["measured"]["sample_size"] == 30
    assert finding.facts["frequency_label"] == "~3 articles/day"


async def test_the_news_sitemap_and_then_changes_stand_in_for_feeds() -> None:
    dates = [(NOW - n * timedelta(hours=8)).isoformat() for n in range(30)]
    by_news = await rhythm({}, [], news_dates=dates, news_keys=[str(n) for n in range(30)])
    by_change = await rhythm({}, [f"{HOME}gone"], lastmod_dates=dates)
    rebuilt = await rhythm({}, [], lastmod_dates=dates, rebuilt=True)
    assert (by_news.facts["source"], by_news.facts["dates_are"]) == ("news_sitemap", "published")
    assert (by_change.facts["source"], by_change.facts["dates_are"]) == ("sitemap", "modified")
    assert (rebuilt.facts["source"], rebuilt.outcome) == ("none", "unknown")
    assert (rebuilt.facts["frequency_label"], rebuilt.facts["confidence"]) == ("", "low")


async def test_of_who_stopped_the_card_has_the_last_article_and_the_former_rhythm() -> None:
    stopped = rss(60, gap=timedelta(hours=8), newest=NOW - timedelta(days=400))
    found = await rhythm({f"{HOME}a": stopped}, [f"{HOME}a"])
    assert (found.outcome, found.facts["dormant"]) == ("no", True)
    assert found.facts["frequency_label"] == "~3 articles/day"
    assert summary(found) == (
        "dormant: last article on 2025-10-10, before that ~3 articles/day (high confidence, from its feeds)"
    )
    own = await feeds.run(context_of({HOME: announced(("/a", "")), f"{HOME}a": stopped}))
    (row,) = feeds.summary(own.facts).rows
    assert "silent, before that ~3 articles/day" in row.text
    assert str(row.newest_at).startswith("2025-10-10 ")


async def test_sections_that_reach_back_differently_add_up() -> None:
    hours = {"politics": 2, "sport": 3, "local": 6, "gardening": 168}
    feeds_of = {
        f"{HOME}{name}": rss(30, gap=timedelta(hours=gap), title=name)
        for name, gap in hours.items()
    }
    found = await rhythm(feeds_of, list(feeds_of))
    assert found.facts["measured"]["per_day"] == pytest.approx(24, rel=0.1)
    assert found.facts["source"] == "rss"
    assert {place.url for place in found.evidence} == set(feeds_of)


async def test_a_feed_of_another_site_counts_only_where_there_is_no_own() -> None:
    other = "https://podcasts.example.net/show.rss"
    show = rss(40, gap=timedelta(hours=1)).replace(f"<link>{HOME}</link>", f"<link>{other}</link>")
    both = {f"{HOME}a": rss(40, gap=timedelta(hours=12)), other: show}
    assert (await rhythm(both, list(both))).facts["frequency_label"] == "~2 articles/day"
    alone = await rhythm(both, [other])
    assert alone.facts["measured"]["per_day"] > 20


def of_news(name: str, gap: float, count: int) -> str:
    times = (NOW - n * timedelta(hours=gap) for n in range(count))
    return urlset(
        *(news(f"{HOME}{name}/{n}", at.isoformat()) for n, at in enumerate(times)),
        attributes=NEWS_NS,
    )


@pytest.mark.parametrize(
    ("maps", "feed_gap", "source", "per_day"),
    [
        pytest.param({"all": (1, 48)}, 8, "news_sitemap", 24, id="the feed is one section"),
        pytest.param({"all": (1, 48)}, 1, "rss", 24, id="both have all"),
        pytest.param({"a": (2, 24), "b": (24, 30)}, 168, "news_sitemap", 13, id="two that reach back differently"),
        pytest.param({"all": (1, 3)}, 1, "rss", 24, id="three entries prove nothing"),
    ],
)  # fmt: skip
async def test_the_source_that_is_named_is_the_one_that_was_counted(
    maps: dict[str, tuple[float, int]], feed_gap: float, source: str, per_day: float
) -> None:
    answers = {f"{HOME}{name}.xml": xml(of_news(name, *row)) for name, row in maps.items()}
    held, _ = await analyse(answers, *answers)
    feed = {"feeds": [{"url": f"{HOME}feed"}]}
    both = {
        "feeds": Finding(step="feeds", outcome="yes", facts=feed, found_at=NOW),
        "sitemap_analysis": held,
    }
    context = context_of({f"{HOME}feed": rss(30, gap=timedelta(hours=feed_gap))})
    found = await frequency.run(replace(context, findings=both))
    assert found.facts["source"] == source
    assert found.facts["measured"]["per_day"] == pytest.approx(per_day, rel=0.15)
    places = {place.url for place in found.evidence}
    assert places == (set(answers) if source == "news_sitemap" else {f"{HOME}feed"})


# --- Common Crawl ------------------------------------------------------------------------------

API = "https://index.commoncrawl.org/CC-MAIN-2026-45-index"
LIST = f'[{{"id": "CC-MAIN-2026-45", "name": "November", "cdx-api": "{API}"}}]'
PAGES = f"{API}?url=courier.example&matchType=domain&output=json&showNumPages=true"
LATEST = f"{API}?url=courier.example%2F&output=json&fl=timestamp&sort=reverse&limit=1"


async def test_the_index_is_asked_by_its_own_list() -> None:
    answers = {
        common_crawl.COLLECTIONS_URL: LIST,
        PAGES: '{"pages": 2, "pageSize": 5, "blocks": 7}\n',
        LATEST: '{"timestamp": "20261103112233"}\ngarbage\n',
    }
    found = await common_crawl.run(context_of(answers))
    assert (found.outcome, found.facts["in_index"]) == ("yes", True)
    assert found.facts["collection"] == "CC-MAIN-2026-45"
    assert found.facts["measured"]["latest_crawl"] == "2026-11"
    assert found.facts["measured"]["pages_estimated"] == 21_000
    table = Table(answers)
    await common_crawl.run(context_of(fetch=table, before=found))
    assert common_crawl.COLLECTIONS_URL not in {request.url for request in table.asked}


@pytest.mark.parametrize(
    ("answers", "verdict", "in_index"),
    [
        ({common_crawl.COLLECTIONS_URL: LIST}, "no", False),
        ({common_crawl.COLLECTIONS_URL: StatusError("", 503)}, "unknown", None),
        ({common_crawl.COLLECTIONS_URL: "<p>"}, "unknown", None),
        ({common_crawl.COLLECTIONS_URL: LIST, PAGES: "nonsense"}, "unknown", None),
    ],
)
async def test_absence_and_trouble_are_distinguished(
    answers: Mapping[str, Answer], verdict: str, in_index: bool | None
) -> None:
    found = await common_crawl.run(context_of(answers))
    assert (found.outcome, found.facts["in_index"]) == (verdict, in_index)


async def test_offline_nobody_else_is_asked() -> None:
    table = Table({})
    found = await common_crawl.run(replace(context_of(fetch=table), offline=True))
    assert (found.outcome, table.asked) == ("skipped", [])


def barred(url: str) -> RefusedError:
    reason = "disallowed by line 2 of https://index.commoncrawl.org/robots.txt: Disallow: /"
    return RefusedError(url, reason, kind="robots")


async def test_an_index_that_bars_us_is_skipped_and_the_other_ways_are_named() -> None:
    url = common_crawl.COLLECTIONS_URL
    found = await common_crawl.run(context_of({url: barred(url)}))
    assert (found.outcome, found.facts["in_index"]) == ("skipped", None)
    words = summary(found)
    assert words.startswith("skipped: index.commoncrawl.org bars crawlers in its robots.txt")
    assert "scout.common_crawl_list" in words
    assert "fetch.agreed" in words
    assert "line 2 of https://index.commoncrawl.org/robots.txt" in found.evidence[0].excerpt


async def test_a_scout_that_has_no_request_left_was_not_barred() -> None:
    url = common_crawl.COLLECTIONS_URL
    spent = RefusedError(url, "the requests are spent", kind="robots", permanent=False)
    found = await common_crawl.run(context_of({url: spent}))
    assert found.outcome == "unknown"


LINES = "# domains\nWeekly.example\ncourier.example.org 9\ncourier.example\t1204  2026-10\r\nlate.example 2025-01\n"


@pytest.mark.parametrize("pack", [lambda body: body, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("domain", "outcome", "line", "pages", "latest"),
    [
        ("courier.example", "yes", 4, 1204, "2026-10"),
        ("weekly.example", "yes", 2, None, ""),
        ("late.example", "yes", 5, None, "2025-01"),
        ("example", "no", None, None, None),
        ("courier", "no", None, None, None),
    ],
)
async def test_a_list_of_the_operator_is_asked_instead_of_the_index(
    tmp_path: Path,
    pack: Callable[[bytes], bytes],
    domain: str,
    outcome: str,
    line: int | None,
    pages: int | None,
    latest: str | None,
) -> None:
    """Also offline: nobody is asked."""
    path = tmp_path / "cc.txt"
    path.write_bytes(pack(LINES.encode()))
    table = Table({})
    context = replace(context_of(fetch=table), offline=True, crawl_list=DomainList(str(path)))
    publisher = replace(context.publisher, domain=domain)
    found = await common_crawl.run(replace(context, publisher=publisher))
    assert (found.outcome, found.facts["in_index"]) == (outcome, outcome == "yes")
    measured = found.facts["measured"]
    assert (measured.get("pages_estimated"), measured.get("latest_crawl")) == (pages, latest)
    assert (found.evidence[0].url, found.evidence[0].line) == ("cc.txt", line)
    assert table.asked == []
    where = "in cc.txt" if outcome == "yes" else "not in cc.txt"
    assert summary(found).startswith(where)


async def test_a_list_is_read_once_in_a_process(tmp_path: Path) -> None:
    path = tmp_path / "cc.txt"
    path.write_text("courier.example 7\n")
    context = replace(context_of({}), crawl_list=DomainList(str(path)))
    first = await common_crawl.run(context)
    path.unlink()
    again = replace(context_of({}), crawl_list=DomainList(str(path)))
    both = await asyncio.gather(common_crawl.run(again), common_crawl.run(again))
    assert [found.facts for found in both] == [first.facts, first.facts]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "No such file"),
        (lambda path: path.mkdir(), "it is no file"),
        (lambda path: os.mkfifo(path), "it is no file"),
        (lambda path: path.write_bytes(b"x" * 2_001), "larger than"),
        (lambda path: path.write_bytes(gzip.compress(b"x" * 2_001)), "larger than"),
        (lambda path: path.write_bytes(gzip.compress(b"courier.example")[:-9]), "ended before"),
        (lambda path: path.write_bytes(b"\x1f\x8b broken"), "cannot be read"),
    ],
)
async def test_a_list_that_cannot_be_read_leaves_it_unknown(
    make: Callable[[Path], object], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain_list, "MAX_LIST", 2_000)
    path = tmp_path / "cc.txt"
    make(path)
    context = replace(context_of({}), crawl_list=DomainList(str(path)))
    found = await common_crawl.run(context)
    assert found.outcome == "unknown"
    assert why in found.facts["error"]
    assert "cc.txt" in found.facts["error"]
    assert str(tmp_path) not in str(found)
