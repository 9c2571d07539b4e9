"""What is answered when something goes wrong: a page for people, `application/problem+json` for programs.

The kinds are those that the command line gives scripts.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from wireroom.display_text import visible_line
from wireroom.errors import (
    BlockedError,
    FetchError,
    MissingExtraError,
    NoArticleError,
    QueryError,
    RefusedError,
    SettingsError,
    SlowQueryError,
    StoreError,
    WireroomError,
    kind_of_failure,
    terminal_words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI, Request
    from starlette.datastructures import Headers
    from starlette.responses import Response
    from starlette.types import Scope

PROBLEM_JSON = "application/problem+json"
INNER: Final = "private_address"
NOT_PUBLIC: Final = "That address is refused: it is not one of the public web."
"""All that is said of an address inside our own network."""
_STATUS: Final[dict[type[WireroomError], int]] = {
    SettingsError: 400,
    QueryError: 400,
    SlowQueryError: 503,
    RefusedError: 403,
    BlockedError: 502,
    NoArticleError: 422,
    FetchError: 502,
    StoreError: 503,
    MissingExtraError: 501,
    WireroomError: 500,
}


KIND_OF_STATUS: Final = {
    400: "usage",
    401: "token",
    403: "foreign_request",
    404: "not_found",
    405: "method",
    408: "slow_request",
    409: "conflict",
    412: "changed",
    413: "too_large",
    415: "media_type",
    421: "host",
    428: "unconfirmed",
    429: "too_many",
    431: "too_large",
    500: "internal",
}
"""The kind of a problem that no error of the program stands for."""


PROBLEM_KINDS: Final = {
    "usage": "something in the request cannot be understood",
    "query": "a query cannot be read; the text says where",
    "slow_query": "a query took longer than it may",
    "token": "a token is needed, or it is the wrong one",
    "foreign_request": "a browser sent it for another site",
    "not_found": "nothing is there",
    "method": "nothing there takes this method",
    "conflict": "it does not go with how things stand",
    "changed": "what you read has changed since",
    "unconfirmed": "it is for good, and takes the tag of its plan as If-Match",
    "too_large": "it is larger than a limit",
    "media_type": "what was sent is of a kind that is not taken",
    "too_many": "too much was asked for; Retry-After says when to come again",
    "slow_request": "the request took too long to arrive",
    "host": "the server is not known by that name",
    "store": "the database cannot be worked with",
    "export": "a file could not be written",
    "no_article": "the page gives no article",
    "missing_extra": "a part of wireroom is not installed",
    "error": "it could not be done; the text says why",
    "internal": "something went wrong here; the log of the server has more",
}
"""What each kind means. Those about pages that were not had are of the fetch room: dns, robots, gone, …"""


NOWHERE: Final = "Nothing is here."


def status_of(error: WireroomError) -> int:
    """The status for an error: that of its nearest ancestor in the table."""
    return next(_STATUS[ancestor] for ancestor in type(error).__mro__ if ancestor in _STATUS)


def wants_data(scope: Scope) -> bool:
    """Whether a program asked."""
    path = str(scope.get("path", ""))
    return path.startswith("/api/") or path.endswith((".json", ".csv"))


def plain_problem(scope: Scope, status: int, message: str) -> Response:
    """An answer that needs no template, for what is refused before any page."""
    if wants_data(scope):
        return _problem_json(status, message)
    return PlainTextResponse(f"{message}\n", status_code=status)


def _problem_json(status: int, message: str, *, kind: str = "", hint: str = "") -> JSONResponse:
    kind = kind or KIND_OF_STATUS.get(status, "error")
    body = {
        "type": f"/docs#problem-{kind}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "kind": kind,
    }
    body |= {"hint": hint} if hint else {}
    return JSONResponse(body, status_code=status, media_type=PROBLEM_JSON)


def add_problem_answers(web: FastAPI) -> None:
    """Has every error answered by what is here."""

    async def expected(request: Request, error: Exception) -> Response:
        assert isinstance(error, WireroomError)  # noqa: S101 - the handler is registered for these
        message, hint = shown_words(error)
        pointed = pointed_at(error) if isinstance(error, QueryError) else None
        kind = kind_of_failure(error)
        return _answer(request, status_of(error), message, kind=kind, hint=hint, pointed=pointed)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        detail = str(error.detail)
        message = NOWHERE if detail == HTTPStatus.NOT_FOUND.phrase else visible_line(detail)
        return _answer(request, error.status_code, message, headers=error.headers)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        problems = error.errors()
        if any(each["type"] == "model_attributes_type" for each in problems) and not is_json(
            request.headers
        ):
            return _answer(
                request, 415, "Send the body as JSON, with Content-Type application/json."
            )
        lines = dict.fromkeys(map(_problem_line, problems))
        return _answer(request, 400, visible_line("; ".join(lines)), kind="usage")

    async def unexpected(request: Request, _error: Exception) -> Response:
        return _answer(request, 500, "Something went wrong here. The log of the server has more.")

    web.add_exception_handler(WireroomError, expected)
    web.add_exception_handler(Exception, unexpected)
    web.add_exception_handler(HTTPException, http)
    web.add_exception_handler(RequestValidationError, invalid)


def is_json(headers: Headers) -> bool:
    """Whether a body is sent as JSON."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _problem_line(problem: Mapping[str, Any]) -> str:
    """What is wrong with one value, behind its name: `options.interval: Input should be …`."""
    if problem["type"] == "json_invalid":
        place = f", at character {problem['loc'][-1]}" if problem["loc"] else ""
        return f"body: no JSON{place}: {problem['ctx']['error']}"
    name = ".".join(map(str, problem["loc"][1:] or problem["loc"])) or "body"
    return f"{name}: {problem['msg']}"


class Pointed(NamedTuple):
    """A query, and the place in it that cannot be read."""

    before: str
    at: str
    behind: str


def pointed_at(error: QueryError) -> Pointed | None:
    """What is to be marked in a query: from the place that is meant up to the next blank; None where the whole of it is."""
    start = error.column - 1
    if start < 0 or not error.query:
        return None
    end = start + max(1, len(error.query[start:].partition(" ")[0]))
    return Pointed(error.query[:start], error.query[start:end], error.query[end:])


def shown_words(error: WireroomError) -> tuple[str, str]:
    """What is wrong, and the hint; of an address inside our own network it is told only that it is refused."""
    if isinstance(error, RefusedError) and error.kind == INNER:
        return NOT_PUBLIC, ""
    problems = error.problems if isinstance(error, SettingsError) else (error.message,)
    return "\n".join(map(terminal_words, problems)), terminal_words(error.hint)


def _answer(
    request: Request,
    status: int,
    message: str,
    *,
    kind: str = "",
    hint: str = "",
    headers: object = None,
    pointed: Pointed | None = None,
) -> Response:
    answer: Response
    if wants_data(request.scope):
        answer = _problem_json(status, message, kind=kind, hint=hint)
    else:
        page = request.app.state.web.renderer.page(
            request,
            "problem.html",
            status=status,
            title="This cannot be searched for" if pointed else HTTPStatus(status).phrase,
            message=message,
            hint=hint,
            pointed=pointed,
        )
        assert isinstance(page, HTMLResponse)  # noqa: S101 - tells the type checker
        answer = page
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer
