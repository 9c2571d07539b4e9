"""What to do about a page that could not be had, by the kind of the problem. Pure.

The fetch room says what happened; a person at a terminal also wants to know where to look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from wireroom.errors import FetchError
    from wireroom.model import ProblemKind

_ENDS = (".", "?", "!", ":")
_AROUND = ")\"'"  # what may stand behind the full stop of a whole sentence: `(It is late.)`

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
    return error.hint or _advice(error.kind, permanent=error.permanent)


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


def in_one_line(message: str, advice: str) -> str:
    """Both as sentences, with a full stop between them where the message has none."""
    if not advice:
        return message
    is_ended = message.rstrip(_AROUND).endswith(_ENDS)
    return f"{message}{'' if is_ended else '.'} {advice}"
