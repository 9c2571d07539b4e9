"""What a card shows beneath its lines, by which signs, and what its facts hold."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest

from tests.report.dossiers import HOME, ROBOTS, RULES, dossier, failed, found, generous
from wireroom.cli.streams import Streams
from wireroom.cli.tables import word_widths
from wireroom.model import Finding
from wireroom.report import Card, make_card, to_html, to_json, to_markdown
from wireroom.report.build import summarise
from wireroom.report.condition_words import asked_for
from wireroom.report.signs import line_sign
from wireroom.report.terminal_view import show_card
from wireroom.report.types import Line

FEEDS: dict[str, Any] = {
    "count": 1,
    "feeds": [{"url": f"{HOME}rss", "kind": "rss", "title": "All news", "source": "link"}],
    "barred": [f"{HOME}closed.xml"],
    "comments": [f"{HOME}comments"],
    "measured": {
        "feeds": {
            f"{HOME}rss": {
                "entries": 30,
                "newest_at": "2026-05-03T09:30:00+00:00",
                "newest_url": f"{HOME}a",
                "per_day": 16.0,
                "rate": "~16 articles/day",
            }
        }
    },
}
FLAWED = found(
    "robots",
    url=ROBOTS,
    state="found",
    robots_state="found",
    text=RULES,
    raw_length=len(RULES),
    agent="*",
    rules=[{"line": 5, "text": "Disallow: /private"}],
    rules_in_all=1,
    crawl_delay=10.0,
    lint=[{"code": "missing_colon", "line": 9, "detail": "Disallow /x"}],
)


def line(card: Card, key: str) -> Line:
    return next(line for section in card.sections for line in section.lines if line.key == key)


def forms(card: Card) -> dict[str, str]:
    terminal = StringIO()
    show_card(card, Streams(out=terminal))
    return {"terminal": terminal.getvalue(), "html": to_html(card), "markdown": to_markdown(card)}


@pytest.mark.parametrize(
    "shown",
    [
        f"{HOME}rss",
        f"{HOME}closed.xml",
        "newest 2026-05-03 09:30",
        f"{HOME}sitemap.xml",
        "Crawl-delay 10 s",
        "flaw in line 9: a line without a colon (Disallow /x)",
        "rules for every bot, us too: Disallow: /private",
        "how well it can be followed lawfully",
        "give it to a model that answers a question",
    ],
)
def test_every_form_shows_addresses_dates_pace_and_flaws(shown: str) -> None:
    sitemaps = found("sitemaps", count=1, source="robots.txt", sitemap_urls=[f"{HOME}sitemap.xml"])
    card = make_card(generous(feeds=found("feeds", **FEEDS), robots=FLAWED, sitemaps=sitemaps))
    for form, text in forms(card).items():
        plain = text.replace("\\", "") if form == "markdown" else text
        assert shown in plain, form


def test_the_facts_are_typed_and_those_of_other_steps_stand_under_their_names() -> None:
    looked = found(
        "sitemap_analysis",
        has_news_sitemap=True,
        measured={
            "outlines": {f"{HOME}sitemap.xml": {"kind": "urlset", "entries": 9, "news_entries": 9}}
        },
    )
    sitemaps = found("sitemaps", count=1, source="robots.txt", sitemap_urls=[f"{HOME}sitemap.xml"])
    held = generous(feeds=found("feeds", **FEEDS), sitemap_analysis=looked, sitemaps=sitemaps)
    facts = make_card(held).facts
    assert [(feed.url, feed.items, feed.per_day) for feed in facts.feeds] == [
        (f"{HOME}rss", 30, 16.0)
    ]
    assert {other.url: other.reason for other in facts.other_feeds} == {
        f"{HOME}closed.xml": "barred by robots.txt",
        f"{HOME}comments": "comments of readers",
    }
    (sitemap,) = facts.sitemaps
    assert (sitemap.found_by, sitemap.entries, sitemap.news_entries) == ("robots.txt", 9, 9)
    assert facts.steps["homepage"] == {"status": 200, "title": "The Courier"}
    assert "feeds" not in facts.steps
    foreign = make_card(dossier(found("of_somebody", mood="calm", winds=("n", "s"))))
    plain = json.loads(to_json(foreign))["facts"]["steps"]
    assert plain == {"of_somebody": {"mood": "calm", "winds": ["n", "s"]}}


def bots(**blocked: bool) -> Finding:
    rows = {name.replace("_", "-"): {"blocked": word, "site": ""} for name, word in blocked.items()}
    count = sum(blocked.values())
    return found("ai_bots", "yes" if count else "no", bots=rows, blocked_count=count, total_count=9)


def test_well_known_bots_are_counted_before_all() -> None:
    some = summarise(bots(GPTBot=True, CCBot=False, ClaudeBot=False, AddSearchBot=True))
    assert some.text == "1 of the 3 well-known AI bots blocked; in all 2/9 AI bots blocked"
    assert some.tone == "mixed"
    assert summarise(bots(GPTBot=True, CCBot=True)).tone == "bad"
    assert summarise(bots(GPTBot=False)).tone == "good"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (
            found("paywall", "no", publisher_status="free"),
            found("paywall", publisher_status="locked"),
        ),
        (bots(GPTBot=False), bots(GPTBot=True)),
        (
            found("waf", "no", waf_detected=False, challenged=False),
            found("waf", waf_detected=True, challenged=True, challenge_by=["Wall"]),
        ),
        (found("access", url_allowed=True), found("access", "no", url_allowed=False)),
        (
            found("frequency", frequency_label="~1 article/day"),
            found("frequency", "no", frequency_label="~1 article/day", dormant=True),
        ),
    ],
    ids=lambda finding: finding.step,
)
def test_opposite_news_have_different_signs(good: Finding, bad: Finding) -> None:
    assert line_sign(good.outcome, summarise(good).tone or "plain") == "✓"
    assert line_sign(bad.outcome, summarise(bad).tone or "plain") == "✗"


def test_a_signal_has_the_sign_of_what_it_says_and_what_is_not_known_has_none() -> None:
    reserved = found(
        "robots", url=ROBOTS, state="found", text="# TDM is reserved\nUser-agent: *\nAllow: /"
    )
    card = make_card(generous(robots=reserved, content_signal=found("content_signal", lines=["a"])))
    assert line(card, "content_signal").tone == "plain"
    speaking = make_card(generous(content_signal=found("content_signal", lines=["a"])))
    assert line(speaking, "content_signal").tone == "mixed", "it permits search, refuses training"
    unread = make_card(generous(content_signal=failed("content_signal")))
    assert (line(unread, "content_signal").word, line(unread, "content_signal").tone) == (
        "failed",
        "plain",
    )


def test_what_can_be_done_next_is_a_command() -> None:
    commands = [step.command for step in make_card(generous()).next_steps]
    assert commands[0] == "wireroom add courier.example"
    barred = generous(access=found("access", "no", url_allowed=False, page_url=HOME))
    assert not any("add" in step.command for step in make_card(barred).next_steps)
    unread = make_card(generous(terms=failed("terms")))
    assert "wireroom scout courier.example --refresh" in [
        step.command for step in unread.next_steps
    ]
    page = make_card(generous(access=found("access", url_allowed=True, page_url=f"{HOME}a?b=1&c")))
    assert page.next_steps[-1].command == f"wireroom scout '{HOME}a?b=1&c' --explain"


def test_a_sign_stays_with_its_word_where_a_terminal_is_narrow() -> None:
    row = ["all together", "? unknown", "✗ deny"]
    assert word_widths([row], 31) == [12, 9, 6]
    assert word_widths([row], 28) == [9, 9, 6], "the label gives way"
    assert word_widths([row], 20) == [], "no room: rows are shown one under the other"


def test_nothing_is_counted_that_is_not_there() -> None:
    line = summarise(found("content_signal", lines=["a"], pages=[]))
    assert line.text == "1 line in robots.txt"
    assert summarise(found("tdmrep", pages=["a"])).text == "headers or tags of 1 page"


def test_conditions_are_asked_for_in_plain_words() -> None:
    assert asked_for(
        [
            ("attribution", "CC BY 4.0"),
            ("attribution", "as long as you name us"),
            ("redistribution", "prohibited"),
            ("non-commercial", ""),
        ]
    ) == (
        "name the source (CC BY 4.0; as long as you name us)",
        "no redistribution",
        "no commercial use",
    )
