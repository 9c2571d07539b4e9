"""What is done beside following, again and again: grouping, looking at publishers anew, forgetting.

None of it is in a hurry, and each is done through the clerk, between two savings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from wireroom.app.cluster import forget_old, group_some
from wireroom.app.run.contexts import PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.run_options import RunOptions
from wireroom.app.store_thread import StoreThread

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.robots_buffer import RobotsBuffer

GROUP_EVERY = 1.0  # seconds between two rounds of grouping
SCOUT_EVERY = 60.0  # seconds between two looks for dossiers that are due
TIDY_EVERY = 3600.0  # seconds between two looks for raw pages whose time is over
SCOUTS = 4  # publishers looked at again at once


class BackgroundTasks:
    """The chores of one cycle."""

    def __init__(
        self,
        app: App,
        clerk: StoreThread,
        known: PublisherContexts,
        options: RunOptions,
        tally: RunCounts,
        *,
        holder: str,
        shelf: RobotsBuffer | None,
    ) -> None:
        self._app = app
        self._thread = clerk
        self._known = known
        self._options = options
        self._tally = tally
        self._holder = holder
        self._shelf = shelf

    def all(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """Each chore, to be run until it is cancelled."""
        return self._group(), self._scout_again(), self._tidy()

    async def group_all(self) -> None:
        """Groups the articles that wait for it."""
        options = self._options.group
        if options is None:
            return
        store, clock = self._app.store, self._app.clock
        some = partial(group_some, store, options, holder=self._holder, clock=clock)
        while True:
            done, made, changed = await self._thread.call(some)
            self._tally.clusters.update(made=made, changed=changed)
            if not done:
                return

    async def scout_due(self) -> bool:
        """Looks at some publishers whose dossiers are due; whether there were any."""
        if not self._known.scouts:
            return False
        now = self._app.clock()
        due = await self._thread.call(lambda: self._app.store.due_publishers(now=now, limit=SCOUTS))
        await asyncio.gather(*(self._known.refresh(publisher) for publisher in due))
        return bool(due)

    async def keep_robots_files(self) -> None:
        """Saves the robots.txt files that were fetched since the last time."""
        if self._shelf is not None:
            await self._thread.call(self._shelf.flush)

    async def _group(self) -> None:
        while True:
            await asyncio.sleep(GROUP_EVERY)
            await self.group_all()

    async def _scout_again(self) -> None:
        if not self._known.scouts:
            return
        while True:
            if not await self.scout_due():
                await asyncio.sleep(SCOUT_EVERY)

    async def _tidy(self) -> None:
        """Forgets raw pages and signatures whose time is over, now and every hour."""
        group = self._options.group
        while True:
            before = self._app.clock() - self._app.settings.store.raw_kept_for
            await self._thread.call(partial(self._app.store.drop_raw_pages, before=before))
            if group is not None:
                await forget_old(self._thread.call, self._app.store, group, clock=self._app.clock)
            await asyncio.sleep(TIDY_EVERY)
