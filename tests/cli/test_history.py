"""`wireroom history`: what was known when, and what has changed; nobody is asked for it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.towns import Run
from wireroom.app import open_app
from wireroom.model import Dossier, Evidence, Finding, Publisher

MAY = datetime(2026, 5, 3, 9, 30, tzinfo=UTC)
PUBLISHER = Publisher(domain="courier.example", name="The Courier", added_at=MAY)


def finding(step: str, day: int, **facts: Any) -> Finding:
    place = Evidence(url="https://courier.example/robots.txt", line=2, excerpt="Disallow: /")
    at = MAY + timedelta(days=day)
    return Finding(step=step, outcome="yes", facts=facts, evidence=(place,), found_at=at)


def bots(day: int, word: str) -> Finding:
    return finding(
        "ai_bots",
        day,
        bots={"GPTBot": {"site": word, "page": word, "blocked": word == "blocked"}},
        blocked_count=int(word == "blocked"),
        total_count=1,
    )


@pytest.fixture
def held() -> None:
    """Three visits: a bot is blocked at the second, nothing changes at the third."""
    with open_app("sqlite:///wireroom.db") as app:
        for day, word in ((-9, "allowed"), (0, "blocked"), (1, "blocked")):
            found = (bots(day, word), finding("feeds", day, count=2))
            dossier = Dossier(publisher=PUBLISHER, findings=found, scouted_at=found[0].found_at)
            app.store.save_dossier(dossier)


def test_what_changed_is_shown_with_the_day(held: None, wireroom: Run) -> None:
    ran = wireroom("history", "courier.example")
    assert (ran.code, ran.err) == (0, "")
    assert "GPTBot blocked since 03 May 2026" in ran.out
    rows = [line.split() for line in ran.out.splitlines() if line.startswith("2026-")]
    assert [(row[0], " ".join(row[2:4])) for row in rows] == [
        ("2026-04-24", "AI bots"),
        ("2026-04-24", "Feeds yes"),
        ("2026-05-03", "AI bots"),
    ], "steps are called by their titles"
    assert "ai_bots" not in ran.out


def test_one_step_can_be_had_alone_and_as_data(held: None, wireroom: Run) -> None:
    history = json.loads(
        wireroom("history", "www.courier.example", "--step", "ai_bots", "--json").out
    )
    assert history["publisher"] == "courier.example"
    by_title = wireroom("history", "courier.example", "--step", "AI bots", "--json").out
    assert json.loads(by_title) == history
    assert [found["facts"]["blocked_count"] for found in history["findings"]] == [0, 1]
    assert history["findings"][1]["summary"] == (
        "1 of the 1 well-known AI bots blocked; in all 1/1 AI bots blocked"
    )
    assert history["findings"][1]["evidence"][0]["line"] == 2


def robots(day: int, word: str) -> Finding:
    text = f"User-agent: *\nContent-Signal: ai-train={word}\n"
    url = "https://courier.example/robots.txt"
    return finding("robots", day, url=url, state="found", robots_state="found", text=text)


def test_a_flip_of_rights_is_shown_with_both_lines(wireroom: Run) -> None:
    publisher = replace(PUBLISHER, home_url="https://courier.example/")
    with open_app("sqlite:///wireroom.db") as app:
        for day, word in ((0, "yes"), (3, "no")):
            found = (robots(day, word), finding("homepage", day, url=publisher.home_url))
            at = MAY + timedelta(days=day)
            app.store.save_dossier(Dossier(publisher=publisher, findings=found, scouted_at=at))
    rows = json.loads(wireroom("history", "courier.example", "--json").out)["rights"]
    flip = next(row for row in rows if row["kind"] == "verdict" and row["uses"] == ["ai-train"])
    assert flip["new"] == "deny"
    assert flip["new_evidence"]["line"] == 2
    (line,) = (row for row in rows if row["kind"] == "signal")
    assert "ai-train=yes" in line["old"]
    assert "ai-train=no" in line["new"]
    assert line["at"].startswith("2026-05-06")
    shown = wireroom("history", "courier.example").out
    assert "ai-train deny" in shown
    assert "(before: Content-Signal: ai-train=yes" in " ".join(shown.split())


def test_nothing_known_is_code_3_and_makes_no_database(wireroom: Run) -> None:
    ran = wireroom("history", "courier.example")
    assert (ran.code, ran.out) == (3, "")
    assert "Nothing is known about courier.example" in ran.err
    assert not Path("wireroom.db").exists()


def test_a_step_that_is_none_is_reported_with_those_there_are(held: None, wireroom: Run) -> None:
    ran = wireroom("history", "courier.example", "--step", "bots")
    assert ran.code == 2
    assert "ai_bots" in ran.err
    assert ran.err.count("\n") == 1


def test_a_publisher_that_is_none_is_a_usage_error(wireroom: Run) -> None:
    assert wireroom("history", "").code == 2
