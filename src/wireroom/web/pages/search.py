"""`/search`: articles by a query, which is said back; facets, hits over time, and the same as feeds and files for a use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup, escape

from wireroom.app.passages import Phrase, Span, find_passage, wanted_phrases, word_marks
from wireroom.app.search import (
    ClusterHits,
    DayCounts,
    FacetName,
    HitCount,
    HitReach,
    HitSummary,
    QueryFilter,
    SearchPage,
    count_matches,
    query_words,
    search_page,
    typed_filters,
    word_about,
)
from wireroom.display_text import visible
from wireroom.errors import SlowQueryError
from wireroom.model import USE_MEANINGS, Article, Use, Word
from wireroom.ports import Order, WebPage
from wireroom.query import Query as ArticleQuery
from wireroom.query.query_fields import FIELDS
from wireroom.query.query_tree import FacetTerm
from wireroom.web.charts import Bar, linked_bars
from wireroom.web.pages.export import MOST_EXPORTED
from wireroom.web.rendering import with_query
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import (
    ActiveFilter,
    Cursor,
    Limit,
    Rows,
    add_data_routes,
    api_router,
)

router = APIRouter()
api = api_router("articles")

PAGE = 20
SHOWN_DAYS = 90  # newest days of the chart
PERIODS: Final = {"1d": "the last day", "7d": "the last week", "30d": "the last 30 days"}
"""What a search that took too long can be narrowed to."""
EXAMPLE: Final = "harbour OR port lang:en after:7d -sport"  # in the empty box
SYNTAX: Final = {
    "storm surge": "both words, in any order",
    '"storm surge"': "exactly so",
    "harbour OR port": "either, or both",
    "(harbour OR port) ferry": "brackets keep words together",
    "ferry -sport": "the first without the second",
    "storm*": "words that begin so",
    **{field.example: field.about for field in FIELDS.values()},
}
"""What can be typed, and what it finds."""
FORMS: Final = {
    "atom": "Atom",
    "jsonfeed": "JSON Feed",
    "jsonl": "JSON Lines",
    "csv": "CSV",
    "parquet": "Parquet",
}
"""In which an export of what was found is offered."""
USE: Final[Use] = "search"  # for which verdicts are shown until another is chosen
FACETS: Final = {
    "publisher": "Publishers",
    "lang": "Languages",
    "paywall": "Paywall",
    "rights": "Rights",
}

Asked = Annotated[
    str, Query(max_length=1_000, description="A query, as `wireroom search` reads it.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow:
    """One article as data; all of it is at `/api/v1/articles/ID`."""

    id: str
    publisher: str
    url: str
    title: str
    published_at: datetime | None
    arrived_at: datetime | None
    language: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    description: str
    word_count: int
    quality: float
    paywall: str
    cluster_id: str
    state: str
    rights: dict[Use, Word]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A story of the page: the first of a cluster, and the copies that are folded into it."""

    article: Article
    title: Markup
    passage: Markup
    others: tuple[Article, ...] = ()
    """Copies on this page, wherever they stand."""
    further: str = ""
    """How many copies stand on later pages."""
    shown_before: str = ""
    """The id of the same story on an earlier page; this one is a copy of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a query gave."""

    query: ArticleQuery
    page: SearchPage


def row_of(article: Article) -> ArticleRow:
    """An article as a row of data."""
    return ArticleRow(
        id=article.id,
        publisher=article.publisher,
        url=article.url,
        title=article.title,
        published_at=article.published_at,
        arrived_at=article.arrived_at,
        language=article.language,
        authors=article.authors,
        tags=article.tags,
        description=article.description,
        word_count=article.word_count,
        quality=article.quality,
        paywall=article.paywall,
        cluster_id=article.cluster_id,
        state=article.state,
        rights={use: word_about(article.receipt, use) for use in USE_MEANINGS},
    )


def find(
    web: Web, q: Asked = "", sort: Order = "newest", cursor: Cursor = "", limit: Limit = PAGE
) -> Found:
    """One page of what matches; a query that cannot be read is told with its place."""
    query = web.app.query(q)
    page = search_page(web.app, query, order=sort, limit=limit, cursor=cursor)
    return Found(query=query, page=page)


def find_stories(
    web: Web, q: Asked = "", sort: Order = "newest", cursor: Cursor = "", limit: Limit = PAGE
) -> Found | SlowQueryError:
    """The same for people: with what else of its stories matches. What took too long is a page, too, with a way out."""
    query = web.app.query(q)
    try:
        page = search_page(web.app, query, order=sort, limit=limit, cursor=cursor, fold=True)
    except SlowQueryError as error:
        return error
    return Found(query=query, page=page)


def rows_of(found: Annotated[Found, Depends(find)]) -> Rows[ArticleRow]:
    """Articles that match a query, newest or best first."""
    return Rows(rows=tuple(map(row_of, found.page.articles)), next=found.page.cursor)


def _counted(web: WebContext, q: str, query: ArticleQuery, use: Use) -> HitSummary:
    """Counted for some seconds to come; what a query means changes with the minute, not with the second."""
    return web.counts.get((q, use), lambda: count_matches(web.app, query, use=use))


@router.get("/search", response_class=HTMLResponse)
def search(
    request: Request,
    web: Web,
    found: Annotated[Found | SlowQueryError, Depends(find_stories)],
    q: Asked = "",
    use: Annotated[Use, Query(alias="for")] = USE,
) -> Response:
    """The page."""
    if isinstance(found, SlowQueryError):
        return web.renderer.page(
            request, "slow_search.html", status=503, error=found, q=q, periods=PERIODS
        )
    now, shown = web.app.clock(), dict(request.query_params)
    counts = _counted(web, q, found.query, use)
    filters = typed_filters(q, web.app.settings, now=now)
    facets = counts.facets
    phrases = wanted_phrases(found.query)
    days = day_facets(counts.days, shown, q) if counts.days.days else ()
    permits = dict(facets.values.get("rights", ()))
    return web.renderer.page(
        request,
        "search.html",
        q=q,
        in_words=query_words(found.query, web.app.settings, now=now),
        count=count_words(counts.count),
        hits=tuple(_hits(found.page, phrases)),
        page=found.page,
        facets=facets,
        facet_titles=FACETS,
        filters=[active_filter(each, shown) for each in filters],
        facet_query=partial(_facet_query, q, _chosen(filters)),
        days=days,
        chart=day_chart(counts.days, days),
        day_words=_day_words(counts.days),
        use=use,
        uses=USE_MEANINGS,
        permitted=permits.get("allow", 0),
        left_out=facets.counted - permits.get("allow", 0),
        most_exported=MOST_EXPORTED,
        forms=FORMS,
        syntax=SYNTAX,
        example=EXAMPLE,
        now=now,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSummary:
    """What matches a query, as the page of results says it."""

    query: str
    """Said back in words; empty for everything."""
    count: int
    reach: HitReach
    """How far was counted in time: all, the newest alone, or nothing."""
    facets: Mapping[FacetName, Mapping[str, int]]
    """How many have each value; `rights` are the words for the use."""
    facets_of: int
    """How many, the newest first, the facets and days are about."""
    permitted: int
    """Of these: those that the use permits."""
    days: Mapping[date, int]


@api.get("/search/summary", operation_id="get_search_summary", summary="What matches a query")
def summary(
    web: Web,
    q: Asked = "",
    use: Annotated[Use, Query(alias="for", description="For which `rights` are counted.")] = USE,
) -> SearchSummary:
    """How many articles match, exactly up to 10,000, of which publishers, languages, paywalls, rights and days, as far as it is counted in 200 ms each."""
    query = web.app.query(q)
    counts = _counted(web, q, query, use)
    values = {name: dict(found) for name, found in counts.facets.values.items()}
    return SearchSummary(
        query=query_words(query, web.app.settings, now=web.app.clock()) if q else "",
        count=counts.count.count,
        reach=counts.count.reach,
        facets=values,
        facets_of=counts.facets.counted,
        permitted=values.get("rights", {}).get("allow", 0),
        days=dict(counts.days.days),
    )


def count_words(count: HitCount) -> str:
    """How many match, as far as it was counted: `812`, `10,000+`."""
    if count.reach == "none":
        return "not counted in time"
    return f"{count.count:,}{'+' if count.reach == 'newest' else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFacet:
    """One day with hits, and the query narrowed to it."""

    label: str
    count: int
    url: str


def day_facets(found: DayCounts, query: Mapping[str, str], q: str) -> tuple[DayFacet, ...]:
    """The newest days with hits, each a link that narrows the query; the newest first."""
    first = _first_day(found)
    return tuple(
        DayFacet(
            label=f"{day:%d %b %Y}",
            count=count,
            url=with_query(query, q=_on_day(q, day), cursor=""),
        )
        for day, count in reversed(found.days)
        if day >= first
    )


def day_chart(found: DayCounts, facets: Sequence[DayFacet]) -> Markup:
    """Hits over time, the days between them too."""
    if not found.days:
        return Markup("")
    by_label = {facet.label: facet for facet in facets}
    first, last = _first_day(found), found.days[-1][0]
    labels = [
        f"{first + timedelta(days=place):%d %b %Y}" for place in range((last - first).days + 1)
    ]
    none = DayFacet(label="", count=0, url="")
    shown = ((label, by_label.get(label, none)) for label in labels)
    return linked_bars([Bar(label, day.count, url=day.url) for label, day in shown])


def _first_day(found: DayCounts) -> date:
    return max(found.days[0][0], found.days[-1][0] - timedelta(days=SHOWN_DAYS - 1))


def _day_words(found: DayCounts) -> str:
    """The ends of the chart, and how far it was counted."""
    if not found.days:
        return ""
    newest = f", of the newest {found.counted:,}" if found.reach == "newest" else ""
    first, last = (f"{day:%d %b %Y}" for day in (_first_day(found), found.days[-1][0]))
    return f"{first if first == last else f'{first} to {last}'}{newest}"


def _hits(page: SearchPage, phrases: Sequence[Phrase]) -> Iterator[Hit]:
    """Stories: those of one cluster are one, at the place of the first of them, wherever the others stand."""
    stories: dict[str, list[Article]] = {}
    for article in page.articles:
        stories.setdefault(article.cluster_id or article.id, []).append(article)
    for key, (first, *others) in stories.items():
        found = find_passage(first, phrases)
        title = first.title or first.url
        hits = page.clusters.get(key, ClusterHits(ids=(first.id,)))
        yield Hit(
            article=first,
            title=marked(title, word_marks(title, phrases)),
            passage=marked(found.text, found.marks),
            others=tuple(others),
            further=_further(hits, [first.id, *(other.id for other in others)]),
            shown_before="" if hits.ids[0] == first.id else hits.ids[0],
        )


def _further(hits: ClusterHits, here: Sequence[str]) -> str:
    """How many copies stand behind this page: `3 further copies`, `20+ further copies`, or nothing."""
    last = max(place for place, each in enumerate(hits.ids) if each in here)
    behind = len(hits.ids) - 1 - last
    if not behind:
        return "perhaps further copies" if hits.is_cut else ""
    return f"{behind:,}{'+' if hits.is_cut else ''} further {'copy' if behind == 1 and not hits.is_cut else 'copies'}"


def marked(text: str, marks: Sequence[Span]) -> Markup:
    """A text with the words that were found marked; all else is escaped."""
    parts, at = [], 0
    for start, end in marks:
        parts.append(escape(visible(text[at:start])))
        parts.append(Markup("<mark>{}</mark>").format(visible(text[start:end])))
        at = end
    parts.append(escape(visible(text[at:])))
    return Markup("").join(parts)


def _on_day(q: str, day: date) -> str:
    """The query narrowed to a day of the reader's clock."""
    return f"{q} after:{day} until:{day}".strip()


def active_filter(found: QueryFilter, shown: Mapping[str, str]) -> ActiveFilter:
    """A filter of the query, to be taken out by a link."""
    url = f"/search{with_query(shown, q=found.rest, cursor='')}"
    return ActiveFilter(words=found.words, url=url)


def _chosen(filters: Iterable[QueryFilter]) -> Mapping[str, str]:
    """Facets that are filtered by already, as `lang:en`, with the query without each."""
    return {
        f"{each.term.field}:{each.term.value}": each.rest
        for each in filters
        if isinstance(each.term, FacetTerm)
    }


def _facet_query(
    q: str, chosen: Mapping[str, str], facet: str, value: str, use: Use
) -> tuple[str, bool]:
    """The query with one more filter; without it, where it is chosen already, and whether it is."""
    wanted = f"{use}={value}" if facet == "rights" else value
    rest = chosen.get(f"{facet}:{wanted}")
    if rest is not None:
        return rest, True
    quoted = wanted if facet == "rights" else f'"{wanted}"'
    return f"{q} {facet}:{quoted}".strip(), False


add_data_routes(router, api, "/search", rows_of, ArticleRow)

PLUG = WebPage(name="search", router=router, api=api, title="Articles", path="/search", order=40)
