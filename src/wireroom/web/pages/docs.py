"""`/docs`: the API, from its own OpenAPI document; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from wireroom.ports import WebPage
from wireroom.web.web_context import Web

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One call of the API."""

    id: str
    method: str
    path: str
    summary: str
    group: str
    parameters: tuple[dict[str, Any], ...]
    example: str


def operations(document: dict[str, Any], base: str) -> Iterator[Operation]:
    """Every call that the OpenAPI document describes."""
    for path, methods in document.get("paths", {}).items():
        for method, about in methods.items():
            parameters = tuple(about.get("parameters", ()))
            yield Operation(
                id=str(about.get("operationId", f"{method}-{path}")),
                method=method.upper(),
                path=path,
                summary=str(about.get("summary", "")),
                group=str((about.get("tags") or ["other"])[0]),
                parameters=parameters,
                example=f"curl {base}{path}"
                if method == "get"
                else f"curl -X {method.upper()} {base}{path}",
            )


@router.get("/docs", response_class=HTMLResponse)
def docs(request: Request, web: Web) -> Response:
    """The page."""
    base = str(request.base_url).rstrip("/")
    found = sorted(
        operations(request.app.openapi(), base), key=lambda each: (each.group, each.path)
    )
    return web.renderer.page(request, "docs.html", operations=found, base=base)


PLUG = WebPage(name="docs", router=router)
