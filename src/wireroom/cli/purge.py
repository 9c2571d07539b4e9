"""`wireroom purge`: takes articles or raw pages away, by age, feed, publisher or rights, after showing what would go."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.article_list import ArrivedSince, QueryOption, Since, Until, query_of
from wireroom.cli.batch import read_span
from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.page_rights import PolicyResult
    from wireroom.app.purge import PurgePlan

OlderThan = Annotated[
    str,
    typer.Option("--older-than", metavar="SPAN", help="What is older than that, such as 90d."),
]
FeedOption = Annotated[
    str, typer.Option("--feed", metavar="NAME|URL", help="What came by this feed.")
]
PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="What this publisher published.")
]
RightsChanged = Annotated[
    bool,
    typer.Option(
        "--rights-changed",
        help="What the policy no longer lets us keep, by what publishers say now.",
    ),
]
CursorOption = Annotated[
    Path | None,
    typer.Option(
        "--cursor", metavar="FILE", help="This cursor of an export, and what left under it."
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Raw pages only; the articles stay.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would go, and do nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]

SHOWN = 10  # publishers named before the question


def purge(
    session: Session,
    older_than: OlderThan = "",
    feed: FeedOption = "",
    publisher: PublisherOption = "",
    query: QueryOption = "",
    since: Since = "",
    until: Until = "",
    arrived_since: ArrivedSince = "",
    raw: Raw = False,
    rights_changed: RightsChanged = False,
    cursor: CursorOption = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> int:
    """Take articles or raw pages away for good, or forget a cursor.

    What goes is as old, by this feed, of this publisher, matches the query and is of this time, as far as each is
    given. The query is that of `articles`.
    An article is as old as its publication, or as its reading when that is not known; a raw page as its
    reading. Versions, raw pages and signatures go with an article, and its page is not fetched again.
    With --cursor the articles stay; the file goes, and what left in exports with it is not known any more.
    Shows what would go and asks, unless --yes. Exit code 3 when there is nothing to take away, no such
    feed, or nothing known of the publisher.
    """
    from wireroom.app.purge import feeds_to_purge, plan_purge, publisher_to_purge

    matching = query_of(session, [query], since=since, until=until, arrived_since=arrived_since)
    others = bool(older_than or feed or publisher or matching or raw)
    _check_alone(others, rights_changed=rights_changed, cursor=cursor)
    if raw and (publisher or matching):
        option = "--publisher" if publisher else "a query"
        raise SettingsError(
            [f"--raw: raw pages go by --older-than or --feed, not by {option}"],
            hint="Name its feeds, one after the other.",
        )
    span = read_span("--older-than", older_than) if older_than else None
    if not session.has_database():
        session.show_nothing_held()
        return NOTHING_FOUND
    with session.app() as app:
        before = app.clock() - span if span is not None else None
        urls = feeds_to_purge(app, feed) if feed else ()
        if feed and not urls:
            if json:
                session.streams.json({"missing": [feed], "done": False})
            show_no_feed(session, [feed])
            return NOTHING_FOUND
        how = _PurgeView(session, dry_run=dry_run, yes=yes, json=json)
        if cursor is not None:
            return _purge_cursor(app, cursor, how)
        if rights_changed:
            return _purge_forbidden(app, how)
        if raw:
            return _purge_raw(app, before, urls, how)
        domain = publisher_to_purge(publisher) if publisher else ""
        if domain and not app.knows(domain):
            if json:
                session.streams.json({"unknown": [domain], "done": False})
            session.show_unknown(domain)
            return NOTHING_FOUND
        plan = plan_purge(app, before=before, publisher=domain, feed_urls=urls, query=matching)
        return _purge_articles(app, plan, how)


def _check_alone(others: bool, *, rights_changed: bool, cursor: Path | None) -> None:
    """Refuses what says nothing, and what would mean two things at once."""
    if not (others or rights_changed or cursor):
        raise SettingsError(
            ["purge: nothing says what is to go"],
            hint="Try: --older-than 90d, --until, --feed, --publisher, --query, --raw, --rights-changed or --cursor",
        )
    if rights_changed and others:
        raise SettingsError(
            ["--rights-changed stands alone: it asks the policy what is to go"],
            hint="Leave the other options out.",
        )
    if cursor is not None and (others or rights_changed):
        raise SettingsError(
            ["--cursor stands alone: no article goes with it"], hint="Leave the other options out."
        )


@dataclass(frozen=True, slots=True)
class _PurgeView:
    """What is to be asked and shown on the way."""

    session: Session
    dry_run: bool
    yes: bool
    json: bool

    def may(self, what: str) -> bool:
        """Whether it is to be done."""
        streams = self.session.streams
        if self.dry_run or self.yes:
            return not self.dry_run
        if not streams.may_ask:
            raise SettingsError(
                [f"{what} would go, and there is nobody to ask"], hint="Do it with: --yes"
            )
        return streams.ask(f"Remove {what} for good?")

    def end(self, found: int, done: bool, data: dict[str, Any], message: str) -> int:
        """Says what was done; gives the exit code."""
        if self.json:
            self.session.streams.json(data | {"done": done})
        if not found:
            self.session.streams.note("There is nothing to take away: nothing held is like that.")
            return NOTHING_FOUND
        if not done:
            self.session.streams.note("Nothing was done.")
            return OK if self.dry_run else ERROR
        self.session.streams.note(message)
        return OK


def _purge_forbidden(app: App, how: _PurgeView) -> int:
    """Removes and cuts down what the policy no longer lets us keep."""
    from wireroom.app.purge import purge_forbidden

    planned = purge_forbidden(app, dry_run=True)
    count = planned.removed + planned.reduced
    if count and not how.json:
        how.session.streams.line(f"To be removed: {planned.removed:,}")
        how.session.streams.line(f"To be cut down: {planned.reduced:,}")
        how.session.streams.line(f"May stay as they are: {planned.kept:,}")
    done = bool(count) and how.may(_describe(planned))
    # Others may have written since it was planned: the message is about what was done.
    carried = purge_forbidden(app) if done else planned
    data = {"removed": carried.removed, "reduced": carried.reduced, "kept": carried.kept}
    return how.end(count, done, data, f"Removed {_describe(carried)}.")


def _describe(done: PolicyResult) -> str:
    return f"{counted(done.removed, 'article')}, and the text of {done.reduced:,} more"


def _purge_cursor(app: App, path: Path, how: _PurgeView) -> int:
    """Forgets a cursor and what left under it."""
    from wireroom.app.purge import purge_cursor

    count = purge_cursor(app, path, dry_run=True)
    what = f"{path}, with what is known of {counted(count or 0, 'article')} that left"
    done = count is not None and how.may(what)
    if done:
        count = purge_cursor(app, path)
    return how.end(int(count is not None), done, {"exported": count or 0}, f"Gone: {what}.")


def _purge_raw(
    app: App, before: datetime | None, feed_urls: tuple[str, ...], how: _PurgeView
) -> int:
    from wireroom.app.purge import purge_raw_pages

    count = purge_raw_pages(app, before=before, feed_urls=feed_urls, dry_run=True)
    if count and not how.json:
        how.session.streams.line(_raw(count))
    done = bool(count) and how.may(_raw(count))
    if done:
        count = purge_raw_pages(app, before=before, feed_urls=feed_urls)
    return how.end(count, done, {"raw_pages": count}, f"Gone: {_raw(count)}.")


def _raw(count: int) -> str:
    return counted(count, "raw page")


def _purge_articles(app: App, plan: PurgePlan, how: _PurgeView) -> int:
    from wireroom.app.purge import purge_articles

    count = len(plan.ids)
    if count and not how.json:
        _show(how.session, plan)
    done = bool(count) and how.may(counted(count, "article"))
    data = {
        "articles": count,
        "publishers": dict(plan.publishers),
        "oldest_at": plan.oldest_at,
        "newest_at": plan.newest_at,
    }
    if done:
        with how.session.streams.progress("Removing") as progress:
            data |= asdict(purge_articles(app, plan, progress=progress))
    return how.end(count, done, data, f"Gone: {counted(count, 'article')}.")


def _show(session: Session, plan: PurgePlan) -> None:
    streams = session.streams
    ends = (at for at in (plan.oldest_at, plan.newest_at) if at is not None)
    span = " to ".join(map(session.reader_clock().day, ends))
    streams.line(f"{counted(len(plan.ids), 'article')}, {span}", style="bold")
    most = sorted(plan.publishers.items(), key=lambda each: -each[1])[:SHOWN]
    streams.table([(f"{count:,}", name) for name, count in most], indent=2)
    if len(plan.publishers) > SHOWN:
        more = counted(len(plan.publishers) - SHOWN, "more publisher")
        streams.line(f"… and of {more}", indent=2)


PLUG = Command("purge", purge, order=44)
