"""The articles that match a query, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from wireroom.errors import QueryError, SettingsError, Wording
from wireroom.model import Article
from wireroom.ports import Order
from wireroom.rights.policy import word_about as word_about

if TYPE_CHECKING:
    from wireroom.app.application import App

PAGE = 200  # articles asked for at once


@dataclass(frozen=True, slots=True)
class FoundArticles:
    """The first articles that match; how many there are in all would take a count of all."""

    articles: tuple[Article, ...] = ()
    has_more: bool = False


def search_articles(
    app: App, query: str = "", *, order: Order = "newest", limit: int = 20
) -> FoundArticles:
    """The first articles that match; QueryError says what is wrong with the query."""
    first = tuple(islice(_pages(app, query, order=order, limit=limit + 1), limit + 1))
    return FoundArticles(first[:limit], len(first) > limit)


def _pages(app: App, query: str, *, order: Order, limit: int) -> Iterator[Article]:
    cursor = ""
    while True:
        page = app.store.search(query, order=order, limit=min(limit, PAGE), cursor=cursor)
        yield from page.articles
        cursor = page.cursor
        if not cursor:
            return


def since_filter(date: str) -> str:
    """The filter for a date, which is checked here: who typed `--since` is not told of a filter."""
    from wireroom.store.search.query import read_query

    wanted = f'after:"{date}"'
    try:
        read_query(wanted)
    except QueryError as exc:
        problem = Wording(
            f"since {date}: expected a date", terminal=f"--since {date}: expected a date"
        )
        raise SettingsError([problem], hint=exc.hint) from exc
    return wanted
