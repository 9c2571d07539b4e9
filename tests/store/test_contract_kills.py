"""A process that is killed while it follows leaves nothing half done: each step is there or is not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.parts import REPOSITORY
from tests.store.follower import BATCH, follow
from tests.store.samples import COURIER, article, feed
from wireroom.ports import Store
from wireroom.store import open_store
from wireroom.store.observations_table import KEPT_OBSERVATIONS

KILLS = 3


def kill_in_mid_work(url: str, batch: int, rng: random.Random) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.follower", url, str(batch)],
        cwd=REPOSITORY,
        env=os.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(rng.uniform(0.1, 0.8))
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()


def assert_whole(store: Store) -> int:
    """Whether all that hangs on articles agrees with them; how many batches were begun."""
    held = {article.id: article for article in store.articles()}
    removed = {article_id for _, article_id in store.removed_after()}
    saved = len(held) + len(removed)
    assert saved % BATCH == 0
    assert {changed_article.article.id for changed_article in store.changed_articles()} == set(held)
    assert removed.isdisjoint(held)
    counts = store.counts()
    assert counts["signatures"] == len(held)
    observed = len(store.observations(feed().url, limit=1000))
    # A poll forgets what is beyond the limit; one batch may have come since.
    assert min(saved, KEPT_OBSERVATIONS) <= observed <= min(saved, KEPT_OBSERVATIONS + BATCH)
    assert store.block_counts(COURIER) == (saved, {"share": saved} if saved > 1 else {})
    clusters = store.clusters_of(list(held))
    assert {cluster.id for cluster in clusters.values()} == {
        article.cluster_id for article in held.values() if article.cluster_id
    }
    assert all(set(cluster.members) <= set(held) for cluster in clusters.values())
    return saved // BATCH


@pytest.mark.long
def test_a_follower_killed_anywhere_leaves_whole_steps(shared_url: str) -> None:
    store = open_store(shared_url)
    rng = random.Random(11)
    begun = 0
    for _ in range(KILLS):
        kill_in_mid_work(shared_url, begun, rng)
        begun = assert_whole(store)
    assert begun > 0
    follow(store, begun)
    assert assert_whole(store) == begun + 1
    last = article(begun * BATCH)
    assert store.clusters_of([last.id])[last.id].members == (last.id, article(begun * BATCH + 2).id)
    store.close()
