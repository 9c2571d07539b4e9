"""One query language for every command that chooses articles: the same options, the same fields, the same answers."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.towns import Run
from tests.export.holding import hold
from tests.export.samples import article
from tests.parts import REPOSITORY
from wireroom.app import App, open_app
from wireroom.cli import articles, export, purge, search
from wireroom.query.query_fields import FIELDS

COMMANDS = ("articles", "search", "export", "purge")
FUNCTIONS = (articles.articles, search.search, export.export, purge.purge)
MAY = datetime(2026, 5, 3, 21, 30, tzinfo=UTC)
VIENNA = ("--set", "display.zone=Europe/Vienna")


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db") as opened:
        hold(
            opened,
            [
                article(number, title=f"storm {number}", published_at=MAY + days * timedelta(days=1))
                for number, days in ((1, -30), (2, 0), (3, 1), (4, 30))
            ],
        )  # fmt: skip
        yield opened


def _counts(wireroom: Run, *choice: str, query: str = "") -> dict[str, int]:
    """How many articles each command chooses by the same query and options."""
    listed = wireroom("articles", query, *choice, "--json", "-n", "100")
    found = wireroom("search", query or "storm", *choice, "--json", "-n", "100")
    asked = ("--query", query) if query else ()
    out = wireroom("export", "-o", "-", "-f", "jsonl", *asked, *choice)
    going = wireroom("purge", *asked, *choice, "--dry-run", "--json")
    return {
        "articles": len(json.loads(listed.out)),
        "search": len(json.loads(found.out)),
        "export": len(out.out.splitlines()),
        "purge": json.loads(going.out)["articles"],
    }


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_every_field_is_known_to_every_command(app: App, wireroom: Run, field: str) -> None:
    assert len(set(_counts(wireroom, query=FIELDS[field].example).values())) == 1


@pytest.mark.parametrize(
    ("choice", "count"),
    [
        (("--until", "2026-05-03"), 2),
        (("--until", "2026-05"), 3),
        (("--until", "2026"), 4),
        (("--since", "2026-05-03", "--until", "2026-05-04"), 2),
        (("--since", "2026-05-05", "--until", "2026-05-06"), 0),
        (("--arrived-since", "2026-05"), 4),
    ],
)
def test_a_time_means_the_same_to_every_command(
    app: App, wireroom: Run, choice: tuple[str, ...], count: int
) -> None:
    assert _counts(wireroom, *choice, *VIENNA) == dict.fromkeys(COMMANDS, count)


def test_until_is_the_end_of_the_day_by_the_readers_clock(app: App, wireroom: Run) -> None:
    day = ("--since", "2026-05-03", "--until", "2026-05-03")
    assert set(_counts(wireroom, *day, *VIENNA).values()) == {1}
    tokyo = ("--set", "display.zone=Asia/Tokyo")
    assert set(_counts(wireroom, *day, *tokyo).values()) == {0}


@pytest.mark.parametrize("typed", ["storm OR", '"storm', "(storm", "lang:english"])
def test_what_is_left_open_does_not_take_an_option_for_its_other_half(
    app: App, wireroom: Run, typed: str
) -> None:
    for command in (("purge", "--yes"), ("export", "-o", "a.jsonl")):
        ran = wireroom(*command, "--query", typed, "--since", "2026")
        assert ran.code == 2
        assert ran.err.splitlines()[1] == f"  {typed}"
    assert wireroom("articles", typed, "--since", "2026").code == 2
    assert len(list(app.articles())) == 4
    assert not Path("a.jsonl").exists()


def _options(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function, eval_str=True).parameters
    return {name: parameters[name].annotation for name in ("since", "until", "arrived_since")}


def test_the_options_are_defined_once() -> None:
    first, *others = map(_options, FUNCTIONS)
    for other in others:
        assert all(other[name] is first[name] for name in first)
    texts = [
        inspect.signature(function, eval_str=True).parameters["query"].annotation
        for function in (export.export, purge.purge)
    ]
    assert texts[0] is texts[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_field(wireroom: Run, command: str) -> None:
    shown = " ".join(wireroom(command, "--help").out.split())
    assert f"a field is one of {', '.join([*FIELDS][:-1])} or {[*FIELDS][-1]}." in shown
    for option in ("--since", "--until", "--arrived-since"):
        assert option in shown


def test_the_guide_has_a_row_for_every_field_and_others_lead_there() -> None:
    guide = REPOSITORY / "docs" / "guide"
    rows = (guide / "search.md").read_text(encoding="utf-8").split("## Since when")[0]
    assert [name for name in FIELDS if f"`{name}:" not in rows] == []
    for page in ("articles.md", "export.md"):
        text = (guide / page).read_text(encoding="utf-8")
        assert "search.md" in text
        assert all(option in text for option in ("--since", "--until", "--arrived-since"))
