"""From findings to verdicts: every signal is asked, and one word per use comes out.

Between signals a deny is never hidden: deny before paid before allow before unknown, and whoever said
otherwise is named as a conflict. Nothing said is unknown, never allow. Pure, and the order of findings and
signals changes nothing. Which signals there are is an argument; `wireroom.signals` asks all that are registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from wireroom.model import USES, Condition, Finding, Signal, Use, Verdict, Word
from wireroom.ports import SignalPlug
from wireroom.rights.finding_index import FindingIndex, as_index

_FIRST: Final[tuple[Word, ...]] = ("deny", "paid", "allow")
_KINDS: Final = (
    "attribution",
    "non-commercial",
    "territory",
    "payment",
    "users",
    "redistribution",
)


def judge(
    plugs: Iterable[SignalPlug],
    findings: Iterable[Finding] | FindingIndex,
    url: str,
    *,
    uses: Sequence[Use] = USES,
) -> tuple[Verdict, ...]:
    """One verdict per use for the page at this address, from findings alone.

    Whoever asks for many pages of a publisher hands in a `FindingIndex`, and is answered sooner.
    """
    return weigh(gather(plugs, findings, url), uses=uses)


def gather(
    plugs: Iterable[SignalPlug], findings: Iterable[Finding] | FindingIndex, url: str
) -> tuple[Signal, ...]:
    """What the signals say of the address, each statement once, in one order."""
    index = as_index(findings)
    found = {signal for plug in plugs for signal in plug.signals_for(index, url)}
    return tuple(sorted(found, key=_order))


def weigh(signals: Iterable[Signal], *, uses: Sequence[Use] = USES) -> tuple[Verdict, ...]:
    """What the signals come to, use by use."""
    ordered = sorted(set(signals), key=_order)
    return tuple(_verdict(use, [signal for signal in ordered if signal.use == use]) for use in uses)


def _verdict(use: Use, signals: list[Signal]) -> Verdict:
    words = {signal.value for signal in signals}
    value: Word = next((word for word in _FIRST if word in words), "unknown")
    return Verdict(
        use=use,
        value=value,
        conditions=() if value == "deny" else _conditions(signals),
        because=tuple(signal for signal in signals if signal.value == value),
        conflicts=tuple(signal for signal in signals if signal.value not in {value, "unknown"}),
        undecided=()
        if value == "unknown"
        else tuple(signal for signal in signals if signal.value == "unknown"),
    )


def _conditions(signals: Iterable[Signal]) -> tuple[Condition, ...]:
    """All that anybody asks for: who permits with conditions is not undone by who permits without."""
    found = {condition for signal in signals for condition in signal.conditions}
    return tuple(sorted(found, key=lambda each: (_KINDS.index(each.kind), each.detail)))


def _order(signal: Signal) -> tuple[object, ...]:
    where = signal.evidence
    return (
        signal.family,
        signal.use,
        signal.value,
        where.url,
        where.line or 0,
        where.excerpt,
        signal.scope,
        tuple((condition.kind, condition.detail) for condition in signal.conditions),
    )
