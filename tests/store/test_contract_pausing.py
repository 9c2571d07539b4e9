"""What every store promises about pages of paused feeds: they wait until the feed is resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from tests.holding import save_feeds, save_polled
from tests.store.samples import HOUR, LEASE, NOW, feed, item, lead, polled
from wireroom.model import Feed, Polled, Reading
from wireroom.ports import Store

RSS, LOCAL = "https://courier.test/rss", "https://courier.test/local"
ONE, TWO, THREE = (f"https://courier.test/story-{number}" for number in (1, 2, 3))


def held(store: Store, url: str) -> Feed:
    found = store.feed(url)
    assert found is not None
    return found


def follow(store: Store, url: str, numbers: Sequence[int], now: datetime = NOW) -> None:
    """The feed brings these pages."""
    if store.feed(url) is None:
        save_feeds(store, [feed(url, poll_after=NOW + HOUR)], now=now)
    bring(store, held(store, url), numbers, now)


def bring(store: Store, feed: Feed, numbers: Sequence[int], now: datetime = NOW) -> None:
    items = [item(number, feed.url) for number in numbers]
    save_polled(store, feed, polled(items, feed.url), now=now)


def turn(store: Store, *urls: str, paused: bool = True, now: datetime = NOW) -> None:
    """The operator pauses or resumes feeds."""
    feeds = [held(store, url) for url in urls]
    changes = [(feed, replace(feed, state="paused" if paused else "live")) for feed in feeds]
    store.save_feed_changes(changes, events=[], now=now)


def taken(store: Store, now: datetime = NOW, holder: str = "p") -> list[str]:
    """What is given; given back at once."""
    leads = store.take_leads(holder=holder, now=now, limit=100, lease=LEASE)
    store.release(holder=holder, now=now)
    return sorted(lead.url for lead in leads)


def test_pages_of_a_paused_feed_wait_until_it_is_resumed(store: Store) -> None:
    follow(store, RSS, [1, 2])
    store.save_leads([lead(1, "other.test")], now=NOW)
    turn(store, RSS)
    assert taken(store) == ["https://other.test/story-1"]
    assert taken(store, NOW + 30 * 24 * HOUR) == ["https://other.test/story-1"]
    assert [lead.state for lead in store.leads(publisher="courier.test")] == ["new", "new"]
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE, TWO, "https://other.test/story-1"]


def test_a_feed_that_is_saved_as_paused_takes_its_pages_along(store: Store) -> None:
    follow(store, RSS, [1])
    save_feeds(store, [replace(held(store, RSS), state="paused")], now=NOW)
    assert taken(store) == []
    save_feeds(store, [replace(held(store, RSS), state="live")], now=NOW)
    assert taken(store) == [ONE]


def test_nothing_is_due_while_all_that_is_open_sleeps(store: Store) -> None:
    follow(store, RSS, [1])
    turn(store, RSS)
    assert store.next_due() is None
    turn(store, RSS, paused=False)
    due = store.next_due()
    assert due is not None
    assert due <= NOW


def test_a_retry_keeps_its_time(store: Store) -> None:
    follow(store, RSS, [1])
    (given,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    again = replace(given, state="retry", attempts=1, read_after=NOW + 3 * HOUR)
    store.save_readings([Reading(lead=again)], now=NOW)
    store.release(holder="p", now=NOW)
    turn(store, RSS)
    turn(store, RSS, paused=False, now=NOW + HOUR)
    assert taken(store, NOW + 2 * HOUR) == []
    assert taken(store, NOW + 3 * HOUR) == [ONE]


def test_a_page_in_flight_is_not_given_twice(store: Store) -> None:
    follow(store, RSS, [1])
    assert len(store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)) == 1
    turn(store, RSS)
    store.renew(holder="p", now=NOW, lease=LEASE)
    turn(store, RSS, paused=False)
    assert store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE) == ()
    assert taken(store, NOW + LEASE, "q") == [ONE]


@pytest.mark.parametrize("ends", ["released", "tried", "dead"])
def test_a_page_that_was_in_flight_waits_as_well(store: Store, ends: str) -> None:
    follow(store, RSS, [1])
    (given,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    turn(store, RSS)
    if ends == "tried":
        store.save_readings([Reading(lead=replace(given, state="retry", attempts=1))], now=NOW)
    if ends != "dead":
        store.release(holder="p", now=NOW)
    assert taken(store, NOW + HOUR, "q") == []
    turn(store, RSS, paused=False, now=NOW + HOUR)
    assert taken(store, NOW + HOUR, "q") == [ONE]


def test_a_page_that_was_read_meanwhile_is_done_with(store: Store) -> None:
    follow(store, RSS, [1])
    (given,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    turn(store, RSS)
    store.save_readings([Reading(lead=replace(given, state="read"))], now=NOW)
    turn(store, RSS, paused=False)
    assert taken(store, NOW + HOUR) == []


def test_what_a_poll_in_flight_brings_waits(store: Store) -> None:
    follow(store, RSS, [1])
    asked = held(store, RSS)
    turn(store, RSS)
    bring(store, asked, [1, 2])
    assert taken(store) == []
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE, TWO]


def test_a_changed_item_of_a_paused_feed_waits(store: Store) -> None:
    follow(store, RSS, [1])
    asked = held(store, RSS)
    (given,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    store.save_readings([Reading(lead=replace(given, state="read"))], now=NOW)
    store.release(holder="p", now=NOW)
    turn(store, RSS)
    changed = replace(polled([item(1, title="Edited")]), reopen=True)
    save_polled(store, asked, changed, now=NOW)
    assert taken(store) == []
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE]


def test_pages_that_are_found_elsewhere_for_a_paused_feed_wait(store: Store) -> None:
    follow(store, RSS, [])
    turn(store, RSS)
    store.save_leads([lead(1, item=item(1)), lead(2)], now=NOW)
    assert taken(store) == [TWO]
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE, TWO]


def test_pages_that_are_tried_again_wait(store: Store) -> None:
    follow(store, RSS, [1])
    (given,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    store.save_readings([Reading(lead=replace(given, state="failed"))], now=NOW)
    store.release(holder="p", now=NOW)
    turn(store, RSS)
    assert store.retry_leads(now=NOW) == 1
    assert taken(store) == []
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE]


# --- pages of several feeds --------------------------------------------------------------------


def test_a_page_that_a_feed_at_work_names_as_well_is_read(store: Store) -> None:
    follow(store, RSS, [1, 2])
    follow(store, LOCAL, [2, 3])
    turn(store, RSS)
    assert taken(store) == [TWO, THREE]
    turn(store, LOCAL)
    assert taken(store) == []
    turn(store, RSS, paused=False)
    assert taken(store) == [ONE, TWO]
    turn(store, LOCAL, paused=False)
    assert taken(store) == [ONE, TWO, THREE]


def test_a_page_that_a_feed_at_work_brings_later_is_read(store: Store) -> None:
    follow(store, RSS, [1, 2])
    turn(store, RSS)
    follow(store, LOCAL, [2])
    assert taken(store) == [TWO]
    turn(store, RSS, LOCAL)
    assert taken(store) == []
    turn(store, RSS, LOCAL, paused=False)
    assert taken(store) == [ONE, TWO]


def test_a_late_poll_of_a_paused_feed_holds_up_no_page_of_another(store: Store) -> None:
    follow(store, RSS, [1])
    follow(store, LOCAL, [1])
    asked = held(store, RSS)
    turn(store, RSS)
    changed = replace(polled([item(1, title="Edited")]), reopen=True)
    save_polled(store, asked, changed, now=NOW)
    assert taken(store) == [ONE]


def test_feeds_that_are_paused_together_put_shared_pages_to_sleep(store: Store) -> None:
    follow(store, RSS, [1, 2])
    follow(store, LOCAL, [1, 2])
    turn(store, RSS, LOCAL)
    assert taken(store) == []
    turn(store, LOCAL, paused=False)
    assert taken(store) == [ONE, TWO]


def test_removing_a_paused_feed_forgets_its_pages_and_leaves_shared_ones(store: Store) -> None:
    follow(store, RSS, [1, 2])
    follow(store, LOCAL, [2])
    turn(store, RSS, LOCAL)
    assert store.remove_feed(RSS)
    assert [lead.url for lead in store.leads()] == [TWO]
    assert taken(store) == []
    turn(store, LOCAL, paused=False)
    assert taken(store) == [TWO]


# --- feeds that move ---------------------------------------------------------------------------


def test_pages_of_a_paused_feed_sleep_on_when_it_moves(store: Store) -> None:
    follow(store, RSS, [1])
    turn(store, RSS)
    feed = held(store, RSS)
    store.save_feed_changes([(feed, replace(feed, url=LOCAL))], events=[], now=NOW)
    assert taken(store) == []
    turn(store, LOCAL, paused=False)
    assert taken(store) == [ONE]


def test_pages_follow_the_feed_that_theirs_is_moved_into(store: Store) -> None:
    follow(store, RSS, [1])
    follow(store, LOCAL, [2])
    turn(store, LOCAL)
    save_polled(
        store, replace(held(store, RSS), url=LOCAL), Polled(feed_url=RSS, result="moved"), now=NOW
    )
    awake = held(store, LOCAL).state != "paused"
    assert taken(store) == ([ONE, TWO] if awake else [])
    turn(store, LOCAL)
    assert taken(store) == []
    turn(store, LOCAL, paused=False)
    assert taken(store) == [ONE, TWO]
