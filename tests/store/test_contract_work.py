"""What every store promises about due work and the leases on hosts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.holding import find_lead, save_feeds, save_polled
from tests.store.samples import DAY, HOUR, LEASE, MINUTE, NOW, feed, item, lead, polled, reading
from tests.store.samples import article as sample_article
from wireroom.errors import StoreError
from wireroom.model import Feed, Lead, Publisher, Reading
from wireroom.poll.schedule import LONGEST, SPREAD
from wireroom.ports import Store
from wireroom.store.queue.waking import LONGEST_INTERVAL, LONGEST_LEASE, LONGEST_SLEEP

MOMENT = timedelta(seconds=1)


def take(store: Store, holder: str, now: datetime = NOW, limit: int = 100) -> list[str]:
    return [lead.url for lead in store.take_leads(holder=holder, now=now, limit=limit, lease=LEASE)]


def poll(store: Store, holder: str, now: datetime = NOW, limit: int = 100) -> list[str]:
    return [feed.url for feed in store.take_feeds(holder=holder, now=now, limit=limit, lease=LEASE)]


def test_due_feeds_are_given_longest_overdue_first(store: Store) -> None:
    feeds = [
        feed("https://a.test/1", poll_after=NOW - HOUR),
        feed("https://b.test/1", poll_after=NOW - 2 * HOUR),
        feed("https://c.test/1", poll_after=NOW + MOMENT),
        feed("https://d.test/1", poll_after=None),
        feed("https://e.test/1", poll_after=NOW - HOUR, state="paused"),
    ]
    save_feeds(store, feeds, now=NOW)
    assert poll(store, "p") == ["https://d.test/1", "https://b.test/1", "https://a.test/1"]
    assert poll(store, "p") == []
    assert poll(store, "p", NOW + MOMENT) == ["https://c.test/1"]


def test_no_more_than_the_limit_is_given(store: Store) -> None:
    save_feeds(store, [feed(f"https://a.test/{number}") for number in range(5)], now=NOW)
    assert len(poll(store, "p", limit=3)) == 3
    assert len(poll(store, "p", limit=3)) == 2
    assert poll(store, "p", limit=0) == []


def test_a_host_in_other_hands_gives_neither_feeds_nor_leads(store: Store) -> None:
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    store.save_leads([lead(1, "a.test"), lead(1, "b.test")], now=NOW)
    assert poll(store, "first") == ["https://a.test/rss"]
    assert take(store, "second") == ["https://b.test/story-1"]
    assert take(store, "first") == ["https://a.test/story-1"]


def test_ports_and_subdomains_are_hosts_of_their_own(store: Store) -> None:
    urls = ["https://a.test/1", "https://a.test:8443/1", "https://www.a.test/1"]
    save_feeds(store, [feed(url) for url in urls], now=NOW)
    assert poll(store, "one", limit=1) == [urls[0]]
    assert poll(store, "two", limit=1) == [urls[1]]
    assert poll(store, "three", limit=1) == [urls[2]]


def test_hosts_that_have_enough_are_left_out(store: Store) -> None:
    store.save_leads([lead(1, "a.test"), lead(1, "b.test"), lead(2, "b.test")], now=NOW)
    given = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE, without={"a.test"})
    assert [lead.url for lead in given] == ["https://b.test/story-1"]
    assert (
        store.take_leads(holder="p", now=NOW, limit=9, lease=LEASE, without={"a.test", "b.test"})
        == ()
    )
    assert len(take(store, "p")) == 2


def test_at_most_per_host_leads_of_one_host_are_given(store: Store) -> None:
    store.save_leads([lead(number, "a.test") for number in range(30)], now=NOW - HOUR)
    store.save_leads([lead(number, "b.test") for number in range(3)], now=NOW)
    given = store.take_leads(holder="p", now=NOW, limit=100, lease=LEASE, per_host=4)
    hosts = [lead.publisher for lead in given]
    assert hosts == ["a.test"] * 4 + ["b.test"] * 3
    more = store.take_leads(holder="p", now=NOW, limit=100, lease=LEASE, per_host=4)
    assert [lead.publisher for lead in more] == ["a.test"] * 4
    assert not {lead.url for lead in given} & {lead.url for lead in more}


def test_longest_overdue_host_comes_first(store: Store) -> None:
    for hours, host in ((1, "b.test"), (3, "c.test"), (2, "a.test")):
        store.save_leads([lead(1, host)], now=NOW - hours * HOUR)
    assert take(store, "p", limit=2) == ["https://c.test/story-1", "https://a.test/story-1"]


def test_a_dead_holders_work_comes_back_when_its_lease_runs_out(store: Store) -> None:
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    store.save_leads([lead(1, "a.test")], now=NOW)
    assert poll(store, "dead") == ["https://a.test/rss"]
    assert take(store, "dead") == ["https://a.test/story-1"]
    just_before = NOW + LEASE - MOMENT
    assert poll(store, "heir", just_before) == []
    assert take(store, "heir", just_before) == []
    assert poll(store, "heir", NOW + LEASE) == ["https://a.test/rss"]
    assert take(store, "heir", NOW + LEASE) == ["https://a.test/story-1"]
    assert take(store, "dead", NOW + LEASE) == []


def test_release_gives_unfinished_work_back_at_once(store: Store) -> None:
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    store.save_leads([lead(1, "a.test"), lead(1, "b.test")], now=NOW)
    poll(store, "p")
    take(store, "p")
    assert store.release(holder="p", now=NOW, hosts=["a.test"]) == 1
    assert poll(store, "q") == ["https://a.test/rss"]
    assert take(store, "q") == ["https://a.test/story-1"]
    assert store.release(holder="p", now=NOW) == 1
    assert store.release(holder="p", now=NOW) == 0
    assert take(store, "q") == ["https://b.test/story-1"]


def test_a_released_host_rests_for_everybody(store: Store) -> None:
    store.save_leads([lead(1, "a.test")], now=NOW)
    take(store, "p")
    store.release(holder="p", now=NOW, rest=MINUTE)
    for holder in ("p", "q"):
        assert take(store, holder, NOW + MINUTE - MOMENT) == []
        assert not store.take_host("a.test", holder=holder, now=NOW, lease=LEASE)
    assert take(store, "q", NOW + MINUTE) == ["https://a.test/story-1"]


def test_renewed_leases_and_their_work_stay_in_flight(store: Store) -> None:
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    store.save_leads([lead(1, "b.test")], now=NOW)
    poll(store, "p")
    take(store, "p")
    later = NOW + 4 * MINUTE
    assert store.renew(holder="p", now=later, lease=LEASE) == ("a.test", "b.test")
    assert store.renew(holder="nobody", now=later, lease=LEASE) == ()
    for holder in ("p", "q"):
        assert poll(store, holder, NOW + LEASE) == []
        assert take(store, holder, NOW + LEASE) == []
    assert poll(store, "q", later + LEASE) == ["https://a.test/rss"]


def test_leases_on_hosts_that_are_not_named_run_out(store: Store) -> None:
    store.save_leads([lead(1, "a.test"), lead(2, "b.test")], now=NOW)
    take(store, "p")
    later = NOW + 4 * MINUTE
    assert store.renew(holder="p", now=later, lease=LEASE, hosts=["b.test", "c.test"]) == (
        "b.test",
    )
    assert take(store, "q", NOW + LEASE) == ["https://a.test/story-1"]


def test_a_lost_lease_cannot_be_renewed_or_released(store: Store) -> None:
    store.save_leads([lead(1, "a.test")], now=NOW)
    take(store, "slow")
    take(store, "heir", NOW + LEASE)
    assert store.renew(holder="slow", now=NOW + LEASE, lease=LEASE) == ()
    assert store.release(holder="slow", now=NOW + LEASE) == 0
    assert take(store, "third", NOW + LEASE) == []


def test_one_host_can_be_leased_for_a_scout(store: Store) -> None:
    store.save_leads([lead(1, "a.test")], now=NOW)
    assert store.take_host("a.test", holder="scout", now=NOW, lease=LEASE)
    assert store.take_host("a.test", holder="scout", now=NOW, lease=LEASE)
    assert not store.take_host("a.test", holder="other", now=NOW, lease=LEASE)
    assert take(store, "other") == []
    assert take(store, "scout") == ["https://a.test/story-1"]
    assert store.take_host("a.test", holder="other", now=NOW + LEASE, lease=LEASE)


def test_saving_a_poll_ends_the_work_but_not_the_lease(store: Store) -> None:
    held = feed("https://a.test/rss")
    save_feeds(store, [held], now=NOW)
    poll(store, "p")
    later = replace(held, poll_after=NOW + MINUTE)
    save_polled(store, later, polled([], held.url), now=NOW)
    assert poll(store, "p", NOW + MINUTE - MOMENT) == []
    assert poll(store, "q", NOW + MINUTE) == []
    assert poll(store, "p", NOW + MINUTE) == [held.url]


def test_a_feed_changed_by_the_operator_stays_in_flight(store: Store) -> None:
    held = feed("https://a.test/rss")
    save_feeds(store, [held], now=NOW)
    poll(store, "p")
    save_feeds(store, [replace(held, category="local")], now=NOW)
    assert poll(store, "p") == []
    save_feeds(store, [replace(held, state="paused")], now=NOW)
    store.release(holder="p", now=NOW)
    assert poll(store, "q") == []


def test_a_retry_comes_up_when_it_is_due(store: Store) -> None:
    store.save_leads([lead(1, "a.test")], now=NOW)
    (taken,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    again = replace(taken, state="retry", attempts=1, read_after=NOW + HOUR)
    store.save_readings([Reading(lead=again)], now=NOW)
    store.release(holder="p", now=NOW)
    assert take(store, "q", NOW + HOUR - MOMENT) == []
    (given,) = store.take_leads(holder="q", now=NOW + HOUR, limit=1, lease=LEASE)
    assert given == again


@pytest.mark.parametrize("state", ["read", "duplicate", "refused", "failed"])
def test_a_lead_that_is_done_with_does_not_come_up_again(store: Store, state: str) -> None:
    done = lead(1, "a.test", state=state, reason="so it is", read_after=NOW)
    store.save_leads([done], now=NOW)
    assert take(store, "p", NOW + DAY) == []
    assert find_lead(store, "a.test", done.url) == done


def test_after_the_clock_was_set_back_no_lease_lasts_for_days(store: Store) -> None:
    tomorrow = NOW + DAY
    save_feeds(store, [feed("https://a.test/rss", poll_after=NOW)], now=NOW)
    store.save_leads([lead(1, "b.test"), lead(2, "b.test")], now=NOW)
    assert poll(store, "p", tomorrow) == ["https://a.test/rss"]
    assert len(take(store, "p", tomorrow)) == 2
    assert poll(store, "q", NOW) == ["https://a.test/rss"]
    assert len(take(store, "q", NOW)) == 2
    assert store.take_host("c.test", holder="p", now=tomorrow, lease=LEASE)
    assert store.take_host("c.test", holder="q", now=NOW, lease=LEASE)


def test_a_lease_longer_than_the_longest_is_refused(store: Store) -> None:
    too_long = LONGEST_LEASE + MOMENT
    with pytest.raises(StoreError, match="at most 1:00:00"):
        store.take_host("a.test", holder="p", now=NOW, lease=too_long)
    with pytest.raises(StoreError, match="at most 1:00:00"):
        store.take_leads(holder="p", now=NOW, limit=1, lease=too_long)


def test_outcomes_of_a_lost_lease_are_accepted_and_never_counted_twice(store: Store) -> None:
    store.save_leads([lead(1)], now=NOW)
    (slow,) = store.take_leads(holder="slow", now=NOW, limit=1, lease=LEASE)
    later = NOW + LEASE
    (heir,) = store.take_leads(holder="heir", now=later, limit=1, lease=LEASE)
    outcome = reading(sample_article(1))
    store.save_readings([replace(outcome, lead=replace(slow, state="read"))], now=later)
    store.save_readings([replace(outcome, lead=replace(heir, state="read"))], now=later)
    counts = store.counts()
    assert (counts["leads"], counts["articles"], counts["article_versions"]) == (1, 1, 0)
    assert take(store, "third", later + DAY) == []


def test_work_appears_for_hosts_of_polled_items(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(
        store,
        replace(feed(), poll_after=NOW + DAY),
        polled([item(1), item(2, url="https://cdn.test/story-2")]),
        now=NOW,
    )
    assert sorted(take(store, "p")) == ["https://cdn.test/story-2", "https://courier.test/story-1"]


def test_taken_work_carries_all_that_is_known(store: Store) -> None:
    held: Feed = feed(poll_after=NOW - HOUR, failures=2)
    save_feeds(store, [held], now=NOW)
    assert store.take_feeds(holder="p", now=NOW, limit=9, lease=LEASE) == (held,)
    save_polled(store, held, polled([item(1)]), now=NOW)
    expected = Lead(url=item(1).url, publisher=held.publisher, item=item(1))
    assert store.take_leads(holder="p", now=NOW, limit=9, lease=LEASE) == (expected,)


def test_work_put_off_before_the_clock_was_set_back_is_due_after_all(store: Store) -> None:
    ahead = NOW + 400 * DAY
    save_feeds(store, [feed("https://a.test/rss", poll_after=ahead)], now=ahead)
    store.save_leads([lead(1, "b.test", state="retry", read_after=ahead)], now=ahead)
    assert poll(store, "p") == ["https://a.test/rss"]
    assert take(store, "p") == ["https://b.test/story-1"]


def test_what_nobody_put_off_is_due_after_the_clock_was_set_back(store: Store) -> None:
    ahead = NOW + DAY
    waits = lead(2, "b.test", state="retry", read_after=ahead, attempts=1)
    store.save_leads([lead(1, "b.test"), waits], now=ahead)
    assert take(store, "p") == []
    assert store.wake_untimed(now=NOW) == 1
    assert take(store, "p") == ["https://b.test/story-1"]
    assert store.wake_untimed(now=NOW) == 0  # what is in flight stays there


def test_no_scout_waits_longer_than_its_interval_after_the_clock_was_set_back(
    store: Store,
) -> None:
    save_feeds(store, [feed("https://a.test/rss"), feed("https://b.test/rss")], now=NOW)
    for domain, days in (("a.test", 372), ("b.test", 6)):
        due = NOW + days * DAY
        store.save_publisher(Publisher(domain=domain, added_at=NOW, scout_after=due))
    store.wake_untimed(now=NOW, scout_every=7 * DAY)
    assert [due.domain for due in store.due_publishers(now=NOW, limit=9)] == ["a.test"]


def test_whoever_hurries_can_still_write(store: Store) -> None:
    store.set_fail_fast(True)
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    store.set_fail_fast(False)
    assert poll(store, "p") == ["https://a.test/rss"]


def test_work_put_off_too_far_is_found_beside_other_work_of_its_host(store: Store) -> None:
    ahead = NOW + 400 * DAY
    late = lead(2, "a.test", state="retry", read_after=ahead)
    store.save_leads([lead(1, "a.test"), late], now=NOW)
    assert take(store, "p") == ["https://a.test/story-1"]
    assert take(store, "p") == ["https://a.test/story-2"]


def test_work_that_may_wait_so_long_is_left_to_wait(store: Store) -> None:
    soon = NOW + LONGEST_SLEEP
    rare = feed("https://b.test/rss", interval=60 * DAY, poll_after=NOW + 59 * DAY)
    save_feeds(store, [feed("https://a.test/rss", poll_after=soon), rare], now=NOW)
    assert poll(store, "p") == []
    assert poll(store, "p", soon) == ["https://a.test/rss"]
    assert poll(store, "p", NOW + 59 * DAY) == ["https://a.test/rss", "https://b.test/rss"]


def test_who_holds_a_host_and_how_long_it_rests_can_be_asked(store: Store) -> None:
    assert store.host_lease("a.test", now=NOW) == ("", timedelta())
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    poll(store, "first")
    assert store.host_lease("a.test", now=NOW) == ("first", LEASE)
    store.release(holder="first", now=NOW, rest=HOUR)
    assert store.host_lease("a.test", now=NOW + MINUTE) == ("", HOUR - MINUTE)
    assert store.host_lease("a.test", now=NOW + HOUR) == ("", timedelta())


def test_when_the_next_page_of_some_hosts_can_be_read(store: Store) -> None:
    save_feeds(store, [feed("https://a.test/rss")], now=NOW)
    assert store.next_due(leads_on=["a.test", "b.test"]) is None
    put_off = lead(2, "a.test", state="retry", attempts=1, read_after=NOW + MINUTE)
    store.save_leads([lead(1, "b.test"), put_off], now=NOW)
    assert store.next_due(leads_on=["a.test"]) is None
    assert store.next_due(leads_on=["a.test", "b.test"]) == NOW
    store.take_host("b.test", holder="first", now=NOW, lease=LEASE)
    store.release(holder="first", now=NOW, rest=HOUR)
    assert store.next_due(leads_on=["b.test"]) == NOW + HOUR


def test_after_a_jump_back_what_was_put_off_comes_up_as_much_earlier(store: Store) -> None:
    soon, retried = NOW + DAY + HOUR, NOW + DAY + 2 * HOUR
    save_feeds(store, [feed("https://a.test/rss", poll_after=soon)], now=NOW)
    store.save_leads([lead(1, "b.test", state="retry", read_after=retried, attempts=1)], now=NOW)
    for _ in range(2):  # another process sees the same jump
        store.wake_untimed(now=NOW, set_back=DAY)
        assert store.feeds()[0].poll_after == NOW + HOUR
    assert store.next_due() == NOW + HOUR
    assert poll(store, "p", now=NOW) == []
    assert poll(store, "p", now=NOW + HOUR) == ["https://a.test/rss"]
    assert take(store, "p", now=NOW + 2 * HOUR) == ["https://b.test/story-1"]


def test_no_feed_sleeps_longer_than_its_longest_interval(store: Store) -> None:
    assert LONGEST_INTERVAL == LONGEST * (1 + SPREAD)
    late = NOW + 3 * DAY
    feeds = [
        feed("https://a.test/rss", poll_after=late),
        feed("https://b.test/rss", poll_after=NOW + 40 * DAY, interval=2 * DAY),
        feed("https://c.test/rss", poll_after=late, interval=10 * DAY),
        feed("https://d.test/rss", poll_after=late, state="resting"),
    ]
    save_feeds(store, feeds, now=NOW)
    store.wake_untimed(now=NOW)
    waits = [(feed.poll_after or NOW) - NOW for feed in store.feeds()]
    assert waits == [LONGEST_INTERVAL, 2.2 * DAY, 3 * DAY, 3 * DAY]
    assert store.next_due() == NOW + LONGEST_INTERVAL


@pytest.mark.parametrize("jump", [-2 * DAY, -2 * HOUR, 2 * HOUR, 2 * DAY])
def test_what_is_in_flight_stays_there_when_its_holder_follows_the_clock(
    store: Store, jump: timedelta
) -> None:
    store.save_leads([lead(1, "a.test")], now=NOW)
    assert take(store, "p") == ["https://a.test/story-1"]
    later = NOW + jump
    if jump > timedelta():
        assert store.renew(holder="p", now=later, lease=LEASE) == ("a.test",)
    assert take(store, "p", now=later) == [], "it has it already"
    assert store.renew(holder="p", now=later, lease=LEASE) == ("a.test",)
    assert take(store, "q", now=later) == [], "by the new time the lease holds"
    assert take(store, "q", now=later + 2 * LEASE) == ["https://a.test/story-1"], "and ends"
