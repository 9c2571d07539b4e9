"""Feeds as a page shows them: thirty days with what was to be expected, and all the rest in bulk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.queries import noted_queries
from tests.holding import save_feeds, save_polled
from tests.store.samples import article, feed, item, polled, reading
from tests.store.test_contract_overview import hold
from wireroom.app import App, open_app
from wireroom.app.feed_history import FeedFilter, feed_history, feed_list
from wireroom.app.waiting import WaitsFor
from wireroom.errors import QueryError
from wireroom.model import Feed, Observation, PollHistory, Rhythm

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
RSS = "https://courier.test/rss"
WEEKDAYS = Rhythm(
    per_day=10.0,
    low=8.0,
    high=12.0,
    confidence="high",
    sample_size=200,
    span=timedelta(days=28),
    source="rss",
    weekday=(40, 40, 40, 40, 40, 0, 0),
)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW) as opened:
        yield opened


def hold_feed(app: App, url: str = RSS, **changes: object) -> Feed:
    """A feed that was polled, with items of the last days."""
    held = replace(feed(url, rhythm=WEEKDAYS), **changes)  # type: ignore[arg-type]
    save_feeds(app.store, [held], now=NOW)
    ages = (0, 0.1, 1, 3, 29, 31)
    items = [
        item(number, url, published_at=NOW - age * DAY, url=f"{url}/story-{number}")
        for number, age in enumerate(ages)
    ]
    good = Observation(feed_url=url, about="quality", value=0.5, at=NOW)
    save_polled(app.store, held, replace(polled(items, url), observations=(good,)), now=NOW)
    return held


def test_thirty_days_with_a_band_that_knows_the_weekdays(app: App) -> None:
    hold_feed(app)
    history = feed_history(app, RSS)
    assert history is not None
    days = {day.day: day for day in history.days}
    assert len(days) == 30
    assert history.days[-1].day == NOW.date()
    assert [history.days[place].items for place in (-1, -2, -4, 0)] == [2, 1, 1, 1]
    assert sum(day.items for day in history.days) == 5, "an item of 31 days ago is not shown"
    monday, sunday = days[(NOW - 2 * DAY).date()], days[(NOW - 3 * DAY).date()]
    assert (sunday.low, sunday.expected, sunday.high) == (0, 0.0, 0)
    assert monday.expected == 14.0
    assert monday.low is not None
    assert monday.high is not None
    assert 0 < monday.low < 10 < 18 < monday.high < 30
    today = history.days[-1]
    assert today.expected == 7.0, "half of the day is over"


def test_nothing_is_expected_of_days_before_its_items_are_known(app: App) -> None:
    """A new feed names some days of items: it was not silent before."""
    held = replace(feed(RSS, rhythm=WEEKDAYS))
    save_feeds(app.store, [held], now=NOW)
    items = [item(number, RSS, published_at=NOW - age * DAY) for number, age in enumerate((1, 3.2))]
    save_polled(app.store, held, polled(items, RSS), now=NOW)
    history = feed_history(app, RSS)
    assert history is not None
    assert [day.high is not None for day in history.days] == [False] * 27 + [True] * 3
    undated = "https://undated.test/rss"
    save_feeds(app.store, [feed(undated, rhythm=WEEKDAYS)], now=NOW)
    history = feed_history(app, undated)
    assert history is not None
    assert {day.high for day in history.days} == {None}


def test_without_a_rhythm_nothing_is_expected(app: App) -> None:
    hold_feed(app, rhythm=None)
    history = feed_history(app, RSS)
    assert history is not None
    assert {day.high for day in history.days} == {None}
    assert history.rhythm == ""
    assert feed_history(app, "https://nobody.test/rss") is None


def test_a_feed_says_how_it_does_and_when_it_is_polled(app: App) -> None:
    standing = PollHistory(
        polled_at=NOW - DAY, new_at=NOW - 2 * DAY, because="its rhythm is 10 a day"
    )
    held = hold_feed(app, standing=standing, poll_after=NOW + DAY, failures=3, reliability=0.9)
    hold(app.store, held.publisher)
    free = article(1, feed_url=RSS)
    locked = article(2, feed_url=RSS, paywall="locked")
    app.store.save_readings([reading(free), reading(locked)], now=NOW)
    history = feed_history(app, RSS)
    assert history is not None
    assert (history.health, history.failures, history.because) == ("live", 3, standing.because)
    assert (history.new_at, history.polled_at) == (standing.new_at, standing.polled_at)
    assert history.wait is not None
    assert (history.wait.on, history.wait.until) == (WaitsFor.TIME, NOW + DAY)
    assert (history.copies, history.paywalled) == (0.0, 0.5)
    assert history.parts is not None
    assert history.parts.quality == pytest.approx(0.9)
    assert history.reliability == history.parts.total
    assert (history.rhythm, history.rights["ai-train"]) == ("10 a day", "deny")


def test_a_list_goes_on_where_it_ended_and_counts_by_state(app: App) -> None:
    for number in range(5):
        state = "silent" if number % 2 else "live"
        hold_feed(app, f"https://p{number}.test/rss", state=state)
    first = feed_list(app, limit=3)
    rest = feed_list(app, limit=3, cursor=first.next)
    assert [row.feed.publisher for row in (*first.rows, *rest.rows)] == [
        f"p{number}.test" for number in range(5)
    ]
    assert (first.total, first.states, rest.next) == (5, {"live": 3, "silent": 2}, "")
    silent = feed_list(app, FeedFilter(states=("silent",)), order="new")
    assert (len(silent.rows), silent.total, silent.states) == (2, 2, first.states)
    with pytest.raises(QueryError, match="not one of this list"):
        feed_list(app, order="new", cursor=first.next)


def test_fifty_feeds_take_as_many_queries_as_one(app: App) -> None:
    counts = []
    for number in range(50):
        hold_feed(app, f"https://p{number}.test/rss")
        if number in {0, 49}:
            with noted_queries() as asked:
                assert len(feed_list(app).rows) == number + 1
            counts.append(len(asked))
    assert 0 < counts[0] == counts[1] < 20
