"""`/docs`: the API, from its own OpenAPI document; nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from wireroom.ports import WebPage
from wireroom.web.api_document import operations_of
from wireroom.web.web_context import Web
from wireroom.web.web_problems import PROBLEM_KINDS

router = APIRouter()

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a field of a body."""

    name: str
    kind: str
    meaning: str
    place: str = ""
    needed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One call of the API."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    group: str
    parameters: tuple[Value, ...]
    fields: tuple[Value, ...]
    """Of the body."""
    other_bodies: tuple[str, ...]
    """Media types that are taken as well."""
    curl: str
    status: str
    answer: str
    """An example, as text."""
    problems: tuple[tuple[str, str], ...]
    """Statuses and what each means."""


def operations(document: dict[str, Any], base: str, *, token: bool) -> Iterator[Operation]:
    """Every call that the OpenAPI document describes."""
    for method, path, about in operations_of(document):
        bodies = about.get("requestBody", {}).get("content", {})
        status, answer = next(found for found in about["responses"].items() if found[0][0] == "2")
        yield Operation(
            id=about["operationId"],
            method=method.upper(),
            path=path,
            summary=about.get("summary", ""),
            description=about.get("description", ""),
            group=about["tags"][0],
            parameters=tuple(_parameters(document, about)),
            fields=tuple(_fields(document, bodies.get(JSON, {}).get("schema", {}))),
            other_bodies=tuple(kind for kind in bodies if kind != JSON),
            curl=_curl(base, method, path, about, token=token),
            status=status,
            answer=_pretty(_example(answer)),
            problems=tuple(_problems(about)),
        )


def _parameters(document: dict[str, Any], about: dict[str, Any]) -> Iterator[Value]:
    for parameter in about.get("parameters", ()):
        schema = parameter["schema"]
        meaning = parameter.get("description", schema.get("description", ""))
        yield Value(
            parameter["name"],
            _kind(document, schema),
            meaning,
            {"path": "in the path", "header": "a header"}.get(parameter["in"], ""),
            parameter.get("required", False),
        )


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> Iterator[Value]:
    """What stands in a body; of an object in it, its fields too."""
    found = _resolved(document, schema)
    needed = found.get("required", ())
    for name, part in found.get("properties", {}).items():
        inner = _resolved(document, part)
        meaning = part.get("description") or inner.get("description", "")
        yield Value(name, _kind(document, part), meaning, "", name in needed)
        for field in _fields(document, inner) if "properties" in inner else ():
            yield Value(f"{name}.{field.name}", field.kind, field.meaning)


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    found: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _kind(document: dict[str, Any], schema: dict[str, Any]) -> str:
    """The type of a value, in words."""
    found = _resolved(document, schema)
    if "anyOf" in found:
        return " or ".join(_kind(document, part) for part in found["anyOf"])
    if "enum" in found:
        return ", ".join(map(str, found["enum"]))
    if "const" in found:
        return str(found["const"])
    if found.get("type") == "array":
        return f"list of {_kind(document, found.get('items', {}))}"
    return str(found.get("type", "anything"))


def _problems(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for status, answer in sorted(about["responses"].items()):
        if status[0] == "4":
            yield status, answer["description"]


def _curl(base: str, method: str, path: str, about: dict[str, Any], *, token: bool) -> str:
    """The example as somebody would type it."""
    given = {each["name"]: each for each in about.get("parameters", ()) if "example" in each}
    query = {name: each["example"] for name, each in given.items() if each["in"] == "query"}
    headers = [
        f"{name}: {each['example']}" for name, each in given.items() if each["in"] == "header"
    ]
    for name, each in given.items():
        path = path.replace(f"{{{name}}}", quote(str(each["example"]), safe=""))
    body = about.get("requestBody", {}).get("content", {}).get(JSON, {}).get("example")
    if body is not None:
        headers.append(f"Content-Type: {JSON}")
    parts = ["curl", *([] if method == "get" else ["-X", method.upper()])]
    parts.append(shlex.quote(f"{base}{path}{'?' + urlencode(query) if query else ''}"))
    parts += [f"-H {shlex.quote(header)}" for header in headers]
    parts += ['-H "Authorization: Bearer $TOKEN"'] if token else []
    parts += [f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}"] if body is not None else []
    return " ".join(parts)


def _example(answer: dict[str, Any]) -> Any:
    """That of the answer; of a file that of the format which is JSON."""
    contents = answer.get("content", {}).values()
    return next((content["example"] for content in contents if "example" in content), None)


def _pretty(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


@router.get("/docs", response_class=HTMLResponse)
def docs(request: Request, web: Web) -> Response:
    """The page."""
    base = str(request.base_url).rstrip("/")
    document = request.app.openapi()
    found = sorted(
        operations(document, base, token=web.sessions.needed),
        key=lambda each: (each.group, each.path, each.method),
    )
    groups: Mapping[str, str] = {tag["name"]: tag["description"] for tag in document["tags"]}
    return web.renderer.page(
        request,
        "docs.html",
        operations=found,
        groups=groups,
        base=base,
        problem_kinds=PROBLEM_KINDS,
    )


PLUG = WebPage(name="docs", router=router)
