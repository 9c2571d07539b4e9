"""The API as its own OpenAPI document describes it: whatever a generator sends gets an answer of the document."""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.serving import Pages
from wireroom.app import App
from wireroom.app.scout import read_address
from wireroom.errors import SettingsError
from wireroom.model import Cluster

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
RESOLVER = socket.getaddrinfo
WORKERS = frozenset({"read_article", "try_feed_options"})  # each call starts a process


def few(count: int) -> settings:
    """So many examples: `make test` runs on two cores."""
    return settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )


@pytest.mark.long
def test_every_call_answers_as_documented(
    pages: Pages, web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is sent: about things that are there, and about others. Names are looked up nowhere but in the town."""
    monkeypatch.setattr("wireroom.web.background_jobs.PER_MINUTE", 10_000)
    monkeypatch.setattr(socket, "getaddrinfo", answered_here)
    held = {
        "url": next(stats.feed.url for stats in web_app.feeds()),
        "which": next(web_app.articles()).id,
        "domain": "courier.test",
    }
    schema = schemathesis.openapi.from_url(f"{pages.url}/api/v1/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) >= 25
    for operation in operations:
        strategy = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        count = 1 if operation.definition.raw["operationId"] in WORKERS else 3
        few(4)(given(strategy)(lambda case: _call(case, {})))()
        few(count)(given(strategy)(lambda case: _call(case, held)))()


def answered_here(host: Any, *arguments: Any, **options: Any) -> Any:
    """The addresses of this machine; every other name is nobody's, and no resolver is asked."""
    if host in {"127.0.0.1", "localhost"}:
        return RESOLVER(host, *arguments, **options)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def _call(case: schemathesis.Case[Any], held: dict[str, str]) -> None:
    """Makes the call; with `held`, about what is there."""
    for values in (case.path_parameters, case.query):
        for name in set(values or ()) & set(held):
            values[name] = held[name]
    if isinstance(case.body, dict):
        assume(not _is_elsewhere(case.body.get("address")))
        assume(not _is_elsewhere(case.body.get("text")))
    assume(not _is_elsewhere((case.path_parameters or {}).get("domain")))
    case.call_and_validate(checks=CHECKS)


def _is_elsewhere(text: object) -> bool:
    """Whether somebody beyond this machine would be asked: names are answered by the town alone, numbers are not."""
    if not isinstance(text, str):
        return False
    for line in text.splitlines():
        try:
            ip_address(read_address(line).domain.strip("[]"))
        except (SettingsError, ValueError):
            continue
        return True
    return False


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


@pytest.mark.parametrize(
    ("path", "name", "known"),
    [
        ("/search?qq=harbour", "qq", "q"),
        ("/export?use=ai-train&q=harbour", "use", "for"),
        ("/status?verbose=1", "verbose", "none"),
        ("/feeds?limit=1&page=2&page=3", "page", "cursor"),
    ],
)
def test_a_parameter_that_a_call_does_not_have_is_refused(
    shared_pages: Pages, path: str, name: str, known: str
) -> None:
    answer = shared_pages.ask(f"/api/v1{path}")
    assert (answer.status, answer.data["kind"]) == (400, "usage")
    assert answer.data["detail"] == f"There is no parameter {name}."
    assert known in answer.data["hint"]


def test_a_value_that_is_wrong_is_named_as_it_was_sent(shared_pages: Pages) -> None:
    states = shared_pages.ask("/api/v1/feeds?state=dead").data["detail"]
    assert re.fullmatch(r"state: Input should be '\w+'(, '\w+')* or '\w+'", states)
    assert "'failing'" in states
    body = b'{"address": "courier.test", "options": {"captions": "perhaps"}}'
    headers = {"Content-Type": "application/json"}
    wrong = shared_pages.ask("/api/v1/feeds", method="POST", body=body, headers=headers)
    assert wrong.status == 400
    assert wrong.data["detail"].startswith("options.captions: ")
    cut = shared_pages.ask("/api/v1/feeds", method="POST", body=b'{"address" 1}', headers=headers)
    assert cut.status == 400
    assert cut.data["detail"].startswith("body: no JSON, at character 11: ")
    form = shared_pages.ask("/api/v1/feeds", method="POST", body=b'{"address": "a.test"}')
    assert (form.status, form.data["kind"]) == (415, "media_type")
    assert "application/json" in form.data["detail"]


def test_what_is_not_there_is_named(shared_pages: Pages) -> None:
    details = {
        path: shared_pages.ask(f"/api/v1{path}").data["detail"]
        for path in (
            "/publishers/nope.test",
            "/articles/000000000000",
            "/feed?url=http://nope.test/",
            "/jobs/none",
        )
    }
    assert "nope.test was not scouted yet" in details["/publishers/nope.test"]
    assert details["/articles/000000000000"] == "No article has the id “000000000000”."
    assert len(set(details.values())) == len(details)
    assert "nope.test was not scouted yet" in shared_pages.ask("/publishers/nope.test").text
    assert "Nothing is here." in shared_pages.ask("/nowhere").text


def test_hints_name_parameters_of_the_api(shared_pages: Pages) -> None:
    """And not the flags of commands, nor formats that cannot be downloaded."""
    for name in ("xlsx", "md"):
        answer = shared_pages.ask(f"/api/v1/export?format={name}")
        assert answer.status == 400
        formats = answer.data["hint"].removeprefix("There are: ").rstrip(".").split(", ")
        assert {"jsonl", "csv"} <= set(formats)
        assert name not in formats
        assert "--" not in answer.text
    hint = shared_pages.ask("/api/v1/purge").data["hint"]
    assert hint == "Name older_than, feed, publisher, q, or another scope."


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/api/v1/status", "/feeds.csv"])
def test_whoever_only_looks_whether_it_is_there_may(shared_pages: Pages, path: str) -> None:
    answer = shared_pages.ask(path, method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-type"] == shared_pages.ask(path).headers["content-type"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_the_page_of_results_counts_is_in_the_api(shared_pages: Pages) -> None:
    asked = "q=harbour+lang:en&for=ai-train"
    data = shared_pages.ask(f"/api/v1/search/summary?{asked}").data
    page = shared_pages.ask(f"/search?{asked}").text
    assert f"<b>{data['query']}</b>: {data['count']} articles" in page
    assert sum(data["days"].values()) == data["count"] == data["facets_of"]
    assert set(data["facets"]) == {"publisher", "lang", "paywall", "rights"}
    left_out = data["facets_of"] - data["permitted"]
    assert f"{data['permitted']} permitted for ai-train, {left_out} left out" in page
    assert data["permitted"] == data["facets"]["rights"]["allow"]
    assert shared_pages.ask("/api/v1/search/summary?q=(").status == 400


def test_copies_and_versions_are_in_the_api(pages: Pages, web_app: App) -> None:
    first, second = (article.id for article in list(web_app.articles("publisher:courier.test"))[:2])
    empty = pages.ask(f"/api/v1/articles/{first}/copies").data
    assert empty == {"cluster_id": "", "copies": [], "more": 0}
    cluster = Cluster(
        id="c" * 24, members=(first, second), canonicals={"en": first}, made_at=web_app.clock()
    )
    web_app.store.save_clusters([cluster])
    found = pages.ask(f"/api/v1/articles/{second}/copies").data
    assert {copy["id"]: copy["is_canonical"] for copy in found["copies"]} == {
        first: True,
        second: False,
    }
    assert [copy["is_first"] for copy in found["copies"]] == [True, False]
    changed = next(copy for copy in found["copies"] if copy["id"] == second)
    assert changed["added"] > 0
    assert pages.ask(f"/api/v1/articles/{first}/versions").data == {"edits": [], "earlier": 0}
    assert pages.ask("/api/v1/articles/000000000000/copies").status == 404
