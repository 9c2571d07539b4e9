"""Whatever shows a time to a person shows it by the clock of display.zone; JSON stays in UTC."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.held_feeds import COURIER, held, open_held
from tests.cli.inline import use_inline_engine
from tests.cli.terminals import run_on_terminal
from tests.cli.test_extract import page
from tests.cli.towns import Run, write_settings
from tests.export.samples import article as sample
from wireroom.app.holders import holder_name
from wireroom.cli.demo.demo_steps import _fields
from wireroom.dates.reader_clock import ReaderClock
from wireroom.ports import RunRecord
from wireroom.settings import Settings
from wireroom.settings.sections import DisplaySettings
from wireroom.town import Running, build_town, running_town

TOKYO = ("--set", "display.zone=Asia/Tokyo")
CLOCK = ReaderClock(DisplaySettings(zone="Asia/Tokyo").reader_zone())


@pytest.fixture(autouse=True)
def _without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    use_inline_engine(monkeypatch)


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


def test_a_list_of_what_was_extracted_has_hours(wireroom: Run) -> None:
    for name in ("a", "b"):
        Path(f"{name}.html").write_text(page(f"Harbour {name}", name))
    ran = wireroom("extract", "a.html", "b.html", *TOKYO)
    assert ran.out.count("2026-11-10 16:00") == 2
    assert (
        wireroom("extract", "a.html", "b.html", "--set", "display.zone=UTC").out.count("07:00") == 2
    )


def test_items_of_a_feed_that_is_tried_have_hours(town: Running, wireroom: Run) -> None:
    ran = wireroom("test-feed", "http://courier.test/rss.xml", *TOKYO)
    (story, *_) = town.town.stories("courier.test", limit=1)
    assert CLOCK.minute(story.published_at) in ran.out


def test_a_run_is_at_work_since_a_time_of_the_readers_clock(wireroom: Run) -> None:
    with open_held() as app:
        now = app.clock()
        began = now - timedelta(hours=2)
        app.store.queue.save_run(RunRecord(holder=holder_name(), began_at=began, seen_at=now))
    assert f"at work since {CLOCK.named(began)} (2 h ago)" in wireroom("status", *TOKYO).out
    assert f"{began:%H:%M} UTC" in wireroom("status", "--set", "display.zone=UTC").out
    (run,) = json.loads(wireroom("status", *TOKYO, "--json").out)["runs"]
    assert datetime.fromisoformat(run["began_at"]).utcoffset() == timedelta()


def test_pages_that_wait_were_found_at_an_hour_of_the_readers_clock(wireroom: Run) -> None:
    held()
    (row, *_) = json.loads(wireroom("leads", "--json").out)["leads"]
    found = datetime.fromisoformat(row["found_at"])
    assert CLOCK.minute(found) in wireroom("leads", *TOKYO).out
    assert f"{found:%Y-%m-%d %H:%M}" in wireroom("leads", "--set", "display.zone=UTC").out
    shown = run_on_terminal("leads", *TOKYO, columns=80).out
    assert f"found {CLOCK.minute(found)}" in shown


def test_the_story_of_a_page_has_times_beside_ages(wireroom: Run) -> None:
    held()
    url = "https://courier.test/story-0"
    data = json.loads(wireroom("why", url, "--json").out)
    found, read = (
        datetime.fromisoformat(at) for at in (data["found_at"], data["article"]["fetched_at"])
    )
    text = wireroom("why", url, *TOKYO).out
    assert f"({CLOCK.minute(found)}) by Courier" in text
    assert f"({CLOCK.minute(read)})" in text
    assert COURIER in json.dumps(data)


def test_a_card_and_rights_are_dated_by_the_readers_clock(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test", *TOKYO, "--html", "card.html", "--md", "card.md")
    plain = json.loads(wireroom("scout", "courier.test", *TOKYO, "--json").out)
    shown = f"scouted {CLOCK.long(datetime.fromisoformat(plain['scouted_at']))}"
    assert plain["scouted_at"].endswith("Z")
    assert ran.out.count(" JST") == 1
    for text in (ran.out, Path("card.html").read_text(), Path("card.md").read_text()):
        assert shown in text
        assert re.search(r"[0-9]{2}:[0-9]{2} UTC", text) is None
    ran = wireroom("rights", "--all", *TOKYO, "--html", "rights.html")
    (row,) = json.loads(wireroom("rights", "--all", *TOKYO, "--json").out)
    as_of = datetime.fromisoformat(row["as_of"])
    assert as_of.utcoffset() == timedelta()
    assert CLOCK.minute(as_of) in ran.out
    assert f"<td>{CLOCK.named(as_of)}</td>" in Path("rights.html").read_text()


def test_an_article_of_the_demo_is_dated_by_the_readers_clock() -> None:
    at = datetime(2026, 5, 3, 20, 30, tzinfo=UTC)
    clock = ReaderClock(Settings(display=DisplaySettings(zone="Asia/Tokyo")).display.reader_zone())
    assert ("published_at", "2026-05-04 05:30 JST") in _fields(sample(published_at=at), clock)
