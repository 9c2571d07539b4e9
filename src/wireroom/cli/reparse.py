"""`wireroom reparse`: reads kept pages anew with today's extractor, and shows what that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.reparse import ArticleChange, ReparseSummary

Which = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID|URL]...", help="Articles by id or address; none: all that match."),
]
PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="Only articles of this publisher.")
]
FeedOption = Annotated[
    str, typer.Option("--feed", metavar="NAME|URL", help="Only what came by this feed.")
]
Query = Annotated[
    str, typer.Option("--query", metavar="QUERY", help="Only what matches, as in articles.")
]
Apply = Annotated[bool, typer.Option("--apply", help="Save what differs, as an edit.")]

NONE_KEPT = "No raw page is kept."
NONE_OF_THESE = "None of these articles has a kept page."
COUNTED = {
    "text": "text",
    "title": "title",
    "published_at": "date",
    "authors": "authors",
    "other": "other fields",
}


def reparse(
    session: Session,
    which: Which = None,
    publisher: PublisherOption = "",
    feed: FeedOption = "",
    query: Query = "",
    apply: Apply = False,
    json: Json = False,
) -> int:
    """Read kept pages anew with today's extractor.

    Nothing is fetched. Shows how many articles would read differently, and saves nothing without --apply. With it
    a title or text that differs gives a new version, as an edit does; receipts stay, clusters follow. A page that gives no
    article any more changes nothing. Stop it at any time: what is saved stays, and the next call goes on. Exit code 3
    when no raw page is kept, none of the articles that are meant has one, or the publisher is not known.
    """
    from wireroom.app.purge import feeds_to_purge
    from wireroom.app.reparse import ReparseRequest, kept_pages, reparse

    if not session.has_database():
        session.show_nothing_held()
        return NOTHING_FOUND
    domain = publisher.strip().lower().removeprefix("www.")
    with session.app() as app:
        if domain and not app.knows(domain):
            session.show_unknown(domain)
            return NOTHING_FOUND
        feeds = feeds_to_purge(app, feed) if feed else ()
        if feed and not feeds:
            show_no_feed(session, [feed])
            return NOTHING_FOUND
        if not kept_pages(app):
            return _nothing(session, NONE_KEPT, json=json)
        words = (query, f"publisher:{domain}" if domain else "")
        request = ReparseRequest(
            articles=tuple(which or ()), query=" ".join(filter(None, words)), feed_urls=feeds
        )
        with session.streams.progress("Reading") as progress:
            summary = reparse(app, request, apply=apply, progress=progress)
    for name in summary.missing:
        session.streams.note(f"{name}: no such article.")
    if not summary.pages and not summary.unread:
        return _nothing(session, NONE_OF_THESE, json=json)
    if json:
        session.streams.json(summary_data(summary, applied=apply))
    else:
        _show(session, summary, applied=apply)
    return OK


def summary_data(summary: ReparseSummary, *, applied: bool) -> dict[str, Any]:
    """The summary as data."""
    return {
        "pages": summary.pages,
        "changed": summary.changed,
        "fields": {name: summary.fields[name] for name in COUNTED},
        "words_before": summary.words_before,
        "words_after": summary.words_after,
        "unread": dict(summary.unread),
        "missing": summary.missing,
        "examples": [_change_data(change) for change in summary.examples],
        "applied": applied,
        "saved": summary.saved,
    }


def _change_data(change: ArticleChange) -> dict[str, Any]:
    held, after = change.held, change.after
    data: dict[str, Any] = {"id": held.id, "url": held.url, "fields": list(change.fields)}
    data["words"] = [held.word_count, after.word_count]
    for name in ("title", "authors", "published_at"):
        if name in change.fields:
            data[name] = [getattr(held, name), getattr(after, name)]
    return data


def _show(session: Session, summary: ReparseSummary, *, applied: bool) -> None:
    streams = session.streams
    streams.line(f"{counted(summary.pages, 'kept page')} read anew", style="bold")
    rows = [(f"{summary.changed:,}", "articles read differently")]
    rows += [(f"{summary.fields[name]:,}", what) for name, what in COUNTED.items()]
    rows.append((f"{summary.words_before:,}", f"words before, {summary.words_after:,} after"))
    if summary.unread:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(summary.unread.items()))
        rows.append((f"{summary.unread.total():,}", f"pages give no article any more ({kinds})"))
    streams.table(rows, indent=2)
    for change in summary.examples:
        _show_example(session, change)
    if summary.changed > len(summary.examples):
        streams.line(f"… and {counted(summary.changed - len(summary.examples), 'more article')}")
    if applied:
        streams.note(f"{counted(summary.saved, 'article')} saved.")
    elif summary.changed:
        streams.note("Nothing was saved. Save it with: --apply")


def _show_example(session: Session, change: ArticleChange) -> None:
    held, after = change.held, change.after
    session.streams.line(f"{held.id}  {held.url}")
    named = ", ".join(name for name in change.fields)
    session.streams.line(f"{named}; words {held.word_count:,} → {after.word_count:,}", indent=2)
    if "title" in change.fields:
        session.streams.line(f"{held.title!r} → {after.title!r}", indent=2)


def _nothing(session: Session, message: str, *, json: bool) -> int:
    """Says that there is nothing to read anew, and how pages are kept."""
    from wireroom.app.reparse import pages_kept_for
    from wireroom.dates.durations import format_duration

    kept_for = pages_kept_for(session.load().settings)
    how = f"are kept for {format_duration(kept_for)}" if kept_for else "are not kept"
    if json:
        session.streams.json({"pages": 0, "changed": 0, "saved": 0})
    session.streams.note(f'{message} Pages {how}; more with: store.raw_kept_for = "30 days"')
    return NOTHING_FOUND


PLUG = Command("reparse", reparse, order=45)
