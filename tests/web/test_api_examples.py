"""The examples of the OpenAPI document: each operation has one, it is valid, and a real server answers in its shape."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from tests.web.api_calls import record
from tests.web.serving import Pages, serving
from wireroom.app import App
from wireroom.web.api_document import examples, operations_of

LISTS = ("rows", "outcomes")


def document_of(pages: Pages) -> dict[str, Any]:
    found: dict[str, Any] = pages.ask("/api/v1/openapi.json").data
    return found


def success(operation: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    code = next(code for code in operation["responses"] if code[0] == "2")
    contents: dict[str, dict[str, Any]] = operation["responses"][code]["content"]
    return int(code), next(content for content in contents.values() if "example" in content)


def check(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> None:
    whole = {**schema, "components": document["components"]}
    problems = list(Draft202012Validator(whole).iter_errors(value))
    assert not problems, problems[0]


def test_every_operation_has_a_valid_example(shared_pages: Pages) -> None:
    document = document_of(shared_pages)
    names = set()
    for _method, path, operation in operations_of(document):
        names.add(operation["operationId"])
        status, content = success(operation)
        assert content["example"] == examples()[operation["operationId"]]["response"], path
        assert status == examples()[operation["operationId"]]["status"]
        check(content["example"], content["schema"], document)
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None:
            check(body["example"], body["schema"], document)
    assert names == set(examples())


@pytest.mark.long
def test_a_real_server_answers_in_the_shape_of_the_examples(web_app: App) -> None:
    with serving(web_app, can_run=True) as pages:
        document = document_of(pages)
        found = record(web_app, pages)
    by_name = {operation["operationId"]: operation for _, _, operation in operations_of(document)}
    assert set(found) == set(by_name)
    for name, call in found.items():
        status, content = success(by_name[name])
        assert call["status"] == status, name
        check(call["answer"], content["schema"], document)
        assert shape(call["answer"]) == shape(content["example"]), name


def shape(answer: dict[str, Any]) -> dict[str, Any]:
    """The names in it, also those in the first of its rows."""
    found: dict[str, Any] = dict.fromkeys(answer)
    for name in LISTS:
        if isinstance(answer.get(name), list) and answer[name]:
            found[name] = sorted(answer[name][0])
    return found


def test_the_document_says_how_to_come_in_and_what_goes_wrong(shared_pages: Pages) -> None:
    document = document_of(shared_pages)
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert document["security"] == [{"token": []}, {"session": []}, {}]
    for method, path, operation in operations_of(document):
        assert {"401", "default"} <= set(operation["responses"]), path
        assert "422" not in operation["responses"]
        assert method == "get" or "403" in operation["responses"]
        assert operation["description"]
        for code, answer in operation["responses"].items():
            if code[0] not in "23":
                assert list(answer["content"]) == ["application/problem+json"]


def test_a_server_with_a_token_says_that_it_is_needed(shared_app: App) -> None:
    with serving(shared_app, token="secret") as pages:
        found = pages.ask("/api/v1/openapi.json", headers={"Authorization": "Bearer secret"})
    assert found.data["security"] == [{"token": []}, {"session": []}]
