"""Scouting step: which AI agents robots.txt bars, by what they are for, and by which line.

Asks nobody: it reads the robots.txt that the step `robots` fetched, for `/` and for the page in question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from wireroom.model import Evidence, Facts, Finding
from wireroom.ports import Bots, CardDetails, Step, StepContext, Summary, Tone
from wireroom.rights.agents import AgentView, agent_table, view_agents, view_classes
from wireroom.signals.shared import finding, kept_robots

_SITE = {"fully": "blocked", "partly": "partly", "not": "allowed"}
SHOWN = 30  # deciding lines as evidence; most agents share a few


async def run(context: StepContext) -> Finding:
    """Every listed agent, and one word for each class of them."""
    state = context.findings["robots"].facts.get("robots_state")
    url, robots = kept_robots(context)
    table = agent_table()
    if state not in {"found", "absent"}:
        facts = {
            "page_url": context.url,
            "robots_found": False,
            "table_of": table.date,
            "reason": state,
        }
        return finding(context, "ai_bots", "unknown", facts, Evidence(url=url, excerpt=str(state)))
    views = view_agents(robots, context.url)
    blocked = [view for view in views if view.site == "fully"]
    facts = {
        "page_url": context.url,
        "robots_found": state == "found",
        "bots": {view.agent.name: _bot(view) for view in views},
        "classes": {
            view_class.purpose: {
                "word": view_class.word,
                "barred": [view.agent.name for view in view_class.barred],
                "total": view_class.total,
            }
            for view_class in view_classes(views)
        },
        "blocked_count": len(blocked),
        "partly_count": sum(view.site == "partly" for view in views),
        "total_count": len(views),
        "table_of": table.date,
    }
    some = any(view.site != "not" for view in views)
    return finding(context, "ai_bots", "yes" if some else "no", facts, *_evidence(url, blocked))


def _bot(view: AgentView) -> dict[str, Any]:
    return {
        "company": view.agent.operator,
        "class": view.agent.purpose,
        "via": view.via,
        "blocked": view.site == "fully",
        "site": _SITE[view.site],
        "front": "allowed" if view.front_allowed else "blocked",
        "page": "allowed" if view.path_allowed else "blocked",
        "line": view.path_line,
        "front_line": view.front_line,
        "rule": view.rule,
    }


def _evidence(url: str, views: list[AgentView]) -> list[Evidence]:
    """Each deciding line once."""
    lines = {view.front_line: view for view in reversed(views) if view.front_line is not None}
    return [
        Evidence(url=url, line=line, excerpt=f"{view.agent.name}: {view.rule}")
        for line, view in sorted(lines.items())
    ][:SHOWN]


def summary(facts: Facts) -> Summary:
    """How many are blocked: of those that everybody knows, then of all in the table."""
    if "total_count" not in facts:
        return Summary(text="robots.txt could not be fetched")
    blocked, partly = facts["blocked_count"], facts.get("partly_count", 0)
    text = f"{blocked}/{facts['total_count']} AI bots blocked"
    tone: Tone = "bad" if blocked else "plain" if partly else "good"
    if known := [row for name, row in facts.get("bots", {}).items() if name in _well_known()]:
        barred = sum(bool(row.get("blocked")) for row in known)
        text = f"{barred} of the {len(known)} well-known AI bots blocked; in all {text}"
        tone = "mixed" if blocked and 2 * barred < len(known) else tone
    if partly:
        text += f", {partly} kept from parts of the site"
    return Summary(text=text, tone=tone)


@cache
def _well_known() -> Mapping[str, str]:
    """The purpose of each agent that everybody knows, by its name."""
    return {agent.name: agent.purpose for agent in agent_table().agents if agent.well_known}


def details(facts: Facts) -> CardDetails:
    """The AI agents by purpose."""
    return CardDetails(bots=tuple(_bots(facts)))


def _bots(facts: Facts) -> Iterator[Bots]:
    for purpose, row in facts.get("classes", {}).items():
        known = tuple(name for name, of in _well_known().items() if of == purpose)
        barred = tuple(map(str, row["barred"]))
        yield Bots(
            purpose=str(purpose),
            word=row["word"],
            barred=barred,
            total=int(row["total"]),
            well_known=known,
            well_known_barred=tuple(name for name in known if name in barred),
        )


MAX_NAMES = 5  # of agents in one line


def changes(before: Facts, after: Facts) -> Iterator[str]:
    """Agents by what became of them; pages differ, so only the site as a whole counts."""
    old, new = before.get("bots", {}), after.get("bots", {})
    moved: dict[str, list[str]] = {}
    for name in new:
        if name in old and new[name]["site"] != old[name]["site"]:
            moved.setdefault(new[name]["site"], []).append(name)
    for word, names in moved.items():
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        yield f"{', '.join(names[:MAX_NAMES])}{more} {word}"


PLUG = Step(
    "ai_bots",
    "AI bots",
    run,
    ("robots",),
    about="page",
    section="access",
    order=50,
    summary=summary,
    details=details,
    changes=changes,
)
