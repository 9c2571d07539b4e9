"""What pages say, in the words of people: signals by their titles, feeds by when something was published and when we saw it."""

from __future__ import annotations

import re
from functools import partial
from html import unescape
from typing import get_args
from urllib.parse import quote

import pytest

from tests.web.serving import Pages
from wireroom.app import App
from wireroom.app.explain import CHOSEN_BECAUSE
from wireroom.app.run_overview import run_overview
from wireroom.app.search import newest_stories
from wireroom.duplicates.canonical import Criterion
from wireroom.signals import all_signals
from wireroom.web.article_html import article_html


def test_signals_are_called_by_their_titles(pages: Pages, web_app: App) -> None:
    codes = [plug.name for plug in all_signals() if "_" in plug.name]
    assert "content_signal" in codes
    article = next(web_app.articles("publisher:courier.test"))
    shown = [
        pages.ask(path).text
        for path in (
            f"/articles/{article.id}",
            "/compare?domain=courier.test&domain=alminaa.test",
            "/publishers",
        )
    ]
    for page in shown:
        text = re.sub(r"<[^>]+>", " ", page)
        assert [code for code in codes if re.search(rf"\b{code}\b", text)] == []
    assert " by Content-Signal, " in shown[0]
    assert "Content-Signal" in shown[1]


def test_a_feed_says_when_its_newest_item_was_published_and_when_we_saw_it(
    pages: Pages, web_app: App
) -> None:
    url = next(stats.feed.url for stats in web_app.feeds() if stats.count.articles)
    row = next(row for row in pages.ask("/feeds.json").data["rows"] if row["url"] == url)
    assert row["newest_at"] <= row["new_at"]
    assert 0 < row["quality"] <= 1
    page = pages.ask(f"/feeds/{quote(url, safe='')}").text
    assert f"<dt>Quality</dt><dd>{row['quality']:.0%}<" in page
    words = re.search(r"<dt>Last new</dt><dd>(.*?)</dd>", page, re.DOTALL)
    assert words is not None
    sentence = re.sub(r"<[^>]+>", "", words[1])
    assert re.fullmatch(r"published .+ ago ?we saw it .+", sentence), sentence
    for moment in (row["newest_at"], row["new_at"]):
        assert f'datetime="{moment[:19]}' in words[1]
    assert "seen <time" in pages.ask("/feeds").text


def test_hosts_that_are_due_later_stand_on_the_page_of_the_run(
    shared_pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = shared_pages.ask("/run").text.partition('id="hosts"')[2].partition("<h2>")[0]
    assert re.search(r'<th scope="row">courier.test</th><td>its time: in \d', hosts)
    assert "more host" not in hosts
    monkeypatch.setattr("wireroom.web.pages.run.run_overview", partial(run_overview, lanes=1))
    hosts = shared_pages.ask("/run").text.partition('id="hosts"')[2].partition("<h2>")[0]
    assert hosts.count('<th scope="row">') == 1
    words = r"and \d+ more hosts?; \d+ of all are due later, the first <time [^>]+>in .+the last <time [^>]+>in "
    assert re.search(words, hosts)


@pytest.mark.long
def test_a_cluster_says_in_words_why_one_was_chosen(pages: Pages, web_app: App) -> None:
    web_app.add("digest.test")
    web_app.run_once()
    clustered = [article.id for article in web_app.articles() if article.cluster_id]
    shown = " ".join(pages.ask(f"/articles/{article}").text for article in clustered)
    reasons = set(re.findall(r"articles tell this text; one was chosen because ([^.]+)[.]", shown))
    assert reasons
    assert reasons <= set(CHOSEN_BECAUSE.values())


def test_every_criterion_of_a_choice_has_words() -> None:
    assert set(get_args(Criterion)) == set(CHOSEN_BECAUSE)


@pytest.mark.parametrize(
    ("path", "head", "direction"),
    [
        ("/publishers", "Publisher", "ascending"),
        ("/publishers?sort=changed", "Rights changed", "descending"),
        ("/feeds?sort=new", "Last new", "descending"),
        ("/feeds?sort=reliability", "Reliable", "ascending"),
    ],
)
def test_the_head_of_a_list_says_what_it_is_sorted_by(
    pages: Pages, path: str, head: str, direction: str
) -> None:
    sorted_by = re.findall(r'aria-sort="(\w+)"><a [^>]+>([^<]+)<', pages.ask(path).text)
    assert sorted_by == [(direction, head)]


def test_no_backticks_are_shown(pages: Pages, web_app: App) -> None:
    feed = quote(next(iter(web_app.feeds())).feed.url, safe="")
    for path, code in (("/docs", "next"), (f"/feeds/{feed}", "sync")):
        page = re.sub(r"<pre.*?</pre>", "", pages.ask(path).text, flags=re.DOTALL)
        assert "`" not in page
        assert f"<code>{code}</code>" in page


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/", "Start"),
        ("/publishers/courier.test", "Publishers"),
        ("/compare", "Publishers"),
        ("/search?q=harbour", "Articles"),
        ("/articles/nothing", "Articles"),
        ("/docs", ""),
    ],
)
def test_the_navigation_says_where_one_is(shared_pages: Pages, path: str, section: str) -> None:
    page = shared_pages.ask(path).text
    assert re.findall(r'aria-current="page">(\w+)<', page) == ([section] if section else [])


def test_a_query_that_cannot_be_read_can_be_mended_on_its_page(pages: Pages) -> None:
    answer = pages.ask("/search?q=title:(")
    assert answer.status == 400
    assert re.search(r'<input id="q"[^>]* value="title:\("', answer.text)


@pytest.mark.long
def test_a_standfirst_that_the_text_begins_with_is_shown_once(pages: Pages, web_app: App) -> None:
    web_app.add("akti.test")
    web_app.run_once()
    held = list(web_app.articles("publisher:akti.test"))
    once = [a for a in held if a.description and a.text.startswith(a.description)]
    assert once
    for article in once[:3]:
        assert 'class="standfirst"' not in pages.ask(f"/articles/{article.id}").text


@pytest.mark.long
def test_a_new_story_stands_once_on_start(pages: Pages, web_app: App) -> None:
    web_app.add("digest.test")
    web_app.run_once()
    newest = newest_stories(web_app, limit=12)
    copied = [story for story in newest if story.copies]
    assert copied
    page = pages.ask("/").text
    assert page.count('class="headline"') == len(newest)
    for story in copied:
        assert page.count(f'id="story-{story.article.id}"') == 1
        for copy in story.copies:
            assert f'id="story-{copy.id}"' not in page
            assert f'<a href="/articles/{copy.id}">{copy.publisher}</a>' in page
    assert page.index("Needs attention") < page.index("Newest stories"), "on a phone it comes first"


def test_a_publisher_and_a_feed_lead_to_all_their_articles(pages: Pages, web_app: App) -> None:
    feed = next(stats.feed for stats in web_app.feeds() if stats.count.articles)
    for path in (f"/publishers/{feed.publisher}", f"/feeds/{quote(feed.url, safe='')}"):
        link = re.search(r'<a href="(/search[^"]+)">All its articles</a>', pages.ask(path).text)
        assert link is not None
        assert int(re.search(r"(\d+) articles", pages.ask(unescape(link[1])).text)[1]) > 0  # type: ignore[index]


def test_each_line_about_rights_stands_once_with_its_uses(pages: Pages, web_app: App) -> None:
    article = next(web_app.articles("publisher:courier.test"))
    assert article.receipt is not None
    page = pages.ask(f"/articles/{article.id}").text
    shown = page.partition("The lines that say so")[2].partition("</details>")[0]
    uses = [words.split(", ") for words in re.findall(r'<p class="meta"><b>([^<]+)</b>:', shown)]
    signals = [
        (verdict.use, signal) for verdict in article.receipt.verdicts for signal in verdict.because
    ]
    lines = {(signal.family, signal.value, signal.evidence) for _, signal in signals}
    assert len(uses) == len(lines) < len(signals)
    assert sorted(each for line in uses for each in line) == sorted(use for use, _ in signals)


def test_a_switch_of_a_feed_is_chosen_and_not_typed(pages: Pages, web_app: App) -> None:
    place = f"/feeds/{quote(next(iter(web_app.feeds())).feed.url, safe='')}"
    page = pages.ask(place).text
    for name in ("captions", "images", "json_ld"):
        choice = re.search(rf'<select id="option-{name}".*?</select>', page, re.DOTALL)
        assert choice is not None
        assert [*re.findall(r">(\w+)</option>", choice[0])] == ["default", "true", "false"]
    assert pages.post(place, action="edit", captions="true").status == 303
    assert re.search(r'name="captions">.*?<option selected>true<', pages.ask(place).text)


def test_a_cell_of_a_table_stands_below_the_name_of_its_column(web_app: App) -> None:
    tables = [
        table
        for article in web_app.articles("publisher:courier.test")
        for table in re.findall(r"<table>.*?</table>", article_html(article))
    ]
    assert tables
    for table in tables:
        names = re.findall(r'<th scope="col">([^<]*)</th>', table)
        rows = [
            re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr>(<td>.*?)</tr>", table)
        ]
        assert names[0] == "", "the corner is empty"
        assert {len(row) for row in rows} == {len(names)}
        assert all(cell.isdecimal() for row in rows for cell in row[1:])
