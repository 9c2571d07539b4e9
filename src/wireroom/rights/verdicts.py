"""From findings to verdicts: every signal is asked, and one word per use comes out.

Between signals a deny is never hidden: deny before paid before allow before unknown, and whoever said
otherwise is named as a conflict. Nothing said is unknown, never allow. A signal that could not be read keeps its last
refusal, and where it never had a word, an allow of others is unknown: it might have refused. Pure, and the order of findings and
signals changes nothing. Which signals there are is an argument; `wireroom.signals` asks all that are registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from wireroom.model import USES, Condition, Evidence, Finding, Signal, Use, Verdict, Word
from wireroom.ports import SignalPlug
from wireroom.rights.finding_index import (
    MEASURED,
    PAGES_AT,
    REFUSALS,
    FindingIndex,
    as_index,
    is_forgotten,
    why_unseen,
)
from wireroom.urls import same_page

_FIRST: Final[tuple[Word, ...]] = ("deny", "paid", "allow")
_FORGOTTEN: Final = (
    "the page spoke of rights before, and what it said is not kept: ask for it again"
)
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
    now: datetime | None = None,
) -> tuple[Verdict, ...]:
    """One verdict per use for the page at this address, from findings alone.

    Whoever asks for many pages of a publisher hands in a `FindingIndex`, and is answered sooner.
    """
    plugs, index = tuple(plugs), as_index(findings)
    missing = partial(unseen, plugs, index, url)
    return weigh(gather(plugs, index, url), uses=uses, unseen=missing, now=now)


def gather(
    plugs: Iterable[SignalPlug], findings: Iterable[Finding] | FindingIndex, url: str
) -> tuple[Signal, ...]:
    """What the signals say of the address, each statement once, in one order."""
    plugs, index = tuple(plugs), as_index(findings)
    found = {signal for plug in plugs for signal in plug.signals_for(index, url)}
    last = index.last_known()
    if last is not None:
        found |= set(_last_refusals(plugs, last, url))
    return tuple(sorted(found, key=_order))


def _last_refusals(plugs: Iterable[SignalPlug], last: FindingIndex, url: str) -> Iterator[Signal]:
    """What was refused when it could be read for the last time."""
    return (
        signal
        for plug in plugs
        for signal in plug.signals_for(last, url)
        if signal.value in REFUSALS
    )


def unseen(
    plugs: Iterable[SignalPlug],
    findings: Iterable[Finding] | FindingIndex,
    url: str,
    *,
    page_read: bool = False,
) -> tuple[Signal, ...]:
    """Signals that might refuse a use of the page and could not be read, as unknown, with the reason.

    With `page_read` the page itself was read: what speaks of single pages alone was seen, but for what a page said to
    somebody else later and nobody has kept.
    """
    index = as_index(findings)
    found = (
        signal
        for plug in plugs
        if plug.refuses
        for signal in (
            _forgotten_of(plug, index, url)
            if page_read and plug.of_page
            else _unseen_of(plug, index, url)
        )
    )
    return tuple(sorted(set(found), key=_order))


def unread_page(plugs: Iterable[SignalPlug], url: str, why: str) -> tuple[Signal, ...]:
    """Signals that the page itself might hold, which could not be read, as unknown."""
    evidence = Evidence(url=url, excerpt=why)
    return tuple(
        signal
        for plug in plugs
        if plug.read_page is not None
        for signal in _unseen_signals(plug, evidence)
    )


def _unseen_of(plug: SignalPlug, index: FindingIndex, url: str) -> Iterator[Signal]:
    if plug.unseen is not None:
        yield from plug.unseen(index, url)
    for step in plug.steps:
        for finding in index.findings(step):
            why = why_unseen(finding) or _page_unread(plug, finding, url)
            if why:
                where = finding.evidence[0].url if finding.evidence else url
                yield from _unseen_signals(plug, Evidence(url=where, excerpt=why))


def _forgotten_of(plug: SignalPlug, index: FindingIndex, url: str) -> Iterator[Signal]:
    for step in plug.steps:
        if any(is_forgotten(finding, url) for finding in index.findings(step)):
            yield from _unseen_signals(plug, Evidence(url=url, excerpt=_FORGOTTEN))


def _page_unread(plug: SignalPlug, finding: Finding, url: str) -> str:
    """Why the very page in question could not be read, where the finding is about it."""
    if plug.read_page is None:
        return ""
    measured = finding.facts.get(MEASURED)
    times = measured.get(PAGES_AT) if isinstance(measured, Mapping) else None
    pages = times.items() if isinstance(times, Mapping) else ()
    answers = [at for page, at in pages if same_page(str(page), url)]
    if any(answers):
        return ""  # what failed was another page, such as the front page
    if is_forgotten(finding, url):
        return _FORGOTTEN
    about, error = finding.facts.get("page_url"), finding.facts.get("error")
    if error and isinstance(about, str) and same_page(about, url):
        return str(error)
    return "the page could not be read" if answers else ""


def _unseen_signals(plug: SignalPlug, evidence: Evidence) -> Iterator[Signal]:
    for use in plug.refuses:
        yield Signal(family=plug.name, use=use, value="unknown", evidence=evidence)


def weigh(
    signals: Iterable[Signal],
    *,
    uses: Sequence[Use] = USES,
    unseen: Callable[[], Iterable[Signal]] = tuple,
    now: datetime | None = None,
) -> tuple[Verdict, ...]:
    """What the signals come to, use by use; those `unseen` might have refused, and are asked for where a use is allowed.

    A word that does not hold yet is named as a conflict, so that a receipt keeps it. Without a time all hold, and what
    is unseen from some time on is seen.
    """
    ordered = sorted(set(signals), key=_order)
    verdicts = tuple(
        _verdict(use, [signal for signal in ordered if signal.use == use], now) for use in uses
    )
    if all(verdict.value != "allow" for verdict in verdicts):
        return verdicts  # most pages: to ask what could not be read takes as long as all the rest
    missing = sorted({signal for signal in unseen() if _is_missing(signal, now)}, key=_order)
    return tuple(
        _with_unseen(verdict, tuple(signal for signal in missing if signal.use == verdict.use))
        for verdict in verdicts
    )


def _with_unseen(verdict: Verdict, missing: tuple[Signal, ...]) -> Verdict:
    """An allow is none while somebody who might refuse could not be read; the allows become conflicts."""
    if not missing or verdict.value != "allow":
        return verdict
    return replace(
        verdict,
        value="unknown",
        because=(),
        conflicts=(*verdict.because, *verdict.conflicts),
        undecided=(),
        unseen=missing,
    )


def _verdict(use: Use, stated: list[Signal], now: datetime | None) -> Verdict:
    signals = [signal for signal in stated if _holds(signal, now)]
    later = tuple(signal for signal in stated if not _holds(signal, now))
    words = {signal.value for signal in signals}
    value: Word = next((word for word in _FIRST if word in words), "unknown")
    return Verdict(
        use=use,
        value=value,
        conditions=() if value == "deny" else _conditions(signals),
        because=tuple(signal for signal in signals if signal.value == value),
        conflicts=(
            *(signal for signal in signals if signal.value not in {value, "unknown"}),
            *later,
        ),
        undecided=()
        if value == "unknown"
        else tuple(signal for signal in signals if signal.value == "unknown"),
    )


def _holds(signal: Signal, now: datetime | None) -> bool:
    return signal.holds_after is None or now is None or signal.holds_after <= now


def _is_missing(signal: Signal, now: datetime | None) -> bool:
    return signal.holds_after is None or (now is not None and signal.holds_after <= now)


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
