"""What every store promises about publishers, dossiers and feeds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.holding import save_feeds, save_polled
from tests.store.samples import (
    COURIER,
    DAY,
    HOUR,
    LEASE,
    NOW,
    feed,
    finding,
    item,
    polled,
    publisher,
    verdict,
)
from wireroom.errors import StoreError
from wireroom.model import Dossier, Event, Hints, Rhythm, Validators
from wireroom.ports import Store, StoreHealth


def test_new_store_is_well_and_empty(store: Store) -> None:
    counts = store.counts()
    assert store.health() == StoreHealth(state="ok")
    assert set(counts.values()) == {0}
    assert {"publishers", "feeds", "items", "leads", "articles", "events"} <= set(counts)


def test_counts_follow_what_is_saved(store: Store) -> None:
    store.save_publisher(publisher())
    save_feeds(store, [feed()], now=NOW)
    counts = store.counts()
    assert (counts["publishers"], counts["feeds"], counts["articles"]) == (1, 1, 0)


def test_publisher_comes_back_and_is_replaced(store: Store) -> None:
    store.save_publisher(publisher())
    assert store.publisher(COURIER) == publisher()
    store.save_publisher(publisher(name="The Courier", scout_after=None))
    assert store.publisher(COURIER) == publisher(name="The Courier", scout_after=None)
    assert store.publisher("nobody.test") is None


def test_publishers_are_listed_by_domain_in_code_point_order(store: Store) -> None:
    domains = ["zeitung.test", "abend.test", "Abend.test", "été.test", "a-b.test", "ab.test"]
    for domain in domains:
        store.save_publisher(publisher(domain))
    assert [publisher.domain for publisher in store.publishers()] == sorted(domains)


def test_dossier_comes_back_whole(store: Store) -> None:
    dossier = Dossier(
        publisher=publisher(),
        findings=(finding(), finding("feeds", "no", facts={})),
        feeds=(feed(validators=Validators(etag='"x"')),),
        rights=(verdict(),),
        scouted_at=NOW,
    )
    store.save_dossier(dossier)
    assert store.dossier(COURIER) == dossier
    assert store.publisher(COURIER) == publisher()
    assert store.dossier("nobody.test") is None


def test_history_keeps_only_findings_that_differ(store: Store) -> None:
    days = [NOW + number * DAY for number in range(4)]
    verdicts = ["yes", "yes", "no", "yes"]
    for day, word in zip(days, verdicts, strict=True):
        found = (finding(verdict=word, found_at=day, took=timedelta(seconds=day.day)),)
        store.save_dossier(Dossier(publisher=publisher(), findings=found, scouted_at=day))
    history = store.history(COURIER)
    assert [(finding.outcome, finding.found_at) for finding in history] == [
        ("yes", days[0]),
        ("no", days[2]),
        ("yes", days[3]),
    ]
    assert store.history(COURIER, step="robots") == history
    assert store.history(COURIER, step="feeds") == ()


def test_changed_facts_are_history_too_but_order_of_keys_is_not(store: Store) -> None:
    facts = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 3}]
    for number, row in enumerate(facts):
        found = (finding(facts=row),)
        store.save_dossier(
            Dossier(publisher=publisher(), findings=found, scouted_at=NOW + number * DAY)
        )
    assert [finding.facts["b"] for finding in store.history(COURIER)] == [2, 3]


def test_an_older_dossier_does_not_replace_a_newer_one(store: Store) -> None:
    newer = Dossier(publisher=publisher(), findings=(finding(),), scouted_at=NOW + DAY)
    store.save_dossier(newer)
    older = replace(newer, findings=(finding(verdict="no"),), scouted_at=NOW)
    store.save_dossier(older)
    assert store.dossier(COURIER) == newer
    assert len(store.history(COURIER)) == 1


def test_feed_comes_back_whole(store: Store) -> None:
    held = feed(
        kind="news_sitemap",
        name="front page",
        hints=Hints(
            body_selector="main p", metadata_selectors={"author": ".by"}, zone="Asia/Tokyo"
        ),
        interval=timedelta(minutes=17, microseconds=3),
        mirrors=("https://mirror.test/rss",),
        proxy="socks5://127.0.0.1:9",
        region="harbour",
        category="local",
        role="fallback",
        validators=Validators(etag='W/"\x85\udcff"', last_modified="yesterday\x7f"),
        rhythm=Rhythm(
            per_day=3.5,
            low=1,
            high=9,
            confidence="low",
            sample_size=4,
            span=DAY,
            source="feed",
            newest_at=NOW,
        ),
        reliability=0.1 + 0.2,
        failures=3,
        poll_after=NOW,
        state="resting",
    )
    save_feeds(store, [held], now=NOW)
    assert store.feed(held.url) == held
    assert store.feed("https://courier.test/other") is None


def test_feeds_are_listed_by_publisher_and_url_and_may_be_narrowed(store: Store) -> None:
    urls = ["https://b.test/z", "https://b.test/a", "https://a.test/m"]
    save_feeds(store, [feed(url) for url in urls], now=NOW)
    save_feeds(store, [feed("https://b.test/p", state="paused")], now=NOW)
    assert [feed.url for feed in store.feeds()] == [urls[2], urls[1], "https://b.test/p", urls[0]]
    assert [feed.url for feed in store.feeds(publisher="a.test")] == [urls[2]]
    assert [feed.url for feed in store.feeds(state="paused")] == ["https://b.test/p"]
    assert store.feeds(publisher="a.test", state="gone") == ()


def test_feeds_are_counted_by_their_state(store: Store) -> None:
    assert store.feed_counts() == {}
    held = [feed("https://a.test/1"), feed("https://b.test/1"), feed("https://c.test/1")]
    save_feeds(store, [*held[:2], replace(held[2], state="paused")], now=NOW)
    assert store.feed_counts() == {"live": 2, "paused": 1}


def test_saving_feeds_adds_their_publisher_and_leaves_a_known_one_alone(store: Store) -> None:
    store.save_publisher(publisher())
    save_feeds(store, [feed(), feed("https://other.test/rss")], now=NOW)
    assert store.publisher(COURIER) == publisher()
    assert store.publisher("other.test") is not None


def test_a_feed_without_a_web_address_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no address of a feed"):
        save_feeds(store, [replace(feed(), url="file:///etc/passwd")], now=NOW)
    assert store.feeds() == ()


def test_removed_feed_takes_items_and_its_open_leads_along(store: Store) -> None:
    save_feeds(store, [feed(), feed("https://courier.test/atom")], now=NOW)
    save_polled(store, feed(), polled([item(1), item(2)]), now=NOW)
    other = item(2, "https://courier.test/atom")
    save_polled(store, feed("https://courier.test/atom"), polled([other], other.feed_url), now=NOW)
    assert store.remove_feed("https://courier.test/rss")
    assert not store.remove_feed("https://courier.test/rss")
    assert store.counts()["items"] == 1
    assert [lead.url for lead in store.leads()] == ["https://courier.test/story-2"]
    leads = store.take_leads(holder="a", now=NOW, limit=10, lease=LEASE)
    assert [lead.url for lead in leads] == ["https://courier.test/story-2"]


def test_a_feed_removed_during_its_poll_stays_removed(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    taken = store.take_feeds(holder="a", now=NOW, limit=1, lease=LEASE)
    store.remove_feed(feed().url)
    count = save_polled(store, taken[0], polled([item()]), now=NOW)
    assert (count.new, store.feeds(), store.leads()) == (0, (), ())


def test_backup_is_a_whole_store_and_never_overwrites(store: Store, tmp_path: Path) -> None:
    from wireroom.store import open_store

    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item()]), now=NOW)
    seen: list[tuple[int, int]] = []
    copy = tmp_path / "copy.db"
    store.backup(copy, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert seen[-1][0] == seen[-1][1]
    copied = open_store(f"sqlite:///{copy}")
    assert copied.counts() == store.counts()
    assert copied.feeds() == store.feeds()
    copied.close()
    before = copy.read_bytes()
    with pytest.raises(StoreError, match="exists already"):
        store.backup(copy)
    assert copy.read_bytes() == before
    with pytest.raises(StoreError, match="does not exist"):
        store.backup(tmp_path / "nowhere" / "copy.db")
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == ["copy.db"]


def test_a_place_that_takes_no_file_is_named_not_the_store(store: Store) -> None:
    place = Path("/proc/wireroom-copy.db")
    if not place.parent.is_dir():
        pytest.skip("no /proc here, the one folder in which nobody can make a file")
    with pytest.raises(StoreError, match=r"/proc/wireroom-copy\.db could not be written"):
        store.backup(place)


def test_texts_are_cleaned_alike_everywhere(store: Store) -> None:
    dirty = "a\x00b\ud83dc\ufffed\x1be\x85f\U0002fffeg\r\n\th"
    store.save_publisher(publisher(name=dirty))
    save_feeds(store, [feed(title=dirty)], now=NOW)
    held = store.publisher(COURIER)
    assert held is not None
    assert held.name == "abcdefg\n\th"
    assert [feed.title for feed in store.feeds()] == ["abcdefg\n\th"]


def test_rest_after_hours_is_kept_exactly(store: Store) -> None:
    held = publisher(added_at=NOW.replace(year=1, month=1, day=1), scout_after=NOW + 10_000 * HOUR)
    store.save_publisher(held)
    assert store.publisher(COURIER) == held


def test_feed_changes_add_change_and_tell(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    event = Event(kind="feed_changed", subject=feed().url, at=NOW)
    fresh = feed("https://other.test/rss", name="Other")
    changes = [(feed(), feed(name="Courier")), (None, fresh)]
    store.save_feed_changes(changes, events=[event], now=NOW)
    assert store.feeds() == (feed(name="Courier"), fresh)
    assert store.events() == (replace(event, seq=1),)
    assert store.publisher("other.test") is not None
    store.save_feed_changes([], events=[], now=NOW)
    assert store.counts()["feeds"] == 2


def test_a_change_leaves_the_rest_alone(store: Store) -> None:
    learnt = feed(kind="atom", validators=Validators(etag='"8"'), failures=3, poll_after=NOW)
    save_feeds(store, [learnt], now=NOW)
    store.save_feed_changes([(feed(), feed(region="north", role="secondary"))], events=[], now=NOW)
    assert store.feeds() == (replace(learnt, region="north", role="secondary"),)
    store.save_feed_changes([(None, feed(name="Courier"))], events=[], now=NOW)
    assert store.feeds() == (replace(learnt, region="north", role="secondary", name="Courier"),)


def test_a_feed_that_was_moved_takes_items_and_leads_along(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(validators=Validators(etag='"8"')), polled([item(1)]), now=NOW)
    store.take_feeds(holder="a", now=NOW, limit=5, lease=LEASE)
    counts = store.counts()
    new = feed("https://new.courier.test/rss", publisher=COURIER)
    store.save_feed_changes([(feed(), new)], events=[], now=NOW)
    assert store.feeds() == (new,)
    assert store.counts() == counts
    assert store.take_feeds(holder="b", now=NOW, limit=5, lease=LEASE) == (new,)
    late = save_polled(store, feed(failures=1), polled([item(2)]), now=NOW)
    assert late.new == 0
    assert store.feeds() == (new,)


def test_a_move_to_an_address_that_is_held_by_now_makes_one_feed_of_two(store: Store) -> None:
    there = feed("https://courier.test/atom", validators=Validators(etag='"9"'), failures=1)
    save_feeds(store, [feed(failures=2), there], now=NOW)
    save_polled(store, feed(failures=2), polled([item(1), item(2)]), now=NOW)
    save_polled(store, there, polled([item(1, there.url)], there.url), now=NOW)
    store.save_feed_changes([(feed(failures=2), feed(there.url, name="C"))], events=[], now=NOW)
    assert store.feeds() == (replace(there, name="C"),)
    assert (store.counts()["items"], store.counts()["leads"]) == (2, 2)
