"""`wireroom doctor` on what is followed: feeds that do not do well, rates that rest on nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.cli.held_feeds import FARO, NOW, held, open_held
from tests.cli.towns import Run
from tests.holding import save_feeds, save_polled
from wireroom.app import doctor as checks
from wireroom.app.doctor import Check
from wireroom.app.feeds import feed_health
from wireroom.app.scout_log import save_scouted
from wireroom.app.scout_signs import (
    WarningSign,
    jumped,
    lacks_news_sitemap,
    scout_warnings,
    was_slow,
    without_sample,
)
from wireroom.cli.session import Session
from wireroom.errors import BlockedError
from wireroom.model import (
    Dossier,
    Feed,
    FeedState,
    Finding,
    Item,
    LeadState,
    Observation,
    Polled,
    PollHistory,
    Publisher,
)
from wireroom.poll.leads import after_error
from wireroom.ports import FeedCount


def found(name: str) -> list[Check]:
    return [check for check in checks.diagnose(Session().load) if check.name == name]


def dossier(sample: int | None, *, feeds: bool = True) -> Dossier:
    publisher = Publisher(domain="faro.test", added_at=NOW)
    facts = {} if sample is None else {"measured": {"sample_size": sample}}
    return Dossier(
        publisher=publisher,
        findings=(Finding(step="frequency", outcome="unknown", facts=facts, found_at=NOW),),
        feeds=(Feed(url=FARO, publisher="faro.test", kind="rss"),) if feeds else (),
        scouted_at=NOW,
    )


@pytest.mark.long
def test_feeds_that_rest_are_named() -> None:
    held()
    (check,) = found("feeds")
    assert (check.state, check.found) == ("warn", f"1 resting: {FARO}")
    assert check.advice == "Look at them: wireroom feeds --state resting"


def test_feeds_that_do_well_are_a_row() -> None:
    held()
    with open_held() as app:
        app.store.remove_feed(FARO)
    (check,) = found("feeds")
    assert (check.state, check.found) == ("ok", "2 followed, none silent, gone or failing")


@pytest.mark.long
def test_publishers_whose_rate_rests_on_no_date_are_named() -> None:
    held()
    assert found("scouting") == []
    with open_held() as app:
        save_scouted(app, dossier(0))
    (check,) = found("scouting")
    assert check.state == "warn"
    assert "faro.test" in check.found
    assert check.advice.endswith("wireroom scout faro.test --refresh --explain")


def test_what_nobody_looked_at_is_no_warning() -> None:
    assert without_sample(dossier(0))
    assert not without_sample(dossier(20))
    assert not without_sample(dossier(None))
    assert not without_sample(dossier(0, feeds=False))
    assert not without_sample(None)


def measured(per_day: float, *, sample: int = 20) -> Finding:
    facts = {"measured": {"sample_size": sample, "per_day": per_day}}
    return Finding(step="frequency", outcome="yes", facts=facts, found_at=NOW)


def test_a_rate_that_jumps_between_scouts_is_a_sign() -> None:
    assert jumped([measured(4), measured(12)])
    assert jumped([measured(4), measured(12), measured(4)])
    assert not jumped([measured(4), measured(11)])
    assert not jumped([measured(4), measured(12, sample=0)])
    assert not jumped([measured(40), measured(4), measured(5)])
    assert not jumped([])


@pytest.mark.long
def test_dossiers_that_show_that_something_went_wrong_are_named() -> None:
    held()
    slow = replace(dossier(20).findings[0], took=timedelta(seconds=16))
    with open_held() as app:
        save_scouted(app, replace(dossier(20), findings=(measured(2),)))
        label = {"frequency_label": "hourly"}
        fast = measured(20)
        jump = replace(fast, facts={**fast.facts, **label}, took=slow.took)
        save_scouted(app, replace(dossier(20), findings=(jump,)))
    messages = [check.found for check in found("scouting")]
    assert messages == [
        "a step of the last scout took longer than 15 s: faro.test",
        "the rate is 3 times what it was, or 1/3 of it: faro.test",
    ]


@pytest.mark.parametrize(("seconds", "slow"), [(16, True), (14, False)])
@pytest.mark.parametrize("crawl_delay", [None, 10])
def test_a_step_is_slow_whatever_pauses_its_host_asks_for(
    seconds: float, slow: bool, crawl_delay: float | None
) -> None:
    """What a step took has no wait for a permit in it: tests/scout/test_runner.py."""
    facts = {"crawl_delay": crawl_delay}
    robots = Finding(step="robots", outcome="yes", facts=facts, found_at=NOW)
    feeds = Finding(step="feeds", outcome="yes", found_at=NOW, took=timedelta(seconds=seconds))
    assert was_slow(replace(dossier(20), findings=(robots, feeds))) is slow


@pytest.mark.long
def test_that_no_publisher_at_all_has_a_news_sitemap_is_a_sign() -> None:
    held()
    hosts = [f"paper-{number}.test" for number in range(5)]
    with open_held() as app:
        feeds = [Feed(url=f"http://{host}/rss", publisher=host, kind="rss") for host in hosts]
        save_feeds(app.store, feeds, now=NOW)
        for host in hosts:
            publisher = Publisher(domain=host, added_at=NOW)
            save_scouted(app, replace(dossier(20), publisher=publisher))
    (check,) = found("scouting")
    assert check.found.startswith("news sites without a news sitemap: paper-0.test, paper-1.test")
    assert "wireroom add ADDRESS" in check.advice  # a scout made again would find the same
    with open_held() as app:
        facts = {"has_news_sitemap": True}
        seen = Finding(step="sitemap_analysis", outcome="yes", facts=facts, found_at=NOW)
        save_scouted(app, replace(dossier(20), findings=(seen,)))
    assert found("scouting") == []


def test_without_a_database_there_is_nothing_to_look_at() -> None:
    assert found("feeds") == []


# --- a source that gives nothing -----------------------------------------------------------------


def fail_all(count: int = 20) -> None:
    """A feed that answers, and all of whose pages answer 403."""
    url, now = "https://gate.test/rss", NOW
    feed = Feed(url=url, publisher="gate.test", kind="rss", name="Gate")
    items = tuple(
        Item(feed_url=url, guid=f"{n}", url=f"https://gate.test/{n}", title=f"Story {n}")
        for n in range(count)
    )
    good = Observation(feed_url=url, about="availability", value=1.0, at=now)
    polled = Polled(feed_url=url, result="items", items=items, observations=(good,) * 3)
    with open_held() as app:
        save_feeds(app.store, [feed], now=now)
        standing = PollHistory(polled_at=now, new_at=now)
        save_polled(app.store, replace(feed, standing=standing), polled, now=now)
        leads = app.store.leads(publisher="gate.test")
        readings = [after_error(lead, BlockedError(lead.url, 403), now, 0.5) for lead in leads]
        app.store.save_readings(readings, now=now)


def test_a_feed_of_which_every_page_failed_does_not_look_healthy(wireroom: Run) -> None:
    held()
    fail_all()
    (row,) = json.loads(wireroom("feeds", "--state", "failing", "--json").out)
    assert (row["state"], row["health"], row["lately"]) == ("live", "failing", {"retry": 20})
    assert row["reliability"] < 0.7
    shown = wireroom("feeds", "--publisher", "gate.test").out
    assert "failing" in shown
    assert "live" not in shown
    assert "0 of the last 20 pages gave an article" in shown
    (check, _) = found("feeds")
    assert (check.state, check.advice) == ("warn", "Look at them: wireroom feeds --state failing")
    number = f"{row['reliability']:.2f}"
    expected = f"1 failing: Gate ({number}, 0 of the last 20 pages gave an article)"
    assert check.found == expected
    data = json.loads(wireroom("feed", "Gate", "--json").out)
    assert data["reliability"] == row["reliability"]
    of_feed = " ".join(wireroom("feed", "Gate").out.split())
    assert f"all together {number}" in of_feed
    assert "wireroom leads --feed Gate" in of_feed
    assert "1 failing" in wireroom("status").out
    assert json.loads(wireroom("status", "--json").out)["feed_health"]["failing"] == 1


FEED = Feed(url="https://a.test/rss", publisher="a.test", kind="rss")


@pytest.mark.parametrize(
    ("state", "lately", "health"),
    [
        ("live", {}, "live"),
        ("live", {"failed": 2}, "live"),  # of two, both may be chance
        ("live", {"failed": 3}, "failing"),
        ("live", {"retry": 12, "failed": 8}, "failing"),
        ("live", {"failed": 18, "read": 2}, "failing"),
        ("live", {"failed": 17, "read": 3}, "live"),
        ("live", {"failed": 17, "duplicate": 3}, "live"),
        ("live", {"refused": 20}, "refused"),
        ("live", {"refused": 5, "failed": 15}, "failing"),
        ("silent", {"failed": 20}, "silent"),
        ("paused", {"failed": 20}, "paused"),
    ],
)
def test_how_a_feed_does_by_what_came_of_its_last_pages(
    state: FeedState, lately: dict[LeadState, int], health: str
) -> None:
    assert feed_health(replace(FEED, state=state), FeedCount(lately=lately)) == health


# --- signs of scouts that went wrong -------------------------------------------------------------


def news_site(**signals: bool | None) -> Dossier:
    facts = {"signals": {"news_sitemap": False, **signals}}
    finding = Finding(step="google_news", outcome="yes", facts=facts, found_at=NOW)
    return replace(dossier(20), findings=(*dossier(20).findings, finding))


@pytest.mark.parametrize(
    ("signals", "lacks"),
    [
        ({"news_article_schema": True}, True),
        ({"news_media_organization": True}, True),
        ({"news_article_schema": False, "news_media_organization": None}, False),
        ({"news_article_schema": True, "news_sitemap": True}, False),
        ({"news_article_schema": True, "news_sitemap": None}, False),  # nobody could look
    ],
)
def test_a_news_site_without_a_news_sitemap_is_a_sign(
    signals: dict[str, bool | None], lacks: bool
) -> None:
    assert lacks_news_sitemap(news_site(**signals)) is lacks


def test_status_names_publishers_whose_scouting_shows_warning_signs(wireroom: Run) -> None:
    held()
    with open_held() as app:
        save_scouted(app, news_site(news_article_schema=True))
        (warning,) = scout_warnings(app)
    assert (warning.sign, warning.publishers) == (WarningSign.NO_NEWS_SITEMAP, ("faro.test",))
    assert "news sites without a news sitemap: faro.test" in wireroom("status").out
    (shown,) = json.loads(wireroom("status", "--json").out)["warnings"]
    assert shown == {"sign": "no_news_sitemap", "publishers": ["faro.test"]}
    (check,) = found("scouting")
    assert check.found == "news sites without a news sitemap: faro.test"
