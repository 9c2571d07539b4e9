"""`/search/export` and `/api/v1/export`: what matches and a use permits, as a file; what that leaves out, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from wireroom.app.export import ExportRequest, ExportResult
from wireroom.app.export import export as export_articles
from wireroom.app.export_output import stream_formats
from wireroom.errors import SettingsError
from wireroom.export.selection import Report
from wireroom.model import Use
from wireroom.ports import WebPage
from wireroom.web.api_requests import tags_in
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("articles")

MOST_EXPORTED = 10_000  # articles of one download; who wants more takes `wireroom export`
MOST_NAMED = 500  # articles named one by one
IN_MEMORY = 8_000_000  # bytes of a download that need no file
CHUNK = 1 << 16

Format = Annotated[
    str,
    Query(
        alias="format", max_length=20, description="A format of `wireroom export` that is one file."
    ),
]
For = Annotated[
    Use | None,
    Query(
        alias="for",
        description="Only what it permits; without one everything, with its rights beside it.",
    ),
]
Asked = Annotated[
    str, Query(max_length=1_000, description="A query, as `wireroom search` reads it.")
]
Named = Annotated[
    tuple[str, ...],
    Query(
        alias="article",
        max_length=MOST_NAMED,
        description="The id or address of one that is meant; with any, no query.",
    ),
]
Most = Annotated[int, Query(ge=1, le=MOST_EXPORTED, description="Articles at most.")]
Unique = Annotated[
    bool, Query(description="Of near-duplicates only the canonical one, or who stands in for it.")
]
Columns = Annotated[
    tuple[str, ...], Query(alias="column", max_length=100, description="Of a table; none: all.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportChoice:
    """Which articles are meant, and for what."""

    query: str = ""
    use: Use | None = None
    articles: tuple[str, ...] = ()
    limit: int = MOST_EXPORTED
    unique: bool = False


def chosen(
    q: Asked = "",
    use: For = None,
    articles: Named = (),
    limit: Most = MOST_EXPORTED,
    unique: Unique = False,
) -> ExportChoice:
    """What the parameters of a request mean."""
    return ExportChoice(query=q, use=use, articles=articles, limit=limit, unique=unique)


Chosen = Annotated[ExportChoice, Depends(chosen)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSummary:
    """What an export would have, and what it would leave out."""

    count: int
    """Articles that it would have."""
    left_out: int
    """Of those that were looked at: the ones that the use does not permit, or that are near-duplicates."""
    looked_at: int
    is_limited: bool = False
    """Whether the limit was reached: there may be more."""
    near_duplicates: int = 0
    stand_ins: int = 0
    """Near-duplicates in place of a canonical one that the use does not permit."""
    rights: Report | None = None
    """For a use: the reasons, publisher by publisher, with examples, and what is asked for in return."""
    refused: dict[Use, int] = field(default_factory=dict)
    """Without a use: how many of them are refused or sold for each."""


@router.get("/search/export")
def download(
    request: Request,
    web: Web,
    form: Annotated[str, Query(max_length=20)],
    q: Asked = "",
    use: For = None,
) -> Response:
    """What a search found and the use permits, in a format of `wireroom export`."""
    return _file(request, web, form, ExportChoice(query=q, use=use))


@api.get(
    "/export",
    operation_id="export_articles",
    summary="Export articles for a use",
    response_class=Response,
)
def export(
    request: Request,
    web: Web,
    what: Chosen,
    form: Format = "jsonl",
    columns: Columns = (),
    byte_order_mark: Annotated[bool, Query(description="Of CSV, for spreadsheets.")] = False,
) -> Response:
    """A file of those that match and that the use permits. `X-Articles` says how many there are, `X-Left-Out` how many of those that were looked at are not in it, `X-Limit-Reached` that there may be more. What is left out, and why, is at `/export/report`."""
    return _file(request, web, form, what, columns, byte_order_mark)


@api.get("/export/report", operation_id="get_export_report", summary="What an export leaves out")
def report(web: Web, what: Chosen) -> ExportSummary:
    """The report that `wireroom export` writes beside a file: what a use permits, what it does not, and why. Nothing is exported."""
    with Path(os.devnull).open("wb") as nowhere:
        wanted = ExportRequest(
            output=nowhere,
            form="jsonl",
            use=what.use,
            query=what.query,
            articles=what.articles,
            limit=what.limit,
            unique=what.unique,
        )
        found = export_articles(web.app, wanted)
    return ExportSummary(
        count=found.count,
        left_out=found.looked_at - found.count,
        looked_at=found.looked_at,
        is_limited=found.count == what.limit,
        near_duplicates=found.near_duplicates,
        stand_ins=found.stand_ins,
        rights=found.report,
        refused=dict(found.refused),
    )


def _file(
    request: Request,
    web: WebContext,
    form: str,
    what: ExportChoice,
    columns: tuple[str, ...] = (),
    byte_order_mark: bool = False,
) -> Response:
    """The file, written before its first byte is sent: what goes wrong is an answer of its own."""
    if form not in stream_formats():
        raise SettingsError(
            [f"There is no format {form} that is one file."],
            hint=f"There are: {', '.join(sorted(stream_formats()))}.",
        )
    spool = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed behind the last chunk
    try:
        found = web.app.export(
            spool,  # type: ignore[arg-type]
            form=form,
            use=what.use,
            query=what.query,
            articles=what.articles,
            limit=what.limit,
            unique=what.unique,
            columns=columns,
            byte_order_mark=byte_order_mark,
        )
        tag = _tag(spool)
    except BaseException:
        spool.close()
        raise
    suffix, media_type = web.app.format_of(form)
    headers = _headers(found, what) | {"ETag": tag, "Cache-Control": "private, no-cache"}
    if tag in tags_in(request.headers.get("if-none-match", "")):
        spool.close()
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="articles{suffix}"'
    return StreamingResponse(_chunks(spool), media_type=media_type, headers=headers)


def _headers(found: ExportResult, what: ExportChoice) -> dict[str, str]:
    """What is said of the file beside it."""
    return {
        "X-Articles": str(found.count),
        "X-Left-Out": str(found.looked_at - found.count),
        "X-Limit-Reached": str(found.count == what.limit).lower(),
    }


def _tag(spool: SpooledTemporaryFile[bytes]) -> str:
    spool.seek(0)
    digest = sha256()
    while chunk := spool.read(CHUNK):
        digest.update(chunk)
    spool.seek(0)
    return f'"{digest.hexdigest()[:32]}"'


def _chunks(spool: SpooledTemporaryFile[bytes]) -> Iterator[bytes]:
    with spool:
        while chunk := spool.read(CHUNK):
            yield chunk


PLUG = WebPage(name="export", router=router, api=api)
