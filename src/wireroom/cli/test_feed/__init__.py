"""`wireroom test-feed`: reads a feed and some of its pages without keeping anything, to try selectors."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedName, show_no_feed
from wireroom.cli.option_flags import takes_options
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.try_feed import FeedTrial

Pages = Annotated[
    list[str] | None,
    typer.Option("--page", metavar="FILE|URL", help="Read this page; may be repeated."),
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=20, help="So many pages of the feed at most.")
]


@takes_options(("body_selector", "metadata_selectors", "json_ld", "field_map"))
def try_one_feed(
    session: Session,
    texts: Mapping[str, str],
    name: FeedName,
    pages: Pages = None,
    limit: Limit = 3,
    json: Json = False,
) -> int:
    """Try a feed and selectors for its pages; nothing is kept.

    Polls the feed and reads its first pages, or the pages that are named, saved or live. Selectors that are given are
    laid over those of the feed, and before and after are shown side by side. Exit code 3 when there is no such feed, when a
    selector matches nothing on any page, or when there is nothing to be read.
    """
    import asyncio

    from wireroom.app.try_feed import try_feed

    settings = session.load().settings
    with session.app() if session.has_database() else nullcontext() as app:
        outcome = asyncio.run(
            try_feed(settings, name, texts, app=app, pages=pages or (), limit=limit)
        )
    if outcome is None:
        show_no_feed(session, [name])
        return NOTHING_FOUND
    return _show(session, outcome, json=json)


def _show(session: Session, outcome: FeedTrial, *, json: bool) -> int:
    from wireroom.cli.test_feed.trial_view import outcome_data, show_outcome, why_missing

    if json:
        session.streams.json(outcome_data(outcome))
    else:
        show_outcome(outcome, session.streams, session.reader_clock())
    for page in outcome.missing:
        session.streams.error(f"{page.name}: {why_missing(page)}")
    for name in outcome.unmatched:
        session.streams.error(
            f"{name}: matched nothing on any page. Try it on a saved page with: --page FILE"
        )
    return OK if outcome.tried and not outcome.unmatched else NOTHING_FOUND


PLUG = Command("test-feed", try_one_feed, order=39)
