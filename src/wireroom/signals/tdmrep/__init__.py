"""TDMRep of the W3C: text and data mining reserved or not, and on what terms it is offered.

`tdm_documents` reads the file, pages and policies, `tdm_verdict` says what they come to for a page, `tdm_step`
scouts for them.
"""

from __future__ import annotations

from wireroom.ports import SignalPlug, Step, Vocabulary
from wireroom.signals.tdmrep.tdm_documents import read_page
from wireroom.signals.tdmrep.tdm_step import run, summary
from wireroom.signals.tdmrep.tdm_verdict import NAME, signals_for

__all__ = ["PLUG"]

PLUG = SignalPlug(
    name=NAME,
    title="TDMRep",
    order=50,
    signals_for=signals_for,
    steps=(NAME,),
    step=Step(NAME, "TDMRep", run, about="page", section="rights", order=40, summary=summary),
    read_page=read_page,
    vocabularies=(
        Vocabulary(
            name="TDMRep",
            source="W3C community group, final report",
            date="2024-05-10",
            words=("tdm-reservation", "tdm-policy"),
        ),
    ),
)
