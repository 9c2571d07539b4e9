"""What every store promises the fetch room: what robots.txt said is there for the next process."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.store.samples import DAY, LEASE, NOW
from wireroom.ports import RobotsFile, Store
from wireroom.store.robots_table import MAX_KEPT

FILE = RobotsFile(
    origin="https://courier.test",
    found=True,
    body=b"User-agent: *\nDisallow: /\xff\x00\n",
    reason="rules",
    asked_at=NOW,
)


def test_a_file_comes_back_byte_for_byte(store: Store) -> None:
    assert store.robots_file(FILE.origin) is None
    store.save_robots_files([FILE])
    assert store.robots_file(FILE.origin) == FILE
    assert store.robots_file("http://courier.test") is None  # another origin


def test_a_later_answer_takes_its_place(store: Store) -> None:
    store.save_robots_files([FILE])
    gone = replace(FILE, found=False, body=b"", reason="HTTP 404", asked_at=NOW + DAY)
    store.save_robots_files([gone])
    assert store.robots_file(FILE.origin) == gone


def test_what_nobody_reads_is_not_kept(store: Store) -> None:
    store.save_robots_files([replace(FILE, body=b"#" * (MAX_KEPT + 10))])
    kept = store.robots_file(FILE.origin)
    assert kept is not None
    assert len(kept.body) == MAX_KEPT


def test_whoever_holds_a_host_is_known(store: Store) -> None:
    assert store.holders() == ()
    for host, holder in (("b.test", "two"), ("a.test", "one"), ("c.test", "one")):
        assert store.take_host(host, holder=holder, now=NOW, lease=LEASE)
    assert store.holders() == ("one", "two")
    store.release(holder="one", now=NOW)
    assert store.holders() == ("two",)


def test_a_file_that_waited_to_be_saved_does_not_replace_a_later_one(store: Store) -> None:
    later = replace(FILE, body=b"User-agent: *\nDisallow: /\n", asked_at=NOW + timedelta(seconds=5))
    store.save_robots_files([later])
    store.save_robots_files([FILE])
    assert store.robots_file(FILE.origin) == later
    store.save_robots_files([replace(later, asked_at=NOW + DAY)])  # a clock that was wrong
    store.save_robots_files([FILE])
    assert store.robots_file(FILE.origin) == FILE
