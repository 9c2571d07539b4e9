"""The words we understand, by standard, each with its source and the day it was looked at.

Standards move: a report can say by which state of them it judged, and whoever renews a reader finds here
what has aged.
"""

from __future__ import annotations

from dataclasses import dataclass

from wireroom.parse.signals.preferences import CONTENT_SIGNAL_KEYS, CONTENT_USAGE_LABELS
from wireroom.parse.signals.robots_tag import DIRECTIVES
from wireroom.parse.signals.rsl_nouns import PAYMENTS, USAGES, USERS
from wireroom.parse.signals.trust_txt import KEYS
from wireroom.parse.terms.nouns import ACTIVITIES
from wireroom.rights.agents import PURPOSES, agent_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of one standard; `date` is that of its text where it has one, else of our look at it."""

    name: str
    source: str
    date: str
    words: tuple[str, ...]


def vocabularies() -> tuple[Vocabulary, ...]:
    """All of them."""
    table = agent_table()
    rsl = "RSL 1.0, Recommendation of November 2025 with its errata"
    return (
        Vocabulary(name="RSL usages", source=rsl, date="2026-06", words=USAGES),
        Vocabulary(name="RSL users", source=rsl, date="2026-06", words=USERS),
        Vocabulary(name="RSL payments", source=rsl, date="2026-06", words=PAYMENTS),
        Vocabulary(
            name="Content-Signal",
            source="contentsignals.org",
            date="2026-11",
            words=CONTENT_SIGNAL_KEYS,
        ),
        Vocabulary(
            name="Content-Usage",
            source="IETF AIPREF drafts attach-05 and vocab",
            date="2026-08-19",
            words=CONTENT_USAGE_LABELS,
        ),
        Vocabulary(
            name="TDMRep",
            source="W3C community group, final report",
            date="2024-05-10",
            words=("tdm-reservation", "tdm-policy"),
        ),
        Vocabulary(
            name="robots directives",
            source="Google, Bing, and the unofficial noai",
            date="2026-11",
            words=tuple(sorted(DIRECTIVES)),
        ),
        Vocabulary(
            name="trust.txt", source="JournalList", date="2024-04", words=tuple(sorted(KEYS))
        ),
        Vocabulary(
            name="AI agents",
            source=table.source,
            date=table.date,
            words=tuple(agent.name for agent in table.agents),
        ),
        Vocabulary(name="classes of agents", source="our own", date="2026-11", words=PURPOSES),
        Vocabulary(name="terms of service", source="our own", date="2026-11", words=ACTIVITIES),
    )
