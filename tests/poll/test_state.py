"""After a poll: moved, gone, resting, silent, flooding; the same input gives the same outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poll.cases import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    URL,
    all_new,
    answered,
    failed,
    feed,
    item,
    rhythm,
)
from wireroom.errors import GoneError, StatusError
from wireroom.model import Feed, FeedHints, Observation, Polled, PollHistory, Validators
from wireroom.poll.ask_feed import answer_to_error
from wireroom.poll.reliability import reliability
from wireroom.poll.state import (
    CHANGING,
    CHANGING_POLLS,
    GONE_AFTER,
    MANY_AT_ONCE,
    MOVED_AFTER,
    RENAMED,
    RESTING_AFTER,
    RESTING_AFTER_REFUSALS,
    TOO_MANY,
    PollDecision,
    next_state,
)
from wireroom.ports import Compared

ETAG = Validators(etag='"7"')
NEW_URL = "https://courier.test/new.xml"
HELD = feed(standing=PollHistory(new_at=NOW - DAY), rhythm=rhythm())


def step(
    held: Feed,
    polled: Polled,
    compared: Compared | None = None,
    *,
    now: datetime = NOW,
    observations: Sequence[Observation] = (),
) -> PollDecision:
    return next_state(
        held, polled, compared or Compared(), now=now, jitter=0.5, observations=observations
    )


def story(held: Feed, answers: Sequence[Polled]) -> tuple[Feed, list[PollDecision]]:
    """One answer after another, each when the feed is due, with its marks remembered."""
    observations: list[Observation] = []
    decisions = []
    now = NOW
    for polled in answers:
        decision = next_state(
            held, polled, Compared(), now=now, jitter=0.5, observations=observations
        )
        observations += decision.polled.observations
        decisions.append(decision)
        held = decision.feed
        now = held.poll_after or now
    return held, decisions


def kinds(decision: PollDecision) -> list[str]:
    return [event.kind for event in decision.events]


# --- an answer -------------------------------------------------------------------------------------


def test_an_answer_teaches_all_it_can() -> None:
    items = tuple(item(number) for number in range(20))
    hints = FeedHints(ttl=20 * MINUTE)
    polled = answered(*items, validators=ETAG, kind="atom", title="The Courier", hints=hints)
    after = step(feed(failures=2), polled, all_new(items)).feed
    assert (after.kind, after.title, after.validators) == ("atom", "The Courier", ETAG)
    assert after.rhythm is not None
    assert after.rhythm.per_day == pytest.approx(24, rel=0.5)
    assert (after.failures, after.state, after.standing.reason) == (0, "live", "")
    assert after.standing.hints == hints
    assert (after.standing.polled_at, after.standing.new_at) == (NOW, NOW)
    assert after.poll_after is not None
    assert after.poll_after >= NOW + 20 * MINUTE
    assert after.standing.because


def test_nothing_new_keeps_what_is_known() -> None:
    held = replace(HELD, validators=ETAG)
    after = step(held, Polled(feed_url=URL, result="same")).feed
    assert (after.validators, after.rhythm) == (ETAG, held.rhythm)
    assert (after.standing.new_at, after.standing.polled_at) == (NOW - DAY, NOW)
    assert after.standing.because == "its rhythm is 12 a day"


def test_an_emptied_feed_changes_nothing_but_the_next_poll() -> None:
    decision = step(HELD, answered())
    assert decision.polled.items == ()
    assert (decision.feed.rhythm, decision.feed.state) == (HELD.rhythm, "live")
    assert decision.polled.observations == ()


def test_a_paused_feed_stays_paused() -> None:
    for polled in (answered(item()), failed(), failed("gone", permanent=True)):
        assert step(replace(HELD, state="paused"), polled).feed.state == "paused"


def test_the_mirror_that_answered_is_remembered() -> None:
    assert step(HELD, answered(mirror="https://one.test/f")).feed.standing.mirror
    held = replace(HELD, standing=PollHistory(mirror="https://one.test/f"))
    assert step(held, answered()).feed.standing.mirror == ""


# --- moved -----------------------------------------------------------------------------------------


def moved(url: str = NEW_URL, **fields: Any) -> Polled:
    return answered(item(), moved_url=url, validators=ETAG, **fields)


def test_a_moved_feed_is_renamed_after_three_equal_answers() -> None:
    held, decisions = story(HELD, [moved()] * MOVED_AFTER)
    assert [decision.feed.url for decision in decisions] == [URL, URL, NEW_URL]
    assert [decision.polled.feed_url for decision in decisions] == [URL] * 3, (
        "so that the store moves it"
    )
    assert [decision.feed.validators for decision in decisions] == [
        Validators(),
        Validators(),
        ETAG,
    ]
    assert "feed_moved" in kinds(decisions[-1])
    assert decisions[-1].events[-1].data == {"from": URL}
    assert (held.standing.moved_url, held.standing.moved_times) == ("", 0)
    assert {item.feed_url for item in decisions[-1].polled.items} == {NEW_URL}
    assert {observation.feed_url for observation in decisions[-1].polled.observations} == {NEW_URL}


@pytest.mark.parametrize(
    "between",
    [answered(item()), moved("https://elsewhere.test/f"), Polled(feed_url=URL, result="same")],
)
def test_another_answer_between_begins_the_count_anew(between: Polled) -> None:
    held, _ = story(HELD, [moved(), moved(), between, moved(), moved()])
    assert (held.url, held.standing.moved_times) == (URL, 2)


def test_an_answer_from_a_mirror_says_nothing_of_the_feeds_address() -> None:
    held, _ = story(HELD, [moved(), moved(), answered(mirror="https://one.test/f"), moved()])
    assert held.url == NEW_URL


def test_a_failure_between_keeps_the_count() -> None:
    held, _ = story(HELD, [moved(), moved(), failed(), moved()])
    assert held.url == NEW_URL


# --- gone and resting ------------------------------------------------------------------------------


def gone(status: int) -> Polled:
    return answer_to_error(HELD, GoneError(URL, status), NOW)


def test_410_is_believed_at_once() -> None:
    decision = step(HELD, gone(410))
    assert decision.feed.state == "gone"
    assert decision.feed.standing.reason == "gone: HTTP 410"
    assert kinds(decision) == ["feed_failed", "feed_gone"]
    assert decision.feed.poll_after is not None
    assert decision.feed.poll_after - NOW > 5 * DAY


def test_404_is_believed_after_several_in_a_row() -> None:
    _, decisions = story(HELD, [gone(404)] * GONE_AFTER)
    assert [decision.feed.state for decision in decisions] == ["live"] * (GONE_AFTER - 1) + ["gone"]


def test_404_between_other_failures_is_not_in_a_row() -> None:
    other = answer_to_error(HELD, StatusError(URL, 500), NOW)
    held, _ = story(HELD, [gone(404), gone(404), other, gone(404), gone(404)])
    assert held.state == "live"


def test_a_feed_that_was_gone_comes_back_by_itself() -> None:
    held = step(HELD, gone(410)).feed
    still = step(held, failed()).feed
    assert (still.state, still.standing.reason) == ("gone", held.standing.reason)
    decision = step(still, answered(item()))
    assert (decision.feed.state, decision.feed.failures) == ("live", 0)
    assert kinds(decision) == ["feed_back"]


def test_a_failing_feed_rests_and_is_polled_ever_more_rarely() -> None:
    held, decisions = story(HELD, [failed()] * (RESTING_AFTER + 3))
    states = [decision.feed.state for decision in decisions]
    assert states == ["live"] * (RESTING_AFTER - 1) + ["resting"] * 4
    assert [kinds(decision)[1:] for decision in decisions].count(["feed_resting"]) == 1
    assert held.standing.reason == f"{RESTING_AFTER + 3} failures in a row: HTTP 500"
    back = step(held, answered(item()))
    assert (back.feed.state, back.feed.failures, kinds(back)) == ("live", 0, ["feed_back"])


def test_a_refusal_that_is_meant_rests_sooner() -> None:
    block = failed("blocked_waf", permanent=True)
    _, decisions = story(HELD, [block] * RESTING_AFTER_REFUSALS)
    assert decisions[-1].feed.state == "resting"
    assert decisions[-2].feed.state == "live"


def test_a_failure_keeps_validators_rhythm_and_items() -> None:
    held = replace(HELD, validators=ETAG)
    decision = step(held, failed("unknown_format"))
    assert (decision.feed.validators, decision.feed.rhythm) == (ETAG, held.rhythm)
    assert decision.polled.items == ()
    assert decision.feed.standing.because == "it failed once"


@pytest.mark.parametrize("kind", ["our_network", "robots", "rights", "private_address", "store"])
def test_what_was_not_the_feeds_fault_moves_nothing_but_the_next_poll(kind: str) -> None:
    held = replace(HELD, failures=RESTING_AFTER - 1, reliability=0.7)
    decision = step(held, failed(kind))
    unchanged = replace(
        decision.feed,
        poll_after=held.poll_after,
        standing=replace(decision.feed.standing, because=held.standing.because, barred=False),
    )
    assert unchanged == held
    assert decision.feed.standing.barred is (kind not in {"our_network", "store"})
    assert (decision.polled.observations, decision.events) == ((), ())
    assert decision.feed.poll_after is not None
    assert decision.feed.poll_after > NOW


# --- floods ----------------------------------------------------------------------------------------


def test_items_under_new_ids_are_left_out() -> None:
    items = tuple(item(number) for number in range(6))
    compared = Compared(new=frozenset(range(6)), renamed=frozenset(range(5)))
    decision = step(HELD, answered(*items), compared)
    assert decision.polled.items == (items[5],)
    stability = [
        observation
        for observation in decision.polled.observations
        if observation.about == "stability"
    ]
    assert [(observation.value, observation.reason) for observation in stability] == [
        (0.0, RENAMED)
    ]
    again = step(HELD, answered(*items), compared, observations=decision.polled.observations)
    assert not [
        observation for observation in again.polled.observations if observation.about == "stability"
    ], "told once"


def test_a_feed_that_stamps_anew_is_not_read_again_and_again() -> None:
    items = tuple(item(number) for number in range(6))
    compared = Compared(changed=frozenset(range(5)), known=frozenset({5}))
    decisions = [step(HELD, answered(*items), compared)]
    while len(decisions) < 4:
        decisions.append(step(decisions[-1].feed, answered(*items), compared))
    assert [decision.polled.reopen for decision in decisions] == [True] * (CHANGING_POLLS - 1) + [
        False
    ] * 3
    assert decisions[-1].polled.items == items, "they are saved all the same"
    assert decisions[-1].polled.observations[-1].reason == CHANGING
    calm = step(decisions[-1].feed, answered(*items), Compared(known=frozenset(range(6))))
    assert (calm.polled.reopen, calm.feed.standing.changing) == (True, 0)


def test_some_corrections_are_no_flood() -> None:
    items = tuple(item(number) for number in range(6))
    compared = Compared(changed=frozenset({0, 1}), known=frozenset({2, 3, 4, 5}))
    held = step(HELD, answered(*items), compared).feed
    assert step(held, answered(*items), compared).polled.reopen


def test_more_than_anybody_can_have_written_is_taken_in_portions() -> None:
    items = tuple(item(number, published_at=None) for number in range(5 * MANY_AT_ONCE))
    decision = step(HELD, answered(*items, validators=ETAG), all_new(items))
    assert decision.polled.items == items[:MANY_AT_ONCE]
    assert decision.feed.validators == Validators(), "the rest comes next time"
    assert decision.polled.observations[-1].reason == TOO_MANY
    known = frozenset(range(MANY_AT_ONCE))
    rest = Compared(known=known, new=frozenset(range(len(items))) - known)
    assert step(decision.feed, answered(*items), rest).polled.items == items[: 2 * MANY_AT_ONCE]


def test_a_backlog_is_taken_whole() -> None:
    items = tuple(item(number) for number in range(5 * MANY_AT_ONCE))  # an hour apart
    decision = step(HELD, answered(*items), all_new(items))
    assert decision.polled.items == items
    assert decision.polled.observations[-1].value == 1


def test_five_hundred_within_a_minute_are_no_backlog() -> None:
    items = tuple(item(n, published_at=NOW - timedelta(seconds=n / 10)) for n in range(500))
    assert len(step(HELD, answered(*items), all_new(items)).polled.items) == MANY_AT_ONCE


def test_the_first_poll_takes_all_there_is() -> None:
    items = tuple(item(number, published_at=None) for number in range(5 * MANY_AT_ONCE))
    assert step(feed(), answered(*items), all_new(items)).polled.items == items


# --- rhythm and silence ----------------------------------------------------------------------------


def test_without_dates_the_rhythm_comes_from_what_the_polls_found() -> None:
    held = feed()
    for number in range(60):
        newest = item(number, published_at=None)
        held = step(held, answered(newest), all_new([newest]), now=NOW + number * 2 * HOUR).feed
    assert held.rhythm is not None
    assert held.rhythm.source == "polls"
    assert held.rhythm.per_day == pytest.approx(12, rel=0.05)
    assert held.rhythm.low < 12 < held.rhythm.high
    assert held.rhythm.newest_at == NOW + 59 * 2 * HOUR


def test_a_busy_feed_learns_its_hours_from_poll_to_poll() -> None:
    held = feed()
    at = NOW
    for day in range(21):
        for hour in range(7, 19):
            at = NOW.replace(hour=hour) + day * DAY
            items = tuple(
                item(n, guid=f"{day}-{hour}-{n}", published_at=at - n * 5 * MINUTE)
                for n in range(10)
            )
            held = step(held, answered(*items), all_new(items), now=at).feed
    assert held.rhythm is not None
    assert held.rhythm.span > 14 * DAY
    assert sum(held.rhythm.hour[:5]) == 0
    assert held.rhythm.hour[12] > 50
    night = step(held, Polled(feed_url=URL, result="same"), now=at.replace(hour=22)).feed
    assert night.poll_after is not None
    assert night.poll_after - at.replace(hour=22) > 3 * HOUR


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("away", [DAY, 28 * DAY, 90 * DAY])
def test_who_was_not_asked_for_long_has_no_slower_rhythm(away: timedelta, dated: bool) -> None:
    """Forty-eight a day in a document of twenty: what came and went in between is unknown, and counts for nothing."""

    def poll_once(held: Feed, now: datetime) -> Feed:
        newest = int((now - NOW) / (30 * MINUTE))
        items = tuple(
            item(n, guid=f"g{n}", published_at=NOW + n * 30 * MINUTE if dated else None)
            for n in range(newest, newest - 20, -1)
        )
        known = int(((held.standing.polled_at or NOW - 99 * DAY) - NOW) / (30 * MINUTE))
        new = frozenset(
            place for place, n in enumerate(range(newest, newest - 20, -1)) if n > known
        )
        return step(held, answered(*items), Compared(new=new), now=now).feed

    held, now = feed(), NOW
    while now < NOW + 3 * DAY:
        held, now = poll_once(held, now), now + HOUR
    held = poll_once(held, now + away)
    assert held.rhythm is not None
    assert 30 < held.rhythm.per_day < 75
    assert held.poll_after is not None
    assert held.poll_after - (now + away) < HOUR


@pytest.mark.long
def test_three_weeks_of_a_newsroom_are_followed_without_loss_or_false_alarm() -> None:
    """Twelve a day by chance, from seven to nineteen o'clock, in a feed of thirty items."""
    chance = Random(11)
    written: list[datetime] = []
    at = NOW - 5 * DAY
    while at < NOW + 21 * DAY:
        at += chance.expovariate(24) * DAY
        if 7 <= at.hour < 19:
            written.append(at)
    held, now, polls, happened = feed(), NOW, 0, []
    delays: dict[int, timedelta] = {}
    while now < NOW + 21 * DAY:
        shown = [number for number, when in enumerate(written) if when <= now][-30:]
        items = tuple(item(number, published_at=written[number]) for number in shown)
        new = frozenset(place for place, number in enumerate(shown) if number not in delays)
        delays |= {shown[place]: now - written[shown[place]] for place in new}
        known = frozenset(range(len(shown))) - new
        decision = step(held, answered(*items), Compared(new=new, known=known), now=now)
        happened += kinds(decision)
        held = decision.feed
        now = held.poll_after or now
        polls += 1
    assert happened == []
    assert held.rhythm is not None
    assert held.rhythm.per_day == pytest.approx(12, rel=0.3)
    followed = [number for number, when in enumerate(written) if NOW < when < NOW + 20 * DAY]
    assert all(number in delays for number in followed)
    assert sorted(delays[number] for number in followed)[len(followed) // 2] < 30 * MINUTE
    assert polls / 21 < 40


def test_silence_does_not_thin_out_the_rhythm_it_is_measured_by() -> None:
    items = tuple(item(number) for number in range(20))
    known = Compared(known=frozenset(range(20)))
    for days in (1, 5, 30):
        assert step(HELD, answered(*items), known, now=NOW + days * DAY).feed.rhythm == HELD.rhythm


def test_a_feed_that_falls_silent_is_reported_once_and_comes_back() -> None:
    decision = step(HELD, Polled(feed_url=URL, result="same"), now=NOW + 3 * DAY)
    assert (decision.feed.state, kinds(decision)) == ("silent", ["feed_silent"])
    assert "nothing new for 3 days" in decision.feed.standing.reason
    assert [
        (observation.about, observation.value) for observation in decision.polled.observations
    ] == [("stability", 0.0)]
    again = step(decision.feed, Polled(feed_url=URL, result="same"), now=NOW + 4 * DAY)
    assert (again.feed.state, again.events, again.polled.observations) == ("silent", (), ())
    fresh = item(published_at=NOW + 4 * DAY)
    back = step(again.feed, answered(fresh), all_new([fresh]), now=NOW + 4 * DAY + HOUR)
    assert (back.feed.state, kinds(back)) == ("live", ["feed_back"])


# --- reliability -----------------------------------------------------------------------------------


def test_failures_lower_the_reliability_and_the_event_says_why() -> None:
    error = answer_to_error(HELD, StatusError(URL, 500), NOW)
    _, decisions = story(HELD, [error] * 3)
    values = [1.0, *(decision.feed.reliability for decision in decisions)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]
    event = decisions[-1].events[0]
    assert event.kind == "feed_failed"
    assert event.data["reason"] == "HTTP 500"
    assert event.data["reliability"] == [round(values[-2], 3), round(values[-1], 3)]


def test_the_number_is_that_of_the_marks() -> None:
    error = answer_to_error(HELD, StatusError(URL, 500), NOW)
    held, decisions = story(HELD, [error, answered(item()), error, answered(item(2))])
    observations = [
        observation for decision in decisions for observation in decision.polled.observations
    ]
    assert held.reliability == reliability(observations)


# --- properties ------------------------------------------------------------------------------------

polls = st.sampled_from(
    [
        answered(item(1), item(2)),
        answered(),
        Polled(feed_url=URL, result="same"),
        moved(),
        failed(),
        failed("gone", permanent=True),
        failed("gone"),
        failed("our_network"),
        failed("throttled", retry_after=HOUR),
        answered(item(3), mirror="https://one.test/f"),
    ]
)


@given(st.lists(polls, max_size=25), st.floats(0, 1))
def test_the_next_state_is_deterministic_and_always_has_a_next_poll(
    answers: list[Polled], jitter: float
) -> None:
    for start in (HELD, feed(), feed(state="paused")):
        held = start
        for polled in answers:
            compared = all_new(polled.items)
            first = next_state(held, polled, compared, now=NOW, jitter=jitter, observations=())
            assert first == next_state(
                held, polled, compared, now=NOW, jitter=jitter, observations=()
            )
            held = first.feed
            assert held.poll_after is not None
            assert MINUTE * 0.9 <= held.poll_after - NOW < 7 * DAY
            assert 0 <= held.reliability <= 1
            assert held.standing.because
            assert first.polled.feed_url == URL
