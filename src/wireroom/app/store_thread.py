"""The one writer: calls to the store, one after another, in a thread of their own.

While the disk is full or the server is away the clerk holds on to what it was given and tries again;
meanwhile nothing more is taken, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from wireroom.app.run.counts import RunCounts
from wireroom.app.wait import wait_for_event
from wireroom.errors import (
    DamagedStoreError,
    NewerSchemaError,
    QueryError,
    ReadOnlyStoreError,
    StoreError,
)
from wireroom.ports import Store

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_WAIT = 0.5  # seconds until a store that failed is tried again; doubled each time
LONGEST_WAIT = 15.0
HOPELESS = (ReadOnlyStoreError, DamagedStoreError, NewerSchemaError, QueryError)
PATIENCE = 5  # tries of a store that calls itself well and fails all the same


class StoreThread:
    """Does one thing after another, each to the end."""

    def __init__(self, store: Store, tally: RunCounts) -> None:
        self.store = store
        self._tally = tally
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._hurry = asyncio.Event()
        self._waiting = 0  # calls that the store could not take yet

    async def call(self, call: Callable[[], T]) -> T:
        """What the call gave; it is made again while the store cannot take it."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except HOPELESS:
            raise
        except StoreError as exc:
            first = exc
        self._waiting += 1
        try:
            return await self._again(call, first)
        finally:  # others may have been served meanwhile; only when nobody waits any more all is well
            self._waiting -= 1
            if not self._waiting:
                self._tally.paused = ""

    async def _again(self, call: Callable[[], T], problem: StoreError) -> T:
        """The same until the store can take it, or there is no hope."""
        loop = asyncio.get_running_loop()
        wait, tries = FIRST_WAIT, 1
        while True:
            well = await loop.run_in_executor(self._thread, self._is_well)
            if self._hurry.is_set() or (well and tries >= PATIENCE):
                raise problem
            self._note(problem.message)
            await self._rest(wait)
            wait = min(wait * 2, LONGEST_WAIT)
            try:
                return await loop.run_in_executor(self._thread, call)
            except HOPELESS:
                raise
            except StoreError as exc:
                tries, problem = tries + 1, exc

    def hurry(self) -> None:
        """The end is near: what cannot be saved now is given up."""
        self._hurry.set()

    def close(self) -> None:
        """Waits for what is being done."""
        self._thread.shutdown(wait=True)

    def _is_well(self) -> bool:
        try:
            return self.store.health().state == "ok"
        except StoreError:
            return False

    def _note(self, message: str) -> None:
        if self._tally.paused != message:
            log.warning("paused", extra={"why": message})
        self._tally.paused = message

    async def _rest(self, seconds: float) -> None:
        await wait_for_event(self._hurry, seconds)
