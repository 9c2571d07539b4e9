"""AI crawlers by name and purpose, and what a robots.txt says to each of them.

The table is our own dated data (`agents.json`): names and operators of every agent of a public list, the
class each belongs to, and the few of each class that everybody who bars the class would name. Barring a
search agent and barring a training agent are opposite decisions: there is one word per class, no count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

from wireroom.parse.robots import Barred, Robots, Rule, product_token
from wireroom.urls import fetch_url

AgentPurpose = Literal[
    "training",
    "dataset",
    "search",
    "user_fetch",
    "agent",
    "policy_token",
    "preview",
    "unknown",
]
PURPOSES: tuple[AgentPurpose, ...] = (
    "training",
    "dataset",
    "search",
    "user_fetch",
    "agent",
    "policy_token",
    "preview",
    "unknown",
)
_EVERYONE: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One crawler, or one name that only robots.txt knows (a policy token)."""

    name: str
    operator: str = ""
    purpose: AgentPurpose = "unknown"
    well_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTable:
    """All agents, as of a day."""

    date: str
    source: str
    agents: tuple[Agent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """What robots.txt says to one agent."""

    agent: Agent
    via: Literal["name", "everyone", "nobody"]
    """Whether its own name, `*`, or no group at all chose its rules."""
    site: Barred
    """How much of the whole site it is kept from."""
    front_allowed: bool
    """Whether it may read `/`."""
    front_line: int | None = None
    path_allowed: bool
    """Whether it may read the address that was asked about."""
    path_line: int | None = None
    rule: str = ""
    """The rule that decides about the address; empty when none speaks of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassView:
    """What robots.txt says to one class of agents, for the address that was asked about."""

    purpose: AgentPurpose
    word: Literal["barred", "some", "free"]
    """`barred` when every well-known agent of the class is, `some` when any agent of it is."""
    barred: tuple[AgentView, ...] = ()
    total: int = 0
    well_known: int = 0


@cache
def agent_table() -> AgentTable:
    """The table that comes with wireroom, read once."""
    data = json.loads(files("wireroom.rights").joinpath("agents.json").read_text("utf-8"))
    return AgentTable(
        date=data["date"], source=data["source"], agents=tuple(map(_agent, data["agents"]))
    )


def _agent(row: Mapping[str, Any]) -> Agent:
    return Agent(
        name=row["name"],
        operator=row["operator"],
        purpose=row["class"],
        well_known=row["well_known"],
    )


def view_agents(
    robots: Robots, url: str, agents: Iterable[Agent] | None = None
) -> tuple[AgentView, ...]:
    """What the file says to each agent, about the front page and about this address."""
    viewer = _Viewer(robots, url)
    return tuple(viewer.view(agent) for agent in _chosen(agents))


def agents_key(robots: Robots, url: str) -> tuple[object, ...]:
    """What the file says about this address, rule list by rule list: where it is the same, so are all views."""
    viewer = _Viewer(robots, url)
    named = (_token(agent.name).lower() for agent in agent_table().agents)
    return tuple(
        viewer.answer(name) for name in (*named, _EVERYONE) if viewer.rules(name) is not None
    )


def _chosen(agents: Iterable[Agent] | None) -> Iterable[Agent]:
    return agent_table().agents if agents is None else agents


class _Answer(NamedTuple):
    """What one list of rules says; the deciding rules by their place in the list."""

    site: Barred
    front_allowed: bool
    front_place: int | None
    path_allowed: bool
    path_place: int | None
    rule: str


class _Viewer:
    """One file and one address, asked on behalf of many agents.

    Most agents share a group, or have one that reads like others: each list of rules is asked once.
    """

    def __init__(self, robots: Robots, url: str) -> None:
        self.robots = robots
        self.url = _wire_url(url)
        self.groups = robots.groups
        places: dict[str, list[int]] = {}
        for place, group in enumerate(self.groups):
            for name in dict.fromkeys(map(str.lower, group.agents)):
                places.setdefault(name, []).append(place)
        self.places = {name: tuple(own) for name, own in places.items()}
        """Name to its groups; a group of thousands of agents and rules is not written out for each of them."""
        self.lists: dict[tuple[int, ...], list[Rule]] = {}
        self.known: dict[tuple[tuple[bool, str], ...], _Answer] = {}
        self.by_places: dict[tuple[int, ...], _Answer] = {}

    def rules(self, name: str) -> list[Rule] | None:
        """The rules of all groups that name it; None where none does."""
        places = self.places.get(name)
        if places is None:
            return None
        if places not in self.lists:
            self.lists[places] = [rule for place in places for rule in self.groups[place].rules]
        return self.lists[places]

    def view(self, agent: Agent) -> AgentView:
        """What the file says to one agent."""
        token = _token(agent.name)
        own = token.lower() in self.places
        chosen = token.lower() if own else _EVERYONE
        rules = self.rules(chosen)
        listed = rules or []
        answer = self.answer(chosen)
        return AgentView(
            agent=agent,
            via="name" if own else "nobody" if rules is None else "everyone",
            site=answer.site,
            front_allowed=answer.front_allowed,
            front_line=_line(listed, answer.front_place),
            path_allowed=answer.path_allowed,
            path_line=_line(listed, answer.path_place),
            rule=answer.rule,
        )

    def answer(self, name: str) -> _Answer:
        """What the file says to whoever goes by the rules of this name."""
        places = self.places.get(name, ())
        known = self.by_places.get(places)
        if known is None:
            known = self.by_places[places] = self._answer(name, self.rules(name) or [])
        return known

    def _answer(self, token: str, rules: list[Rule]) -> _Answer:
        key = tuple((rule.allow, rule.pattern) for rule in rules)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self._ask(token, [rule.line for rule in rules])
        return known

    def _ask(self, token: str, lines: list[int]) -> _Answer:
        front = self.robots.decide(token, "/")
        here = self.robots.decide(token, self.url)
        return _Answer(
            site=self.robots.barred(token),
            front_allowed=front.allowed,
            front_place=lines.index(front.line) if front.line is not None else None,
            path_allowed=here.allowed,
            path_place=lines.index(here.line) if here.line is not None else None,
            rule=here.rule,
        )


def _line(rules: list[Rule], place: int | None) -> int | None:
    return None if place is None else rules[place].line


@cache
def _token(name: str) -> str:
    """The part of a name that files are read by: `Kangaroo` of `Kangaroo Bot`."""
    return product_token(name) or name


def _wire_url(url: str) -> str:
    try:
        return fetch_url(url)
    except ValueError:
        return url  # no address of the web; rules are matched against whatever path it has


def view_classes(views: Iterable[AgentView]) -> tuple[ClassView, ...]:
    """One word per class, in the order of `PURPOSES`; classes without an agent are left out."""
    by_purpose: dict[AgentPurpose, list[AgentView]] = {}
    for view in views:
        by_purpose.setdefault(view.agent.purpose, []).append(view)
    return tuple(
        _class_view(purpose, by_purpose[purpose]) for purpose in PURPOSES if purpose in by_purpose
    )


def _class_view(purpose: AgentPurpose, views: list[AgentView]) -> ClassView:
    known = [view for view in views if view.agent.well_known]
    barred = tuple(view for view in views if not view.path_allowed)
    # Where nobody is well known, all of them must be barred before the class is.
    all_barred = all(not view.path_allowed for view in known or views)
    word: Literal["barred", "some", "free"] = "some" if barred else "free"
    return ClassView(
        purpose=purpose,
        word="barred" if all_barred else word,
        barred=barred,
        total=len(views),
        well_known=len(known),
    )
