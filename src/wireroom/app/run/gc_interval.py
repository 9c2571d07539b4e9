"""How often Python looks for circles of objects while a run lasts: rarely, for a run leaves hardly any."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

GC_AFTER: Final = 20_000
"""New objects after which Python looks, as in a worker: each page in hand makes hundreds, and at Python's own 700
the looking takes three to six per cent of a run. Circles of that many objects are some MB."""


@contextmanager
def less_gc() -> Iterator[None]:
    """Puts it back as it was afterwards; who looks more rarely, or never, is left alone."""
    before = gc.get_threshold()
    if 0 < before[0] < GC_AFTER:
        gc.set_threshold(GC_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
