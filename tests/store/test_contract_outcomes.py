"""What every store promises about the outcomes of polls and readings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.holding import find_lead, save_feeds, save_polled, save_problems
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
    reading,
    receipt,
    save,
)
from wireroom.errors import StoreError
from wireroom.model import Lead, Polled, Problem, RawPage, Reading
from wireroom.ports import PollCount, Saved, Store, StoreOptions
from wireroom.store import open_store


def test_a_poll_tells_new_changed_and_known_items_apart(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    first = save_polled(store, feed(), polled([item(1), item(2)]), now=NOW)
    again = save_polled(store, feed(), polled([item(1), item(2), item(3)]), now=NOW)
    edited = save_polled(store, feed(), polled([item(1, title="Edited"), item(3)]), now=NOW)
    assert first == PollCount(new=2)
    assert again == PollCount(new=1, known=2)
    assert edited == PollCount(changed=1, known=1)
    assert store.counts()["items"] == 3


def test_a_poll_saves_the_feed_as_decided(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    decided = feed(failures=0, poll_after=NOW + HOUR, title="Courier")
    save_polled(store, decided, polled([]), now=NOW)
    assert store.feed(decided.url) == decided


def test_an_item_named_twice_in_one_poll_counts_once(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    twice = polled([item(1), item(1, title="Other"), item(2, guid="")])
    assert save_polled(store, feed(), twice, now=NOW) == PollCount(new=2)
    assert len(store.leads()) == 2


def test_items_without_guid_are_distinguished_by_page_or_content(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    items = [
        item(1, guid=""),
        item(1, guid="", url="http://www.courier.test/story-1?utm_source=feed"),
        item(2, guid="", url=""),
        item(3, guid="", url="", title="Another"),
    ]
    assert save_polled(store, feed(), polled(items), now=NOW) == PollCount(new=3, no_page=2)
    assert save_polled(store, feed(), polled(items), now=NOW) == PollCount(known=3)


def test_a_guid_longer_than_any_index_takes_is_kept_whole(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    long = item(1, guid="\u6e2f" * 5000)
    assert save_polled(store, feed(), polled([long]), now=NOW).new == 1
    assert save_polled(store, feed(), polled([long]), now=NOW).known == 1
    (held,) = store.leads()
    assert held.item == long


def test_new_items_give_leads_and_those_without_web_address_do_not(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    items = [item(1), item(2, url=""), item(3, url="mailto:desk@courier.test")]
    save_polled(store, feed(), polled(items), now=NOW)
    assert store.leads() == (Lead(url=items[0].url, publisher=COURIER, item=items[0]),)


def test_two_items_of_one_page_give_one_lead(store: Store) -> None:
    save_feeds(store, [feed(), feed("https://courier.test/atom")], now=NOW)
    save_polled(store, feed(), polled([item(1), item(2, url=item(1).url + "#part")]), now=NOW)
    other = item(7, "https://courier.test/atom", url="http://courier.test/story-1?fbclid=9")
    save_polled(store, feed(other.feed_url), polled([other], other.feed_url), now=NOW)
    assert len(store.leads()) == 1
    assert store.counts()["items"] == 3


def test_a_changed_item_has_its_page_read_again(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item(1)]), now=NOW)
    (taken,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    store.save_readings([Reading(lead=replace(taken, state="read", attempts=1))], now=NOW)
    later = NOW + HOUR
    updated = item(1, updated_at=later)
    save_polled(store, feed(), polled([updated]), now=later)
    expected = Lead(url=updated.url, publisher=COURIER, item=updated)
    assert find_lead(store, COURIER, updated.url) == expected
    assert store.take_leads(holder="p", now=later, limit=1, lease=LEASE) == (expected,)


def test_a_changed_extra_is_no_news(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item(1)]), now=NOW)
    assert save_polled(store, feed(), polled([item(1, extra={"comments": 9})]), now=NOW).known == 1


def test_a_changed_item_leaves_a_lead_in_flight_alone(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item(1)]), now=NOW)
    (taken,) = store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE)
    changed = save_polled(store, feed(), polled([item(1, title="Edited")]), now=NOW)
    assert changed.changed == 1
    assert store.take_leads(holder="p", now=NOW, limit=1, lease=LEASE) == ()
    held = find_lead(store, COURIER, taken.url)
    assert held is not None
    assert held.state == "new"


def test_a_changed_item_with_a_new_address_gives_a_second_lead(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item(1)]), now=NOW)
    save_polled(store, feed(), polled([item(1, url="https://courier.test/moved")]), now=NOW)
    assert [lead.url for lead in store.leads()] == [
        "https://courier.test/moved",
        "https://courier.test/story-1",
    ]


def test_a_feed_that_moved_takes_its_items_along(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([item(1)]), now=NOW)
    new_url = "https://feeds.courier.test/rss"
    moved = feed(new_url, publisher=COURIER)
    outcome = Polled(feed_url=feed().url, result="moved", items=(item(1, new_url),))
    assert save_polled(store, moved, outcome, now=NOW).known == 1
    assert store.feeds() == (moved,)
    taken = store.take_feeds(holder="p", now=NOW, limit=5, lease=LEASE)
    assert [feed.url for feed in taken] == [new_url]


def test_a_feed_that_moved_to_a_known_one_is_merged_into_it(store: Store) -> None:
    new_url = "https://courier.test/atom"
    save_feeds(store, [feed(), feed(new_url)], now=NOW)
    save_polled(store, feed(), polled([item(1), item(2)]), now=NOW)
    save_polled(store, feed(new_url), polled([item(1, new_url)], new_url), now=NOW)
    outcome = Polled(feed_url=feed().url, result="moved", items=())
    save_polled(store, feed(new_url), outcome, now=NOW)
    assert [feed.url for feed in store.feeds()] == [new_url]
    assert store.counts()["items"] == 2


def test_a_polls_problem_goes_to_the_log(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    problem = Problem(kind="timeout", message="no answer", subject_url=feed().url, at=NOW)
    failed = Polled(feed_url=feed().url, result="failed", problem=problem)
    save_polled(store, feed(failures=1), failed, now=NOW)
    assert store.problems(subject_url=feed().url) == (problem,)


def test_leads_are_one_per_publisher_and_page(store: Store) -> None:
    spellings = [
        "https://courier.test/story",
        "http://www.courier.test/story?utm_source=x",
        "https://courier.test:443/story#top",
    ]
    added = [store.save_leads([Lead(url=url, publisher=COURIER)], now=NOW) for url in spellings]
    assert added == [1, 0, 0]
    other = Lead(url=spellings[0], publisher="syndicate.test")
    assert store.save_leads([other, other], now=NOW) == 1
    assert find_lead(store, COURIER, spellings[1]) == Lead(url=spellings[0], publisher=COURIER)
    assert find_lead(store, "syndicate.test", spellings[2]) == other
    assert find_lead(store, "nobody.test", spellings[0]) is None
    assert find_lead(store, COURIER, "not an address") is None


def test_a_known_page_named_again_is_not_read_again(store: Store) -> None:
    done = lead(1, state="read", attempts=1)
    store.save_leads([done], now=NOW)
    assert store.save_leads([lead(1)], now=NOW) == 0
    assert find_lead(store, COURIER, done.url) == done
    again = lead(1, state="retry", attempts=2, read_after=NOW + MINUTE, reason="timeout")
    store.save_leads([again], now=NOW)
    assert find_lead(store, COURIER, done.url) == again


def test_leads_come_back_with_their_items_by_publisher_and_address(store: Store) -> None:
    held = [lead(2), lead(1, item=item(1)), lead(3, "alpha.test", state="failed", reason="gone")]
    assert store.save_leads(held, now=NOW) == 3
    assert store.leads() == (held[2], held[1], held[0])
    assert store.leads(publisher=COURIER) == (held[1], held[0])
    assert store.leads(state="failed") == (held[2],)
    assert store.leads(limit=1) == (held[2],)


def test_a_lead_without_a_web_address_is_refused_whole(store: Store) -> None:
    with pytest.raises(StoreError, match="no address"):
        store.save_leads([lead(1), Lead(url="javascript:alert(1)", publisher=COURIER)], now=NOW)
    assert store.leads() == ()


def test_a_reading_saves_lead_article_and_problem_together(store: Store) -> None:
    store.save_leads([lead(1)], now=NOW)
    problem = Problem(kind="too_complex", message="cut", subject_url=lead(1).url, at=NOW)
    outcome = replace(reading(article(1)), problem=problem)
    assert store.save_readings([outcome], now=NOW) == (
        Saved(article_id=article(1).id, outcome="new"),
    )
    assert store.article(article(1).id) == article(1)
    assert find_lead(store, COURIER, lead(1).url) == outcome.lead
    assert store.problems() == (problem,)
    assert store.publisher(COURIER) is not None


def test_a_reading_without_article_changes_only_its_lead(store: Store) -> None:
    save(store, article(1))
    failed = lead(1, state="failed", reason="no_article", attempts=2)
    assert store.save_readings([Reading(lead=failed)], now=NOW) == (Saved(),)
    assert find_lead(store, COURIER, failed.url) == failed
    assert store.article(article(1).id) == article(1)


def test_saving_twice_changes_nothing(store: Store) -> None:
    outcomes = [reading(article(number)) for number in range(5)]
    store.save_readings(outcomes, now=NOW)
    before = store.counts()
    done = store.save_readings(outcomes, now=NOW)
    assert {saved.outcome for saved in done} == {"same"}
    assert store.counts() == before


def test_nothing_to_save_is_fine(store: Store) -> None:
    assert store.save_readings([], now=NOW) == ()
    assert store.save_leads([], now=NOW) == 0
    save_feeds(store, [], now=NOW)
    save_problems(store, [])
    store.save_signatures([])
    assert set(store.counts().values()) == {0}


def test_an_edit_is_a_new_version_never_a_second_article(store: Store) -> None:
    first = article(1)
    second = article(1, text="Edited.", fetched_at=NOW + HOUR, modified_at=NOW + HOUR)
    third = replace(second, title="New title", fetched_at=NOW + 2 * HOUR)
    for held in (first, second, third):
        store.save_readings([reading(held)], now=NOW)
    assert store.article(first.id) == replace(third, version=3)
    versions = store.versions(first.id)
    assert [
        (article_version.version, article_version.title, article_version.text)
        for article_version in versions
    ] == [
        (1, first.title, first.text),
        (2, second.title, "Edited."),
    ]
    assert versions[1].modified_at == second.modified_at
    assert versions[0].text_hash == first.text_hash
    assert [version.layout for version in versions] == [first.layout, second.layout] == ["pp", "p"]
    assert store.counts()["articles"] == 1


def test_the_same_text_read_again_refreshes_without_a_version(store: Store) -> None:
    save(store, article(1))
    fresh = article(1, fetched_at=NOW + DAY, tags=("sea",), receipt=receipt(checked_at=NOW + DAY))
    (done,) = store.save_readings([reading(fresh)], now=NOW)
    assert done.outcome == "same"
    assert store.article(fresh.id) == fresh
    assert store.versions(fresh.id) == ()


def test_a_layout_that_was_not_known_is_added_without_a_version(store: Store) -> None:
    save(store, article(1, layout=""))
    (done,) = store.save_readings([reading(article(1, fetched_at=NOW + DAY, layout="2q"))], now=NOW)
    assert done.outcome == "same"
    held = store.article(article(1).id)
    assert held is not None
    assert (held.layout, held.version) == ("2q", 1)


def test_an_outcome_that_comes_late_does_not_undo_a_newer_one(store: Store) -> None:
    newer = article(1, text="Newer.", fetched_at=NOW + HOUR)
    save(store, newer)
    save(store, article(1))
    assert store.article(newer.id) == newer
    assert store.versions(newer.id) == ()


def test_several_readings_of_one_article_in_one_batch_are_saved_in_order(store: Store) -> None:
    texts = ["One.", "Two.", "Two.", "Three."]
    outcomes = [
        reading(article(1, text=text, fetched_at=NOW + number * MINUTE))
        for number, text in enumerate(texts)
    ]
    done = store.save_readings([*outcomes, reading(article(2))], now=NOW)
    assert [saved.outcome for saved in done] == ["new", "changed", "same", "changed", "new"]
    assert [version.text for version in store.versions(article(1).id)] == ["One.", "Two."]


def test_a_date_that_is_missing_the_next_time_is_kept(store: Store) -> None:
    save(store, article(1))
    save(store, article(1, published_at=None, published_source="", fetched_at=NOW + HOUR))
    held = store.article(article(1).id)
    assert held is not None
    assert (held.published_at, held.published_source) == (article(1).published_at, "json-ld")


def test_a_canonical_address_is_an_alias(store: Store) -> None:
    canonical = "https://courier.test/story-1"
    first = article(1, url="https://courier.test/story-1?ref=front", canonical_url=canonical)
    second = article(1, url=canonical, canonical_url=canonical, text="Edited.")
    third = article(1, url="https://courier.test/story-1?ref=mail", canonical_url=canonical)
    ids = {
        store.save_readings([reading(article)], now=NOW)[0].article_id
        for article in (first, second)
    }
    ids.add(store.save_readings([reading(third)], now=NOW)[0].article_id)
    assert ids == {first.id}
    assert store.counts()["articles"] == 1
    assert store.counts()["leads"] == 3
    held = store.article(first.id)
    assert held is not None
    assert held.url == first.url
    leads = {lead.url: lead for lead in store.leads()}
    assert leads[first.url].state == "read"
    assert {leads[article.url].state for article in (second, third)} == {"duplicate"}
    assert first.id in leads[third.url].reason


def test_a_duplicate_address_that_is_given_to_another_story_overwrites_nothing(
    store: Store,
) -> None:
    first = article(1, canonical_url="https://courier.test/story-1")
    alias = article(2, title=first.title, text=first.text, canonical_url=first.url)
    save(store, first, alias)
    assert store.counts()["articles"] == 1
    edited = article(
        2, title="Edited", text="Edited.", fetched_at=NOW + HOUR, canonical_url=first.url
    )
    (saved,) = store.save_readings([reading(edited)], now=NOW)
    assert (saved.article_id, saved.outcome) == (first.id, "changed")
    other = article(2, title="Another story", text="Of something else.", fetched_at=NOW + HOUR)
    (saved,) = store.save_readings([reading(other)], now=NOW)
    assert (saved.article_id, saved.outcome) == (other.id, "new")
    held = store.article(first.id)
    assert held is not None
    assert held.title == "Edited"
    lead = find_lead(store, "courier.test", other.url)
    assert lead is not None
    assert lead.state == "read"


def test_aliases_of_one_article_in_one_batch_are_one_article(store: Store) -> None:
    canonical = "https://courier.test/story-1"
    refs = ["front", "mail", "app"]
    held = [article(1, url=f"{canonical}?ref={ref}", canonical_url=canonical) for ref in refs]
    done = store.save_readings([reading(article) for article in held], now=NOW)
    assert {saved.article_id for saved in done} == {held[0].id}
    again = store.save_readings([reading(article) for article in held], now=NOW)
    assert {saved.outcome for saved in again} == {"same"}
    assert store.counts()["articles"] == 1


def test_papers_that_call_every_page_canonical_lose_no_article(store: Store) -> None:
    home = "https://courier.test/"
    held = [article(number, canonical_url=home) for number in range(4)]
    save(store, *held)
    save(store, article(9, canonical_url=article(1).url))
    assert store.counts()["articles"] == 5
    assert store.counts()["article_versions"] == 0


def test_a_lead_keeps_to_its_article_whatever_it_claims_later(store: Store) -> None:
    save(store, article(1), article(2))
    changed = article(1, title="Else", text="Else.", canonical_url=article(2).url)
    save(store, replace(changed, fetched_at=NOW + HOUR))
    held = store.article(article(1).id)
    assert held is not None
    assert (held.version, held.title) == (2, "Else")
    assert store.article(article(2).id) == article(2)


def test_publishers_share_no_articles(store: Store) -> None:
    url = "https://agency.test/wire-1"
    save(store, article(1, "agency.test", url=url), article(1, "reprint.test", url=url))
    assert store.counts()["articles"] == 2


def test_withdrawn_is_a_state_not_a_version(store: Store) -> None:
    save(store, article(1))
    gone = article(1, state="withdrawn", fetched_at=NOW + HOUR)
    save(store, gone)
    assert store.article(gone.id) == gone
    assert store.versions(gone.id) == ()


def test_receipts_that_say_the_same_are_kept_once(store: Store) -> None:
    times = [NOW + number * MINUTE for number in range(3)]
    held = [article(n, receipt=receipt(checked_at=at)) for n, at in enumerate(times)]
    held.append(article(7, receipt=receipt(robots="unknown")))
    held.append(article(8, receipt=None))
    save(store, *held)
    assert store.counts()["receipts"] == 2
    assert [store.article(known.id) for known in held] == held


def test_raw_pages_are_kept_beside_articles_for_their_time(store: Store) -> None:
    body = bytes(range(256)) * 50
    page = RawPage(body=body, content_type="text/html; charset=shift_jis")
    save(store, article(1, raw=page), article(2, raw=page, fetched_at=NOW - 3 * DAY), article(3))
    assert store.raw(article(1).id) == page
    assert store.raw(article(3).id) is None
    assert store.article(article(1).id) == article(1)
    assert store.drop_raw_pages(before=NOW - 2 * DAY) == 1
    assert store.raw(article(2).id) is None
    assert store.raw(article(1).id) == page
    newer = RawPage(body=b"newer")
    save(store, article(1, raw=newer, fetched_at=NOW + DAY))
    assert store.raw(article(1).id) == newer
    assert store.drop_raw_pages(before=NOW + 2 * DAY) == 1
    assert store.drop_raw_pages(before=NOW + 2 * DAY) == 0


def test_no_raw_pages_are_kept_where_none_are_wanted() -> None:
    store = open_store("sqlite://", StoreOptions(raw_kept_for=timedelta()))
    save(store, article(1, raw=RawPage(body=b"page")))
    assert store.raw(article(1).id) is None
    store.close()
