"""What every store promises about lists of many publishers and feeds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.holding import save_feeds, save_polled, save_problems
from tests.store.samples import (
    COURIER,
    DAY,
    HOUR,
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
from wireroom.model import (
    Dossier,
    Event,
    Observation,
    PollHistory,
    Problem,
    ProblemKind,
    PublisherSummary,
)
from wireroom.ports import (
    FeedFilter,
    FeedListOrder,
    LaneCounts,
    PublisherCounts,
    PublisherFilter,
    PublisherOrder,
    RunRecord,
    ScoutSigns,
    Store,
)

ALL, EVERY = PublisherFilter(), FeedFilter()


def summary(**changes: Any) -> PublisherSummary:
    held = PublisherSummary(
        scouted_at=NOW,
        verdicts={
            "search": "allow",
            "ai-input": "unknown",
            "ai-index": "unknown",
            "ai-train": "deny",
            "archive": "paid",
        },
        signals=("rsl", "robots_agents"),
        unread=("tdmrep",),
        grade="B",
        points=71,
        language="en",
        rhythm="~12 articles/day",
        per_day=12.5,
        feeds_offered=3,
        rights_changed_at=NOW - DAY,
    )
    return replace(held, **changes)


def hold(store: Store, domain: str, name: str = "", **changes: Any) -> None:
    """A publisher that was scouted."""
    line = summary(**changes)
    of = publisher(domain, name=name or domain)
    store.save_dossier(Dossier(publisher=of, scouted_at=line.scouted_at), summary=line)


def listed(store: Store, chosen: PublisherFilter = ALL, **how: Any) -> list[str]:
    page = store.overview.publishers(chosen, **how)
    return [record.publisher.domain for record in page.records]


def test_a_summary_comes_back_whole_with_the_number_of_feeds(store: Store) -> None:
    hold(store, COURIER)
    save_feeds(store, [feed(), feed("https://courier.test/sport")], now=NOW)
    store.save_publisher(publisher("herald.test"))
    named = store.overview.publishers_named([COURIER, "herald.test", "nobody.test"])
    assert named.keys() == {COURIER, "herald.test"}
    assert (named[COURIER].summary, named[COURIER].feeds) == (summary(), 2)
    assert named[COURIER].publisher == publisher(name=COURIER)
    assert (named["herald.test"].summary, named["herald.test"].feeds) == (None, 0)


def test_without_a_summary_that_of_the_last_whole_scout_stays(store: Store) -> None:
    hold(store, COURIER)
    half = Dossier(publisher=publisher(), scouted_at=NOW)
    store.save_dossier(half)
    assert store.overview.publishers_named([COURIER])[COURIER].summary == summary()


def test_an_older_dossier_does_not_replace_the_summary(store: Store) -> None:
    hold(store, COURIER)
    hold(store, COURIER, scouted_at=NOW - DAY, points=3)
    held = store.overview.publishers_named([COURIER])[COURIER].summary
    assert held is not None
    assert held.points == 71


@pytest.mark.parametrize(
    ("order", "wanted"),
    [("name", "bcad"), ("grade", "cabd"), ("scouted", "bcad"), ("changed", "acbd")],
)
def test_pages_follow_each_other_in_every_order_both_ways(
    store: Store, order: PublisherOrder, wanted: str
) -> None:
    def later(days: int) -> datetime:
        return NOW + days * DAY

    hold(store, "a.test", "Morgen", points=50, scouted_at=later(1), rights_changed_at=later(9))
    hold(store, "b.test", "Abend", points=50, scouted_at=later(3), rights_changed_at=None)
    hold(store, "c.test", "mittag", points=90, scouted_at=later(2), rights_changed_at=later(2))
    store.save_publisher(publisher("d.test", name="Z"))
    for reverse in (False, True):
        found, after = [], None
        while True:
            page = store.overview.publishers(
                ALL, order=order, reverse=reverse, after=after, limit=1
            )
            found += [record.publisher.domain[0] for record in page.records]
            after = page.after
            if after is None:
                break
        assert sorted(found) == list("abcd"), "each once"
        if not reverse:
            assert "".join(found) == wanted
        assert found == [domain[0] for domain in listed(store, order=order, reverse=reverse)]


def test_equal_values_are_ordered_by_domain(store: Store) -> None:
    for domain in ("c.test", "a.test", "b.test"):
        hold(store, domain, "The Same")
    first = store.overview.publishers(ALL, limit=2)
    assert [record.publisher.domain for record in first.records] == ["a.test", "b.test"]
    assert listed(store, after=first.after) == ["c.test"]
    hold(store, "aa.test", "The Same")
    assert listed(store, after=first.after) == ["c.test"], "what came before does not shift it"


def test_filters_hold_together(store: Store) -> None:
    hold(store, "a.test", "Le Phare", language="fr")
    hold(store, "b.test", "100% News_Now", signals=("tdmrep",), rights_changed_at=NOW - 30 * DAY)
    hold(store, "c.test", "Ätna", verdicts={"ai-train": "allow"}, rights_changed_at=None)
    store.save_publisher(publisher("d.test", name="Neu"))
    choices: list[tuple[PublisherFilter, str]] = [
        (PublisherFilter(text="PHARE"), "a"),
        (PublisherFilter(text="ätna"), "c"),
        (PublisherFilter(text="b.tes"), "b"),
        (PublisherFilter(text="100%"), "b"),
        (PublisherFilter(text="s_n"), "b"),
        (PublisherFilter(text="%"), "b"),
        (PublisherFilter(text="\\"), ""),
        (PublisherFilter(language="fr"), "a"),
        (PublisherFilter(signal="rsl"), "ac"),
        (PublisherFilter(signal="rs"), ""),
        (PublisherFilter(verdicts={"ai-train": "deny"}), "ab"),
        (PublisherFilter(verdicts={"ai-train": "deny", "search": "allow"}, language="en"), "b"),
        (PublisherFilter(verdicts={"search": "unknown"}), "c"),
        (PublisherFilter(changed_after=NOW - 2 * DAY), "a"),
        (PublisherFilter(scouted=False), "d"),
        (PublisherFilter(scouted=True), "abc"),
    ]
    for chosen, wanted in choices:
        assert "".join(sorted(domain[0] for domain in listed(store, chosen))) == wanted, chosen


def test_facets_leave_their_own_filter_out(store: Store) -> None:
    hold(store, "a.test")
    hold(store, "b.test", language="fr", signals=("tdmrep",))
    hold(store, "c.test", verdicts={"ai-train": "allow"}, language="")
    store.save_publisher(publisher("d.test", name="d"))
    every = store.overview.publisher_counts(ALL)
    assert (every.total, every.scouted, every.not_scouted) == (4, 3, 1)
    assert every.verdicts["ai-train"] == {"deny": 2, "allow": 1}
    assert every.verdicts["search"] == {"allow": 2, "unknown": 1}
    assert every.signals == {"robots_agents": 2, "rsl": 2, "tdmrep": 1}
    assert every.languages == {"en": 1, "fr": 1}
    chosen = PublisherFilter(language="fr", verdicts={"ai-train": "deny"})
    some = store.overview.publisher_counts(chosen)
    assert (some.total, some.scouted, some.not_scouted) == (1, 1, 0)
    assert some.languages == {"en": 1, "fr": 1}
    assert some.verdicts["ai-train"] == {"deny": 1}
    assert some.signals == {"tdmrep": 1}
    none = store.overview.publisher_counts(PublisherFilter(scouted=False, signal="rsl"))
    assert (none.total, none.scouted, none.not_scouted) == (0, 2, 0)
    assert store.overview.publisher_counts(PublisherFilter(text="b")).total == 1


def test_changes_are_counted_since_each_moment_their_own_filter_left_out(store: Store) -> None:
    hold(store, "a.test", rights_changed_at=NOW - HOUR)
    hold(store, "b.test", rights_changed_at=NOW - 5 * DAY, language="fr")
    hold(store, "c.test", rights_changed_at=None)
    store.save_publisher(publisher("d.test", name="d"))
    moments = [NOW - HOUR, NOW - 7 * DAY, NOW]
    every = store.overview.publisher_counts(ALL, changed_since=moments)
    assert (every.changed, every.total) == ((1, 2, 0), 4)
    late = PublisherFilter(changed_after=NOW - DAY)
    some = store.overview.publisher_counts(late, changed_since=moments)
    assert (some.changed, some.total, some.languages) == ((1, 2, 0), 1, {"en": 1})
    french = PublisherFilter(changed_after=NOW - DAY, language="fr")
    none = store.overview.publisher_counts(french, changed_since=moments)
    assert (none.changed, none.total) == ((0, 1, 0), 0)
    assert store.overview.publisher_counts(ALL).changed == ()


# --- feeds ------------------------------------------------------------------------------------------


def urls(store: Store, chosen: FeedFilter = EVERY, **how: Any) -> list[str]:
    return [found.url for found in store.overview.feeds(chosen, **how).feeds]


def hold_feeds(store: Store) -> tuple[str, str, str]:
    """Three feeds of two publishers, with a reliability, a last new item and a time each."""
    a, b, c = "https://b.test/rss", "https://a.test/rss", "https://a.test/sport"
    known = [
        feed(a, reliability=0.5, standing=PollHistory(new_at=NOW), poll_after=NOW + DAY),
        feed(b, reliability=0.5, title="Äther", state="silent", poll_after=NOW + HOUR),
        feed(c, reliability=0.25, name="Beach", standing=PollHistory(new_at=NOW - DAY)),
    ]
    save_feeds(store, known, now=NOW)
    return a, b, c


@pytest.mark.parametrize(
    ("order", "wanted"),
    [("publisher", "bca"), ("new", "acb"), ("due", "cba"), ("reliability", "cba")],
)
def test_pages_of_feeds_follow_each_other_in_every_order_both_ways(
    store: Store, order: FeedListOrder, wanted: str
) -> None:
    names = dict(zip(hold_feeds(store), "abc", strict=True))
    for reverse in (False, True):
        found, after = "", None
        while True:
            page = store.overview.feeds(EVERY, order=order, reverse=reverse, after=after, limit=1)
            found += "".join(names[each.url] for each in page.feeds)
            after = page.after
            if after is None:
                break
        assert sorted(found) == list("abc"), "each once"
        if not reverse:
            assert found == wanted


def test_feeds_are_filtered_and_counted_by_state(store: Store) -> None:
    a, b, c = hold_feeds(store)
    assert urls(store, FeedFilter(publisher="a.test")) == [b, c]
    assert urls(store, FeedFilter(states=("silent", "gone"))) == [b]
    assert urls(store, FeedFilter(text="ÄTH")) == [b]
    assert urls(store, FeedFilter(text="beach")) == [c]
    assert urls(store, FeedFilter(text="B.test/RSS")) == [a]
    assert urls(store, FeedFilter(text="zone")) == [], "the names of options are no words of a feed"
    assert urls(store, FeedFilter(urls=(a, b), publisher="b.test")) == [a]
    assert store.overview.feed_states(EVERY) == {"live": 2, "silent": 1}
    assert store.overview.feed_states(FeedFilter(text="beach", states=("gone",))) == {"live": 1}


def test_items_are_counted_by_feed_and_day_of_their_own_date(store: Store) -> None:
    a, b = feed(), feed("https://courier.test/sport")
    dates = [NOW, NOW - HOUR, NOW - DAY, NOW - 40 * DAY, NOW + DAY, None]
    items = [item(number, published_at=at) for number, at in enumerate(dates)]
    save_feeds(store, [a, b], now=NOW)
    save_polled(store, a, polled(items), now=NOW)
    other = item(9, b.url, published_at=NOW - DAY)
    save_polled(store, b, polled([other], b.url), now=NOW)
    counted = store.overview.items_per_day(
        [a.url, b.url, "https://nobody.test/"], since=NOW - 30 * DAY, until=NOW + HOUR
    )
    today, yesterday = NOW.date(), (NOW - DAY).date()
    assert counted == {a.url: {today: 2, yesterday: 1}, b.url: {yesterday: 1}}


def test_values_are_those_of_the_last_observations_oldest_first(store: Store) -> None:
    a, b = feed(), feed("https://courier.test/sport")
    seen = [
        Observation(feed_url=a.url, about="quality", value=number / 10, at=NOW + number * HOUR)
        for number in range(5)
    ]
    seen.append(Observation(feed_url=a.url, about="stability", value=0.5, at=NOW))
    save_feeds(store, [a, b], now=NOW)
    save_polled(store, a, replace(polled([]), observations=tuple(seen)), now=NOW)
    found = store.overview.observed([a.url, b.url], limit=3)
    assert found == {a.url: {"quality": (0.2, 0.3, 0.4), "stability": (0.5,)}}


def test_live_feeds_whose_pages_give_nothing_are_found(store: Store) -> None:
    a, b = feed(), feed("https://courier.test/sport")
    save_feeds(store, [a, b], now=NOW)
    for number in range(6):
        of = a if number < 4 else b
        held = lead(number, item=item(number, of.url), state="failed", attempts=1)
        store.save_leads([replace(held, state="new", attempts=0)], now=NOW)
        store.save_leads([held], now=NOW)
    assert store.overview.failing_feeds(least=3) == {a.url: {"failed": 4}}
    save_feeds(store, [replace(a, state="paused")], now=NOW)
    assert store.overview.failing_feeds(least=3) == {}


def test_problems_are_counted_by_kind(store: Store) -> None:
    assert store.overview.problem_counts(since=NOW) == {}
    kinds: list[ProblemKind] = ["timeout", "timeout", "no_article", "robots"]
    problems = [
        Problem(kind=kind, message="no", subject_url=f"https://courier.test/{place}", at=NOW)
        for place, kind in enumerate(kinds)
    ]
    save_problems(store, [*problems[:3], replace(problems[3], at=NOW - DAY)])
    assert store.overview.problem_counts(since=NOW - HOUR) == {"timeout": 2, "no_article": 1}


def test_signs_of_scouts_are_those_of_followed_publishers(store: Store) -> None:
    hold(store, COURIER, signs=("slow_step", "no_sample"), has_news_sitemap=True)
    hold(store, "b.test", signs=("slow_step",))
    save_feeds(store, [feed()], now=NOW)
    found = store.overview.scout_signs()
    assert found.has_news_sitemap
    assert found.rows == (
        ScoutSigns(publisher=COURIER, signs=("slow_step", "no_sample"), has_news_sitemap=True),
    )


def test_publishers_without_a_sign_are_named_where_nobody_has_a_news_sitemap(store: Store) -> None:
    for name in ("a", "b", "c"):
        hold(store, f"{name}.test", signs=("slow_step",) if name == "b" else ())
        save_feeds(store, [feed(f"https://{name}.test/rss")], now=NOW)
    none = store.overview.scout_signs()
    assert ([row.publisher[0] for row in none.rows], none.has_news_sitemap) == (
        ["a", "b", "c"],
        False,
    )
    hold(store, "c.test", has_news_sitemap=True)
    some = store.overview.scout_signs()
    assert ([row.publisher[0] for row in some.rows], some.has_news_sitemap) == (["b"], True)


def test_facets_are_left_out_when_their_time_is_up_and_the_total_is_not(store: Store) -> None:
    hold(store, "a.test")
    hold(store, "b.test", language="fr", rights_changed_at=NOW)
    french = PublisherFilter(language="fr")
    none = store.overview.publisher_counts(french, changed_since=[NOW], within=timedelta())
    assert none == PublisherCounts(total=1, is_whole=False)
    every = store.overview.publisher_counts(french, changed_since=[NOW], within=HOUR)
    assert every == store.overview.publisher_counts(french, changed_since=[NOW])
    assert (every.total, every.is_whole, every.changed) == (1, True, (1,))


def test_hosts_are_listed_by_name(store: Store) -> None:
    hold_feeds(store)
    every = store.queue.hosts(now=NOW)
    assert [host.name for host in every] == ["a.test", "b.test"]
    assert store.queue.hosts(now=NOW, names=["b.test", "nobody.test"]) == every[1:]
    assert store.queue.hosts(now=NOW, names=[]) == ()


# --- the run ----------------------------------------------------------------------------------------


def test_runs_add_up_what_they_did_on_a_day(store: Store) -> None:
    first = RunRecord(holder="run-a", began_at=NOW, seen_at=NOW, counts={"found": 3})
    store.queue.save_run(first, done={"found": 3, "lead_read": 0})
    store.queue.save_run(replace(first, counts={"found": 5}), done={"found": 2, "lead_read": 1})
    other = RunRecord(holder="run-b", began_at=NOW, seen_at=NOW + DAY)
    store.queue.save_run(other, done={"found": 40})
    assert store.overview.day_counts(NOW) == {"found": 5, "lead_read": 1}
    assert store.overview.day_counts(NOW + DAY) == {"found": 40}
    assert store.overview.day_counts(NOW - DAY) == {}
    assert [run.counts for run in store.queue.runs()] == [{"found": 5}, {}]


def test_lanes_are_hosts_that_do_something_or_could(store: Store) -> None:
    hosts = ["a.test", "b.test", "c.test", "d.test"]
    store.save_leads([lead(number, host) for host in hosts for number in range(3)], now=NOW)
    taken = store.take_leads(holder="run-a", now=NOW, limit=2, lease=HOUR, per_host=2)
    busy = taken[0].publisher
    resting = next(host for host in hosts if host != busy)
    store.take_host(resting, holder="run-b", now=NOW, lease=HOUR)
    store.release(holder="run-b", now=NOW, rest=HOUR)
    later = next(host for host in hosts if host not in {busy, resting})
    put_off = [
        lead(number, later, state="retry", read_after=NOW + DAY, attempts=1) for number in range(3)
    ]
    store.save_leads(put_off, now=NOW)
    lanes = {lane.host.name: lane for lane in store.overview.lanes(now=NOW, limit=10)}
    assert lanes.keys() == {*hosts}
    assert next(reversed(lanes)) == later, "what is due later comes last"
    assert (lanes[later].due, lanes[later].host.lead_after) == (0, NOW + DAY)
    assert (lanes[busy].host.holder, lanes[busy].in_flight, lanes[busy].due) == ("run-a", 2, 1)
    assert (lanes[resting].host.holder, lanes[resting].due) == ("", 3)
    assert lanes[resting].host.leased_until is not None
    assert next(iter(lanes)) == busy, "held hosts come first"
    assert store.overview.lane_counts(now=NOW) == LaneCounts(
        held=1, resting=1, ready=1, later=1, later_from=NOW + DAY, later_until=NOW + DAY
    )
    assert len(store.overview.lanes(now=NOW, limit=1)) == 1


def test_lanes_that_are_due_later_stand_in_the_order_of_their_time(store: Store) -> None:
    assert store.overview.lane_counts(now=NOW) == LaneCounts()
    feeds = [feed(f"https://p{n}.test/rss", poll_after=NOW + (5 - n) * HOUR) for n in range(4)]
    save_feeds(store, feeds, now=NOW)
    waits = [
        lead(number, f"late{number}.test", state="retry", read_after=NOW + number * DAY, attempts=1)
        for number in (2, 1)
    ]
    store.save_leads(waits, now=NOW)
    lanes = store.overview.lanes(now=NOW, limit=10)
    dues = (lane.host.feed_after or lane.host.lead_after for lane in lanes)
    times = [due for due in dues if due is not None]
    assert (len(lanes), len(times)) == (6, 6)
    assert times == sorted(times)
    assert lanes[-1].host.name == "late2.test"
    counts = store.overview.lane_counts(now=NOW)
    assert (counts.total, counts.later) == (len(lanes), len(lanes))
    assert (counts.later_from, counts.later_until) == (times[0], NOW + 2 * DAY)
    assert store.overview.lanes(now=NOW, limit=2) == lanes[:2]


def test_articles_are_counted_by_the_minute_of_their_arrival(store: Store) -> None:
    for number, minutes in enumerate((0, 0, 5, 90)):
        at = NOW - minutes * MINUTE
        store.save_readings([reading(article(number, fetched_at=at))], now=at)
    minute = NOW.replace(second=0, microsecond=0)
    counted = store.overview.arrivals(since=NOW - HOUR)
    assert counted == {minute: 2, minute - 5 * MINUTE: 1}


def test_the_last_events_of_a_kind_come_newest_first(store: Store) -> None:
    kinds = ["a", "b", "a", "b", "c"]
    assert store.overview.last_event() == 0
    store.emit([Event(kind=kind, subject=str(n), at=NOW) for n, kind in enumerate(kinds)])
    assert store.overview.last_event() == store.events()[-1].seq
    newest = store.overview.newest_events("b", limit=5)
    assert [event.subject for event in newest] == ["3", "1"]
    assert [event.subject for event in store.overview.newest_events("a", limit=1)] == ["2"]
    assert store.overview.newest_events("d", limit=1) == ()


def test_a_store_knows_its_size(store: Store) -> None:
    assert store.overview.size_on_disk() > 50_000
