"""The truth about the town: deterministic, relative to its now, and changing with its clock."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.town.conftest import NOW
from wireroom.town import Story, Town, boilerplate, build_town
from wireroom.town.answers import answer
from wireroom.town.clock import TownClock

EDITED = ("courier.test", "sentinel.test", "agency.test", "phare.test")


def _all(town: Town) -> list[Story]:
    return [story for host in town.publishers for story in town.stories(host)]


@pytest.mark.long
def test_same_seed_and_moment_give_the_same_town() -> None:
    town = build_town(seed=3, now=NOW, publishers=5, articles=4)
    other = build_town(seed=3, now=NOW, publishers=5, articles=4)
    assert _all(town) == _all(other)


DIGEST = """
import hashlib
from datetime import UTC, datetime
from wireroom.town import build_town
from wireroom.town.answers import answer

town = build_town(now=datetime(2026, 11, 12, tzinfo=UTC), publishers=3, articles=3)
pages = hashlib.sha256()
for host, publisher in town.publishers.items():
    for path in ("/", *(feed.path for feed in publisher.feeds)):
        pages.update(answer(town, host, path).body)
print(pages.hexdigest())
"""


@pytest.mark.long
def test_same_town_in_every_process() -> None:
    """Nothing hangs on the order of a set or on the salt of a hash."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    }
    assert len(outputs) == 1


def test_another_seed_gives_another_town(still_town: Town) -> None:
    other = build_town(seed=8, now=NOW)
    ours = {story.title for story in still_town.stories("courier.test")}
    assert ours != {story.title for story in other.stories("courier.test")}


def test_dates_are_relative_to_now(still_town: Town) -> None:
    later = build_town(now=NOW + timedelta(days=300))
    for host in ("courier.test", "almanac.test"):
        ours, theirs = still_town.stories(host)[0], later.stories(host)[0]
        assert theirs.published_at - ours.published_at == timedelta(days=300)
        assert theirs.text == ours.text


def test_every_article_is_out_and_newest_come_first(still_town: Town) -> None:
    for host in still_town.publishers:
        times = [story.published_at for story in still_town.stories(host)]
        assert times == sorted(times, reverse=True)
        assert all(moment <= NOW for moment in times)


def test_addresses_are_unique_and_lead_back_to_the_article(still_town: Town) -> None:
    stories = _all(still_town)
    assert len({story.url for story in stories}) == len(stories)
    for story in stories:
        assert still_town.story(story.url) == story


@pytest.mark.parametrize(
    "url",
    [
        "http://courier.test/",
        "http://courier.test/2026/11/12/some-other-words-40",
        "http://courier.test/2026/11/12/nothing-999999",
        "http://nowhere.test/a-1",
        "http://blank.test/a-1",
        "http://yunjiang.test/article.php?id=0",
    ],
)
def test_unknown_addresses_have_no_article(still_town: Town, url: str) -> None:
    assert still_town.story(url) is None


def test_silent_publisher_stays_silent(town: Town) -> None:
    newest = town.stories("almanac.test")[0].published_at
    assert NOW - newest > timedelta(days=365)
    town.clock.advance(timedelta(days=60))
    assert town.stories("almanac.test")[0].published_at == newest


def test_moving_the_clock_brings_news(town: Town) -> None:
    before = town.stories("courier.test")
    town.clock.advance(timedelta(days=1))
    after = town.stories("courier.test")
    assert len(after) - len(before) in range(6, 10)
    assert after[0].published_at > NOW


def test_moving_the_clock_back_takes_news_away(town: Town) -> None:
    before = town.count("courier.test")
    town.clock.advance(timedelta(days=-1))
    assert town.count("courier.test") in range(before - 10, before - 6)


@pytest.mark.parametrize("host", EDITED)
def test_corrections_and_updates_happen_in_time(town: Town, host: str) -> None:
    number = next(n for n in range(town.count(host) + 1, 10_000) if len(_edits(town, host, n)) == 2)
    town.clock.advance(town.published_at(host, number) - NOW)
    first = town.numbered(host, number)
    assert (first.version, first.modified_at) == (1, None)
    seen = [first]
    for edit in first.edits:
        town.clock.advance(edit.at - town.clock.now())
        now = town.numbered(host, number)
        assert now.modified_at == edit.at
        assert now.version == seen[-1].version + 1
        assert now.text != seen[-1].text
        assert (now.url, now.published_at) == (first.url, first.published_at)
        seen.append(now)


def _edits(town: Town, host: str, number: int) -> tuple[object, ...]:
    return town.numbered(host, number).edits


def test_withdrawn_article_leaves_the_list_but_is_known(town: Town) -> None:
    listed = {story.number for story in town.stories("courier.test")}
    gone = [n for n in range(1, town.count("courier.test") + 1) if n not in listed]
    assert gone
    story = town.numbered("courier.test", gone[0])
    assert story.withdrawn
    assert town.story(story.url) == story


def test_metered_publisher_has_every_kind_of_wall(still_town: Town) -> None:
    stories = still_town.stories("lantern.test")
    assert {story.paywall for story in stories} == {"free", "metered", "locked", "registration"}
    for story in stories:
        whole = story.shown_blocks == story.blocks
        assert whole == (story.paywall in ("free", "metered"))
        assert story.text.startswith(story.shown_text)


def test_reprints_come_after_what_they_reprint(still_town: Town) -> None:
    reprints = still_town.stories("digest.test")
    reprinted = [still_town.story(story.reprint_of) for story in reprints]
    assert len({story.url for story in reprinted if story}) == len(reprints)
    assert {story.publisher for story in reprinted if story} == {
        "courier.test",
        "sentinel.test",
        "agency.test",
    }
    for reprint, original in zip(reprints, reprinted, strict=True):
        assert original is not None
        assert reprint.published_at > original.published_at
        assert reprint.canonical_url in (reprint.url, original.url)
    assert len({reprint.canonical_url == reprint.url for reprint in reprints}) == 2


def test_batches_share_one_moment_and_offices_keep_weekends(still_town: Town) -> None:
    batch = still_town.stories("faro.test", limit=5)
    assert len({story.published_at for story in batch}) == 1
    days = {story.published_at.weekday() for story in still_town.stories("anzeiger.test")}
    assert days == {0, 1, 2, 3, 4}


def test_crowd_is_as_large_as_wished() -> None:
    town = build_town(now=NOW, publishers=12, articles=3)
    named = [host for host in town.publishers if host.startswith("paper-")]
    assert len(named) == 12
    assert all(len(town.stories(host)) == 3 for host in named)


def test_pages_of_real_weight_carry_what_half_of_the_real_ones_do() -> None:
    town = build_town(now=NOW, publishers=6, articles=30, weight="real")
    for host in (host for host in town.publishers if host.startswith("paper-")):
        story = town.stories(host)[0]
        body = answer(town, host, story.url.partition(host)[2]).body
        tree = LexborHTMLParser(body)
        assert 105_000 < len(body) < 127_000
        assert 640 < len(tree.css("*")) < 801
        assert 80 < len(tree.css("a")) < 126
        assert 30 < len(tree.css("p")) < 46
        assert 12 < len(tree.css("img")) <= 16
        assert 17 < len(tree.css("meta")) < 24
        assert 8 < len(tree.css("script")) < 12
        shown = " ".join(tree.body.text(separator=" ").split()) if tree.body else ""
        assert all(" ".join(piece.split()) in shown for piece in boilerplate(town, story))


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="no fewer"):
        build_town(now=NOW, publishers=-1)


def test_clock_refuses_a_time_without_zone() -> None:
    with pytest.raises(ValueError, match="aware"):
        TownClock(datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point


def test_running_clock_moves_in_whole_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([100.0, 159.0, 161.0, 225.0])
    monkeypatch.setattr("wireroom.town.clock.time.monotonic", lambda: next(moments))
    clock = TownClock(datetime(2026, 1, 1, tzinfo=UTC), running=True)
    assert clock.now() == clock.start
    assert clock.now() == clock.start + timedelta(minutes=1)
    assert clock.now() == clock.start + timedelta(minutes=2)
