"""Which articles that were exported for a use may not be used any more, and why.

Pure: what left, what is held of it now and who refuses it now are arguments.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from wireroom.model import Article, Evidence, Receipt, Removal, RemovalCause, Use
from wireroom.ports import Exported
from wireroom.rights.policy import word_about

WITHDRAWN: Final = "its publisher has withdrawn it"
PURGED: Final = "it was removed"


class Refusal(NamedTuple):
    """Why an article may not be exported for a use, and the receipt that says so; none where nothing is known."""

    reason: str
    receipt: Receipt | None = None


def decide_removal(
    left: Exported, article: Article | None, refusal: Refusal | None, use: Use, *, now: datetime
) -> Removal | None:
    """What whoever has the article is told; None when it may be used as before."""
    removed = partial(_removal, left, use, now)
    if article is None:
        return removed("purged", left.reason or PURGED)
    if article.state == "withdrawn":
        return removed("withdrawn", WITHDRAWN, (Evidence(url=left.url),))
    if refusal is None:
        return None
    return removed("rights", refusal.reason, evidence_about(refusal.receipt, use))


def evidence_about(receipt: Receipt | None, use: Use) -> tuple[Evidence, ...]:
    """Where it was read what a receipt says about a use, or what could not be read, each place once."""
    verdicts = receipt.verdicts if receipt is not None else ()
    found = (
        signal.evidence
        for verdict in verdicts
        if verdict.use == use
        for signal in verdict.unseen or verdict.because
    )
    return tuple(dict.fromkeys(found))


def _removal(
    left: Exported,
    use: Use,
    now: datetime,
    cause: RemovalCause,
    reason: str,
    evidence: tuple[Evidence, ...] = (),
) -> Removal:
    return Removal(
        id=left.article_id,
        url=left.url,
        cause=cause,
        reason=reason,
        evidence=evidence,
        removed_at=now,
        left_at=left.left_at,
        left_under=word_about(left.receipt, use),
    )
