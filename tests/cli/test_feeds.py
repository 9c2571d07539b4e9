"""`wireroom feeds`, `feed`, `pause`, `resume`, `remove`, `retry`: looking after what is followed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.cli.held_feeds import COURIER, FARO, NOW, PHARE, held, open_held
from tests.cli.terminals import run_on_terminal
from tests.holding import save_feeds, save_problems
from wireroom.app.holders import holder_name
from wireroom.model import Feed, Item, Lead, LeadCause, Observation, PollHistory, Problem, Reading
from wireroom.ports import RunRecord

Run = Callable[..., Ran]


@pytest.fixture
def feeds() -> None:
    held()


@pytest.mark.parametrize("command", ["feed", "pause", "resume", "remove"])
def test_where_there_is_no_database_no_feed_is_looked_for(wireroom: Run, command: str) -> None:
    ran = wireroom(command, "courier")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Nothing is held yet: there is no sqlite:///wireroom.db.")
    assert "no such feed" not in ran.err
    assert not Path("wireroom.db").exists()


# --- feeds -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("feeds")
def test_the_table_says_state_reason_and_when_it_is_asked_next(wireroom: Run) -> None:
    ran = wireroom("feeds")
    head, courier, faro, phare = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert head.split()[:5] == ["feed", "state", "region", "new", "next"]
    assert courier.startswith("Courier")
    for expected in ("live", "2 h", "█", "50 %", "·····", "because its rhythm is 12 a day"):
        assert expected in courier
    assert "in 11 min" in courier or "in 12 min" in courier
    for expected in ("resting", "never", " 8 ", "8 failures in a row; in", "because it failed"):
        assert expected in faro
    assert "paused by you" in phare


@pytest.mark.long
@pytest.mark.usefixtures("feeds")
def test_feeds_are_chosen_by_state_publisher_region_and_category(wireroom: Run) -> None:
    def urls(*options: str) -> list[str]:
        return [row["url"] for row in json.loads(wireroom("feeds", *options, "--json").out)]

    assert urls() == [COURIER, FARO, PHARE]
    assert urls("--state", "resting") == [FARO]
    assert urls("--publisher", "www.Courier.test") == [COURIER]
    assert urls("--region", "coast") == [COURIER, PHARE]
    assert urls("--region", "coast", "--category", "daily") == [COURIER]
    assert wireroom("feeds", "--region", "hills").code == 3
    with open_held() as app:
        feed = app.store.feed(PHARE)
        assert feed is not None
        wanted = replace(feed, region="Coast, Hills", role="fallback")
        save_feeds(app.store, [wanted], now=app.clock())
    assert urls("--region", "hills") == urls("--role", "fallback") == [PHARE]
    assert urls("--region", "coast", "--role", "primary") == [COURIER]
    shown = wireroom("feeds").out.splitlines()
    assert shown[0].split()[:5] == ["feed", "state", "region", "role", "new"]
    assert "Coast, Hills  fallback" in shown[3]


@pytest.mark.usefixtures("feeds")
def test_the_most_reliable_feeds_come_first_when_that_is_wanted(wireroom: Run) -> None:
    observed = 0.96  # of the courier, whatever number it holds: it was polled, and answered late
    numbers = {COURIER: 0.4, FARO: 0.9, PHARE: 0.7}
    with open_held() as app:
        asked = PollHistory(polled_at=app.clock())
        rated = [
            replace(feed, reliability=numbers[feed.url], standing=asked)
            for feed in app.store.feeds()
        ]
        fresh = Feed(url="http://akti.test/rss.xml", publisher="akti.test", kind="rss")
        save_feeds(app.store, [*rated, fresh], now=app.clock())
    rows = json.loads(wireroom("feeds", "--order", "reliability", "--json").out)
    assert [row["url"] for row in rows] == [COURIER, FARO, PHARE, fresh.url]
    assert [row["reliability"] for row in rows] == [pytest.approx(observed), 0.9, 0.7, None]


@pytest.mark.usefixtures("feeds")
def test_data_has_counts_and_no_password(wireroom: Run) -> None:
    lines = wireroom("feeds", "--jsonl").out.splitlines()
    row = json.loads(lines[0])
    assert (row["articles"], row["paywalled"], row["duplicates"]) == (2, 1, 0)
    assert row["leads"] == {"failed": 1, "new": 2, "read": 2}
    assert row["hints"]["body_selector"] == "article p"
    assert "secret" not in "".join(lines)
    assert wireroom("feeds", "--json", "--jsonl").code == 2


@pytest.mark.long
@pytest.mark.usefixtures("feeds")
@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal(columns: int) -> None:
    ran = run_on_terminal("feeds", columns=columns, environ={"NO_COLOR": "1"})
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[1].startswith("Courier ")
    assert "faro.test/feed" in lines[2]
    assert ("reliable" in lines[0]) is (columns == 120)
    assert "because its rhythm is 12 a day" in ran.out


def test_nothing_is_followed_yet_and_no_database_is_made(wireroom: Run) -> None:
    for command in (
        ("feeds",),
        ("feed", "x"),
        ("pause", "x"),
        ("resume", "x"),
        ("retry",),
        ("opml",),
    ):
        assert wireroom(*command).code == 3, command
    assert wireroom("remove", "x", "--yes").code == 3
    assert json.loads(wireroom("feeds", "--json").out) == []
    assert not Path("wireroom.db").exists()


# --- feed --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("feeds")
@pytest.mark.parametrize(
    "name",
    ["Courier", COURIER, "courier.test/rss.xml", "the saltmarsh courier", "courier.test"],
)
def test_a_feed_is_found_by_name_address_title_or_publisher(wireroom: Run, name: str) -> None:
    assert json.loads(wireroom("feed", name, "--json").out)["url"] == COURIER


@pytest.mark.usefixtures("feeds")
def test_everything_about_one_feed(wireroom: Run) -> None:
    ran = wireroom("feed", "Courier")
    assert ran.code == 0
    for expected in (
        "1 failed, 2 new, 2 read",
        "body selector     article p",
        "http://***@proxy.test:8080",
        "availability  0.90",
        "0.50  availability: answered late",
        "12 a day, high confidence",
        f"timeout  {COURIER}  no answer in time",
        "Harbour story 1",
    ):
        assert expected in ran.out, expected
    data = json.loads(wireroom("feed", "Courier", "--json").out)
    assert data["reliability_parts"]["availability"] == pytest.approx(0.9)
    assert [(problem["kind"], problem["subject_url"]) for problem in data["problems"]] == [
        ("timeout", COURIER)
    ]
    assert len(data["last_articles"]) == 2


@pytest.mark.usefixtures("feeds")
def test_a_note_is_for_colleagues_and_for_nobody_else(wireroom: Run) -> None:
    note = "ask Ada before you pause it"
    assert wireroom("add", COURIER, "--no-scout", "--note", note).code == 0
    page = wireroom("feed", COURIER).out
    assert ["note", note] in [line.split(maxsplit=1) for line in page.splitlines()]
    assert note not in wireroom("feeds").out


@pytest.mark.usefixtures("feeds")
def test_the_pages_of_a_feed_are_among_its_problems(wireroom: Run) -> None:
    with open_held() as app:
        (failed,) = app.store.leads(state="failed")
        problem = Problem(
            kind="payment_required",
            message="HTTP 402: to be paid for",
            subject_url=failed.url,
            at=app.clock(),
            permanent=True,
        )
        elsewhere = replace(problem, subject_url="https://faro.test/1", message="not of this feed")
        save_problems(app.store, [problem, elsewhere])
    data = json.loads(wireroom("feed", "Courier", "--json").out)
    assert [problem["subject_url"] for problem in data["problems"]] == [failed.url, COURIER]
    shown = wireroom("feed", "Courier").out
    (row,) = [line for line in shown.splitlines() if "payment_required" in line]
    assert row.split("payment_required")[1].split(maxsplit=1) == [failed.url, problem.message]


@pytest.mark.usefixtures("feeds")
def test_the_whole_follows_from_the_marks_that_are_shown(wireroom: Run) -> None:
    with open_held() as app:
        (lead,) = app.store.leads(state="failed")
        missed = Observation(feed_url=COURIER, about="availability", value=0.0, at=app.clock())
        readings = [Reading(lead=lead, observations=(missed,) * 5)]
        app.store.save_readings(readings, now=app.clock())
        (stored,) = app.store.feeds(publisher="courier.test")
    data = json.loads(wireroom("feed", "Courier", "--json").out)
    parts = data["reliability_parts"]
    assert data["reliability"] == parts["total"] == pytest.approx(0.4 * 0.9 * 0.8**5 + 0.6)
    assert data["reliability"] < stored.reliability, "which is that of the last poll"
    assert f"all together  {parts['total']:.2f}" in wireroom("feed", "Courier").out
    (row,) = json.loads(wireroom("feeds", "--publisher", "courier.test", "--json").out)
    assert row["reliability"] == data["reliability"]


@pytest.mark.usefixtures("feeds")
def test_a_feed_whose_pages_are_all_refused_has_no_reliability(wireroom: Run) -> None:
    with open_held() as app:
        (faro,) = [feed for feed in app.store.feeds() if feed.url == FARO]
        asked = replace(faro.standing, polled_at=app.clock())
        save_feeds(app.store, [replace(faro, standing=asked)], now=app.clock())
        assert json.loads(wireroom("feed", FARO, "--json").out)["reliability"] is not None
        item = Item(feed_url=FARO, guid="1", url="https://faro.test/1", title="One")
        lead = Lead(url=item.url, publisher=faro.publisher, item=item, state="refused")
        app.store.save_leads([lead], now=app.clock())
    assert json.loads(wireroom("feed", FARO, "--json").out)["reliability"] is None
    assert "none of its pages may be read" in wireroom("feed", FARO).out
    row = next(line for line in wireroom("feeds").out.splitlines() if "resting" in line)
    assert " - " in row


@pytest.mark.usefixtures("feeds")
def test_a_name_that_means_several_or_none_is_reported(wireroom: Run) -> None:
    with open_held() as app:
        other = app.store.feeds()[1]
        save_feeds(app.store, [replace(other, url="https://faro.test/other")], now=app.clock())
    several = wireroom("feed", "faro.test")
    assert several.code == 2
    assert "2 feeds could be meant" in several.err
    none = wireroom("feed", "nobody")
    assert (none.code, none.err.count("\n")) == (3, 1)


# --- pause, resume -----------------------------------------------------------------------------


@pytest.mark.usefixtures("feeds")
def test_pausing_and_resuming(wireroom: Run) -> None:
    assert wireroom("pause", "Courier", PHARE).err == "1 feed paused, 1 paused before.\n"
    with open_held() as app:
        assert app.store.feed_counts() == {"paused": 2, "resting": 1}
    assert wireroom("resume", "Courier", "faro.test").code == 0
    with open_held() as app:
        faro = app.store.feed(FARO)
        assert faro is not None
        assert (faro.state, faro.failures, faro.poll_after) == ("live", 0, None)
        kinds = [event.kind for event in app.store.events()]
        assert kinds == ["feed_paused", "feed_resumed", "feed_resumed"]
        taken = app.store.take_feeds(
            holder="x", now=app.clock(), limit=10, lease=timedelta(minutes=1)
        )
        assert {feed.url for feed in taken} == {COURIER, FARO}


@pytest.mark.usefixtures("feeds")
def test_what_is_found_is_done_and_what_is_not_is_reported(wireroom: Run) -> None:
    ran = wireroom("pause", "Courier", "nobody")
    assert ran.code == 3
    assert "nobody: there is no such feed" in ran.err
    with open_held() as app:
        assert len(app.store.feeds(state="paused")) == 2


@pytest.mark.usefixtures("feeds")
def test_what_was_paused_and_resumed_is_data_feed_by_feed(wireroom: Run) -> None:
    ran = wireroom("pause", "Courier", PHARE, "nobody", "--json")
    data = json.loads(ran.out)
    assert (ran.code, data["missing"]) == (3, ["nobody"])
    assert data["feeds"][0] == {
        "name": "Courier",
        "url": COURIER,
        "publisher": "courier.test",
        "was": "live",
        "state": "paused",
    }
    assert [(feed["url"], feed["was"]) for feed in data["feeds"][1:]] == [(PHARE, "paused")]
    ran = wireroom("resume", "Courier", "faro.test", "--json")
    data = json.loads(ran.out)
    changes = [(feed["url"], feed["was"], feed["state"]) for feed in data["feeds"]]
    assert changes == [(COURIER, "paused", "live"), (FARO, "resting", "live")]
    assert (ran.code, data["missing"]) == (0, [])


@pytest.mark.parametrize("command", ["pause", "resume"])
def test_without_a_database_the_data_names_what_is_missing(wireroom: Run, command: str) -> None:
    ran = wireroom(command, "x", "--json")
    assert (ran.code, json.loads(ran.out)) == (3, {"feeds": [], "missing": ["x"]})


# --- remove ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("feeds")
def test_a_feed_goes_and_its_articles_stay(wireroom: Run) -> None:
    asked = wireroom("remove", "Courier")
    assert asked.code == 2
    assert "nobody to ask" in asked.err
    ran = wireroom("remove", "Courier", "--yes")
    assert ran.code == 0
    assert f"{COURIER} goes, with its items and 2 pages not read yet; 2 articles stay." in ran.err
    with open_held() as app:
        assert app.store.feed(COURIER) is None
        assert len(list(app.store.articles())) == 2
        assert app.store.leads(publisher="courier.test", state="new") == ()


@pytest.mark.usefixtures("feeds")
def test_articles_go_along_when_that_is_asked_for(wireroom: Run) -> None:
    assert wireroom("remove", "Courier", "--articles", "--yes").code == 0
    with open_held() as app:
        assert list(app.store.articles()) == []
        (event,) = [event for event in app.store.events() if event.kind == "feed_removed"]
        assert event.data == {"name": "Courier", "articles": 2}


@pytest.mark.usefixtures("feeds")
def test_what_was_removed_is_data(wireroom: Run) -> None:
    ran = wireroom("remove", "Courier", "--articles", "--yes", "--json")
    named = {"name": "Courier", "url": COURIER, "publisher": "courier.test"}
    went = [named | {"articles": 2, "pages": 2}]
    assert ran.code == 0
    assert json.loads(ran.out) == {"feeds": went, "missing": [], "done": True}
    ran = wireroom("remove", "Courier", "--yes", "--json")
    assert ran.code == 3
    assert json.loads(ran.out) == {"feeds": [], "missing": ["Courier"], "done": False}


@pytest.mark.usefixtures("feeds")
def test_a_person_is_asked_and_may_say_no() -> None:
    ran = run_on_terminal("remove", "Courier", answer="n\n", wait_for="[y/N]")
    assert ran.code == 1
    assert "Nothing was done." in ran.out
    with open_held() as app:
        assert app.store.feed(COURIER) is not None


# --- retry -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("feeds")
@pytest.mark.parametrize("options", [(), ("--feed", "Courier"), ("--publisher", "courier.test")])
def test_pages_that_were_given_up_are_opened_again(wireroom: Run, options: tuple[str, ...]) -> None:
    assert wireroom("retry", "--feed", "faro.test").code == 3
    assert wireroom("retry", "--feed", "nobody").code == 3
    ran = wireroom("retry", *options, "--json")
    assert (ran.code, json.loads(ran.out)) == (0, {"opened": 1, "waits_for": {"scout": 1}})
    assert wireroom("retry", *options).code == 3


@pytest.mark.usefixtures("feeds")
def test_pages_of_a_publisher_nobody_knows_are_not_reported_to_be_in_order(wireroom: Run) -> None:
    ran = wireroom("retry", "--publisher", "nope.test")
    assert ran == Ran(3, "", "Nothing is known about nope.test. Try: wireroom scout nope.test\n")
    data = wireroom("retry", "--publisher", "nope.test", "--json").out
    assert json.loads(data) == {"opened": 0}
    assert "No page was given up." in wireroom("retry", "--publisher", "faro.test").err


@pytest.mark.usefixtures("feeds")
def test_one_page_is_opened_by_its_address(wireroom: Run) -> None:
    with open_held() as app:
        (lead,) = app.store.leads(state="failed")
        (read, *_) = app.store.leads(state="read")
    unknown = wireroom("retry", "https://courier.test/story-of-another-day")
    assert unknown.code == 3
    assert "was never seen" in unknown.err
    assert wireroom("retry", "nonsense").code == 2
    assert wireroom("retry", lead.url).code == 0
    assert wireroom("retry", read.url).code == 0
    with open_held() as app:
        opened = {lead.url for lead in app.store.leads(state="new")}
    assert {lead.url, read.url} <= opened
    again = wireroom("retry", lead.url)
    assert again.code == 3
    assert "is to be read anyway. It waits for a scout of courier.test" in again.err


def opened_by(wireroom: Run) -> list[str]:
    """What `retry` says of the pages it opens, publishers having been scouted."""
    with open_held() as app:
        for publisher in app.store.publishers():
            later = replace(publisher, scout_after=NOW + timedelta(days=1))
            app.store.save_publisher(later)
    ran = wireroom("retry")
    assert ran.code == 0
    return ran.err.splitlines()


@pytest.mark.usefixtures("feeds")
def test_what_was_opened_is_read_by_the_next_run(wireroom: Run) -> None:
    assert opened_by(wireroom) == ["1 page is read by the next: wireroom run"]


@pytest.mark.usefixtures("feeds")
def test_what_was_opened_is_read_by_the_run_that_is_under_way(wireroom: Run) -> None:
    with open_held() as app:
        now = app.clock()
        app.store.queue.save_run(RunRecord(holder=holder_name(), began_at=now, seen_at=now))
    assert opened_by(wireroom) == ["1 page is read by the run that is under way, within a minute"]


@pytest.mark.usefixtures("feeds")
def test_pages_of_a_paused_feed_are_not_promised_for_the_next_run(wireroom: Run) -> None:
    assert wireroom("pause", "Courier").code == 0
    expected = f"1 page is read when the feed is resumed: wireroom resume {COURIER}"
    assert opened_by(wireroom) == [expected]


@pytest.mark.usefixtures("feeds")
@pytest.mark.parametrize(
    ("hours", "message"),
    [
        (1, "1 page is read when the host has been left alone for 1 h, by the next: wireroom run"),
        (0, "1 page is read when a backfill on desk (process 7) is done with the host"),
    ],
)
def test_a_page_whose_host_is_not_free_is_promised_for_later(
    wireroom: Run, hours: int, message: str
) -> None:
    holder = "backfill-desk.1f-7-9-00000000"
    with open_held() as app:
        lease, now = timedelta(minutes=5), app.clock()
        assert app.store.take_host("courier.test", holder=holder, now=now, lease=lease)
        if hours:
            app.store.release(holder=holder, now=now, rest=timedelta(hours=hours))
    assert opened_by(wireroom) == [message]
    (resumed,) = wireroom("resume", "Courier").err.splitlines()
    assert resumed == message.replace("page is read", "feed is polled")


@pytest.mark.usefixtures("feeds")
def test_a_feed_in_reserve_is_not_promised_to_be_asked(wireroom: Run) -> None:
    with open_held() as app:
        feed = app.store.feed(COURIER)
        assert feed is not None
        app.store.save_feed_changes([(feed, replace(feed, role="fallback"))], now=NOW)
    assert (
        "In reserve, and polled where no other answers: Courier"
        in wireroom("resume", "Courier").err
    )


@pytest.mark.usefixtures("feeds")
def test_forbidden_pages_are_opened_together(wireroom: Run) -> None:
    causes = {
        "https://courier.test/a": LeadCause.ROBOTS,
        "https://courier.test/b": LeadCause.RIGHTS,
    }
    leads = [
        Lead(url=url, publisher="courier.test", state="refused", cause=cause)
        for url, cause in causes.items()
    ]
    with open_held() as app:
        app.store.save_leads(leads, now=app.clock())
    assert wireroom("retry", "--refused", "--publisher", "faro.test").code == 3
    ran = wireroom("retry", "--refused", "--json")
    assert (ran.code, json.loads(ran.out)) == (0, {"opened": 2, "waits_for": {"scout": 2}})


def test_the_rate_of_a_silent_feed_is_that_before_it_fell_silent(wireroom: Run) -> None:
    held()
    assert "12 a day, high confidence" in wireroom("feed", "Courier").out
    with open_held() as app:
        feed = app.store.feed(COURIER)
        assert feed is not None
        silent = replace(feed, state="silent")
        app.store.save_feed_changes([(feed, silent)], events=[], now=app.clock())
    assert "12 a day, before it fell silent, high confidence" in wireroom("feed", "Courier").out
