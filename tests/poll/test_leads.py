"""Leads: what is tried again, what is set aside, what is not even fetched."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poll.cases import DAY, HOUR, MINUTE, NOW, item
from wireroom.errors import (
    BlockedError,
    ExhaustedError,
    FetchError,
    GoneError,
    RefusedError,
    StatusError,
    ThrottledError,
    TooLargeError,
    UnreachableError,
)
from wireroom.model import Article, Hints, Item, Lead, LeadCause, Problem, Reading
from wireroom.poll.leads import (
    FEWEST_WORDS,
    LONGEST_WAIT,
    MAX_ATTEMPTS,
    MAX_THROTTLED,
    UNREAD_WAIT,
    after_article,
    after_error,
    after_unread,
    feed_text_serves,
    is_complete,
    mark_full_texts,
    refuse_bad_url,
    serves_alone,
    wants_fetch,
    why_incomplete,
    withdraw,
)
from wireroom.rights.policy import StorageAnswer, reduce_item

URL = "https://courier.test/1"
LEAD = Lead(url=URL, publisher="courier.test", item=item())
ARTICLE = Article(id="a", publisher="courier.test", url=URL, title="The quay", fetched_at=NOW - DAY)
MIDDLE = 0.5


def words(count: int) -> str:
    return "<p>" + " ".join(f"word{number}" for number in range(count)) + ".</p>"


def unread(kind: str, *, permanent: bool) -> Problem:
    return Problem(kind=kind, message="why", at=NOW, permanent=permanent)  # type: ignore[arg-type]  # of the vocabulary


def unread_again_and_again(problem: Problem) -> list[Reading]:
    readings = [after_unread(LEAD, problem, NOW, MIDDLE)]
    while len(readings) < MAX_ATTEMPTS:
        readings.append(after_unread(readings[-1].lead, problem, NOW, MIDDLE))
    return readings


# --- errors ------------------------------------------------------------------------------------------


def test_what_may_pass_is_tried_three_times_with_growing_waits() -> None:
    lead, seen = LEAD, []
    for _ in range(MAX_ATTEMPTS):
        reading = after_error(lead, UnreachableError(URL, "no answer", kind="timeout"), NOW, MIDDLE)
        lead = reading.lead
        seen.append((lead.state, lead.attempts, lead.read_after))
        assert reading.problem is not None
    assert seen == [
        ("retry", 1, NOW + MINUTE),
        ("retry", 2, NOW + 2 * MINUTE),
        ("failed", 3, None),
    ]
    assert lead.reason == "timeout: no answer"


def test_a_problem_stands_under_the_leads_own_address() -> None:
    """So that it is found by it, and by the feed that led to it."""
    here = after_error(LEAD, StatusError(f"{URL}#top", 500), NOW, MIDDLE).problem
    assert here is not None
    assert here.subject_url == URL
    assert "(at" not in here.message
    elsewhere = "https://login.test/?next=1"
    there = after_error(LEAD, StatusError(elsewhere, 500), NOW, MIDDLE).problem
    assert there is not None
    assert there.subject_url == URL
    assert there.message.endswith(f"(at {elsewhere})")
    nowhere = refuse_bad_url(replace(LEAD, url="nonsense"), NOW)
    assert nowhere is not None
    assert nowhere.problem is not None
    assert nowhere.problem.subject_url == "nonsense"


def test_one_below_the_last_attempt_waits_and_the_last_one_ends_it() -> None:
    error = StatusError(URL, 500)
    assert after_error(replace(LEAD, attempts=2), error, NOW, MIDDLE).lead.state == "failed"
    assert after_error(LEAD, error, NOW, MIDDLE).lead.state == "retry"


@pytest.mark.parametrize(
    "error",
    [
        BlockedError(URL, 401, kind="login"),
        BlockedError(URL, 402, kind="payment_required"),
        TooLargeError(URL, "MAX_PAGE", 10),
        FetchError(URL, "in circles", kind="redirect_loop", permanent=True),
    ],
)
def test_what_is_permanent_ends_at_once(error: FetchError) -> None:
    reading = after_error(LEAD, error, NOW, MIDDLE)
    assert (reading.lead.state, reading.lead.attempts) == ("failed", 1)
    assert reading.lead.cause is LeadCause.NOT_FETCHED
    assert reading.lead.reason.startswith(error.kind)
    assert [observation.value for observation in reading.observations] == [0.0, 0.0]


@pytest.mark.parametrize(
    "error",
    [
        BlockedError(URL, 403),
        BlockedError(URL, 503, kind="challenge"),
        ExhaustedError(URL, {"plain": StatusError(URL, 500), "proxy": BlockedError(URL, 403)}),
    ],
)
def test_a_page_that_is_blocked_is_tried_three_times_over_a_day(error: FetchError) -> None:
    lead, waits = LEAD, []
    while lead.state != "failed":
        reading = after_error(lead, error, NOW, MIDDLE)
        lead = reading.lead
        assert reading.problem is not None
        assert not reading.problem.permanent
        waits += [lead.read_after - NOW] if lead.read_after else []
    assert (lead.attempts, lead.cause) == (MAX_ATTEMPTS, LeadCause.NOT_FETCHED)
    assert waits == [8 * HOUR, 16 * HOUR]
    assert sum(waits, timedelta()) == DAY


@pytest.mark.parametrize("kind", ["robots", "rights", "private_address"])
def test_what_we_may_not_ask_is_refused_with_the_reason(kind: str) -> None:
    error = RefusedError(URL, "line 3 says no", kind=kind)  # type: ignore[arg-type]  # one of three
    reading = after_error(LEAD, error, NOW, MIDDLE)
    assert (reading.lead.state, reading.lead.attempts) == ("refused", 0)
    assert reading.lead.cause is LeadCause(kind)
    assert reading.lead.reason == f"{kind}: line 3 says no"
    assert reading.observations == ()


def test_a_page_that_is_gone_ends_at_once_and_410_withdraws_the_article() -> None:
    missing = after_error(LEAD, GoneError(URL, 404), NOW, MIDDLE)
    assert (missing.lead.state, missing.lead.cause, missing.lead.reason) == (
        "failed",
        LeadCause.GONE,
        "gone: HTTP 404",
    )
    assert missing.problem is not None
    assert missing.problem.permanent, "it is not tried again, and its record says so"
    assert withdraw(missing, ARTICLE).article is None
    gone = after_error(LEAD, GoneError(URL, 410), NOW, MIDDLE)
    assert (gone.lead.cause, gone.lead.reason) == (LeadCause.WITHDRAWN, "withdrawn: HTTP 410")
    assert withdraw(gone, ARTICLE).article == replace(ARTICLE, state="withdrawn")
    assert withdraw(gone, replace(ARTICLE, state="withdrawn")) == gone  # it is known already
    assert withdraw(gone, None) == gone


def test_our_own_network_costs_a_lead_nothing() -> None:
    lead = replace(LEAD, attempts=2)
    for _ in range(20):
        reading = after_error(lead, UnreachableError(URL, "no"), NOW, MIDDLE, our_side=True)
        lead = reading.lead
        assert (lead.state, lead.attempts, lead.read_after) == ("retry", 2, NOW + MINUTE)
        assert reading.observations == ()


def test_a_server_that_asks_for_time_gets_it() -> None:
    error = ThrottledError(URL, 429, retry_after=HOUR)
    reading = after_error(replace(LEAD, attempts=MAX_ATTEMPTS), error, NOW, MIDDLE)
    assert (reading.lead.state, reading.lead.read_after) == ("retry", NOW + HOUR)
    at_last = after_error(replace(LEAD, attempts=MAX_THROTTLED - 1), error, NOW, MIDDLE)
    assert at_last.lead.state == "failed"
    endless = ThrottledError(URL, 503, retry_after=1000 * DAY)
    assert after_error(LEAD, endless, NOW, MIDDLE).lead.read_after == NOW + DAY


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mailto:desk@courier.test",
        "https://",
        "no address",
        "http://[",
        "/relative",
        "https://a b/",
    ],
)
def test_an_address_that_is_none_fails_with_the_reason(url: str) -> None:
    reading = refuse_bad_url(replace(LEAD, url=url), NOW)
    assert reading is not None
    assert reading.lead.state == "failed"
    assert reading.lead.reason.startswith("no address that could be asked")
    assert reading.problem is not None
    assert reading.problem.permanent


def test_a_good_address_is_let_through() -> None:
    assert refuse_bad_url(LEAD, NOW) is None


@given(
    st.sampled_from(
        [
            UnreachableError(URL, "no"),
            StatusError(URL, 500),
            ThrottledError(URL, 429),
            GoneError(URL, 404),
            BlockedError(URL, 403),
            RefusedError(URL, "no", kind="robots"),
        ]
    ),
    st.integers(0, 50),
    st.floats(-3, 3),
    st.none() | st.timedeltas(timedelta(days=-3), timedelta(days=4000)),
)
def test_a_lead_is_either_done_with_or_due_within_bounds(
    error: FetchError, attempts: int, jitter: float, asked: timedelta | None
) -> None:
    error.retry_after = asked
    reading = after_error(replace(LEAD, attempts=attempts), error, NOW, jitter)
    assert reading.lead.reason
    if reading.lead.state == "retry":
        assert reading.lead.read_after is not None
        assert NOW < reading.lead.read_after <= NOW + LONGEST_WAIT * 1.1
    else:
        assert reading.lead.state in {"failed", "refused"}
        assert reading.lead.read_after is None


# --- pages that were fetched ---------------------------------------------------------------------


def test_a_read_lead_carries_its_article_and_a_mark() -> None:
    lead = replace(LEAD, state="retry", reason="timeout: x", attempts=1, read_after=NOW)
    reading = after_article(lead, ARTICLE, NOW, blocks=("b1",))
    assert (reading.lead.state, reading.lead.reason, reading.lead.read_after) == ("read", "", None)
    assert (reading.article, reading.blocks) == (ARTICLE, ("b1",))
    assert [observation.about for observation in reading.observations] == ["quality"]


def test_a_page_without_an_article_is_counted_and_fails_in_the_end() -> None:
    readings = unread_again_and_again(unread("no_article", permanent=True))
    lead = readings[-1].lead
    states = [(reading.lead.state, reading.lead.read_after) for reading in readings]
    assert states == [
        ("retry", NOW + UNREAD_WAIT),
        ("retry", NOW + 2 * UNREAD_WAIT),
        ("failed", None),
    ]
    assert lead.reason == "no_article: why"
    seen = [[mark.value for mark in reading.observations] for reading in readings]
    assert seen == [[0.0], [], []]


def test_a_page_that_is_nothing_we_know_fails_at_once() -> None:
    reading = after_unread(LEAD, unread("unknown_format", permanent=True), NOW, MIDDLE)
    assert (reading.lead.state, reading.lead.attempts) == ("failed", 1)


def test_a_page_that_kills_its_reader_is_set_aside_after_three() -> None:
    last = unread_again_and_again(unread("internal", permanent=False))[-1]
    assert (last.lead.state, last.lead.reason) == ("failed", "internal: why")
    assert last.observations == (), "our reader died, whoever wrote the page"


# --- the whole text in the feed ------------------------------------------------------------------


def test_a_whole_text_in_the_feed_spares_the_fetch() -> None:
    whole = item(content_html=words(300), summary="A short one.")
    assert is_complete(whole)
    assert not wants_fetch(replace(LEAD, item=whole))
    assert wants_fetch(replace(LEAD, item=None))
    assert wants_fetch(LEAD)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "no content"),
        (words(FEWEST_WORDS - 1), f"fewer than {FEWEST_WORDS} words"),
        (words(200) + "<p>And then he said …</p>", "ends in an ellipsis"),
        (words(200) + "<p>And then [&#8230;]</p><p>The post appeared first on Courier.</p>", "ends in an ellipsis"),
        (words(200) + '<a href="/1">Continue reading</a>', "sends its readers on to the page"),
        (words(200) + "<p>Weiterlesen</p>", "sends its readers on to the page"),
        ("<p>" + "港" * 300 + "</p><p>続きを読む</p>", "sends its readers on to the page"),
    ],
)  # fmt: skip
def test_teasers_are_distinguished_from_texts(content: str, why: str) -> None:
    assert why_incomplete(item(content_html=content)) == why


def test_a_text_that_its_summary_repeats_is_a_teaser() -> None:
    message = " ".join(f"word{number}" for number in range(120))
    assert (
        why_incomplete(item(content_html=words(170), summary=message))
        == "hardly longer than the summary"
    )


def test_texts_that_all_end_at_the_same_length_were_cut() -> None:
    cut = [item(number, content_html=words(200 + number % 2)) for number in range(6)]
    assert is_complete(cut[0]), "by itself it cannot tell"
    assert why_incomplete(cut[0], cut) == "as long as the other texts of its feed: cut"
    grown = [item(number, content_html=words(200 + 60 * number)) for number in range(6)]
    assert is_complete(grown[0], grown)


def test_the_note_made_with_the_whole_document_counts_later() -> None:
    cut = mark_full_texts([item(number, content_html=words(200)) for number in range(6)])
    assert wants_fetch(replace(LEAD, item=cut[0]))
    whole, bare = mark_full_texts([item(1, content_html=words(400)), item(2)])
    assert whole.extra["full_text"] is True
    assert not wants_fetch(replace(LEAD, item=whole))
    assert "full_text" not in bare.extra
    without_text = reduce_item(whole, StorageAnswer("metadata"))
    assert wants_fetch(replace(LEAD, item=without_text)), (
        "what the policy keeps of it is no article"
    )


def test_selectors_want_the_page_whatever_the_feed_holds() -> None:
    whole = Lead(
        url="https://courier.test/1",
        publisher="courier.test",
        item=Item(
            feed_url="https://courier.test/rss",
            guid="1",
            url="https://courier.test/1",
            content_html="<p>" + "The harbour opened at noon, and boats came in. " * 60 + "</p>",
            extra={"full_text": True},
        ),
    )
    assert not wants_fetch(whole)
    assert not wants_fetch(whole, Hints(language="en"))
    assert wants_fetch(whole, Hints(body_selector="article p"))
    assert wants_fetch(whole, Hints(metadata_selectors={"section": "nav"}))


SENTENCE = "The harbour board met again at noon to write_settings who pays for the new quay."
PROSE = f"<p>{f' {SENTENCE}' * 6}</p>"  # 90 words


@pytest.mark.parametrize(
    ("content", "summary", "serves"),
    [
        (PROSE, "", True),
        (PROSE, "A short summary of it.", True),
        (PROSE * 2, SENTENCE * 5, True),
        (PROSE, SENTENCE * 5, False),  # a description that is all there is, and no longer than teasers are
        ("<p>" + "港口委员会中午开会。" * 8 + "</p>", "", True),
        ("<p>" + "बंदरगाह बोर्ड की दोपहर में बैठक हुई। " * 8 + "</p>", "", True),
        (f"<p>{SENTENCE}</p>", "", False),
        ("", SENTENCE * 9, False),
        (PROSE + "<p>And then he said …</p>", "", False),
        (PROSE + "<p>Lire la suite</p>", "", False),
        (PROSE + "<p>The members of the board then went on to</p>", "", False),
    ],
)  # fmt: skip
def test_a_text_that_is_all_we_get_may_be_short_but_no_teaser(
    content: str, summary: str, *, serves: bool
) -> None:
    assert serves_alone(item(content_html=content, summary=summary)) is serves


def test_a_whole_text_of_the_usual_length_of_its_feed_serves_where_it_ends_in_a_sentence() -> None:
    marked = mark_full_texts([item(number, content_html=PROSE * 2) for number in range(6)])
    assert wants_fetch(replace(LEAD, item=marked[0]))
    assert serves_alone(marked[0])
    broken = "<p>" + "The quay was closed by " * 40 + "</p>"
    cut = mark_full_texts([item(number, content_html=broken) for number in range(6)])
    assert not serves_alone(cut[0])


@pytest.mark.parametrize(
    ("error", "serves"),
    [
        (BlockedError(LEAD.url, 403), True),
        (BlockedError(LEAD.url, 402, kind="payment_required"), True),
        (BlockedError(LEAD.url, 200, kind="challenge"), True),
        (GoneError(LEAD.url, 404), True),
        (GoneError(LEAD.url, 410), False),
        (StatusError(LEAD.url, 451, kind="gone", permanent=True), False),
        (StatusError(LEAD.url, 500), False),  # for now: it is tried again
        (RefusedError(LEAD.url, "robots.txt forbids it", kind="robots"), False),
        (RefusedError(LEAD.url, "private"), False),
    ],
    ids=str,
)
def test_a_page_that_is_refused_leaves_the_text_of_its_feed(
    error: FetchError, *, serves: bool
) -> None:
    lead = replace(LEAD, item=item(content_html=PROSE))
    assert feed_text_serves(after_error(lead, error, NOW, 0.5)) is serves
    bare = replace(LEAD, item=item(summary=SENTENCE))
    assert not feed_text_serves(after_error(bare, error, NOW, 0.5))


def test_a_page_that_is_given_up_leaves_the_text_of_its_feed() -> None:
    lead = replace(LEAD, item=item(content_html=PROSE), attempts=2)
    assert feed_text_serves(after_error(lead, StatusError(LEAD.url, 500), NOW, 0.5))
    ours = after_error(lead, StatusError(LEAD.url, 500), NOW, 0.5, our_side=True)
    assert not feed_text_serves(ours)
