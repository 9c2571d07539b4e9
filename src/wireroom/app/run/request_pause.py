"""The brake on outgoing requests: on while anybody has a reason, off when nobody has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["readers", "leases"]


class RequestPause:
    """Counts reasons; `pause` of the fetcher is told when the first comes and when the last goes."""

    def __init__(self, pause: Callable[[bool], None] | None) -> None:
        self._pause = pause
        self._reasons: set[Reason] = set()

    def set(self, reason: Reason, on: bool) -> None:
        """Somebody has this reason to hold requests back, or has it no more."""
        before = bool(self._reasons)
        if on:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        after = bool(self._reasons)
        if before != after and self._pause is not None:
            self._pause(after)
