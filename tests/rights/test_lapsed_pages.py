"""What pages said that nobody has asked since: it refuses, and permits nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.rights.findings import HOME, NOW, PAGE
from wireroom.model import Finding, TypedFacts
from wireroom.rights.finding_index import LAPSED, MAX_LAPSED, MEASURED, PAGES_AT, with_lapsed
from wireroom.signals import judge
from wireroom.signals.preferences import HeaderFacts, HeaderPage

LATER = NOW + timedelta(days=2)


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
