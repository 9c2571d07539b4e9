"""`wireroom backfill`: older articles from sitemaps, politely, in as many runs as it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.cli.odd import odd_publishers
from tests.cli.towns import Run, write_settings
from tests.holding import save_feeds
from wireroom import open_app
from wireroom.cli.backfill.backfill_view import read_span
from wireroom.errors import SettingsError
from wireroom.model import Feed, Hints, Lead
from wireroom.town import Running, build_town, running_town

SITEMAP = "http://courier.test/sitemap.xml"
GIVEN = ("--sitemap", SITEMAP, "--since", "2000")


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


def leads() -> tuple[Lead, ...]:
    with open_app("sqlite:///w.db") as app:
        return app.store.leads()


@pytest.mark.long
def test_it_goes_on_where_it_stopped_and_adds_nothing_twice(town: Running, wireroom: Run) -> None:
    stories = {story.url for story in town.town.stories("courier.test")}
    dry = json.loads(wireroom("backfill", "courier.test", *GIVEN, "--dry-run", "--json").out)
    assert (dry["new"], dry["known"], dry["more"]) == (len(stories), 0, False)
    assert dry["seconds"] == len(stories)
    assert not Path("w.db").exists(), "a dry run makes no database"
    first = wireroom("backfill", "courier.test", *GIVEN, "--limit", "10")
    assert first.code == 0
    assert "10 pages more to be read, 0 known before" in first.err
    assert "Run it again to go on." in first.err
    assert "Reading them takes 10 s, at one request a second." in first.err
    second = wireroom("backfill", "courier.test", *GIVEN)
    assert f"{len(stories) - 10} pages more to be read, 10 known before" in second.err
    third = wireroom("backfill", "courier.test", *GIVEN)
    assert f"0 pages more to be read, {len(stories)} known before" in third.err
    assert {lead.url for lead in leads()} == stories
    with open_app("sqlite:///w.db") as app:
        assert [event.kind for event in app.store.events()].count("backfilled") == 2


def test_only_the_range_is_taken(town: Running, wireroom: Run) -> None:
    now = town.town.clock.now()
    day = f"{now - timedelta(days=1):%Y-%m-%d}"
    span = ("--since", day, "--until", day)
    ran = wireroom("backfill", "courier.test", "--sitemap", SITEMAP, *span)
    assert ran.code == 0
    assert "outside of the range" in ran.err
    assert all(_changed(lead).strftime("%Y-%m-%d") == day for lead in leads())
    assert wireroom("backfill", "courier.test", "--sitemap", SITEMAP, "--since", "2000", "--until", "2001").code == 3  # fmt: skip


def _changed(lead: Lead) -> datetime:
    assert lead.item is not None
    assert lead.item.updated_at is not None
    return lead.item.updated_at.astimezone(UTC)


@pytest.mark.long
def test_the_publishers_own_sitemaps_are_walked_index_and_all(town: Running, wireroom: Run) -> None:
    ran = wireroom("backfill", "yunjiang.test", "--since", "2000", "--json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["sitemaps"] == 14
    assert data["problems"] == {}
    assert data["new"] == len(town.town.stories("yunjiang.test"))


def test_leads_take_the_selectors_of_the_publishers_feed(town: Running, wireroom: Run) -> None:
    feed = Feed(
        url="http://courier.test/rss.xml",
        publisher="courier.test",
        kind="rss",
        hints=Hints(body_selector="article p"),
    )
    with open_app("sqlite:///w.db") as app:
        save_feeds(app.store, [feed], now=app.clock())
    wireroom("backfill", "courier.test", *GIVEN, "--limit", "1")
    (lead,) = leads()
    assert lead.item is not None
    assert lead.item.feed_url == feed.url


def test_a_dry_run_writes_nothing(town: Running, wireroom: Run) -> None:
    ran = wireroom("backfill", "courier.test", "--since", "2000", "--dry-run", "--json")
    assert (ran.code, json.loads(ran.out)["dry_run"]) == (0, True)
    assert not list(Path().glob("w.db*")), "where there was no database, there is none now"
    with open_app("sqlite:///w.db") as app:
        before = app.store.counts()
    again = wireroom("backfill", "courier.test", "--since", "2000", "--dry-run")
    assert (again.code, again.out) == (0, "")
    with open_app("sqlite:///w.db") as app:
        assert app.store.counts() == before


@pytest.mark.parametrize(
    ("publisher", "code", "message"),
    [
        ("gate.test", 5, "its homepage could not be fetched: HTTP 403: challenge of"),
        ("blank.test", 3, "no sitemap of it is known; if you know one, name it with --sitemap URL"),
    ],
)
def test_where_no_sitemap_is_known_the_reason_is_reported(
    town: Running, wireroom: Run, publisher: str, code: int, message: str
) -> None:
    ran = wireroom("backfill", publisher, "--since", "2000")
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(f"error: {publisher}: {message}")
    assert "0 pages" not in ran.err
    data = wireroom("backfill", publisher, "--since", "2000", "--json")
    assert data.code == code
    assert json.loads(data.out)["reason"].startswith(message)


def test_a_publisher_that_robots_txt_closes_is_refused(wireroom: Run) -> None:
    with odd_publishers() as odd:
        write_settings(odd.hosts())
        ran = wireroom("backfill", "barred.test", "--since", "2000")
    assert ran.code == 4
    assert ran.err.startswith("error: barred.test: its homepage could not be fetched: ")
    assert "robots.txt" in ran.err


def test_hostile_sitemaps_end(town: Running, wireroom: Run) -> None:
    for path in ("self", "deep", "cut"):
        url = f"http://trouble.test/sitemap/{path}"
        ran = wireroom("backfill", "trouble.test", "--sitemap", url, "--since", "2000")
        assert ran.code in {0, 3}, (path, ran.err)
        assert town.log.count("trouble.test") < 15
    gone = wireroom("backfill", "trouble.test", "--sitemap", "http://trouble.test/gone", "--since", "2000")  # fmt: skip
    assert gone.code == 1
    assert "410" in gone.err


def test_ranges() -> None:
    now = datetime(2026, 11, 16, 3, tzinfo=UTC)
    assert read_span("2026-05", "", now=now).since == datetime(2026, 5, 1, tzinfo=UTC)
    assert read_span("2026-05", "", now=now).until == now
    year = read_span("2025", "2025")
    assert year.holds(datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert not year.holds(datetime(2026, 1, 1, tzinfo=UTC))
    vienna = read_span("yesterday", "monday", now=now, zone=ZoneInfo("Europe/Vienna"))
    assert vienna.since == datetime(2026, 11, 14, 23, tzinfo=UTC)
    assert vienna.holds(datetime(2026, 11, 16, 22, 59, tzinfo=UTC))
    february = read_span("2024-02-01", "2024-02")
    assert february.holds(datetime(2024, 2, 29, 12, tzinfo=UTC))
    for since, until in (
        ("soon", ""),
        ("2026-13", ""),
        ("2026", "2025"),
        ("0000", ""),
        ("9999", "9999"),
    ):
        with pytest.raises(SettingsError, match="expected"):
            read_span(since, until)


@pytest.mark.long
def test_the_time_it_takes_counts_the_crawl_delay(town: Running, wireroom: Run) -> None:
    given = ("--sitemap", "http://sentinel.test/sitemap_index.xml", "--since", "2000", "--dry-run")
    ran = wireroom("backfill", "sentinel.test", *given, "--json")
    summary = json.loads(ran.out)
    assert summary["new"] > 0
    assert summary["seconds"] == 2 * summary["new"]
    assert "at one request in 2 s." in ran.err
