"""What is done beside due work, again and again: clustering, tidying, saving robots.txt files.

None of it is urgent, and each is done through the store's thread, between two savings.
"""

from __future__ import annotations

import asyncio
from functools import partial

from wireroom.app.cluster_round import cluster_round, forget_old
from wireroom.app.run.due_work import WorkContext

CLUSTER_EVERY = 1.0  # seconds between two rounds of clustering
TIDY_EVERY = 3600.0  # seconds between two looks for raw pages whose time is over


async def cluster_again(work: WorkContext) -> None:
    """Clusters what waits, every second."""
    while True:
        await asyncio.sleep(CLUSTER_EVERY)
        await cluster_all(work)


async def cluster_all(work: WorkContext) -> None:
    """Clusters the articles that wait for it."""
    options = work.options.group
    if options is None:
        return
    app, holder = work.app, work.leases.holder
    some = partial(cluster_round, app.store, options, holder=holder, clock=app.clock)
    while True:
        done, made, changed = await work.thread.call(some)
        work.counts.clusters.update(made=made, changed=changed)
        if not done:
            return


async def tidy_again(work: WorkContext) -> None:
    """Forgets raw pages and signatures whose time is over, now and every hour."""
    app, group = work.app, work.options.group
    while True:
        before = app.clock() - app.settings.store.raw_kept_for
        await work.thread.call(partial(app.store.drop_raw_pages, before=before))
        if group is not None:
            await forget_old(work.thread.call, app.store, group, clock=app.clock)
        await asyncio.sleep(TIDY_EVERY)


async def save_robots_files(work: WorkContext) -> None:
    """Saves the robots.txt files that were fetched since the last time."""
    if work.network.robots is not None:
        await work.thread.call(work.network.robots.flush)
