"""`wireroom feeds`: the table of what is followed: state, rhythm, when it is polled next and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.model import FeedRole
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.feeds import FeedStats

PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="Of this publisher alone.")
]
StateOption = Annotated[
    Literal["live", "paused", "resting", "silent", "gone", "failing", "refused"] | None,
    typer.Option(
        "--state",
        help="In this state alone; failing and refused: live, and no page gives an article.",
    ),
]
Region = Annotated[str, typer.Option("--region", metavar="WORDS", help="Of this region alone.")]
Category = Annotated[
    str, typer.Option("--category", metavar="WORDS", help="Of this category alone.")
]
RoleOption = Annotated[FeedRole | None, typer.Option("--role", help="In this role alone.")]
OrderOption = Annotated[
    Literal["publisher", "reliability"],
    typer.Option("--order", help="By publisher, or the most reliable ones first."),
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.")]

NONE_LIKE_THAT = "No feed is like that. See all of them with: wireroom feeds"
NONE_AT_ALL = "Nothing is followed yet. Follow something with: wireroom add courier.example"


def feeds(
    session: Session,
    publisher: PublisherOption = "",
    state: StateOption = None,
    region: Region = "",
    category: Category = "",
    role: RoleOption = None,
    order: OrderOption = "publisher",
    json: Json = False,
    jsonl: Jsonl = False,
) -> int:
    """The feeds that are followed, and how they do.

    The bars are the days of the week, Monday first. The signs of rights are those of a report card, for search,
    ai-input, ai-index, ai-train and archive. Exit code 3 when there are none.
    """
    if json and jsonl:
        raise SettingsError(["--json and --jsonl: only one form at a time"], hint="Leave one out.")
    found: tuple[FeedStats, ...] = ()
    if session.has_database():
        from wireroom.app.feeds import FollowedFeeds

        with session.app() as app:
            now = app.clock()
            found = FollowedFeeds(app).stats(
                publisher=publisher.strip().lower().removeprefix("www."),
                state=state,
                region=region,
                category=category,
                role=role,
                order=order,
            )
        if found and not (json or jsonl):
            from wireroom.cli.feeds.table import show_feeds

            show_feeds(found, session.streams, now)
    if json or jsonl:
        from wireroom.cli.feeds.table import stats_data

        rows = [stats_data(stats) for stats in found]
        session.streams.json(rows) if json else session.streams.jsonl(rows)
    if not found:
        asked_for = publisher or state or region or category or role
        session.show_none(NONE_LIKE_THAT if asked_for else NONE_AT_ALL)
    return OK if found else NOTHING_FOUND


PLUG = Command("feeds", feeds, order=32)
