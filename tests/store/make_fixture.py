"""Writes `fixtures/vNNNN.sql`: what a store of the present schema looks like, as SQL.

Run once for each released schema (`python -m tests.store.make_fixture`) and committed; the tests
then open it with every later program.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.holding import save_feeds, save_polled, save_problems
from tests.store.samples import (
    COURIER,
    HOUR,
    LEASE,
    NOW,
    article,
    feed,
    finding,
    item,
    lead,
    polled,
    publisher,
    reading,
    verdict,
)
from wireroom.model import (
    Boilerplate,
    Cluster,
    Dossier,
    Event,
    Observation,
    Problem,
    RawPage,
    Signature,
)
from wireroom.ports import JobRecord, JobRow, RunRecord, Store
from wireroom.store import open_store
from wireroom.store.migrations import REVISIONS

FIXTURES = Path(__file__).parent / "fixtures"


def fill(store: Store) -> None:
    """Puts one of everything into the store."""
    found = Dossier(
        publisher=publisher(), findings=(finding(),), rights=(verdict(),), scouted_at=NOW
    )
    store.save_dossier(found)
    save_feeds(store, [feed(), feed("https://bote.test/rss", poll_after=NOW + HOUR)], now=NOW)
    observation = Observation(feed_url=feed().url, about="availability", value=1.0, at=NOW)
    answer = replace(polled([item(1), item(2)]), observations=(observation,))
    save_polled(store, feed(), answer, now=NOW)
    store.take_leads(holder="app", now=NOW, limit=1, lease=LEASE)
    page = RawPage(body=b"<p>ship</p>", content_type="text/html")
    blocks = ("5ha2e", "3e9u")
    outcomes = [reading(article(1, raw=page), blocks=blocks), reading(article(2), blocks=blocks)]
    store.save_readings(outcomes, now=NOW)
    store.save_boilerplate(
        Boilerplate(publisher=COURIER, boilerplate=blocks, learnt_at=NOW), fade=False
    )
    edited = article(1, text="Edited.", canonical_url="https://courier.test/1", raw=page)
    store.save_readings([reading(edited)], now=NOW)
    store.save_leads([lead(3, state="retry", read_after=NOW + HOUR)], now=NOW)
    store.save_signatures(
        [Signature(article_id=article(1).id, bands=(1, 2), minhash=b"\x00\xff", seen_at=NOW)]
    )
    store.save_clusters([Cluster(id="c1", members=(article(1).id,), made_at=NOW)])
    save_problems(store, [Problem(kind="dns", message="no such name", at=NOW)])
    store.queue.save_run(RunRecord(holder="run-7", began_at=NOW, seen_at=NOW))
    job = JobRecord(id="j1", kind="list", target="a.csv", begun_at=NOW, seen_at=NOW, rows=2)
    store.jobs.save(job, [JobRow(line=2, target="courier.test", outcome="added", feeds=2)])
    store.emit([Event(kind="polled", subject="courier.test", at=NOW, data={"new": 2})])


def dump(file: Path) -> str:
    """The database as SQL; the full-text index is left empty, for it is made anew when opened."""
    with closing(sqlite3.connect(file)) as conn:
        (index,) = conn.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'article_words'"
        ).fetchone()
        conn.execute("DROP TABLE article_words")
        conn.execute("DELETE FROM meta WHERE name = 'words'")
        return "\n".join([*conn.iterdump(), f"{index.strip()};", ""])


def main() -> None:
    """Writes the fixture of the present schema."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wireroom.db"
        store = open_store(f"sqlite:///{file}")
        fill(store)
        store.close()
        FIXTURES.mkdir(exist_ok=True)
        (FIXTURES / f"v{REVISIONS[-1]}.sql").write_text(dump(file), encoding="utf-8")


if __name__ == "__main__":
    main()
