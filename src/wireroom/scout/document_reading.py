"""How a scout has its documents read: what a reader declares, and what one scout may cost.

Where documents are read is somebody else's business: workers in a run and on the command line, this very
process where nobody gave an engine (`read_inline`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import lru_cache
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from wireroom.errors import WireroomError
from wireroom.ports import CostlyDocumentError, ReadDocument

Made = TypeVar("Made")

MAX_COSTLY: Final = 2  # documents of one scout that may end a worker; then no more of it are read
AT_ONCE: Final = 2  # documents of one scout that are read side by side: others have theirs, too


@lru_cache(maxsize=256)  # readers are functions of modules: some twenty are ours
def outcomes_of(reader: Callable[..., Any]) -> tuple[Any, ...]:
    """The types that a reader may give, as it declares them; raises WireroomError for one that cannot travel."""
    name = getattr(reader, "__qualname__", "")
    if not name or "<" in name or not getattr(reader, "__module__", ""):
        raise WireroomError(
            f"{name or type(reader).__name__} cannot be sent to a worker.",
            hint="A reader is a function that stands in a module.",
        )
    try:
        declared = get_type_hints(reader).get("return")
    except NameError as exc:
        raise WireroomError(
            f"The type that {name} gives is not known: {exc}.",
            hint="Import it where the program runs, not for type checkers alone.",
        ) from exc
    if declared is None and "return" not in getattr(reader, "__annotations__", {}):
        raise WireroomError(f"{name} does not declare what it gives.", hint="Annotate its result.")
    if get_origin(declared) in {Union, UnionType}:
        return get_args(declared)
    return (type(None) if declared is None else declared,)


async def read_inline(reader: Callable[..., Made], /, *arguments: Any) -> Made:
    """A `ReadDocument` that reads where it stands: for tests, and for scouts without an engine."""
    outcomes_of(reader)
    return reader(*arguments)


class ScoutReading:
    """The `ReadDocument` of one scout: after two documents that cost too much no more of it are read.

    Each may hold a worker for as long as the engine lets it: thirty of them would make others wait.
    """

    def __init__(self, read: ReadDocument) -> None:
        self._read = read
        self._costly = 0
        self._free = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, reader: Callable[..., Made], /, *arguments: Any) -> Made:
        """What the reader gives; raises ParseError."""
        async with self._free:
            if self._costly >= MAX_COSTLY:
                raise CostlyDocumentError(
                    f"not read: {MAX_COSTLY} documents of this scout cost too much already"
                )
            try:
                return await self._read(reader, *arguments)
            except CostlyDocumentError:
                self._costly += 1
                raise
