"""`wireroom doctor`: looks whether everything is in order, and says what to do."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from wireroom.cli.exits import ERROR, OK
from wireroom.cli.session import Json, Session
from wireroom.errors import terminal_words
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.doctor import Check

STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}
LAST = tuple(STYLES)
"""What has to be looked at stands at the end, where a terminal still shows it."""


def doctor(session: Session, json: Json = False) -> int:
    """Check the installation, and say what to do.

    Looks at Python, settings, database, feeds, disk, extras, network rules, plugs and the terminal.
    Exit code 1 when any check fails.
    """
    from wireroom.app.doctor import diagnose

    checks = [*map(_worded, diagnose(session.load)), terminal_check(session)]
    failed = sum(check.state == "fail" for check in checks)
    if json:
        session.streams.json({"ok": not failed, "checks": [asdict(check) for check in checks]})
        return ERROR if failed else OK
    rows = [
        (check.state, check.name, f"{check.found}{' → ' + check.advice if check.advice else ''}")
        for check in sorted(checks, key=lambda check: LAST.index(check.state))
    ]
    session.streams.table(rows, styles=STYLES)
    warned = sum(check.state == "warn" for check in checks)
    session.streams.note(f"{failed} failed, {warned} to be looked at, {len(checks)} checked.")
    return ERROR if failed else OK


def _worded(check: Check) -> Check:
    return replace(check, found=terminal_words(check.found), advice=terminal_words(check.advice))


def terminal_check(session: Session) -> Check:
    """Whether every character can be shown."""
    from wireroom.app.doctor import Check

    encoding = (sys.stdout.encoding or "unknown").lower()
    kind = "a terminal" if session.streams.is_terminal else "no terminal: no colour, no bars"
    if encoding.replace("-", "") != "utf8":
        advice = "Set LANG to a UTF-8 locale or PYTHONUTF8=1; characters may be shown as numbers."
        return Check("terminal", "warn", f"{kind}, encoding {encoding}", advice)
    return Check("terminal", "ok", f"{kind}, encoding {encoding}")


PLUG = Command("doctor", doctor, order=65)
