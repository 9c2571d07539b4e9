"""Rights: signals of every family become one verdict per use, with evidence. Pure.

`judge` weighs stored findings for an address, `make_receipt` keeps the outcome with an article, `Policy`
says what we do about it, `view_agents` has the table of AI crawlers, and `facts` the shape of what scouting
steps save. Nothing here fetches, and nothing here knows the time.

The names below are loaded when they are first asked for: reading the settings needs the policy alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.rights.agents import agent_table, view_agents, view_classes
    from wireroom.rights.families import FAMILIES
    from wireroom.rights.judging import gather, judge, robots_word, weigh
    from wireroom.rights.policy import Policy, decide_export, decide_fetch, decide_storage
    from wireroom.rights.receipts import item_findings, make_receipt, page_findings

__all__ = [
    "FAMILIES",
    "Policy",
    "agent_table",
    "decide_export",
    "decide_fetch",
    "decide_storage",
    "gather",
    "item_findings",
    "judge",
    "make_receipt",
    "page_findings",
    "robots_word",
    "view_agents",
    "view_classes",
    "weigh",
]

_HOMES = {
    "agents": ("agent_table", "view_agents", "view_classes"),
    "families": ("FAMILIES",),
    "judging": ("gather", "judge", "robots_word", "weigh"),
    "policy": ("Policy", "decide_export", "decide_fetch", "decide_storage"),
    "receipts": ("item_findings", "make_receipt", "page_findings"),
}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module when it is first asked for."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
