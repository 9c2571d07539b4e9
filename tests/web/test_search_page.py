"""`/search`: days that narrow a query, stories told once over all pages, and a search that takes too long."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from html import unescape

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import window
from tests.web.serving import Pages
from wireroom.app import App, search
from wireroom.app.search import HitCount
from wireroom.model import Article, Cluster
from wireroom.query.query_fields import FIELDS
from wireroom.web.pages.search import EXAMPLE, SYNTAX, count_words

DAY_ROW = re.compile(r'<a href="([^"]+)">([^<]+)</a></th><td class="number">([\d,]+)</td>')
STORY = re.compile(r'<li class="story( again)?" id="story-(\w+)">')


def test_each_day_is_a_link_that_narrows_the_query(pages: Pages) -> None:
    page = pages.ask("/search?q=harbour&for=ai-train&cursor=").text
    days = [(unescape(url), label, int(count)) for url, label, count in DAY_ROW.findall(page)]
    assert len(days) > 1
    total = int(re.search(r"(\d+) articles", page)[1])  # type: ignore[index]
    assert sum(count for _, _, count in days) == total
    assert {unescape(url) for url in re.findall(r'<a href="([^"]+)" tabindex="-1">', page)} == {
        url for url, _, _ in days
    }
    for url, label, count in days:
        assert "for=ai-train" in url
        narrowed = pages.ask(f"/search{url}").text
        assert f"{count} article" in narrowed
        assert [found[1:] for found in DAY_ROW.findall(narrowed)] == [(label, str(count))]
        assert re.search(r"harbour, (on \d+ \w+|today|yesterday)</b>", narrowed)


@pytest.mark.browser
def test_a_day_is_chosen_and_left_by_the_back_button(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/search")
        bars = page.locator(".days .linked a")
        before = page.locator(".said").inner_text()
        wanted = bars.first.get_attribute("href")
        bars.first.locator(".hit").click()
        expect(page.locator(".days .linked a")).to_have_count(1)
        assert page.url.endswith(wanted or "nowhere")
        page.go_back()
        expect(page.locator(".said")).to_have_text(before)
        page.get_by_text("Days as a table").click()
        page.locator(".days tbody a").last.click()
        assert page.url.endswith(wanted or "nowhere")
        assert seen.problems == []


def _clustered(app: App, *places: int) -> list[Article]:
    """Articles at these places of the newest first, made copies of one another."""
    newest = list(app.articles())
    copies = [newest[place] for place in places]
    ids = tuple(copy.id for copy in copies)
    cluster = Cluster(id="copies", members=ids, canonicals={"en": ids[-1]}, made_at=app.clock())
    app.store.save_clusters([cluster])
    return copies


def _stories(html: str) -> dict[str, tuple[bool, str]]:
    _, *parts = STORY.split(html)
    return {
        which: (bool(again), inside)
        for again, which, inside in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def test_a_story_stands_once_wherever_its_copies_stand(web_app: App, pages: Pages) -> None:
    first, same_page, next_page, last = _clustered(web_app, 1, 3, 5, 9)
    page = pages.ask("/search?limit=4").text
    stories = _stories(page)
    assert same_page.id not in stories
    again, inside = stories[first.id]
    assert not again
    assert "1 copy of it on this page, 2 further copies on later pages" in inside
    assert f'href="/articles/{same_page.id}"' in inside
    cursors = []
    for copy in (next_page, last):
        following = re.search(r'rel="next" href="([^"]+)"', page)
        assert following is not None
        page = pages.ask(f"/search{unescape(following[1])}").text
        cursors.append(unescape(following[1]))
        stories = _stories(page)
        assert stories[copy.id][0], "it is marked"
        assert f'A copy of <a href="/articles/{first.id}">a story</a>' in stories[copy.id][1]
        assert len(stories) == 4, "every other one stands where it stood"
    rows = [
        row["id"]
        for cursor in ("?limit=4", *cursors)
        for row in pages.ask(f"/search.json{cursor}").data["rows"]
    ]
    assert rows == [article.id for article in list(web_app.articles())[:12]], "data is not folded"


def test_a_search_that_takes_too_long_is_ended_with_a_hint(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SEARCH_TIME", timedelta())
    page = pages.ask("/search?q=harbour&sort=best")
    assert page.status == 503
    assert "The search was ended after" in page.text
    assert 'value="harbour"' in page.text
    assert 'href="/search?q=harbour+after%3A7d&amp;sort=best"' in page.text
    for path in ("/search.json", "/search.csv", "/api/v1/search"):
        answer = pages.ask(f"{path}?q=harbour")
        assert answer.status == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.data["kind"] == "slow_query"
        assert "after:30d" in answer.data["hint"]
    monkeypatch.undo()
    assert pages.ask("/search?q=harbour").status == 200


def test_what_was_not_counted_in_time_says_so(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = partial(search.count_matches, within=timedelta())
    monkeypatch.setattr("wireroom.web.pages.search.count_matches", count)
    page = pages.ask("/search?q=harbour")
    assert page.status == 200
    assert "not counted in time articles" in page.text
    assert "What it is made of was not counted in time." in page.text
    assert '<li class="story' in page.text, "the articles are there all the same"
    assert search.COUNTING_TIME.total_seconds() == 0.2


def test_counts_are_exact_up_to_ten_thousand() -> None:
    assert search.COUNTED_TO == 10_000
    counts = (HitCount(count=9_999), HitCount(count=10_000, reach="newest"), HitCount(reach="none"))
    assert [count_words(count) for count in counts] == ["9,999", "10,000+", "not counted in time"]


def test_many_matches_are_counted_so_far_and_files_are_limited(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = partial(search.count_matches, most=3)
    monkeypatch.setattr("wireroom.web.pages.search.count_matches", count)
    page = pages.ask("/search?q=harbour").text
    assert "3+ articles" in page, re.findall(r'class="said">.*', page)
    assert "Of the newest 3." in page
    assert "At most 10,000 in one file" in page


def test_what_the_page_says_can_be_typed_can_be(pages: Pages, web_app: App) -> None:
    page = unescape(pages.ask("/search").text)
    assert f'placeholder="{EXAMPLE}"' in page
    assert all(f"<code>{example}</code>" in page for example in SYNTAX)
    for example in (EXAMPLE, *SYNTAX):
        web_app.query(example)
    assert {name for name in FIELDS if any(each.startswith(f"{name}:") for each in SYNTAX)} == set(
        FIELDS
    )


def test_the_place_of_a_mistake_is_marked_in_the_query(pages: Pages) -> None:
    page = pages.ask("/search?q=harbour+since:7d+port").text
    assert "<code>harbour <mark>since:7d</mark> port</code>" in page
    assert "<h1>Bad request</h1>" not in page
    hostile = pages.ask("/search?q=%3Cb%3E:x").text
    assert "<mark>" not in hostile or "<b>:x" not in hostile


def test_a_day_alone_is_no_period(pages: Pages) -> None:
    days = DAY_ROW.findall(pages.ask("/search?q=harbour").text)
    narrowed = pages.ask(f"/search{unescape(days[0][0])}").text
    assert f'<p class="meta">{days[0][1]}</p>' in narrowed
