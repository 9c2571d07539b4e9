"""Counts that take a while are kept for some seconds: a hundred readers of one query cost as much as one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import TypeVar

from wireroom.lru import LruCache

T = TypeVar("T")

KEPT_FOR = 30.0  # seconds; the articles of a page are never kept
MOST_KEPT = 256  # counts


class CountCache:
    """The last counts, each for some seconds."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._kept: LruCache[Hashable, tuple[float, object]] = LruCache(MOST_KEPT)
        self._lock = Lock()

    def get(self, key: Hashable, count: Callable[[], T]) -> T:
        """What was counted under this key a moment ago, else what is counted now; a key stands for one kind of count."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[0] > self._clock():
            return kept[1]  # type: ignore[return-value]
        found = count()
        with self._lock:
            self._kept[key] = (self._clock() + KEPT_FOR, found)
        return found
