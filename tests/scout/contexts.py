"""A case without a network: answers come from a table, and what was asked for is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from wireroom.errors import FetchError, GoneError
from wireroom.model import Finding, Publisher, Request, Response
from wireroom.ports import StepContext
from wireroom.scout.document_reading import read_inline
from wireroom.scout.scout_fetch import ScoutFetch
from wireroom.signals.freshness import FRESH_FOR

NOW = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)
HOME = "https://courier.example/"

Answer = str | bytes | Response | FetchError


class Table:
    """A `Fetch` over a table of answers; whatever is not in it is gone."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.asked: list[Request] = []

    async def __call__(self, request: Request) -> Response:
        self.asked.append(request)
        answer = self.answers.get(request.url, GoneError(request.url, 404))
        if isinstance(answer, FetchError):
            raise answer
        if isinstance(answer, Response):
            return replace(answer, url=request.url, final_url=answer.final_url or request.url)
        return served(request.url, answer)


def served(
    url: str, body: str | bytes = b"", *, status: int = 200, kind: str = "text/html", **headers: str
) -> Response:
    """An answer with headers; underscores in their names stand for dashes."""
    pairs = [("content-type", kind), *((n.replace("_", "-"), v) for n, v in headers.items())]
    data = body.encode() if isinstance(body, str) else body
    return Response(
        url=url,
        final_url=url,
        status=status,
        headers=tuple(pairs),
        body=data,
        fetched_at=NOW,
        hops=(url,),
    )


def context_of(
    answers: Mapping[str, Answer] | None = None,
    *,
    url: str = HOME,
    findings: Mapping[str, Finding] | None = None,
    before: Finding | None = None,
    fetch: Table | None = None,
) -> StepContext:
    """A case on the publisher `courier.example`."""
    scout = ScoutFetch(fetch or Table(answers or {}))
    return StepContext(
        publisher=Publisher(domain="courier.example", home_url=HOME, added_at=NOW),
        url=url,
        fetch=scout,
        read=read_inline,
        once=scout.once,
        findings=findings or {},
        before=before,
        now=NOW,
        fresh_since=NOW - FRESH_FOR,
        believed_since=NOW - FRESH_FOR,
    )
