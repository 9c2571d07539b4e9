"""What comes back from a worker: packed there as data, unpacked here into the types that the work declares.

Never pickled. A flaw in a parser may let a page take a worker over, and such a worker writes what it
likes: all that can become of it here is data of a declared shape, or the loss of the piece.
"""

from __future__ import annotations

import struct
import traceback
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_origin

import msgspec

MAX_TRACEBACK = 4000  # characters of a traceback that are sent home
MAX_MESSAGE = 2000  # characters of what was raised: nobody reads more
_PLAIN: tuple[Any, ...] = (Any,)


class UnsoundOutcomeError(Exception):
    """What came from a worker is not what the work declares."""


class OutcomeCodec:
    """Packs and unpacks the outcomes of one piece of work after the other.

    `do.outcomes()`, where there is such a method, names the types that may come back. Anything else
    gives plain data: None, numbers, texts, bytes, times, and lists and dicts of them. A piece that has
    such a method itself is answered with what it names.
    """

    def __init__(self, do: object) -> None:
        declare = getattr(do, "outcomes", None)
        self._types: tuple[Any, ...] = tuple(declare()) if declare else _PLAIN
        self._encoder = msgspec.msgpack.Encoder()
        self._decoders = [msgspec.msgpack.Decoder(kind) for kind in self._types]

    def for_piece(self, work: object) -> OutcomeCodec:
        """The codec of one piece: its own where it names its outcomes, else this one."""
        return _codec(work.outcomes()) if hasattr(work, "outcomes") else self

    def pack(self, outcome: object) -> bytes:
        """The outcome as bytes; raises TypeError for what was not declared or is no data."""
        for place, kind in enumerate(self._types):
            if kind is Any or isinstance(outcome, get_origin(kind) or kind):
                return bytes((place,)) + self._encoder.encode(outcome)
        raise TypeError(f"{type(outcome).__name__} is none of the declared outcomes")

    def unpack(self, packed: bytes) -> Any:
        """The outcome again; raises UnsoundOutcomeError for anything that `pack` does not write."""
        try:
            return self._decoders[packed[0]].decode(memoryview(packed)[1:])
        except (IndexError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as exc:
            raise UnsoundOutcomeError(str(exc)) from exc


class _Declared:
    """Nothing but the types that may come back."""

    def __init__(self, types: tuple[Any, ...]) -> None:
        self._types = types

    def outcomes(self) -> tuple[Any, ...]:
        return self._types


@lru_cache(maxsize=64)  # one for each kind of document; there are some twenty
def _codec(types: tuple[Any, ...]) -> OutcomeCodec:
    return OutcomeCodec(_Declared(types))


@dataclass(frozen=True, slots=True)
class Raised:
    """What `do` raised, in words."""

    error: str
    """The name of its class."""
    message: str
    trace: str


_raised = msgspec.msgpack.Decoder(Raised)


def pack_error(exc: Exception) -> bytes:
    """An exception for the way home."""
    name = type(exc).__name__
    trace = "".join(traceback.format_exception(exc))[-MAX_TRACEBACK:]
    words = (name, f"{name}: {exc}"[:MAX_MESSAGE], trace)
    safe = (word.encode("utf-8", "replace").decode() for word in words)
    return msgspec.msgpack.encode(Raised(*safe))


def unpack_error(packed: bytes) -> Raised:
    """What was raised; raises UnsoundOutcomeError for anything else."""
    try:
        raised = _raised.decode(packed)
    except (ValueError, RecursionError, msgspec.MsgspecError) as exc:
        raise UnsoundOutcomeError(str(exc)) from exc
    return Raised(
        raised.error[:MAX_MESSAGE], raised.message[:MAX_MESSAGE], raised.trace[:MAX_TRACEBACK]
    )


# What parent and worker say to each other: frames of a kind, a length and that many bytes.
#
# parent → worker   HELLO (options)  LOAD (a function)  WORK (one piece)
# worker → parent   READY            FAILED (why a function cannot be loaded)
# DONE (an outcome)  ERROR (what was raised)  MEMORY   each of them perhaps | LEAVING
#
# A worker answers pieces in the order in which it got them, each before it begins the next: the
# piece that killed it is the first one without an answer. What goes down may be pickled; what comes
# up is data that `outcome_codec` reads, for the worker has read strangers' documents. Standard library alone: every worker
# loads this first.

HEADER = struct.Struct("<BI")

HELLO, LOAD, WORK = 1, 2, 3
READY, FAILED, DONE, ERROR, MEMORY = 11, 12, 13, 14, 15
LEAVING = 128
"""Added to the kind of an answer after which the worker ends: it has grown, or it has served its time."""


def frame(kind: int, payload: bytes) -> bytes:
    """One frame, ready to be written."""
    return HEADER.pack(kind, len(payload)) + payload
