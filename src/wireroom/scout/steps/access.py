"""Scouting step: may the page in question be read, by us and by anybody, and which line says so.

Asks nobody: it reads the robots.txt that the step `robots` fetched.
"""

from __future__ import annotations

from typing import Any

from wireroom.model import Evidence, Facts, Finding
from wireroom.parse.robots import RobotsDecision
from wireroom.ports import Step, StepContext, Summary
from wireroom.signals.documents import origin_of, robots_file
from wireroom.signals.shared import finding, kept_robots, kept_robots_origin
from wireroom.version import TOKEN


async def run(context: StepContext) -> Finding:
    """The robots decision for the page; a robots.txt that cannot be had leaves it unknown."""
    facts_of_robots = context.findings["robots"].facts
    state = facts_of_robots.get("robots_state", "unreachable")
    is_open = bool(facts_of_robots.get("host_open"))
    url, rules = kept_robots(context)
    if origin_of(context.url) != kept_robots_origin(context):
        own = await robots_file(
            context
        )  # another origin of the publisher has a robots.txt of its own
        url, state, rules, is_open = own.url, own.state, own.robots, own.opens
    ours, everybody = rules.decide(TOKEN, context.url), rules.decide("*", context.url)
    # Without rules the host is as open as the fetcher takes it.
    known = state in {"found", "absent"} or is_open
    facts: dict[str, Any] = {
        "page_url": context.url,
        "robots_state": state,
        "url_allowed": ours.allowed if known else None,
        "url_allowed_generic": everybody.allowed if known else None,
        "ours": _described(ours),
        "generic": _described(everybody),
    }
    if not known:
        return finding(context, "access", "unknown", facts, Evidence(url=url, excerpt=str(state)))
    return finding(context, "access", "yes" if ours.allowed else "no", facts, _evidence(url, ours))


def _described(decision: RobotsDecision) -> dict[str, Any]:
    return {
        "allowed": decision.allowed,
        "line": decision.line,
        "rule": decision.rule,
        "agent": decision.agent,
    }


def _evidence(url: str, decision: RobotsDecision) -> Evidence:
    return Evidence(url=url, line=decision.line, excerpt=decision.rule or "no rule speaks of it")


def summary(facts: Facts) -> Summary:
    """Whether the page may be read, and by which line."""
    if facts.get("url_allowed") is None:
        return Summary(text="robots.txt could not be fetched")
    ours = facts.get("ours", {})
    line = f" (line {ours['line']}: {ours['rule']})" if ours.get("line") else ""
    if not facts["url_allowed"]:
        return Summary(text=f"URL disallowed by robots.txt{line}", tone="bad")
    if facts.get("robots_state") == "absent":
        return Summary(text="no robots.txt: allowed", tone="good")
    if facts.get("robots_state") != "found":
        text = "robots.txt could not be fetched and is taken for none: allowed"
        return Summary(text=text, tone="good")
    others = "" if facts.get("url_allowed_generic") else ", though not to everybody"
    return Summary(text=f"allowed to us{others}{line}", tone="good")


PLUG = Step(
    "access",
    "May this page be read?",
    run,
    ("robots",),
    about="page",
    section="access",
    label="robots.txt says",
    order=10,
    summary=summary,
    compared=("url_allowed", "url_allowed_generic", "robots_state", "ours"),
)
