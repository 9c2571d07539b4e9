"""Is it them, or is it us? Tells a host that is down from a machine that has no network."""

from __future__ import annotations

import errno
import math
import socket
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from wireroom.errors import FetchError
from wireroom.urls import registered_domain

LATELY = timedelta(minutes=1)  # an answer within it shows that there is a network
SUSPICIOUS = 5  # publishers whose hosts failed one after another without any answer between them

_NO_NETWORK = frozenset({errno.ENETDOWN, errno.ENETUNREACH})


class Connectivity:
    """Our own network: cut when every host fails, back with the first that answers."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failed: set[str] = set()
        self._cut_at = -math.inf
        self._answer_at = -math.inf

    @property
    def is_cut(self) -> bool:
        """Whether so many hosts failed that it is more likely us."""
        return len(self._failed) >= SUSPICIOUS

    def was_cut_within(self, span: timedelta) -> bool:
        """Whether there was no network at some time within so long: what was under way then was lost to us."""
        return self._clock() - self._cut_at <= span.total_seconds()

    def failed(self, host: str, *, no_network: bool = False) -> None:
        """A host gave no answer; several of one publisher, or several ports of one, say no more than one.

        With `no_network` the system says that nothing could be sent.
        """
        if not self.is_cut:
            self._failed.add(registered_domain(host) or host)
        if no_network or self.is_cut:
            self._cut_at = self._clock()

    def is_mute(self) -> bool:
        """Whether no host answered lately."""
        return self._clock() - self._answer_at > LATELY.total_seconds()

    def note_answer(self) -> None:
        """A host answered, whatever it said."""
        self._answer_at = self._clock()

    def answered(self) -> bool:
        """A host answered; True when nothing did for a while before."""
        was_cut = self.is_cut
        self.note_answer()
        if self._failed:
            self._failed.clear()
        return was_cut


def is_our_side(error: FetchError) -> bool:
    """Whether nothing was sent because this machine is cut off; no host is to blame for that."""
    return _number(error) in _NO_NETWORK


def has_no_names(error: FetchError) -> bool:
    """Whether DNS gave no answer for now: it may be that of one domain, or our own."""
    cause = error.__cause__
    for_now = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN
    return error.kind == "dns" and (for_now or isinstance(cause, TimeoutError))


def has_answer(error: FetchError) -> bool:
    """Whether a machine answered, if only that nobody listens there, or nothing that TLS is: the network is not cut."""
    return error.kind == "tls" or _number(error) == errno.ECONNREFUSED


def _number(error: FetchError) -> int | None:
    """What the system said, if the error comes from there."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return cause.errno
        cause = cause.__cause__
    return None
