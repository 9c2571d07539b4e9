"""What strangers write stays text: in the page, in Markdown, and wherever a link would lead."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.report.dossiers import HOME, dossier, found, robots
from wireroom.model import Evidence, Finding
from wireroom.report import Card, make_card, to_html, to_json, to_markdown, to_plain
from wireroom.signals.terms.types import ACTIVITIES

# OSC 8 and CSI in both spellings, marks of direction, an isolate, an override, a separator, an annotation.
CODES = "\x1b]8;;http://evil.test\x07a\x9b2J\x85\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\ufff9\x7f"
HOSTILE = (
    "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&|`[x](javascript:alert(3))"
    + CODES
)
ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "code",
        "body",
        "header",
        "section",
        "div",
        "span",
        "p",
        "b",
    ),
    *("h1", "h2", "h3", "small", "a", "q", "blockquote", "ul", "li", "dl", "dt", "dd", "meter"),
    *("details", "summary", "table", "thead", "tbody", "tr", "th", "td", "svg", "text", "rect"),
}


@pytest.fixture
def card() -> Card:
    """A card on which every stranger's word is hostile."""
    place = Evidence(url=f"javascript:alert('{HOSTILE}')", line=3, excerpt=HOSTILE, status=200)
    activities = {
        name: {"word": "prohibited", "quote": HOSTILE, "url": "javascript:alert(1)", "line": None}
        for name in ACTIVITIES
    }
    findings = [
        found("homepage", "yes", place, status=200, title=HOSTILE),
        robots(f"User-agent: GPTBot\nDisallow: /\nContent-Signal: ai-train=no, {HOSTILE}\n"),
        found("waf", "yes", place, waf_detected=True, cdn=[HOSTILE], bot_manager=[HOSTILE]),
        found(
            "ai_bots",
            "yes",
            place,
            classes={HOSTILE: {"word": "some", "barred": [HOSTILE], "total": 2}},
            bots={HOSTILE: {"site": "blocked"}},
            blocked_count=1,
            total_count=2,
        ),
        found("terms", "yes", place, url=HOME, tos_url=HOSTILE, activities=activities),
        found("publisher_details", "yes", place, organization={"name": HOSTILE}),
        found("article_data", "yes", place, formats_found=[HOSTILE], fields={HOSTILE: [HOSTILE]}),
        found(
            "frequency",
            "yes",
            place,
            frequency_label=HOSTILE,
            confidence=HOSTILE,
            source=HOSTILE,
            measured={"per_day": 1, "low": 1, "high": 1, "zone": HOSTILE, "grid": [[1] * 24] * 7},
        ),
        found("metadata_profile", "yes", place, summary=HOSTILE),
        found("rsl", "failed", place, error=HOSTILE, reason="bad_response"),
    ]
    before = found("metadata_profile", "yes", place, days=-1, summary="plain")
    return make_card(dossier(*findings, name=HOSTILE), history=[before, findings[-2]])


class Tags(HTMLParser):
    """Notes every element and every attribute."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_nothing_hostile_becomes_an_element_or_an_attribute(card: Card) -> None:
    page = Tags()
    page.feed(to_html(card))
    assert page.tags <= ALLOWED
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    targets = [value for name, value in page.attributes if name in {"href", "src", "action"}]
    assert targets
    assert all(target.startswith(("http://", "https://")) for target in targets)


def test_the_page_loads_nothing_and_runs_nothing(card: Card) -> None:
    page = to_html(card)
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b", page)
    assert "@import" not in page
    assert "url(" not in page.partition("</style>")[0]


def test_the_hostile_words_are_still_there_to_be_read(card: Card) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in to_html(card)


def test_nothing_hostile_becomes_markup_in_markdown(card: Card) -> None:
    text = to_markdown(card, explain=True)
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\[x", text)
    assert not re.search(r"(?<!\\)`", text)


def test_a_stranger_cannot_add_a_column_or_a_line_to_a_table(card: Card) -> None:
    lines = to_markdown(make_card(dossier(*_multiline()))).splitlines()
    assert not [line for line in lines if line.startswith("# forged")]
    rows = [line for line in to_markdown(card).splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert widths <= {3, 4, 5, 7}


def _multiline() -> list[Finding]:
    return [found("homepage", "yes", status=200, title="one\n# forged\r\n\r\n| a | b |")]


def test_no_form_of_a_card_has_codes_or_marks_of_direction(card: Card) -> None:
    data = json.dumps(to_plain(card), ensure_ascii=False)
    for form in (to_html(card), to_markdown(card, explain=True), to_json(card), data):
        assert "alert" in form
        assert not set(CODES) - set("a2J]8;:/htpevil.ts") & set(form)


def test_a_named_character_of_a_stranger_is_no_character_in_markdown(card: Card) -> None:
    odd = replace(card, sentence="a &lrm; b &#8238; c & d")
    assert "a \\&lrm; b \\&\\#8238; c & d" in to_markdown(odd)
