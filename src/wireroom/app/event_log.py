"""What happened, as it is written down: events in order, from the first or from a number on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wireroom.model import Event
from wireroom.ports import Store

PAGE = 1000  # events read at a time
COUNTS_SAVED = "counts_saved"
"""The event after which the counts of a run are as they were a moment ago."""


def events_after(store: Store, after: int) -> Iterator[Event]:
    """Those with a higher number, in order, those that come meanwhile too."""
    while page := store.events(after=after, limit=PAGE):
        yield from page
        after = page[-1].seq


def number_before_last(store: Store, count: int) -> int:
    """A number that is at most that of the newest of so many events; 0 when there are none."""
    first = store.events(limit=1)
    return max(0, first[0].seq + count - 1) if first else 0  # numbers only grow


class EventFollower:
    """Gives on every event that is written from now on, by whichever process, each once and in order."""

    def __init__(self, store: Store, on_event: Callable[[Event], object]) -> None:
        self._store = store
        self._on_event = on_event
        self._after = last_event_number(store)

    @property
    def last(self) -> int:
        """The number of the last event that was read."""
        return self._after

    def read(self) -> list[Event]:
        """Those that were written since they were read last; may be called in a thread."""
        events = list(events_after(self._store, self._after))
        if events:
            self._after = events[-1].seq
        return events

    def deliver(self, events: list[Event]) -> None:
        """Gives them on; what the other side raises is raised."""
        for event in events:
            self._on_event(event)


def last_event_number(store: Store) -> int:
    """The number of the newest event; 0 when there is none."""
    return store.overview.last_event()
