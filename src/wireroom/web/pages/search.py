"""`/search`: articles by a query, which is said back; facets, hits over time, and the same as feeds and files for a use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from tempfile import SpooledTemporaryFile
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from markupsafe import Markup, escape

from wireroom.app.passages import Phrase, Span, find_passage, wanted_phrases, word_marks
from wireroom.app.search import (
    DayCounts,
    HitCount,
    HitSummary,
    SearchPage,
    count_matches,
    query_words,
    search_page,
    word_about,
)
from wireroom.display_text import visible
from wireroom.model import USE_MEANINGS, Article, Use, Word
from wireroom.ports import Order, WebPage
from wireroom.query import Query as ArticleQuery
from wireroom.web.charts import Bar, sparkline
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import Cursor, Limit, Rows, add_data_routes, api_router

router = APIRouter()
api = api_router("articles")

PAGE = 20
SHOWN_DAYS = 90  # newest days of the chart
MOST_EXPORTED = 10_000  # articles of one download; who wants more takes `wireroom export`
IN_MEMORY = 8_000_000  # bytes of a download that need no file
CHUNK = 1 << 16
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


@dataclass(frozen=True, slots=True)
class Hit:
    """A story of the page: the first of a cluster, and those that stand behind it."""

    article: Article
    title: Markup
    passage: Markup
    others: tuple[Article, ...]


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
    found: Annotated[Found, Depends(find)],
    q: Asked = "",
    use: Annotated[Use, Query(alias="for")] = USE,
) -> Response:
    """The page."""
    now = web.app.clock()
    counts = _counted(web, q, found.query, use)
    facets = counts.facets
    phrases = wanted_phrases(found.query)
    permits = dict(facets.values.get("rights", ()))
    return web.renderer.page(
        request,
        "search.html",
        q=q,
        in_words=query_words(found.query, web.app.settings, now=now),
        count=count_words(counts.count),
        hits=tuple(_hits(found.page.articles, phrases)),
        page=found.page,
        facets=facets,
        facet_titles=FACETS,
        narrowed=_narrowed,
        chart=day_chart(counts.days),
        days=_day_words(counts.days),
        use=use,
        uses=USE_MEANINGS,
        permitted=permits.get("allow", 0),
        left_out=facets.counted - permits.get("allow", 0),
        forms=("atom", "jsonfeed", "jsonl", "csv", "parquet"),
        now=now,
    )


@router.get("/search/export")
def export(
    web: Web,
    form: Annotated[str, Query(max_length=20)],
    q: Asked = "",
    use: Annotated[Use | None, Query(alias="for")] = None,
) -> Response:
    """What matches and the use permits, in a format of `wireroom export`."""
    spool = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed behind the last chunk
    try:
        result = web.app.export(spool, form=form, use=use, query=q, limit=MOST_EXPORTED)  # type: ignore[arg-type]
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    suffix, media_type = web.app.format_of(form)
    return StreamingResponse(
        _chunks(spool),
        media_type=media_type,
        headers={
            "Content-Disposition": f'attachment; filename="articles{suffix}"',
            "X-Articles": str(result.count),
            "X-Left-Out": str(result.looked_at - result.count),
        },
    )


def _chunks(spool: SpooledTemporaryFile[bytes]) -> Iterator[bytes]:
    with spool:
        while chunk := spool.read(CHUNK):
            yield chunk


def count_words(count: HitCount) -> str:
    """How many match, as far as it was counted: `812`, `10,000+`."""
    if count.reach == "none":
        return "not counted in time"
    return f"{count.count:,}{'+' if count.reach == 'newest' else ''}"


def day_chart(found: DayCounts) -> Markup:
    """Hits over time, the days between them too."""
    if not found.days:
        return Markup("")
    counts = dict(found.days)
    last = found.days[-1][0]
    first = max(found.days[0][0], last - timedelta(days=SHOWN_DAYS - 1))
    days = [first + timedelta(days=place) for place in range((last - first).days + 1)]
    bars = [Bar(f"{day:%d %b %Y}", counts.get(day, 0)) for day in days]
    return sparkline(bars, f"Hits a day from {first} to {last}, {max(counts.values()):,} at most")


def _day_words(found: DayCounts) -> str:
    """The ends of the chart, and how far it was counted."""
    if not found.days:
        return ""
    first = max(found.days[0][0], found.days[-1][0] - timedelta(days=SHOWN_DAYS - 1))
    newest = f", of the newest {found.counted:,}" if found.reach == "newest" else ""
    return f"{first:%d %b %Y} to {found.days[-1][0]:%d %b %Y}{newest}"


def _hits(articles: Sequence[Article], phrases: Sequence[Phrase]) -> Iterator[Hit]:
    """Stories, those of one cluster that follow one another folded into one."""
    for _, group in groupby(articles, key=lambda article: article.cluster_id or article.id):
        first, *others = group
        found = find_passage(first, phrases)
        title = first.title or first.url
        yield Hit(
            first,
            marked(title, word_marks(title, phrases)),
            marked(found.text, found.marks),
            tuple(others),
        )


def marked(text: str, marks: Sequence[Span]) -> Markup:
    """A text with the words that were found marked; all else is escaped."""
    parts, at = [], 0
    for start, end in marks:
        parts.append(escape(visible(text[at:start])))
        parts.append(Markup("<mark>{}</mark>").format(visible(text[start:end])))
        at = end
    parts.append(escape(visible(text[at:])))
    return Markup("").join(parts)


def _narrowed(q: str, facet: str, value: str, use: Use) -> str:
    """The query with one more filter."""
    wanted = f"rights:{use}={value}" if facet == "rights" else f'{facet}:"{value}"'
    return f"{q} {wanted}".strip()


add_data_routes(router, api, "/search", rows_of, ArticleRow)

PLUG = WebPage(name="search", router=router, api=api, title="Articles", path="/search", order=40)
