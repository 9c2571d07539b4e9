"""The articles that match a query, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from wireroom.dates.typed_moments import EXAMPLES as MOMENTS
from wireroom.dates.typed_moments import read_moment
from wireroom.errors import SettingsError, Wording
from wireroom.model import Article, Use
from wireroom.ports import ClusterHits as ClusterHits
from wireroom.ports import DayCounts as DayCounts
from wireroom.ports import FacetCounts as FacetCounts
from wireroom.ports import FacetName as FacetName
from wireroom.ports import HitCount as HitCount
from wireroom.ports import HitReach as HitReach
from wireroom.ports import HitSummary as HitSummary
from wireroom.ports import Order
from wireroom.ports import SearchPage as SearchPage
from wireroom.query import Query, read_query
from wireroom.query.query_parts import QueryFilter as QueryFilter
from wireroom.query.query_parts import query_filters
from wireroom.query.query_words import explain_query
from wireroom.rights.policy import word_about as word_about

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.settings import Settings

PAGE = 200  # articles asked for at once
COUNTED_TO: Final = (
    10_000  # matches; who has more looks for something narrower, and does not ask how many
)
COUNTING_TIME: Final = timedelta(milliseconds=200)  # for finding them, and again for what they are
SEARCH_TIME: Final = timedelta(seconds=5)
"""For one page of results. At 200,000 articles the slowest takes a thirtieth of it; a server that answers three at once must
not have one of them kept for minutes by a query that finds next to nothing. An export has no limit: nobody waits for its page."""


@dataclass(frozen=True, slots=True)
class FoundArticles:
    """The first articles that match; how many there are in all would take a count of all."""

    articles: tuple[Article, ...] = ()
    has_more: bool = False
    is_empty: bool = False
    """Whether none was found because none is held at all."""


def search_articles(
    app: App, query: Query | str = "", *, order: Order = "newest", limit: int = 20
) -> FoundArticles:
    """The first articles that match; QueryError says what is wrong with the query, SlowQueryError that its time is up."""
    typed = app.query(query) if isinstance(query, str) else query
    first = tuple(islice(_pages(app, typed, order=order, limit=limit + 1), limit + 1))
    is_empty = not first and not app.store.counts().get("articles")
    return FoundArticles(first[:limit], len(first) > limit, is_empty)


@dataclass(frozen=True, slots=True)
class NewestStory:
    """A story by its newest article, and others that tell the same."""

    article: Article
    copies: tuple[Article, ...] = ()


def newest_stories(app: App, *, limit: int) -> tuple[NewestStory, ...]:
    """The newest stories, each once; copies are looked for among twice as many articles."""
    stories: dict[str, list[Article]] = {}
    for article in search_articles(app, limit=2 * limit).articles:
        stories.setdefault(article.cluster_id or article.id, []).append(article)
    newest = islice(stories.values(), limit)
    return tuple(NewestStory(first, tuple(copies)) for first, *copies in newest)


def _pages(app: App, query: Query, *, order: Order, limit: int) -> Iterator[Article]:
    cursor = ""
    while True:
        page = app.store.search(
            query, order=order, limit=min(limit, PAGE), cursor=cursor, within=SEARCH_TIME
        )
        yield from page.articles
        cursor = page.cursor
        if not cursor:
            return


def search_page(
    app: App,
    query: Query,
    *,
    order: Order = "newest",
    limit: int = 20,
    cursor: str = "",
    fold: bool = False,
) -> SearchPage:
    """One page of what matches; its cursors lead to the next page and to the one before it.

    With `fold` it says where else the copies of its stories stand. SlowQueryError when the time is up.
    """
    return app.store.search(
        query, order=order, limit=limit, cursor=cursor, within=SEARCH_TIME, fold=fold
    )


def count_matches(
    app: App,
    query: Query,
    *,
    use: Use = "search",
    most: int = COUNTED_TO,
    within: timedelta = COUNTING_TIME,
) -> HitSummary:
    """How many articles match, exactly up to `most`; what those are, the verdict for a use included, and of which days of the reader's clock."""
    zone = app.settings.display.reader_zone()
    return app.store.hits.summary(query, use=use, zone=zone, most=most, within=within)


def typed_query(text: str, settings: Settings, *, now: datetime) -> Query:
    """The query a person typed, by the reader's clock; QueryError says what is wrong with it, and where."""
    return read_query(text, now=now, zone=settings.display.reader_zone())


def query_words(query: Query, settings: Settings, *, now: datetime) -> str:
    """The query said back: `harbour or port, in English, since May, not sport`."""
    return explain_query(query, now=now, zone=settings.display.reader_zone())


def typed_filters(text: str, settings: Settings, *, now: datetime) -> tuple[QueryFilter, ...]:
    """The filters of a query that can be read, each with what is left without it."""
    return query_filters(text, now=now, zone=settings.display.reader_zone())


def time_filter(option: str, name: str, text: str) -> str:
    """The filter for a moment, which is checked here: who typed `--since` is not told of a filter."""
    try:
        read_moment(text, now=datetime.now(UTC))
    except ValueError as exc:
        argument = option.removeprefix("--").replace("-", "_")
        problem = Wording(
            f"{argument} {text}: expected a date", terminal=f"{option} {text}: expected a date"
        )
        raise SettingsError([problem], hint=f"Write it like {MOMENTS}") from exc
    return f'{name}:"{text}"'
