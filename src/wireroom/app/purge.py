"""Taking articles and raw pages away for good: by age, feed, publisher, or because the policy wants it.

What would go is planned first, so that somebody can be asked; then it goes, some at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from wireroom.app.page_rights import PolicyResult, apply_policy, rights_reviews
from wireroom.errors import SettingsError, Wording
from wireroom.export.atomic_files import write_errors
from wireroom.export.selection import find_cursor
from wireroom.query import Query
from wireroom.query.query_tree import AllOf, FacetTerm, TimeTerm
from wireroom.urls import publisher_domain

if TYPE_CHECKING:
    from wireroom.app.application import App

AT_ONCE = 200  # articles removed in one transaction: others may write in between


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgePlan:
    """The articles that would go."""

    ids: tuple[str, ...] = ()
    publishers: Mapping[str, int] = field(default_factory=dict)
    """How many of each publisher."""
    oldest_at: datetime | None = None
    newest_at: datetime | None = None
    has_more: bool = False
    """Whether more are like that than were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What went."""

    articles: int = 0
    versions: int = 0
    raw_pages: int = 0


def feeds_to_purge(app: App, name: str) -> tuple[str, ...]:
    """The addresses that a name stands for; a feed that nobody follows any more has its address alone."""
    urls = tuple(feed.url for feed in app.store.feeds() if name in {feed.name, feed.url})
    return urls or ((name,) if "://" in name else ())


def publisher_to_purge(text: str) -> str:
    """The publisher's domain; what is none must not come to mean every publisher."""
    try:
        return publisher_domain(text if "://" in text else f"http://{text}")
    except ValueError as exc:
        raise SettingsError(
            [Wording(f"publisher {text!r}: {exc}", terminal=f"--publisher {text!r}: {exc}")],
            hint="Name its domain: courier.example",
        ) from exc


def plan_purge(
    app: App,
    *,
    before: datetime | None = None,
    publisher: str = "",
    feed_urls: Sequence[str] = (),
    query: str = "",
    most: int | None = None,
) -> PurgePlan:
    """The articles that are as old, of this publisher, by these feeds and match, at most so many; nothing is changed."""
    came_from = {address for url in feed_urls for address in app.store.feed_addresses(url)}
    ids: list[str] = []
    publishers = Counter[str]()
    times: list[datetime] = []
    has_more = False
    for article in app.store.articles(_chosen(app.query(query), before, publisher)):
        if feed_urls and article.feed_url not in came_from:
            continue
        if has_more := len(ids) == most:
            break
        at = article.published_at or article.fetched_at
        ids.append(article.id)
        publishers[article.publisher] += 1
        times = [min(at, *times), max(at, *times)] if times else [at, at]
    return PurgePlan(
        ids=tuple(ids),
        publishers=publishers,
        oldest_at=times[0] if times else None,
        newest_at=times[1] if times else None,
        has_more=has_more,
    )


def _chosen(query: Query, before: datetime | None, domain: str) -> Query:
    """What is to go: all of it has to hold. Two publishers are none, so nothing is merged here."""
    nodes = list(query.root.nodes)
    if before is not None:
        nodes.append(TimeTerm("published", before, is_after=False))
    if domain:
        nodes.append(FacetTerm("publisher", domain))
    return Query(AllOf(tuple(nodes)), query.typed)


def purge_articles(
    app: App, plan: PurgePlan, *, progress: Callable[[int, int], None] | None = None
) -> Purged:
    """Removes what was planned; what went already meanwhile is not counted."""
    gone = Counter[str]()
    for start in range(0, len(plan.ids), AT_ONCE):
        part = plan.ids[start : start + AT_ONCE]
        removed = app.store.remove_articles(part, reason="you asked for it", now=app.clock())
        gone.update(articles=removed.articles, versions=removed.versions)
        gone.update(raw_pages=removed.raw_pages)
        if progress is not None:
            progress(start + len(part), len(plan.ids))
    return Purged(articles=gone["articles"], versions=gone["versions"], raw_pages=gone["raw_pages"])


def purge_raw_pages(
    app: App,
    *,
    before: datetime | None = None,
    feed_urls: Sequence[str] = (),
    dry_run: bool = False,
) -> int:
    """Drops raw pages, while their articles stay; how many."""
    return sum(
        app.store.drop_raw_pages(before=before, feed_url=url, dry_run=dry_run)
        for url in feed_urls or ("",)
    )


def purge_cursor(app: App, path: Path, *, dry_run: bool = False) -> int | None:
    """Forgets a cursor of an export and what left under it; how many articles did, None when there is no such file."""
    cursor = find_cursor(path)
    if cursor is None:
        return None
    if dry_run:
        return sum(1 for _ in app.store.receipts.exported(cursor.id))
    count = app.store.receipts.forget_exported(cursor.id)
    with write_errors(path):
        path.unlink(missing_ok=True)
    return count


def purge_forbidden(app: App, *, dry_run: bool = False) -> PolicyResult:
    """Removes and cuts down what the policy no longer lets us keep, by what publishers say now."""
    policy = app.settings.rights.policy()
    return apply_policy(app, policy, rights_reviews(app, policy), dry_run=dry_run)
