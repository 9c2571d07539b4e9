"""A call of the API: its answer carries a hash of what it says, and a parameter that it does not know is refused.

Who has an answer already is told so, and sent nothing. A parameter with a slip in its name would be left out of account
otherwise: an export without the use that was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.responses import StreamingResponse

from wireroom.errors import SettingsError
from wireroom.web.api_requests import tags_in

if TYPE_CHECKING:
    from fastapi.dependencies.models import Dependant


class EtagRoute(APIRoute):
    """A route whose answers have an ETag."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, with the ETag put on."""
        handler = super().get_route_handler()
        known = tuple(dict.fromkeys(_parameters(self.dependant)))

        async def tagged(request: Request) -> Response:
            _require_known(request, known)
            answer = await handler(request)
            if request.method != "GET" or answer.status_code != 200:
                return answer
            if isinstance(answer, StreamingResponse):
                return answer
            own = answer.headers.get("etag")  # of a route that says itself what counts as a change
            tag = own or f'"{sha256(bytes(answer.body)).hexdigest()[:32]}"'
            headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
            if tag in tags_in(request.headers.get("if-none-match", "")):
                return Response(status_code=304, headers=headers)
            answer.headers.update(headers)
            return answer

        return tagged


def _parameters(dependant: Dependant) -> Iterator[str]:
    """What a call and all that it depends on take from the query."""
    yield from (each.alias for each in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _require_known(request: Request, known: Sequence[str]) -> None:
    """SettingsError for a parameter that the call does not have."""
    strange = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if strange:
        hint = f"There are: {', '.join(known)}." if known else "It has none."
        raise SettingsError([f"There is no parameter {name}." for name in strange], hint=hint)
