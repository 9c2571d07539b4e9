"""Since when, and by whose clock: moments in options and queries, hours in lists, one setting for the zone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.towns import Run
from tests.export.holding import hold
from tests.export.samples import article
from tests.holding import save_feeds
from wireroom.app import App, open_app
from wireroom.model import Dossier, Feed, Finding, Publisher
from wireroom.settings.machine_zone import MachineZone

NOW = datetime.now(UTC)
OLD = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
VIENNA = ("--set", "display.zone=Europe/Vienna")


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db") as opened:
        hold(
            opened,
            [
                article(1, title="fresh storm", published_at=NOW - timedelta(hours=2), fetched_at=NOW),
                article(2, title="late storm", published_at=OLD, fetched_at=NOW),
                article(3, title="old storm", published_at=OLD - timedelta(days=1), fetched_at=OLD),
            ],
        )  # fmt: skip
        yield opened


def _titles(ran_out: str) -> list[str]:
    return [row["title"] for row in json.loads(ran_out)]


@pytest.mark.parametrize("since", ["1d", "24 h", "24h ago", "PT24H"])
def test_what_was_published_of_late(app: App, wireroom: Run, since: str) -> None:
    assert _titles(wireroom("articles", "--since", since, "--json").out) == ["fresh storm"]
    assert _titles(wireroom("articles", f'after:"{since}"', "--json").out) == ["fresh storm"]
    assert _titles(wireroom("search", "storm", "--since", since, "--json").out) == ["fresh storm"]
    ran = wireroom("export", "-o", "-", "--format", "jsonl", "--since", since)
    assert [json.loads(line)["title"] for line in ran.out.splitlines()] == ["fresh storm"]


def test_what_arrived_of_late_whatever_its_date(app: App, wireroom: Run) -> None:
    fresh = ["fresh storm", "late storm"]
    assert _titles(wireroom("articles", "--arrived-since", "1d", "--json").out) == fresh
    assert _titles(wireroom("search", "storm", "arrived:1d", "--json").out) == fresh
    ran = wireroom("export", "-o", "-", "--format", "jsonl", "--arrived-since", "1d")
    assert [json.loads(line)["title"] for line in ran.out.splitlines()] == fresh
    assert wireroom("purge", "--query", "-arrived:1d", "--yes", "--json").code == 0
    assert _titles(wireroom("articles", "--json").out) == fresh


def test_purge_takes_a_query_with_every_field(app: App, wireroom: Run) -> None:
    ran = wireroom("purge", "--query", "title:late OR title:nothing", "--dry-run", "--json")
    assert json.loads(ran.out)["articles"] == 1
    assert wireroom("purge", "--query", "(storm", "--yes").code == 2
    assert wireroom("purge", "--query", " ", "--yes").code == 2, "blanks do not mean everything"
    assert wireroom("purge", "--raw", "--query", "storm").code == 2
    assert len(_titles(wireroom("articles", "--json").out)) == 3


@pytest.mark.parametrize("command", ["articles", "search"])
def test_a_list_shows_hours_by_the_readers_clock(app: App, wireroom: Run, command: str) -> None:
    ran = wireroom(command, "late", *VIENNA)
    assert "2026-02-01 00:30" in ran.out
    assert "2026-01-31 23:30" in wireroom(command, "late", "--set", "display.zone=UTC").out
    shown = json.loads(wireroom(command, "late", *VIENNA, "--json").out)
    assert shown[0]["published_at"] == "2026-01-31T23:30:00+00:00"
    assert shown[0]["arrived_at"].endswith("+00:00")


def test_an_article_begins_with_its_time_by_the_readers_clock(app: App, wireroom: Run) -> None:
    assert "2026-02-01 00:30 CET" in wireroom("article", article(2).id, *VIENNA).out
    assert (
        "2026-01-31 23:30 UTC"
        in wireroom("article", article(2).id, "--set", "display.zone=UTC").out
    )


def test_the_last_articles_of_a_feed_are_shown_by_the_readers_clock(
    app: App, wireroom: Run
) -> None:
    held = article(2)
    save_feeds(app.store, [Feed(url=held.feed_url, publisher=held.publisher, kind="rss")], now=NOW)
    assert "2026-02-01 00:30" in wireroom("feed", held.feed_url, *VIENNA).out


def test_findings_are_dated_by_the_readers_clock(app: App, wireroom: Run) -> None:
    found = Finding(step="robots", outcome="yes", found_at=OLD, took=timedelta())
    publisher = Publisher(
        domain="courier.example", home_url="https://courier.example/", added_at=OLD
    )
    app.store.save_dossier(Dossier(publisher=publisher, findings=(found,), scouted_at=OLD))
    assert "2026-02-01 00:30" in wireroom("history", "courier.example", *VIENNA).out


def test_days_of_a_query_begin_by_the_readers_clock(app: App, wireroom: Run) -> None:
    assert "late storm" in wireroom("articles", "after:2026-02", "before:2026-03", *VIENNA).out
    assert (
        wireroom("articles", "after:2026-02", "before:2026-03", "--set", "display.zone=UTC").code
        == 3
    )


def test_the_machines_zone_is_the_default(
    app: App, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert "2026-02-01 08:30" in wireroom("articles", "late").out
        monkeypatch.setenv("TZ", "Europe/Vienna")
        time.tzset()
        zone = MachineZone()
        shown = [datetime(2026, month, 1, 12, tzinfo=UTC).astimezone(zone) for month in (1, 7)]
        assert [(at.hour, at.tzname()) for at in shown] == [(13, "CET"), (14, "CEST")]
        assert shown[1].astimezone(UTC).hour == 12
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_zone_that_does_not_exist_is_refused(wireroom: Run) -> None:
    assert wireroom("articles", "--set", "display.zone=Moon/Crater").code == 2


def test_a_search_says_how_it_was_understood(app: App, wireroom: Run) -> None:
    ran = wireroom("search", "--explain", "storm OR surge", "lang:en", "after:2025-05", "--json")
    assert "Searching for: storm or surge, in English, since May 2025" in ran.err
    assert len(json.loads(ran.out)) == 3
