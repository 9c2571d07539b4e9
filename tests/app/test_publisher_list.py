"""The rights matrix over all publishers, as a page asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.app.queries import noted_queries
from tests.report.dossiers import HOME, NOW, failed, found, generous, robots
from tests.store.test_contract_overview import hold
from wireroom.app import App, open_app
from wireroom.app.publisher_list import (
    PublisherFilter,
    changed_since,
    publisher_list,
    publisher_rows,
)
from wireroom.app.scout_log import save_scouted
from wireroom.errors import QueryError, SettingsError
from wireroom.model import Dossier, Publisher
from wireroom.report import make_card
from wireroom.report.publisher_summary import summarise_dossier
from wireroom.signals import judge

DAY = timedelta(days=1)
DOMAIN = "courier.example"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW + 20 * DAY) as opened:
        yield opened


def scouted(after: timedelta, dossier: Dossier) -> Dossier:
    """The dossier as a scout found it at another time."""
    findings = tuple(replace(finding, found_at=NOW + after) for finding in dossier.findings)
    rights = judge(findings, HOME)
    return replace(dossier, findings=findings, rights=rights, scouted_at=NOW + after)


def test_the_summary_says_what_the_card_says() -> None:
    feeds = found(
        "feeds",
        count=2,
        feeds=[
            {"url": f"{HOME}a", "kind": "rss", "language": "de-AT"},
            {"url": f"{HOME}b", "kind": "rss", "language": "de"},
            {"url": f"{HOME}c", "kind": "rss", "language": "fr"},
        ],
    )
    dossier = generous(feeds=feeds)
    card, line = make_card(dossier), summarise_dossier(dossier)
    assert (line.grade, line.points) == (card.grade.letter, card.grade.points)
    assert line.verdicts == {row.use: row.word for row in card.rights}
    assert "content_signal" in line.signals
    assert (line.language, line.feeds_offered) == ("de", 3)
    assert line.rights_changed_at is None


def test_a_scout_leaves_a_row_and_says_when_rights_changed(app: App) -> None:
    save_scouted(app, scouted(timedelta(), generous()))
    (first,) = publisher_list(app).rows
    assert (first.domain, first.grade, first.rights_changed_at) == (DOMAIN, "A", None)
    refused = robots("User-agent: *\nContent-Signal: search=no, ai-train=no\n")
    save_scouted(app, scouted(2 * DAY, generous(robots=failed("robots"))))
    (unread,) = publisher_list(app).rows
    assert unread.rights_changed_at is None, "that nobody could look is no change"
    save_scouted(app, scouted(8 * DAY, generous(robots=refused)))
    (changed,) = publisher_list(app, changed_within=15 * DAY).rows
    assert changed.verdicts["search"] == "deny"
    assert (changed.rights_changed_at, changed.changed_lately) == (NOW + 8 * DAY, True)
    save_scouted(app, scouted(16 * DAY, generous(robots=refused)))
    (later,) = publisher_list(app, changed_within=3 * DAY).rows
    assert (later.rights_changed_at, later.changed_lately) == (NOW + 8 * DAY, False)
    assert later.scouted_at == NOW + 16 * DAY


def test_a_change_that_a_broken_scout_saw_is_not_lost(app: App) -> None:
    save_scouted(app, scouted(timedelta(), generous()))
    refused = scouted(DAY, generous(robots=robots("User-agent: *\nContent-Signal: search=no\n")))
    half = replace(refused, scouted_at=NOW)  # as a scout keeps it on the way
    app.store.save_dossier(half)
    assert publisher_list(app).rows[0].verdicts["search"] == "allow", "of the last whole scout"
    save_scouted(app, replace(refused, scouted_at=NOW + 2 * DAY))
    assert publisher_list(app).rows[0].rights_changed_at == NOW + 2 * DAY


def test_never_scouted_is_not_unknown(app: App) -> None:
    app.store.save_publisher(Publisher(domain="new.test", added_at=NOW))
    (row,) = publisher_list(app).rows
    assert (row.name, row.verdicts, row.points, row.scouted_at) == ("new.test", {}, None, None)
    page = publisher_list(app, PublisherFilter(verdicts={"search": "unknown"}))
    assert (page.rows, page.total, page.facets.not_scouted) == ((), 0, 0)
    assert publisher_list(app).facets.not_scouted == 1


def test_pages_go_on_where_the_last_ended_and_facets_leave_out_their_own_filter(app: App) -> None:
    for number in range(7):
        language = "fr" if number % 2 else "en"
        hold(app.store, f"p{number}.test", language=language, points=10 * (number // 2))
    chosen = PublisherFilter(language="en", verdicts={"ai-train": "deny"})
    first = publisher_list(app, chosen, order="grade", limit=3)
    assert [row.domain for row in first.rows] == ["p6.test", "p4.test", "p2.test"]
    last = publisher_list(app, chosen, order="grade", limit=3, cursor=first.next)
    assert ([row.domain for row in last.rows], last.next) == (["p0.test"], "")
    assert first.total == last.total == 4
    assert first.facets.languages == {"en": 4, "fr": 3}
    assert first.facets.verdicts["ai-train"] == {"deny": 4}
    assert first.facets.signals == {"robots_agents": 4, "rsl": 4}
    assert first.signal_labels["rsl"]
    for wrong in (first.next, "nonsense", "%%%", "W10"):
        with pytest.raises(QueryError, match="not one of this list"):
            publisher_list(app, chosen, order="name", cursor=wrong)


def test_who_changed_rights_since_a_moment_is_counted_and_found(app: App) -> None:
    now = app.clock()
    for domain, days in (("a.test", 0.5), ("b.test", 6), ("c.test", 29), ("d.test", 31)):
        hold(app.store, domain, rights_changed_at=now - days * DAY)
    every = publisher_list(app)
    assert every.changed == {"1d": 1, "7d": 2, "30d": 3}
    week = PublisherFilter(changed_after=changed_since(app, "7d"))
    page = publisher_list(app, week, order="changed", limit=1)
    assert [row.domain for row in page.rows] == ["a.test"]
    last = publisher_list(app, week, order="changed", limit=1, cursor=page.next)
    assert ([row.domain for row in last.rows], last.next) == (["b.test"], "")
    assert (page.total, page.changed) == (2, every.changed)


def test_a_moment_is_read_by_the_readers_clock(app: App) -> None:
    day = changed_since(app, "2026-05-03")
    assert day is not None
    assert day.isoformat() == "2026-05-03T00:00:00+00:00"
    assert changed_since(app, " ") is None
    with pytest.raises(SettingsError, match="changed soon: expected a moment"):
        changed_since(app, "soon")


def test_publishers_are_compared_in_the_order_they_are_named(app: App) -> None:
    hold(app.store, "a.test")
    hold(app.store, "b.test")
    rows = publisher_rows(app, ["b.test", "nobody.test", "a.test", "b.test"])
    assert [row.domain for row in rows] == ["b.test", "a.test"]


def test_a_long_list_takes_as_many_queries_as_a_short_one(app: App) -> None:
    counts = []
    for number in range(40):
        hold(app.store, f"p{number}.test")
        if number in {1, 39}:
            with noted_queries() as asked:
                publisher_list(app)
            counts.append(len(asked))
    assert 0 < counts[0] == counts[1] <= 6
