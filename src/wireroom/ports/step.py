"""The shape of a scouting step, and what it is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeVar

from wireroom.model import Facts, Finding, Publisher
from wireroom.ports.strategy import Fetch

Made = TypeVar("Made")


class Once(Protocol):
    """Makes a thing once per visit: whoever asks for the same name while it is made, or later, shares it."""

    async def __call__(self, name: str, make: Callable[[], Awaitable[Made]], /) -> Made:
        """What `make` gave, or raised, the first time it was asked for by this name."""
        ...


class Advise(Protocol):
    """Answers a prompt in words, as a language model does; nothing it says is trusted."""

    async def __call__(self, prompt: str, /) -> str:
        """The answer; raises FetchError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """What a scouting step may know: whom it is about, how to ask, what was found before it."""

    publisher: Publisher
    url: str
    """The address the operator gave: the publisher's homepage, or a page of it."""
    fetch: Fetch
    once: Once
    findings: Mapping[str, Finding]
    """Those of the steps it needs, and of no others."""
    before: Finding | None = None
    """What this step found the last time, whichever page that was about."""
    now: datetime
    offline: bool = False
    """Whether nobody but the publisher may be asked."""
    advise: Advise | None = None
    """Whom to ask for a second opinion on a text, if the operator named somebody."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question to a publisher's site; `needs` names the steps that must be done before it."""

    name: str
    title: str
    run: Callable[[StepContext], Awaitable[Finding]]
    needs: tuple[str, ...] = ()
    about: Literal["publisher", "page"] = "publisher"
    """A finding about a page holds for that page alone; others are reused while they are fresh."""
    deadline: timedelta = timedelta(seconds=30)
    """For the whole step, waiting for the host's turn included."""
    section: str = ""
    """Where its line stands on the card: access, rights, supply or metadata; any other is "More"."""
    label: str = ""
    """What the line is called; without one, the title."""
    order: int = 1_000
    """Its place in the section; ours count in tens."""
    summary: Callable[[Facts], str] | None = None
    """The facts in one line, for a person; without it the line says what the finding comes to."""
