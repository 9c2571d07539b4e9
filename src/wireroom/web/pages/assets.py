"""What every page loads from here: style, scripts, and the stream of live changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.web.rendering import static_file
from wireroom.web.web_context import Web, client_of

router = APIRouter()

TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FILES: Final = frozenset(
    {"wireroom.css", "card.css", "live.js", "keys.js", "icon.svg", "original.css"}
)
FOR_FRAMES: Final = frozenset({"original.css"})
"""Files for a sandboxed frame, whose origin is nobody's: browsers take its requests for those of a stranger."""

EVERYTHING: Final = "all"  # the subject of a page that is about no single thing
LARGEST_NUMBER: Final = 2**63 - 1  # of an event; databases know no larger one
FOR_EVER: Final = "public, max-age=31536000, immutable"  # the address has the file's hash


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A file that never changes at its address."""
    if name not in FILES:
        raise HTTPException(404)
    kind = TYPES[name.rpartition(".")[2]]
    headers = {"Cache-Control": FOR_EVER}
    if name in FOR_FRAMES:
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return Response(static_file(name), media_type=kind, headers=headers)


def _stream_slot(request: Request, web: Web) -> Iterator[None]:
    with web.tailer.slot(client_of(request)):
        yield


def _page_of(name: str, subject: str, web: Web) -> WebPage:
    page = web.pages.get(name)
    if page is None or page.live is None:
        raise HTTPException(404)
    is_known = page.is_known(web, subject) if page.is_known is not None else subject == EVERYTHING
    if not is_known:
        raise HTTPException(404)
    return page


@router.get("/live/{name}/{subject:path}", response_class=EventSourceResponse)
async def live(
    subject: str,
    web: Web,
    page: Annotated[WebPage, Depends(_page_of)],
    _slot: Annotated[None, Depends(_stream_slot)],
    after: Annotated[int, Query(ge=0, le=LARGEST_NUMBER)] = 0,
    last_event_id: Annotated[str, Header(max_length=20)] = "",
) -> AsyncIterator[ServerSentEvent]:
    """What changes on a page, as it happens; `after` is the last event that the page shows already."""
    known = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else after

    def make(event: Event) -> Fragment | None:
        return page.live(web, subject, event) if page.live is not None else None

    topic = f"{page.name}/{subject}"
    async for change in web.tailer.stream(topic, known, make, whole=page.live_whole):
        yield change


PLUG = WebPage(name="assets", router=router)
