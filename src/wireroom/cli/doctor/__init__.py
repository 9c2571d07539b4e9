"""`wireroom doctor`: looks whether everything is in order, and says what to do."""

from __future__ import annotations

from dataclasses import asdict

from wireroom.cli.exits import ERROR, OK
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor(session: Session, json: Json = False) -> int:
    """Check the installation, and say what to do.

    Looks at Python, settings, database, feeds, disk, extras, network rules, plugs and the terminal.
    Exit code 1 when any check fails.
    """
    from wireroom.cli.doctor.checks import look

    checks = list(look(session))
    failed = sum(check.state == "fail" for check in checks)
    if json:
        session.streams.json({"ok": not failed, "checks": [asdict(check) for check in checks]})
        return ERROR if failed else OK
    rows = [
        (check.state, check.name, f"{check.found}{' → ' + check.advice if check.advice else ''}")
        for check in checks
    ]
    session.streams.table(rows, styles=STYLES)
    warned = sum(check.state == "warn" for check in checks)
    session.streams.note(f"{failed} failed, {warned} to be looked at, {len(checks)} checked.")
    return ERROR if failed else OK


PLUG = Command("doctor", doctor, order=65)
