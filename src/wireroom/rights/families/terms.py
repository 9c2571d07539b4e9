"""Terms of service: sentences about activities become words about uses.

A prohibition is a deny, a permission an allow, silence is nothing, and a sentence that depends on more is
unknown, with its conditions. Scraping is about access and has no use of its own; redistribution ties a
condition to every use. They hold for everything the publisher has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.model import USES, Condition, Signal, Use, Word
from wireroom.parse.terms.nouns import Activity
from wireroom.rights.facts import TermsFacts, TermsWord
from wireroom.rights.family import AI_USES, MINING_USES, Family, Heard, say

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


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:  # noqa: ARG001 - it holds for all addresses
    return tuple(signal for facts in heard.of(NAME, TermsFacts) for signal in _of_terms(facts))


def _of_terms(facts: TermsFacts) -> Iterator[Signal]:
    for activity, uses in _USES.items():
        terms_word = facts.activities.get(activity)
        if terms_word is not None and terms_word.word in _VALUES:
            yield from _signals(terms_word, uses, _VALUES[terms_word.word], _conditions(terms_word))
    handed_on = facts.activities.get("redistribution")
    if handed_on is not None and handed_on.word in {"prohibited", "conditional"}:
        own = Condition(kind="redistribution", detail=handed_on.word)
        yield from _signals(handed_on, USES, "unknown", (own, *_conditions(handed_on)))


def _signals(
    terms_word: TermsWord, uses: tuple[Use, ...], value: Word, conditions: tuple[Condition, ...]
) -> tuple[Signal, ...]:
    return say(
        NAME, uses, value, url=terms_word.url, excerpt=terms_word.quote, conditions=conditions
    )


def _conditions(terms_word: TermsWord) -> tuple[Condition, ...]:
    return tuple(
        Condition(kind=condition.kind, detail=condition.detail)
        for condition in terms_word.conditions
    )


FAMILY: Final = Family(
    name=NAME, title="Terms of service", steps=("terms",), speak=_speak, prose=True
)
