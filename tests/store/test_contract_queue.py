"""What every store shows of its queue: leads with their reasons, one page, hosts and who holds them, runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.holding import save_feeds, save_polled
from tests.store.samples import (
    COURIER,
    HOUR,
    LEASE,
    MINUTE,
    NOW,
    article,
    feed,
    item,
    lead,
    polled,
    reading,
)
from wireroom.errors import QueryError
from wireroom.model import LeadCause, LeadState, Reading
from wireroom.ports import HostRecord, LeadRecord, PageRecord, RunRecord, Store
from wireroom.store.tallies import RECENT

RSS, LOCAL, MOVED = (f"https://courier.test/{name}" for name in ("rss", "local", "moved"))


def story(number: int) -> str:
    return f"https://courier.test/story-{number}"


def bring(store: Store, *numbers: int, url: str = RSS) -> None:
    """The feed brings these pages."""
    if store.feed(url) is None:
        save_feeds(store, [feed(url, poll_after=NOW + HOUR)], now=NOW)
    items = [item(number, url) for number in numbers]
    save_polled(store, feed(url, poll_after=NOW + HOUR), polled(items, url), now=NOW)


def end(store: Store, number: int, state: LeadState, cause: LeadCause = LeadCause.NONE) -> None:
    """The page was tried three times, and this is what became of it."""
    failed = replace(lead(number), state=state, cause=cause, reason="why", attempts=3)
    store.save_readings([Reading(lead=failed)], now=NOW + HOUR)


def shown(records: tuple[LeadRecord, ...]) -> list[str]:
    return [record.lead.url.rpartition("/")[2] for record in records]


def test_leads_are_listed_newest_first_by_state_feed_and_publisher(store: Store) -> None:
    bring(store, 1, 2)
    bring(store, 3, url=LOCAL)
    store.save_leads([lead(4, "other.test")], now=NOW)
    end(store, 1, "failed", LeadCause.NOT_FETCHED)
    store.save_readings([reading(article(2))], now=NOW)
    queue = store.queue
    assert shown(queue.leads().leads) == ["story-4", "story-3", "story-2", "story-1"]
    assert shown(queue.leads(states=["new", "failed"]).leads) == ["story-4", "story-3", "story-1"]
    assert shown(queue.leads(feed_url=RSS, states=["failed"]).leads) == ["story-1"]
    assert shown(queue.leads(publisher="other.test").leads) == ["story-4"]
    assert shown(queue.leads(states=["refused"]).leads) == []


def test_a_lead_shows_who_named_it_when_and_what_became_of_it(store: Store) -> None:
    bring(store, 1, 2, 3)
    end(store, 1, "failed", LeadCause.NOT_FETCHED)
    store.save_readings([reading(article(2))], now=NOW + HOUR)
    waiting, read, failed = store.queue.leads(feed_url=RSS).leads
    assert (failed.lead.cause, failed.lead.reason) == (LeadCause.NOT_FETCHED, "why")
    assert (failed.feed_url, failed.found_at, failed.due_after) == (RSS, NOW, None)
    assert failed.lead.item == item(1)
    assert (read.article_id, read.found_at) == (article(2).id, NOW)
    assert (waiting.due_after, waiting.holder) == (NOW, "")
    store.take_leads(holder="p", now=NOW, limit=9, lease=LEASE)
    (taken,) = store.queue.leads(states=["new"]).leads
    assert (taken.holder, taken.due_after) == ("p", NOW + LEASE)


def test_a_list_goes_on_where_it_was_left(store: Store) -> None:
    bring(store, *range(1, 6))
    first = store.queue.leads(limit=2)
    second = store.queue.leads(limit=2, cursor=first.cursor)
    last = store.queue.leads(limit=2, cursor=second.cursor)
    pages = [shown(page.leads) for page in (first, second, last)]
    assert pages == [["story-5", "story-4"], ["story-3", "story-2"], ["story-1"]]
    assert last.cursor == ""


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "²"])
def test_what_is_no_cursor_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(QueryError, match="no cursor"):
        store.queue.leads(cursor=cursor)


def test_leads_of_a_former_address_are_those_of_the_feed(store: Store) -> None:
    bring(store, 1)
    save_polled(store, feed(MOVED), polled([]), now=NOW)
    assert shown(store.queue.leads(feed_url=MOVED).leads) == ["story-1"]


def test_a_page_is_found_by_any_spelling_of_its_address(store: Store) -> None:
    bring(store, 1)
    bring(store, 1, url=LOCAL)
    canonical = "https://courier.test/2026/harbour"
    store.save_readings([reading(article(1, canonical_url=canonical))], now=NOW)
    page = store.queue.page("http://www.courier.test/story-1?utm_source=x#top")
    assert [found.feed_url for found in page.items] == [RSS, LOCAL]
    assert shown(page.leads) == ["story-1"]
    assert page.article_ids == (article(1).id,)
    assert store.queue.page(canonical) == PageRecord(article_ids=(article(1).id,))
    assert store.queue.page(story(2)) == PageRecord()
    assert store.queue.page("no address") == PageRecord()


def test_hosts_show_who_holds_them_until_when_and_what_waits_there(store: Store) -> None:
    bring(store, 1)
    save_feeds(store, [feed("https://bote.test/rss", poll_after=NOW)], now=NOW)
    due = HostRecord(name=COURIER, feed_after=NOW + HOUR, lead_after=NOW)
    assert store.queue.hosts(now=NOW) == (HostRecord(name="bote.test", feed_after=NOW), due)
    store.take_leads(holder="p", now=NOW, limit=9, lease=LEASE)
    until = NOW + LEASE
    assert store.queue.hosts(now=NOW)[1] == replace(
        due, holder="p", leased_until=until, lead_after=until
    )
    store.release(holder="p", now=NOW, rest=2 * MINUTE)
    assert store.queue.hosts(now=NOW)[1] == replace(due, leased_until=NOW + 2 * MINUTE)
    assert store.queue.hosts(now=NOW + 3 * MINUTE)[1] == due


def test_runs_are_known_until_they_end(store: Store) -> None:
    first = RunRecord(holder="run-a", began_at=NOW, seen_at=NOW)
    later = RunRecord(holder="run-b", began_at=NOW + MINUTE, seen_at=NOW + MINUTE)
    for run in (later, first):
        store.queue.save_run(run)
    seen = replace(first, seen_at=NOW + HOUR)
    store.queue.save_run(seen)
    assert store.queue.runs() == (seen, later)
    store.queue.forget_run("run-a")
    store.queue.forget_run("nobody")
    assert store.queue.runs() == (later,)


def test_what_became_of_the_last_pages_that_were_tried(store: Store) -> None:
    bring(store, *range(1, 10))
    end(store, 1, "failed", LeadCause.NOT_FETCHED)
    end(store, 2, "retry", LeadCause.NOT_FETCHED)
    end(store, 3, "refused", LeadCause.ROBOTS)
    end(store, 4, "refused", LeadCause.PURGED)
    end(store, 5, "failed", LeadCause.WITHDRAWN)
    store.save_readings([reading(article(6))], now=NOW)
    lately = store.feed_tallies([RSS])[RSS].lately
    assert lately == {"failed": 1, "read": 1, "refused": 1, "retry": 1}


def test_what_was_long_ago_does_not_count_as_lately(store: Store) -> None:
    bring(store, *range(1, RECENT + 5))
    read = [reading(article(number)) for number in range(1, 5)]
    store.save_readings(read, now=NOW)
    for number in range(5, RECENT + 5):
        end(store, number, "failed", LeadCause.NOT_FETCHED)
    assert store.feed_tallies([RSS])[RSS].lately == {"failed": RECENT}
