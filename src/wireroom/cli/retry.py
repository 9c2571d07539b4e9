"""`wireroom retry`: opens pages again that were given up, or one that is to be read anew."""

from __future__ import annotations

from typing import Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import tell_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

Url = Annotated[
    str,
    typer.Argument(metavar="URL", help="One page, whatever came of it; none is all that failed."),
]
FeedOption = Annotated[
    str, typer.Option("--feed", metavar="NAME|URL", help="Pages that this feed led to.")
]
Refused = Annotated[
    bool,
    typer.Option(
        "--refused", help="Pages that robots.txt or rights forbade, instead of failed ones."
    ),
]
PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="Pages of this publisher.")
]


def retry(
    session: Session,
    url: Url = "",
    feed: FeedOption = "",
    publisher: PublisherOption = "",
    refused: Refused = False,
    json: Json = False,
) -> int:
    """Try pages again that were given up, or read one anew.

    They are read by the next run, with three attempts as if they were new; those of a paused feed when it is
    resumed. With --refused pages that were forbidden are asked for again, as after a change of robots.txt, rights
    or policy; what is still forbidden is refused again. Exit code 3 when there are none, or nothing is known of the publisher.
    """
    from wireroom.app.feeds import FollowedFeeds
    from wireroom.app.retry import check_page, retry_leads

    if url:
        check_page(url)
    opened, domain = 0, publisher.strip().lower().removeprefix("www.")
    if session.has_database():
        with session.app() as app:
            held = FollowedFeeds(app).feed_named(feed) if feed else None
            if feed and held is None:
                tell_no_feed(session, [feed])
                return NOTHING_FOUND
            if domain and not app.knows(domain):
                if json:
                    session.streams.json({"opened": 0})
                session.tell_unknown(domain)
                return NOTHING_FOUND
            opened = retry_leads(
                app,
                publisher=domain,
                feed_url=held.url if held else "",
                url=url,
                refused=refused,
            )
    if json:
        session.streams.json({"opened": opened})
    if not opened:
        session.tell_none(_nothing(url, refused=refused))
        return NOTHING_FOUND
    verb = "is" if opened == 1 else "are"
    session.streams.note(f"{counted(opened, 'page')} {verb} read by the next: wireroom run")
    return OK


def _nothing(url: str, *, refused: bool) -> str:
    if refused:
        return "No page is held back by robots.txt or rights."
    return f"{url} is unknown, or read by the next run anyway." if url else "No page was given up."


PLUG = Command("retry", retry, order=37)
