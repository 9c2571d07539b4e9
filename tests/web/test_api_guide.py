"""The API section of the guide: each line of curl is answered by a real server, and each call it names is there."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.parts import REPOSITORY
from tests.web.serving import Answer, Pages
from wireroom.web.api_document import operations_of

GUIDE = (REPOSITORY / "docs" / "guide" / "web.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("## The API")[2].partition("\n## ")[0]
BLOCK = re.search(r"```console\n(.*?)```", SECTION, re.DOTALL)
assert BLOCK is not None
LINES = [line for line in re.split(r"^\$ ", BLOCK[1], flags=re.MULTILINE) if line.strip()]


def typed(pages: Pages, line: str) -> Answer:
    """What the server answers to a line of curl."""
    words = iter(shlex.split(line.replace("$API", "/api/v1")))
    assert next(words) == "curl"
    method, path, body = "GET", "", None
    headers: dict[str, str] = {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word in {"-d", "--data-binary"}:
            body = next(words)
        else:
            path = word
    return pages.ask(path, method=method, body=body, headers=headers)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:60].strip())
def test_a_line_of_the_guide_is_answered(pages: Pages, line: str) -> None:
    answer = typed(pages, line)
    assert answer.status in {200, 202}, answer.text


def test_the_guide_has_every_call_that_changes_something(shared_pages: Pages) -> None:
    document = shared_pages.ask("/api/v1/openapi.json").data
    for method, path, _ in operations_of(document):
        if method != "get":
            assert path.split("/")[-1].partition("{")[0] in SECTION, path
