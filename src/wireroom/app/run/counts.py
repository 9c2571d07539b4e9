"""What a run has done so far: counts for whoever watches it. Decides nothing, prints nothing."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from time import monotonic
from typing import Any

from wireroom.model import Polled, Reading, Request, Response
from wireroom.poll.reliability import UNREADABLE
from wireroom.ports import Fetch, PollCount, Saved

RATE_OVER = 10.0  # seconds over which a rate is taken: changes show, and it can still be read
MAX_TICKS = 4096  # moments kept for the rate


@dataclass(slots=True)
class RunCounts:
    """Counts of one run, from its beginning."""

    polls: Counter[str] = field(default_factory=Counter)
    """By result: items, same, moved, gone, failed, spared."""
    items: Counter[str] = field(default_factory=Counter)
    """By what became of them: new, changed, known."""
    without: Counter[str] = field(default_factory=Counter)
    """What gave no article because there is none: new items that name no page (page), pages and items that hold no
    text or are no article (article)."""
    leads: Counter[str] = field(default_factory=Counter)
    """By the state they ended in: read, duplicate, refused, retry, failed."""
    articles: Counter[str] = field(default_factory=Counter)
    """By what became of them: new, changed, same."""
    problems: Counter[str] = field(default_factory=Counter)
    """By kind."""
    clusters: Counter[str] = field(default_factory=Counter)
    """Clusters of near-duplicates, by what became of them: made, changed (each time that one was)."""
    unreadable: int = 0
    """Pages that were fetched, held no article that could be read, and were given up."""
    scouted: int = 0
    requests: int = 0
    received: int = 0
    """Bytes of the answers, decoded."""
    waiting: Counter[str] = field(default_factory=Counter)
    """What is in flight now, by stage: scout, fetch, read, save."""
    hosts: Counter[str] = field(default_factory=Counter)
    """What is in flight now, by host."""
    paused: str = ""
    """Why nothing can be saved at the moment."""
    began: float = field(default_factory=monotonic)
    _ticks: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=MAX_TICKS))

    def polled(self, polled: Polled, count: PollCount) -> None:
        """A poll was saved."""
        self.polls[polled.result] += 1
        self.items.update({"new": count.new, "changed": count.changed, "known": count.known})
        self.without["page"] += count.no_page
        if polled.problem is not None:
            self.problems[polled.problem.kind] += 1

    def read(self, reading: Reading, saved: Saved) -> None:
        """A reading was saved."""
        state = saved.lead_after(reading).state
        self.leads[state] += 1
        if saved.outcome != "none":
            self.articles[saved.outcome] += 1
            self._ticks.append((monotonic(), 1))
        if reading.problem is not None:
            is_first = reading.lead.attempts <= 1  # it is tried again, and is one page all the same
            self.without["article"] += is_first and reading.problem.kind == "no_article"
            self.problems[reading.problem.kind] += 1
            self.unreadable += state == "failed" and reading.problem.kind in UNREADABLE

    def note_pause(self, reason: str) -> None:
        """Nothing can be saved, for this reason; an empty one says that all is well again."""
        self.paused = reason

    def watched(self, fetch: Fetch) -> Fetch:
        """The same, with its requests counted."""

        async def asked(request: Request) -> Response:
            self.requests += 1
            try:
                response = await fetch(request)
            except asyncio.CancelledError:
                self.requests -= 1  # it is given back, and mostly still waited for its turn
                raise
            self.received += len(response.body)
            return response

        return asked

    @property
    def took(self) -> timedelta:
        """Since the beginning."""
        return timedelta(seconds=monotonic() - self.began)

    @property
    def did_nothing(self) -> bool:
        """Whether no feed was asked, no page read and nobody scouted."""
        return not (self.polls or self.leads or self.scouted)

    def rate(self) -> float:
        """Articles a second, over the last moments."""
        now = monotonic()
        span = min(RATE_OVER, max(now - self.began, 1e-3))
        return sum(count for at, count in self._ticks if at > now - span) / span

    def without_ticks(self) -> RunCounts:
        """A copy that can travel."""
        return replace(self, _ticks=deque())

    def become_sum(self, parts: Iterable[RunCounts]) -> None:
        """Takes the sum of the counts of several runs, as they stand now."""
        parts, before = tuple(parts), self.articles.total()
        for each in fields(self):
            if isinstance(getattr(self, each.name), Counter):
                counts: Counter[str] = sum((getattr(part, each.name) for part in parts), Counter())
                setattr(self, each.name, counts)
        for name in ("unreadable", "scouted", "requests", "received"):
            setattr(self, name, sum(getattr(part, name) for part in parts))
        self.paused = next((part.paused for part in parts if part.paused), "")
        if (gained := self.articles.total() - before) > 0:
            self._ticks.append((monotonic(), gained))

    def tallies(self) -> dict[str, int]:
        """What became of pages, as numbers that can be added up over runs: see `app.run_overview.PageFunnel`."""
        found = self.items["new"] + self.items["changed"] - self.without["page"]
        return {
            "found": max(0, found),
            **{f"lead_{state}": count for state, count in self.leads.items()},
            "unreadable": self.unreadable,
            **{f"article_{outcome}": count for outcome, count in self.articles.items()},
            "polls": self.polls.total(),
            "requests": self.requests,
            "received": self.received,
            "scouted": self.scouted,
        }

    def as_facts(self) -> dict[str, Any]:
        """The counts as plain data, for a summary."""
        return {
            "took": round(self.took.total_seconds(), 3),
            "polls": dict(self.polls),
            "items": {name: count for name, count in self.items.items() if count},
            "without": {name: count for name, count in self.without.items() if count},
            "leads": dict(self.leads),
            "articles": dict(self.articles),
            "clusters": {name: count for name, count in self.clusters.items() if count},
            "scouted": self.scouted,
            "requests": self.requests,
            "received": self.received,
            "problems": dict(self.problems),
            "tallies": self.tallies(),
        }
