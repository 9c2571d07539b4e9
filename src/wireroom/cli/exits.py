"""How a run ends: the exit codes, and what is said of an error. Never a traceback unasked.

Knows the tree of errors; does no work of its own.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from wireroom.cli.streams import Failure, Streams
from wireroom.cli.tables import cells
from wireroom.display_text import visible_line
from wireroom.errors import (
    BlockedError,
    FetchError,
    MissingFileError,
    QueryError,
    RefusedError,
    SettingsError,
    WireroomError,
    in_one_line,
    kind_of_failure,
    terminal_words,
)
from wireroom.registry import plug_in

if TYPE_CHECKING:
    from wireroom.model import ProblemKind


OK = 0
ERROR = 1
USAGE = 2
NOTHING_FOUND = 3
REFUSED = 4
BLOCKED = 5
INTERRUPTED = 130  # as shells count: 128 and the number of the signal
READER_LEFT = 141  # the same for SIGPIPE: `wireroom … | head -1` ends as any other tool does

_BY_CLASS: dict[type[WireroomError], int] = {
    SettingsError: USAGE,
    MissingFileError: NOTHING_FOUND,
    QueryError: USAGE,
    RefusedError: REFUSED,
    BlockedError: BLOCKED,
}
REFUSALS = frozenset({"robots", "rights", "private_address"})
BLOCKS = frozenset({"blocked_waf", "challenge", "consent_wall", "login", "payment_required"})
POINTED = 40  # characters of a query that are shown on either side of what is wrong
MAX_CAUSES = 10  # links of a chain of causes that are shown


def exit_code_of(error: type[BaseException]) -> int:
    """The exit code for a class of errors: that of its nearest ancestor in the table."""
    for ancestor in error.__mro__:
        if ancestor in _BY_CLASS:
            return _BY_CLASS[ancestor]
    return ERROR


def code_of_problem(kind: str, *, otherwise: int = ERROR) -> int:
    """What a page that could not be had is, by the kind of its problem."""
    if kind in REFUSALS:
        return REFUSED
    return BLOCKED if kind in BLOCKS else otherwise


def show_error(error: WireroomError, streams: Streams) -> int:
    """Says an expected error in one line, with its hint; gives the exit code."""
    problems = terminal_problems(error)
    hint = advice_about(error) if isinstance(error, FetchError) else terminal_words(error.hint)
    streams.fail(Failure(kind_of_failure(error), "\n".join(problems), hint))
    if len(problems) == 1:
        streams.error(in_one_line(problems[0], hint))
        if isinstance(error, QueryError) and error.column:
            _point_at(error, streams)
    else:
        for problem in problems:
            streams.error(problem)
        streams.hint(hint)
    _show_more(error, streams)
    return exit_code_of(type(error))


def terminal_problems(error: WireroomError) -> tuple[str, ...]:
    """What is wrong, a line each, in the words of the command line."""
    problems = error.problems if isinstance(error, SettingsError) else (error.message,)
    return tuple(map(terminal_words, problems))


def _point_at(error: QueryError, streams: Streams) -> None:
    """The query, and under it a caret at the place that is meant."""
    place = error.column - 1
    before = visible_line(error.query[max(0, place - POINTED) : place])
    behind = visible_line(error.query[place : place + POINTED])
    streams.raw_error(f"  {before}{behind}\n  {' ' * cells(before)}^", what="query")


def show_usage(message: str, hint: str, streams: Streams) -> int:
    """Says what was wrong with the command line."""
    streams.fail(Failure("usage", message, hint))
    streams.error(in_one_line(message, hint))
    return USAGE


def show_surprise(error: BaseException, streams: Streams) -> int:
    """Says that something happened which nobody foresaw."""
    kind = type(error).__name__
    plug = plug_in(error)
    whom = f"report what it says to the makers of {plug}" if plug else "report what it says"
    hint = "" if streams.verbosity > 1 else f"run it again with -vv and {whom}"
    place = f"error in the plug {plug}" if plug else "internal error"
    message = f"{place}, {kind}: {error}" if plug else f"{kind}: {error}"
    streams.fail(Failure("internal", message, hint))
    streams.error(f"{place}, {'; '.join(filter(None, (f'{kind}: {error}', hint)))}.")
    _show_more(error, streams)
    return ERROR


def _show_more(error: BaseException, streams: Streams) -> None:
    if streams.verbosity > 1:
        text = "".join(traceback.format_exception(error))
        streams.raw_error(text, what=f"{type(error).__name__}: {error}")
    elif streams.verbosity == 1:
        for cause in _causes(error):
            streams.hint(f"because of {type(cause).__name__}: {cause}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    for _ in range(MAX_CAUSES):
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            return
        yield cause
        error = cause


# What to do about a page that could not be had, by the kind of the problem. Pure.
#
# The fetch room says what happened; a person at a terminal also wants to know where to look.

_NOT_THERE = "Check its spelling, and whether this machine has a network."
_NO_ANSWER = "Check the address, the network, and what stands between: a firewall, a VPN, a proxy."
_CLOSED = "Look at it in a browser; what it keeps for people wireroom leaves alone."
_LATER = "Try again later."

ADVICE: dict[ProblemKind, str] = {
    "dns": _NOT_THERE,
    "connect": _NO_ANSWER,
    "timeout": f"{_NO_ANSWER} A slow server is given more time by: --set fetch.timeout=60s",
    "tls": "Check its certificate in a browser, and the clock of this machine.",
    "our_network": "Check the network of this machine.",
    "robots": "Ask its publisher for leave, or choose another page.",
    "gone": "Check the address in a browser.",
    "scout_time": "Let it take longer, as with: --time 10m",
    "throttled": _LATER,
    "server_error": _LATER,
    "blocked_waf": _CLOSED,
    "challenge": _CLOSED,
    "consent_wall": _CLOSED,
    "login": _CLOSED,
    "payment_required": _CLOSED,
    "redirect_loop": "Name the page that it leads to in a browser.",
}
"""What is not here says by itself what to do, or nothing can be done about it."""


def advice_about(error: FetchError) -> str:
    """What to check or to do; what the error itself knows goes first."""
    return terminal_words(error.hint) or _advice(error.kind, permanent=error.permanent)


def reason_with_advice(error: FetchError) -> str:
    """What happened and what to do, in one line, for whoever has named the address already."""
    return in_one_line(error.reason, advice_about(error))


def advised(message: str, kind: str, *, permanent: bool = True) -> str:
    """The message about a problem of this kind, with what to do about it."""
    return in_one_line(message, _advice(kind, permanent=permanent))


def _advice(kind: str, *, permanent: bool) -> str:
    """A robots.txt that cannot be had forbids nothing for good: it is waited for."""
    if kind == "robots" and not permanent:
        return _LATER
    return ADVICE.get(cast("ProblemKind", kind), "")
