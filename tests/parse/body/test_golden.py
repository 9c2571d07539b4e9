"""Pages we wrote, one folder per difficulty, and exactly the text that is to come out of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wireroom.parse.body import read_body, to_html, to_markdown, to_text
from wireroom.parse.html import open_page

CASES = sorted((Path(__file__).parent / "golden").glob("*/*.html"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.parent.name)
def test_the_text_is_exactly_the_article(case: Path) -> None:
    expected = json.loads(case.with_suffix(".expected.json").read_text("utf-8"))
    body = read_body(open_page(case.read_bytes(), url="https://courier.test/news/bridge"))
    assert body.text.split("\n") == expected["text"]
    assert list(body.captions()) == expected.get("captions", [])


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.parent.name)
def test_every_form_holds_the_same_words(case: Path) -> None:
    body = read_body(open_page(case.read_bytes(), url="https://courier.test/a"), rich=True)
    words = _words(to_text(body.blocks, captions=True))
    assert _words(_without_markdown(to_markdown(body.blocks))) == words
    tree = open_page(to_html(body.blocks)).tree
    assert tree.body is not None
    assert _words(tree.body.text(separator=" ")) == words


def _words(text: str) -> list[str]:
    return [word for word in text.replace("|", " ").split() if word != "-"]


def _without_markdown(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        plain = line.strip().lstrip("#>").strip()
        if not set(plain) <= set("|- "):
            number, dot, rest = plain.partition(". ")
            lines.append(rest if dot and number.isdigit() else plain)
    return " ".join(lines).replace("*", "").replace("\\", "")
