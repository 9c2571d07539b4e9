"""`wireroom add`: what is chosen and why, lists of every kind, and how refusals end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.app.run.world import run_once
from tests.cli.conftest import Ran
from tests.cli.odd import Odd, odd_publishers
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run, write_settings
from wireroom import open_app
from wireroom.cli.add.add_rows import gather
from wireroom.model import Feed
from wireroom.town import Running, build_town, running_town

FEED = "http://latarnia.test/feed"


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture(scope="module")
def odd_ones() -> Iterator[Odd]:
    with odd_publishers() as odd:
        yield odd


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


def rows_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def feeds() -> tuple[Feed, ...]:
    with open_app("sqlite:///w.db") as app:
        return app.store.feeds()


# --- one ---------------------------------------------------------------------------------------


def test_a_publisher_is_scouted_and_its_best_feeds_are_followed(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("add", "courier.test", "--category", "daily")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "Following: courier.test"
    assert "rss.xml           rss           main feed, 20 items" in lines[1]
    assert "news sitemap: every story of the last two days" in lines[2]
    assert lines[3] == "Left out"
    assert "the same stories as http://courier.test/rss.xml" in ran.out
    assert "comments of readers" in ran.out
    assert [feed.category for feed in feeds()] == ["daily", "daily"]
    assert wireroom("add", "courier.test").out.startswith("Followed already: courier.test\n")


def test_what_a_publisher_refuses_is_shown_when_it_is_followed(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("add", "toll.test")
    assert ran.code == 0, ran.err
    assert "It sells search, ai-input, ai-index and ai-train and refuses archive. Full" in ran.out
    assert "could not be fetched: HTTP 402: a payment is asked for" in ran.out
    data = json.loads(wireroom("add", "toll.test", "--json").out)
    assert data["rights"] == {
        **dict.fromkeys(("search", "ai-input", "ai-index", "ai-train"), "paid"),
        "archive": "deny",
    }
    assert len(data["notices"]) == 2
    Path("list.txt").write_text("toll.test\nlatarnia.test\n")
    assert "it sells search" in wireroom("add", "list.txt").out
    why = wireroom("why", story_of(town, "toll.test"))
    assert "fetches it, though its publisher sells search" in why.out


def test_no_address_is_broken_on_a_narrow_terminal(town: Running) -> None:
    shown = run_on_terminal("add", "courier.test", columns=50).out
    for path in ("rss.xml", "news-sitemap.xml", "atom.xml"):
        assert f"  http://courier.test/{path}\x1b[0m\n" in shown
    assert "the same stories as" in shown
    assert "     main feed, 20 items (rss)\n" in shown


def test_one_that_refuses_nothing_is_followed_without_a_word(town: Running, wireroom: Run) -> None:
    ran = wireroom("add", "courier.test")
    assert "refuses" not in ran.out
    assert "sells" not in ran.out


def story_of(town: Running, host: str) -> str:
    (story,) = town.town.stories(host, limit=1)
    return story.url


@pytest.mark.long
def test_of_a_page_it_is_shown_that_its_publishers_feeds_were_looked_for(
    town: Running, wireroom: Run
) -> None:
    url = story_of(town, "courier.test")
    ran = wireroom("add", url)
    assert ran.code == 0, ran.err
    first, following, *_ = ran.out.splitlines()
    assert first == f"{url} is a page; the feeds of courier.test were looked for:"
    assert following == "Following: courier.test"
    assert url not in {feed.url for feed in feeds()}
    assert json.loads(wireroom("add", url, "--json").out)["page"] == url
    assert json.loads(wireroom("add", "courier.test", "--json").out)["page"] == ""


@pytest.mark.parametrize("scheme", ["http://", ""])
@pytest.mark.parametrize("kind", ["rss", "news_sitemap"])
def test_a_page_is_no_feed_whatever_it_is_called(
    scheme: str, kind: str, town: Running, wireroom: Run
) -> None:
    url = story_of(town, "courier.test")
    ran = wireroom("add", scheme + url.removeprefix("http://"), "--kind", kind)
    assert (ran.code, ran.out) == (2, "")
    message = f"{url} is a page for people and no feed of the kind {kind}. Leave the kind out"
    assert f"error: invalid: {message}" in ran.err
    assert feeds() == ()


def test_the_kind_of_a_feed_that_does_not_answer_is_believed(town: Running, wireroom: Run) -> None:
    write_settings({**town.hosts, "away.test": "127.0.0.1:9"})
    assert wireroom("add", "http://away.test/feed", "--kind", "atom").code == 0
    assert [(feed.url, feed.kind) for feed in feeds()] == [("http://away.test/feed", "atom")]
    gone = wireroom("add", "http://courier.test/nosuch.xml", "--kind", "rss")
    assert gone.code == 3, gone.err


def test_every_option_of_a_feed_can_be_given(town: Running, wireroom: Run) -> None:
    flags = ["--name", "Letter", "--kind", "rss", "--publisher", "latarnia.test"]
    flags += ["--body-selector", "article p", "--no-json-ld", "--language", "pl"]
    flags += ["--metadata-selector", "section=nav .here", "--metadata-selector", "tag=.t[]"]
    flags += ["--zone", "Europe/Warsaw", "--interval", "15min", "--region", "coast"]
    flags += ["--category", "letters", "--proxy", "socks5://u:secret@127.0.0.1:1080"]
    flags += ["--mirror", "http://a.test/f", "--mirror", "http://b.test/f"]
    flags += ["--role", "fallback"]
    flags += ["--cluster-threshold", "0.7", "--cluster-window", "30 days"]
    ran = wireroom("add", FEED, *flags, "--no-scout", "--json")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert (outcome["outcome"], outcome["taken"][0]["name"]) == ("added", "Letter")
    (feed,) = feeds()
    assert (feed.name, feed.kind, feed.region, feed.category) == (
        "Letter",
        "rss",
        "coast",
        "letters",
    )
    assert feed.hints.metadata_selectors == {"section": "nav .here", "tag": ".t[]"}
    assert (feed.hints.body_selector, feed.hints.json_ld) == ("article p", False)
    assert (feed.hints.language, feed.hints.zone) == ("pl", "Europe/Warsaw")
    assert (feed.hints.cluster_threshold, feed.hints.cluster_window) == (0.7, timedelta(days=30))
    assert feed.mirrors == ("http://a.test/f", "http://b.test/f")
    assert feed.role == "fallback"
    assert feed.proxy == "socks5://u:secret@127.0.0.1:1080"
    assert town.log.count("latarnia.test") == 0


def test_an_api_needs_its_field_map(town: Running, wireroom: Run) -> None:
    url = "agency.test/api/v1/articles"
    ran = wireroom("add", url)
    assert ran.code == 3
    assert "say where its fields stand" in ran.err
    mapped = ("--field-map", "title=headline", "--field-map", "url=links.self")
    assert wireroom("add", url, *mapped).code == 0
    assert feeds()[0].kind == "json_api"


@pytest.mark.long
def test_a_new_feed_needs_no_code_but_selectors(town: Running, wireroom: Run) -> None:
    """Added on the command line, asked, read: the field that nobody knew is there, the text is what was pointed at."""
    flags = ("--body-selector", "article p", "--metadata-selector", "headline_again=h1")
    assert wireroom("add", "http://courier.test/atom.xml", *flags, "--no-scout").code == 0
    with open_app("sqlite:///w.db") as app:
        asyncio.run(run_once(app, town))
        articles = list(app.store.articles())
    assert len(articles) > 10
    for article in articles:
        assert article.sources["text"] == "body selector"
        assert article.extra["selectors"]["headline_again"] == article.title


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cluster-threshold", "7"), 'cluster_threshold = "7" (command line): expected'),
        (("--interval", "5"), 'interval = "5" (command line): expected a duration such as'),
        (("--body-selector", "]"), 'body_selector = "]" (command line): expected a CSS selector'),
        (("--metadata-selector", "nocss"), "--metadata-selector nocss: expected NAME=VALUE"),
        (("--field-map", "a b=x"), "expected a name of letters"),
        (("--zone", "Mars/North"), "expected a time zone"),
        (("--mirror", "ftp://a.test"), "mirrors[0]"),
        (("--json", "--jsonl"), "only one form"),
    ],
)
def test_what_is_wrong_is_reported_as_in_the_settings_file(
    town: Running, wireroom: Run, options: tuple[str, ...], message: str
) -> None:
    ran = wireroom("add", FEED, "--no-scout", *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert message in ran.err
    assert "secret" not in wireroom("add", FEED, "--no-scout", "--proxy", "x://u:secret@y").err


@pytest.mark.long
def test_endings(town: Running, wireroom: Run) -> None:
    assert wireroom("add").code == 2
    assert wireroom("add", "blank.test").code == 3
    assert wireroom("add", "http://latarnia.test/nothing-here").code == 3
    gate = wireroom("add", "gate.test", "--json")
    assert gate.code == 5
    assert "challenge" in gate.err
    assert json.loads(gate.out)["outcome"] == "nothing"
    refused = wireroom(
        "add", "anzeiger.test", "--set", "rights.uses=ai-train", "--set", "rights.fetch_on=allow"
    )
    assert refused.code == 4
    assert "anzeiger.test: refused: ai-train: deny by" in refused.err
    assert "Left out" in refused.out
    assert feeds() == ()


def test_robots_forbid_it(odd_ones: Odd, wireroom: Run) -> None:
    write_settings(odd_ones.hosts())
    ran = wireroom("add", "barred.test")
    assert ran.code == 4
    assert "barred.test: refused: " in ran.err
    assert "robots" in ran.err


def test_a_feed_that_robots_bar_is_not_missing(odd_ones: Odd, wireroom: Run) -> None:
    write_settings(odd_ones.hosts())
    ran = wireroom("add", "barred-feed.test", "--json")
    assert ran.code == 4
    assert "barred-feed.test: refused: robots.txt bars its feed" in ran.err
    (left,) = json.loads(ran.out)["left"]
    assert (left["url"], left["why"]) == ("http://barred-feed.test/feed/", "robots.txt bars it")
    assert "/feed/" not in odd_ones.requests_to("barred-feed.test")
    card = wireroom("scout", "barred-feed.test").out
    assert "robots.txt bars 1 announced feed" in card
    assert "no feed found" not in card


def test_on_a_terminal_the_steps_go_by(town: Running) -> None:
    ran = run_on_terminal("add", "latarnia.test", columns=80, environ={"NO_COLOR": "1"})
    assert ran.code == 0
    assert "steps" in ran.out
    assert "Following: latarnia.test" in ran.out


# --- many --------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_csv_has_an_outcome_for_every_row(town: Running, wireroom: Run) -> None:
    Path("feeds.csv").write_text(
        "URL;name;interval;metadata selectors\n"
        "latarnia.test/feed;Letter;1 h;section=nav .here; \n"
        "blank.test;;;\n"
        "http://phare.test/feed/;;5;\n"
        "no address;;;\n"
        "http://www.latarnia.test/feed;;;\n",
        encoding="utf-8-sig",
    )
    ran = wireroom("add", "feeds.csv", "--jsonl", "--region", "coast")
    assert ran.code == 1
    rows = {row["line"]: row for row in rows_of(ran)}
    words = [rows[line]["outcome"] for line in sorted(rows)]
    assert words == ["added", "nothing", "invalid", "invalid", "known"]
    assert rows[4]["reason"].startswith('interval = "5" (line 4): expected a duration')
    assert rows[6]["reason"] == "the same as line 2"
    (feed,) = feeds()
    assert (feed.name, feed.region) == ("Letter", "coast")
    assert feed.hints.metadata_selectors == {"section": "nav .here"}
    assert ran.err == "1 added, 1 known, 1 nothing, 2 invalid.\n"


def test_lines_of_many_and_one_json(town: Running, wireroom: Run) -> None:
    Path("list.txt").write_text(f"# mine\n{FEED}\n\nhttp://phare.test/feed/\n")
    ran = wireroom("add", "list.txt", "--no-scout")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"added  {FEED}  latarnia.test: rss",
        "added  http://phare.test/feed/  phare.test: rss",
    ]
    Path("rows.csv").write_text("url,name\n,Nameless\n")
    assert "error: line 2: invalid: URL is required." in wireroom("add", "rows.csv").err
    Path("rows.csv").write_text(f"url,region,role\n{FEED},coast,fallback\n")
    lines = wireroom("add", "rows.csv", "--no-scout").out.splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["Changed"],
        ["region", "(none)", "→", "coast"],
        ["role", "primary", "→", "fallback"],
    ]
    Path("rows.csv").write_text(f"url,region\n{FEED},hills\nhttp://phare.test/feed/,\n")
    lines = wireroom("add", "rows.csv", "--no-scout").out.splitlines()
    assert lines[0] == f"known  {FEED}  latarnia.test: rss; changed: region"
    again = json.loads(wireroom("add", FEED, "list.txt", "--no-scout", "--json").out)
    assert [row["outcome"] for row in again] == ["known", "known", "known"]


DOWN = "http://errors.test/feed"


def test_a_list_keeps_feeds_that_are_down_and_their_folders(odd_ones: Odd, wireroom: Run) -> None:
    write_settings(odd_ones.hosts())
    Path("mine.opml").write_text(
        f"""<opml><body><outline text="Coast"><outline text="Harbour/Port">
        <outline text="Tides" xmlUrl="{DOWN}"/></outline></outline>
        <outline text="Nowhere" xmlUrl="no address"/><outline text="Lost" type="rss" xmlUrl=""/>
        <outline text="Gone" xmlUrl="http://missing.test/feed"/></body></opml>"""
    )
    ran = wireroom("add", "mine.opml")
    first, *others = ran.out.splitlines()
    assert first.startswith(
        f"added  {DOWN}  errors.test: rss; kept, though it does not answer now:"
    )
    assert [line.split()[0] for line in others] == [
        "nothing",
        "invalid",
        "invalid",
    ]  # bad ones last
    assert others[-1] == "invalid  outline 3 (Lost)  URL is required."
    assert ran.err == "1 added, 1 nothing, 2 invalid. 1 feed kept that did not answer.\n"
    (feed,) = feeds()
    assert (feed.url, feed.name, feed.category) == (DOWN, "Tides", "Coast/Harbour\\/Port")
    (again,) = [
        row for row in json.loads(wireroom("add", "mine.opml", "--json").out) if row["taken"]
    ]
    assert again["outcome"] == "known"
    assert "500" in again["problem"]
    assert wireroom("add", DOWN, "--db", "typed.db").code == 4  # typed, it may be misspelt


def test_a_feed_that_stands_twice_is_named_by_its_outline(wireroom: Run) -> None:
    twice = '<outline text="Tides" xmlUrl="http://a.test/1"/>' * 2
    Path("mine.opml").write_text(f"<opml><body>{twice}</body></opml>")
    rows = json.loads(wireroom("add", "mine.opml", "--no-scout", "--json").out)
    assert [row["reason"] for row in rows] == ["", "the same as outline 1"]


def test_a_tree_of_folders_comes_back_as_it_was(wireroom: Run) -> None:
    Path("mine.opml").write_text(
        """<opml><body><outline text="Coast"><outline text="Harbour/Port">
        <outline text="Tides" xmlUrl="http://a.test/1"/></outline>
        <outline text="Sea" xmlUrl="http://a.test/2"/></outline>
        <outline text="Hills" xmlUrl="http://a.test/3"/></body></opml>"""
    )
    assert wireroom("add", "mine.opml", "--no-scout", "--db", "w.db").code == 0
    assert wireroom("opml", "-o", "back.opml", "--db", "w.db").code == 0
    assert tree("back.opml") == tree("mine.opml")
    assert wireroom("add", "back.opml", "--no-scout", "--db", "x.db").code == 0
    assert wireroom("opml", "-o", "again.opml", "--db", "x.db").code == 0
    assert tree("again.opml") == tree("mine.opml")
    inner = wireroom("feeds", "--category", "coast", "--json", "--db", "w.db").out
    assert [url in inner for url in ("http://a.test/1", "http://a.test/2", "http://a.test/3")] == [
        *(True, True, False)
    ]


def tree(file: str) -> set[tuple[str, ...]]:
    """Every feed under the names of its folders."""
    body = ET.parse(file).getroot().find("body")
    assert body is not None
    found: set[tuple[str, ...]] = set()

    def walk(element: ET.Element, path: tuple[str, ...]) -> None:
        for child in element:
            if url := child.get("xmlUrl"):
                found.add((*path, url))
            walk(child, (*path, child.get("text", "")))

    walk(body, ())
    return found


def test_of_a_few_typed_ones_each_is_shown_in_full(town: Running, wireroom: Run) -> None:
    ran = wireroom("add", FEED, "http://phare.test/feed/", "--no-scout")
    assert ran.code == 0
    assert [row for row in ran.out.splitlines() if row.startswith("Following")] == [
        "Following: latarnia.test",
        "Following: phare.test",
    ]
    assert "you named it" in ran.out
    assert ran.err.splitlines()[-2:] == ["2 added.", "They are polled by the next: wireroom run"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_may_come_from_any_spreadsheet(
    town: Running, wireroom: Run, encoding: str, end: str
) -> None:
    Path("mine.csv").write_bytes(f"name;url{end}Café;{FEED}{end}".encode(encoding))
    ran = wireroom("add", "mine.csv", "--no-scout", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)[0]["taken"][0]["name"] == "Café"


def test_bytes_that_are_no_table_are_reported_in_one_line(wireroom: Run) -> None:
    Path("noise.csv").write_bytes(b'"' + bytes(range(256)) * 800)
    ran = wireroom("add", "noise.csv", "--no-scout")
    assert ran.code == 2
    assert "noise.csv" in ran.err
    assert "internal error" not in ran.err


@pytest.mark.long
def test_stdin_may_be_a_list_a_csv_or_opml(
    town: Running, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (
        FEED,
        f"name,url\nL,{FEED}\n",
        f'<opml><body><outline xmlUrl="{FEED}"/></body></opml>',
    ):
        Path("w.db").unlink(missing_ok=True)
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
        ran = wireroom("add", "-", "--no-scout")
        assert ran.code == 0, ran.err
        assert [feed.url for feed in feeds()] == [FEED]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "address,name\nx,y\n", "no column is called url"),
        ("a.csv", "url,intervals\nx,y\n", "unknown column; did you mean interval?"),
        ("a.opml", "<rss/>", "not OPML"),
        ("a.opml", "<opml/>", "The list names no feeds"),
        ("a.txt", "# nothing\n", "The list names no feeds"),
        ("a.txt", "courier.test\n\0\1\2", "a.txt is no text file."),
        ("page.html", "<html><body>Hello</body></html>", "not OPML: its root element is html"),
    ],
)
def test_lists_that_are_none_are_reported(
    wireroom: Run, name: str, text: str, message: str
) -> None:
    Path(name).write_text(text)
    ran = wireroom("add", name)
    assert ran.code == 2
    assert message in ran.err


def test_a_missing_or_large_list_and_a_name_for_many(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "none.opml: no such file" in wireroom("add", "none.opml").err
    assert "read once" in wireroom("add", "-", "-").err
    Path("two.txt").write_text("a.test\nb.test\n")
    assert "a name stands for one feed" in wireroom("add", "two.txt", "--name", "x").err
    monkeypatch.setattr("wireroom.cli.add.add_rows.MAX_FILE", 5)
    assert "is larger than" in wireroom("add", "two.txt").err


@pytest.mark.parametrize(
    "name", ["none.txt", "feeds.xml", "lists/none.txt", "./mine", "../none/mine", "/none/mine"]
)
def test_a_file_that_is_not_there_is_no_host(wireroom: Run, name: str) -> None:
    ran = wireroom("add", name)
    assert ran.code == 3
    assert f"{name}: no such file" in ran.err


def test_an_address_may_end_like_a_file_and_a_list_like_none() -> None:
    assert gather(["courier.test/feeds.xml"], {}).rows[0].target == "courier.test/feeds.xml"
    Path("mine").write_text("a.test\nb.test\n")
    assert [row.target for row in gather(["./mine"], {}).rows] == ["a.test", "b.test"]


def test_feeds_are_called_as_the_list_of_another_reader_calls_them(
    town: Running, wireroom: Run
) -> None:
    outlines = [
        '<outline text="Mine" xmlUrl="http://a.test/rss"/>',
        '<outline text="Mine" xmlUrl="http://b.test/rss"/>',
        '<outline title="Theirs" text="t" xmlUrl="http://c.test/rss"/>',
    ]
    Path("reader.opml").write_text(f"<opml><body>{''.join(outlines)}</body></opml>")
    ran = wireroom("add", "reader.opml", "--no-scout")
    assert ran.code == 0, ran.err
    assert [(feed.url, feed.name, feed.title) for feed in feeds()] == [
        ("http://a.test/rss", "Mine", "Mine"),
        ("http://b.test/rss", "", "Mine"),
        ("http://c.test/rss", "Theirs", "Theirs"),
    ]
    assert wireroom("opml", "-o", "ours.opml").code == 0
    wireroom("add", "ours.opml", "--no-scout", "--db", "other.db")
    with open_app("sqlite:///other.db") as app:
        assert [feed.name for feed in app.store.feeds()] == ["Mine", "", "Theirs"]


def test_a_list_that_is_damaged_says_where(wireroom: Run) -> None:
    Path("odd.opml").write_text("<?xml version='1.0'?>\n<opml><body>\n<outline xmlUrl=\n</body>")
    ran = wireroom("add", "odd.opml")
    assert ran.code == 2
    assert "odd.opml is damaged in line 4: no feed in it can be read." in ran.err
    some = "<opml><body>\n<outline xmlUrl='https://a.test/1'/>\n</group></body></opml>"
    Path("some.opml").write_text(some)
    gathered = gather(["some.opml"], {})
    assert len(gathered.rows) == 1
    assert gathered.notes == ("some.opml is damaged in line 3: feeds of it may be missing.",)


def test_a_list_that_is_cut_says_so(town: Running, wireroom: Run) -> None:
    Path("cut.opml").write_text(f'<opml><body><outline xmlUrl="{FEED}"/><outl')
    ran = wireroom("add", "cut.opml", "--no-scout")
    assert ran.code == 0
    assert "feeds of it may be missing" in ran.err


# --- publishers that moved, and those that want time ----------------------------------------------


def test_of_a_publisher_that_moved_what_is_there_is_followed(odd_ones: Odd, wireroom: Run) -> None:
    write_settings(odd_ones.hosts())
    ran = wireroom("add", "http://moved.test/")
    assert ran.code == 0, ran.err
    moved, following, *_ = ran.out.splitlines()
    assert moved == "http://moved.test/ has moved to settled.test."
    assert following == "Following: settled.test"
    assert [(feed.publisher, feed.url) for feed in feeds()] == [
        ("settled.test", "http://settled.test/feed.xml")
    ]
    again = json.loads(wireroom("add", "http://moved.test/", "--json").out)
    assert again["moved_from"] == "http://moved.test/"


def test_where_the_time_is_too_short_nobody_says_that_there_is_no_feed(
    odd_ones: Odd, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(odd_ones.hosts())
    ran = wireroom("add", "http://unhurried.test/", "--time", "2s")
    assert ran.code == 3
    assert "could not be looked for within 2 s" in ran.err
    assert "its robots.txt wants 1 s between two requests (Crawl-delay)" in ran.err
    assert "--time 10m" in ran.err
    assert "no feed" not in ran.err
    with open_app("sqlite:///w.db") as app:
        publisher = app.store.publisher("unhurried.test")
        assert publisher is not None
        assert publisher.scout_after is not None
        assert publisher.scout_after <= app.clock(), "a run takes longer, and at once"
    monkeypatch.setenv("WIREROOM_SCOUT__TIME", "2 s")  # add takes longer than a scout by itself
    assert wireroom("add", "http://unhurried.test/").code == 0
    assert [feed.url for feed in feeds()] == ["http://unhurried.test/feed/"]
