"""Rights reserved in comments: prose for people beside rules for machines. A refusal, never a consent.

Quoted as they stand. Those of robots.txt are read from the step `robots`; facts of this step are reservations
in other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wireroom.model import Evidence, Facts, Finding, Signal, TypedFacts
from wireroom.ports import SignalPlug, Step, StepContext, Summary
from wireroom.rights.finding_index import MINING_USES, FindingIndex, make_signals, robots_found
from wireroom.signals.shared import finding, found, kept_robots
from wireroom.urls import same_site

NAME: Final = "comments"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationNote:
    """Rights reserved in prose, quoted."""

    url: str
    quote: str
    line: int | None = None
    last_line: int | None = None
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentFacts:
    """Reservations in comments of other files than robots.txt."""

    reservations: tuple[ReservationNote, ...] = ()


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """Every reservation, as a refusal of mining."""
    # A step may have saved what stands in robots.txt, too: one quote is one signal.
    notes = dict.fromkeys(_notes(findings, url))
    return tuple(
        signal
        for note in notes
        for signal in make_signals(
            NAME, MINING_USES, "deny", url=note.url, line_number=note.line, excerpt=note.quote
        )
    )


def _notes(findings: FindingIndex, url: str) -> Iterator[ReservationNote]:
    for robots_url, robots in robots_found(findings, url):
        for reservation in robots.reservations:
            yield ReservationNote(
                url=robots_url,
                quote=reservation.quote,
                line=reservation.line,
                last_line=reservation.last_line,
                language=reservation.language,
            )
    for facts in findings.of(NAME, CommentFacts):
        yield from (note for note in facts.reservations if same_site(note.url, url))


async def run(context: StepContext) -> Finding:
    """Every reservation in robots.txt with its lines; without the file nobody knows of any."""
    url, robots = kept_robots(context)
    state = context.findings["robots"].facts.get("robots_state")
    shown = [
        {"line": reservation.line, "quote": reservation.quote, "language": reservation.language}
        for reservation in robots.reservations
    ]
    facts = TypedFacts(CommentFacts(), {"comment_reservations": shown, "count": len(shown)})
    if state not in {"found", "absent"}:
        return finding(context, NAME, "unknown", facts, Evidence(url=url, excerpt=str(state)))
    notes = [
        Evidence(url=url, line=reservation.line, excerpt=reservation.quote)
        for reservation in robots.reservations
    ]
    return finding(context, NAME, "yes" if notes else "no", facts, *notes)


def summary(facts: Facts) -> Summary:
    """How many there are."""
    return found(facts.get("count", 0), "reservation")


PLUG = SignalPlug(
    name=NAME,
    title="Reservations in comments",
    label="Comments",
    order=110,
    signals_for=signals_for,
    steps=("robots", NAME),
    refuses=MINING_USES,
    prose=True,
    step=Step(
        NAME,
        "Reservations in comments",
        run,
        ("robots",),
        section="rights",
        label="Comments",
        order=70,
        summary=summary,
        compared=("count",),
    ),
)
