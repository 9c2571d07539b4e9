"""What every store promises about jobs of servers: the last word on each, its rows by line, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.store.samples import HOUR, MINUTE, NOW
from wireroom.ports import JobPage, JobRecord, JobRow, Store
from wireroom.store import jobs_table


def job(job_id: str = "j1", *, at: datetime = NOW, **more: Any) -> JobRecord:
    return JobRecord(
        id=job_id, kind="scout", target="courier.test", begun_at=at, seen_at=at, **more
    )


def ids(page: JobPage) -> list[str]:
    return [found.id for found in page.records]


def test_a_job_is_found_as_it_was_last_saved(store: Store) -> None:
    begun = job(publisher="courier.test", refresh=True, options={"category": "Küste"}, notes=("n",))
    store.jobs.save(begun)
    assert store.jobs.find("j1") == begun
    ended = job(
        state="failed", message="no\x00body", hint="h", problem="dns", ended_at=NOW + HOUR, rows=3
    )
    store.jobs.save(ended)
    held = store.jobs.find("j1")
    assert held is not None
    assert (held.state, held.message, held.problem) == ("failed", "nobody", "dns")
    assert (held.ended_at, held.refresh, held.rows) == (NOW + HOUR, False, 3)
    assert store.jobs.find("j2") is None


def test_a_list_is_kept_until_it_is_done(store: Store) -> None:
    body = bytes(range(256)) * 100
    store.jobs.save(job(body=body))
    held = store.jobs.find("j1")
    assert held is not None
    assert held.body == body
    assert store.jobs.newest().records[0].body == b""
    store.jobs.save(job(state="interrupted"))
    held = store.jobs.find("j1")
    assert held is not None
    assert (held.state, held.body) == ("interrupted", body)
    store.jobs.save(job(state="done"))
    held = store.jobs.find("j1")
    assert held is not None
    assert held.body == b""


def test_rows_come_by_line_and_the_last_word_counts(store: Store) -> None:
    first = JobRow(line=20, target="a.test", outcome="failed", reason="no answer")
    second = JobRow(line=3, target="b.test", outcome="added", publisher="b.test", feeds=2)
    store.jobs.save(job(), [first, second])
    store.jobs.save(job("j2"), [first])
    again = JobRow(line=20, target="a.test", outcome="known", feeds=1)
    store.jobs.save(job(), [again])
    assert store.jobs.rows("j1") == (second, again)
    assert store.jobs.rows("j2") == (first,)
    assert store.jobs.rows("j3") == ()


def test_the_newest_come_first_page_by_page(store: Store) -> None:
    times = {"a": NOW, "b": NOW + MINUTE, "c": NOW + MINUTE, "d": NOW - HOUR}
    for name, at in times.items():
        store.jobs.save(job(name, at=at, publisher="b.test" if name == "b" else ""))
    assert ids(store.jobs.newest()) == ["c", "b", "a", "d"]
    page = store.jobs.newest(limit=2)
    assert ids(page) == ["c", "b"]
    rest = store.jobs.newest(after=page.after, limit=2)
    assert (ids(rest), rest.after) == (["a", "d"], None)
    assert ids(store.jobs.newest(publisher="b.test")) == ["b"]


def test_the_oldest_are_forgotten_with_their_rows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_table, "_TOO_MANY", jobs_table._TOO_MANY.offset(2))
    row = JobRow(line=1, target="a.test", outcome="added")
    for number in range(4):
        store.jobs.save(job(f"j{number}", at=NOW + number * MINUTE), [row])
    assert ids(store.jobs.newest()) == ["j3", "j2"]
    assert store.jobs.rows("j0") == ()
