"""Screens at the widths that terminals have: lines stay within them, ids and names stay whole."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from rich.cells import cell_len

from tests.app import test_page_rights as reviewed
from tests.cli.held_feeds import COURIER, held, open_held
from tests.cli.terminals import run_on_terminal
from tests.rights.findings import robots
from wireroom.app import open_app
from wireroom.model import Article, Lead, Reading
from wireroom.urls import article_id

WIDTHS = (60, 80, 100, 140)
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
PUBLISHER = "the-saltmarsh-courier.test"


@pytest.fixture
def articles() -> list[str]:
    """Their ids: of a publisher with a long name, and of titles that are long, one in Japanese."""
    urls = [f"https://{PUBLISHER}/2026/05/03/story-{number}" for number in range(3)]
    with open_app("sqlite:///wireroom.db") as app:
        for number, url in enumerate(urls):
            title = (
                "港の責任者が嵐のあとで辞任した" if number else "A rather long harbour story "
            ) * 5
            article = Article(
                id=article_id(PUBLISHER, url),
                publisher=PUBLISHER,
                url=url,
                title=title,
                text="The harbour master of Lowport resigned. " * 20,
                fetched_at=reviewed.NOW,
                published_at=reviewed.NOW,
            )
            reading = Reading(
                lead=Lead(url=url, publisher=PUBLISHER, state="read"), article=article
            )
            app.store.save_readings([reading], now=reviewed.NOW)
    return [article_id(PUBLISHER, url) for url in urls]


def shown(*arguments: str, columns: int) -> list[str]:
    ran = run_on_terminal(*arguments, columns=columns)
    assert ran.code == 0, ran.out
    return [_STYLE.sub("", line) for line in ran.out.splitlines()]


@pytest.mark.parametrize("columns", WIDTHS)
def test_articles_are_a_line_each_with_a_short_id(articles: list[str], columns: int) -> None:
    head, *lines = shown("articles", columns=columns)
    assert max(map(cell_len, lines)) <= columns
    assert sorted(line.split()[0] for line in lines) == sorted(each[:8] for each in articles)
    assert head.split()[:: len(head.split()) - 1] == ["id", "title"]
    assert ("rights" in head) == (columns >= 100)
    assert ("quality" in head) == (columns >= 140)


@pytest.mark.parametrize("columns", WIDTHS)
def test_search_shows_the_short_id_first(articles: list[str], columns: int) -> None:
    lines = shown("search", "harbour", columns=columns)
    short = {each[:8] for each in articles}
    facts = [line for line in lines if line.split() and line.split()[0] in short]
    assert len(facts) == len(articles)
    assert max(map(cell_len, facts)) <= columns


@pytest.mark.parametrize("columns", WIDTHS)
def test_feeds_are_a_line_each_whose_name_is_cut_not_broken(columns: int) -> None:
    held()
    lines = shown("feeds", columns=columns)
    table = lines[: lines.index("")]
    assert len(table) == 4
    assert max(map(cell_len, table)) <= columns
    assert table[1].startswith("Courier ")
    assert "state" in table[0]
    assert ("dupes" in table[0]) == (columns > 100)


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_feed_shows_its_articles_with_whole_ids(columns: int) -> None:
    held()
    with open_held() as app:
        ids = {article.id for article in app.store.articles()}
    lines = shown("feed", COURIER, columns=columns)
    assert ids <= {line.split()[0] for line in lines if line.split()}


@pytest.mark.parametrize("columns", WIDTHS)
def test_changes_of_rights_are_a_line_each_with_a_whole_id(columns: int) -> None:
    with open_app("sqlite:///wireroom.db") as app:
        reviewed.read(app, reviewed.OPEN, "a-story-with-a-long-name" * 4, "b")
        reviewed.scouted(app, reviewed.SHUT, reviewed.NOW + timedelta(days=7))
        ids = {article.id for article in app.store.articles()}
    lines = shown("rights", "changes", columns=columns)
    rows = [line for line in lines if line.split()[0] in ids]
    assert len(rows) == 2
    assert max(map(cell_len, rows)) <= columns
    assert ("title" in lines[0]) == (columns >= 100)
    message = " ".join(" ".join(lines).split())
    assert message.count("ai-train: allow → deny") == 2


def test_changes_that_do_not_fit_go_on_in_the_next_line() -> None:
    barred = robots("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /shut\n")
    with open_app("sqlite:///wireroom.db") as app:
        reviewed.read(app, reviewed.OPEN, "shut")
        reviewed.scouted(app, barred, reviewed.NOW + timedelta(days=7))
    lines = shown("rights", "changes", columns=60)
    assert max(map(cell_len, lines)) <= 60
    message = " ".join(" ".join(lines).split())
    assert "ai-train: allow → deny, robots.txt: allowed → disallowed" in message
