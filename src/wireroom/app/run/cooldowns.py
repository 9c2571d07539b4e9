"""How long hosts rest that are given back, so that manners hold from one process to the next.

Whoever takes such a host next has never asked it anything, and knows neither how long ago it was asked nor
what its server wants. So a host rests in the store for as long as it would have rested with us.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from wireroom.ports import Store

LONGEST = timedelta(hours=1)  # the store gives no longer lease; a server that wants more repeats it
ROUND_UP = timedelta(seconds=1)  # hosts whose rests differ by less are given back together
AWAITED = timedelta(
    seconds=65
)  # a run that is to end waits for pages behind the longest Crawl-delay

GivenBack: TypeAlias = Mapping[timedelta, Sequence[str]]
"""Hosts by how long they are to rest."""


class Cooldowns:
    """Gives hosts back. `of` is for the event loop, where the fetcher lives, the rest for the clerk."""

    def __init__(
        self,
        store: Store,
        holder: str,
        *,
        gap: timedelta,
        rest_of: Callable[[str], timedelta] | None = None,
    ) -> None:
        """`gap` is what every host gets at least, `rest_of` what one may have to be left alone for."""
        self._store = store
        self._holder = holder
        self._gap = gap
        self._rest_of = rest_of
        self.awaited: set[str] = set()
        """Hosts whose rests are longer than usual, and for which it is worth waiting all the same."""

    def of(self, hosts: Sequence[str]) -> GivenBack:
        """How long each of these hosts is to rest, counted from now."""
        alike: defaultdict[timedelta, list[str]] = defaultdict(list)
        for host in hosts:
            alike[self._rest(host)].append(host)
        self.awaited.update(
            host for rest, some in alike.items() if self._gap < rest <= AWAITED for host in some
        )
        return alike

    def give_back(self, resting: GivenBack, *, now: datetime) -> None:
        """Gives these hosts back."""
        for rest, hosts in resting.items():
            self._store.release(holder=self._holder, now=now, hosts=hosts, rest=rest)

    def give_back_all(self, resting: GivenBack, *, now: datetime) -> None:
        """Gives everything back: these hosts with their rests, and what else was ours."""
        self.give_back(resting, now=now)
        self._store.release(holder=self._holder, now=now)

    def next_awaited(self) -> datetime | None:
        """When the next page can be asked for on a host that is worth waiting for; None where there is none."""
        return self._store.next_due(leads_on=sorted(self.awaited)) if self.awaited else None

    def _rest(self, host: str) -> timedelta:
        rest = self._rest_of(host) if self._rest_of is not None else timedelta()
        if rest <= self._gap:
            return self._gap
        return min(-(-rest // ROUND_UP) * ROUND_UP, LONGEST)
