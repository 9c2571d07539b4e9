"""`wireroom leads`: pages that wait, were refused or failed, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.article_list import Limit
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.cli.tables import TableColumn
from wireroom.cli.why import wait_data
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.page_trace import LeadChoice, LeadList, ListedLead
    from wireroom.cli.streams import Streams
    from wireroom.dates.reader_clock import ReaderClock

FeedOption = Annotated[
    str, typer.Option("--feed", metavar="NAME|URL", help="Pages that this feed led to.")
]
PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="Pages of this publisher.")
]
StateOption = Annotated[
    str,
    typer.Option(
        "--state",
        metavar="STATE",
        help="waiting, refused, failed, new, retry, read, duplicate or all; none: what is not read.",
    ),
]
Cursor = Annotated[
    str, typer.Option("--cursor", metavar="CURSOR", help="Go on where a list ended, as it says.")
]
DEFAULT_LIMIT = 20  # what fits on a screen

COLUMNS = (
    TableColumn(head="state"),
    TableColumn(head="found"),
    TableColumn(head="tried"),
    TableColumn(head="page"),
    TableColumn(head="why"),
)
LABEL = 11  # cells of a state and a gap
STYLES = {"failed": "red", "refused": "red", "retry": "yellow"}
NONE_LIKE_THAT = "No page is like that. See what is not read with: wireroom leads"
NONE_LEFT = "No page waits, was refused or failed."


def leads(
    session: Session,
    feed: FeedOption = "",
    publisher: PublisherOption = "",
    state: StateOption = "",
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = "",
    json: Json = False,
) -> int:
    """Pages that wait, were refused or failed, and why.

    The pages that were named last come first. `wireroom why URL` tells all about one of them. Exit code 3 when there are none.
    """
    from wireroom.app import utc_now
    from wireroom.app.feeds import FollowedFeeds
    from wireroom.app.page_trace import LeadList, list_leads

    choice, found, now = _choice(state), LeadList(), utc_now()
    if session.has_database():
        with session.app() as app:
            held = FollowedFeeds(app).feed_named(feed) if feed else None
            if feed and held is None:
                show_no_feed(session, [feed])
                return NOTHING_FOUND
            found = list_leads(
                app,
                publisher=publisher.strip().lower().removeprefix("www."),
                feed_url=held.url if held else "",
                choice=choice,
                cursor=cursor,
                limit=limit,
            )
            now = app.clock()
    if json:
        rows = [lead_data(listed) for listed in found.leads]
        session.streams.json({"leads": rows, "cursor": found.cursor})
    elif found.leads:
        show_leads(session, found, now)
    if not found.leads:
        session.show_none(NONE_LIKE_THAT if feed or publisher or state or cursor else NONE_LEFT)
    return OK if found.leads else NOTHING_FOUND


def _choice(state: str) -> LeadChoice | None:
    from typing import get_args

    from wireroom.app.page_trace import LeadChoice
    from wireroom.errors import SettingsError

    known: tuple[LeadChoice, ...] = get_args(LeadChoice)
    if not state:
        return None
    for choice in known:
        if choice == state.strip().lower():
            return choice
    raise SettingsError([f"--state {state}: expected one of {', '.join(known)}"])


def lead_data(listed: ListedLead) -> dict[str, Any]:
    """A page of the list as plain data."""
    record, lead = listed.record, listed.record.lead
    return {
        "url": lead.url,
        "publisher": lead.publisher,
        "feed_url": record.feed_url,
        "title": lead.item.title if lead.item is not None else "",
        "state": lead.state,
        "cause": lead.cause,
        "reason": lead.reason,
        "attempts": lead.attempts,
        "found_at": record.found_at,
        "read_after": lead.read_after,
        "waits_for": wait_data(listed.wait),
        "article_id": record.article_id,
    }


def show_leads(session: Session, found: LeadList, now: datetime) -> None:
    """Each page with its reason, and how the list goes on."""
    clock = session.reader_clock()
    rows = [_row(listed, now, clock) for listed in found.leads]
    if session.streams.is_terminal:
        _show_pairs(session.streams, rows)
    else:
        session.streams.fitted_table(rows, columns=COLUMNS)
    if found.cursor:
        session.streams.note(f"{len(rows):,} shown; more with: --cursor {found.cursor}")


def _show_pairs(streams: Streams, rows: Sequence[tuple[str, ...]]) -> None:
    """Two lines each: an address is there to be copied, and a reason to be read, so neither is cut."""
    for state, found, tried, page, why in rows:
        streams.line(f"{state:<{LABEL}}{page}", style=STYLES.get(state, ""))
        named = f"found {found}" if found else ""
        times = f"tried {counted(int(tried), 'time')}" if tried else ""
        streams.prose("; ".join(filter(None, (why, times, named))), indent=LABEL)


def _row(listed: ListedLead, now: datetime, clock: ReaderClock) -> tuple[str, ...]:
    record, lead = listed.record, listed.record.lead
    from wireroom.app.waiting import wait_words

    waits = f"waits for {wait_words(listed.wait, now)}" if listed.wait is not None else ""
    reasons = filter(None, (lead.reason, waits))
    return (
        lead.state,
        clock.minute(record.found_at, ""),
        f"{lead.attempts or ''}",
        lead.url,
        "; ".join(reasons),
    )


PLUG = Command("leads", leads, order=36)
