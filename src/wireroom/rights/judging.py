"""From findings to verdicts: every family speaks, and one word per use comes out.

Between families a deny is never hidden: deny before paid before allow before unknown, and whoever said
otherwise is named as a conflict. Nothing said is unknown, never allow. Pure, and the order of findings and
signals changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from wireroom.model import (
    USES,
    Condition,
    Evidence,
    Finding,
    RobotsWord,
    Signal,
    Use,
    Verdict,
    Word,
)
from wireroom.rights.facts import RobotsFacts
from wireroom.rights.families import FAMILIES
from wireroom.rights.family import Family, Heard, path_in, read_text, same_publisher
from wireroom.version import TOKEN

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
    findings: Iterable[Finding] | Heard, url: str, *, uses: Sequence[Use] = USES
) -> tuple[Verdict, ...]:
    """One verdict per use for the page at this address, from stored findings alone.

    Whoever asks for many pages of a publisher hands in what is `Heard` of it, and is told sooner.
    """
    return weigh(gather(findings, url), uses=uses)


def gather(
    findings: Iterable[Finding] | Heard, url: str, *, families: Iterable[Family] = FAMILIES
) -> tuple[Signal, ...]:
    """What every family says of the address, each signal once, in one order."""
    heard = findings if isinstance(findings, Heard) else Heard(findings)
    said = {signal for family in families for signal in family.speak(heard, url)}
    return tuple(sorted(said, key=_order))


def weigh(signals: Iterable[Signal], *, uses: Sequence[Use] = USES) -> tuple[Verdict, ...]:
    """What the signals come to, use by use."""
    ordered = sorted(set(signals), key=_order)
    return tuple(_verdict(use, [signal for signal in ordered if signal.use == use]) for use in uses)


def _verdict(use: Use, signals: list[Signal]) -> Verdict:
    said = {signal.value for signal in signals}
    value: Word = next((word for word in _FIRST if word in said), "unknown")
    return Verdict(
        use=use,
        value=value,
        conditions=() if value == "deny" else _conditions(signals),
        because=tuple(signal for signal in signals if signal.value == value),
        conflicts=tuple(signal for signal in signals if signal.value not in {value, "unknown"}),
    )


def _conditions(signals: Iterable[Signal]) -> tuple[Condition, ...]:
    """All that anybody asks for: who permits with conditions is not undone by who permits without."""
    found = {condition for signal in signals for condition in signal.conditions}
    return tuple(sorted(found, key=lambda one: (_KINDS.index(one.kind), one.detail)))


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


def robots_word(
    findings: Iterable[Finding] | Heard, url: str
) -> tuple[RobotsWord, Evidence | None]:
    """Whether robots.txt lets us read the address, and the line that says so.

    No robots.txt allows; one that could not be had leaves it unknown, and so does one of another host.
    """
    heard = findings if isinstance(findings, Heard) else Heard(findings)
    for facts in heard.of("robots", RobotsFacts):
        if not same_publisher(facts.url, url):
            continue
        if facts.state == "unreachable":
            return "unknown", Evidence(url=facts.url, excerpt="robots.txt could not be had")
        decision = read_text(facts.text).decide(TOKEN, path_in(url))
        evidence = Evidence(url=facts.url, line=decision.line, excerpt=decision.rule)
        return ("allowed" if decision.allowed else "disallowed"), evidence
    return "unknown", None
