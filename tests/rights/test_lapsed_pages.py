"""What pages said that nobody has asked since: it refuses, and permits nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.rights.findings import HOME, NOW, PAGE, robots
from wireroom.model import Finding, TypedFacts
from wireroom.rights import finding_index
from wireroom.rights.finding_index import (
    LAPSED,
    MAX_LAPSED,
    MEASURED,
    PAGES_AT,
    FindingIndex,
    with_lapsed,
)
from wireroom.signals import judge, make_receipt
from wireroom.signals.preferences import HeaderFacts, HeaderPage
from wireroom.signals.robots_tag import Directive, RobotsTagFacts, RobotsTagPage

LATER = NOW + timedelta(days=2)
NOAI = Directive(name="noai", source="meta")


def _pages(values: dict[str, str], *, asked: tuple[str, ...], days: int = 0) -> Finding:
    at = NOW + timedelta(days=days)
    pages = tuple(HeaderPage(url=url, values=(value,)) for url, value in values.items())
    measured = {MEASURED: {PAGES_AT: dict.fromkeys(asked, at.isoformat())}}
    facts = TypedFacts(HeaderFacts(pages=pages), measured)
    return Finding(step="content_signal", outcome="yes", facts=facts, found_at=at)


def _words(finding: Finding) -> dict[str, str]:
    return {verdict.use: verdict.value for verdict in judge([finding], PAGE, now=LATER)}


def test_a_refusal_of_a_page_outlives_its_day_and_a_permission_does_not() -> None:
    before = _pages({PAGE: "ai-train=no, search=yes"}, asked=(PAGE,))
    now = with_lapsed(_pages({}, asked=(HOME,), days=2), before)
    assert _words(now)["ai-train"] == "deny"
    assert _words(now)["search"] == "unknown"
    again = with_lapsed(_pages({}, asked=(HOME,), days=4), now)
    assert _words(again)["ai-train"] == "deny"


def test_a_page_that_answers_again_has_the_last_word() -> None:
    before = _pages({PAGE: "ai-train=no"}, asked=(PAGE,))
    lapsed = with_lapsed(_pages({}, asked=(HOME,), days=2), before)
    for values, word in (({}, "unknown"), ({PAGE: "ai-train=yes"}, "allow")):
        assert (
            _words(with_lapsed(_pages(values, asked=(PAGE,), days=3), lapsed))["ai-train"] == word
        )


def test_a_step_that_fails_keeps_it_too() -> None:
    before = _pages({PAGE: "ai-train=no"}, asked=(PAGE,))
    lapsed = with_lapsed(_pages({}, asked=(HOME,), days=2), before)
    failed = replace(lapsed, outcome="failed", facts={"error": "status 503"})
    assert _words(with_lapsed(failed, lapsed))["ai-train"] == "deny"


def test_the_last_pages_are_kept() -> None:
    urls = [f"{HOME}news/{n}" for n in range(MAX_LAPSED + 5)]
    before = _pages(dict.fromkeys(urls, "ai-train=no"), asked=tuple(urls))
    now = with_lapsed(_pages({}, asked=(HOME,), days=2), before)
    kept = [page["url"] for page in now.facts[MEASURED][LAPSED]["pages"]]
    assert kept == urls[-MAX_LAPSED:]


PERMITTED = robots("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n")


def _receipt_word(finding: Finding, url: str) -> str:
    """What an export says of an article that was read before its page refused."""
    index = FindingIndex([PERMITTED, finding])
    receipt = make_receipt(index, url, robots_word="allowed", now=LATER, page_read=True)
    return next(verdict.value for verdict in receipt.verdicts if verdict.use == "ai-train")


def _many_refusals(pages: int) -> tuple[list[str], Finding]:
    urls = [f"{HOME}news/{n}" for n in range(pages)]
    page_facts = tuple(RobotsTagPage(url=url, directives=(NOAI,)) for url in urls)
    measured = {MEASURED: {PAGES_AT: dict.fromkeys(urls, NOW.isoformat())}}
    facts = TypedFacts(RobotsTagFacts(pages=page_facts), measured)
    return urls, Finding(step="robots_tag", outcome="yes", facts=facts, found_at=NOW)


def test_a_refusal_that_is_not_kept_leaves_its_page_unknown() -> None:
    urls, before = _many_refusals(MAX_LAPSED + 1)
    nothing = replace(_pages({}, asked=(HOME,), days=1), step="robots_tag")
    now = with_lapsed(nothing, before)
    again = with_lapsed(replace(nothing, found_at=LATER), now)
    for found in (now, again):
        assert [_receipt_word(found, url) for url in urls[:2]] == ["unknown", "deny"]
        assert _receipt_word(found, f"{HOME}news/never-asked") == "allow"
    asked = replace(_pages({}, asked=(urls[0],), days=3), step="robots_tag")
    assert _receipt_word(with_lapsed(asked, again), urls[0]) == "allow"


def test_with_too_many_such_pages_none_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_index, "MAX_FORGOTTEN", 3)
    _, before = _many_refusals(MAX_LAPSED + 4)
    now = with_lapsed(replace(_pages({}, asked=(HOME,), days=1), step="robots_tag"), before)
    assert _receipt_word(now, f"{HOME}news/never-asked") == "unknown"
