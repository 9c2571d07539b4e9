"""Why a page is here or is missing: decided by what is held of it, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.holding import save_feeds, save_polled
from wireroom import open_app
from wireroom.app import App
from wireroom.app.holders import holder_name
from wireroom.app.page_trace import (
    PageOutcome,
    chosen_states,
    list_leads,
    page_outcome,
    trace_page,
)
from wireroom.app.waiting import QueueState, Wait, WaitsFor, feed_wait, lead_wait, queue_state
from wireroom.errors import SettingsError
from wireroom.model import (
    Article,
    Cluster,
    Feed,
    Item,
    Lead,
    LeadCause,
    LeadState,
    Polled,
    Problem,
    ProblemKind,
    Reading,
)
from wireroom.ports import HostRecord, LeadRecord, RobotsFile
from wireroom.urls import article_id

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
RSS = "https://courier.test/rss"
PAGE = "https://courier.test/story"
LEAD = Lead(url=PAGE, publisher="courier.test")
ELSEWHERE = "run-other.1f-7-9-00000000"


def article(url: str = PAGE, publisher: str = "courier.test", **fields: Any) -> Article:
    held = Article(
        id=article_id(publisher, url), publisher=publisher, url=url, title="Quay", fetched_at=NOW
    )
    return replace(held, **fields)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite://", clock=lambda: NOW) as app:
        yield app


def name(app: App, *pages: str, **fields: Any) -> Feed:
    """A feed that has named these pages."""
    feed = replace(Feed(url=RSS, publisher="courier.test", kind="rss", name="Courier"), **fields)
    save_feeds(app.store, [feed], now=NOW)
    items = tuple(Item(feed_url=RSS, guid=page, url=page, title="The quay") for page in pages)
    save_polled(app.store, feed, Polled(feed_url=RSS, result="items", items=items), now=NOW)
    return feed


def end(app: App, state: LeadState, cause: LeadCause, kind: ProblemKind | None = None) -> None:
    lead = replace(LEAD, state=state, cause=cause, reason="prose", attempts=2)
    if state == "retry":
        lead = replace(lead, read_after=NOW + HOUR)
    problem = kind and Problem(kind=kind, message="HTTP 999", subject_url=PAGE, at=NOW)
    app.store.save_readings([Reading(lead=lead, problem=problem)], now=NOW)


@pytest.mark.parametrize(
    ("state", "cause", "held", "outcome"),
    [
        ("new", LeadCause.NONE, None, "waiting"),
        ("new", LeadCause.ASKED_ANEW, article(), "held"),
        ("fetched", LeadCause.NONE, None, "waiting"),
        ("retry", LeadCause.NOT_FETCHED, None, "retry"),
        ("retry", LeadCause.NOT_FETCHED, article(), "held"),
        ("failed", LeadCause.GONE, None, "failed"),
        ("failed", LeadCause.WITHDRAWN, None, "withdrawn"),
        ("failed", LeadCause.WITHDRAWN, article(state="withdrawn"), "withdrawn"),
        ("refused", LeadCause.RIGHTS, None, "refused"),
        ("refused", LeadCause.PURGED, None, "purged"),
        ("read", LeadCause.NONE, article(), "held"),
        ("duplicate", LeadCause.DUPLICATE, article(), "duplicate"),
    ],
)
def test_what_a_page_comes_to_is_decided_by_its_fields(
    state: LeadState, cause: LeadCause, held: Article | None, outcome: str
) -> None:
    record = LeadRecord(lead=replace(LEAD, state=state, cause=cause))
    assert page_outcome(record, held, PAGE) == outcome


def test_a_page_that_nobody_named() -> None:
    assert page_outcome(None, None, PAGE) is PageOutcome.NEVER_SEEN
    assert page_outcome(None, article(), PAGE) is PageOutcome.HELD
    assert page_outcome(None, article(), f"{PAGE}?canonical") is PageOutcome.DUPLICATE


def test_a_page_that_was_never_seen_says_what_is_followed(app: App) -> None:
    trace = trace_page(app, PAGE)
    assert (trace.outcome, trace.feeds) == (PageOutcome.NEVER_SEEN, ())
    assert "wireroom add courier.test" in trace.advice
    name(app)
    trace = trace_page(app, PAGE)
    assert [feed.url for feed in trace.feeds] == [RSS]
    assert "wireroom backfill courier.test --since 30d" in trace.advice
    assert f"wireroom feed {RSS}" in trace_page(app, RSS).advice
    app.store.save_feed_changes([(trace.feeds[0], replace(trace.feeds[0], state="gone"))], now=NOW)
    assert "wireroom resume courier.test" in trace_page(app, PAGE).advice


def test_what_is_no_address_is_refused(app: App) -> None:
    with pytest.raises(SettingsError):
        trace_page(app, "story")


def test_a_page_that_waits_says_who_named_it_and_that_it_is_due(app: App) -> None:
    name(app, PAGE)
    app.store.save_publisher(replace(app.store.publishers()[0], scout_after=NOW + HOUR))
    trace = trace_page(app, f"{PAGE}#comments")
    assert trace.outcome is PageOutcome.WAITING
    assert [(naming.feed and naming.feed.name, naming.item.title) for naming in trace.named_by] == [
        ("Courier", "The quay")
    ]
    assert trace.record is not None
    assert trace.record.found_at == NOW
    assert trace.wait == Wait(on=WaitsFor.RUN)
    assert "wireroom run" in trace.advice
    assert trace_page(app, f"{PAGE}/").outcome is PageOutcome.WAITING, "a slash more or less"


def test_a_page_of_a_paused_feed_waits_for_it(app: App) -> None:
    name(app, PAGE, state="paused")
    trace = trace_page(app, PAGE)
    assert trace.wait == Wait(on=WaitsFor.FEED, who=RSS)
    assert f"wireroom resume {RSS}" in trace.advice


@pytest.mark.parametrize(
    ("cause", "kind", "helps"),
    [
        (LeadCause.GONE, "gone", f"wireroom retry {PAGE}"),
        (LeadCause.UNREADABLE, "no_article", f"wireroom extract {PAGE} --explain"),
        (LeadCause.NOT_FETCHED, "timeout", f"wireroom fetch {PAGE}"),
        (LeadCause.NOT_FETCHED, "blocked_waf", "strategy or a proxy"),
        (LeadCause.NOT_FETCHED, "payment_required", f"wireroom rights {PAGE}"),
        (LeadCause.NOT_FETCHED, "login", "asks for a login"),
        (LeadCause.OUR_FAULT, "internal", f"wireroom retry {PAGE}"),
        (LeadCause.BAD_ADDRESS, "bad_response", "tell the publisher"),
    ],
)
def test_a_page_that_failed_tells_its_tries_and_what_may_help(
    app: App, cause: LeadCause, kind: ProblemKind, helps: str
) -> None:
    name(app, PAGE)
    end(app, "retry", cause, kind)
    end(app, "failed", cause, kind)
    trace = trace_page(app, PAGE)
    assert trace.outcome is PageOutcome.FAILED
    assert [(each.kind, each.at) for each in trace.tries] == [(kind, NOW), (kind, NOW)]
    assert helps in trace.advice


def test_a_page_that_is_tried_again_says_when(app: App) -> None:
    name(app, PAGE)
    end(app, "retry", LeadCause.NOT_FETCHED, "timeout")
    trace = trace_page(app, PAGE)
    assert trace.wait == Wait(on=WaitsFor.TIME, until=NOW + HOUR)
    assert f"wireroom retry {PAGE}" in trace.advice


def test_what_robots_txt_says_is_looked_up_with_its_line(app: App) -> None:
    name(app, PAGE)
    end(app, "refused", LeadCause.ROBOTS, "robots")
    body = b"User-agent: *\nDisallow: /story\n"
    file = RobotsFile(origin="https://courier.test", found=True, body=body, asked_at=NOW - HOUR)
    app.store.save_robots_files([file])
    trace = trace_page(app, PAGE)
    assert trace.outcome is PageOutcome.REFUSED
    assert trace.permission.robots == "disallowed"
    assert trace.permission.rule == "line 2 of https://courier.test/robots.txt: Disallow: /story"
    assert trace.permission.robots_at == NOW - HOUR
    assert "fetch.agreed" in trace.advice
    assert trace_page(app, "https://courier.test/other").permission.robots == "allowed"
    assert trace_page(app, "https://phare.test/").permission.robots == "unknown"


def test_a_held_page_names_the_article_it_is_a_copy_of(app: App) -> None:
    name(app, PAGE)
    other = article("https://phare.test/same", "phare.test")
    canonical = "https://courier.test/2026/quay"
    outcomes = [
        Reading(lead=replace(LEAD, state="read"), article=article(canonical_url=canonical)),
        Reading(lead=Lead(url=other.url, publisher="phare.test", state="read"), article=other),
    ]
    app.store.save_readings(outcomes, now=NOW)
    members = (article().id, other.id)
    app.store.save_clusters(
        [Cluster(id="c", members=members, canonicals={"": other.id}, made_at=NOW)]
    )
    trace = trace_page(app, PAGE)
    assert (trace.outcome, trace.canonical and trace.canonical.id) == (PageOutcome.HELD, other.id)
    assert trace_page(app, other.url).canonical is None
    alias = trace_page(app, canonical)
    assert (alias.outcome, alias.article and alias.article.id) == (
        PageOutcome.DUPLICATE,
        article().id,
    )


def test_what_was_removed_on_purpose_says_so(app: App) -> None:
    name(app, PAGE)
    reading = Reading(lead=replace(LEAD, state="read"), article=article())
    app.store.save_readings([reading], now=NOW)
    app.store.remove_articles([article().id], reason="asked for", now=NOW)
    trace = trace_page(app, PAGE)
    assert (trace.outcome, trace.article) == (PageOutcome.PURGED, None)


# --- what work waits for -------------------------------------------------------------------------


def state(*hosts: HostRecord) -> QueueState:
    return QueueState(now=NOW, hosts={host.name: host for host in hosts})


OPEN = LeadRecord(lead=LEAD, feed_url=RSS, due_after=NOW)
HELD = HostRecord(name="courier.test", holder=ELSEWHERE, leased_until=NOW + MINUTE)
RESTING = HostRecord(name="courier.test", leased_until=NOW + HOUR)


@pytest.mark.parametrize(
    ("record", "queue", "wait"),
    [
        (OPEN, state(), Wait(on=WaitsFor.RUN)),
        (replace(OPEN, due_after=None), state(), Wait(on=WaitsFor.FEED, who=RSS)),
        (
            replace(OPEN, holder=ELSEWHERE, due_after=NOW + MINUTE),
            state(HELD),
            Wait(on=WaitsFor.IN_FLIGHT, until=NOW + MINUTE, who="a run on other (process 7)"),
        ),
        (
            OPEN,
            state(HELD),
            Wait(on=WaitsFor.HOST, until=NOW + MINUTE, who="a run on other (process 7)"),
        ),
        (OPEN, state(RESTING), Wait(on=WaitsFor.REST, until=NOW + HOUR, who="courier.test")),
        (
            OPEN,
            replace(state(), to_scout=frozenset({"courier.test"})),
            Wait(on=WaitsFor.SCOUT, who="courier.test"),
        ),
        (
            replace(OPEN, holder=ELSEWHERE, due_after=NOW + MINUTE),
            replace(state(HELD), dead=frozenset({ELSEWHERE})),
            Wait(on=WaitsFor.RUN),
        ),
        (
            replace(OPEN, lead=replace(LEAD, state="retry", read_after=NOW + HOUR)),
            state(),
            Wait(on=WaitsFor.TIME, until=NOW + HOUR),
        ),
        (replace(OPEN, lead=replace(LEAD, state="failed"), due_after=None), state(), None),
    ],
)
def test_what_a_lead_waits_for(record: LeadRecord, queue: QueueState, wait: Wait | None) -> None:
    assert lead_wait(record, queue) == wait


FEED = Feed(url=RSS, publisher="courier.test", kind="rss")


@pytest.mark.parametrize(
    ("feed", "queue", "on"),
    [
        (FEED, state(), WaitsFor.RUN),
        (replace(FEED, poll_after=NOW + HOUR), state(), WaitsFor.TIME),
        (replace(FEED, poll_after=NOW), state(HELD), WaitsFor.HOST),
        (FEED, state(RESTING), WaitsFor.REST),
        (replace(FEED, state="paused"), state(), WaitsFor.FEED),
    ],
)
def test_what_a_feed_waits_for(feed: Feed, queue: QueueState, on: WaitsFor) -> None:
    found = feed_wait(feed, queue)
    assert found is not None
    assert found.on is on
    assert feed_wait(replace(FEED, state="gone"), queue) is None


def test_hosts_of_a_killed_process_are_as_good_as_free(app: App) -> None:
    name(app, PAGE)
    app.store.save_publisher(replace(app.store.publishers()[0], scout_after=NOW + HOUR))
    head, began, tail = holder_name().rsplit("-", 2)
    for holder, on in (
        (holder_name(), WaitsFor.IN_FLIGHT),
        (f"{head}-{int(began) - 1}-{tail}", WaitsFor.RUN),
    ):
        app.store.take_leads(holder=holder, now=NOW, limit=9, lease=MINUTE)
        (listed,) = list_leads(app).leads
        assert listed.wait is not None
        assert listed.wait.on is on
        app.store.release(holder=holder, now=NOW)
    assert queue_state(app).dead == frozenset()


# --- lists ---------------------------------------------------------------------------------------


def test_a_list_holds_what_is_not_read_or_what_is_chosen(app: App) -> None:
    name(app, PAGE, f"{PAGE}-2", f"{PAGE}-3")
    end(app, "failed", LeadCause.GONE, "gone")
    read = Lead(url=f"{PAGE}-2", publisher="courier.test", state="read")
    app.store.save_readings([Reading(lead=read, article=article(f"{PAGE}-2"))], now=NOW)
    found = [listed.record.lead.state for listed in list_leads(app).leads]
    assert found == ["new", "failed"]
    assert len(list_leads(app, choice="all").leads) == 3
    assert [each.record.lead.state for each in list_leads(app, choice="read").leads] == ["read"]
    first = list_leads(app, limit=1)
    assert list_leads(app, limit=1, cursor=first.cursor).leads != first.leads


def test_one_word_may_mean_several_states() -> None:
    assert chosen_states("waiting") == ("fetched", "new", "retry")
    assert chosen_states("failed") == ("failed",)
    assert chosen_states("all") == ()
    assert "read" not in chosen_states(None)
