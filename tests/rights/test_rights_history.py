"""History compares rights: each flip of a verdict and each changed line, with both lines and where they stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.scout.contexts import HOME, NOW
from tests.scout.flips import FLIPS, PAGE, Doc, Flip, page
from tests.scout.sites import HOUR, STORY, Site
from wireroom.model import Finding
from wireroom.report.build import changes
from wireroom.signals import history_of_rights

ROBOTS = Doc("User-agent: *\nAllow: /\n")


async def scouts(site: Site, *docs: dict[str, Doc], url: str = STORY) -> list[Finding]:
    """The findings of a look at each set of documents, an hour apart."""
    found: list[Finding] = []
    for served in docs:
        site.docs = served
        site.now += HOUR
        await site.scout(url, refresh=True)
        assert site.last is not None
        found += site.last.findings
    return found


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_every_flip_is_an_entry_with_both_words_and_a_line_with_its_place(flip: Flip) -> None:
    yes, no = flip.served(refusing=False), flip.served(refusing=True)
    history = await scouts(Site({}), yes, yes, no, no, yes)
    found = history_of_rights(history, HOME)
    flips = [
        (change.at, change.old, change.new)
        for change in found
        if change.kind == "verdict" and change.uses == (flip.use,) and change.url == STORY
    ]
    there, back = NOW + 3 * HOUR, NOW + 5 * HOUR
    assert flips == [(there, flip.word, flip.refused), (back, flip.refused, flip.word)]
    lines = [change for change in found if change.kind == "signal" and flip.use in change.uses]
    assert {change.at for change in lines} == {there, back}
    assert all(change.old != change.new for change in lines)
    assert all(change.old_evidence or change.new_evidence for change in lines)
    shown = changes(history, HOME)
    assert any(change.kind == "verdict" and flip.refused in change.text for change in shown)
    lines_shown = [change for change in shown if change.kind == "signal"]
    assert all(change.old in change.text and change.new in change.text for change in lines_shown)
    assert {change.at for change in lines_shown} >= {there, back}


async def test_both_lines_are_named_with_their_numbers() -> None:
    yes = {"/robots.txt": replace(ROBOTS, body=ROBOTS.body + "Content-Signal: ai-train=yes\n")}
    no = {
        "/robots.txt": replace(
            ROBOTS, body="# new\n" + ROBOTS.body + "Content-Signal: ai-train=no\n"
        )
    }
    home = {"/": page()}
    history = await scouts(Site({}), yes | home, no | home, url=HOME)
    (change,) = (each for each in history_of_rights(history, HOME) if each.kind == "signal")
    assert change.family == "content_signal"
    assert change.old == "Content-Signal: ai-train=yes (ai-train: allow)"
    assert change.new == "Content-Signal: ai-train=no (ai-train: deny)"
    places = (change.old_evidence, change.new_evidence)
    assert [place and place.line for place in places] == [3, 4]
    texts = [each.text for each in changes(history, HOME)]
    assert "robots.txt: 2 lines added, 1 removed" in texts
    assert not [text for text in texts if "bytes" in text]


async def test_a_line_that_moves_a_failure_and_a_first_look_change_nothing() -> None:
    signal = "Content-Signal: ai-train=no\n"
    docs = {
        "/robots.txt": Doc(ROBOTS.body + signal),
        "/": page(),
        PAGE: page('<meta name="robots" content="noai">'),
    }
    site = Site({})
    history = await scouts(site, docs, url=HOME)
    history += await scouts(site, docs)  # a page that nobody has seen before
    moved = {**docs, "/robots.txt": Doc("# a comment\n" + ROBOTS.body + signal)}
    history += await scouts(site, moved)
    site.broken = {"/robots.txt", "/", PAGE}
    history += await scouts(site, moved)
    site.broken = set()
    history += await scouts(site, moved)
    assert history_of_rights(history, HOME) == ()
    assert site.now == NOW + timedelta(hours=5)
