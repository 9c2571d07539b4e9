"""Calls to the store: made directly, or one after another in a thread of their own.

A run must not wait for locks on its event loop, so it has a `StoreThread`. While the disk is full or the server is
away the thread keeps what it was given and tries again; meanwhile nothing more is taken, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from wireroom.app.concurrency import wait_for_event
from wireroom.errors import (
    DamagedStoreError,
    NewerSchemaError,
    QueryError,
    ReadOnlyStoreError,
    SlowQueryError,
    StoreError,
)
from wireroom.ports import Store

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_WAIT = 0.5  # seconds until a store that failed is tried again; doubled each time
LONGEST_WAIT = 15.0
HOPELESS = (ReadOnlyStoreError, DamagedStoreError, NewerSchemaError, QueryError, SlowQueryError)
MAX_TRIES = 5  # of a store that reports to be well and fails all the same


class StoreExecutor(Protocol):
    """Makes a call to the store: directly, or in a thread that waits for others' locks instead of us."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]:
        """What the call gives."""
        ...


async def call_directly(call: Callable[[], T]) -> T:
    """What the call gives, made here and now: for whoever has nothing else to do."""
    return call()


class StoreThread:
    """Makes one call after another, each to the end."""

    def __init__(self, store: Store, note_pause: Callable[[str], None]) -> None:
        """`note_pause` is given the reason why nothing can be saved, and an empty one when all is well again."""
        self.store = store
        self._note_pause = note_pause
        self._paused = ""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._giving_up = asyncio.Event()
        self._waiting = 0  # calls that the store could not take yet
        self._closed = False

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
                self._pause("")

    async def _again(self, call: Callable[[], T], problem: StoreError) -> T:
        """The same until the store can take it, or there is no hope."""
        loop = asyncio.get_running_loop()
        wait, tries = FIRST_WAIT, 1
        while True:
            well = await loop.run_in_executor(self._thread, self._is_well)
            if self._giving_up.is_set() or (well and tries >= MAX_TRIES):
                raise problem
            self._pause(problem.message)
            await wait_for_event(self._giving_up, wait)
            wait = min(wait * 2, LONGEST_WAIT)
            try:
                return await loop.run_in_executor(self._thread, call)
            except HOPELESS:
                raise
            except StoreError as exc:
                tries, problem = tries + 1, exc

    def give_up_soon(self, *, fail_fast: bool) -> None:
        """The end is near: what cannot be saved now is given up; with `fail_fast` nobody waits for locks either."""
        if not self._closed:
            self._giving_up.set()
            self.store.set_fail_fast(fail_fast)

    def close(self) -> None:
        """Waits for what is being done."""
        self._thread.shutdown(wait=True)
        self._closed = True
        self.store.set_fail_fast(False)

    def _is_well(self) -> bool:
        try:
            return self.store.health().state == "ok"
        except StoreError:
            return False

    def _pause(self, message: str) -> None:
        if message and self._paused != message:
            log.warning("paused", extra={"why": message})
        self._paused = message
        self._note_pause(message)
