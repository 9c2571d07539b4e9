"""All signals that are registered, asked together: the door for everybody who judges.

`wireroom.rights` holds the rules and takes the signals as an argument; here they come from the registry, looked up
once in a process and path. A signal of another package counts like ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import MappingProxyType

from wireroom.model import (
    USES,
    Article,
    Finding,
    Item,
    Receipt,
    RobotsWord,
    Signal,
    Use,
    Verdict,
)
from wireroom.parse.page_tags import PageTags
from wireroom.ports import SignalPlug, Step, Vocabulary
from wireroom.registry import plugs
from wireroom.rights import receipts, review, verdicts
from wireroom.rights.finding_index import FindingIndex
from wireroom.rights.policy import Policy

Findings = Iterable[Finding] | FindingIndex


def all_signals() -> tuple[SignalPlug, ...]:
    """Every signal there is, in the order of the rights matrix."""
    return _signals_on(tuple(sys.path))


@cache
def _signals_on(_path: tuple[str, ...]) -> tuple[SignalPlug, ...]:
    known = plugs("signals", SignalPlug).values()
    return tuple(sorted(known, key=lambda plug: (plug.order, plug.name)))


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


def judge(findings: Findings, url: str, *, uses: Sequence[Use] = USES) -> tuple[Verdict, ...]:
    """One verdict per use for the page at this address, from findings alone."""
    return verdicts.judge(all_signals(), findings, url, uses=uses)


def make_receipt(
    findings: Findings,
    url: str,
    *,
    robots_word: RobotsWord,
    licence_url: str = "",
    now: datetime,
) -> Receipt:
    """The verdicts for the page at this address, as they are kept with its article."""
    return receipts.make_receipt(
        all_signals(), findings, url, robots_word=robots_word, licence_url=licence_url, now=now
    )


def page_findings(
    tags: PageTags, *, now: datetime, known: Findings | None = None
) -> tuple[Finding, ...]:
    """What a page that was just read says of itself, as findings beside those of its publisher."""
    return receipts.page_findings(all_signals(), tags, now=now, known=known)


def item_findings(item: Item, *, now: datetime) -> tuple[Finding, ...]:
    """What the feed says of the page in its item."""
    return receipts.item_findings(all_signals(), item, now=now)


def receipt_today(article: Article, findings: FindingIndex, *, now: datetime) -> Receipt:
    """The receipt of an article as it would be written now."""
    return review.receipt_today(all_signals(), article, findings, now=now)


def review_article(
    article: Article, findings: FindingIndex, policy: Policy, *, now: datetime
) -> review.Review | None:
    """What new findings change for an article that is held; None when nothing does."""
    return review.review_article(all_signals(), article, findings, policy, now=now)
