"""`wireroom remove`: forgets a feed; its articles stay unless they are to go with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedName, feed_identity, show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.feeds import FeedStats

Articles = Annotated[bool, typer.Option("--articles", help="With all articles that came by it.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


def remove(
    session: Session,
    name: FeedName,
    articles: Articles = False,
    yes: Yes = False,
    json: Json = False,
) -> int:
    """Stop following a feed, and forget it.

    Its articles stay, unless --articles takes them along. Says what goes and asks, unless --yes. A feed that also
    stands in wireroom.toml comes back with the next sync. Exit code 3 when there is no such feed.
    """
    from wireroom.app.feeds import FollowedFeeds

    if session.has_database():
        with session.app() as app:
            feed = FollowedFeeds(app).feed_named(name)
            if feed is not None:
                (stats,) = FollowedFeeds(app).of([feed])
                gone = _remove(session, app, stats, articles=articles, yes=yes)
                if json:
                    session.streams.json(_data(stats, gone))
                return ERROR if gone is None else OK
    if json:
        session.streams.json({"feeds": [], "missing": [name], "done": False})
    show_no_feed(session, [name])
    return NOTHING_FOUND


def _remove(
    session: Session, app: App, stats: FeedStats, *, articles: bool, yes: bool
) -> int | None:
    """Asks and does it; how many articles went along, None when it was not to be."""
    from wireroom.app.feeds import FollowedFeeds

    streams, feed = session.streams, stats.feed
    going = _going(stats, articles=articles)
    streams.note(going)
    if not yes:
        if not streams.may_ask:
            raise SettingsError(
                [f"{feed.name or feed.url} would go, and there is nobody to ask"],
                hint="Do it with: --yes",
            )
        if not streams.ask(f"Remove {feed.name or feed.url} for good?"):
            streams.note("Nothing was done.")
            return None
    total = stats.count.articles
    with streams.progress("Removing") as progress:
        gone = FollowedFeeds(app).remove(
            feed, articles=articles, progress=lambda done: progress(done, total)
        )
    along = f", and {counted(gone, 'article')} with it" if articles else ""
    streams.note(f"{feed.name or feed.url} is gone{along}.")
    return gone


def _data(stats: FeedStats, gone: int | None) -> dict[str, Any]:
    """What went, as plain data; nothing when somebody said no."""
    went = {"articles": gone, "pages": stats.unread}
    rows = [] if gone is None else [feed_identity(stats.feed) | went]
    return {"feeds": rows, "missing": [], "done": gone is not None}


def _going(stats: FeedStats, *, articles: bool) -> str:
    """What goes and what stays, in a sentence."""
    feed, count = stats.feed, stats.count
    verb = "go" if articles else "stay"
    agreed = verb if count.articles != 1 else f"{verb}{'es' if articles else 's'}"
    fate = f"{counted(count.articles, 'article')} {agreed}{' with it' if articles else ''}"
    unread = counted(stats.unread, "page")
    return f"{feed.url} goes, with its items and {unread} not read yet; {fate}."


PLUG = Command("remove", remove, order=36)
