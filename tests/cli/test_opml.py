"""`wireroom opml` and back: what is written is read again as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Ran
from tests.cli.held_feeds import COURIER, FARO, PHARE, held, open_held
from tests.holding import save_feeds
from wireroom import open_app
from wireroom.cli.add.add_rows import gather
from wireroom.export.opml import write_opml
from wireroom.model import Feed, Hints
from wireroom.parse.opml_outlines import read_opml

Run = Callable[..., Ran]

NOW = datetime(2026, 11, 12, tzinfo=UTC)
SIGNS = st.characters(exclude_categories=("C", "Z")) | st.just(" ")
WORDS = st.text(SIGNS, max_size=20).filter(str.isprintable).map(str.strip)
LETTERS = st.text(ascii_lowercase, min_size=1, max_size=8)
CSS = st.sampled_from(["", "article p", "div[title='a  <b>&\"c']", "main > .story:not(.ad)"])
URLS = LETTERS.map(lambda name: f"https://{name}.test/feed?a=1&b=<{name}>")
SELECTORS = st.sampled_from(["nav .here", "meta[name='x']@content", "li.tag[]"])
FIELDS = st.sampled_from(["title", "url", "published_at"])
HINTS = st.builds(
    Hints,
    body_selector=CSS,
    metadata_selectors=st.dictionaries(LETTERS, SELECTORS, max_size=3),
    json_ld=st.booleans(),
    language=st.sampled_from(["", "de", "zh-Hant"]),
    zone=st.sampled_from(["", "Europe/Vienna"]),
    field_map=st.dictionaries(FIELDS, WORDS.map(lambda text: f"a.{text}x"), max_size=2),
    cluster_threshold=st.sampled_from([None, 0.125, 0.7, 1.0]),
    cluster_window=st.none() | st.integers(0, 10**7).map(lambda number: timedelta(seconds=number)),
)
FEEDS = st.builds(
    Feed,
    url=URLS,
    publisher=LETTERS.map(lambda name: f"{name}.test"),
    kind=st.sampled_from(["rss", "news_sitemap", "json_api"]),
    name=WORDS,
    title=WORDS,
    hints=HINTS,
    interval=st.none() | st.integers(60, 10**6).map(lambda number: timedelta(seconds=number)),
    mirrors=st.lists(URLS, max_size=2).map(tuple),
    proxy=st.sampled_from(["", "socks5://127.0.0.1:1080"]),
    region=WORDS,
    category=WORDS,
    role=st.sampled_from(["primary", "secondary", "fallback"]),
    state=st.sampled_from(["live", "paused"]),
)


@pytest.mark.long
@given(st.lists(FEEDS, max_size=4, unique_by=lambda feed: feed.url))
def test_feeds_come_back_as_they_were(feeds: list[Feed]) -> None:
    out = BytesIO()
    assert write_opml(feeds, out, now=NOW) == len(feeds)
    if not feeds:
        assert read_opml(out.getvalue()).outlines == ()
        return
    file = Path("feeds.opml")
    file.write_bytes(out.getvalue())
    rows = gather([str(file)], {}, own_list=True).rows
    back = {}
    for row in rows:
        assert row.request is not None, row.reason
        bare = Feed(url=row.target, publisher=row.request.publisher, kind="rss")
        back[row.target] = row.request.applied_to(bare)
    for feed in feeds:
        got = back[feed.url]
        for name in ("publisher", "kind", "name", "hints", "interval", "mirrors", "proxy"):
            assert getattr(got, name) == getattr(feed, name), name
        for name in ("region", "category", "role", "state"):
            assert getattr(got, name) == getattr(feed, name), name


def test_a_password_never_leaves(wireroom: Run) -> None:
    held()
    ran = wireroom("opml")
    assert ran.code == 0
    assert "secret" not in ran.out
    assert 'wireroom:proxy="http://proxy.test:8080"' in ran.out
    assert '<outline text="daily">' in ran.out
    odd = Feed(url=COURIER, publisher="a.test", kind="rss", proxy="http://u:pa/ss@x@p.test:1")
    out = BytesIO()
    write_opml([odd], out, now=NOW)
    assert b"ss@x" not in out.getvalue()
    assert b"proxy" not in out.getvalue()


TOKEN = Feed(
    url="https://a.test/rss?user=7&token=hush",
    publisher="a.test",
    kind="rss",
    mirrors=("https://b.test/rss?api_key=hush",),
    proxy="socks5://proxy.test:1080",
)


def test_tokens_of_addresses_are_left_out_unless_asked_for(wireroom: Run) -> None:
    with open_app("sqlite:///wireroom.db") as app:
        save_feeds(app.store, [TOKEN], now=app.clock())
    ran = wireroom("opml")
    assert "hush" not in ran.out + ran.err
    assert "1 feed with a token in the address" in ran.err
    assert "hush" not in str(wireroom("opml", "-o", "feeds.opml"))
    assert "hush" not in Path("feeds.opml").read_text()
    back = wireroom("add", "feeds.opml", "--no-scout", "--db", "other.db")
    assert "its token was left out of the list" in back.err
    assert wireroom("opml", "-o", "whole.opml", "--with-tokens").code == 0
    assert Path("whole.opml").read_text().count("hush") == 4, "address, mirror, text, title"
    assert Path("whole.opml").stat().st_mode & 0o077 == 0
    assert "hush" in wireroom("opml", "--with-tokens").out


def test_a_strangers_list_sets_no_proxy_and_no_mirrors(wireroom: Run) -> None:
    out = BytesIO()
    write_opml([TOKEN], out, now=NOW, tokens=True)
    Path("feeds.opml").write_bytes(out.getvalue())
    for flags, proxy, mirrors in ((), "", ()), (("--own-list",), TOKEN.proxy, TOKEN.mirrors):
        ran = wireroom("add", "feeds.opml", "--no-scout", *flags)
        assert ran.code == 0, ran.err
        assert ("1 feed with a proxy or mirrors" in ran.err) == (not flags)
        with open_held() as app:
            (feed,) = app.store.feeds()
        assert (feed.proxy, feed.mirrors) == (proxy, mirrors)


@pytest.mark.long
def test_a_file_goes_from_one_database_to_another(wireroom: Run) -> None:
    held()
    assert wireroom("opml", "-o", "feeds.opml").err == "3 feeds written to feeds.opml.\n"
    ran = wireroom("add", "feeds.opml", "--no-scout", "--own-list", "--db", "other.db")
    assert ran.code == 0, ran.err
    assert ran.err == "3 added.\n"
    with open_held() as app:
        before = app.store.feeds()
    with open_app("sqlite:///other.db") as app:
        after = app.store.feeds()
    assert [_columns(feed) for feed in after] == [_columns(feed) for feed in before]
    assert (
        wireroom("add", "feeds.opml", "--no-scout", "--own-list", "--db", "other.db").err
        == "3 known.\n"
    )
    assert wireroom("opml", "-o", "no/such/folder.opml").code == 1


def _columns(feed: Feed) -> tuple[object, ...]:
    state = "paused" if feed.state == "paused" else "followed"
    return feed.url, feed.name, feed.hints, feed.region, feed.category, state


def test_a_file_that_is_there_is_replaced_only_with_force(wireroom: Run) -> None:
    held()
    file = Path("feeds.opml")
    file.write_text("of another reader")
    ran = wireroom("opml", "-o", "feeds.opml")
    assert ran.code == 1
    assert "feeds.opml is there already." in ran.err
    assert "--force" in ran.err
    assert file.read_text() == "of another reader"
    assert wireroom("opml", "-o", "feeds.opml", "--force").code == 0
    assert COURIER in file.read_text()


def test_the_feeds_of_a_file_are_data(wireroom: Run) -> None:
    empty = wireroom("opml", "-o", "feeds.opml", "--json")
    assert (empty.code, json.loads(empty.out)) == (3, {"file": None, "feeds": []})
    held()
    summary = json.loads(wireroom("opml", "-o", "feeds.opml", "--json").out)
    assert summary["file"] == "feeds.opml"
    assert [feed["url"] for feed in summary["feeds"]] == [COURIER, FARO, PHARE]
    assert summary["feeds"][0] == {"name": "Courier", "url": COURIER, "publisher": "courier.test"}
    ran = wireroom("opml", "--json")
    assert (ran.code, json.loads(ran.out)["error"]["kind"]) == (2, "usage")
    assert "-o FILE" in ran.err
