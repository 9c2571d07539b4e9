"""`wireroom test-feed`: selectors are tried on saved and live pages, and nothing is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.inline import use_inline_engine
from tests.cli.test_extract import page
from tests.cli.towns import Run, write_settings
from tests.holding import save_feeds
from wireroom import open_app
from wireroom.model import Feed, Hints
from wireroom.town import Running, build_town, running_town

URL = "https://courier.example/rss.xml"
NOTICE = "Subscribe to our newsletter"


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


@pytest.fixture(autouse=True)
def _without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    use_inline_engine(monkeypatch)


@pytest.fixture
def saved() -> tuple[str, ...]:
    """Two saved pages, as options."""
    Path("a.html").write_text(page("Alpha at sea", "a"))
    Path("b.html").write_text(page("Beta ashore", "b"))
    return ("--page", "a.html", "--page", "b.html")


def test_a_selector_is_compared_with_reading_in_the_general_way(
    wireroom: Run, saved: tuple[str, ...]
) -> None:
    ran = wireroom("test-feed", URL, *saved, "--body-selector", "article p, .comments p")
    assert (ran.code, ran.err) == (0, "")
    assert "body selector  article p, .comments p  2 of 2 pages" in ran.out
    assert "page → body selector" in ran.out
    assert f"  + {NOTICE}" in ran.out
    assert not Path("wireroom.db").exists()


def test_a_narrow_selector_gets_no_better_mark_and_is_named(
    wireroom: Run, saved: tuple[str, ...]
) -> None:
    ran = wireroom("test-feed", URL, *saved, "--body-selector", ".comments p")
    assert ran.code == 0
    assert "words are left; is that meant?" in ran.out
    answer = json.loads(
        wireroom("test-feed", URL, *saved, "--body-selector", ".comments p", "--json").out
    )
    for tested in answer["pages"]:
        assert tested["after"]["quality"] < 0.5 * tested["before"]["quality"]
        assert "words are left" in tested["after"]["doubt"]
    wide = wireroom("test-feed", URL, *saved, "--body-selector", "article p, .comments p")
    assert "→ given" in wide.out
    assert "is that meant?" not in wide.out


def test_held_hints_are_the_before(wireroom: Run, saved: tuple[str, ...]) -> None:
    feed = Feed(
        url=URL,
        publisher="courier.example",
        kind="rss",
        name="Courier",
        hints=Hints(body_selector=".comments p", metadata_selectors={"section": "nav a"}),
    )
    with open_app("sqlite:///wireroom.db") as app:
        save_feeds(app.store, [feed], now=app.clock())
    before = Path("wireroom.db").read_bytes()
    data = json.loads(
        wireroom("test-feed", "Courier", *saved, "--body-selector", "article p", "--json").out
    )
    (first, _) = data["pages"]
    assert first["before"]["text"] == NOTICE
    assert first["after"]["words"] > 50
    assert first["matched"]["section"] == "Home"
    assert data["items"] is None
    assert wireroom("test-feed", "Courier", *saved).code == 0
    assert Path("wireroom.db").read_bytes() == before


def test_a_selector_that_matches_nothing_anywhere_is_exit_code_3(
    wireroom: Run, saved: tuple[str, ...]
) -> None:
    ran = wireroom("test-feed", URL, *saved, "--metadata-selector", "section=.kicker")
    assert ran.code == 3
    assert "section: matched nothing on any page" in ran.err
    assert "0 of 2 pages" in ran.out
    assert wireroom("test-feed", URL, "--page", "none.html").code == 3
    assert wireroom("test-feed", URL, *saved, "--body-selector", "]").code == 2


def test_off_a_terminal_long_addresses_shift_no_column(wireroom: Run) -> None:
    long = f"{'a' * 80}.html"
    for name in ("b.html", long):
        Path(name).write_text(page("Alpha at sea", "a"))
    out = wireroom("test-feed", URL, "--page", "b.html", "--page", long).out
    lines = out[out.index("words") :].splitlines()[:3]
    assert (
        len({line.index(word) for line, word in zip(lines[1:], ("b.html", long), strict=True)}) == 1
    )


def test_a_page_without_an_article_is_a_row(wireroom: Run) -> None:
    Path("login.html").write_text("<title>Sign in</title><form><input type=password></form>")
    ran = wireroom("test-feed", URL, "--page", "login.html")
    assert ran.code == 0
    assert "none" in ran.out


def test_a_feed_is_asked_and_its_first_pages_are_read(town: Running, wireroom: Run) -> None:
    ran = wireroom("test-feed", "courier.test/rss.xml", "-n", "2", "--body-selector", "article")
    assert ran.code == 0, ran.err
    assert "rss, 20 items, 20 of them dated, 20 with their whole text" in ran.out
    assert "does not fetch their pages, unless selectors are given" in ran.out
    assert "2 of 2 pages" in ran.out
    asked = [
        request.path
        for request in town.log.requests_to("courier.test")
        if request.path.startswith("/2")
    ]
    assert len(asked) == 2
    assert not Path("w.db").exists()


def test_live_pages_and_what_cannot_be_had(town: Running, wireroom: Run) -> None:
    story = town.town.stories("courier.test")[0]
    gone = "http://trouble.test/gone"
    ran = wireroom("test-feed", "http://courier.test/rss.xml", "--page", story.url, "--page", gone)
    assert ran.code == 0
    assert story.title in ran.out
    assert f"{gone}: " in ran.err
    assert wireroom("test-feed", "http://trouble.test/gone").code == 1
    no_feed = wireroom("test-feed", "http://trouble.test/feed/html")
    assert no_feed.code == 1
    assert no_feed.err.count("\n") == 1
