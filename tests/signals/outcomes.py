"""What a reader makes of bytes: a value, or the message of its error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wireroom.errors import ParseError

T = TypeVar("T")


def outcome(read: Callable[[], T]) -> T | str:
    """The value, or why there is none; any other error than ParseError is the test's failure."""
    try:
        return read()
    except ParseError as exc:
        return exc.message
