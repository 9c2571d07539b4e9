"""robots.txt files between fetcher and store: read at once, written together and never in anybody's way."""

from __future__ import annotations

from wireroom.ports import RobotsFile, Store


class RobotsBuffer:
    """A `RobotsStore` on a store; what it was given waits for `flush`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[str, RobotsFile] = {}

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin."""
        return self._waiting.get(origin) or self._store.robots_file(origin)

    def save_robots_file(self, file: RobotsFile) -> None:
        """Takes it, to be written later."""
        self._waiting[file.origin] = file

    def flush(self) -> None:
        """Writes what waits; a file that comes meanwhile waits for the next time."""
        files = list(self._waiting.values())
        if files:
            self._store.save_robots_files(files)
        for file in files:
            if self._waiting.get(file.origin) is file:
                del self._waiting[file.origin]
