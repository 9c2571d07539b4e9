"""What can go wrong, as a tree.

    WireroomError
    ├── SettingsError            a setting, a flag or the environment is wrong
    │   └── MissingFileError     a file that was named is not there
    ├── MissingExtraError        a part is needed that is not installed
    ├── FetchError               an address could not be fetched
    │   ├── RefusedError         we may not: robots.txt, rights, a private address
    │   ├── UnreachableError     no connection: DNS, connect, TLS, timeout
    │   ├── StatusError          the server answered with an error
    │   │   ├── GoneError        404 or 410
    │   │   ├── ThrottledError   429 or 503: later
    │   │   └── BlockedError     a bot manager, a challenge, a login, a payment
    │   ├── TooLargeError        a named limit cut it
    │   └── ExhaustedError       every strategy failed; lists each one's reason
    ├── ParseError               the bytes could not be read
    │   ├── UnknownFormatError   they are nothing we know
    │   └── NoArticleError       they are readable, but no article
    ├── StoreError               the database
    │   ├── QueryError           a search that cannot be understood
    │   ├── SlowQueryError       a search that was not done in its time
    │   ├── NewerSchemaError     written by a newer wireroom
    │   ├── ReadOnlyStoreError   the file or its folder cannot be written
    │   ├── DamagedStoreError    the file is broken
    │   └── FullDiskError        no room left; work pauses and resumes by itself
    ├── TownError                the town could not be served
    └── DeliverError             an export could not be written

Expected outcomes (not modified, nothing new, moved, a step that says no) are results, not errors.
Scheduling reads only `retry_after` and `permanent`. `hint` tells a person what to do next.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Self

from wireroom.model import ProblemKind

_USER_INFO = re.compile(r"//[^/?#\s@]*(?:@[^/?#\s@]*)*@")


class Wording(str):
    """Words for whoever calls from Python, and those for whoever types a command, where the two differ.

    A script names arguments and functions, a person at a terminal flags and commands. The text itself is the script's.
    """

    terminal: str

    def __new__(cls, text: str, terminal: str = "") -> Self:
        """The words for a script, and those for a terminal; the same where there are no others."""
        words = super().__new__(cls, text)
        words.terminal = terminal or text
        return words


def terminal_words(text: str) -> str:
    """The text as a person at a terminal is told it."""
    return text.terminal if isinstance(text, Wording) else text


_ENDS = (".", "?", "!", ":")
_AROUND = ")\"'"  # what may stand behind the full stop of a whole sentence: `(It is late.)`


def in_one_line(message: str, advice: str) -> str:
    """Both as sentences, with a full stop between them where the message has none."""
    if not advice:
        return message
    is_ended = message.rstrip(_AROUND).endswith(_ENDS)
    return f"{message}{'' if is_ended else '.'} {advice}"


class WireroomError(Exception):
    """The root: one line that says what is wrong, and a hint what to do.

    Both are in the words of Python; where they name an argument they are a `Wording`, which knows the flag.
    """

    permanent: bool = False
    """Whether trying again can never help."""
    retry_after: timedelta | None = None
    """How long to wait before trying again, when the other side said so."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return in_one_line(self.message, self.hint)

    def words(self) -> Wording:
        """All of it in one line, for both kinds of callers."""
        return Wording(str(self), in_one_line(self._at_terminal(), terminal_words(self.hint)))

    def _at_terminal(self) -> str:
        return terminal_words(self.message)


class SettingsError(WireroomError):
    """A setting, a flag or the environment is wrong; every problem is listed."""

    permanent = True

    def __init__(self, problems: list[str] | tuple[str, ...], *, hint: str = "") -> None:
        super().__init__("\n".join(problems), hint=hint)
        self.problems = tuple(problems)

    def _at_terminal(self) -> str:
        return "\n".join(map(terminal_words, self.problems))


class MissingFileError(SettingsError):
    """A file that was named to be read is not there."""

    def __init__(self, name: str, *, hint: str = "Check its name and its folder.") -> None:
        super().__init__([f"{name}: no such file"], hint=hint)


class MissingExtraError(WireroomError):
    """A part of wireroom is asked for that is not installed."""

    permanent = True

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(
            f"{needed_for} needs a part that is not installed.",
            hint=f"Install it with: pip install 'wireroom[{extra}]'",
        )
        self.extra = extra


class FetchError(WireroomError):
    """An address could not be fetched; `kind` is from the fixed vocabulary."""

    kind: ProblemKind = "bad_response"
    in_flight: timedelta = timedelta()
    """For how long an answer was waited for; nothing where none was asked for. The wait for a permit is no part of it."""

    def __init__(
        self,
        url: str,
        message: str,
        *,
        kind: ProblemKind | None = None,
        retry_after: timedelta | None = None,
        permanent: bool | None = None,
        hint: str = "",
    ) -> None:
        self.url = _without_user_info(url)
        self.reason = _without_user_info(message)
        super().__init__(f"{self.url}: {self.reason}", hint=hint)
        if kind is not None:
            self.kind = kind
        if retry_after is not None:
            self.retry_after = retry_after
        if permanent is not None:
            self.permanent = permanent


def _without_user_info(text: str) -> str:
    """An address as it may be told: whoever writes a password into one does not want it in a log."""
    return _USER_INFO.sub("//…@", text) if "@" in text else text


class RefusedError(FetchError):
    """We may not ask: robots.txt, rights, a private address."""

    kind: ProblemKind = "private_address"
    permanent = True


class UnreachableError(FetchError):
    """No answer: DNS, connect, TLS or timeout."""

    kind: ProblemKind = "connect"


class StatusError(FetchError):
    """The server answered with an error status."""

    kind: ProblemKind = "server_error"

    def __init__(
        self,
        url: str,
        status: int,
        message: str = "",
        *,
        kind: ProblemKind | None = None,
        retry_after: timedelta | None = None,
        permanent: bool | None = None,
    ) -> None:
        super().__init__(
            url,
            f"HTTP {status}{': ' + message if message else ''}",
            kind=kind,
            retry_after=retry_after,
            permanent=permanent,
        )
        self.status = status
        self.headers: tuple[tuple[str, str], ...] = ()
        """Those of the refusal, when the fetch room has seen them: they may say who refused, or a price."""


class GoneError(StatusError):
    """404 or 410: the page is not there."""

    kind: ProblemKind = "gone"
    permanent = True


class ThrottledError(StatusError):
    """429 or 503: the server asks us to come later."""

    kind: ProblemKind = "throttled"


class BlockedError(StatusError):
    """A bot manager, a challenge, a login or a payment stands in the way."""

    kind: ProblemKind = "blocked_waf"
    permanent = True


class TooLargeError(FetchError):
    """A named limit cut the answer off."""

    kind: ProblemKind = "too_large"
    permanent = True

    def __init__(self, url: str, limit: str, value: int, *, unit: str = "bytes") -> None:
        super().__init__(url, f"larger than {limit} = {value:,} {unit}")
        self.limit = limit
        self.value = value


class ExhaustedError(FetchError):
    """Every strategy failed; each one's reason is listed."""

    def __init__(self, url: str, reasons: dict[str, FetchError]) -> None:
        message = "; ".join(f"{name}: {error.reason}" for name, error in reasons.items())
        super().__init__(url, f"every strategy failed ({message})")
        self.reasons = dict(reasons)
        if reasons:
            last = list(reasons.values())[-1]
            self.kind = last.kind
            self.retry_after = last.retry_after
            self.permanent = all(error.permanent for error in reasons.values())


class ParseError(WireroomError):
    """The bytes could not be read."""

    permanent = True


class UnknownFormatError(ParseError):
    """The bytes are nothing we know."""


class NoArticleError(ParseError):
    """The page is readable, but there is no article on it; the message says what it is."""

    def __init__(self, message: str, *, page_kind: str = "unknown", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.page_kind = page_kind
        """What the page is instead, in one word: empty, login, listing …"""


class StoreError(WireroomError):
    """The database could not be opened, read or written."""


class QueryError(StoreError):
    """A search that cannot be understood; the message points at the place.

    `column`, counted from 1, is that place in `query`; 0 where the whole of it is meant.
    """

    permanent = True

    def __init__(self, message: str, *, hint: str = "", query: str = "", column: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.query = query
        self.column = column


class SlowQueryError(StoreError):
    """A search that was ended because its time was up; a narrower one has less to look through."""

    permanent = True


class NewerSchemaError(StoreError):
    """The database was written by a newer wireroom."""

    permanent = True


class ReadOnlyStoreError(StoreError):
    """The database file or its folder cannot be written."""

    permanent = True


class DamagedStoreError(StoreError):
    """The database file is broken; the message says how to save what is readable."""

    permanent = True


class FullDiskError(StoreError):
    """There is no room left on the disk; work pauses and resumes by itself."""


class TownError(WireroomError):
    """The town could not be served: a port is taken, an address cannot be bound."""


class DeliverError(WireroomError):
    """An export could not be written."""


_KINDS: dict[type[WireroomError], str] = {
    SettingsError: "usage",
    MissingFileError: "no_file",
    QueryError: "query",
    SlowQueryError: "slow_query",
    StoreError: "store",
    NoArticleError: "no_article",
    ParseError: "unknown_format",
    DeliverError: "export",
    MissingExtraError: "missing_extra",
    WireroomError: "error",
}


def kind_of_failure(error: WireroomError) -> str:
    """An error in one word, for scripts: that of a problem with a page, else what its class stands for."""
    if isinstance(error, FetchError):
        return error.kind
    return next(_KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in _KINDS)
