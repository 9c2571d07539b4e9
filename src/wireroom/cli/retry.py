"""`wireroom retry`: opens pages again that were given up, or one that is to be read anew."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import show_no_feed
from wireroom.cli.promises import promise_lines
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.waiting import Wait

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL|ID",
        help="One page, or that of an article, whatever came of it; none is all that failed.",
    ),
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

    They are read by the next run, with three attempts as if they were new; it says which of them have to wait, and
    for what: a paused feed, a host that is left alone, another process. With --refused pages that were forbidden are asked for again, as after a change of robots.txt, rights
    or policy; what is still forbidden is refused again. Exit code 3 when there are none, or nothing is known of the publisher.
    """
    from wireroom.app import utc_now
    from wireroom.app.explain import page_address
    from wireroom.app.feeds import FollowedFeeds
    from wireroom.app.retry import Retried, check_page, page_wait, retry_leads
    from wireroom.app.waiting import is_run_alive

    if "://" in url:
        check_page(url)
    done, domain = Retried(), publisher.strip().lower().removeprefix("www.")
    waits, is_alive, now = None, False, utc_now()
    if session.has_database():
        with session.app() as app:
            url = url and page_address(app, url)
            held = FollowedFeeds(app).feed_named(feed) if feed else None
            if feed and held is None:
                show_no_feed(session, [feed])
                return NOTHING_FOUND
            if domain and not app.knows(domain):
                if json:
                    session.streams.json({"opened": 0})
                session.show_unknown(domain)
                return NOTHING_FOUND
            done = retry_leads(
                app,
                publisher=domain,
                feed_url=held.url if held else "",
                url=url,
                refused=refused,
            )
            waits = page_wait(app, url) if url and not done.opened else None
            is_alive, now = is_run_alive(app), app.clock()
    if json:
        counts = Counter(wait.on.value for wait in done.waits)
        session.streams.json({"opened": done.opened, "waits_for": dict(counts)})
    if not done.opened:
        session.show_none(_nothing(url, waits, now, refused=refused))
        return NOTHING_FOUND
    for line in promise_lines(done.waits, "page", "read", now, is_alive=is_alive):
        session.streams.note(line)
    if done.opened > len(done.waits):
        session.streams.note(f"{counted(done.opened, 'page')} were opened in all.")
    return OK


def _nothing(url: str, wait: Wait | None, now: datetime, *, refused: bool) -> str:
    if refused:
        return "No page is held back by robots.txt or rights."
    if not url:
        return "No page was given up."
    if wait is None:
        return f"{url} was never seen. See why with: wireroom why {url}"
    from wireroom.app.waiting import wait_words

    return f"{url} is to be read anyway. It waits for {wait_words(wait, now)}."


PLUG = Command("retry", retry, order=37)
