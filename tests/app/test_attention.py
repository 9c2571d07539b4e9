"""What needs somebody's attention, with counts and a few of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.app.queries import noted_queries
from tests.holding import save_feeds, save_problems
from tests.store.samples import NOW, feed, item, lead
from tests.store.test_contract_overview import hold
from wireroom.app import App, open_app
from wireroom.app.attention import attention
from wireroom.app.feed_history import FeedFilter, feed_list
from wireroom.app.holders import holder_name
from wireroom.app.scout_signs import WarningSign
from wireroom.model import PollHistory, Problem
from wireroom.ports import RunRecord

DAY = timedelta(days=1)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW) as opened:
        yield opened


def fail_pages(app: App, url: str, state: str, count: int = 4) -> None:
    """Pages of the feed that gave nothing."""
    for number in range(count):
        page = f"{url}/{state}/{number}"
        held = lead(item=item(number, url, url=page), url=page, state=state, attempts=1)
        app.store.save_leads([replace(held, state="new", attempts=0)], now=NOW)
        app.store.save_leads([held], now=NOW)


def test_all_quiet_but_for_the_run(app: App) -> None:
    found = attention(app)
    assert (found.store.state, found.run_alive, found.feeds, found.warnings) == (
        "ok",
        False,
        (),
        (),
    )
    assert found.is_needed, "nobody reads what is due"
    run = RunRecord(holder=holder_name(), began_at=NOW, seen_at=NOW)
    app.store.queue.save_run(run)
    assert attention(app).run_alive
    assert not attention(app).is_needed


def test_feeds_are_counted_and_a_few_are_named(app: App) -> None:
    feeds = [
        feed(
            f"https://p{number}.test/rss",
            state="silent",
            standing=PollHistory(new_at=NOW - number * DAY, reason="nothing new for a long time"),
        )
        for number in range(9)
    ]
    failing, refused = feed("https://failing.test/rss"), feed("https://refused.test/rss")
    gone = feed("https://gone.test/rss", state="gone", failures=4)
    save_feeds(app.store, [*feeds, failing, refused, gone, feed("https://well.test/rss")], now=NOW)
    fail_pages(app, failing.url, "failed")
    fail_pages(app, refused.url, "refused")
    found = {group.health: group for group in attention(app, few=3).feeds}
    assert {health: group.count for health, group in found.items()} == {
        "failing": 1,
        "refused": 1,
        "silent": 9,
        "gone": 1,
    }
    assert [each.publisher for each in found["silent"].feeds] == ["p0.test", "p1.test", "p2.test"]
    assert found["silent"].feeds[0].reason == "nothing new for a long time"
    assert found["failing"].feeds[0].reason == "0 of the last 4 pages gave an article"
    assert found["refused"].feeds[0].url == refused.url
    assert found["gone"].feeds[0].failures == 4


def test_the_feeds_of_each_count_can_be_listed(app: App) -> None:
    urls = {
        "failing": "https://failing.test/rss",
        "refused": "https://refused.test/rss",
        "live": "https://well.test/rss",
        "gone": "https://gone.test/rss",
    }
    feeds = [feed(url, state="gone" if name == "gone" else "live") for name, url in urls.items()]
    save_feeds(app.store, feeds, now=NOW)
    assert feed_list(app, health="refused").rows == ()
    fail_pages(app, urls["failing"], "failed")
    fail_pages(app, urls["refused"], "refused")
    for group in attention(app).feeds:
        found = feed_list(app, health=group.health)
        assert [row.feed.url for row in found.rows] == [urls[group.health]]
        assert (found.total, found.rows[0].health) == (group.count, group.health)
        assert found.states == {"live": 3, "gone": 1}
    assert feed_list(app, health="live").total == 3, "all that answer"
    assert feed_list(app).giving_nothing == {"failing": 1, "refused": 1}
    named = feed_list(app, FeedFilter(text="failing.test"))
    assert named.giving_nothing == {"failing": 1, "refused": 0}
    assert feed_list(app, health="paused").rows == ()
    other = FeedFilter(text="well")
    assert feed_list(app, other, health="failing").rows == ()


def test_rights_scouts_and_problems(app: App) -> None:
    hold(app.store, "a.test", rights_changed_at=NOW - DAY)
    hold(app.store, "b.test", rights_changed_at=NOW - 2 * DAY, signs=("slow_step",))
    hold(app.store, "c.test", rights_changed_at=NOW - 30 * DAY, has_news_sitemap=True)
    save_feeds(app.store, [feed("https://b.test/rss")], now=NOW)
    problem = Problem(kind="timeout", message="no answer", subject_url="https://a.test/", at=NOW)
    old = replace(problem, at=NOW - 3 * DAY)
    save_problems(app.store, [problem, problem, replace(problem, kind="robots"), old])
    found = attention(app, few=1)
    assert (found.rights.count, [row.domain for row in found.rights.publishers]) == (2, ["a.test"])
    assert [(each.sign, each.publishers) for each in found.warnings] == [
        (WarningSign.SLOW_STEP, ("b.test",))
    ]
    assert found.doubtful == 1
    assert (found.problems.count, found.problems.kinds) == (3, {"timeout": 2, "robots": 1})
    assert len(found.problems.newest) == 1


def test_much_takes_as_many_queries_as_little(app: App) -> None:
    counts = []
    for number in range(30):
        url = f"https://p{number}.test/rss"
        save_feeds(app.store, [feed(url), feed(f"{url}2", state="gone")], now=NOW)
        fail_pages(app, url, "failed", 3)
        hold(app.store, f"p{number}.test", rights_changed_at=NOW)
        if number in {1, 29}:
            with noted_queries() as asked:
                attention(app)
            counts.append(len(asked))
    assert 0 < counts[0] == counts[1] < 30
