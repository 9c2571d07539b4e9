"""How pure work is spread: the engines."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")
LossCause = Literal["cpu", "time", "memory", "killed", "crash", "error"]
"""Too much of something; ended from outside; fell over by itself; `do` raised."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Work, Outcome]):
    """A piece of work, and what came of it."""

    work: Work
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Generic[Work]):
    """A piece of work of which nothing came, and why; all others go on."""

    work: Work
    cause: LossCause
    message: str
    error: str = ""
    """The name of what `do` raised; the message has its words."""
    trace: str = ""
    """Where it was raised, for whoever mends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How much is done at once, and what one piece of work may cost."""

    workers: int = 0
    """0 takes one for each core that we may use."""
    cpu: timedelta = timedelta(seconds=2)
    wall: timedelta = timedelta(seconds=30)
    """Much more than `cpu`: on a busy machine a worker waits for its turn."""
    memory: int = 300 * 2**20
    """Bytes over what the worker held before the piece."""


Spread: TypeAlias = AsyncGenerator[Done[Work, Outcome] | Lost[Work], None]
"""Who leaves it before its end closes it (`contextlib.aclosing`): then no worker goes on in vain."""


class Engine(Protocol):
    """How pure work is spread over processes or machines."""

    def spread(
        self, work: Iterable[Work] | AsyncIterable[Work], do: Callable[[Work], Outcome]
    ) -> Spread[Work, Outcome]:
        """What came of each piece, as it is ready; nothing is taken from `work` long before its turn.

        `do` is sent elsewhere: it stands in a module that can be imported there. Where it has a
        method `prepare`, that is called once in each worker, before limits hold. What it gives comes
        back as data: `outcomes`, a method without arguments, names the types that may come back;
        without one, tuples come back as lists and dataclasses as dicts.
        """
        ...

    async def close(self) -> None:
        """Ends every worker it started."""
        ...


@dataclass(frozen=True, slots=True)
class EnginePlug:
    """A kind of engine, chosen by name."""

    name: str
    open: Callable[[EngineOptions], Engine]
    extra: str = ""
