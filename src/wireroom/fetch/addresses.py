"""At most so many requests in flight to one address: a CDN serves many hosts from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["AddressSlots"]


class AddressSlots:
    """A semaphore per address, kept only while somebody uses it."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._slots: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def slot(self, address: str) -> AsyncIterator[None]:
        """Waits until fewer than the limit are in flight to the address."""
        semaphore, users = self._slots.get(address) or (asyncio.Semaphore(self._each), 0)
        self._slots[address] = (semaphore, users + 1)
        try:
            async with semaphore:
                yield
        finally:
            semaphore, users = self._slots[address]
            if users == 1:
                del self._slots[address]
            else:
                self._slots[address] = (semaphore, users - 1)
