"""`/publishers`: the rights matrix over all publishers; compared side by side; lists of them uploaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException

from wireroom.app.publisher_list import (
    PublisherFilter,
    PublisherList,
    PublisherOrder,
    PublisherRow,
    changed_since,
    publisher_list,
    publisher_rows,
)
from wireroom.errors import SettingsError
from wireroom.languages import ENGLISH_NAMES
from wireroom.model import USE_MEANINGS, USES, Event, Use, Word
from wireroom.ports import Fragment, WebPage
from wireroom.web.job_view import Job
from wireroom.web.pages.publisher import ENDS
from wireroom.web.rendering import with_query
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import (
    PAGE_SIZE,
    ActiveFilter,
    Cursor,
    Limit,
    Rows,
    Typed,
    add_data_routes,
    api_router,
)

router = APIRouter()
api = api_router("publishers")

MOST_COMPARED = 4
WORDS: tuple[Word, ...] = ("allow", "deny", "paid", "unknown")
Signal = Annotated[str, Query(max_length=50, description="A signal that says something.")]
Language = Annotated[str, Query(max_length=10, description="ISO 639-1.")]
Changed = Annotated[
    str,
    Query(
        max_length=64,
        description="Only those whose rights changed since: `7d`, `yesterday`, `2026-05-03`.",
    ),
]
Verdicts = Annotated[
    str,
    Query(max_length=200, description="Verdicts of uses, such as `search=allow,ai-train=deny`."),
]


def read_verdicts(text: str) -> dict[Use, Word]:
    """The verdicts in `search=allow,ai-train=deny`; SettingsError for what is none."""
    found: dict[Use, Word] = {}
    for part in filter(None, text.split(",")):
        name, _, given = part.strip().partition("=")
        use = next((use for use in USES if use == name), None)
        word = next((word for word in WORDS if word == given), None)
        if use is None or word is None:
            hint = f"Uses: {', '.join(USES)}. Verdicts: {', '.join(WORDS)}."
            raise SettingsError([f"verdict {part}: expected a use and a verdict"], hint=hint)
        found[use] = word
    return found


def write_verdicts(chosen: Mapping[Use, Word], use: Use, word: Word | None) -> str:
    """The same text with the verdict of one use changed, or without it."""
    merged = {**chosen, use: word}
    return ",".join(f"{each}={value}" for each, value in merged.items() if value)


def find_publishers(
    web: Web,
    q: Typed = "",
    verdict: Verdicts = "",
    signal: Signal = "",
    language: Language = "",
    changed: Changed = "",
    sort: PublisherOrder = "name",
    cursor: Cursor = "",
    limit: Limit = PAGE_SIZE,
) -> PublisherList:
    """Publishers that match, one page of them, with counts to filter by."""
    chosen = PublisherFilter(
        text=q.strip(),
        verdicts=read_verdicts(verdict),
        signal=signal,
        language=language,
        changed_after=changed_since(web.app, changed),
    )
    return publisher_list(web.app, chosen, order=sort, cursor=cursor, limit=limit)


def rows_of(found: Annotated[PublisherList, Depends(find_publishers)]) -> Rows[PublisherRow]:
    """Publishers, what each permits and offers."""
    return Rows(rows=found.rows, next=found.next)


def _last_event(web: Web) -> int:
    return web.app.last_event_number()


@router.get("/publishers", response_class=HTMLResponse)
def publishers(
    request: Request,
    web: Web,
    after: Annotated[int, Depends(_last_event)],  # before the list is read: nothing is missed
    found: Annotated[PublisherList, Depends(find_publishers)],
    verdict: Verdicts = "",
) -> Response:
    """The page."""
    chosen = read_verdicts(verdict)
    return web.renderer.page(
        request,
        "publishers.html",
        found=found,
        filters=tuple(_active(dict(request.query_params), chosen, found)),
        uses=USE_MEANINGS,
        words=WORDS,
        chosen=chosen,
        scouting=_scouting(web),
        after=after,
        with_verdict=lambda use, word: write_verdicts(chosen, use, word),
        now=web.app.clock(),
    )


def _scouting(web: WebContext) -> list[Job]:
    return [job for job in web.jobs.open_jobs() if job.kind == "scout"]


def live(web: WebContext, _subject: str, event: Event) -> Fragment | None:
    """The row of a publisher whose scout ended, and those that are still being scouted."""
    if event.kind not in ENDS:
        return None
    macro, now = partial(web.renderer.macro, "publishers_parts.html"), web.app.clock()
    rows = publisher_rows(web.app, [event.subject])
    found = "".join(macro("publisher_row", row, USE_MEANINGS, now) for row in rows)
    # Beside other elements a browser reads rows in a table alone.
    return Fragment(html=f"{macro('being_scouted', _scouting(web))}<table>{found}</table>")


def _active(
    shown: Mapping[str, str], chosen: Mapping[Use, Word], found: PublisherList
) -> Iterator[ActiveFilter]:
    """What the list is filtered by, each to be taken out by a link."""

    def without(words: str, **changes: str) -> ActiveFilter:
        url = with_query(shown, **{**changes, "cursor": ""})
        return ActiveFilter(words=words, url=f"/publishers{url}")

    if text := shown.get("q", "").strip():
        yield without(f"with {text} in name or domain", q="")
    for use, word in chosen.items():
        yield without(f"{use} {word}", verdict=write_verdicts(chosen, use, None))
    if signal := shown.get("signal"):
        yield without(f"signal {found.signal_labels.get(signal, signal)}", signal="")
    if language := shown.get("language"):
        yield without(f"language {ENGLISH_NAMES.get(language, language)}", language="")
    if changed := shown.get("changed", "").strip():
        yield without(f"rights changed since {changed}", changed="")


@router.get("/compare", response_class=HTMLResponse)
def compare(
    request: Request, web: Web, domain: Annotated[tuple[str, ...], Query(max_length=50)] = ()
) -> Response:
    """Up to four of them side by side."""
    rows = publisher_rows(web.app, domain[:MOST_COMPARED])
    return web.renderer.page(
        request,
        "compare.html",
        rows=rows,
        left_out=len(domain) - len(rows),
        uses=USE_MEANINGS,
        most=MOST_COMPARED,
        now=web.app.clock(),
    )


@router.post("/publishers")
def scout_again(
    request: Request, web: Web, domain: Annotated[tuple[str, ...], Form(max_length=50)] = ()
) -> Response:
    """Scouts the chosen ones again, as many as one may start."""
    if not domain:
        raise HTTPException(400, "Choose publishers in the list first.")
    for each in domain:
        web.jobs.scout(each, client_of(request), refresh=True)
    shown = with_query(dict(request.query_params))
    return RedirectResponse(f"/publishers{shown if len(shown) > 1 else ''}", status_code=303)


add_data_routes(router, api, "/publishers", rows_of, PublisherRow)

PLUG = WebPage(
    name="publishers",
    router=router,
    api=api,
    title="Publishers",
    path="/publishers",
    order=20,
    live=live,
)
