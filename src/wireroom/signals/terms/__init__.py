"""Terms of service: what a document says of eight activities, each with the sentence that says it.

`terms_reading` takes the text off a page and gives words with quotes. Inside, `phrases` and one module a language
hold the words, `sentence_judging` cuts the text into sentences, finds out who may and who may not, and weighs;
`model_advice` takes a second opinion. `terms_places`, `terms_search` and `terms_step` scout for the documents, and `terms_step` says
what it comes to for each use. No lawyer.
"""

from __future__ import annotations

from wireroom.model import Priority
from wireroom.ports import SignalPlug, Step, Vocabulary
from wireroom.signals.terms.terms_step import (
    NAME,
    REFUSED_USES,
    compared,
    details,
    run,
    signals_for,
    summary,
)
from wireroom.signals.terms.types import ACTIVITIES

__all__ = ["PLUG"]

PLUG = SignalPlug(
    name=NAME,
    title="Terms of service",
    label="Terms",
    order=100,
    signals_for=signals_for,
    steps=(NAME,),
    refuses=REFUSED_USES,
    prose=True,
    step=Step(
        NAME,
        "Terms of service",
        run,
        ("rsl",),
        asks=(Priority.TERMS,),
        section="rights",
        order=110,
        summary=summary,
        compared=compared,
        details=details,
    ),
    vocabularies=(
        Vocabulary(name="terms of service", source="our own", date="2026-11", words=ACTIVITIES),
    ),
)
