"""What was asked of the town, for tests that look at manners.

Written by the server, read by tests in another thread. Bounded: the oldest requests are forgotten.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from threading import Lock

MAX_SEEN = 20_000  # about 30 MB with headers; a test that needs more looks at the counts


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request as it arrived."""

    at: float
    """Seconds of the monotonic clock."""
    host: str
    """The publisher's name, whatever address was used."""
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    """Case-insensitive."""
    in_flight: int
    """How many requests to this host were under way, this one included."""


class RequestLog:
    """The requests of a running town, in order."""

    def __init__(self, size: int = MAX_SEEN) -> None:
        self._seen: deque[LoggedRequest] = deque(maxlen=size)
        self._lock = Lock()
        self._in_flight: Counter[str] = Counter()
        self._most: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._seen)

    def __iter__(self) -> Iterator[LoggedRequest]:
        with self._lock:
            return iter(tuple(self._seen))

    def arrive(self, host: str) -> int:
        """Counts a request in; how many are now under way on the host."""
        with self._lock:
            self._counts[host] += 1
            self._in_flight[host] += 1
            now = self._in_flight[host]
            self._most[host] = max(self._most[host], now)
            return now

    def add(self, seen: LoggedRequest) -> None:
        """Keeps what was asked."""
        with self._lock:
            self._seen.append(seen)

    def leave(self, host: str) -> None:
        """Counts a request out, answered or not."""
        with self._lock:
            self._in_flight[host] -= 1

    def requests_to(self, host: str, path: str | None = None) -> tuple[LoggedRequest, ...]:
        """The requests to this host, or to one path of it, in order."""
        return tuple(
            seen for seen in self if seen.host == host and (path is None or seen.path == path)
        )

    def count(self, host: str | None = None) -> int:
        """How many requests came, to this host or to all; forgotten ones included."""
        with self._lock:
            return self._counts.total() if host is None else self._counts[host]

    def max_in_flight(self, host: str) -> int:
        """The most requests that were ever under way on the host at once."""
        with self._lock:
            return self._most[host]

    def gaps(self, host: str) -> tuple[timedelta, ...]:
        """The time between the arrivals of each two requests to the host that followed one another."""
        times = [seen.at for seen in self.requests_to(host)]
        return tuple(timedelta(seconds=after - before) for before, after in pairwise(times))

    def clear(self) -> None:
        """Forgets everything but what is under way."""
        with self._lock:
            self._seen.clear()
            self._counts.clear()
            self._most.clear()
