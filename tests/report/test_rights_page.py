"""The rights of many pages as one HTML file: safe with what strangers wrote, and the same look as a card."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tests.report.dossiers import dossier
from tests.report.test_card_hostile import ALLOWED, CODES, HOSTILE, Tags
from wireroom.model import USES
from wireroom.report import to_html
from wireroom.report.build import make_card
from wireroom.report.rights_page import RightsRow, to_rights_html

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
ROWS = [
    RightsRow(
        url="https://courier.example/",
        asked_url=f"http://old.example/{HOSTILE}",
        words=dict.fromkeys(USES, "allow"),
        robots="allowed",
        as_of=NOW,
        permitted=True,
    ),
    RightsRow(url=f"javascript:alert('{HOSTILE}')", permitted=False, note=HOSTILE),
]


def test_nothing_hostile_becomes_an_element_an_attribute_or_a_code() -> None:
    text = to_rights_html(ROWS, use="ai-train", now=NOW)
    page = Tags()
    page.feed(text)
    assert page.tags <= ALLOWED | {"br"}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    targets = [value for name, value in page.attributes if name in {"href", "src", "action"}]
    assert targets == ["https://courier.example/"]
    assert not {code for code in CODES if not code.isprintable()} & set(text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_it_loads_nothing_and_looks_like_a_card() -> None:
    text = to_rights_html(ROWS, use=None, now=NOW)
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b", text)
    style = re.search(r"<style>.*</style>", to_html(make_card(dossier())), re.DOTALL)
    assert style is not None
    assert style[0] in text


def test_uses_are_counted_and_a_row_without_rights_says_why() -> None:
    text = to_rights_html(ROWS, use="search", now=NOW)
    assert "Rights of 2 addresses" in text
    assert text.count('<span class="word allow">✓ allow</span>') == 1 + len(USES)
    assert text.count("<td>1</td>") == len(USES)
    assert "✓ yes" in text
    assert "✗ no" in text
    assert "2026-05-03 12:00" in text
    alone = to_rights_html(ROWS[:1], use=None, now=NOW)
    assert "Rights of 1 address<" in alone
    assert "Permitted" not in alone
