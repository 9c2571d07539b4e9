"""Lists: page, JSON, CSV and API show the same rows."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta, timezone
from html import unescape
from io import StringIO
from urllib.parse import quote

import pytest

from tests.app.queries import noted_queries
from tests.store.test_contract_overview import hold
from tests.web.serving import Pages
from wireroom.app import App
from wireroom.web.rendering import relative_words, when_html

LISTS = ("publishers", "feeds", "search")
FILTER = re.compile(
    r'<a class="chip" href="([^"]+)"><span class="hidden">Remove filter: </span>'
    r'<span dir="auto">([^<]+)</span>'
)


def filters_of(pages: Pages, path: str) -> dict[str, str]:
    """The filters that a page shows, each with the address that takes it out."""
    answer = pages.ask(path)
    assert answer.status == 200, answer.text
    return {unescape(words): unescape(url) for url, words in FILTER.findall(answer.text)}


@pytest.mark.parametrize("name", LISTS)
def test_page_json_csv_and_api_show_the_same(pages: Pages, name: str) -> None:
    data = pages.ask(f"/{name}.json").data
    assert data["rows"]
    assert pages.ask(f"/api/v1/{name}").data == data
    table = pages.ask(f"/{name}.csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(table.text)))
    key = "domain" if name == "publishers" else "url"
    assert [row[key] for row in rows] == [row[key] for row in data["rows"]]
    page = pages.ask(f"/{name}")
    assert page.status == 200
    shown = data["rows"][0]["domain" if name == "publishers" else "publisher"]
    assert shown in page.text


@pytest.mark.parametrize("name", LISTS)
def test_pages_of_one_row_go_through_all(pages: Pages, name: str) -> None:
    key = "domain" if name == "publishers" else "url"
    whole = [row[key] for row in pages.ask(f"/api/v1/{name}?limit=500").data["rows"]][:5]
    seen, cursor = [], ""
    for _ in whole:
        data = pages.ask(f"/api/v1/{name}?limit=1&cursor={cursor}").data
        seen += [row[key] for row in data["rows"]]
        cursor = data["next"]
    assert seen == whole


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_of_nobody_is_refused(pages: Pages, name: str) -> None:
    answer = pages.ask(f"/api/v1/{name}?cursor=nonsense")
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.data["status"] == 400
    assert pages.ask(f"/{name}?cursor=nonsense").status == 400


@pytest.mark.parametrize("path", ["?limit=0", "?limit=501", "?limit=x"])
def test_a_page_has_a_size(pages: Pages, path: str) -> None:
    assert pages.ask(f"/api/v1/feeds{path}").status == 400


def test_an_answer_of_the_api_has_a_tag(pages: Pages) -> None:
    first = pages.ask("/api/v1/publishers")
    again = pages.ask("/api/v1/publishers", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    other = pages.ask("/api/v1/publishers", headers={"If-None-Match": '"other"'})
    assert other.status == 200


def test_publishers_are_filtered_by_verdict(pages: Pages) -> None:
    allowed = pages.ask("/api/v1/publishers?verdict=ai-train%3Dallow").data["rows"]
    assert [row["domain"] for row in allowed] == ["courier.test"]
    wrong = pages.ask("/api/v1/publishers?verdict=ai-train%3Dmaybe")
    assert (wrong.status, wrong.data["kind"]) == (400, "usage")


def test_publishers_are_filtered_by_when_their_rights_changed(web_app: App, pages: Pages) -> None:
    now = web_app.clock()
    hold(web_app.store, "mint.test", rights_changed_at=now - timedelta(hours=3))
    hold(web_app.store, "slate.test", rights_changed_at=now - timedelta(days=9))

    def found(changed: str) -> list[str]:
        lists = [
            pages.ask(f"/publishers.json?changed={changed}").data["rows"],
            pages.ask(f"/api/v1/publishers?changed={changed}").data["rows"],
            list(csv.DictReader(StringIO(pages.ask(f"/publishers.csv?changed={changed}").text))),
        ]
        first, *others = [[row["domain"] for row in rows] for rows in lists]
        assert all(other == first for other in others)
        page = pages.ask(f"/publishers?changed={changed}").text
        rows = re.findall(r'<th scope="row"><a href="/publishers/([^"]+)">', page)
        assert rows == first
        return first

    assert found("1d") == ["mint.test"]
    assert found("7d") == ["mint.test"]
    assert found("30d") == ["mint.test", "slate.test"]
    assert found(f"{now - timedelta(days=10):%Y-%m-%d}") == ["mint.test", "slate.test"]
    assert found(f"{now + timedelta(days=1):%Y-%m-%d}") == []
    page = pages.ask("/publishers?changed=30d&sort=grade").text
    assert (
        '<a href="?sort=grade" aria-current="true"><span class="hidden">Remove filter: </span>within 30 days<'
        in page
    )
    assert '<a href="?changed=7d&amp;sort=grade">within 7 days<' in page
    assert 'href="/publishers.csv?changed=30d&amp;sort=grade"' in page
    wrong = pages.ask("/api/v1/publishers?changed=soon")
    assert (wrong.status, wrong.data["kind"]) == (400, "usage")
    assert "2026-05-03" in wrong.data["hint"]
    assert pages.ask("/publishers?changed=soon").status == 400


def test_facets_of_publishers_that_were_not_counted_in_time_say_so(
    shared_pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shared_pages.ask("/publishers").text
    assert "not counted in time" not in whole
    monkeypatch.setattr("wireroom.app.publisher_list.COUNTING_TIME", timedelta())
    page = shared_pages.ask("/publishers").text
    assert "was not counted in time" in page
    assert "2 publishers." in page
    assert page.count('name="domain"') == 2, "the publishers are there all the same"
    assert "verdict=search%3Dallow" in page, "filters can be chosen without counts, too"


@pytest.mark.parametrize(
    ("path", "filters"),
    [
        (
            "/publishers?q=e&verdict=search%3Dallow%2Cai-train%3Dallow&signal=robots_agents&language=en&changed=7d&sort=grade",
            ["with e in name or domain", "search allow", "ai-train allow", "signal *", "language English",
             "rights changed since 7d"],
        ),
        ("/feeds?q=rss&publisher=courier.test&state=live&sort=due",
         ["with rss in address or title", "publisher courier.test", "state live"]),
        ('/search?q=harbour+lang%3A%22en%22+rights%3Aai-train%3Dallow+-tag%3Ax&for=ai-train&sort=best',
         ["in English", "allowed for ai-train", "not tagged x"]),
    ],
)  # fmt: skip
def test_each_filter_is_taken_out_by_its_link(
    shared_pages: Pages, path: str, filters: list[str]
) -> None:
    shown = filters_of(shared_pages, path)
    assert [wanted.partition("*")[0] for wanted in filters] == [
        words[: len(wanted.partition("*")[0])] if "*" in wanted else words
        for words, wanted in zip(shown, filters, strict=True)
    ]
    for words, url in shown.items():
        rest = filters_of(shared_pages, url)
        assert set(rest) == set(shown) - {words}
        for kept in ("sort", "for"):
            assert (f"{kept}=" in url) is (f"{kept}=" in path)
    last = path
    while shown:  # one after the other, until nothing is filtered
        last = next(iter(shown.values()))
        shown = filters_of(shared_pages, last)
    assert "q=" not in last.replace("q=harbour", "")


def test_a_facet_that_is_chosen_is_taken_back_where_it_was_chosen(shared_pages: Pages) -> None:
    start = "/search?q=harbour&for=ai-train"
    facet = re.compile(r'<li><a href="(\?[^"]*)"( aria-current="true")?>(.*?)</a></li>')
    plain = [unescape(url) for url, _, _ in facet.findall(shared_pages.ask(start).text)]
    assert len(plain) >= 4
    for url in plain:
        page = shared_pages.ask(f"/search{url}")
        assert page.status == 200, url
        chosen = [(back, inside) for back, is_on, inside in facet.findall(page.text) if is_on]
        assert len(chosen) == 1, url
        back, inside = chosen[0]
        assert inside.startswith('<span class="hidden">Remove filter: </span>')
        assert unescape(back) in {"?q=harbour&for=ai-train", "?for=ai-train&q=harbour"}


def test_no_cell_of_a_table_is_a_formula(web_app: App, pages: Pages) -> None:
    hold(web_app.store, "mint.test", name='=HYPERLINK("http://elsewhere.test")')
    hold(web_app.store, "slate.test", name="@SUM(1+1)", language="-1")
    rows = list(csv.DictReader(StringIO(pages.ask("/publishers.csv").text)))
    named = {row["domain"]: row["name"] for row in rows}
    assert named["mint.test"] == '\'=HYPERLINK("http://elsewhere.test")'
    assert named["slate.test"] == "'@SUM(1+1)"
    assert not [cell for row in rows for cell in row.values() if cell[:1] in set("=+-@\t\r")]


def test_up_to_four_are_compared(pages: Pages) -> None:
    page = pages.ask("/compare?domain=courier.test&domain=alminaa.test&domain=nobody.test")
    assert "Side by side" in page.text
    assert "courier.test" in page.text
    assert "1 left out" in page.text


def test_a_query_is_explained_and_a_bad_one_is_refused_with_its_place(pages: Pages) -> None:
    page = pages.ask("/search?q=harbour+OR+port")
    assert "<b>harbour or port</b>" in page.text
    assert "<mark>" in page.text
    bad = pages.ask("/search?q=%28harbour")
    assert bad.status == 400
    assert "character" in bad.text


@pytest.mark.parametrize("form", ["atom", "jsonfeed", "jsonl", "csv", "parquet"])
def test_what_was_found_is_exported_for_a_use(pages: Pages, form: str) -> None:
    answer = pages.ask(f"/search/export?form={form}&for=ai-train")
    assert answer.status == 200
    everything = int(pages.ask(f"/search/export?form={form}").headers["x-articles"])
    kept, left = int(answer.headers["x-articles"]), int(answer.headers["x-left-out"])
    assert 0 < kept < everything
    assert kept + left == everything
    assert answer.headers["content-disposition"].startswith("attachment; filename=")


def test_a_format_of_nobody_is_refused(pages: Pages) -> None:
    assert pages.ask("/search/export?form=docx").status == 400


def test_a_time_is_relative_and_absolute_in_utc_on_hover() -> None:
    at = datetime(2026, 5, 3, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    shown = str(when_html(at, at + timedelta(hours=3)))
    assert shown == (
        '<time datetime="2026-05-03T12:30:00+00:00" title="2026-05-03 12:30 UTC">3 hours ago</time>'
    )
    assert when_html(None, at, "undated") == "undated"


def test_relative_times_are_in_one_unit() -> None:
    now = datetime(2026, 5, 3, tzinfo=UTC)
    expected = {
        timedelta(seconds=10): "now",
        timedelta(minutes=1): "1 minute ago",
        timedelta(minutes=89): "89 minutes ago",
        timedelta(minutes=90): "2 hours ago",
        timedelta(minutes=149): "2 hours ago",
        timedelta(hours=3): "3 hours ago",
        timedelta(hours=36): "2 days ago",
        timedelta(days=5): "5 days ago",
    }
    assert {apart: relative_words(now - apart, now) for apart in expected} == expected
    assert relative_words(now + timedelta(hours=3), now) == "in 3 hours"


def test_a_table_says_where_it_goes_on(pages: Pages) -> None:
    first = pages.ask("/feeds.csv?limit=1")
    place = re.fullmatch(r'<(/feeds\.csv\?[^>]+)>; rel="next"', first.headers["link"])
    assert place is not None
    rows, answer = list(csv.DictReader(StringIO(first.text))), pages.ask(place[1])
    rows += csv.DictReader(StringIO(answer.text))
    assert [row["url"] for row in rows] == [
        row["url"] for row in pages.ask("/feeds.json").data["rows"]
    ][: len(rows)]
    assert len({row["url"] for row in rows}) == 2
    assert "link" not in pages.ask("/feeds.csv").headers


def test_no_page_but_that_of_the_run_counts_all_that_is_held(
    shared_pages: Pages, shared_app: App
) -> None:
    """Counting takes longer the more is held."""
    article = next(shared_app.articles())
    feed = quote(next(iter(shared_app.feeds())).feed.url, safe="")
    counted: dict[str, int] = {}
    for path in (
        "/",
        "/publishers/courier.test",
        f"/feeds/{feed}",
        f"/articles/{article.id}",
        "/run",
    ):
        with noted_queries() as asked:
            assert shared_pages.ask(path).status == 200
        counted[path] = sum("FROM signature" in query and "count(" in query for query in asked)
    assert counted.pop("/run") == 1
    assert set(counted.values()) == {0}
