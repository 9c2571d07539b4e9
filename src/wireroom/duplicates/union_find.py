"""The connected parts of a graph, found edge by edge."""

from __future__ import annotations


class UnionFind:
    """Names that were joined, directly or over others, are in one part."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def join(self, item: str, other: str) -> None:
        """Puts two names, and all that were joined with them, in one part."""
        top, other_top = sorted((self._top(item), self._top(other)))
        self._above[other_top] = top

    def names(self) -> list[str]:
        """All names that were joined with any, themselves included."""
        return list(self._above)

    def all(self) -> list[tuple[str, ...]]:
        """The parts of two and more, each sorted, in the order of their first names."""
        parts: dict[str, list[str]] = {}
        for name in sorted(self._above):
            parts.setdefault(self._top(name), []).append(name)
        return [tuple(part) for part in parts.values() if len(part) > 1]

    def _top(self, name: str) -> str:
        """The root of a part; every name passed on the way points to it afterwards."""
        above = self._above.setdefault(name, name)
        while above != name:
            self._above[name] = higher = self._above[above]
            name, above = above, higher
        return name
