"""`wireroom history DOMAIN`: what was found out about a publisher, and when it changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.scout import RightsChange
    from wireroom.model import Finding

Domain = Annotated[str, typer.Argument(metavar="DOMAIN", help="A publisher, as it was scouted.")]
StepOption = Annotated[
    str,
    typer.Option(
        "--step", metavar="STEP", help="One step alone, by its title or its name in --json."
    ),
]


def history(session: Session, domain: Domain, step: StepOption = "", json: Json = False) -> int:
    """How findings about a publisher changed over time.

    Every finding that differed from the one before it, oldest first; then each verdict that flipped and each line
    of a signal that changed, with both lines and where they stand. Asks nobody. Exit code 3 when nothing is known.
    """
    from wireroom.app.scout import (
        publisher_history,
        publisher_rights_history,
        read_address,
        step_named,
    )

    publisher = read_address(domain).domain
    if step:
        step = step_named(step)
    found: tuple[Finding, ...] = ()
    rights: tuple[RightsChange, ...] = ()
    if session.has_database():
        with session.app() as app:
            found = publisher_history(app, publisher, step=step)
            rights = publisher_rights_history(app, publisher, step=step) if json else ()
    if json:
        findings = [_data(finding) for finding in found]
        flips = [asdict(change) for change in rights]
        session.streams.json({"publisher": publisher, "findings": findings, "rights": flips})
    elif found:
        _show(session, found)
    if not found:
        session.show_unknown(publisher)
    return OK if found else NOTHING_FOUND


def _show(session: Session, found: tuple[Finding, ...]) -> None:
    from wireroom.app.scout import step_titles
    from wireroom.report.build import changes, summary

    clock, titles = session.reader_clock(), step_titles()
    rows = [
        (
            clock.minute(finding.found_at),
            titles.get(finding.step, finding.step),
            finding.outcome,
            summary(finding),
        )
        for finding in found
    ]
    session.streams.table(rows, columns=("found", "step", "outcome", ""))
    differences = changes(found)
    session.streams.line()
    session.streams.heading("Changes")
    for change in differences:
        session.streams.prose(f"{change.text} since {clock.long_day(change.at)}", indent=2)
    if not differences:
        session.streams.line("none", indent=2)


def _data(finding: Finding) -> dict[str, Any]:
    """The finding as scripts know it: its outcome has been `verdict` there from the beginning."""
    from wireroom.report.build import summary

    plain = asdict(finding) | {"took": finding.took.total_seconds()}
    named = {"verdict" if name == "outcome" else name: value for name, value in plain.items()}
    return named | {"summary": summary(finding)}


PLUG = Command("history", history, order=22)
