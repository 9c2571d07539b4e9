"""Rights: what signals say becomes one verdict per use, with evidence. Pure, and it knows no signal by name.

`Policy` says what we do about verdicts, `view_agents` has the table of AI crawlers, `FindingIndex` holds the findings
of a publisher, `robots_word` says whether robots.txt lets us read. To judge with every registered signal, ask
`wireroom.signals`. Nothing here fetches, and nothing here knows the time.

The names below are loaded when they are first asked for: reading the settings needs the policy alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.rights.agents import agent_table, view_agents, view_classes
    from wireroom.rights.finding_index import FindingIndex, robots_word
    from wireroom.rights.policy import Policy, decide_export, decide_fetch, decide_storage
    from wireroom.rights.verdicts import weigh

__all__ = [
    "FindingIndex",
    "Policy",
    "agent_table",
    "decide_export",
    "decide_fetch",
    "decide_storage",
    "robots_word",
    "view_agents",
    "view_classes",
    "weigh",
]

_HOMES = {
    "agents": ("agent_table", "view_agents", "view_classes"),
    "finding_index": ("FindingIndex", "robots_word"),
    "policy": ("Policy", "decide_export", "decide_fetch", "decide_storage"),
    "verdicts": ("weigh",),
}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module when it is first asked for."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
