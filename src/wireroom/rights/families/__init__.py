"""One file per family of signals; `FAMILIES` has them all, in the order a report shows them."""

from __future__ import annotations

from wireroom.rights.families import (
    ai_txt,
    comments,
    content_signal,
    content_usage,
    licence,
    robots_agents,
    robots_tag,
    rsl,
    tdmrep,
    terms,
    trust_txt,
)
from wireroom.rights.family import Family

__all__ = ["FAMILIES"]

FAMILIES: tuple[Family, ...] = (
    robots_agents.FAMILY,
    rsl.FAMILY,
    content_signal.FAMILY,
    content_usage.FAMILY,
    tdmrep.FAMILY,
    robots_tag.FAMILY,
    ai_txt.FAMILY,
    trust_txt.FAMILY,
    licence.FAMILY,
    terms.FAMILY,
    comments.FAMILY,
)
