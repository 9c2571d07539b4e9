"""Feeds in reserve: spared while another of their region answers, asked when none does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poll.cases import DAY, HOUR, NOW, URL, answered, failed, feed
from wireroom.model import Feed, Polled, PollHistory
from wireroom.poll.discovery import relief_of, served_sets
from wireroom.poll.schedule import STAND_BY
from wireroom.poll.state import next_state
from wireroom.ports import Compared

OTHER = "https://star.test/feed"
ANSWERED = PollHistory(polled_at=NOW - HOUR)


def other(**fields: Any) -> Feed:
    """A feed of another publisher that has just answered, in the same region."""
    usual = {"url": OTHER, "publisher": "star.test", "region": "Coast", "standing": ANSWERED}
    return feed(**(usual | fields))


RESERVE = feed(region="coast", role="fallback")


def relief(feed: Feed, *others: Feed) -> str:
    answering = relief_of(feed, served_sets(others))
    return answering.url if answering is not None else ""


@pytest.mark.parametrize(
    ("fields", "spared"),
    [
        ({}, True),
        ({"role": "secondary"}, True),
        ({"region": "hills, coast"}, True),
        ({"standing": PollHistory()}, True),  # it has not had its turn yet
        ({"failures": 1}, False),
        ({"state": "paused"}, False),
        ({"state": "resting"}, False),
        ({"state": "silent"}, False),
        ({"state": "gone"}, False),
        ({"role": "fallback"}, False),
        ({"region": "hills"}, False),
        ({"region": ""}, False),
        ({"standing": PollHistory(polled_at=NOW - 30 * DAY)}, True),  # nobody has looked since
        ({"standing": replace(ANSWERED, barred=True)}, False),
    ],
)
def test_it_is_spared_while_another_of_its_region_answers(
    fields: dict[str, Any], spared: bool
) -> None:
    assert relief(RESERVE, other(**fields)) == (OTHER if spared else "")


def test_whoever_is_not_in_reserve_is_always_asked() -> None:
    for role in ("primary", "secondary"):
        assert relief(feed(region="coast", role=role), other()) == ""


def test_without_a_region_those_of_its_publisher_answer_for_it() -> None:
    sitemap = feed(url="https://courier.test/news.xml", role="fallback")
    assert relief(sitemap, feed(standing=ANSWERED)) == URL
    assert relief(sitemap, feed(standing=ANSWERED, region="coast")) == URL
    assert relief(sitemap, feed(failures=2)) == ""
    assert relief(sitemap, other(region="")) == ""


def test_it_is_needed_as_soon_as_one_of_its_regions_has_nobody() -> None:
    both = feed(region="coast, hills", role="fallback")
    assert relief(both, other()) == ""
    assert relief(both, other(), other(url="https://hill.test/", region="HILLS")) == OTHER


@given(st.text(max_size=30), st.text(max_size=30))
def test_whatever_regions_are_called(mine: str, theirs: str) -> None:
    spared = relief(feed(region=mine, role="fallback"), other(region=theirs))
    assert spared in {"", OTHER}
    same = relief(feed(region=mine, role="fallback", publisher="star.test"), other(region=mine))
    assert same == OTHER


@pytest.mark.parametrize(
    ("kind", "spared"),
    [("robots", False), ("rights", False), ("internal", False), ("our_network", True)],
)
def test_one_that_we_may_not_ask_any_more_answers_for_nobody(kind: str, spared: bool) -> None:
    held = feed(region="coast", standing=ANSWERED)
    after = next_state(held, failed(kind), Compared(), now=NOW, jitter=0.5).feed
    assert (after.state, after.failures) == ("live", 0)
    assert relief(RESERVE, after) == (URL if spared else "")
    again = next_state(after, answered(), Compared(), now=NOW + DAY, jitter=0.5).feed
    assert relief(RESERVE, again) == URL


def test_the_most_reliable_one_is_named() -> None:
    rivals = other(reliability=0.4), other(url="https://hill.test/", reliability=0.9)
    assert relief(RESERVE, *rivals) == "https://hill.test/"


def test_a_spared_feed_is_polled_again_soon_and_nothing_else_is_touched() -> None:
    held = feed(region="coast", role="fallback", failures=2, standing=ANSWERED)
    spared = Polled(feed_url=URL, result="spared", spared_by=OTHER)
    decision = next_state(held, spared, Compared(), now=NOW, jitter=0.5)
    after = decision.feed
    assert after.poll_after == NOW + STAND_BY
    assert after.standing.because == f"it is in reserve while {OTHER} answers"
    assert (after.failures, after.standing.polled_at) == (2, ANSWERED.polled_at)
    assert (decision.polled, decision.events) == (spared, ())
