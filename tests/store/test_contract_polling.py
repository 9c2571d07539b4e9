"""What every store promises to those who follow feeds: what is due, what was new, what came of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from tests.holding import compare_items, find_lead, save_feeds, save_polled, save_problems
from tests.store.samples import (
    COURIER,
    DAY,
    HOUR,
    LEASE,
    MINUTE,
    NOW,
    article,
    feed,
    item,
    lead,
    polled,
    publisher,
    reading,
)
from wireroom.errors import StoreError
from wireroom.model import (
    Cluster,
    Dossier,
    Event,
    FeedHints,
    FeedOptions,
    Hints,
    Item,
    LeadCause,
    Observation,
    PollHistory,
    Problem,
    Reading,
)
from wireroom.ports import Compared, FeedCount, PollCount, RobotsFile, Store
from wireroom.store.observations_table import KEPT_OBSERVATIONS

RSS = "https://courier.test/rss"
MOVED = "https://courier.test/atom"


def observation(number: int, **changes: Any) -> Observation:
    held = Observation(feed_url=RSS, about="availability", value=1.0, at=NOW + number * MINUTE)
    return replace(held, **changes)


def poll(store: Store, *items: Any, **changes: Any) -> None:
    if store.feed(RSS) is None:
        save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), replace(polled(items), **changes), now=NOW)


def test_polls_saved_together_are_those_saved_one_by_one(store: Store) -> None:
    other = feed("https://star.test/rss", publisher="star.test", failures=2)
    gone = feed("https://gone.test/rss", publisher="gone.test")
    save_feeds(store, [feed(), other], now=NOW)
    save_polled(store, feed(), polled([item(1), item(2)]), now=NOW)
    failed = replace(
        polled([], other.url),
        result="failed",
        problem=Problem(kind="timeout", message="slow", subject_url=other.url, at=NOW),
        observations=(observation(1, feed_url=other.url),),
    )
    again = replace(
        polled([item(2, title="Edited"), item(3)]), observations=(observation(1), observation(2))
    )
    event = Event(kind="feed_changed", subject=RSS, at=NOW)
    counts = store.save_polls(
        [(feed(title="New"), again), (other, failed), (gone, polled([item(9)], gone.url))],
        events=[event],
        now=NOW,
    )
    assert counts == (PollCount(new=1, changed=1), PollCount(), PollCount())
    assert store.feed(RSS) == feed(title="New")
    assert store.feed(other.url) == other
    assert store.feed(gone.url) is None
    assert store.observations(RSS, limit=9) == (observation(1), observation(2))
    assert store.observations(other.url, limit=9) == failed.observations
    assert [problem.subject_url for problem in store.problems()] == [other.url]
    assert {lead.url for lead in store.leads()} == {item(n).url for n in (1, 2, 3)}
    assert [event.kind for event in store.events()] == ["feed_changed"]
    assert store.save_polls([], now=NOW) == ()


def test_two_polls_of_one_feed_are_not_saved_together(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    with pytest.raises(StoreError, match="same feed"):
        store.save_polls([(feed(), polled([])), (feed(), polled([]))], now=NOW)


def test_polls_are_compared_together_as_one_by_one(store: Store) -> None:
    poll(store, item(1), item(2), observations=(observation(1), observation(2), observation(3)))
    asked = [
        (RSS, [item(1), item(2, title="Edited"), item(3), item(3)]),
        (MOVED, [item(1), item(1), item(2)]),
        ("https://star.test/rss", []),
    ]
    assert store.compare_polls(asked, observations=2) == tuple(
        (compare_items(store, url, items), store.observations(url, limit=2)) for url, items in asked
    )
    assert store.compare_polls([], observations=2) == ()


# --- what is due


def test_publishers_with_feeds_that_are_asked_come_up_for_scouting(store: Store) -> None:
    times = {
        "a.test": NOW,
        "b.test": None,
        "c.test": NOW - DAY,
        "d.test": NOW + HOUR,
        "e.test": None,
    }
    for domain, at in times.items():
        store.save_publisher(publisher(domain, scout_after=at))
    store.save_publisher(publisher("nofeed.test", scout_after=None))
    followed = [
        feed(f"https://{domain}/rss") for domain in ("a.test", "b.test", "c.test", "d.test")
    ]
    save_feeds(store, [*followed, feed("https://e.test/rss", state="paused")], now=NOW)
    due = store.due_publishers(now=NOW, limit=9)
    assert [publisher.domain for publisher in due] == ["b.test", "c.test", "a.test"]
    assert store.due_publishers(now=NOW, limit=1) == due[:1]


def test_leads_wait_for_a_scout_of_their_publisher_that_is_due(store: Store) -> None:
    """A scout that broke off is none; one that failed was put off, and holds nothing up."""
    whole, half, put_off, new, old = "whole.test", "half.test", "off.test", "new.test", "old.test"
    store.save_dossier(Dossier(publisher=publisher(old), scouted_at=NOW - HOUR))
    store.save_dossier(Dossier(publisher=publisher(whole), scouted_at=NOW))
    broke_off = datetime(1970, 1, 1, tzinfo=UTC)
    store.save_dossier(Dossier(publisher=publisher(half), scouted_at=broke_off))
    later = {whole: NOW + HOUR, half: None, put_off: NOW + HOUR, new: None, old: NOW}
    for domain, at in later.items():
        store.save_publisher(publisher(domain, scout_after=at))
    store.save_leads([lead(number, domain) for domain in later for number in (1, 2)], now=NOW)
    due = store.due_publishers(now=NOW, limit=9)
    assert [publisher.domain for publisher in due] == [
        half,
        new,
        old,
    ]  # whoever has leads that wait

    def take(*, limit: int = 9, **more: Any) -> list[str]:
        got = store.take_leads(holder="app", now=NOW, limit=limit, lease=LEASE, **more)
        store.release(holder="app", now=NOW)
        return sorted({lead.publisher for lead in got})

    assert take(scouted=True) == [put_off, whole]
    assert take(scouted=True, limit=1) == [put_off], "those who wait stand in nobody's way"
    assert take() == sorted(later)
    store.save_publisher(publisher(new, scout_after=NOW + HOUR))
    assert new in take(scouted=True)


def test_the_next_moment_counts_leases_and_rests(store: Store) -> None:
    assert store.next_due() is None
    save_feeds(store, [feed(poll_after=NOW + HOUR)], now=NOW)
    assert store.next_due() == NOW + HOUR
    assert store.next_due(feeds_by=NOW + HOUR) == NOW + HOUR
    assert store.next_due(feeds_by=NOW) is None
    store.save_leads([lead(1, "b.test")], now=NOW)
    assert store.next_due(feeds_by=NOW) == NOW
    assert store.next_due() == NOW
    assert store.take_leads(holder="app", now=NOW, limit=9, lease=LEASE)
    assert store.next_due() == NOW + LEASE
    store.release(holder="app", now=NOW, rest=MINUTE)
    assert store.next_due() == NOW + MINUTE


@pytest.mark.parametrize("state", ["silent", "resting", "gone"])
def test_a_feed_that_went_quiet_is_asked_again_at_its_time(store: Store, state: Any) -> None:
    save_feeds(store, [feed(state=state, poll_after=NOW + HOUR)], now=NOW)
    assert store.take_feeds(holder="app", now=NOW, limit=9, lease=LEASE) == ()
    taken = store.take_feeds(holder="app", now=NOW + HOUR, limit=9, lease=LEASE)
    assert [feed.state for feed in taken] == [state]


@pytest.mark.parametrize("state", ["resting", "gone"])
def test_a_feed_that_rests_without_a_time_is_left_alone(store: Store, state: Any) -> None:
    save_feeds(store, [feed(state=state)], now=NOW)
    assert store.take_feeds(holder="app", now=NOW + DAY, limit=9, lease=LEASE) == ()
    assert store.next_due() is None


def test_failed_leads_are_opened_again(store: Store) -> None:
    failed: dict[str, Any] = {"state": "failed", "reason": "HTTP 500", "attempts": 3}
    own = item(1, feed_url="https://courier.test/other")
    store.save_leads(
        [
            lead(1, item=own, **failed),
            lead(2, **failed),
            lead(3, "b.test", **failed),
            lead(4, state="refused", reason="robots"),
            lead(5, state="read"),
        ],
        now=NOW,
    )
    assert store.retry_leads(now=NOW, feed_url="https://courier.test/other") == 1
    assert find_lead(store, COURIER, own.url) == lead(1, item=own)
    assert store.retry_leads(now=NOW, publisher=COURIER) == 1
    assert store.retry_leads(now=NOW, url=lead(4).url + "?utm_source=x") == 1
    assert find_lead(store, COURIER, lead(4).url) == lead(
        4, cause=LeadCause.ASKED_ANEW, reason="asked for anew"
    )
    assert store.retry_leads(now=NOW, url=lead(5).url) == 1
    assert store.retry_leads(now=NOW, url=lead(5).url) == 0
    assert store.retry_leads(now=NOW) == 1
    assert store.retry_leads(now=NOW) == 0
    taken = store.take_leads(holder="app", now=NOW, limit=9, lease=LEASE)
    assert len(taken) == 5


def test_a_page_that_waits_for_another_attempt_is_read_at_once_when_it_is_named(
    store: Store,
) -> None:
    later = lead(1, state="retry", reason="timeout", attempts=2, read_after=NOW + DAY)
    store.save_leads([later, lead(2)], now=NOW)
    assert store.retry_leads(now=NOW, url=lead(2).url) == 0  # it is read in any case
    assert store.retry_leads(now=NOW, url=later.url) == 1
    assert find_lead(store, COURIER, later.url) == lead(
        1, cause=LeadCause.ASKED_ANEW, reason="asked for anew"
    )
    assert len(store.take_leads(holder="app", now=NOW, limit=9, lease=LEASE)) == 2
    store.save_leads([later], now=NOW)
    assert store.take_leads(holder="app", now=NOW + DAY, limit=9, lease=LEASE)
    assert store.retry_leads(now=NOW + DAY, url=later.url) == 0  # it is in flight


def test_what_was_forbidden_is_opened_again_together(store: Store) -> None:
    store.save_leads(
        [
            lead(
                6,
                state="refused",
                cause=LeadCause.PRIVATE_ADDRESS,
                reason="robots: a reason is prose",
            ),
            lead(1, state="refused", cause=LeadCause.ROBOTS, reason="robots: /1 is disallowed"),
            lead(2, state="refused", cause=LeadCause.RIGHTS, reason="rights: archive: deny"),
            lead(
                3, state="refused", cause=LeadCause.PURGED, reason="purged: rights: archive: deny"
            ),
            lead(
                4,
                state="failed",
                cause=LeadCause.UNREADABLE,
                reason="robots: that is how it begins",
            ),
            lead(
                5,
                "b.test",
                state="refused",
                cause=LeadCause.ROBOTS,
                reason="robots: /5 is disallowed",
            ),
        ],
        now=NOW,
    )
    file = RobotsFile(origin=f"https://{COURIER}", found=True, body=b"", reason="", asked_at=NOW)
    store.save_robots_files([file])
    assert store.retry_leads(now=NOW, publisher="b.test", refused=True) == 1
    assert store.robots_file(file.origin) == file
    assert store.retry_leads(now=NOW, publisher=COURIER, refused=True) == 2
    assert store.robots_file(file.origin) is None  # both are asked again
    assert store.retry_leads(now=NOW, refused=True) == 0
    taken = store.take_leads(holder="app", now=NOW, limit=9, lease=LEASE)
    assert {lead.url for lead in taken} == {lead(1).url, lead(2).url, lead(5, "b.test").url}


# --- items


def compared(store: Store, *items: Any) -> Compared:
    return compare_items(store, RSS, items)


def test_items_are_compared_as_they_would_be_saved(store: Store) -> None:
    held = [item(1), item(2), item(3, guid="", url="https://courier.test/three")]
    assert compared(store, *held) == Compared(new=frozenset({0, 1, 2}))
    poll(store, *held)
    again = [
        replace(held[0], title="Edited"),
        replace(held[1], extra={"comments": 99}),
        replace(held[2], url="https://courier.test/three?utm_source=feed", title="Story 3"),
        item(4),
        replace(item(4), title="The same guid once more"),
        replace(item(5), title="a\x00b"),
    ]
    found = compared(store, *again)
    assert found.new == {3, 5}
    assert found.changed == {0, 2}
    assert found.known == {1, 4}
    assert found.renamed == set()
    count = save_polled(store, feed(), polled(again), now=NOW)
    assert (count.new, count.changed) == (len(found.new), len(found.changed))
    assert compared(store, again[5]).known == {0}


def test_comparing_saves_nothing(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    compared(store, item(1))
    assert store.counts()["items"] == 0
    assert compared(store) == Compared()


def test_a_page_under_another_guid_is_renamed(store: Store) -> None:
    poll(store, item(1), item(2))
    found = compared(store, replace(item(1), guid="other"), item(3), item(2))
    assert found == Compared(new=frozenset({0, 1}), renamed=frozenset({0}), known=frozenset({2}))
    elsewhere = compare_items(store, MOVED, [replace(item(1), guid="other")])
    assert elsewhere == Compared(new=frozenset({0}))


def test_the_same_words_are_renamed_when_everything_seems_new(store: Store) -> None:
    poll(store, item(1), item(2), item(3, title=""))

    def renumbered(number: int, **changes: Any) -> Item:
        page = f"https://courier.test/new/{number}"
        return replace(item(number, **changes), guid=f"n{number}", url=page)

    document = [
        renumbered(1, summary=" In  short. "),
        renumbered(2, summary="Other words."),
        renumbered(3, title=""),
    ]
    assert compared(store, *document).renamed == {0}
    some_known = compared(store, *document, item(1))
    assert some_known.renamed == set()
    assert some_known.new == {0, 1, 2}


def test_changed_items_reopen_their_pages_unless_that_is_off(store: Store) -> None:
    poll(store, item(1))
    store.save_readings([reading(article(1))], now=NOW)
    poll(store, item(1, title="Stamped anew"), reopen=False)
    held = find_lead(store, COURIER, item(1).url)
    assert held is not None
    assert (held.state, held.item) == ("read", item(1, title="Stamped anew"))
    poll(store, item(1, title="News"))
    held = find_lead(store, COURIER, item(1).url)
    assert held is not None
    assert held.state == "new"


def test_the_poll_history_of_a_feed_comes_back(store: Store) -> None:
    history = PollHistory(
        polled_at=NOW,
        new_at=NOW - DAY,
        because="its rhythm is 12 a day",
        hints=FeedHints(ttl=timedelta(minutes=30), skip_hours=(1, 2)),
        moved_url=MOVED,
        moved_times=2,
        changing=1,
        mirror="https://mirror.test/rss",
    )
    save_feeds(store, [feed(standing=history)], now=NOW)
    assert store.feed(RSS) == feed(standing=history)
    later = replace(history, because="it failed 3 times in a row", moved_times=3)
    save_polled(store, feed(standing=later), polled([]), now=NOW)
    assert store.feed(RSS) == feed(standing=later)


# --- marks


def test_marks_come_back_in_the_order_of_saving(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    first = (observation(5), observation(5, about="stability", value=0.25, reason="stamped anew"))
    poll(store, observations=first)
    of_reading = observation(1, about="quality", value=0.5)
    store.save_readings([reading(article(1), observations=(of_reading,))], now=NOW)
    assert store.observations(RSS, limit=10) == (*first, of_reading)
    poll(store, observations=(observation(6),))
    assert store.observations(RSS, limit=1) == (first[1], of_reading, observation(6))
    assert store.observations(MOVED, limit=10) == ()


def test_an_outcome_saved_twice_marks_once(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    outcome = reading(article(1), observations=(observation(1), observation(1)))
    for _ in range(2):
        poll(store, observations=(observation(0),))
        store.save_readings([outcome, reading(article(2), observations=(observation(1),))], now=NOW)
    assert store.observations(RSS, limit=10) == (
        observation(0),
        observation(1),
        observation(1),
        observation(1),
    )


def test_a_feed_keeps_its_last_marks(store: Store) -> None:
    save_feeds(store, [feed(), feed(MOVED)], now=NOW)
    save_polled(store, feed(MOVED), polled([], MOVED), now=NOW)
    many = [observation(number) for number in range(KEPT_OBSERVATIONS + 50)]
    save_polled(
        store,
        feed(MOVED),
        replace(polled([], MOVED), observations=(observation(0, feed_url=MOVED),)),
        now=NOW,
    )
    poll(store, observations=(observation(0, about="quality"),))
    poll(store, observations=tuple(many[:-1]))
    poll(store, observations=(many[-1],))
    of_quality, *kept = store.observations(RSS, limit=KEPT_OBSERVATIONS + 99)
    assert of_quality.about == "quality", "polls do not crowd out what its pages were worth"
    assert kept == many[-KEPT_OBSERVATIONS:]
    assert len(store.observations(RSS, limit=9)) == 10
    assert all(earlier.at < later.at for earlier, later in pairwise(kept))
    assert len(store.observations(MOVED, limit=9)) == 1


def test_marks_go_along_when_a_feed_moves_and_go_when_it_is_removed(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    poll(store, item(1), observations=(observation(0),))
    moving = replace(polled([]), observations=(observation(1),))
    save_polled(store, feed(MOVED), moving, now=NOW)
    late = reading(article(1), observations=(observation(2, about="quality"),))
    store.save_readings([late], now=NOW)
    assert [observation.at for observation in store.observations(MOVED, limit=9)] == [
        observation(n).at for n in range(3)
    ]
    assert {observation.feed_url for observation in store.observations(MOVED, limit=9)} == {MOVED}
    assert store.remove_feed(MOVED)
    assert store.observations(MOVED, limit=9) == ()
    store.save_readings([reading(article(2), observations=(observation(3),))], now=NOW)
    assert store.observations(RSS, limit=9) == ()


# --- what came of feeds


def of_feed(number: int, feed_url: str = RSS, **changes: Any) -> Reading:
    return reading(article(number, feed_url=feed_url, **changes))


def test_a_feed_shows_what_came_of_it(store: Store) -> None:
    poll(store, *(item(number) for number in range(1, 7)))
    store.save_readings(
        [
            of_feed(1),
            of_feed(2, paywall="metered"),
            of_feed(3, paywall="locked"),
            of_feed(4, paywall="registration", language="de"),
            of_feed(50, "https://b.test/rss", paywall="unknown"),
        ],
        now=NOW,
    )
    store.save_readings([Reading(lead=lead(5, state="failed", attempts=3))], now=NOW)
    members = tuple(article(number).id for number in (1, 2, 4, 50))
    canonicals = {"en": article(2).id, "de": article(4).id}
    store.save_clusters([Cluster(id="c", members=members, canonicals=canonicals, made_at=NOW)])
    tallies = store.feed_tallies([RSS, "https://b.test/rss", "https://none.test/rss"])
    assert tallies == {
        RSS: FeedCount(
            articles=4,
            duplicates=1,
            paywalled=3,
            leads={"failed": 1, "new": 1, "read": 4},
            lately={"failed": 1, "read": 4},
        ),
        "https://b.test/rss": FeedCount(articles=1, duplicates=1),
        "https://none.test/rss": FeedCount(),
    }
    assert store.feed_tallies([RSS]) == {RSS: tallies[RSS]}
    assert store.feed_tallies([]) == {}


def test_an_article_that_changed_is_counted_as_it_is_now(store: Store) -> None:
    store.save_readings([of_feed(1, paywall="locked"), of_feed(2)], now=NOW)
    cluster = Cluster(
        id="c",
        members=(article(1).id, article(2).id),
        canonicals={"en": article(2).id},
        made_at=NOW,
    )
    store.save_clusters([cluster])
    assert store.feed_tallies([RSS])[RSS] == FeedCount(articles=2, duplicates=1, paywalled=1)
    edited = of_feed(1, paywall="free", text="Edited.", fetched_at=NOW + HOUR)
    store.save_readings([edited], now=NOW)
    assert store.feed_tallies([RSS])[RSS] == FeedCount(articles=2, duplicates=1)
    store.save_clusters([replace(cluster, canonicals={"en": article(1).id})])
    assert store.feed_tallies([RSS])[RSS].duplicates == 1
    store.save_clusters([], dissolved=["c"])
    assert store.feed_tallies([RSS])[RSS] == FeedCount(articles=2)


def test_what_came_from_a_former_address_still_counts(store: Store) -> None:
    poll(store, item(1), item(2))
    store.save_readings([of_feed(1, paywall="locked")], now=NOW)
    third = "https://feeds.courier.test/3"
    save_polled(store, feed(MOVED), polled([]), now=NOW)
    save_polled(store, feed(third, publisher=COURIER), polled([], MOVED), now=NOW)
    store.save_readings([of_feed(2, MOVED)], now=NOW)
    expected = FeedCount(articles=2, paywalled=1, leads={"read": 2}, lately={"read": 2})
    assert store.feed_tallies([third]) == {third: expected}
    assert store.feed(RSS, moved=True) == store.feed(MOVED, moved=True) == store.feed(third)
    assert store.feed("https://nobody.test/rss", moved=True) is None
    back = replace(polled([]), feed_url=third)
    save_polled(store, feed(), back, now=NOW)
    assert store.feed_tallies([RSS]) == {RSS: expected}
    assert sorted(store.feed_addresses(RSS)) == sorted([RSS, MOVED, third])


def test_a_feed_says_when_its_newest_item_was_published(store: Store) -> None:
    dated = [item(n, published_at=NOW - n * HOUR) for n in (1, 2)]
    poll(store, *dated, item(3, published_at=None), item(4, published_at=NOW + HOUR))
    none = "https://none.test/rss"
    found = store.feed_tallies([RSS, none], until=NOW)
    assert (found[RSS].newest_at, found[none].newest_at) == (NOW - HOUR, None)
    assert store.feed_tallies([RSS])[RSS].newest_at is None
    save_polled(store, feed(MOVED), polled([]), now=NOW)
    moved = store.feed_tallies([MOVED], until=NOW + HOUR)
    assert moved[MOVED].newest_at == NOW + HOUR, "its former addresses count"


def test_a_feed_added_at_a_former_address_has_its_own_articles(store: Store) -> None:
    poll(store, item(1))
    save_polled(store, feed(MOVED), polled([]), now=NOW)
    save_feeds(store, [feed()], now=NOW)
    store.save_readings([of_feed(2)], now=NOW)
    tallies = store.feed_tallies([RSS, MOVED])
    assert (tallies[RSS].articles, tallies[MOVED].articles) == (1, 0)
    assert store.feed(RSS, moved=True) == store.feed(RSS)


def trouble(number: int, url: str, **changes: Any) -> Problem:
    held = Problem(kind="timeout", message="slow", subject_url=url, at=NOW + number * MINUTE)
    return replace(held, **changes)


def test_a_feed_has_its_own_problems_and_those_of_its_pages(store: Store) -> None:
    long = f"https://courier.test/{'long-' * 200}"
    poll(store, item(1), item(2), item(3, url=long))
    other = "https://star.test/rss"
    save_feeds(store, [feed(other)], now=NOW)
    save_polled(
        store, feed(other), polled([item(9, other, url="https://star.test/9")], other), now=NOW
    )
    of_page = trouble(2, item(1).url, kind="payment_required", permanent=True)
    store.save_readings([Reading(lead=lead(1, state="failed"), problem=of_page)], now=NOW)
    own, of_long, of_read = trouble(1, RSS), trouble(3, long), trouble(4, item(2).url)
    of_other = trouble(5, "https://star.test/9")
    save_problems(store, [own, of_long, of_read, of_other, trouble(6, "https://nobody.test/")])
    store.save_readings([of_feed(2)], now=NOW)
    assert store.problems(feed_url=RSS, limit=9) == (of_read, of_long, of_page, own)
    assert store.problems(feed_url=RSS, limit=2) == (of_read, of_long)
    assert store.problems(feed_url=other, limit=9) == (of_other,)
    assert store.problems(feed_url="https://none.test/rss", limit=9) == ()
    save_polled(store, feed(MOVED), polled([]), now=NOW)
    assert store.problems(feed_url=MOVED, limit=9) == (of_read, of_long, of_page, own)


def test_a_poll_in_flight_does_not_undo_the_operator(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    (taken,) = store.take_feeds(holder="one", now=NOW, limit=1, lease=LEASE)
    options = FeedOptions(
        name="Ours",
        hints=Hints(body_selector="article p"),
        interval=HOUR,
        mirrors=("https://mirror.test/rss",),
        proxy="http://proxy.test:80",
        region="north",
        category="daily",
        role="fallback",
    )
    changed = replace(taken, **options.options_by_field(), state="paused")
    store.save_feed_changes([(taken, changed)], events=(), now=NOW)
    save_polled(store, replace(taken, title="Courier", failures=2), polled([item(1)]), now=NOW)
    held = store.feed(taken.url)
    assert held is not None
    assert (held.title, held.failures) == ("Courier", 2)  # what the poll decided
    assert held.options == options
    assert held.state == "paused"


TERMS = {"xml": '<content url=""/>'}


def test_terms_that_a_feed_states_later_are_news_of_its_page(store: Store) -> None:
    poll(store, item(1))
    done = lead(1, state="read", item=item(1))
    store.save_readings([Reading(lead=done, article=article(1))], now=NOW)
    assert compare_items(store, RSS, [item(1, extra={"comments": 4})]).changed == frozenset()
    stating = item(1, extra={"comments": 3, "rsl": [TERMS]})
    assert compare_items(store, RSS, [stating]).changed == {0}
    poll(store, stating)
    (again,) = store.take_leads(holder="us", now=NOW, limit=9, lease=LEASE)
    assert again.item == stating


def test_terms_that_another_feed_of_the_site_states_go_with_the_lead(store: Store) -> None:
    poll(store, item(1))
    store.save_readings(
        [Reading(lead=lead(1, state="read", item=item(1)), article=article(1))], now=NOW
    )
    others = ("https://courier.test/two", "https://gather.test/rss")
    for url in others:
        save_feeds(store, [feed(url)], now=NOW)
        stating = item(1, url, extra={"rsl": [TERMS]})
        save_polled(store, feed(url), polled([stating], url), now=NOW)
    poll(store, item(1, title="Edited"))
    taken = store.take_leads(holder="us", now=NOW, limit=9, lease=LEASE)
    (own,) = [each for each in taken if each.publisher == "courier.test"]
    assert own.item is not None
    stated = own.item.extra["rsl"]
    assert [terms.get("feed_url", own.item.feed_url) for terms in stated] == [others[0]]
