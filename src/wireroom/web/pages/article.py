"""`/articles/ID`: the text to be read, what every field rests on, the original, its versions, copies and rights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from wireroom.app.article_actions import read_anew, uncluster_article
from wireroom.app.article_history import (
    ArticleVersions,
    Copy,
    article_copies,
    article_versions,
)
from wireroom.app.case_file import report_wrong_text
from wireroom.app.explain import explain_article, find_article, with_original
from wireroom.app.snapshot import article_snapshot, has_page
from wireroom.errors import SettingsError
from wireroom.export.article_json import to_plain
from wireroom.model import USE_MEANINGS, Article, Receipt, Signal, Use
from wireroom.ports import WebPage
from wireroom.web.article_html import article_html
from wireroom.web.page_worker import with_worker
from wireroom.web.rendering import static_address
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("articles")

SNAPSHOT_POLICY: Final = (
    "sandbox; default-src 'none'; style-src 'self'; frame-ancestors 'self'; base-uri 'none'"
)
Which = Annotated[str, Path(description="The id of an article, or its first digits.")]
LONGEST_REPORT = 5_000  # characters of what somebody says is wrong with a text
DONE: Final = {
    "unclustered": "It is in no cluster any more, and will not be clustered again.",
    "changed": "It was read anew from its kept page, and reads differently now.",
    "same": "It was read anew from its kept page, and reads the same.",
    "unread": "Its kept page gives no article any more; what is held stays.",
    "opened": "Its page is not kept. It will be fetched again by the next run.",
    "not_opened": "Its page is neither kept nor known to the queue.",
    "reported": "A case file was written.",
}


@dataclass(frozen=True, slots=True)
class RightsLine:
    """One line that decided, with the uses for which it did."""

    uses: tuple[Use, ...]
    signal: Signal
    is_unread: bool = False
    """Whether it could not be read, so that the uses stay unknown."""


def rights_lines(receipt: Receipt) -> tuple[RightsLine, ...]:
    """The lines that a receipt rests on, each once, however many uses it speaks of."""
    found: dict[tuple[object, ...], RightsLine] = {}
    for verdict in receipt.verdicts:
        for signals, is_unread in ((verdict.because, False), (verdict.unseen, True)):
            for signal in signals:
                key = (signal.family, signal.value, signal.evidence, is_unread)
                known = found.get(key, RightsLine((), signal, is_unread))
                found[key] = replace(known, uses=(*known.uses, verdict.use))
    return tuple(found.values())


def _held(web: WebContext, which: str) -> Article:
    """The article of this id, or 404; the first digits of one are enough."""
    try:
        found = find_article(web.app, which)
    except SettingsError as error:
        raise HTTPException(404, error.message) from error
    if found is None:
        raise HTTPException(404, f"No article has the id “{which}”.")
    return with_original(web.app, found)


@router.get("/articles/{which}.json", include_in_schema=False)
@api.get(
    "/articles/{which}",
    operation_id="get_article",
    summary="One article with everything that is held of it",
)
def article_data(web: Web, which: Which) -> dict[str, Any]:
    """Its text, the source of each field, its cluster, and the receipt of the rights it was taken under."""
    return to_plain(_held(web, which))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleCopy:
    """One of the articles that tell the same text."""

    id: str
    publisher: str
    url: str
    title: str
    at: datetime
    """When it came out by its own date, or else when it was read."""
    dated: bool
    """Whether it says itself when it came out."""
    is_first: bool
    is_canonical: bool
    added: int | None
    removed: int | None
    """Words beside the canonical one; null for that one itself, and where a text is not held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyList:
    """The cluster of an article, who was first first."""

    cluster_id: str
    """Empty where it is in none."""
    copies: Sequence[ArticleCopy]
    more: int
    """Members that are not named."""


@api.get(
    "/articles/{which}/copies",
    operation_id="list_article_copies",
    summary="Who tells the same text",
)
def copies_data(web: Web, which: Which) -> CopyList:
    """Its near-duplicates: who was first, which one is canonical, and how many words each changed."""
    found = article_copies(web.app, _held(web, which))
    return CopyList(
        cluster_id=found.cluster_id, copies=tuple(map(_copy_of, found.copies)), more=found.more
    )


def _copy_of(copy: Copy) -> ArticleCopy:
    held, diff = copy.article, copy.diff
    return ArticleCopy(
        id=held.id,
        publisher=held.publisher,
        url=held.url,
        title=held.title,
        at=copy.at,
        dated=copy.dated,
        is_first=copy.is_first,
        is_canonical=copy.is_canonical,
        added=diff.added if diff is not None else None,
        removed=diff.removed if diff is not None else None,
    )


@api.get(
    "/articles/{which}/versions",
    operation_id="list_article_versions",
    summary="How an article was edited",
)
def versions_data(web: Web, which: Which) -> ArticleVersions:
    """Title and text of each edit as kept, added and removed words, the last edit first."""
    return article_versions(web.app, _held(web, which))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclusteredArticle:
    """An article that is in no cluster from now on."""

    id: str
    cluster_id: str = ""
    """The cluster it was in; empty where it was in none."""
    others: Sequence[str] = ()
    """The ids of those it was clustered with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingResult:
    """What came of reading an article anew."""

    id: str
    outcome: Literal["changed", "same", "unread", "opened", "not_opened"]
    """From its kept page: it changed, reads the same, or gives no article any more. Without one: its lead is due, or there is none."""
    message: str
    fields: Sequence[str] = ()
    """Of one that changed: what."""
    reason: str = ""
    """Why the page gives no article."""


class WrongText(BaseModel):
    """What is wrong with the text of an article."""

    model_config = ConfigDict(extra="forbid")

    wrong: str = Field(min_length=1, max_length=LONGEST_REPORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """A case that was written down."""

    article: str
    file: str
    """Its name, in the folder of case files."""
    has_page: bool
    """Whether the page was kept and is in it."""


@api.post(
    "/articles/{which}/uncluster",
    operation_id="uncluster_article",
    summary="Take an article out of its cluster",
)
def uncluster(web: Web, which: Which) -> UnclusteredArticle:
    """For good, whatever is read of it later."""
    found = uncluster_article(web.app, _held(web, which).id)
    return UnclusteredArticle(id=found.article.id, cluster_id=found.cluster_id, others=found.others)


@api.post("/articles/{which}/read", operation_id="read_article", summary="Read an article anew")
def read_again(web: Web, which: Which) -> ReadingResult:
    """From its kept page with the extractor of today; without one, the next run fetches it again."""
    held = _held(web, which)
    found = with_worker(web.app, lambda engine: read_anew(engine, web.app, held.id))
    return ReadingResult(
        id=held.id,
        outcome=found.outcome,
        message=DONE[found.outcome],
        fields=found.fields,
        reason=found.reason,
    )


@api.post(
    "/articles/{which}/reports",
    operation_id="report_article",
    status_code=201,
    summary="Report a wrong text",
)
def report(web: Web, which: Which, wrong: WrongText) -> CaseReport:
    """Writes a case file with the text, the source of each field and the kept page."""
    case = report_wrong_text(web.app, _held(web, which).id, wrong.wrong)
    return CaseReport(article=case.article.id, file=case.path.name, has_page=case.has_page)


@router.get("/articles/{which}", response_class=HTMLResponse)
def article(request: Request, web: Web, which: str, done: str = "") -> Response:
    """The page."""
    held = _held(web, which)
    explained = explain_article(web.app, held, compare=False)
    return web.renderer.page(
        request,
        "article.html",
        article=held,
        text=article_html(held),
        explained=explained,
        versions=article_versions(web.app, held),
        copies=article_copies(web.app, held),
        done=DONE.get(done, ""),
        has_page=has_page(web.app, held),
        rights_lines=rights_lines(held.receipt) if held.receipt is not None else (),
        uses=USE_MEANINGS,
        now=web.app.clock(),
    )


@router.get("/articles/{which}/original", response_class=HTMLResponse)
def original(web: Web, which: str) -> Response:
    """The page as it was fetched, harmless, with kept and dropped texts marked; for a frame that runs nothing."""
    held = _held(web, which)
    snapshot = article_snapshot(web.app, held.id)
    if snapshot is None:
        raise HTTPException(404, "The page of that article is not kept.")
    html = web.renderer.html(
        "original.html",
        snapshot=snapshot,
        body=Markup(snapshot.html),  # noqa: S704 - sanitised: a few elements, no attribute of the page's own
        style=static_address("original.css"),
        language=held.language,
    )
    headers = {"Content-Security-Policy": SNAPSHOT_POLICY, "X-Frame-Options": ""}
    return HTMLResponse(html, headers=headers)


@router.post("/articles/{which}")
def act(
    web: Web,
    which: str,
    action: Annotated[Literal["uncluster", "read", "report"], Form()],
    wrong: Annotated[str, Form(max_length=LONGEST_REPORT)] = "",
) -> Response:
    """Takes it out of its cluster for good, reads it anew, or writes down what is wrong with its text."""
    held = _held(web, which)
    done = "reported"
    if action == "uncluster":
        uncluster_article(web.app, held.id)
        done = "unclustered"
    elif action == "read":
        done = with_worker(web.app, lambda engine: read_anew(engine, web.app, held.id)).outcome
    else:
        report_wrong_text(web.app, held.id, wrong)
    return RedirectResponse(f"/articles/{held.id}?done={done}", status_code=303)


PLUG = WebPage(name="article", router=router, api=api)
