"""Step: may the page in question be read, by us and by anybody, and which line says so.

Asks nobody: it reads the robots.txt that the step `robots` brought home.
"""

from __future__ import annotations

from typing import Any

from wireroom.model import Evidence, Finding
from wireroom.parse.robots import RobotsDecision, read_robots
from wireroom.ports import Step, StepContext
from wireroom.scout.documents import origin_of, robots_file
from wireroom.scout.findings import finding
from wireroom.version import TOKEN


async def look(case: StepContext) -> Finding:
    """The robots decision for the page; a robots.txt that cannot be had leaves it unknown."""
    robots = case.findings["robots"]
    url, state = str(robots.facts.get("url", "")), robots.facts.get("robots_state", "unreachable")
    rules = read_robots(str(robots.facts.get("text", "")).encode("utf-8", "surrogateescape"))
    if origin_of(case.url) != origin_of(url):
        own = await robots_file(case)  # another origin of the publisher has a robots.txt of its own
        url, state, rules = own.url, own.state, own.robots
    ours, everybody = rules.decide(TOKEN, case.url), rules.decide("*", case.url)
    known = state in {"found", "absent"}
    facts: dict[str, Any] = {
        "page_url": case.url,
        "robots_state": state,
        "url_allowed": ours.allowed if known else None,
        "url_allowed_generic": everybody.allowed if known else None,
        "ours": _said(ours),
        "generic": _said(everybody),
    }
    if not known:
        return finding(case, "access", "unknown", facts, Evidence(url=url, excerpt=str(state)))
    return finding(case, "access", "yes" if ours.allowed else "no", facts, _evidence(url, ours))


def _said(decision: RobotsDecision) -> dict[str, Any]:
    return {
        "allowed": decision.allowed,
        "line": decision.line,
        "rule": decision.rule,
        "agent": decision.agent,
    }


def _evidence(url: str, decision: RobotsDecision) -> Evidence:
    return Evidence(url=url, line=decision.line, excerpt=decision.rule or "no rule speaks of it")


PLUG = Step("access", "May this page be read?", look, ("robots",), about="page")
