"""Really Simple Licensing: documents that say what may be used, by whom, for what price.

`rsl_document` reads one, `rsl_notices` finds where it is named, `rsl_offers` and `rsl_verdict` say what it comes
to for a page, `rsl_step` scouts for it.
"""

from __future__ import annotations

from wireroom.ports import SignalPlug, Step, Vocabulary
from wireroom.signals.rsl.rsl_notices import read_item, read_page, with_known
from wireroom.signals.rsl.rsl_step import run, summary
from wireroom.signals.rsl.rsl_types import PAYMENTS, USAGES, USERS
from wireroom.signals.rsl.rsl_verdict import signals_for

__all__ = ["PLUG"]

_SOURCE = "RSL 1.0, Recommendation of November 2025 with its errata"

PLUG = SignalPlug(
    name="rsl",
    title="RSL",
    order=20,
    signals_for=signals_for,
    steps=("rsl", "robots"),
    step=Step(
        "rsl", "RSL", run, ("robots",), about="page", section="rights", order=10, summary=summary
    ),
    read_page=read_page,
    with_known=with_known,
    read_item=read_item,
    vocabularies=tuple(
        Vocabulary(name=name, source=_SOURCE, date="2026-06", words=words)
        for name, words in (
            ("RSL usages", USAGES),
            ("RSL users", USERS),
            ("RSL payments", PAYMENTS),
        )
    ),
)
