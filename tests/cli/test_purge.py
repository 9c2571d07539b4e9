"""`wireroom purge`: shows, asks, and takes away what was shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app import test_page_rights as reviewed
from tests.cli.conftest import run_process
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run
from tests.export.holding import hold
from tests.export.samples import article
from tests.holding import find_lead, save_feeds, save_polled
from wireroom.app import App, open_app
from wireroom.model import Feed, Polled, RawPage

WEEKLY = "weekly.example"
TODAY = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db") as opened:
        feed = Feed(url=f"https://{WEEKLY}/rss", publisher=WEEKLY, kind="rss", name="Weekly")
        save_feeds(opened.store, [feed], now=TODAY)
        for days, held in ((200, article(1)), (100, article(2, WEEKLY)), (1, article(3, WEEKLY))):
            _hold(opened, held.url, held.publisher, days, int(held.url[-1]))
        yield opened


def _hold(app: App, url: str, publisher: str, days: int, number: int) -> None:
    at = TODAY - timedelta(days=days)
    page = RawPage(body=b"<html>", content_type="text/html")
    hold(
        app,
        [article(number, publisher, published_at=at, fetched_at=at, raw=page)],
        now=at,
    )


def left(app: App) -> set[str]:
    return {article.id for article in app.store.articles()}


def test_a_dry_run_shows_and_does_nothing(app: App, wireroom: Run) -> None:
    ran = wireroom("purge", "--older-than", "90d", "--dry-run")
    assert ran.code == 0
    assert ran.out.startswith("2 articles, ")
    assert "1  courier.example" in ran.out
    assert ran.err == "Nothing was done.\n"
    assert len(left(app)) == 3


def test_a_publisher_goes_and_the_others_stay(app: App, wireroom: Run) -> None:
    old = wireroom("purge", "--publisher", WEEKLY, "--older-than", "90d", "--dry-run", "--json")
    assert json.loads(old.out)["publishers"] == {WEEKLY: 1}
    ran = wireroom("purge", "--publisher", f"WWW.{WEEKLY}", "--yes", "--json")
    assert json.loads(ran.out)["publishers"] == {WEEKLY: 2}
    assert {article.publisher for article in app.store.articles()} == {"courier.example"}
    assert wireroom("purge", "--publisher", WEEKLY, "--yes").code == 3
    assert wireroom("purge", "--publisher", WEEKLY, "--raw").code == 2


def test_a_publisher_nobody_knows_is_distinguished_from_one_without_articles(
    app: App, wireroom: Run
) -> None:
    ran = wireroom("purge", "--publisher", "nope.test", "--dry-run")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "Nothing is known about nope.test. Try: wireroom scout nope.test\n"
    data = json.loads(wireroom("purge", "--publisher", "nope.test", "--json").out)
    assert data == {"unknown": ["nope.test"], "done": False}


@pytest.mark.parametrize("odd", [" ", "/", "a b", '"', "http://"])
def test_what_names_no_publisher_does_not_mean_all_of_them(
    app: App, wireroom: Run, odd: str
) -> None:
    ran = wireroom("purge", "--publisher", odd, "--yes")
    assert ran.code == 2
    assert "--publisher" in ran.err
    assert len(left(app)) == 3


def test_what_is_old_goes_and_is_not_fetched_again(app: App, wireroom: Run) -> None:
    ran = wireroom("purge", "--older-than", "90 days", "--yes", "--json")
    assert ran.code == 0
    summary = json.loads(ran.out)
    assert (summary["articles"], summary["raw_pages"], summary["done"]) == (2, 2, True)
    assert left(app) == {article(3, WEEKLY).id}
    lead = find_lead(app.store, "courier.example", article(1).url)
    assert lead is not None
    assert (lead.state, lead.cause) == ("refused", "purged")
    assert lead.reason == "purged: you asked for it"


@pytest.mark.parametrize("name", ["Weekly", f"https://{WEEKLY}/rss"])
def test_what_came_by_a_feed_goes(app: App, wireroom: Run, name: str) -> None:
    assert wireroom("purge", "--feed", name, "--yes").code == 0
    assert left(app) == {article(1).id}


def move(app: App, url: str, new_url: str) -> None:
    """The feed answers from elsewhere from now on."""
    held = app.store.feed(url)
    assert held is not None
    moved = Polled(feed_url=url, result="moved")
    save_polled(app.store, replace(held, url=new_url), moved, now=TODAY)


@pytest.mark.parametrize(
    "command", [("purge", "--feed", "Weekly"), ("remove", "Weekly", "--articles")]
)
def test_what_came_by_a_feed_before_it_moved_goes_as_well(
    app: App, wireroom: Run, command: tuple[str, ...]
) -> None:
    move(app, f"https://{WEEKLY}/rss", f"https://feeds.{WEEKLY}/rss")
    assert wireroom("purge", "--raw", "--feed", "Weekly", "--dry-run").out == "2 raw pages\n"
    ran = wireroom(*command, "--yes")
    assert ran.code == 0
    assert "2 articles" in ran.err
    assert left(app) == {article(1).id}


def test_a_feed_that_nobody_follows_is_named_by_its_address(app: App, wireroom: Run) -> None:
    assert wireroom("purge", "--feed", "https://courier.example/rss", "--yes").code == 0
    assert article(1).id not in left(app)
    assert wireroom("purge", "--feed", "Courier", "--yes").code == 3


def test_age_and_feed_hold_together(app: App, wireroom: Run) -> None:
    assert wireroom("purge", "--feed", "Weekly", "--older-than", "30d", "--yes").code == 0
    assert left(app) == {article(1).id, article(3, WEEKLY).id}


def test_raw_pages_go_and_articles_stay(app: App, wireroom: Run) -> None:
    ran = wireroom("purge", "--raw", "--older-than", "150d", "--yes")
    assert (ran.code, ran.err) == (0, "Gone: 1 raw page.\n")
    assert app.store.raw(article(1).id) is None
    assert wireroom("purge", "--raw", "--feed", "Weekly", "--yes").err == "Gone: 2 raw pages.\n"
    assert wireroom("purge", "--raw", "--yes").code == 3
    assert len(left(app)) == 3


@pytest.mark.long
def test_without_a_person_nothing_goes_unasked(app: App) -> None:
    ran = run_process("purge", "--older-than", "90d")
    assert ran.code == 2
    assert "nobody to ask" in ran.err
    assert len(left(app)) == 3


def test_a_person_is_asked(app: App) -> None:
    ran = run_on_terminal("purge", "--older-than", "90d", answer="n\n", wait_for="[y/N]")
    assert (ran.code, len(left(app))) == (1, 3)
    assert "Nothing was done." in ran.out
    ran = run_on_terminal("purge", "--older-than", "90d", answer="y\n", wait_for="[y/N]")
    assert (ran.code, len(left(app))) == (0, 1)


def test_wrong_command_lines(app: App, wireroom: Run) -> None:
    assert wireroom("purge").code == 2
    assert wireroom("purge", "--yes").code == 2
    assert wireroom("purge", "--older-than", "old").code == 2
    assert wireroom("purge", "--older-than", "3000d", "--yes").code == 3


def test_nothing_held_is_code_3_and_makes_no_database(wireroom: Run) -> None:
    assert wireroom("purge", "--raw", "--yes").code == 3
    assert not Path("wireroom.db").exists()


STRICT = ("--set", 'rights.uses=["ai-train"]', "--set", "rights.store_on_deny=nothing")


def test_what_publishers_no_longer_permit_goes_as_the_policy_says(wireroom: Run) -> None:
    with open_app("sqlite:///wireroom.db") as opened:
        reviewed.read(opened, reviewed.OPEN, "a", "b")
        reviewed.scouted(opened, reviewed.SHUT, reviewed.NOW + timedelta(days=7))
        assert wireroom("purge", "--rights-changed", "--yes").code == 3  # the text may stay
        shown = wireroom("purge", "--rights-changed", "--dry-run", *STRICT)
        assert shown.code == 0
        assert "To be removed: 2" in shown.out
        assert len(left(opened)) == 2
        ran = wireroom("purge", "--rights-changed", "--yes", "--json", *STRICT)
        assert json.loads(ran.out) == {"removed": 2, "reduced": 0, "kept": 0, "done": True}
        assert left(opened) == set()


def test_by_rights_stands_alone(wireroom: Run) -> None:
    ran = wireroom("purge", "--rights-changed", "--raw")
    assert ran.code == 2
    assert "stands alone" in ran.err


def test_a_cursor_goes_with_what_left_under_it(app: App, wireroom: Run) -> None:
    policy = 'rights.export_on=["allow","unknown"]'
    export = ("export", "-o", "out.jsonl", "--cursor", "c", "--for", "ai-train", "--set", policy)
    assert wireroom(*export).code == 0
    assert wireroom("purge", "--cursor", "c", "--dry-run").err == "Nothing was done.\n"
    ran = wireroom("purge", "--cursor", "c", "--yes")
    assert (ran.code, ran.err) == (
        0,
        "Gone: c, with what is known of 3 articles that left.\n",
    )
    assert not Path("c").exists()
    assert len(left(app)) == 3
    assert wireroom("purge", "--cursor", "c", "--yes").code == 3
    assert wireroom("purge", "--cursor", "c", "--raw").code == 2
