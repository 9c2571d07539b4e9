"""A card's times stand by the reader's clock: with the zone beside each in a file, once on a terminal, in UTC in JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.report.dossiers import HOME, found, generous
from wireroom.cli.streams import Streams
from wireroom.dates.reader_clock import ReaderClock
from wireroom.model import USES
from wireroom.report import Card, make_card, to_html, to_json, to_markdown
from wireroom.report.rights_page import RightsRow, to_rights_html
from wireroom.report.terminal_view import show_card
from wireroom.report.types import Change

VIENNA = ReaderClock(ZoneInfo("Europe/Vienna"))
AT = datetime(2026, 5, 31, 22, 30, tzinfo=UTC)
FEEDS: dict[str, Any] = {
    "count": 1,
    "feeds": [{"url": f"{HOME}rss", "kind": "rss"}],
    "measured": {"feeds": {f"{HOME}rss": {"entries": 3, "newest_at": AT.isoformat()}}},
}


@pytest.fixture
def card() -> Card:
    made = make_card(generous(feeds=found("feeds", **FEEDS)))
    change = Change(at=AT, step="robots", text="GPTBot blocked")
    (first, *others) = made.sections
    lines = tuple(replace(line, found_at=AT - timedelta(days=1)) for line in first.lines)
    return replace(
        made, scouted_at=AT, changes=(change,), sections=(replace(first, lines=lines), *others)
    )


def _on_terminal(card: Card) -> str:
    terminal = StringIO()
    show_card(card, Streams(out=terminal), clock=VIENNA)
    return terminal.getvalue()


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_file_names_the_zone_beside_its_times(card: Card, form: str) -> None:
    text = to_html(card, VIENNA) if form == "html" else to_markdown(card, VIENNA)
    assert "scouted 01 June 2026, 00:30 CEST" in text
    assert "newest 2026-06-01 00:30 CEST" in text
    assert "(as of 31 May 2026, 00:30 CEST)" in text
    assert "ince 01 June 2026: GPTBot blocked" in text
    assert "22:30" not in text


def test_a_terminal_names_the_zone_once(card: Card) -> None:
    text = _on_terminal(card)
    assert "scouted 01 June 2026, 00:30 CEST" in text
    assert "newest 2026-06-01 00:30\n" in text
    assert "since 01 June 2026: GPTBot blocked" in text
    assert text.count("CEST") == 1
    assert "22:30" not in text


def test_json_stays_in_utc_and_has_the_newest_as_a_field(card: Card) -> None:
    plain = json.loads(to_json(card))
    assert plain["scouted_at"] == "2026-05-31T22:30:00Z"
    lines = {line["key"]: line for section in plain["sections"] for line in section["lines"]}
    (row,) = lines["feeds"]["rows"]
    assert row["newest_at"] == "2026-05-31T22:30:00Z"
    assert "newest" not in row["text"]


def test_the_page_of_rights_names_the_zone_beside_its_times() -> None:
    row = RightsRow(url=HOME, words=dict.fromkeys(USES, "allow"), robots="allowed", as_of=AT)
    text = to_rights_html([row], use=None, now=AT, clock=VIENNA)
    assert "Made 01 June 2026, 00:30 CEST" in text
    assert "<td>2026-06-01 00:30 CEST</td>" in text
