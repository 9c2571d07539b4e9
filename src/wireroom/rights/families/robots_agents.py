"""AI agents in robots.txt: whoever bars every well-known agent of a class refuses what the class does.

Barring some of them is no refusal of the use: it is shown, as unknown. Barring none says nothing either.
"""

from __future__ import annotations

from typing import Final

from wireroom.model import Signal, Use
from wireroom.parse.robots import Robots
from wireroom.rights.agents import ClassView, Purpose, agents_key, view_agents, view_classes
from wireroom.rights.family import Family, Heard, robots_found, say

NAME: Final = "robots_agents"
SHOWN_AGENTS: Final = 8  # named in the evidence; all of them stand in the table of agents
_USES: Final[dict[Purpose, tuple[Use, ...]]] = {
    "training": ("ai-train",),
    "dataset": ("ai-train",),
    "policy_token": ("ai-train",),
    "search": ("ai-index",),
    "user_fetch": ("ai-input",),
    "agent": ("ai-input",),
}


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return tuple(
        signal
        for robots_url, robots in robots_found(heard, url)
        for signal in _of_file(heard, robots_url, robots, url)
    )


def _of_file(heard: Heard, robots_url: str, robots: Robots, url: str) -> tuple[Signal, ...]:
    """What one file says; the same for most pages of a publisher, and a hundred agents take their time."""
    key = (NAME, robots_url, agents_key(robots, url))
    if key not in heard.kept:
        views = view_classes(view_agents(robots, url))
        heard.kept[key] = tuple(signal for view in views for signal in _of_class(view, robots_url))
    return heard.kept[key]


def _of_class(view: ClassView, robots_url: str) -> tuple[Signal, ...]:
    uses = _USES.get(view.purpose, ())
    if not uses or view.word == "free":
        return ()
    first = next(
        (agent_view for agent_view in view.barred if agent_view.agent.well_known), view.barred[0]
    )
    return say(
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
    ordered = sorted(view.barred, key=lambda one: not one.agent.well_known)
    names = [agent_view.agent.name for agent_view in ordered[:SHOWN_AGENTS]]
    more = len(view.barred) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


FAMILY: Final = Family(name=NAME, title="AI agents in robots.txt", steps=("robots",), speak=_speak)
