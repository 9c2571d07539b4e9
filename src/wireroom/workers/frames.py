"""What parent and worker say to each other: frames of a kind, a length and that many bytes.

    parent → worker   HELLO (options)  LOAD (a function)  WORK (one piece)
    worker → parent   READY            FAILED (why a function cannot be loaded)
                      DONE (an outcome)  ERROR (what was raised)  MEMORY   each of them perhaps | LEAVING

A worker answers pieces in the order in which it got them, each before it begins the next: the
piece that killed it is the first one without an answer. What goes down may be pickled; what comes
up is data that `outcome_codec` reads, for the worker has read strangers' documents. Standard library alone: every worker
loads this first.
"""

from __future__ import annotations

import struct

HEADER = struct.Struct("<BI")

HELLO, LOAD, WORK = 1, 2, 3
READY, FAILED, DONE, ERROR, MEMORY = 11, 12, 13, 14, 15
LEAVING = 128
"""Added to the kind of an answer after which the worker ends: it has grown, or it has served its time."""


def frame(kind: int, payload: bytes) -> bytes:
    """One frame, ready to be written."""
    return HEADER.pack(kind, len(payload)) + payload
