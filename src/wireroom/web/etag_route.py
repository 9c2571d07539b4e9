"""An API answer carries a hash of what it says: who has it already is told so, and sent nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.responses import StreamingResponse

from wireroom.web.api_requests import tags_in


class EtagRoute(APIRoute):
    """A route whose answers have an ETag."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, with the ETag put on."""
        handler = super().get_route_handler()

        async def tagged(request: Request) -> Response:
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
