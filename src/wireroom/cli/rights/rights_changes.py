"""`wireroom rights changes`: what is held under verdicts that no longer stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Session
from wireroom.cli.tables import TableColumn

if TYPE_CHECKING:
    from wireroom.app.page_rights import Review, RightsChanges

SHOWN = 200  # rows of the table; --json has all
COLUMNS = (
    TableColumn(head="article"),
    TableColumn(head="publisher", spare=1),
    TableColumn(head="changed", narrowest=24, folds=True),
    TableColumn(head="may be kept", spare=2),
    TableColumn(head="title", narrowest=12, spare=3),
)


def show_changes(session: Session, publishers: Sequence[str], *, json: bool) -> int:
    """Lists the articles; exit code 3 when there are none, or a publisher that nobody knows is named."""
    from wireroom.app.scout import read_address

    domains = [read_address(publisher).domain for publisher in publishers]
    found = _changes(session, domains)
    reviews, unknown = found.reviews, list(found.unknown)
    if json:
        session.streams.json(
            {"articles": [_data(review) for review in reviews], "unknown": unknown}
        )
    elif reviews:
        _show(session, reviews)
    elif not unknown or len(unknown) < len(domains):
        session.tell_none("Every article is held under the verdicts that stand now.")
    for domain in unknown:
        session.tell_unknown(domain)
    return OK if reviews and not unknown else NOTHING_FOUND


def _changes(session: Session, domains: Sequence[str]) -> RightsChanges:
    from wireroom.app.page_rights import RightsChanges, rights_changes

    if not session.has_database():
        return RightsChanges()
    with session.app() as app:
        return rights_changes(app, domains)


def _show(session: Session, reviews: Sequence[Review]) -> None:
    streams = session.streams
    rows = [
        (review.article_id, review.publisher, _changed(review), _left(review), review.title)
        for review in reviews
    ]
    streams.fitted_table(rows[:SHOWN], columns=COLUMNS)
    if len(rows) > SHOWN:
        streams.note(f"{len(rows) - SHOWN:,} more: --json shows all of them.")
    if any(review.storage.kept != "text" for review in reviews):
        streams.note("Carry it out: wireroom purge --rights-changed --dry-run")


def _changed(review: Review) -> str:
    changes = [f"{use}: {old} → {new}" for use, (old, new) in review.changes.items()]
    if review.robots_before != review.receipt.robots:
        changes.append(f"robots.txt: {review.robots_before} → {review.receipt.robots}")
    return ", ".join(changes)


def _left(review: Review) -> str:
    return {"text": "all of it", "excerpt": "an excerpt", "metadata": "no text"}.get(
        review.storage.kept, "nothing"
    )


def _data(review: Review) -> dict[str, Any]:
    return {
        "id": review.article_id,
        "publisher": review.publisher,
        "url": review.url,
        "title": review.title,
        "changes": {use: list(words) for use, words in review.changes.items()},
        "robots": review.receipt.robots,
        "robots_before": review.robots_before,
        "kept": review.storage.kept,
        "reason": review.storage.reason,
    }
