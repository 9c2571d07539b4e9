"""What a person does to one article: takes it out of its cluster, has it read anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wireroom.app.cluster_round import uncluster
from wireroom.app.explain import IDS, find_article
from wireroom.app.reparse import ReparseRequest, kept_page, reparse_pages
from wireroom.app.retry import retry_leads
from wireroom.app.waiting import Wait
from wireroom.errors import SettingsError
from wireroom.model import Article
from wireroom.ports import Engine

if TYPE_CHECKING:
    from wireroom.app.application import App


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclustered:
    """An article that is in no cluster from now on."""

    article: Article
    cluster_id: str = ""
    """The cluster it was in; empty where it was in none."""
    others: tuple[str, ...] = ()
    """The ids of those it was clustered with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnew:
    """What came of reading an article anew."""

    article: Article
    outcome: Literal["changed", "same", "unread", "opened", "not_opened"]
    """From its kept page: it changed, reads the same, or gives no article any more. Without one: its lead is due, or there is none."""
    fields: tuple[str, ...] = ()
    """Of one that changed: what."""
    reason: str = ""
    """Why the page gives no article."""
    wait: Wait | None = None
    """Of one whose page is fetched again: what it waits for."""


def uncluster_article(app: App, which: str) -> Unclustered:
    """Takes an article out of its cluster for good, whatever is read of it later; SettingsError where there is none such."""
    article = _held(app, which)
    cluster = uncluster(app, article)
    if cluster is None:
        return Unclustered(article=article)
    others = tuple(member for member in cluster.members if member != article.id)
    return Unclustered(article=article, cluster_id=cluster.id, others=others)


async def read_anew(engine: Engine, app: App, which: str) -> ReadAnew:
    """Reads the kept page of an article with today's extractor and saves what differs; without one its lead is due.

    SettingsError where there is no such article.
    """
    article = _held(app, which)
    if kept_page(app, article) is None:
        retried = retry_leads(app, url=article.url)
        if not retried.opened:
            return ReadAnew(article=article, outcome="not_opened")
        return ReadAnew(article=article, outcome="opened", wait=next(iter(retried.waits), None))
    request = ReparseRequest(articles=(article.id,))
    summary = await reparse_pages(app, request, engine, apply=True)
    if summary.unread:
        return ReadAnew(article=article, outcome="unread", reason=next(iter(summary.unread)))
    now = app.store.article(article.id) or article
    if not summary.saved:
        return ReadAnew(article=now, outcome="same")
    fields = summary.examples[0].fields if summary.examples else ()
    return ReadAnew(article=now, outcome="changed", fields=fields)


def _held(app: App, which: str) -> Article:
    article = find_article(app, which)
    if article is None:
        raise SettingsError([f"no article is held under {which}"], hint=IDS)
    return article
