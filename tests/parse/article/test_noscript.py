"""Text for readers without scripts: read where there is no other, and never beside another."""

from __future__ import annotations

import pytest

from wireroom import ExtractConfig, read_article
from wireroom.model import Hints
from wireroom.parse.article.article_reader import NOSCRIPT_NOTE

URL = "https://forum.courier.test/t/ferry/7"
POSTS = "".join(
    f"<p>The ferry left the harbour {minutes} minutes late, and none of the {minutes * 3} aboard knew why.</p>"
    for minutes in range(10, 20)
)
SHELL = (
    "<html><head><title>Ferry late again</title><noscript><style>p</style></noscript></head><body>"
)
ANY = ExtractConfig(any_page=True)


def _page(shown: str, hidden: str) -> bytes:
    return f"{SHELL}{shown}<noscript data-x='1'>{hidden}</noscript></body></html>".encode()


@pytest.mark.parametrize("as_text", [False, True])
def test_a_page_that_is_empty_with_scripts_is_read_without(as_text: bool) -> None:
    page = _page("<div id=app></div>", f"<h1>Ferry late again</h1>{POSTS}")
    reading = read_article(page.decode() if as_text else page, url=URL, config=ANY)
    assert reading.article.text.count("The ferry left the harbour") == 10
    assert NOSCRIPT_NOTE in reading.notes
    assert reading.article.title == "Ferry late again"


def test_text_that_everybody_sees_is_never_read_beside_it() -> None:
    shown = "<ul>" + "<li><a href='/x'>What everybody sees of the harbour</a></li>" * 12 + "</ul>"
    article = read_article(_page(shown, POSTS), url=URL, config=ANY).article
    assert "The ferry" not in article.text


@pytest.mark.parametrize(
    "hidden",
    [
        "<img src='https://count.test/1.gif'>",
        "<p>Please enable JavaScript and cookies in your browser to use this page.</p>",
        "<iframe src='https://tags.test/ns.html'></iframe>" * 60,
    ],
)
def test_a_counter_or_a_notice_is_no_text(hidden: str) -> None:
    reading = read_article(_page("<p>A short note.</p>", hidden), url=URL, config=ANY)
    assert reading.article.text in ("A short note.", "")
    assert NOSCRIPT_NOTE not in reading.notes


def test_the_operators_selector_stays_the_operators_choice() -> None:
    config = ExtractConfig(any_page=True, hints=Hints(body_selector="#own"))
    page = _page("<p id=own>Only this.</p>", POSTS)
    assert read_article(page, url=URL, config=config).article.text == "Only this."


def test_a_page_in_utf_16_is_left_as_it_is() -> None:
    page = _page("<div id=app></div>", POSTS).decode().encode("utf-16")
    assert NOSCRIPT_NOTE not in read_article(page, url=URL, config=ANY).notes
