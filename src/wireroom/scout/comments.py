"""Step: rights reserved in prose, in the comments of robots.txt.

Asks nobody. Quoted as they stand: prose is evidence, never consent.
"""

from __future__ import annotations

from wireroom.model import Evidence, Finding
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import CommentFacts, to_facts
from wireroom.scout.extensions import kept_robots
from wireroom.scout.findings import finding


async def look(case: StepContext) -> Finding:
    """Every reservation with its lines; without a robots.txt nobody knows of any."""
    url, robots = kept_robots(case)
    state = case.findings["robots"].facts.get("robots_state")
    notes = [
        Evidence(url=url, line=reservation.line, excerpt=reservation.quote)
        for reservation in robots.reservations
    ]
    # The families of rights hear these from robots.txt itself; here they are for the reader.
    shown = [
        {"line": reservation.line, "quote": reservation.quote, "language": reservation.language}
        for reservation in robots.reservations
    ]
    facts = to_facts(CommentFacts()) | {"comment_reservations": shown, "count": len(shown)}
    if state not in {"found", "absent"}:
        return finding(case, "comments", "unknown", facts, Evidence(url=url, excerpt=str(state)))
    return finding(case, "comments", "yes" if notes else "no", facts, *notes)


PLUG = Step("comments", "Reservations in comments", look, ("robots",))
