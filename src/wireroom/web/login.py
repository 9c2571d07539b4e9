"""One token opens the pages: it is exchanged once for a session, a program sends it with each request.

Only hashes are kept, compared in constant time. Sessions live in memory and end with the server.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from time import monotonic
from typing import TYPE_CHECKING, Final

from starlette.requests import cookie_parser

if TYPE_CHECKING:
    from starlette.datastructures import Headers

COOKIE: Final = "wireroom_session"
SESSION_TIME = 12 * 3600.0  # seconds until one has to sign in again: a working day
MAX_SESSIONS = 1_000  # the oldest goes when there are more
HASHED = "sha256:"  # so begins a token of the settings of which only the hash is written down
FAILURES = 5  # wrong tokens of one address within a minute, then it waits
FAILURE_TIME = 60.0  # seconds
MAX_ADDRESSES = 10_000  # that are remembered for their failures


class Sessions:
    """The token, the sessions that it opened, and who failed lately."""

    def __init__(self, token: str, *, clock: Callable[[], float] = monotonic) -> None:
        """Without a token nobody is asked; one that begins with `sha256:` is the hash of it."""
        self._wanted = hash_of(token) if token else b""
        self._clock = clock
        self._ends: dict[bytes, float] = {}
        self._failures: dict[str, deque[float]] = {}

    @property
    def needed(self) -> bool:
        """Whether anybody is asked."""
        return bool(self._wanted)

    def admits(self, headers: Headers, address: str) -> bool:
        """Whether a request brings a session or the token; a wrong one counts as a failure of its address."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            is_right = self._matches(token.strip())
            if not is_right:
                self._note_failure(address)
            return is_right
        return self._is_open(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))

    def open(self, token: str, address: str) -> str:
        """The name of a new session; empty for a wrong token."""
        if not self._matches(token):
            self._note_failure(address)
            return ""
        self._failures.pop(address, None)
        name = token_urlsafe(32)
        if len(self._ends) >= MAX_SESSIONS:
            del self._ends[next(iter(self._ends))]
        self._ends[_digest(name)] = self._clock() + SESSION_TIME
        return name

    def close(self, name: str) -> None:
        """Ends a session."""
        self._ends.pop(_digest(name), None)

    def must_wait(self, address: str) -> bool:
        """Whether this address failed too often within a minute."""
        failures = self._failures.get(address, deque())
        while failures and failures[0] <= self._clock() - FAILURE_TIME:
            failures.popleft()
        return len(failures) >= FAILURES

    def _note_failure(self, address: str) -> None:
        if len(self._failures) >= MAX_ADDRESSES:
            del self._failures[next(iter(self._failures))]
        self._failures.setdefault(address, deque(maxlen=FAILURES)).append(self._clock())

    def _matches(self, token: str) -> bool:
        return bool(self._wanted) and compare_digest(_digest(token), self._wanted)

    def _is_open(self, name: str) -> bool:
        ends = self._ends.get(_digest(name))
        return ends is not None and ends > self._clock()


def hash_of(token: str) -> bytes:
    """The hash that is kept of a token of the settings."""
    return bytes.fromhex(token.removeprefix(HASHED)) if token.startswith(HASHED) else _digest(token)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def safe_next(text: str) -> str:
    """Where to go after the login: a path of ours, whatever the address claims."""
    path = "".join(character for character in text if character > " " and character != "\x7f")
    inside = path.startswith("/") and path[1:2] not in {"/", "\\"}
    return path if inside else "/"
