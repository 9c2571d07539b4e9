"""The OpenAPI document: what FastAPI makes of the routes, with problems, tokens, ETags and an example of each answer.

The examples are answers of a real server: `python scripts/api_examples.py` writes them anew, and a test holds their
shape against what a server answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import msgspec
from fastapi.openapi.utils import get_openapi

from wireroom.app.export_output import stream_formats
from wireroom.model import Article
from wireroom.report import Card
from wireroom.web.login import COOKIE
from wireroom.web.web_problems import KIND_OF_STATUS, PROBLEM_JSON, PROBLEM_KINDS

if TYPE_CHECKING:
    from fastapi import FastAPI

EXAMPLES: Final = "api_examples.json"
WRITES: Final = frozenset({"post", "patch", "put", "delete"})
PLACE: Final = "#/components/schemas/{name}"
TAGS: Final = {
    "articles": "What is held: searched, read whole, exported, read anew, reported, purged.",
    "feeds": "What is followed, and what is said of it.",
    "jobs": "What is begun and not waited for: addresses and lists, and what became of them.",
    "publishers": "What each offers and permits; scouted, followed.",
    "run": "The run that polls, fetches and reads.",
    "status": "How things stand.",
}
ABOUT: Final = (
    "Everything the pages show and do, as JSON. Lists give `{rows, next}`: hand `next` back as `cursor`. Answers to GET "
    "have an ETag. What takes time is answered with 202 and the address of a job. What goes wrong is "
    "`application/problem+json` with the kinds of the command line."
)
# What an operation may answer beside what it is for, by what it takes; every one may answer 401 and 500.
BODIES: Final = {"get_card": "Card", "get_article": "Article"}
"""Answers whose types are those of the program, and not of FastAPI."""
CONFLICTS: Final = frozenset({"start_run", "stop_run", "resume_job"})
CONFIRMED: Final = frozenset({"purge"})
FILES: Final = frozenset({"export_articles"})
"""What is answered with a file, in each of the formats that write one."""
EXAMPLE_FILE: Final = "application/feed+json"


def api_document(web: FastAPI, *, needs_token: bool) -> dict[str, Any]:
    """The document, made once."""
    if web.openapi_schema is None:
        document = get_openapi(
            title="wireroom",
            version=web.version,
            description=ABOUT,
            routes=web.routes,
            tags=[{"name": name, "description": words} for name, words in TAGS.items()],
            servers=[{"url": "/"}],
        )
        _add_components(document, needs_token=needs_token)
        for method, _path, operation in operations_of(document):
            _complete(method, operation)
        web.openapi_schema = document
    return web.openapi_schema


def operations_of(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation with its method and path."""
    for path, methods in document.get("paths", {}).items():
        for method, operation in methods.items():
            yield method, path, operation


@cache
def examples() -> dict[str, dict[str, Any]]:
    """An example of each operation: what was sent, and what was answered."""
    text = files("wireroom.web").joinpath(EXAMPLES).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def _add_components(document: dict[str, Any], *, needs_token: bool) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    _without_durations(schemas)
    _, own = msgspec.json.schema_components((Card, Article), ref_template=PLACE)
    own["Article"]["properties"].pop("raw", None)  # raw pages are never handed out
    schemas |= own | {"Problem": _problem_schema()}
    components["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of the server; on this machine alone it may have none.",
        },
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": "The session of a browser. What changes something must come from our own pages.",
        },
    }
    document["security"] = [{"token": []}, {"session": []}, *([] if needs_token else [{}])]


def _without_durations(schema: Any) -> None:
    """ISO 8601 counts in parts of a second, which the format `duration` of JSON Schema does not."""
    if isinstance(schema, dict) and schema.get("format") == "duration":
        schema["description"] = "A duration of ISO 8601."
        del schema["format"]
    for part in schema.values() if isinstance(schema, dict) else ():
        _without_durations(part)
    for part in schema if isinstance(schema, list) else ():
        _without_durations(part)


def _problem_schema() -> dict[str, Any]:
    kinds = "; ".join(f"`{kind}`: {words}" for kind, words in PROBLEM_KINDS.items())
    return {
        "type": "object",
        "title": "Problem",
        "required": ["type", "title", "status", "detail", "kind"],
        "properties": {
            "type": {"type": "string", "description": "Where the kind is explained."},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "What is wrong, for people."},
            "kind": {
                "type": "string",
                "description": f"As the command line names it. {kinds}; or why a page was not had.",
            },
            "hint": {"type": "string", "description": "What to do about it."},
        },
    }


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Adds what FastAPI does not know: problems, headers and examples."""
    responses = operation["responses"]
    responses.pop("422", None)
    for status in _problems_of(method, operation):
        responses.setdefault(str(status), _problem(status))
    responses["default"] = _problem(500)
    status, answer = next((code, held) for code, held in responses.items() if code[0] == "2")
    name = operation["operationId"]
    contents = answer.setdefault("content", {})
    if name in FILES:
        contents |= _file_contents(operation)
    content = contents.setdefault(EXAMPLE_FILE if name in FILES else "application/json", {})
    if name in BODIES:
        content["schema"] = {"$ref": PLACE.format(name=BODIES[name])}
    if method == "get":
        tag = {"description": "Of this answer; send it as If-None-Match.", "schema": _TEXT}
        answer["headers"] = {"ETag": tag}
        responses["304"] = {"description": "It is as you have it."}
    if status == "202" and name not in {"start_run", "stop_run"}:
        place = {"description": "Where to ask what became of it.", "schema": _TEXT}
        answer["headers"] = {"Location": place}
    _add_example(operation, content, examples().get(name, {}))


def _file_contents(operation: dict[str, Any]) -> dict[str, Any]:
    """The media types of a file, one for each format; the parameter that chooses among them is told the names."""
    formats = stream_formats()
    for parameter in operation.get("parameters", ()):
        if parameter["name"] == "format":
            parameter["schema"]["enum"] = sorted(formats)
    kinds = {plug.media_type.partition(";")[0] for plug in formats.values()}
    return {kind: {"schema": {}} for kind in sorted(kinds)}


_TEXT: Final = {"type": "string"}


def _problems_of(method: str, operation: dict[str, Any]) -> Iterator[int]:
    names = {parameter["name"] for parameter in operation.get("parameters", ())}
    places = {parameter["in"] for parameter in operation.get("parameters", ())}
    yield from (400, 401)
    if "path" in places or "url" in names:
        yield 404
    if method in WRITES:
        yield 403
    if "If-Match" in names:
        yield 412
    if operation["operationId"] in CONFIRMED:
        yield 428
    if "Idempotency-Key" in names or operation["operationId"] in CONFLICTS:
        yield from (409, 429)
    if "requestBody" in operation:
        yield from (413, 415)


def _problem(status: int) -> dict[str, Any]:
    kind = KIND_OF_STATUS[status]
    return {
        "description": PROBLEM_KINDS[kind],
        "content": {PROBLEM_JSON: {"schema": {"$ref": PLACE.format(name="Problem")}}},
    }


def _add_example(
    operation: dict[str, Any], content: dict[str, Any], example: dict[str, Any]
) -> None:
    if "response" in example:
        content["example"] = example["response"]
    for kind, body in example.get("request", {}).items():
        operation["requestBody"]["content"][kind]["example"] = body
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
