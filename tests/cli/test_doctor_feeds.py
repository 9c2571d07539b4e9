"""`wireroom doctor` on what is followed: feeds that do not do well, rates that rest on nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.cli.following import FARO, NOW, held, open_held
from tests.holding import save_feeds
from wireroom.app import doctor as checks
from wireroom.app.doctor import Check, jumped, was_slow, without_sample
from wireroom.cli.session import Session
from wireroom.model import Dossier, Feed, Finding, Publisher


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
    assert (check.state, check.found) == ("ok", "2 followed, none silent or gone")


@pytest.mark.long
def test_publishers_whose_rate_rests_on_no_date_are_named() -> None:
    held()
    assert found("rhythm") == []
    with open_held() as app:
        app.store.save_dossier(dossier(0))
    (check,) = found("rhythm")
    assert check.state == "warn"
    assert "faro.test" in check.found
    assert check.advice == "Scout again: wireroom scout faro.test --refresh"


def test_what_nobody_looked_at_is_no_warning() -> None:
    assert without_sample(dossier(0))
    assert not without_sample(dossier(20))
    assert not without_sample(dossier(None))
    assert not without_sample(dossier(0, feeds=False))
    assert not without_sample(None)


def measured(per_day: float, *, sample: int = 20) -> Finding:
    facts = {"measured": {"sample_size": sample, "per_day": per_day}}
    return Finding(step="frequency", outcome="yes", facts=facts, found_at=NOW)


def test_a_rate_that_jumps_between_visits_is_a_sign() -> None:
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
        app.store.save_dossier(replace(dossier(20), findings=(measured(2),)))
        label = {"frequency_label": "hourly"}
        fast = measured(20)
        jump = replace(fast, facts={**fast.facts, **label}, took=slow.took)
        app.store.save_dossier(replace(dossier(20), findings=(jump,)))
    messages = [check.found for check in found("rhythm")]
    assert messages == [
        "a step of the last scout took longer than 15 s: faro.test",
        "the rate is 3 times what it was, or 1/3 of it: faro.test",
    ]


def slow_scout(seconds: float, *, crawl_delay: float | None) -> Dossier:
    facts = {"crawl_delay": crawl_delay}
    robots = Finding(step="robots", outcome="yes", facts=facts, found_at=NOW)
    slow = Finding(step="feeds", outcome="yes", found_at=NOW, took=timedelta(seconds=seconds))
    return replace(dossier(20), findings=(robots, slow))


@pytest.mark.parametrize(
    ("seconds", "crawl_delay", "slow"),
    [
        (16, None, True),
        (14, None, False),
        (16, 5, False),  # three requests with the pauses that were asked for
        (310, 10, False),  # the last of thirty
        (400, 10, True),
        (400, 86_400, False),  # a slip of the unit: nobody waits for longer than a minute
        (3_000, 86_400, True),
    ],
)
def test_a_step_that_is_slow_for_a_crawl_delay_is_no_warning(
    seconds: float, crawl_delay: float | None, slow: bool
) -> None:
    assert was_slow(slow_scout(seconds, crawl_delay=crawl_delay)) is slow


@pytest.mark.long
def test_a_crawl_delay_is_not_held_against_its_publisher() -> None:
    held()
    with open_held() as app:
        app.store.save_dossier(slow_scout(40, crawl_delay=10))
    assert found("rhythm") == []


@pytest.mark.long
def test_that_no_publisher_at_all_has_a_news_sitemap_is_a_sign() -> None:
    held()
    hosts = [f"paper-{number}.test" for number in range(5)]
    with open_held() as app:
        feeds = [Feed(url=f"http://{host}/rss", publisher=host, kind="rss") for host in hosts]
        save_feeds(app.store, feeds, now=NOW)
        for host in hosts:
            publisher = Publisher(domain=host, added_at=NOW)
            app.store.save_dossier(replace(dossier(20), publisher=publisher))
    (check,) = found("sitemaps")
    assert check.found == "none of 5 publishers has a news sitemap"
    with open_held() as app:
        facts = {"has_news_sitemap": True}
        seen = Finding(step="sitemap_analysis", outcome="yes", facts=facts, found_at=NOW)
        app.store.save_dossier(replace(dossier(20), findings=(seen,)))
    assert found("sitemaps") == []


def test_without_a_database_there_is_nothing_to_look_at() -> None:
    assert found("feeds") == []
