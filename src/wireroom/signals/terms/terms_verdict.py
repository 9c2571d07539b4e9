"""From sentences about activities to words about uses.

A prohibition is a deny, a permission an allow, silence is nothing, and a sentence that depends on more is
unknown, with its conditions. Scraping is about access and has no use of its own; redistribution ties a
condition to every use. Terms hold for everything the publisher has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wireroom.model import USES, Condition, ConditionKind, Signal, Use, Word
from wireroom.rights.finding_index import FindingIndex
from wireroom.rights.statements import AI_USES, MINING_USES, make_signals
from wireroom.signals.terms.types import Activity, ActivityWord, Method

NAME: Final = "terms"
_USES: Final[dict[Activity, tuple[Use, ...]]] = {
    "ai_ml": AI_USES,
    "tdm": MINING_USES,
    "archiving": ("archive",),
}
_VALUES: Final[dict[str, Word]] = {
    "permitted": "allow",
    "prohibited": "deny",
    "conditional": "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCondition:
    """A condition that a sentence of the terms states."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsWord:
    """What the terms of service say of one activity, with the sentence that says it."""

    word: ActivityWord = "silent"
    quote: str = ""
    url: str = ""
    conditions: tuple[StatedCondition, ...] = ()
    offset: int = 0
    """Where the sentence stands in the text."""
    by_permission: bool = False
    """Whether permission can lift a prohibition."""
    because: str = ""
    """Why, where the sentence does not name the activity itself."""
    method: Method = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsFacts:
    """The terms of service, activity by activity; others than ours are passed over."""

    activities: Mapping[str, TermsWord] = field(default_factory=dict)


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:  # noqa: ARG001 - it holds for all addresses
    """What the terms say of every use."""
    return tuple(signal for facts in findings.of(NAME, TermsFacts) for signal in _of_terms(facts))


def _of_terms(facts: TermsFacts) -> Iterator[Signal]:
    for activity, uses in _USES.items():
        terms_word = facts.activities.get(activity)
        if terms_word is not None and terms_word.word in _VALUES:
            yield from _signals(terms_word, uses, _VALUES[terms_word.word], _conditions(terms_word))
    spread = facts.activities.get("redistribution")
    if spread is not None and spread.word in {"prohibited", "conditional"}:
        own = Condition(kind="redistribution", detail=spread.word)
        yield from _signals(spread, USES, "unknown", (own, *_conditions(spread)))


def _signals(
    terms_word: TermsWord, uses: tuple[Use, ...], value: Word, conditions: tuple[Condition, ...]
) -> tuple[Signal, ...]:
    return make_signals(
        NAME, uses, value, url=terms_word.url, excerpt=terms_word.quote, conditions=conditions
    )


def _conditions(terms_word: TermsWord) -> tuple[Condition, ...]:
    return tuple(
        Condition(kind=condition.kind, detail=condition.detail)
        for condition in terms_word.conditions
    )
