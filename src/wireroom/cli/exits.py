"""How a run ends: the exit codes, and what is said of an error. Never a traceback unasked.

Knows the tree of errors; does no work of its own.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from wireroom.cli.fetch_advice import advice_about, in_one_line
from wireroom.cli.streams import Streams
from wireroom.errors import (
    BlockedError,
    FetchError,
    QueryError,
    RefusedError,
    SettingsError,
    WireroomError,
)

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
    QueryError: USAGE,
    RefusedError: REFUSED,
    BlockedError: BLOCKED,
}
REFUSALS = frozenset({"robots", "rights", "private_address"})
BLOCKS = frozenset({"blocked_waf", "challenge", "consent_wall", "login", "payment_required"})
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


def tell_error(error: WireroomError, streams: Streams) -> int:
    """Says an expected error in one line, with the way out; gives the exit code."""
    problems = error.problems if isinstance(error, SettingsError) else (error.message,)
    hint = advice_about(error) if isinstance(error, FetchError) else error.hint
    if len(problems) == 1:
        streams.error(in_one_line(problems[0], hint))
    else:
        for problem in problems:
            streams.error(problem)
        streams.hint(hint)
    _tell_more(error, streams)
    return exit_code_of(type(error))


def tell_usage(message: str, hint: str, streams: Streams) -> int:
    """Says what was wrong with the command line."""
    streams.error(in_one_line(message, hint))
    return USAGE


def tell_surprise(error: BaseException, streams: Streams) -> int:
    """Says that something happened which nobody foresaw."""
    kind = type(error).__name__
    hint = "" if streams.verbosity > 1 else "; run it again with -vv and report what it says"
    streams.error(f"internal error, {kind}: {error}{hint}.")
    _tell_more(error, streams)
    return ERROR


def _tell_more(error: BaseException, streams: Streams) -> None:
    if streams.verbosity > 1:
        for line in traceback.format_exception(error):
            streams.raw_error(line)
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
