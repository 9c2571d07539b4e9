"""AI agents in robots.txt: whoever bars every well-known agent of a class refuses what the class does.

Barring some of them is no refusal of the use: it is shown, as unknown. Barring none says nothing either.
"""

from __future__ import annotations

from typing import Final

from wireroom.model import Signal, Use
from wireroom.parse.robots import Robots
from wireroom.ports import SignalPlug, Vocabulary
from wireroom.rights.agents import (
    PURPOSES,
    AgentPurpose,
    ClassView,
    agent_table,
    agents_key,
    view_agents,
    view_classes,
)
from wireroom.rights.finding_index import AI_USES, FindingIndex, make_signals, robots_found

NAME: Final = "robots_agents"
SHOWN_AGENTS: Final = 8  # named in the evidence; all of them stand in the table of agents
_USES: Final[dict[AgentPurpose, tuple[Use, ...]]] = {
    "training": ("ai-train",),
    "dataset": ("ai-train",),
    "policy_token": ("ai-train",),
    "search": ("ai-index",),
    "user_fetch": ("ai-input",),
    "agent": ("ai-input",),
}


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What barring agents says of the uses they crawl for."""
    return tuple(
        signal
        for robots_url, robots in robots_found(findings, url)
        for signal in _of_file(findings, robots_url, robots, url)
    )


def _of_file(
    findings: FindingIndex, robots_url: str, robots: Robots, url: str
) -> tuple[Signal, ...]:
    """What one file says; the same for most pages of a publisher, and a hundred agents take their time."""
    key = (NAME, robots_url, agents_key(robots, url))
    if key not in findings.kept:
        views = view_classes(view_agents(robots, url))
        findings.kept[key] = tuple(
            signal for view in views for signal in _of_class(view, robots_url)
        )
    return findings.kept[key]


def _of_class(view: ClassView, robots_url: str) -> tuple[Signal, ...]:
    uses = _USES.get(view.purpose, ())
    if not uses or view.word == "free":
        return ()
    first = next(
        (agent_view for agent_view in view.barred if agent_view.agent.well_known), view.barred[0]
    )
    return make_signals(
        NAME,
        uses,
        "deny" if view.word == "barred" else "unknown",
        url=robots_url,
        line_number=first.path_line,
        excerpt=f"{_purpose(view)}: {_named(view)} ({first.rule})",
        scope=first.rule.partition(": ")[2],
    )


def _purpose(view: ClassView) -> str:
    whole = "every well-known agent" if view.well_known else "every agent"
    share = whole if view.word == "barred" else f"{len(view.barred)} of {view.total} agents"
    return f"{share} of class {view.purpose} barred"


def _named(view: ClassView) -> str:
    ordered = sorted(view.barred, key=lambda each: not each.agent.well_known)
    names = [agent_view.agent.name for agent_view in ordered[:SHOWN_AGENTS]]
    more = len(view.barred) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


PLUG = SignalPlug(
    name=NAME,
    title="AI agents in robots.txt",
    label="AI bots",
    order=10,
    signals_for=signals_for,
    steps=("robots",),
    refuses=AI_USES,
    vocabularies=(
        Vocabulary(
            name="AI agents",
            source=agent_table().source,
            date=agent_table().date,
            words=tuple(agent.name for agent in agent_table().agents),
        ),
        Vocabulary(name="classes of agents", source="our own", date="2026-11", words=PURPOSES),
    ),
)
