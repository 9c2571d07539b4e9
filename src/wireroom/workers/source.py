"""Where pieces of work come from, one at a time: an iterable, or an asynchronous one.

Nothing is taken before somebody asks, except that an asynchronous source is read a little ahead.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable, Iterator
from typing import Generic, TypeVar

Work = TypeVar("Work")

AHEAD = 16  # pieces read ahead from an asynchronous source


class Source(Generic[Work]):
    """Gives the next piece, in a list because it may be anything; an empty list when there is none."""

    def __init__(self, work: Iterable[Work] | AsyncIterable[Work]) -> None:
        self._plain: Iterator[Work] | None = None
        self._feeder: asyncio.Task[None] | None = None
        self._queue: asyncio.Queue[list[Work] | Exception] = asyncio.Queue(AHEAD)
        if isinstance(work, AsyncIterable):
            self._feeder = asyncio.create_task(self._read_ahead(work))
        else:
            self._plain = iter(work)

    async def take(self) -> list[Work]:
        """The next piece, waited for; none at the end."""
        return self._pull() if self._plain is not None else self._seen(await self._queue.get())

    def take_at_once(self) -> list[Work]:
        """The next piece if it is there; none otherwise."""
        if self._plain is not None:
            return self._pull()
        return [] if self._queue.empty() else self._seen(self._queue.get_nowait())

    async def close(self) -> None:
        """Stops reading ahead."""
        if self._feeder is not None:
            self._feeder.cancel()
            await asyncio.gather(self._feeder, return_exceptions=True)

    def _pull(self) -> list[Work]:
        assert self._plain is not None  # noqa: S101 - both callers have looked
        for work in self._plain:
            return [work]
        return []

    def _seen(self, got: list[Work] | Exception) -> list[Work]:
        if isinstance(got, Exception):
            raise got
        if not got:
            self._queue.put_nowait(got)  # the end is there for everybody who asks
        return got

    async def _read_ahead(self, work: AsyncIterable[Work]) -> None:
        try:
            async for each in work:
                await self._queue.put([each])
        except Exception as exc:  # noqa: BLE001 - raised again where pieces are taken
            await self._queue.put(exc)
        else:
            await self._queue.put([])
