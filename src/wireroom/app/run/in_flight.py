"""What is in hand: which hosts are at work, and which can be given back."""

from __future__ import annotations

import asyncio
from collections import Counter

from wireroom.app.wait import wait_for_event


class InFlight:
    """Counts errands by host, and wakes whoever waits for one to end."""

    def __init__(self, hosts: Counter[str]) -> None:
        self._hosts = hosts
        self._idle: set[str] = set()
        self._ended = asyncio.Event()

    def __contains__(self, host: str) -> bool:
        return host in self._hosts

    def __len__(self) -> int:
        return self._hosts.total()

    def take(self, host: str) -> None:
        """An errand begins."""
        self._hosts[host] += 1
        self._idle.discard(host)

    def drop(self, host: str) -> None:
        """An errand is over."""
        self._hosts[host] -= 1
        if self._hosts[host] <= 0:
            del self._hosts[host]
            self._idle.add(host)
        self._ended.set()

    def give_back(self) -> list[str]:
        """The hosts that nobody is at any more, each named once."""
        idle, self._idle = sorted(self._idle), set()
        return idle

    def hosts(self) -> list[str]:
        """The hosts that somebody is at."""
        return sorted(self._hosts)

    def with_many(self, most: int) -> frozenset[str]:
        """The hosts at which so much is under way, or more."""
        return frozenset(host for host, count in self._hosts.items() if count >= most)

    async def changed(self, seconds: float) -> None:
        """Waits until an errand ends, for so long at most."""
        self._ended.clear()
        await wait_for_event(self._ended, seconds)
