"""The app: hands work over, keeps what comes back, tells what happened."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.holding import save_feeds, save_polled, save_problems
from wireroom import App, open_app
from wireroom.app.status import LAST_EVENTS
from wireroom.errors import StoreError
from wireroom.model import Event, Feed, Item, Polled, Problem, Validators
from wireroom.ports import StoreOptions
from wireroom.settings import FeedSettings, Settings

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
COURIER = FeedSettings(name="Courier", url="https://courier.test/rss.xml")
WEEKLY = FeedSettings(name="Weekly", url="https://weekly.test/rss.xml")


@pytest.fixture
def app() -> Any:
    with open_app("sqlite://", clock=lambda: NOW) as opened:
        yield opened


def kinds(app: App) -> list[str]:
    return [event.kind for event in app.store.events()]


def test_sync_without_apply_saves_and_tells_nothing(app: App) -> None:
    difference = app.sync([COURIER], apply=False)
    assert [feed.url for feed in difference.added] == [COURIER.url]
    assert app.store.feeds() == ()
    assert kinds(app) == []


def test_sync_with_apply_follows_the_file_and_tells_what_was_done(app: App) -> None:
    app.sync([COURIER, WEEKLY], apply=True)
    assert {feed.name for feed in app.store.feeds()} == {"Courier", "Weekly"}
    assert {publisher.domain for publisher in app.store.publishers()} == {
        "courier.test",
        "weekly.test",
    }
    changed = COURIER.model_copy(update={"interval": timedelta(minutes=15)})
    app.sync([changed, WEEKLY], apply=True)
    assert kinds(app) == ["feed_added", "feed_added", "feed_changed"]
    last = app.store.events()[-1]
    assert (last.subject, last.at) == (COURIER.url, NOW)
    assert dict(last.data) == {"interval": [None, "15 min"]}


def test_sync_twice_does_nothing_the_second_time(app: App) -> None:
    app.sync([COURIER], apply=True)
    assert app.sync([COURIER], apply=True).is_empty
    assert kinds(app) == ["feed_added"]


def test_sync_keeps_what_polling_has_learnt(app: App) -> None:
    app.sync([COURIER], apply=True)
    (feed,) = app.store.feeds()
    learnt = replace(feed, validators=Validators(etag='"7"'), failures=2, poll_after=NOW)
    save_feeds(app.store, [learnt], now=NOW)
    app.sync([COURIER.model_copy(update={"region": "north"})], apply=True)
    assert app.store.feeds() == (replace(learnt, region="north"),)


def filled(app: App) -> Feed:
    """One feed, with two items and an open lead for each."""
    app.sync([COURIER], apply=True)
    (feed,) = app.store.feeds()
    items = [
        Item(feed_url=feed.url, guid=name, url=f"https://courier.test/{name}", title=name)
        for name in ("harbour", "weather")
    ]
    polled = Polled(feed_url=feed.url, result="items", items=tuple(items))
    learnt = replace(feed, validators=Validators(etag='"7"'), failures=2, reliability=0.5)
    save_polled(app.store, learnt, polled, now=NOW)
    return learnt


@pytest.mark.parametrize("url", ["http://courier.test/rss.xml", "https://new.courier.test/feed"])
def test_a_feed_that_moves_takes_its_items_and_leads_along(app: App, url: str) -> None:
    held = filled(app)
    before, leads = app.store.counts(), app.store.leads()
    app.sync([COURIER.model_copy(update={"url": url})], apply=True)
    moved = replace(held, url=url, validators=Validators(), failures=0)
    assert app.store.feeds() == (moved,)
    assert app.store.counts() == {**before, "events": before["events"] + 1}
    assert [replace(lead, item=None) for lead in app.store.leads()] == [
        replace(lead, item=None) for lead in leads
    ]
    assert {lead.item.feed_url for lead in app.store.leads() if lead.item} == {url}
    assert app.sync([COURIER.model_copy(update={"url": url})], apply=True).is_empty


def test_a_sync_that_fails_half_way_leaves_everything_as_it_was(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(app)
    before = (app.store.feeds(), app.store.leads(), app.store.events(), app.store.counts())
    wanted = [COURIER.model_copy(update={"url": "https://courier.test/new"}), WEEKLY]

    def die(*_: object, **__: object) -> int:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("wireroom.store.events_table.add_events", die)
        with pytest.raises(StoreError):
            app.sync(wanted, apply=True)
    after = (app.store.feeds(), app.store.leads(), app.store.events(), app.store.counts())
    assert after == before
    app.sync(wanted, apply=True)
    assert {feed.url for feed in app.store.feeds()} == {entry.url for entry in wanted}


def test_a_poll_that_is_saved_during_a_sync_keeps_what_it_learnt(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = filled(app)
    learnt = replace(
        held, kind="atom", validators=Validators(etag='"8"'), failures=0, poll_after=NOW
    )
    read_feeds = type(app.store).feeds

    def read_then_poll(store: Any) -> tuple[Feed, ...]:
        found = read_feeds(store)
        save_polled(store, learnt, Polled(feed_url=held.url, result="same"), now=NOW)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(type(app.store), "feeds", read_then_poll)
        app.sync([COURIER.model_copy(update={"region": "north"})], apply=True)
    assert app.store.feeds() == (replace(learnt, region="north"),)


def test_status_counts_and_shows_the_newest_events_first(app: App) -> None:
    app.sync([COURIER, WEEKLY.model_copy(update={"enabled": False})], apply=True)
    for number in range(LAST_EVENTS + 5):
        app.store.emit([Event(kind="x", subject=str(number), at=NOW)])
    save_problems(app.store, [Problem(kind="dns", message="no", at=NOW)])
    status = app.status()
    assert status.health.state == "ok"
    assert status.feeds == {"live": 1, "paused": 1}
    assert status.counts["feeds"] == 2
    assert [event.subject for event in status.events] == [
        str(number) for number in range(LAST_EVENTS + 4, 4, -1)
    ]
    assert [problem.kind for problem in status.problems] == ["dns"]
    assert status.at == NOW


def test_status_of_an_empty_store(app: App) -> None:
    status = app.status()
    assert status.events == ()
    assert not any(status.counts.values())


def test_a_backup_can_be_opened_and_is_reported(app: App, tmp_path: Path) -> None:
    app.sync([COURIER], apply=True)
    steps: list[tuple[int, int]] = []
    app.backup(tmp_path / "copy.db", progress=lambda done, total: steps.append((done, total)))
    with open_app(f"sqlite:///{tmp_path / 'copy.db'}") as copy:
        assert len(copy.store.feeds()) == 1
    assert steps[-1][0] == steps[-1][1]
    assert kinds(app)[-1] == "backup_made"


def test_a_file_that_is_there_is_replaced_only_on_request(app: App, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    file.write_text("precious")
    with pytest.raises(StoreError):
        app.backup(file)
    assert file.read_text() == "precious"
    app.backup(file, replace=True)
    assert file.read_bytes().startswith(b"SQLite format 3")
    assert [found.name for found in tmp_path.iterdir()] == ["copy.db"]


def test_a_copy_that_cannot_be_put_in_place_is_a_store_error(app: App, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        app.backup(tmp_path / "folder", replace=True)
    assert [found.name for found in tmp_path.iterdir()] == ["folder"]


def test_a_backup_is_made_even_when_it_cannot_be_reported(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_self: object, _events: object) -> int:
        raise StoreError("The database is damaged.")

    monkeypatch.setattr(type(app.store), "emit", refuse)
    with caplog.at_level(logging.WARNING, "wireroom"):
        app.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").exists()
    assert [record.getMessage() for record in caplog.records] == ["event lost"]


def test_an_app_opens_on_the_database_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'news.db'}")
    with open_app(settings):
        assert (tmp_path / "news.db").exists()


def test_options_reach_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[StoreOptions] = []

    def note(_url: str, options: StoreOptions) -> Any:
        seen.append(options)
        return object()

    monkeypatch.setattr("wireroom.store.open_store", note)
    settings = Settings.model_validate({"store": {"raw_kept_for": "3 days"}})
    open_app(settings)
    open_app("sqlite://", options=StoreOptions(busy_timeout=timedelta(seconds=1)))
    assert seen[0].raw_kept_for == timedelta(days=3)
    assert seen[1].busy_timeout == timedelta(seconds=1)
