"""`wireroom test-feed`: reads a feed and some of its pages without keeping anything, to try selectors."""

from __future__ import annotations

from typing import Annotated

import typer

from wireroom.cli.add import BodySelector, FieldMap, MetadataSelectors, NoJsonLd
from wireroom.cli.feeds.naming import FeedName
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

Pages = Annotated[
    list[str] | None,
    typer.Option("--page", metavar="FILE|URL", help="Read this page; may be repeated."),
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=20, help="So many pages of the feed at most.")
]


def try_feed(
    session: Session,
    name: FeedName,
    pages: Pages = None,
    limit: Limit = 3,
    body_selector: BodySelector = "",
    metadata_selectors: MetadataSelectors = None,
    no_json_ld: NoJsonLd = False,
    field_map: FieldMap = None,
    json: Json = False,
) -> int:
    """Try a feed and selectors for its pages; nothing is kept.

    Asks the feed and reads its first pages, or the pages that are named, saved or live. Selectors that are given are
    laid over those of the feed, and before and after are shown side by side. Exit code 3 when a selector matches
    nothing on any page, or when there is nothing to be read.
    """
    from wireroom.cli.add.wishes import pairs
    from wireroom.cli.test_feed.errand import Errand

    said = {
        "body_selector": body_selector,
        "metadata_selectors": pairs(metadata_selectors or (), "--metadata-selector"),
        "json_ld": "false" if no_json_ld else "",
        "field_map": pairs(field_map or (), "--field-map"),
    }
    given = {one: value for one, value in said.items() if value}
    return Errand(session, name, given).run(pages or [], limit=limit, json=json)


PLUG = Command("test-feed", try_feed, order=39)
