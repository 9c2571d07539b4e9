"""What new findings mean for an article that is held: its receipt as it would be written today.

Pure. What the page and its feed item said of themselves when it was read still counts; all else is read
from the publisher's findings as they are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from wireroom.model import Article, Original, Receipt, RobotsWord, Signal, Use, Word
from wireroom.ports import SignalPlug
from wireroom.rights.finding_index import FindingIndex, robots_word
from wireroom.rights.policy import Policy, StorageAnswer, decide_storage
from wireroom.rights.receipts import for_receipt, with_documents
from wireroom.rights.verdicts import gather, unread_page, unseen, weigh
from wireroom.urls import same_page

W = TypeVar("W", bound=str)

PERMITTING: Final[tuple[Any, ...]] = ("allow", "unknown", "paid", "deny")
"""Words, the one that permits most first: what is taken on an unknown must go on a deny."""
_ROBOTS: Final[tuple[RobotsWord, ...]] = ("allowed", "unknown", "disallowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """How the rights of an article have changed, and what the policy leaves of it."""

    article_id: str
    publisher: str
    url: str
    title: str
    changes: Mapping[Use, tuple[Word, Word]]
    """Use to the word that something of it was taken under and the one that holds now."""
    robots_before: RobotsWord
    """What robots.txt said of the page when it was read first; the receipt has what it says now."""
    receipt: Receipt
    """As it would be written now."""
    storage: StorageAnswer
    """How much may be kept now, and why not all."""


def review_article(
    plugs: Iterable[SignalPlug],
    article: Article,
    findings: FindingIndex,
    policy: Policy,
    *,
    now: datetime,
    former: Sequence[Receipt] = (),
) -> Review | None:
    """What has changed; None when every verdict is as it was, or when there is nothing to compare.

    `former` are the receipts it had before, oldest first: a page that was read again after its publisher changed
    its mind has a new one, and what was taken under the old one is held all the same.
    """
    if article.receipt is None:
        return None
    receipt = receipt_today(plugs, article, findings, now=now)
    held = (*former, article.receipt)
    changes = _changes(held, receipt)
    robots_before = first_to_permit([each.robots for each in held], receipt.robots, _ROBOTS)
    if robots_before == receipt.robots and not changes:
        return None
    return Review(
        article_id=article.id,
        publisher=article.publisher,
        url=article.url,
        title=article.title,
        changes=changes,
        robots_before=robots_before,
        receipt=receipt,
        storage=_storage(policy, receipt),
    )


def receipt_today(
    plugs: Iterable[SignalPlug],
    article: Article | Original,
    findings: FindingIndex,
    *,
    now: datetime,
) -> Receipt:
    """The receipt of the article as it would be written now, from the findings on its publisher."""
    held = article.receipt or Receipt(checked_at=now)
    word, _ = robots_word(findings, article.url)
    robots = held.robots if word == "unknown" else word
    plugs = tuple(plugs)
    findings = with_documents(plugs, held, article.url, findings)
    signals = {*gather(plugs, findings, article.url), *_own_signals(held, article)}

    def missing() -> tuple[Signal, ...]:
        why = held.page_unread  # a scout of its publisher does not read it
        of_page = unread_page(plugs, article.url, why) if why else ()
        return (*unseen(plugs, findings, article.url, page_read=True), *of_page)

    verdicts = for_receipt(weigh(signals, unseen=missing, now=now))
    return replace(held, verdicts=verdicts, robots=robots, checked_at=now)


def _storage(policy: Policy, receipt: Receipt) -> StorageAnswer:
    """What the verdicts leave; a page that robots.txt closed later is no reason to forget it."""
    return decide_storage(policy, receipt.verdicts)


def _own_signals(receipt: Receipt, article: Article | Original) -> Iterable[Signal]:
    """What the page, or its feed item, said of itself."""
    kept = {
        signal for verdict in receipt.verdicts for signal in (*verdict.because, *verdict.conflicts)
    }
    return {signal for signal in kept if _is_own(signal, article)}


def _is_own(signal: Signal, article: Article | Original) -> bool:
    where = signal.evidence.url
    return where == article.feed_url != "" or same_page(where, article.url)


def _changes(held: Sequence[Receipt], now: Receipt) -> dict[Use, tuple[Word, Word]]:
    """Use by use the word that something was taken under, and the one that holds now, where they differ."""
    words = [{verdict.use: verdict.value for verdict in receipt.verdicts} for receipt in held]
    found = {
        verdict.use: (
            first_to_permit([each.get(verdict.use, "unknown") for each in words], verdict.value),
            verdict.value,
        )
        for verdict in now.verdicts
    }
    return {use: (before, after) for use, (before, after) in found.items() if before != after}


def first_to_permit(words: Sequence[W], now: W, order: Sequence[W] = PERMITTING) -> W:
    """The oldest word that permitted more than what holds now; the newest where none did.

    Between an allow and an allow may lie a deny: nothing that was taken under it must go. Between two refusals may
    lie an allow: what was taken then must.
    """
    permitted = (word for word in words if order.index(word) < order.index(now))
    return next(permitted, words[-1])
