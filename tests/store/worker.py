"""What a second process does to a store; run in processes of their own by the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.synchronize import Barrier
from typing import Any

from tests.holding import save_feeds, save_polled, save_problems
from tests.store.samples import (
    COURIER,
    DAY,
    HOUR,
    NOW,
    article,
    feed,
    finding,
    item,
    lead,
    polled,
    publisher,
    reading,
)
from wireroom.model import (
    Boilerplate,
    Cluster,
    Dossier,
    Event,
    Observation,
    Problem,
    RawPage,
    Reading,
    Signature,
)
from wireroom.ports import RobotsFile, Store
from wireroom.store import open_store

ROUNDS = 8
LONG_LEASE = timedelta(minutes=30)

Job = Callable[[Store, int], Any]


# The server that forks has no store open and no threads; it loads once what each would load anew.
_START = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
_LOADED = [
    __name__,
    "wireroom.store.sqlite.sqlite_database",
    "alembic.command",
    "alembic.runtime.environment",
]


def run_together(job: Job, url: str, *, processes: int = 2) -> list[Any]:
    """What the job returns in each of several processes that start it at the same moment."""
    context = get_context(_START)
    if _START == "forkserver":
        context.set_forkserver_preload(_LOADED)
    barrier = context.Barrier(processes)
    with context.Pool(processes, initializer=_remember, initargs=(barrier,)) as pool:
        waiting = [pool.apply_async(_run, (job, url, number)) for number in range(processes)]
        return [apply_result.get(timeout=100) for apply_result in waiting]


_barrier: Barrier | None = None


def _remember(barrier: Barrier) -> None:
    global _barrier  # noqa: PLW0603 - a barrier can only be handed over when a process starts
    _barrier = barrier


def _run(job: Job, url: str, number: int) -> Any:
    assert _barrier is not None
    _barrier.wait(timeout=60)
    store = open_store(url)
    try:
        return job(store, number)
    finally:
        store.close()


def open_only(store: Store, number: int) -> dict[str, int]:
    """Opens the store, which may have to be made first."""
    return dict(store.counts())


def save_everything(store: Store, number: int) -> None:
    """Saves the same things as every other process does, over and over."""
    for n in range(ROUNDS):
        store.save_publisher(publisher())
        store.save_robots_files(
            [RobotsFile(origin=f"https://{COURIER}", found=True, body=b"%d" % n, asked_at=NOW)]
        )
        save_feeds(store, [feed(), feed(f"https://courier.test/rss-{n}")], now=NOW)
        store.save_dossier(Dossier(publisher=publisher(), findings=(finding(),), scouted_at=NOW))
        save_polled(store, feed(), polled([item(index) for index in range(n)]), now=NOW)
        store.save_leads([lead(index) for index in range(100, 100 + n)], now=NOW)
        page = RawPage(body=b"page")
        outcomes = [reading(article(index, raw=page)) for index in range(n)]
        store.save_readings(outcomes, now=NOW)
        edited = article(0, text=f"Edit {n}", fetched_at=NOW + n * HOUR)
        store.save_readings([reading(edited)], now=NOW)
        bands = (n, n + 1)
        store.save_signatures(
            [Signature(article_id=f"a{n}", bands=bands, minhash=b"x", seen_at=NOW)]
        )
        pair = (article(0).id, article(1).id)
        store.save_clusters([Cluster(id="c", members=pair, made_at=NOW)])


def follow_everything(store: Store, number: int) -> None:
    """Saves, groups, reduces and removes the same things as every other process does."""
    for n in range(ROUNDS):
        seen = NOW + n * HOUR
        observation = Observation(feed_url=feed().url, about="quality", value=1.0, at=seen)
        outcomes = [signed(index, observations=(observation,)) for index in range(n + 2)]
        store.save_readings(outcomes, now=seen)
        ids = [article(index).id for index in range(n + 2)]
        canonicals = {"en": ids[0]}
        store.save_clusters(
            [Cluster(id="c", members=tuple(ids), canonicals=canonicals, made_at=seen)],
            clustered=ids,
            observations=dict.fromkeys(ids[1:], observation),
        )
        store.save_boilerplate(Boilerplate(publisher=COURIER, pages=n, learnt_at=seen), fade=True)
        store.retry_leads(now=seen, publisher=COURIER)
        store.drop_raw_pages(before=seen)
        store.drop_old_signatures(now=seen, window=timedelta(), limit=9)
        store.receipts.save_exported(
            "cursor", [done.article for done in outcomes if done.article], now=seen
        )
        store.receipts.forget_exported("cursor", ids[:1])
        store.receipts.forget_original(ids[-1:])
        store.reduce_articles([article(n, text="", text_hash="")], now=seen)
        store.remove_articles([article(1000 * number + n).id], reason="asked for", now=seen)


def signed(number: int, **changes: Any) -> Reading:
    """A reading with all that comes with it."""
    held = article(number, raw=RawPage(body=b"page"), feed_url=feed().url)
    sign = Signature(
        article_id=held.id, bands=(1, number), minhash=b"x", language="en", seen_at=NOW
    )
    return reading(held, signature=sign, blocks=("share", f"block-{number}"), **changes)


def forget_things(store: Store, number: int) -> tuple[int, int]:
    """Adds, moves and removes a feed and forgets raw pages; feeds removed and pages dropped."""
    removed = dropped = 0
    moved = feed("https://courier.test/moved")
    for n in range(ROUNDS):
        store.save_feed_changes([(None, feed())], events=[], now=NOW)
        save_polled(store, feed(), polled([item(n)]), now=NOW)
        store.save_feed_changes([(feed(), moved)], events=[], now=NOW)
        page = article(number * ROUNDS + n, raw=RawPage(body=b"page"))
        store.save_readings([reading(page)], now=NOW)
        removed += store.remove_feed(moved.url)
        dropped += store.drop_raw_pages(before=NOW + 30 * DAY)
    return removed, dropped


def log_things(store: Store, number: int) -> list[int]:
    """Emits events and problems of this process; the numbers given to the events."""
    given = []
    for n in range(ROUNDS * 4):
        event = Event(kind="tick", subject=f"{number}", at=NOW, data={"n": n})
        given.append(store.emit([event, event]))
        problem = Problem(kind="dns", message=f"{number} {n}", subject_url=COURIER, at=NOW)
        save_problems(store, [problem])
    return given


def work_through_leads(store: Store, number: int) -> list[tuple[str, int]]:
    """Takes leads and reads them until none are left; (host, turn) of all that was given."""
    holder, given = f"process-{number}", []
    for turn in range(200):
        taken = store.take_leads(holder=holder, now=NOW, limit=7, lease=LONG_LEASE, per_host=3)
        if not taken:
            break
        given += [(lead.url, turn) for lead in taken]
        done = [replace(lead, state="read", attempts=1) for lead in taken]
        outcomes = [
            replace(reading(article(0, lead.publisher, url=lead.url)), lead=lead) for lead in done
        ]
        store.save_readings(outcomes, now=NOW)
    return given


def take_hosts(store: Store, number: int) -> list[str]:
    """Tries to lease every host for itself; those it got."""
    holder = f"process-{number}"
    hosts = [f"host-{n}.test" for n in range(30)]
    return [
        host for host in hosts if store.take_host(host, holder=holder, now=NOW, lease=LONG_LEASE)
    ]


def take_and_release(store: Store, number: int) -> list[str]:
    """Takes feeds and gives half of them back, over and over; the feeds polled."""
    holder, polled_urls = f"process-{number}", []
    for _ in range(200):
        taken = store.take_feeds(holder=holder, now=NOW, limit=2, lease=LONG_LEASE)
        if not taken:
            break
        first = taken[0]
        later = replace(first, poll_after=NOW + HOUR)
        store.save_polls([(later, polled([], first.url))], now=NOW)
        polled_urls.append(first.url)
        store.renew(holder=holder, now=NOW, lease=LONG_LEASE)
        store.wake_untimed(now=NOW)
        store.release(holder=holder, now=NOW)
    return polled_urls
