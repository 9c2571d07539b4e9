"""`wireroom why URL|ID`: why a page is here or is missing, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.recent import ago
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.page_trace import Naming, PagePermission, PageTrace
    from wireroom.app.waiting import Wait
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.model import Article

Url = Annotated[
    str, typer.Argument(metavar="URL|ID", help="The address of the page, or the id of its article.")
]

OUTCOMES = {
    "held": "its article is held",
    "duplicate": "another address of an article that is held",
    "withdrawn": "withdrawn by its publisher",
    "waiting": "named, not read yet",
    "retry": "failed, and tried again",
    "failed": "failed, and given up",
    "refused": "refused: we may not read it",
    "purged": "removed on purpose, and not read again",
    "never_seen": "never seen: no feed, sitemap or person has named it",
}
STYLES = {
    "held": "green",
    "duplicate": "green",
    "waiting": "yellow",
    "retry": "yellow",
    "failed": "red",
    "refused": "red",
}
TRIES = (TableColumn(), TableColumn(), TableColumn(narrowest=20, folds=True))


def why(session: Session, url: Url, json: Json = False) -> int:
    """Why a page is here, or is missing.

    Who named it, whether it may be read, when it was tried and what was answered, of which article it is a
    near-duplicate, and what to do about it. Nobody is asked: it is all looked up. Exit code 3 for a page that was never seen.
    """
    from wireroom.app.explain import page_address
    from wireroom.app.page_trace import PageOutcome, trace_page

    with session.app_to_read() as app:
        trace, now = trace_page(app, page_address(app, url)), app.clock()
    if json:
        session.streams.json(trace_data(trace))
    else:
        show_trace(trace, session.streams, now, session.reader_clock())
    return NOTHING_FOUND if trace.outcome is PageOutcome.NEVER_SEEN else OK


def trace_data(trace: PageTrace) -> dict[str, Any]:
    """All of it as plain data."""
    record = trace.record
    lead = record.lead if record is not None else None
    return {
        "url": trace.url,
        "publisher": trace.publisher,
        "outcome": trace.outcome,
        "state": lead.state if lead is not None else None,
        "cause": lead.cause if lead is not None else None,
        "reason": lead.reason if lead is not None else "",
        "attempts": lead.attempts if lead is not None else 0,
        "found_at": record.found_at if record is not None else None,
        "named_by": [_naming_data(naming) for naming in trace.named_by],
        "waits_for": wait_data(trace.wait),
        "permission": asdict(trace.permission),
        "tries": [
            {
                "at": problem.at,
                "kind": problem.kind,
                "message": problem.message,
                "permanent": problem.permanent,
            }
            for problem in trace.tries
        ],
        "article": _article_data(trace.article),
        "copy_of": _article_data(trace.canonical),
        "feeds": [
            {"url": feed.url, "name": feed.name, "state": feed.state} for feed in trace.feeds
        ],
        "advice": trace.advice,
    }


def wait_data(wait: Wait | None) -> dict[str, Any] | None:
    """What something waits for, as plain data."""
    return asdict(wait) if wait is not None else None


def _naming_data(naming: Naming) -> dict[str, Any]:
    feed, item = naming.feed, naming.item
    return {
        "feed_url": feed.url if feed is not None else item.feed_url,
        "name": feed.name if feed is not None else "",
        "state": feed.state if feed is not None else None,
        "title": item.title,
        "published_at": item.published_at,
    }


def _article_data(article: Article | None) -> dict[str, Any] | None:
    if article is None:
        return None
    return {
        "id": article.id,
        "url": article.url,
        "title": article.title,
        "publisher": article.publisher,
        "fetched_at": article.fetched_at,
        "state": article.state,
    }


# --- for people --------------------------------------------------------------------------------


def show_trace(trace: PageTrace, streams: Streams, now: datetime, clock: ReaderClock) -> None:
    """The whole story, in its order."""
    streams.heading(_title(trace))
    streams.table(
        list(_rows(trace, now, clock)), styles={OUTCOMES[key]: STYLES[key] for key in STYLES}
    )
    if trace.tries:
        streams.line()
        streams.heading("Tries that failed")
        tries = [
            (f"{ago(now - each.at)} ({clock.minute(each.at)})", each.kind, each.message)
            for each in trace.tries
        ]
        streams.fitted_table(tries, columns=TRIES, indent=2)
    if trace.advice:
        streams.line()
        streams.prose(trace.advice)


def _title(trace: PageTrace) -> str:
    titles = [naming.item.title for naming in trace.named_by]
    titles += [trace.article.title] if trace.article is not None else []
    return next(filter(None, titles), trace.url)


def _rows(trace: PageTrace, now: datetime, clock: ReaderClock) -> Iterator[tuple[str, str]]:
    yield "page", trace.url
    yield "outcome", OUTCOMES[trace.outcome]
    record = trace.record
    if record is not None and record.lead.reason and not trace.tries:
        yield "reason", record.lead.reason  # else the last try says so
    if trace.wait is not None:
        from wireroom.app.waiting import wait_words

        yield "waits for", wait_words(trace.wait, now)
    yield "publisher", _followed(trace)
    yield from _found(trace, now, clock)
    yield "robots.txt", _robots(trace.permission, now)
    yield "policy", _policy(trace.permission)
    if record is not None and record.lead.attempts:
        yield "tried", counted(record.lead.attempts, "time")
    article = trace.article
    if article is not None:
        yield (
            "article",
            f"{article.id}, read {ago(now - article.fetched_at)} ({clock.minute(article.fetched_at)})",
        )
        if article.url != trace.url:
            yield "", article.url
    if trace.canonical is not None:
        canonical = trace.canonical
        yield "canonical", f"{canonical.id}, {canonical.publisher}: {canonical.url}"


def _followed(trace: PageTrace) -> str:
    feeds = counted(len(trace.feeds), "feed") if trace.feeds else "nothing"
    return f"{trace.publisher}, {feeds} followed"


def _found(trace: PageTrace, now: datetime, clock: ReaderClock) -> Iterator[tuple[str, str]]:
    label = "found"
    at = trace.record.found_at if trace.record is not None else None
    when = f"{ago(now - at)} ({clock.minute(at)}) by " if at is not None else "by "
    for naming in trace.named_by:
        yield label, f"{when}{_feed_words(naming)}"
        label, when = "", "and by "
    if not trace.named_by and trace.record is not None:
        yield label, f"{when}a sitemap or a person: no feed that is held names it"


def _feed_words(naming: Naming) -> str:
    if naming.feed is None:
        return f"{naming.item.feed_url}, which is not followed any more"
    name = naming.feed.name or naming.feed.url
    # "live" is about its polls: whether its pages give articles is what `feeds` says.
    return name if naming.feed.state == "live" else f"{name} ({naming.feed.state})"


def _robots(permission: PagePermission, now: datetime) -> str:
    if permission.robots == "unknown":
        return "not asked yet"
    word = "allows it" if permission.robots == "allowed" else "does not let us read it"
    rule = f": {permission.rule}" if permission.rule else ""
    asked = f" (asked {ago(now - permission.robots_at)})" if permission.robots_at else ""
    return f"{word}{rule}{asked}"


def _policy(permission: PagePermission) -> str:
    """Whether it is fetched; what its publisher refuses is said beside it, since a policy may fetch it all the same."""
    if not permission.policy:
        return permission.refusal
    return (
        f"fetches it, though its publisher {permission.refused}"
        if permission.refused
        else "fetches it"
    )


PLUG = Command("why", why, order=42)
