"""What a scout asks for next, given the requests and the time that it has left.

Pure: the time comes in as seconds of a monotonic clock. What is announced is asked for before what is guessed, and
requests and time are kept for documents that are expected and more important than those that wait: a guess must not
take the article's place. What there is no room for is refused at once where other steps may wait for the answer, and
at the end of the time in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Final, Literal

from wireroom.model import Priority

MAX_REQUESTS: Final = 30  # the burst that manners allow a scout; a card needs about 20
IN_FLIGHT: Final = 4  # requests to one host at a time, as manners have it
PATIENT: Final = Priority.ARTICLE
"""The last priority that waits for room: whoever asks for more, or guesses, has steps waiting for its answer."""

Lack = Literal["scout_time", "scout_requests"]
GapOf = Callable[[str], float]
"""Seconds that must lie between two requests of a scout to this host; 0 while it may send several at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One document that somebody waits for."""

    number: int
    """In which order they came."""
    host: str
    priority: Priority

    @property
    def rank(self) -> tuple[Priority, int]:
        """The lowest goes first."""
        return self.priority, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Which of those that wait are sent now, which never will be, and when to decide again."""

    send: tuple[Ask, ...] = ()
    refuse: tuple[tuple[Ask, Lack], ...] = ()
    again_at: float = inf
    """When a host comes due or the time is over; sooner when something else happens."""


@dataclass(slots=True)
class _HostPace:
    """What is known of one host."""

    in_flight: int = 0
    ended_at: float = -inf
    answers: int = 0
    took: float = 0.0
    """Seconds that all answers took together."""

    @property
    def usual(self) -> float:
        """Seconds that an answer takes."""
        return self.took / self.answers if self.answers else 0.0


@dataclass(slots=True)
class RequestPlan:
    """The requests of one scout."""

    ends_at: float
    left: int = MAX_REQUESTS
    site: str = ""
    """The publisher's host: that of what is expected."""
    _waiting: dict[int, Ask] = field(default_factory=dict)
    _hosts: dict[str, _HostPace] = field(default_factory=dict)
    _expected: dict[str, Counter[Priority]] = field(default_factory=dict)
    """What steps that are not done will ask for, by the name of the step."""
    _all_expected: Counter[Priority] = field(default_factory=Counter)
    _asked: Counter[Priority] = field(default_factory=Counter)
    _number: int = 0

    def expect(self, step: str, priorities: Iterable[Priority]) -> None:
        """The step will ask for these unless it ends before."""
        self._expected[step] = Counter(priorities)
        self._all_expected.update(self._expected[step])

    def end_step(self, step: str) -> None:
        """The step asks for nothing more."""
        self._expected.pop(step, None)

    def put(self, host: str, priority: Priority) -> Ask:
        """Somebody wants a document."""
        self._number += 1
        ask = Ask(number=self._number, host=host, priority=priority)
        self._waiting[ask.number] = ask
        self._asked[priority] += 1
        return ask

    def spend(self) -> bool:
        """Takes one request for something that waits for no turn; False when none is left."""
        self.left -= 1
        return self.left >= 0

    def withdraw(self, ask: Ask) -> None:
        """Nobody wants it any more."""
        self._waiting.pop(ask.number, None)

    def answered(self, ask: Ask, *, now: float, took: float, requests: int = 1) -> None:
        """A request is over; one that was redirected on the way was several."""
        pace = self._hosts[ask.host]
        pace.in_flight -= 1
        pace.ended_at = now
        pace.answers += 1
        pace.took += took
        self.left -= requests - 1

    def decide(self, now: float, gap_of: GapOf) -> Decision:
        """What becomes of those that wait; whoever is sent or refused waits no longer."""
        send: list[Ask] = []
        refuse: list[tuple[Ask, Lack]] = []
        again_at = self.ends_at
        ahead: list[Ask] = []
        for ask in sorted(self._waiting.values(), key=lambda ask: ask.rank):
            pace = self._hosts.setdefault(ask.host, _HostPace())
            gap = gap_of(ask.host)
            lack = self._lack(ask, pace, gap, now, ahead)
            if lack is not None and (self._is_over(lack, pace, gap, now) or ask.priority > PATIENT):
                refuse.append((ask, lack))
                continue
            due_at = now if gap == 0 else pace.ended_at + gap
            if lack is None and pace.in_flight < _lanes(gap) and due_at <= now:
                pace.in_flight += 1
                self.left -= 1
                send.append(ask)
                continue
            if pace.in_flight < _lanes(gap) and due_at > now:
                again_at = min(again_at, due_at)
            ahead.append(ask)
        for ask in (*send, *(ask for ask, _ in refuse)):
            del self._waiting[ask.number]
        return Decision(send=tuple(send), refuse=tuple(refuse), again_at=again_at)

    def _lack(
        self, ask: Ask, pace: _HostPace, gap: float, now: float, ahead: list[Ask]
    ) -> Lack | None:
        """What there is too little of for this one, after those that are more important."""
        kept = self._kept_for(ask.priority)
        if self.left <= kept + len(ahead):
            return "scout_requests"
        before = sum(other.host == ask.host for other in ahead)
        before += kept if ask.host == self.site else 0
        return "scout_time" if self._turns(pace, gap, now) <= before else None

    def _is_over(self, lack: Lack, pace: _HostPace, gap: float, now: float) -> bool:
        """Whether nothing at all can be sent any more."""
        return self.left <= 0 if lack == "scout_requests" else self._turns(pace, gap, now) <= 0

    def _kept_for(self, priority: Priority) -> int:
        """How many requests are kept for what is more important and has not been asked for yet."""
        coming = Counter(each for wanted in self._expected.values() for each in wanted.elements())
        return sum(
            max(0, min(count, self._all_expected[wanted] - self._asked[wanted]))
            for wanted, count in coming.items()
            if wanted < priority
        )

    def _turns(self, pace: _HostPace, gap: float, now: float) -> float:
        """How many requests the host can still be sent before the end."""
        first = now if gap == 0 else max(now, pace.ended_at + gap)
        if gap > 0 and pace.in_flight:
            first = now + pace.usual + gap
        if first >= self.ends_at:
            return 0
        each = gap + pace.usual
        return _lanes(gap) * ceil((self.ends_at - first) / each) if each > 0 else inf


def _lanes(gap: float) -> int:
    return 1 if gap > 0 else IN_FLIGHT
