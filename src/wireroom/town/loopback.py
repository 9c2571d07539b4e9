"""Where on loopback the publishers live: one address each on one port, or one port each.

Linux answers on all of 127.0.0.0/8; other systems only on 127.0.0.1, where every publisher gets a
port of its own.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
from collections.abc import Sequence
from typing import Literal

from wireroom.errors import TownError

Spread = Literal["auto", "addresses", "ports"]

ONLY_ADDRESS = "127.0.0.1"
PER_ROW = 250  # addresses 1 to 250 of each 127.66.x.0
MAX_PUBLISHERS = 256 * PER_ROW
ATTEMPTS = 20  # to find a port that is free on every address
BACKLOG = 256
# Besides one listening socket a publisher, for connections and all the rest.
FILES_BESIDES = 4_096
HIGHEST_PORT = 65_535


def loopback_address(place: int) -> str:
    """The address of the publisher at this place in the list."""
    if not 0 <= place < MAX_PUBLISHERS:
        raise TownError(f"a town has room for {MAX_PUBLISHERS:,} publishers.")
    row, column = divmod(place, PER_ROW)
    return f"127.66.{row}.{column + 1}"


def bind_places(count: int, *, port: int, spread: Spread = "auto") -> list[socket.socket]:
    """So many listening sockets, in order; all or none."""
    if not 0 <= port <= HIGHEST_PORT:
        raise TownError(f"there is no port {port}.", hint="Choose one from 1 to 65535.")
    _make_room(count)
    if spread == "auto":
        spread = "addresses" if _has_many_addresses() else "ports"
    if spread == "ports":
        return _bind_all([(ONLY_ADDRESS, port + at if port else 0) for at in range(count)])
    if port:
        return _bind_all([(loopback_address(at), port) for at in range(count)])
    return _bind_anywhere(count)


def _bind_anywhere(count: int) -> list[socket.socket]:
    """One port for all: the first socket finds it, the others try it."""
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(TownError):
            return _bind_on_found_port(count)
    return _bind_on_found_port(count)


def _bind_on_found_port(count: int) -> list[socket.socket]:
    first = _bind(loopback_address(0), 0)
    port = first.getsockname()[1]
    try:
        others = _bind_all([(loopback_address(at), port) for at in range(1, count)])
    except TownError:
        first.close()
        raise
    return [first, *others]


def _bind_all(places: Sequence[tuple[str, int]]) -> list[socket.socket]:
    bound: list[socket.socket] = []
    try:
        for address, port in places:
            bound.append(_bind(address, port))
    except TownError:
        for listener in bound:
            listener.close()
        raise
    return bound


def _bind(address: str, port: int) -> socket.socket:
    if port > HIGHEST_PORT:
        raise TownError(f"there is no port {port}.", hint="Choose a lower one with --port.")
    try:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    except OSError as exc:
        raise _no_room(exc) from exc
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(BACKLOG)
        made.setblocking(False)
    except OSError as exc:
        made.close()
        raise _cannot_bind(address, port, exc) from exc
    return made


def _cannot_bind(address: str, port: int, exc: OSError) -> TownError:
    if exc.errno == errno.EADDRINUSE:
        return TownError(
            f"port {port} on {address} is taken.",
            hint="Choose another with --port, or leave it out and a free one is found.",
        )
    if exc.errno in (errno.EMFILE, errno.ENFILE):
        return _no_room(exc)
    return TownError(f"cannot serve on {address}:{port}: {exc.strerror}.")


def _no_room(exc: OSError) -> TownError:
    return TownError(
        f"cannot open so many sockets: {exc.strerror}.",
        hint="Allow more open files (ulimit -n) or ask for fewer publishers.",
    )


def _has_many_addresses() -> bool:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((loopback_address(0), 0))
    except OSError:
        return False
    return True


def _make_room(count: int) -> None:
    """Raises the soft limit of open files to what the town needs, as far as the hard one allows."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + FILES_BESIDES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    # A system may refuse for reasons of its own; binding will then say what is missing.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
