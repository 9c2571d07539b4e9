"""What differs between the file's feeds and the database's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.model import Feed, FeedState, Hints, Rhythm, Validators
from wireroom.poll.feed_diff import FieldChange, compare, wanted_feed
from wireroom.settings import FeedSettings

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
COURIER = FeedSettings(name="Courier", url="https://courier.test/rss.xml")
HELD = wanted_feed(COURIER, None)
LEARNT: dict[str, Any] = {
    "kind": "atom",
    "title": "The Courier",
    "validators": Validators(etag='"7"', last_modified="Sun, 15 Nov 2026 08:00:00 GMT"),
    "rhythm": Rhythm(
        per_day=9, low=7, high=12, confidence="high", sample_size=90, span=timedelta(9), source="x"
    ),
    "reliability": 0.7,
    "failures": 3,
    "poll_after": NOW,
}


def entry(**fields: Any) -> FeedSettings:
    return FeedSettings.model_validate(COURIER.model_dump() | fields)


def test_a_feed_that_is_not_held_is_added() -> None:
    difference = compare([COURIER], [])
    (added,) = difference.added
    assert (added.url, added.name, added.publisher) == (COURIER.url, "Courier", "courier.test")
    assert (added.kind, added.state, added.poll_after) == ("rss", "live", None)
    assert not difference.is_empty


def test_the_same_file_twice_changes_nothing() -> None:
    difference = compare([COURIER], [HELD])
    assert difference.is_empty
    assert difference.unchanged == (HELD,)


def test_changes_are_reported_field_by_field() -> None:
    wanted = entry(
        interval="15 min",
        zone="Europe/Vienna",
        mirrors=["https://mirror.test/"],
        metadata_selectors={"section": "nav"},
        role="fallback",
    )
    (change,) = compare([wanted], [HELD]).changed
    assert change.changes == (
        FieldChange(field="metadata_selectors", old={}, new={"section": "nav"}),
        FieldChange(field="zone", old="", new="Europe/Vienna"),
        FieldChange(field="interval", old=None, new="15 min"),
        FieldChange(field="mirrors", old=[], new=["https://mirror.test/"]),
        FieldChange(field="role", old="primary", new="fallback"),
    )


def test_what_polling_has_learnt_is_never_touched() -> None:
    held = replace(HELD, **LEARNT)
    (change,) = compare([entry(interval="1 h", enabled=False, language="de")], [held]).changed
    assert change.wanted == replace(
        held, interval=timedelta(hours=1), state="paused", hints=Hints(language="de")
    )


def test_kind_and_publisher_change_only_where_the_file_names_them() -> None:
    held = replace(HELD, kind="atom", publisher="other.test")
    assert compare([COURIER], [held]).is_empty
    (change,) = compare([entry(kind="rss", publisher="courier.test")], [held]).changed
    assert {each.field for each in change.changes} == {"kind", "publisher"}


def test_a_feed_that_left_the_file_is_reported_and_left_alone() -> None:
    difference = compare([], [HELD])
    assert difference.unlisted == (HELD,)
    assert difference.is_empty


def test_a_feed_that_scouting_found_is_left_alone() -> None:
    found = replace(HELD, name="")
    assert compare([], [found]).unlisted == ()


def test_a_feed_that_scouting_found_is_adopted_by_the_file() -> None:
    found = replace(HELD, name="", **LEARNT)
    (change,) = compare([COURIER], [found]).changed
    assert change.changes == (FieldChange(field="name", old="", new="Courier"),)
    assert change.wanted == replace(found, name="Courier")


def test_another_spelling_of_the_address_is_the_same_feed() -> None:
    held = replace(HELD, url="http://www.courier.test/rss.xml")
    difference = compare([COURIER], [held])
    assert not difference.added
    assert difference.changed[0].moved


def test_a_new_address_forgets_what_the_old_server_answered() -> None:
    held = replace(HELD, **LEARNT | {"state": "gone"})
    (change,) = compare([entry(url="https://courier.test/new.xml")], [held]).changed
    assert change.moved
    assert change.wanted.validators == Validators()
    assert (change.wanted.failures, change.wanted.poll_after, change.wanted.state) == (
        0,
        None,
        "live",
    )
    assert change.wanted.rhythm == held.rhythm


def test_feeds_that_swap_their_names_keep_their_addresses() -> None:
    other = FeedSettings(name="Weekly", url="https://weekly.test/rss.xml")
    held = [HELD, wanted_feed(other, None)]
    difference = compare([entry(name="Weekly"), other.model_copy(update={"name": "Courier"})], held)
    assert not any(change.moved for change in difference.changed)
    assert [change.wanted.name for change in difference.changed] == ["Weekly", "Courier"]


@pytest.mark.parametrize(
    ("state", "enabled", "expected"),
    [
        ("live", True, "live"),
        ("live", False, "paused"),
        ("paused", True, "live"),
        ("resting", True, "resting"),
        ("silent", True, "silent"),
        ("gone", True, "gone"),
        ("gone", False, "paused"),
    ],
)
def test_only_the_operator_pauses_and_wakes(
    state: FeedState, enabled: bool, expected: FeedState
) -> None:
    assert wanted_feed(entry(enabled=enabled), replace(HELD, state=state)).state == expected


def test_a_proxys_user_info_is_not_shown() -> None:
    held = replace(HELD, proxy="http://me:hush@proxy.test:80")
    (change,) = compare([entry(proxy="socks5://me:hush@proxy.test:1080")], [held]).changed
    assert "hush" not in str(change.changes)
    assert change.wanted.proxy == "socks5://me:hush@proxy.test:1080"


HIDDEN_CHANGES: list[tuple[str, Any, Any, Any, Any]] = [
    (
        "proxy",
        "http://me:old@p.test:80",
        "http://me:new@p.test:80",
        "http://***@p.test:80",
        "http://***@p.test:80 (changed)",
    ),
    (
        "mirrors",
        ("https://a.test/?token=old", "https://b.test/", "https://c.test/"),
        ["https://a.test/?token=new", "https://b.test/"],
        ["https://a.test/?token=***", "https://b.test/", "https://c.test/"],
        ["https://a.test/?token=*** (changed)", "https://b.test/"],
    ),
    (
        "mirrors",
        (),
        ["https://a.test/?token=new"],
        [],
        ["https://a.test/?token=***"],
    ),
]


@pytest.mark.parametrize(("field", "held", "wanted", "old", "new"), HIDDEN_CHANGES)
def test_a_change_of_what_is_hidden_is_reported(
    field: str, held: Any, wanted: Any, old: Any, new: Any
) -> None:
    before = replace(HELD, **{field: held})
    (change,) = compare([entry(**{field: wanted})], [before]).changed
    assert change.changes == (FieldChange(field=field, old=old, new=new),)


def test_a_new_key_in_the_address_or_in_a_selector_is_reported() -> None:
    address = "https://courier.test/rss.xml?api_key="
    held = wanted_feed(entry(url=f"{address}old", metadata_selectors={"a": "[h='?key=old']"}), None)
    wanted = entry(url=f"{address}new", metadata_selectors={"a": "[h='?key=new']", "b": "p"})
    (change,) = compare([wanted], [held]).changed
    assert change.changes == (
        FieldChange(field="url", old=f"{address}***", new=f"{address}*** (changed)"),
        FieldChange(
            field="metadata_selectors",
            old={"a": "[h='?key=***']"},
            new={"a": "[h='?key=***'] (changed)", "b": "p"},
        ),
    )


NAMES = st.sampled_from(["a", "b", "c", ""])
PAGES = st.sampled_from(["https://one.test/", "https://two.test/x", "http://www.one.test/", "odd:"])
HELD_FEEDS = st.lists(
    st.builds(Feed, url=PAGES, publisher=st.just("one.test"), kind=st.just("rss"), name=NAMES),
    unique_by=lambda feed: feed.url,
    max_size=4,
)
WANTED = st.lists(
    st.builds(
        FeedSettings,
        name=NAMES.filter(bool),
        url=st.sampled_from(["https://one.test/", "https://two.test/x", "https://three.test/"]),
    ),
    unique_by=(lambda feed: feed.url, lambda feed: feed.name),
    max_size=3,
)


@given(wanted=WANTED, held=HELD_FEEDS)
def test_after_applying_the_difference_there_is_none(
    wanted: list[FeedSettings], held: list[Feed]
) -> None:
    difference = compare(wanted, held)
    rows: dict[str, Feed] = {feed.url: feed for feed in held}
    for change in difference.changed:
        rows.pop(change.held.url)
    for feed in (*difference.added, *(change.wanted for change in difference.changed)):
        rows[feed.url] = feed
    after = compare(wanted, list(rows.values()))
    assert after.is_empty
    assert {feed.url for feed in after.unchanged} == {feed.url for feed in wanted}
