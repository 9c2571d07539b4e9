"""What every store promises about lists of many publishers and feeds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from tests.holding import save_feeds
from tests.store.samples import COURIER, DAY, NOW, feed, publisher
from wireroom.model import Dossier, PublisherSummary
from wireroom.ports import PublisherFilter, PublisherOrder, Store

ALL = PublisherFilter()


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


def test_kinds_are_counted_by_text_and_time_alone(store: Store) -> None:
    hold(store, "a.test")
    hold(store, "b.test", language="fr")
    hold(store, "c.test")
    store.save_publisher(publisher("d.test", name="d"))
    kinds = store.overview.publisher_kinds(PublisherFilter(language="fr"))
    assert sorted((kind.scouted, kind.language, kind.count) for kind in kinds) == [
        (False, "", 1),
        (True, "en", 2),
        (True, "fr", 1),
    ]
    english = next(kind for kind in kinds if kind.language == "en")
    assert (english.verdicts, english.signals) == (summary().verdicts, summary().signals)
    assert next(kind for kind in kinds if not kind.scouted).verdicts == {}
    assert [kind.count for kind in store.overview.publisher_kinds(PublisherFilter(text="b"))] == [1]
