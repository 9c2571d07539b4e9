"""Is it them, or is it us? Tells a host that is down from a machine that has no way out."""

from __future__ import annotations

import errno

from wireroom.errors import FetchError
from wireroom.urls import registered_domain

__all__ = ["Line", "is_our_side", "was_heard"]

SUSPICIOUS = 5  # publishers whose hosts failed one after another without any answer between them

_NO_WAY_OUT = frozenset({errno.ENETDOWN, errno.ENETUNREACH})


class Line:
    """Our way out: cut when every host fails, back with the first that answers."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    @property
    def is_cut(self) -> bool:
        """Whether so many hosts failed that it is more likely us."""
        return len(self._failed) >= SUSPICIOUS

    def failed(self, host: str) -> None:
        """A host gave no answer; several of one publisher, or several doors of one, say no more than one."""
        if not self.is_cut:
            self._failed.add(registered_domain(host) or host)

    def answered(self) -> bool:
        """A host answered; True when nothing did for a while before."""
        was_cut = self.is_cut
        if self._failed:
            self._failed.clear()
        return was_cut


def is_our_side(error: FetchError) -> bool:
    """Whether nothing was sent because this machine is cut off; no host is to blame for that."""
    return _number(error) in _NO_WAY_OUT


def was_heard(error: FetchError) -> bool:
    """Whether a machine answered, if only that nobody listens there, or nothing that TLS is: the line is not cut."""
    return error.kind == "tls" or _number(error) == errno.ECONNREFUSED


def _number(error: FetchError) -> int | None:
    """What the system said, if the error comes from there."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return cause.errno
        cause = cause.__cause__
    return None
