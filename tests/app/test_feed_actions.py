"""What a person does to one feed: poll it now, say something else of it, try selectors on a kept page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.app.test_reparse import NOW, PAGE, hold
from tests.cli.inline import InlineEngine
from tests.holding import save_feeds
from tests.store.samples import feed
from wireroom.app import App, open_app
from wireroom.app.feed_actions import edit_feed, option_texts, poll_now, try_selectors
from wireroom.app.waiting import WaitsFor
from wireroom.errors import SettingsError
from wireroom.model import FeedState, Hints, PollHistory

RSS = "https://courier.test/rss"
HOUR = timedelta(hours=1)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:", clock=lambda: NOW) as opened:
        yield opened


@pytest.mark.parametrize("state", ["live", "silent", "resting", "gone"])
def test_a_feed_is_polled_now_whatever_its_state(app: App, state: FeedState) -> None:
    save_feeds(app.store, [feed(RSS, state=state, poll_after=NOW + HOUR, failures=3)], now=NOW)
    assert poll_now(app, RSS).on is WaitsFor.RUN
    (taken,) = app.store.take_feeds(holder="run-a", now=NOW, limit=5, lease=HOUR)
    assert (taken.url, taken.state, taken.failures) == (RSS, state, 3)
    assert [event.kind for event in app.events()][-1] == "feed_due"


def test_a_paused_feed_and_a_strange_one_are_not_polled(app: App) -> None:
    save_feeds(app.store, [feed(RSS, state="paused")], now=NOW)
    with pytest.raises(SettingsError, match="is paused"):
        poll_now(app, RSS)
    with pytest.raises(SettingsError, match="no feed is called"):
        poll_now(app, "https://nobody.test/rss")


def test_options_are_edited_as_differences(app: App) -> None:
    held = feed(RSS, name="Courier", region="North", interval=HOUR)
    save_feeds(app.store, [held], now=NOW)
    polled = replace(held, standing=PollHistory(polled_at=NOW), title="New title")
    done = edit_feed(
        app,
        RSS,
        {"region": "South", "interval": "", "body_selector": "article .story p", "name": "Courier"},
    )
    assert {change.field for change in done.changed} == {"region", "interval", "body_selector"}
    save_feeds(app.store, [replace(polled, **done.feed.options_by_field())], now=NOW)
    now = app.store.feed(RSS)
    assert now is not None
    assert (now.region, now.interval, now.name) == ("South", None, "Courier")
    assert now.hints.body_selector == "article .story p"
    event = [event for event in app.events() if event.kind == "feed_changed"][-1]
    assert set(event.data["fields"]) == {"region", "interval", "body_selector"}
    assert edit_feed(app, RSS, {"region": "South"}).changed == ()


def test_a_form_reads_back_what_it_showed_passwords_too(app: App) -> None:
    held = feed(
        RSS,
        name="Courier",
        proxy="http://user:secret@proxy.test:8080",
        hints=Hints(metadata_selectors={"section": "nav .here"}, json_ld=False),
    )
    save_feeds(app.store, [held], now=NOW)
    shown = {option.name: option.text for option in option_texts(held)}
    assert "secret" not in str(shown)
    assert shown["json_ld"] == "false"
    assert edit_feed(app, RSS, shown).changed == ()
    again = app.store.feed(RSS)
    assert again is not None
    assert again.proxy == held.proxy


def test_what_is_wrong_changes_nothing(app: App) -> None:
    other = feed("https://herald.test/rss", name="Herald")
    save_feeds(app.store, [feed(RSS, name="Courier"), other], now=NOW)
    for texts, message in (
        ({"colour": "red"}, "no option of a feed is called that"),
        ({"interval": "soon", "region": "South"}, "interval"),
        ({"body_selector": "p[["}, "body_selector"),
        ({"name": "Herald"}, "another name"),
        ({"note": "x" * 20_000}, "at most"),
    ):
        with pytest.raises(SettingsError, match=message):
            edit_feed(app, RSS, texts)
    held = app.store.feed(RSS)
    assert held is not None
    assert (held.region, held.name) == ("", "Courier")


async def test_selectors_are_tried_on_a_kept_page_and_nothing_is_saved(app: App) -> None:
    save_feeds(app.store, [feed(RSS)], now=NOW)
    page = PAGE.replace(
        "</article>", "<p class=end>The end of the story is here, at last.</p></article>"
    )
    held = hold(app, page=page, feed_url=RSS)
    tried = await try_selectors(
        InlineEngine(),
        app,
        held.id,
        {"body_selector": "p.end", "metadata_selectors": '{"kicker": ".none"}'},
    )
    assert tried is not None
    assert tried.before.text.startswith("The harbour master opened")
    assert tried.after.text == "The end of the story is here, at last."
    assert tried.diff.removed > 50
    assert tried.matched["body selector"].startswith("The end")
    assert tried.matched["kicker"] == ""
    now = app.store.article(held.id)
    assert now is not None
    assert now.text == held.text
    kept = app.store.feed(RSS)
    assert kept is not None
    assert kept.hints.body_selector == ""
    assert await try_selectors(InlineEngine(), app, "abcdef", {}) is None
    gone = hold(app, 2, raw=None)
    assert await try_selectors(InlineEngine(), app, gone.id, {}) is None
