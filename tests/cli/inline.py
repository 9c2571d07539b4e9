"""An engine without processes, for tests of a command whose workers are not the point.

A worker loads its models anew in every run, which takes a second; here they are loaded once. What goes
to the work and comes back is packed all the same: what could not travel to or from a worker fails here, too.
"""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from functools import cache
from typing import Any, Self, TypeVar

import pytest

from wireroom.parse.detect import load_detector
from wireroom.ports import Done, EngineOptions, EnginePlug, Spread
from wireroom.settings.secrets import cache_folder
from wireroom.workers.outcome_codec import OutcomeCodec

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")


class InlineEngine:
    """Does one piece after the other where it stands; nothing is ever lost."""

    def __init__(self, options: EngineOptions | None = None) -> None:
        self.options = options or EngineOptions()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_what_happened: object) -> None:
        await self.close()

    async def close(self) -> None:
        """There is nothing to end."""

    async def spread(
        self, work: Iterable[Work] | AsyncIterable[Work], do: Callable[[Work], Outcome]
    ) -> Spread[Work, Outcome]:
        ready, codec = _prepared(pickle.dumps(do)), OutcomeCodec(do)
        async for piece in _each(work):
            own = codec.for_piece(piece)
            outcome = ready(pickle.loads(pickle.dumps(piece)))
            yield Done(piece, own.unpack(own.pack(outcome)))


def read_scouts_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scouts outside of a run read where they stand."""
    monkeypatch.setattr(
        "wireroom.app.readers.scout_engine", lambda _settings, _workers=None: InlineEngine()
    )


def use_inline_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this test read pages where they stand, whatever engine the settings name."""
    read_scouts_here(monkeypatch)
    plug = EnginePlug("inline", open=InlineEngine)
    monkeypatch.setattr("wireroom.app.engines.find_engine", lambda _name: plug)


@cache
def _prepared(packed: bytes) -> Callable[[Any], Any]:
    do: Callable[[Any], Any] = pickle.loads(packed)
    if prepare := getattr(do, "prepare", None):
        load_detector(cache_folder())  # unpacked by the first of all tests, for all others
        prepare()
    return do


async def _each(work: Iterable[Work] | AsyncIterable[Work]) -> AsyncIterator[Work]:
    if isinstance(work, AsyncIterable):
        async for piece in work:
            yield piece
        return
    for piece in work:
        yield piece
