"""The API as its own OpenAPI document describes it: whatever a generator sends gets an answer of the document."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.web.serving import Pages
from wireroom.app import App

# Examples of each call: `make test` runs on two cores.
FEW = settings(
    max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.long
def test_every_call_answers_as_documented(pages: Pages) -> None:
    schema = schemathesis.openapi.from_url(f"{pages.url}/api/v1/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) >= 6
    for operation in operations:
        strategy = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        FEW(given(strategy)(lambda case: _call(case)))()


def _call(case: schemathesis.Case[Any]) -> None:
    answer = case.call()
    assert answer.status_code in {200, 400, 404}, (case.as_curl_command(), answer.text)
    if answer.status_code != 200:
        assert answer.headers["content-type"][0] == "application/problem+json"


def test_the_document_names_every_list(pages: Pages) -> None:
    paths = pages.ask("/api/v1/openapi.json").data["paths"]
    assert {"/api/v1/publishers", "/api/v1/feeds", "/api/v1/search", "/api/v1/run"} <= set(paths)
    for methods in paths.values():
        for about in methods.values():
            assert about["summary"]
            assert about["tags"]


def test_the_page_of_the_api_shows_every_call(pages: Pages) -> None:
    page = pages.ask("/docs").text
    for path in pages.ask("/api/v1/openapi.json").data["paths"]:
        assert path in page


def test_an_article_whole(pages: Pages, web_app: App) -> None:
    article = next(web_app.articles())
    data = pages.ask(f"/api/v1/articles/{article.id}").data
    assert data["id"] == article.id
    assert data["receipt"]["verdicts"]
    assert pages.ask(f"/articles/{article.id}.json").data == data
    assert pages.ask("/api/v1/articles/nothing").data["status"] == 404
