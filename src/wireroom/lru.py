"""A bounded dictionary that forgets what was unused for the longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, ItemsView, ValuesView
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Keeps at most `size` values; reading or setting one marks it as used.

    Values are never None: that is the answer for a key that is not there.
    """

    __slots__ = ("_kept", "_size")

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("a cache keeps at least one value")
        self._size = size
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value, which counts as used now, or None."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def pop(self, key: K) -> V | None:
        """Takes the value out, if it is there."""
        return self._kept.pop(key, None)

    def clear(self) -> None:
        """Forgets everything."""
        self._kept.clear()

    def items(self) -> ItemsView[K, V]:
        """Keys and values, those unused for the longest first; nothing counts as used by this."""
        return self._kept.items()

    def values(self) -> ValuesView[V]:
        """The values, those unused for the longest first; nothing counts as used by this."""
        return self._kept.values()

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)
