"""A refusal is never missed: whatever the publisher changes is seen by the time that is promised.

Promised is `scout.fresh_for` after the server last answered for a document, however often somebody scouts.
`tests/app/test_flips.py` does the same by way of the use cases, a server and a database.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.scout.contexts import HOME, NOW
from tests.scout.flips import CC0, FLIPS, PAGE, RSL, Doc, Flip, page
from tests.scout.sites import DAY, HOUR, STORY, Site, word
from wireroom.model import Word
from wireroom.scout.dossier import scout_after
from wireroom.signals import judge

EVERY = (20, *(pytest.param(every, marks=pytest.mark.long) for every in (1, 12, 25, 170)))
"""Hours between two scouts."""
TDM = "/.well-known/tdmrep.json"
RESERVED = Doc('[{"location": "/*", "tdm-reservation": 1}]', "application/json")


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_each_flip_is_seen_within_the_day_however_often_somebody_scouts(
    flip: Flip, every: int
) -> None:
    site = Site(flip.served(refusing=False))
    assert word(await site.scout(STORY), flip.use) == flip.word
    for refusing in (True, False):
        site.docs = flip.served(refusing=refusing)
        answered = site.now
        while site.now - answered < DAY:
            site.now += every * HOUR
            due = site.now - answered >= DAY
            seen = word(await site.scout(STORY), flip.use)
            assert seen == flip.expected(refusing=refusing if due else not refusing)
            assert bool(site.asked) == due


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_each_flip_is_seen_at_once_where_everything_is_asked_again(flip: Flip) -> None:
    site = Site(flip.served(refusing=False))
    for refusing in (False, True, False):
        site.docs = flip.served(refusing=refusing)
        site.now += HOUR
        dossier = await site.scout(STORY, refresh=True)
        assert word(dossier, flip.use) == flip.expected(refusing=refusing)


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_scouts_of_other_pages_do_not_renew_what_was_not_asked_for(flip: Flip) -> None:
    site = Site(flip.served(refusing=False))
    await site.scout()
    site.docs = flip.served(refusing=True)
    for turn in range(1, 8):  # a scout every 4 hours, at the homepage and at a story in turn
        site.now += 4 * HOUR
        await site.scout(STORY if turn % 2 else HOME)
    assert site.last is not None
    assert word(site.last, flip.use) == flip.refused


async def test_a_change_that_is_noticed_makes_all_other_documents_due() -> None:
    site = Site({"/robots.txt": Doc("User-agent: *\n"), "/": page(), PAGE: page()})
    await site.scout(STORY)
    site.now += HOUR
    await site.scout()
    assert site.asked == ["/"], "the rest was answered for an hour ago"
    site.docs = {**site.docs, "/": page('<meta name="robots" content="nosnippet">'), TDM: RESERVED}
    site.now += HOUR
    await site.scout(STORY)
    assert site.asked == [PAGE], "the homepage answered an hour ago"
    site.now += HOUR
    dossier = await site.scout()
    assert {"/", "/robots.txt", TDM, "/ai.txt"} <= set(site.asked)
    assert word(dossier) == "deny"
    assert len(site.asked) == len(set(site.asked)), "nothing is asked for twice"


async def test_what_did_not_answer_is_asked_for_again_and_keeps_its_refusal() -> None:
    site = Site({"/robots.txt": Doc("User-agent: *\n"), "/": page(), TDM: RESERVED})
    await site.scout()
    site.broken = {TDM}
    for _ in range(2):
        site.now += DAY
        assert word(await site.scout()) == "deny"
    site.now += HOUR
    await site.scout()
    assert site.asked == [TDM, "/"], "no answer is not fresh"
    site.broken, site.docs = set(), {**site.docs, TDM: replace(RESERVED, body="[]")}
    assert word(await site.scout()) == "unknown"


async def test_a_scout_that_asks_nobody_renews_nothing() -> None:
    site = Site({"/robots.txt": Doc("User-agent: *\n"), "/": page()})
    first = await site.scout()
    site.now += 20 * HOUR
    second = await site.scout()
    assert site.asked == []
    assert second.scouted_at == first.scouted_at


async def test_a_robots_txt_that_could_not_be_had_is_asked_for_again() -> None:
    site = Site({"/robots.txt": Doc("User-agent: *\n"), "/": page()}, broken={"/robots.txt"})
    await site.scout()
    site.broken = set()
    site.now += HOUR
    await site.scout()
    assert "/robots.txt" in site.asked


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_what_was_noted_before_the_clock_was_set_back_is_asked_for_again(flip: Flip) -> None:
    site = Site(flip.served(refusing=False), now=NOW + 365 * DAY)
    await site.scout(STORY)
    site.now, site.docs = NOW, flip.served(refusing=True)
    assert word(await site.scout(STORY), flip.use) == flip.refused


def _with_max_age(days: int, word: str = "permits") -> dict[str, Doc]:
    rsl = RSL.format(word=word, usage="all").replace("<rsl ", f'<rsl max-age="{days}" ')
    return {
        "/robots.txt": Doc("License: /rsl.xml\nUser-agent: *\nAllow: /\n"),
        "/": page(),
        PAGE: page(f'<link rel="license" href="{CC0}">'),
        "/rsl.xml": Doc(rsl, "application/rsl+xml"),
    }


@pytest.mark.parametrize(
    ("days", "later", "expected"), [(1, 2, "unknown"), (1, 400, "unknown"), (3, 2, "allow")]
)
async def test_a_document_permits_nothing_after_its_max_age(
    days: int, later: int, expected: Word
) -> None:
    site = Site(_with_max_age(days))
    dossier = await site.scout(STORY)
    assert word(dossier) == "allow"
    assert site.last is not None
    now = site.now + later * DAY
    verdicts = judge(site.last.findings, STORY, uses=("ai-train",), now=now)
    assert [verdict.value for verdict in verdicts] == [expected]
    refusing = Site(_with_max_age(days, "prohibits"))
    found = (await refusing.scout(STORY)).findings
    verdicts = judge(found, STORY, uses=("ai-train",), now=now)
    assert [verdict.value for verdict in verdicts] == ["deny"], "a refusal stands"


async def test_a_document_is_asked_for_again_after_its_max_age() -> None:
    site = Site(_with_max_age(1))
    first = await site.scout(STORY, fresh_for=7 * DAY)
    site.docs, site.now = _with_max_age(1, "prohibits"), site.now + 3 * DAY
    assert word(await site.scout(STORY, fresh_for=7 * DAY)) == "deny"
    assert scout_after(first, every=7 * DAY, now=first.scouted_at) == first.scouted_at + DAY
    long = await Site(_with_max_age(30)).scout(STORY)
    assert scout_after(long, every=7 * DAY, now=long.scouted_at) == long.scouted_at + 7 * DAY
