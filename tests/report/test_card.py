"""The card: what it says of a publisher, how it grades, and what it never says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest

from tests.report.dossiers import HOME, NOW, ROBOTS, dossier, failed, found, generous, robots
from wireroom.cli.streams import Streams
from wireroom.model import Finding
from wireroom.report import Card, make_card, to_html, to_markdown, to_plain
from wireroom.report.build import changes, summary
from wireroom.report.matrix import notes_of
from wireroom.report.signs import to_blocks
from wireroom.report.terminal_view import show_card
from wireroom.report.types import Line
from wireroom.signals import judge
from wireroom.signals.terms.types import ACTIVITIES


def line(card: Card, key: str) -> Line:
    return next(line for section in card.sections for line in section.lines if line.key == key)


def matrix(card: Card) -> dict[str, dict[str, str]]:
    """What each family says of each use, where it says something."""
    return {
        row.use: {
            cell.family: cell.word for cell in row.cells if cell.word not in {"silent", "unseen"}
        }
        for row in card.rights
    }


def test_the_sentence_says_what_there_is_and_what_is_permitted() -> None:
    assert make_card(generous()).sentence == (
        "The Courier publishes ~16 articles/day; it has feeds. robots.txt lets us read it. "
        "It permits search and refuses ai-train."
    )


def test_of_a_dead_site_every_form_says_when_it_ended_and_how_often_it_published() -> None:
    alive = next(found for found in generous().findings if found.step == "frequency")
    measured = {**alive.facts["measured"], "newest_at": "2025-10-10T06:00:00+00:00"}
    dead = found("frequency", "no", **{**alive.facts, "dormant": True, "measured": measured})
    card = make_card(generous(frequency=dead))
    assert card.sentence.startswith(
        "The Courier has fallen silent: its last article came out on 10 October 2025, "
        "before that it published ~16 articles/day"
    )
    assert line(card, "frequency").value == (
        "dormant: last article on 2025-10-10, before that ~16 articles/day (high confidence, from its feeds)"
    )
    terminal = StringIO()
    show_card(card, Streams(out=terminal))
    for form in (terminal.getvalue(), to_html(card), to_markdown(card)):
        assert "until 2025-10-10: " in form


def test_a_publisher_nobody_could_look_at_is_not_shown_to_offer_nothing() -> None:
    card = make_card(dossier(failed("homepage"), failed("robots"), failed("feeds")))
    assert card.sentence == (
        "How often The Courier publishes and whether it has feeds is not known. "
        "Neither robots.txt nor its homepage could be fetched, so nothing is read. "
        "It says nothing about any use in what could be fetched."
    )
    words = {cell.word for row in card.rights for cell in row.cells}
    assert words == {"unseen"}, "nobody looked, so nobody is silent"


def test_who_was_scouted_and_has_no_signal_is_silent() -> None:
    card = make_card(dossier(found("ai_txt", "no")))
    words = {cell.family: cell.word for cell in card.rights[0].cells}
    assert words["ai_txt"] == "silent"
    assert words["trust_txt"] == "unseen"


def test_another_page_that_says_something_else_is_no_change() -> None:
    first = found("robots_tag", "no", page_url=HOME, pages=[])
    other = found("robots_tag", "unknown", page_url=f"{HOME}a", pages=[], error="HTTP 404")
    assert make_card(dossier(other), history=[first, other, first]).changes == ()


def test_the_matrix_has_a_word_for_every_family_that_speaks() -> None:
    card = make_card(generous())
    words = matrix(card)["ai-train"]
    assert words == {"content_signal": "deny", "robots_agents": "unknown"}, "one bot is not all"
    assert matrix(card)["search"] == {"content_signal": "allow"}
    assert matrix(card)["archive"] == {}
    assert {row.use: row.word for row in card.rights} == {
        "search": "allow",
        "ai-input": "unknown",
        "ai-index": "unknown",
        "ai-train": "deny",
        "archive": "unknown",
    }
    (cell,) = [cell for cell in card.rights[3].cells if cell.word == "deny"]
    assert cell.evidence[0].url == ROBOTS
    assert cell.evidence[0].line == 6


def test_the_grade_adds_up_its_parts() -> None:
    grade = make_card(generous()).grade
    assert {part.name: (part.points, part.of) for part in grade.parts} == {
        "supply": (25, 25),
        "access": (25, 25),
        "clear rights": (10, 25),
        "metadata": (25, 25),
    }
    assert (grade.points, grade.letter) == (85, "A")


@pytest.mark.parametrize(
    ("instead", "part", "points", "word"),
    [
        ({"feeds": found("feeds", "no", count=0)}, "supply", 13, "no feed known"),
        (
            {"sitemap_analysis": found("sitemap_analysis", "no", has_news_sitemap=False)},
            "supply",
            22,
            "a sitemap",
        ),
        ({"frequency": found("frequency", "unknown")}, "supply", 18, "no living rhythm known"),
        ({"access": found("access", "no", url_allowed=False)}, "access", 13, "does not clearly"),
        ({"homepage": failed("homepage")}, "access", 12, "did not answer"),
        ({"robots": robots("")}, "clear rights", 0, "0 of 5 uses"),
        ({"article_data": failed("article_data")}, "metadata", 5, "0 of 11 fields"),
    ],
)
def test_what_is_missing_costs_its_part_and_says_so(
    instead: dict[str, Finding], part: str, points: int, word: str
) -> None:
    card = make_card(generous(**instead))
    (found_part,) = [each for each in card.grade.parts if each.name == part]
    assert found_part.points == points
    assert word in found_part.why


def test_what_no_step_looked_at_is_not_checked() -> None:
    card = make_card(dossier(found("homepage", status=200)))
    assert line(card, "rsl") == Line(
        key="rsl", label="RSL", value="Not checked", word="not checked"
    )
    assert "Not checked" in to_html(card)
    assert "Not checked" in to_markdown(card)
    assert card.picture is None
    assert card.terms == ()


def test_no_robots_txt_is_not_disallowed() -> None:
    absent = found("access", url_allowed=True, robots_state="absent", page_url=HOME)
    missing = found("robots", "no", url=ROBOTS, state="absent", robots_state="absent", text="")
    card = make_card(generous(robots=missing, access=absent))
    assert line(card, "access").value == "no robots.txt: allowed"
    assert line(card, "robots").value == "No robots.txt found: everything is allowed"
    assert "disallow" not in to_html(card).lower()


def test_a_robots_txt_that_could_not_be_had_is_unknown_not_allowed() -> None:
    unknown = found("access", "unknown", url_allowed=None, robots_state="unreachable")
    card = make_card(generous(robots=failed("robots"), access=unknown))
    assert line(card, "access").value == "unknown: robots.txt could not be fetched"
    assert "nothing is read until it can be" in card.sentence


def test_no_and_could_not_look_are_never_shown_alike() -> None:
    for step in ("feeds", "sitemaps", "rsl", "tdmrep", "licence", "terms", "google_news"):
        summaries = {
            summary(found(step, "no")),
            summary(found(step, "unknown")),
            summary(failed(step)),
        }
        assert len(summaries) == 3, step
        assert summary(found(step, "unknown")).startswith("unknown")


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (found("sitemaps", count=3, source="robots.txt"), "Found 3 sitemap(s) (robots.txt)"),
        (found("feeds", count=2), "Found 2 feed(s)"),
        (
            found("robots", "no", robots_state="absent"),
            "No robots.txt found: everything is allowed",
        ),
        (
            found("access", "no", url_allowed=False, ours={"line": 4, "rule": "Disallow: /"}),
            "URL disallowed by robots.txt (line 4: Disallow: /)",
        ),
        (found("ai_bots", blocked_count=3, total_count=166), "3/166 AI bots blocked"),
        (
            found("frequency", frequency_label="~3 articles/day", confidence="high", source="rss"),
            "~3 articles/day (high confidence, from its feeds)",
        ),
        (
            found("google_news", readiness="moderate", signal_count=2),
            "Readiness: moderate (2/3 signals)",
        ),
    ],
    ids=lambda value: value.step if isinstance(value, Finding) else "",
)
def test_each_step_is_shown_in_a_line(finding: Finding, text: str) -> None:
    assert summary(finding) == text


def test_terms_are_shown_activity_by_activity_with_their_sentence() -> None:
    activities = {
        name: {"word": "silent", "quote": "", "url": f"{HOME}terms", "line": None}
        for name in ACTIVITIES
    }
    activities["scraping"] |= {"word": "prohibited", "quote": "You may not scrape."}
    terms = found("terms", url=f"{HOME}terms", tos_url=f"{HOME}terms", activities=activities)
    card = make_card(generous(terms=terms))
    assert [term.activity for term in card.terms] == list(ACTIVITIES)
    assert (card.terms[0].word, card.terms[0].quote) == ("prohibited", "You may not scrape.")
    assert "You may not scrape." in to_html(card)


# --- changes -----------------------------------------------------------------------------------


def bots(day: int, **site: str) -> Finding:
    named = {name: {"site": word, "page": word} for name, word in site.items()}
    return found("ai_bots", days=day, bots=named, blocked_count=0, total_count=len(site))


def test_a_bot_that_is_blocked_from_a_day_on_is_shown_with_that_day() -> None:
    history = [
        bots(-9, GPTBot="allowed", CCBot="allowed"),
        bots(0, GPTBot="blocked", CCBot="allowed"),
    ]
    (change,) = changes(history)
    assert (change.text, change.at, change.step) == ("GPTBot blocked", NOW, "ai_bots")
    card = make_card(generous(), history=history)
    assert "Since 03 May 2026: GPTBot blocked" in to_html(card)
    assert "since 03 May 2026: GPTBot blocked" in to_markdown(card)


def test_a_failure_between_two_equal_answers_is_no_change() -> None:
    before, after = found("feeds", count=2), found("feeds", count=2, days=2)
    broken = replace(failed("feeds"), found_at=NOW)
    assert changes([before, broken, after]) == ()
    assert changes([before]) == (), "a first finding is no change"


def test_other_steps_show_their_summary_of_before() -> None:
    (change,) = changes([found("feeds", count=2), found("feeds", count=3, days=1)])
    assert change.text == "Found 3 feed(s) (before: Found 2 feed(s))"


def test_that_more_pages_were_looked_at_is_no_change_of_the_publisher() -> None:
    first, second, third = (
        found("content_signal", lines=["a"], pages=pages, days=day)
        for day, pages in enumerate((["p"], ["p", "q"], []))
    )
    assert changes([first, second]) == ()
    (change,) = changes([second, third])
    assert change.text.endswith("(before: 1 line in robots.txt, headers on 2 pages)")


def test_nothing_found_is_limited_to_what_could_be_fetched() -> None:
    assert summary(found("feeds", "unknown", count=0)) == (
        "unknown: no feed found in what could be fetched"
    )
    assert summary(found("feeds", "unknown", count=2)) == "unknown: Found 2 feed(s)"
    assert summary(found("frequency", "unknown")) == "unknown: too few dates"
    assert summary(found("feeds", "no", count=0)) == "no feed found"


# --- shown -------------------------------------------------------------------------------------


def test_a_terminal_is_given_a_row_for_each_day_and_a_scale() -> None:
    picture = make_card(generous()).picture
    assert picture is not None
    rows = to_blocks(picture)
    assert [row[:3] for row in rows[:7]] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert rows[0] == "Mon " + "·" * 48
    assert rows[6].endswith("██")
    assert {len(row) for row in rows[:7]} == {52}


def test_a_picture_says_its_numbers_without_colour() -> None:
    page = to_html(make_card(generous()))
    assert "<title>Sun 23:00: 138</title>" in page
    assert 'aria-label="Articles by weekday and hour (Europe/Vienna): ~16 articles/day"' in page


def test_every_word_in_the_matrix_has_a_sign_beside_it() -> None:
    for text in (to_html(make_card(generous())), to_markdown(make_card(generous()))):
        assert "✓ allow" in text
        assert "✗ deny" in text
        assert "? unknown" in text


def test_the_same_dossier_gives_the_same_card() -> None:
    assert to_plain(make_card(generous())) == to_plain(make_card(generous()))


def test_steps_say_what_became_of_them_with_a_word_of_the_vocabulary() -> None:
    card = make_card(dossier(failed("homepage", reason="challenge", error="HTTP 403")))
    (step,) = card.steps
    assert (step.name, step.word, step.kind, step.reason) == (
        "homepage",
        "failed",
        "challenge",
        "HTTP 403",
    )


def test_a_card_shows_the_verdicts_of_the_dossier_or_those_passed_in() -> None:
    held = replace(generous(), rights=())
    assert {row.word for row in make_card(held).rights} == {"unknown"}
    other = HOME + "other"
    card = make_card(held, url=other, verdicts=judge(held.findings, other))
    assert card.url == other
    assert any(row.word == "deny" for row in card.rights)
    with pytest.raises(ValueError, match="address and the verdicts"):
        make_card(held, url=other)


def test_a_use_that_is_no_allow_because_something_could_not_be_read_says_so() -> None:
    text = "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /"
    allowing = found("robots", url=f"{HOME}robots.txt", state="found", text=text)
    card = make_card(dossier(allowing, failed("terms")))
    row = next(row for row in card.rights if row.use == "ai-train")
    assert (row.word, row.unread, row.conflicts_with) == ("unknown", ("terms",), ())
    assert any("cannot be read" in note and "Terms" in note for _, note in notes_of(card.rights))


def test_a_card_is_dated_by_its_oldest_rights_and_each_line_by_its_finding() -> None:
    """Not by the last scout, which may have asked for nothing of it."""
    documents = {"documents_at": {f"{HOME}rsl.xml": (NOW - timedelta(hours=9)).isoformat()}}
    rsl = found("rsl", page_url=HOME, rsl_detected=True, count=1, measured=documents)
    held = replace(
        dossier(robots(), rsl, found("feeds", count=2, days=-3)),
        scouted_at=NOW + timedelta(hours=11),
    )
    card = make_card(held, now=NOW + timedelta(hours=11))
    assert card.scouted_at == NOW - timedelta(hours=9)
    times = {line.key: line.found_at for section in card.sections for line in section.lines}
    assert times["rsl"] == NOW - timedelta(hours=9)
    assert times["robots"] == NOW
    assert times["feeds"] == NOW - timedelta(days=3), "which is older, but no right"
    assert times["terms"] is None
    out = StringIO()
    show_card(card, Streams(out=out))
    assert "20 h ago" in out.getvalue()
    assert "11 h ago" in out.getvalue()
    assert "(as of 03 May 2026, 12:00 UTC)" in to_markdown(card)
    assert "(as of 03 May 2026, 12:00 UTC)" in to_html(card)
