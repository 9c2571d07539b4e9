"""`wireroom test-feed`: reads a feed and some of its pages without keeping anything, to try selectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from wireroom.cli.feeds.naming import FeedName
from wireroom.cli.option_flags import takes_options
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

Pages = Annotated[
    list[str] | None,
    typer.Option("--page", metavar="FILE|URL", help="Read this page; may be repeated."),
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=20, help="So many pages of the feed at most.")
]


@takes_options(("body_selector", "metadata_selectors", "json_ld", "field_map"))
def try_feed(
    session: Session,
    said: Mapping[str, str],
    name: FeedName,
    pages: Pages = None,
    limit: Limit = 3,
    json: Json = False,
) -> int:
    """Try a feed and selectors for its pages; nothing is kept.

    Asks the feed and reads its first pages, or the pages that are named, saved or live. Selectors that are given are
    laid over those of the feed, and before and after are shown side by side. Exit code 3 when a selector matches
    nothing on any page, or when there is nothing to be read.
    """
    from wireroom.cli.test_feed.errand import Errand

    return Errand(session, name, said).run(pages or [], limit=limit, json=json)


PLUG = Command("test-feed", try_feed, order=39)
