"""Reliability: bounded, replayable, quick to fall and slow to rise; the docs show the real numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import REPOSITORY
from tests.poll.cases import NOW, URL, failed, feed, item, observation
from wireroom.errors import BlockedError
from wireroom.model import Article, Lead, LeadCause, LeadState, Observation, Problem
from wireroom.poll.leads import after_error
from wireroom.poll.reliability import (
    FALL,
    NEAR_DUPLICATE_VALUE,
    OBSERVATIONS_COUNTED,
    RISE,
    WEIGHTS,
    breakdown,
    completeness,
    near_duplicate_observations,
    poll_observations,
    reading_observations,
    reliability,
)

observations = st.lists(
    st.builds(
        observation,
        st.sampled_from(["availability", "quality", "stability"]),
        st.floats(-10, 10, allow_nan=False),
    ),
    max_size=300,
)
ARTICLE = Article(
    id="a",
    publisher="courier.test",
    url="https://courier.test/1",
    title="The quay",
    fetched_at=NOW,
    quality=0.9,
)
LEAD = Lead(url="https://courier.test/1", publisher="courier.test", item=item())


def at_nine_tenths() -> list[Observation]:
    """The marks of a feed that stands at about 0.9."""
    return [observation("availability", 0.0), *([observation("availability", 1.0)] * 5)]


def test_nobody_is_distrusted_before_he_has_done_anything() -> None:
    assert breakdown([]) == (1.0, 1.0, 1.0, 1.0)


def test_three_failures_lower_it_and_success_raises_it_slowly() -> None:
    before = at_nine_tenths()
    start = reliability(before)
    assert start == pytest.approx(0.9, abs=0.05)
    fallen = reliability(before + [observation("availability", 0.0)] * 3)
    assert fallen < start - 0.1
    ways = [reliability(before + [observation("availability", 0.0)] * 3 + [observation("availability", 1.0)] * n) for n in range(60)]  # fmt: skip
    assert ways == sorted(ways)
    assert ways[3] < start, "three good answers do not undo three failures"
    assert ways[-1] > start


@given(observations)
def test_it_is_bounded_and_the_same_marks_give_the_same_number(
    given_marks: list[Observation],
) -> None:
    found = breakdown(given_marks)
    assert all(0 <= part <= 1 for part in found)
    assert found == breakdown(list(given_marks))
    older = [observation(about, 0.0) for about in WEIGHTS]
    recent = [observation(about, 0.5) for about in WEIGHTS for _ in range(OBSERVATIONS_COUNTED)]
    assert breakdown([*given_marks, *older, *recent]) == breakdown(recent), "it no longer counts"


@given(observations)
def test_a_failure_never_raises_it_and_a_success_never_lowers_it(
    given_marks: list[Observation],
) -> None:
    history = given_marks[: OBSERVATIONS_COUNTED - 1]
    for about in WEIGHTS:
        held = reliability(history)
        assert reliability([*history, observation(about, 0.0)]) <= held
        assert reliability([*history, observation(about, 1.0)]) >= held


def test_the_worked_example_of_the_docs() -> None:
    page = (REPOSITORY / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| .* \| (\w+) (\d\.\d+) \| (\d\.\d+) \| (\d\.\d+) \| (\d\.\d+) \| \*\*(\d\.\d+)\*\* \|$",
        page,
        re.MULTILINE,
    )
    assert len(rows) >= 6
    given_marks = []
    for about, value, *expected in rows:
        given_marks.append(observation(about, float(value)))
        assert [f"{part:.3f}" for part in breakdown(given_marks)] == expected
    for number in (FALL, RISE, OBSERVATIONS_COUNTED, *WEIGHTS.values()):
        assert f"{number}" in page, number


# --- what marks are given for ------------------------------------------------------------------------


def test_our_own_faults_leave_no_mark() -> None:
    for kind in ("our_network", "robots", "rights", "private_address", "store", "internal"):
        assert poll_observations(feed(), failed(kind), NOW) == ()


def test_a_gone_feed_is_neither_available_nor_stable() -> None:
    found = poll_observations(feed(), failed("gone", permanent=True), NOW)
    assert [(observation.about, observation.value) for observation in found] == [
        ("availability", 0),
        ("stability", 0),
    ]
    assert all(observation.reason and observation.feed_url == URL for observation in found)


def test_an_article_is_a_mark_of_its_text_and_of_its_metadata() -> None:
    (bare,) = reading_observations(LEAD, NOW, article=ARTICLE)
    whole = replace(
        ARTICLE, authors=("A",), published_at=NOW, language="en", image_url="https://courier.test/i"
    )
    (full,) = reading_observations(LEAD, NOW, article=whole)
    assert 0 < bare.value < full.value < 1
    assert full.about == "quality"


RETRY, FAILED = "retry", "failed"


@pytest.mark.parametrize(
    ("kind", "tries", "about"),
    [
        ("no_article", [RETRY, RETRY, FAILED], [["quality"], [], []]),
        ("unknown_format", [FAILED], [["quality"]]),
        ("gone", [FAILED], [["quality"]]),
        ("timeout", [RETRY, RETRY, FAILED], [["availability"], [], ["quality"]]),
        ("timeout", [RETRY], [["availability"]]),
        ("login", [FAILED], [["availability", "quality"]]),
    ],
)
def test_a_page_that_fails_lowers_each_part_once_however_often_it_is_tried(
    kind: str, tries: list[LeadState], about: list[list[str]]
) -> None:
    problem = Problem(kind=kind, message="why", at=NOW)  # type: ignore[arg-type]  # one of the vocabulary
    found = [
        reading_observations(replace(LEAD, state=state, attempts=count), NOW, problem=problem)
        for count, state in enumerate(tries, start=1)
    ]
    assert [[each.about for each in observations] for observations in found] == about
    assert {(each.value, each.reason) for some in found for each in some} == {(0.0, f"{kind}: why")}


def test_a_feed_of_which_no_page_can_be_had_does_not_recover_by_being_polled() -> None:
    error = BlockedError(LEAD.url, 403)
    tried = [after_error(LEAD, error, NOW, 0.5) for _ in range(20)]
    at_once = [mark for reading in tried for mark in reading.observations]
    assert reliability(at_once) < 0.7, "it was tried once, and is tried again"
    given_up = [
        mark
        for reading in tried
        for mark in after_error(replace(reading.lead, attempts=2), error, NOW, 0.5).observations
    ]
    polls = [observation("availability", 1.0)] * 1000
    assert reliability([*at_once, *given_up, *polls]) < 0.7


def test_no_feed_no_mark() -> None:
    assert reading_observations(replace(LEAD, item=None), NOW, article=ARTICLE) == ()


def test_an_article_that_was_withdrawn_is_no_fault() -> None:
    problem = Problem(kind="gone", message="HTTP 410", at=NOW, permanent=True)
    lead = replace(LEAD, state="failed", cause=LeadCause.WITHDRAWN)
    assert reading_observations(lead, NOW, problem=problem) == ()


def test_what_another_publisher_had_before_is_worth_less() -> None:
    first = replace(ARTICLE, feed_url=URL, published_at=NOW - timedelta(hours=3))
    again = replace(first, id="b", published_at=NOW)
    reprint = replace(
        first,
        id="c",
        publisher="digest.test",
        feed_url="https://digest.test/feed",
        published_at=NOW - timedelta(hours=1),
    )
    observations = near_duplicate_observations([again, reprint, first])
    assert observations.keys() == {"c"}, "who prints his own text twice is no copyist"
    assert observations["c"] == Observation(
        feed_url=reprint.feed_url,
        about="quality",
        value=NEAR_DUPLICATE_VALUE,
        reason=f"a near-duplicate of {first.url}",
        at=NOW,
    )
    assert near_duplicate_observations([reprint, replace(first, published_at=NOW)]).keys() == {"a"}


def test_a_copy_that_no_feed_led_to_leaves_no_mark() -> None:
    first = replace(ARTICLE, published_at=NOW - timedelta(hours=3))
    assert (
        near_duplicate_observations([first, replace(ARTICLE, id="c", publisher="digest.test")])
        == {}
    )


def test_items_are_complete_with_title_address_and_date() -> None:
    assert completeness([item()]) == 1
    assert completeness([item(), item(2, title="", url="", published_at=None)]) == 0.5
    assert completeness([]) == 1
