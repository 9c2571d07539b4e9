"""All signals that are registered, asked together: where everybody who judges asks.

`wireroom.rights` holds the rules and takes the signals as an argument; here they come from the registry, looked up
once in a process and path. A signal of another package counts like ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from wireroom.model import (
    USES,
    Article,
    Dossier,
    Evidence,
    Finding,
    Item,
    Original,
    Receipt,
    RobotsWord,
    Signal,
    Use,
    Verdict,
)
from wireroom.parse.page_tags import Fields, PageTags
from wireroom.ports import SignalPlug, Step, Vocabulary
from wireroom.registry import plugs
from wireroom.rights import receipts, review, rights_history, verdicts
from wireroom.rights.finding_changes import has_answer
from wireroom.rights.finding_index import UNSCOUTED, FindingIndex
from wireroom.rights.policy import Policy
from wireroom.signals.freshness import is_ahead, oldest_answer

Findings = Iterable[Finding] | FindingIndex


def all_signals() -> tuple[SignalPlug, ...]:
    """Every signal there is, in the order of the rights matrix."""
    return _signals_on(tuple(sys.path))


@cache
def _signals_on(_path: tuple[str, ...]) -> tuple[SignalPlug, ...]:
    known = plugs("signals", SignalPlug).values()
    return tuple(sorted(known, key=lambda plug: (plug.order, plug.name)))


def label_of(family: str) -> str:
    """What people call a signal: its row of the rights matrix; one that is not registered has its name alone."""
    return next((plug.label or plug.title for plug in all_signals() if plug.name == family), family)


def with_labels(verdicts_given: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The same verdicts with each signal under the name that people know it by, for a reason that they read."""

    def named(signals: tuple[Signal, ...]) -> tuple[Signal, ...]:
        return tuple(replace(signal, family=label_of(signal.family)) for signal in signals)

    return tuple(
        replace(verdict, because=named(verdict.because), unseen=named(verdict.unseen))
        for verdict in verdicts_given
    )


def all_steps() -> Mapping[str, Step]:
    """Every scouting step by name: those of `scout.steps`, and those of the signals."""
    return _steps_on(tuple(sys.path))


@cache
def _steps_on(path: tuple[str, ...]) -> Mapping[str, Step]:
    own = {plug.step.name: plug.step for plug in _signals_on(path) if plug.step is not None}
    return MappingProxyType(dict(sorted((own | plugs("scout.steps", Step)).items())))


def vocabularies() -> tuple[Vocabulary, ...]:
    """The words we understand, by standard: whoever renews a reader finds here what has aged."""
    return tuple(words for plug in all_signals() for words in plug.vocabularies)


def gather(findings: Findings, url: str) -> tuple[Signal, ...]:
    """What every signal says of the address, in one order."""
    return verdicts.gather(all_signals(), findings, url)


def judge(
    findings: Findings, url: str, *, uses: Sequence[Use] = USES, now: datetime | None = None
) -> tuple[Verdict, ...]:
    """One verdict per use for the page at this address, from findings alone."""
    return verdicts.judge(all_signals(), findings, url, uses=uses, now=now)


def make_receipt(
    findings: Findings,
    url: str,
    *,
    robots_word: RobotsWord,
    licence_url: str = "",
    now: datetime,
    page_read: bool = False,
    page_unread: str = "",
    also: Iterable[Signal] = (),
) -> Receipt:
    """The verdicts for the page at this address, as they are kept with its article."""
    return receipts.make_receipt(
        all_signals(),
        findings,
        url,
        robots_word=robots_word,
        licence_url=licence_url,
        now=now,
        page_read=page_read,
        page_unread=page_unread,
        also=also,
    )


def page_findings(
    tags: PageTags, *, now: datetime, known: Findings | None = None
) -> tuple[Finding, ...]:
    """What a page that was just read says of itself, as findings beside those of its publisher."""
    return receipts.page_findings(all_signals(), tags, now=now, known=known)


def item_findings(item: Item, url: str, *, now: datetime) -> tuple[Finding, ...]:
    """What the feed says of the page in its item, which was found at `url` in the end."""
    return receipts.item_findings(all_signals(), item, url, now=now)


def feed_refusals(headers: Fields, feed_url: str, *, now: datetime) -> tuple[Signal, ...]:
    """What the headers of a feed refuse machines, for texts that were taken from the feed itself."""
    return receipts.feed_refusals(all_signals(), headers, feed_url, now=now)


def feed_unread(headers: Fields, feed_url: str, *, now: datetime) -> str:
    """Why the headers of a feed were not all read; empty where they were."""
    return receipts.feed_unread(all_signals(), headers, feed_url, now=now)


def findings_on(
    domain: str, dossier: Dossier | None, *, now: datetime, unasked: str = ""
) -> tuple[Finding, ...]:
    """What is known of a host; steps that were never run count as steps that could not look.

    `unasked` says why the host could not be asked when it should have been: then no step could look.
    """
    known = dossier.findings if dossier is not None else ()
    ran = {finding.step for finding in known}
    never = {"error": f"{domain} was not scouted yet", "reason": "unscouted", UNSCOUTED: True}
    missing = [finding for finding in _unseen_steps(domain, never, now) if finding.step not in ran]
    if unasked:
        missing += _unseen_steps(domain, {"error": f"{domain} could not be asked: {unasked}"}, now)
    return (*known, *missing)


def _unseen_steps(domain: str, why: Mapping[str, Any], now: datetime) -> tuple[Finding, ...]:
    host = (Evidence(url=f"https://{domain}/"),)
    steps = dict.fromkeys(step for plug in all_signals() for step in plug.steps)
    return tuple(
        Finding(step=step, outcome="skipped", facts=why, evidence=host, found_at=now)
        for step in steps
    )


def receipt_today(article: Article | Original, findings: FindingIndex, *, now: datetime) -> Receipt:
    """The receipt of an article as it would be written now."""
    return review.receipt_today(all_signals(), article, findings, now=now)


def review_article(
    article: Article,
    findings: FindingIndex,
    policy: Policy,
    *,
    now: datetime,
    former: Sequence[Receipt] = (),
) -> review.Review | None:
    """What new findings change for an article that is held, by all its receipts; None when nothing does."""
    return review.review_article(all_signals(), article, findings, policy, now=now, former=former)


def rights_as_of(dossier: Dossier) -> datetime:
    """When the oldest answer was given that its verdicts rest on; steps that could not look gave none."""
    steps = {step for plug in all_signals() for step in plug.steps}
    found = [
        finding for finding in dossier.findings if finding.step in steps and has_answer(finding)
    ]
    times = (answered_at(finding, dossier.publisher.home_url) for finding in found)
    return min(times, default=dossier.scouted_at)


def is_dated_ahead(dossier: Dossier, now: datetime) -> bool:
    """Whether something of it has a time that is still to come: the clock was set back since."""
    return dossier.scouted_at > now or any(is_ahead(found, now) for found in dossier.findings)


def answered_at(finding: Finding, home_url: str) -> datetime:
    """When the oldest answer was given that the finding rests on."""
    return oldest_answer(finding, home_url) or finding.found_at


def history_of_rights(
    history: Iterable[Finding], home_url: str
) -> tuple[rights_history.RightsChange, ...]:
    """Each flip of a verdict and each changed line of a signal in a history of findings, oldest first."""
    return rights_history.rights_history(all_signals(), history, home_url)
