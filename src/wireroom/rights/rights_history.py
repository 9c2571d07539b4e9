"""What a publisher said about rights before, and what it says now: one entry for each flip and each changed line.

Pure. Verdicts are compared use by use, and what the signals say line by line, each with where it stands. A first word,
a step that could not look, and a page that was seen for the first time are no change; neither is a line that moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, zip_longest
from typing import Final, Literal, TypeAlias

from wireroom.model import Evidence, Finding, Signal, Use, Verdict, Word
from wireroom.ports import SignalPlug
from wireroom.rights.finding_changes import answered_urls, has_answer
from wireroom.rights.verdicts import gather, judge

MAX_PAGES: Final = 20  # compared beside the homepage, at each time

Uses: TypeAlias = tuple[tuple[Use, Word], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsChange:
    """One verdict that flipped, or one line of a signal that came, went or reads otherwise."""

    at: datetime
    kind: Literal["verdict", "signal"]
    url: str
    """The page that is judged."""
    family: str = ""
    """The signal; empty for a verdict."""
    uses: tuple[Use, ...] = ()
    """The use of a verdict, or all of which the line speaks."""
    old: str = ""
    """The verdict, or the line as it was; empty where there was none."""
    new: str = ""
    old_evidence: Evidence | None = None
    new_evidence: Evidence | None = None
    """Where it stands; of a verdict the line that decides it."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What one line says; where in its file it stands is no part of that."""

    family: str
    url: str
    excerpt: str
    uses: Uses
    conditions: tuple[str, ...]


def rights_history(
    plugs: Iterable[SignalPlug], history: Iterable[Finding], home_url: str
) -> tuple[RightsChange, ...]:
    """Every change in a history of findings, oldest first."""
    plugs = tuple(plugs)
    known: dict[str, Finding] = {}
    changes: list[RightsChange] = []
    ordered = sorted(history, key=lambda finding: finding.found_at)
    for at, found in groupby(ordered, key=lambda finding: finding.found_at):
        answered = {finding.step: finding for finding in found if has_answer(finding)}
        before = {**answered, **known}  # what was never seen before has not changed
        known = {**known, **answered}
        for url in _pages(before, known, answered, home_url):
            changes += changes_between(plugs, before.values(), known.values(), url, at=at)
    return tuple(dict.fromkeys(changes))


def changes_between(
    plugs: Iterable[SignalPlug],
    before: Iterable[Finding],
    after: Iterable[Finding],
    url: str,
    *,
    at: datetime,
) -> Iterator[RightsChange]:
    """What is different for the page at this address."""
    plugs, before, after = tuple(plugs), tuple(before), tuple(after)
    yield from _flips(judge(plugs, before, url, now=at), judge(plugs, after, url, now=at), url, at)
    yield from _lines(gather(plugs, before, url), gather(plugs, after, url), url, at)


def _pages(
    before: Mapping[str, Finding],
    after: Mapping[str, Finding],
    answered: Mapping[str, Finding],
    home_url: str,
) -> list[str]:
    """The homepage, and the pages that were answered for both times."""
    seen = {
        url: None
        for step in answered
        for url in answered_urls(after[step], "pages_at")
        if url in set(answered_urls(before[step], "pages_at"))
    }
    return list(dict.fromkeys((home_url, *seen)))[: 1 + MAX_PAGES]


def _flips(
    before: Sequence[Verdict], after: Sequence[Verdict], url: str, at: datetime
) -> Iterator[RightsChange]:
    for old, new in zip(before, after, strict=True):
        if old.value != new.value:
            yield RightsChange(
                at=at,
                kind="verdict",
                url=url,
                uses=(new.use,),
                old=old.value,
                new=new.value,
                old_evidence=_deciding(old),
                new_evidence=_deciding(new),
            )


def _deciding(verdict: Verdict) -> Evidence | None:
    return next((signal.evidence for signal in (*verdict.because, *verdict.unseen)), None)


def _lines(
    before: Iterable[Signal], after: Iterable[Signal], url: str, at: datetime
) -> Iterator[RightsChange]:
    old, new = _statements(before), _statements(after)
    gone = [stated for stated in old if stated not in new]
    come = [stated for stated in new if stated not in old]
    places = dict.fromkeys((stated.family, stated.url) for stated in (*gone, *come))
    for family, place in places:
        pairs = zip_longest(
            (stated for stated in gone if (stated.family, stated.url) == (family, place)),
            (stated for stated in come if (stated.family, stated.url) == (family, place)),
        )
        for was, now in pairs:
            yield RightsChange(
                at=at,
                kind="signal",
                url=url,
                family=family,
                uses=tuple(
                    dict.fromkeys(
                        use for statement in (was, now) if statement for use, _ in statement.uses
                    )
                ),
                old=_shown(was),
                new=_shown(now),
                old_evidence=old[was] if was else None,
                new_evidence=new[now] if now else None,
            )


def _statements(signals: Iterable[Signal]) -> dict[_Statement, Evidence]:
    """What is said line by line, each with where it stands."""
    by_line: dict[tuple[str, Evidence], list[Signal]] = {}
    for signal in signals:
        by_line.setdefault((signal.family, signal.evidence), []).append(signal)
    return {
        _Statement(
            family,
            evidence.url,
            evidence.excerpt,
            tuple((signal.use, signal.value) for signal in stated),
            tuple(f"{each.kind} {each.detail}" for signal in stated for each in signal.conditions),
        ): evidence
        for (family, evidence), stated in by_line.items()
    }


def _shown(stated: _Statement | None) -> str:
    """The line with what it comes to: a line may read the same and be worth something else."""
    if stated is None:
        return ""
    words = ", ".join(f"{use}: {word}" for use, word in stated.uses)
    return f"{stated.excerpt} ({words})" if stated.excerpt else words
