"""`wireroom articles [QUERY]`: what is held, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.article_list import (
    ArrivedSince,
    Limit,
    OrderOption,
    QueryWords,
    Since,
    Until,
    query_of,
    show_articles,
    show_more,
    shown_ids,
)
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.model import Article

Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.")]
DEFAULT_LIMIT = 20  # what fits on a screen
NONE_MATCHES = "No article matches. Try fewer words, or: wireroom articles"
NONE_HELD = "No article is held yet. Follow a publisher with wireroom add, then: wireroom run"


def articles(
    session: Session,
    query: QueryWords = None,
    since: Since = "",
    until: Until = "",
    arrived_since: ArrivedSince = "",
    limit: Limit = DEFAULT_LIMIT,
    order: OrderOption = "newest",
    json: Json = False,
    jsonl: Jsonl = False,
) -> int:
    """List the articles that are held.

    A terminal shows as many digits of an id as are needed; `article` and others take them so.
    The signs under "rights" are verdicts about search, ai-input, ai-index, ai-train and archive, in this
    order: ✓ allow, ✗ deny, € paid, ? unknown. A query that begins with a minus stands behind --. Exit
    code 3 when nothing matches.
    """
    from wireroom.app.search import FoundArticles, search_articles

    asked = query_of(session, query, since=since, until=until, arrived_since=arrived_since)
    found, ids = FoundArticles(), tuple[str, ...]()
    if session.has_database():
        with session.app() as app:
            found = search_articles(app, asked, order=order, limit=limit)
            ids = shown_ids(app, found.articles, session.streams)
    chosen = found.articles
    if json or jsonl:
        show_data(session, chosen, jsonl=jsonl)
    elif chosen:
        show_articles(chosen, ids, session)
    if found.has_more and not (json or jsonl):
        show_more(session, limit)
    if not chosen:
        session.show_none(NONE_HELD if found.is_empty or not asked else NONE_MATCHES)
    return OK if chosen else NOTHING_FOUND


def show_data(session: Session, chosen: Sequence[Article], *, jsonl: bool) -> None:
    """The articles as data, with everything that is held of them."""
    from wireroom.export.article_json import to_plain

    plain = map(to_plain, chosen)
    if jsonl:
        session.streams.jsonl(plain)
    else:
        session.streams.json(list(plain))


PLUG = Command("articles", articles, order=40)
