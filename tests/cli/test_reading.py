"""Reading what is held: that a list is not all there is, and prose that breaks between words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run
from tests.export.holding import hold
from tests.export.samples import NOW, article
from wireroom.app import App, open_app

TEXT = " ".join(f"In word {number} of the harbour report the quay is named." for number in range(9))


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as opened:
        hold(opened, [article(number, text=TEXT) for number in range(1, 4)])
        yield opened


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("command", [("articles",), ("articles", "quay"), ("search", "quay")])
def test_a_list_that_is_cut_says_so_on_stderr(wireroom: Run, command: tuple[str, ...]) -> None:
    assert wireroom(*command, "--limit", "2").err == "2 shown; more with: --limit 10\n"
    assert wireroom(*command, "--limit", "2", "--order", "best").err.startswith("2 shown")
    assert wireroom(*command, "--limit", "3").err == ""
    for quiet in ("-q", "--json", "--jsonl"):
        assert wireroom(*command, "--limit", "2", quiet).err == ""


WORDS = set(TEXT.split())
PAGE = f"""<html><head><title>The quay</title></head><body><article><h1>The quay</h1>
<p>{TEXT}</p></article></body></html>"""


def prose(shown: str) -> list[str]:
    """The lines of the text itself."""
    return [line for line in shown.splitlines() if "quay is" in line or "In word" in line]


@pytest.mark.usefixtures("app")
def test_the_text_of_an_article_breaks_between_words_on_a_terminal_alone(wireroom: Run) -> None:
    shown = run_on_terminal("article", article(1).id, columns=80).out
    lines = prose(shown)
    assert len(lines) > 4
    assert all(len(line) <= 80 and set(line.split()) <= WORDS for line in lines)
    assert TEXT in wireroom("article", article(1).id).out
    assert TEXT in run_on_terminal("article", article(1).id, "--format", "md", columns=80).out


def test_the_text_of_a_page_breaks_between_words_on_a_terminal_alone(wireroom: Run) -> None:
    Path("page.html").write_text(PAGE, encoding="utf-8")
    lines = prose(run_on_terminal("extract", "page.html", columns=80).out)
    assert len(lines) > 4
    assert all(len(line) <= 80 and set(line.split()) <= WORDS for line in lines)
    assert TEXT in wireroom("extract", "page.html").out
