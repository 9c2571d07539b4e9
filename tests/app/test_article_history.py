"""Versions and copies of an article, compared for a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.samples import NOW, article, reading
from wireroom.app import App, open_app
from wireroom.app.article_history import MAX_COPIES, article_copies, article_versions
from wireroom.model import Cluster

HOUR = timedelta(hours=1)
TEXT = (
    "The harbour master resigned on {day} after thirty years.\n\nNobody knows who will follow him."
)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:", clock=lambda: NOW) as opened:
        yield opened


def test_edits_are_compared_the_last_one_first(app: App) -> None:
    held = article(1, text=TEXT.format(day="Monday"), text_hash="1")
    for number, (day, title) in enumerate(
        [("Monday", "He goes"), ("Tuesday", "He goes"), ("Tuesday", "He stays")]
    ):
        text = TEXT.format(day=day)
        edited = replace(
            held,
            text=text,
            text_hash=f"{day}",
            title=title,
            fetched_at=NOW + number * HOUR,
        )
        app.store.save_readings([reading(edited)], now=NOW + number * HOUR)
    now = app.store.article(held.id)
    assert now is not None
    versions = article_versions(app, now)
    assert [(edit.old_version, edit.new_version) for edit in versions.edits] == [(2, 3), (1, 2)]
    last, first = versions.edits
    assert (last.text.is_same, last.title.added, last.title.removed) == (True, 1, 1)
    assert (first.title.is_same, first.text.added, first.text.removed) == (True, 1, 1)
    assert (last.at, versions.earlier) == (NOW + 2 * HOUR, 0)


def hold_copies(app: App, count: int) -> list[str]:
    """A cluster of one text: the second member was first, the first is canonical."""
    ids = []
    for number in range(count):
        text = TEXT.format(day="Monday" if number != 2 else "Sunday")
        at = NOW - 5 * HOUR if number == 1 else NOW - HOUR
        copy = article(number, f"p{number}.test", text=text, published_at=at)
        app.store.save_readings([reading(copy)], now=NOW)
        ids.append(copy.id)
    cluster = Cluster(id="c", members=tuple(ids), canonicals={"en": ids[0]}, made_at=NOW)
    app.store.save_clusters([cluster])
    return ids


def test_copies_say_who_was_first_and_what_each_changed(app: App) -> None:
    ids = hold_copies(app, 3)
    asked = app.store.article(ids[2])
    assert asked is not None
    found = article_copies(app, asked)
    assert (found.cluster_id, found.more, found.former_original) == ("c", 0, None)
    first = found.copies[0]
    assert (first.article.id, first.is_first, first.dated) == (ids[1], True, True)
    by_id = {copy.article.id: copy for copy in found.copies}
    assert [by_id[each].is_canonical for each in ids] == [True, False, False]
    assert by_id[ids[0]].diff is None
    same, other = by_id[ids[1]].diff, by_id[ids[2]].diff
    assert same is not None
    assert same.is_same
    assert other is not None
    assert (other.added, other.removed) == (1, 1)
    assert by_id[ids[2]].is_asked


def test_many_copies_are_counted_and_the_asked_one_is_shown(app: App) -> None:
    ids = hold_copies(app, MAX_COPIES + 5)
    last = app.store.article(ids[-1])
    assert last is not None
    found = article_copies(app, last)
    assert (len(found.copies), found.more) == (MAX_COPIES, 5)
    assert {ids[0], ids[-1]} <= {copy.article.id for copy in found.copies}
    alone = article(99, "p99.test")
    app.store.save_readings([reading(alone)], now=NOW)
    assert article_copies(app, alone).copies == ()
