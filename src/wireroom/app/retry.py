"""Leads that were given up, opened again; or one page that is to be read anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from wireroom.app.waiting import Wait, lead_wait, queue_state
from wireroom.errors import SettingsError
from wireroom.model import LeadCause
from wireroom.ports import LeadRecord
from wireroom.urls import is_web_url

if TYPE_CHECKING:
    from wireroom.app.application import App

LOOKED_AT: Final = 5_000  # pages whose waits are told; more share them
AT_ONCE: Final = 500
FORBIDDEN: Final = frozenset({LeadCause.ROBOTS, LeadCause.RIGHTS})  # of what is opened when refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """How many pages were opened, and what each of them waits for now."""

    opened: int = 0
    waits: tuple[Wait, ...] = ()
    """Of the first thousands."""


def check_page(url: str) -> None:
    """Raises SettingsError for what is no address of a page."""
    if not is_web_url(url):
        raise SettingsError([f"{url}: expected the address of a page, such as https://…"])


def retry_leads(
    app: App, *, publisher: str = "", feed_url: str = "", url: str = "", refused: bool = False
) -> Retried:
    """Opens the leads that failed, or with `refused` those that were forbidden.

    A page that is named is opened whatever came of it.
    """
    if url:
        check_page(url)
    before = tuple(_candidates(app, publisher, feed_url, url, refused=refused))
    now = app.clock()
    opened = app.store.retry_leads(
        now=now, publisher=publisher, feed_url=feed_url, url=url, refused=refused
    )
    if not opened:
        return Retried()
    state = queue_state(app)
    paused = frozenset(feed.url for feed in app.store.feeds(state="paused"))
    waits = (lead_wait(_opened(record, paused, now), state) for record in before)
    return Retried(opened=opened, waits=tuple(wait for wait in waits if wait is not None)[:opened])


def page_wait(app: App, url: str) -> Wait | None:
    """What a page waits for that is still to be read; None for one that is not, or that nobody has named."""
    state = queue_state(app)
    waits = (lead_wait(record, state) for record in app.store.queue.page(url).leads)
    return next((wait for wait in waits if wait is not None), None)


def _candidates(
    app: App, publisher: str, feed_url: str, url: str, *, refused: bool
) -> Iterator[LeadRecord]:
    """The leads that will be opened, as they are before."""
    queue = app.store.queue
    if url:
        yield from queue.page(url).leads
        return
    cursor, left = "", LOOKED_AT
    while left > 0:
        page = queue.leads(
            publisher=publisher,
            feed_url=feed_url,
            states=["refused" if refused else "failed"],
            cursor=cursor,
            limit=min(AT_ONCE, left),
        )
        yield from (found for found in page.leads if not refused or found.lead.cause in FORBIDDEN)
        cursor, left = page.cursor, left - len(page.leads)
        if not cursor:
            return


def _opened(record: LeadRecord, paused: frozenset[str], now: datetime) -> LeadRecord:
    """The lead as it is once it was opened; that of a paused feed sleeps."""
    lead = replace(record.lead, state="new", attempts=0, read_after=None)
    due = None if record.feed_url in paused else now
    return replace(record, lead=lead, due_after=due, holder="")
