"""`wireroom backfill`: takes older articles of a publisher from its sitemaps."""

from __future__ import annotations

from typing import Annotated

import typer

from wireroom.cli.session import Json, Session
from wireroom.ports import Command

Domain = Annotated[str, typer.Argument(metavar="DOMAIN", help="Whose articles.")]
Since = Annotated[
    str, typer.Option("--since", metavar="WHEN", help="From then on: 2026-05, monday, 30d.")
]
Until = Annotated[str, typer.Option("--until", metavar="WHEN", help="Up to its end; else now.")]
Limit = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, help="So many pages more, and no more.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what there is, and save nothing.")]
Sitemaps = Annotated[
    list[str] | None,
    typer.Option("--sitemap", metavar="URL", help="Ask this sitemap; may be repeated."),
]


def backfill(
    session: Session,
    domain: Domain,
    since: Since,
    until: Until = "",
    limit: Limit = None,
    dry_run: DryRun = False,
    sitemaps: Sitemaps = None,
    json: Json = False,
) -> int:
    """Take older articles of a publisher from its sitemaps.

    Pages that are dated in the range and look like articles are put down to be read by the next run. Running it again
    goes on where it stopped, and adds nothing twice. Exit code 3 when there is nothing in the range or no sitemap is known;
    4 and 5 when its homepage is forbidden by robots.txt or blocked by the server.
    """
    from wireroom.app.backfill import Backfill, backfill_publisher
    from wireroom.app.scout import read_address
    from wireroom.cli.backfill.backfill_view import BackfillView, read_span
    from wireroom.cli.batch import show_results

    wanted = Backfill(
        publisher=read_address(domain).domain,
        span=read_span(since, until, zone=session.load().settings.display.reader_zone()),
        limit=limit,
        dry_run=dry_run,
        sitemap_urls=tuple(read_address(url).candidates[0] for url in sitemaps or ()),
    )
    shown = BackfillView(session.streams, wanted)
    with session.app_to_read() if dry_run else session.app() as app:
        results = backfill_publisher(app, wanted)
        show_results(session.streams, "Sitemaps", results, shown.add)
    return shown.end(json=json)


PLUG = Command("backfill", backfill, order=38)
