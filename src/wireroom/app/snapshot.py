"""The original of an article, as far as its page is kept: harmless HTML with kept and dropped texts marked.

The page is a stranger's: a worker reads it, under the limits of every page, and what comes back is sanitised
once more. It is for a frame that runs and loads nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from wireroom.app.application import refuse_running_loop
from wireroom.app.engines import open_engine
from wireroom.app.explain import find_article
from wireroom.app.reparse import kept_page
from wireroom.errors import SettingsError
from wireroom.model import Article
from wireroom.ports import Engine, Lost
from wireroom.workers.document_jobs import Unread
from wireroom.workers.snapshot_jobs import SnapshotRead, Snapshotting

if TYPE_CHECKING:
    from wireroom.app.application import App

CLASSES: Final = frozenset({"kept", "dropped", "image"})
"""Every class that stands in a snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The page of an article as it was fetched."""

    article: Article
    html: str = ""
    """What goes into the body of a document; empty where the page could not be shown."""
    kept: int = 0
    dropped: int = 0
    """Runs of text of each."""
    cut: bool = False
    """Whether the page is longer than what is shown."""
    fetched_at: datetime
    problem: str = ""
    """Why it cannot be shown, or why it gives no article now."""


def article_snapshot(app: App, which: str) -> Snapshot | None:
    """The page of the article with this id or address; None where there is no such article or its page is not kept.

    Starts a worker of its own, which takes a second: who serves many hands an engine to `snapshot_by`.
    """

    async def work() -> Snapshot | None:
        async with open_engine(app.settings, workers=1) as engine:
            return await snapshot_by(engine, app, which)

    refuse_running_loop("article_snapshot", "await snapshot_by(engine, app, which)")
    return asyncio.run(work())


def has_page(app: App, article: Article) -> bool:
    """Whether the page of an article is kept."""
    return app.store.raw(article.id) is not None


async def snapshot_by(engine: Engine, app: App, which: str) -> Snapshot | None:
    """The same with an engine that is open already."""
    article = find_article(app, which)
    page = kept_page(app, article) if article is not None else None
    if article is None or page is None:
        return None
    at = article.fetched_at
    async with aclosing(engine.spread([page], Snapshotting())) as outcomes:
        async for done in outcomes:
            outcome = done.message if isinstance(done, Lost) else done.outcome
            if isinstance(outcome, SnapshotRead):
                return Snapshot(
                    article=article,
                    html=sanitised(outcome.html),
                    kept=outcome.kept,
                    dropped=outcome.dropped,
                    cut=outcome.cut,
                    fetched_at=at,
                    problem=outcome.problem,
                )
            message = outcome.message if isinstance(outcome, Unread) else outcome
            return Snapshot(article=article, fetched_at=at, problem=message)
    raise AssertionError("an engine gives an outcome for each piece of work")


def sanitised(html: str) -> str:
    """The HTML with nothing in it but the few elements and classes of a snapshot."""
    try:
        import nh3
    except ImportError as exc:
        raise SettingsError(
            ["the original of an article needs the extra web"],
            hint='Install it: pip install "wireroom[web]"',
        ) from exc
    from wireroom.parse.page_snapshot import TAGS

    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={"*": {"lang", "dir"}, "span": {"title", "lang", "dir"}},
        allowed_classes={"span": set(CLASSES)},
        url_schemes=set(),
        link_rel=None,
    )
