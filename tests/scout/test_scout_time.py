"""A scout with little time, or few requests: what is announced comes first, and what was not reached is said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, context_of, served
from tests.scout.instant_loop import run_at_once
from wireroom.errors import FetchError, GoneError, RefusedError, UnreachableError
from wireroom.model import Dossier, Finding, Request, Response
from wireroom.ports import Step, StepContext
from wireroom.report import make_card
from wireroom.scout.address import read_address
from wireroom.scout.dossier import make_dossier
from wireroom.scout.request_plan import MAX_REQUESTS
from wireroom.scout.runner import run_steps
from wireroom.scout.scout_fetch import ScoutFetch
from wireroom.scout.steps import sitemaps
from wireroom.scout.visit import ElsewhereError, scout_site
from wireroom.signals.freshness import lacked_time, unreached_of

MINUTE = timedelta(seconds=60)
STORY = f"{HOME}2026/11/a-long-story-of-today"
FEED = f"""<rss version="2.0"><channel><title>The Courier</title><link>{HOME}</link>
<item><title>Story</title><link>{STORY}</link><pubDate>Fri, 13 Nov 2026 10:00:00 GMT</pubDate></item>
</channel></rss>"""
SITEMAP = f"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{STORY}</loc><lastmod>2026-11-13</lastmod></url></urlset>"""
SECTIONS = [f"{HOME}{name}/feed.xml" for name in ("sport", "arts", "local", "books", "travel")]
LINKS = "".join(
    f'<link rel=alternate type="application/rss+xml" title="{url}" href="{url}">'
    for url in (f"{HOME}all.xml", *SECTIONS)
)
TERMS = (
    "<html lang=en><title>Terms of use</title><h1>Terms of use</h1>"
    "<p>You may not use any text of ours for the training of artificial intelligence."
    "<p>Please read these terms before you use the pages of this newspaper for anything."
)
FRONT = f"<title>The Courier</title>{LINKS}<footer><a href='/terms'>Terms of use</a></footer>"
PAPER: dict[str, Answer] = {
    f"{HOME}robots.txt": f"User-agent: *\nCrawl-delay: 10\nSitemap: {HOME}map.xml\n",
    HOME: FRONT,
    f"{HOME}all.xml": served("", FEED, kind="application/rss+xml"),
    **{url: served("", FEED.replace(STORY, url), kind="application/rss+xml") for url in SECTIONS},
    f"{HOME}map.xml": served("", SITEMAP, kind="application/xml"),
    f"{HOME}terms": TERMS,
    STORY: "<title>Story</title><article><h1>Story</h1><p>Text.</article>",
}


class Paced(Table):
    """A host that is asked as its Crawl-delay wants it, and some of whose answers never come."""

    def __init__(self, answers: Mapping[str, Answer], gap: float = 0.0) -> None:
        super().__init__(answers)
        self.gap = gap
        self.hanging: set[str] = set()
        self.sent: list[tuple[float, str]] = []
        self.in_flight = self.most_in_flight = 0
        self._due = 0.0

    def gap_of(self, _host: str) -> timedelta:
        return timedelta(seconds=self.gap)

    async def __call__(self, request: Request) -> Response:
        if request.url.endswith("/robots.txt") and any("robots" in url for _, url in self.sent):
            return await super().__call__(request)  # who fetches has it
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._due - loop.time()))
        self.sent.append((loop.time(), request.url))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self._takes(request))
            return await super().__call__(request)
        finally:
            self.in_flight -= 1
            self._due = loop.time() + self.gap

    def _takes(self, request: Request) -> float:
        if request.url not in self.hanging:
            return 0.0
        assert request.deadline is not None, request.url
        self.answers[request.url] = GoneError(request.url, 404)
        return request.deadline.total_seconds()

    @property
    def paths(self) -> list[str]:
        return [urlsplit(url).path for _, url in self.sent]


def scout(
    fetch: Paced, *, url: str = HOME, time: timedelta = MINUTE, last: Dossier | None = None
) -> Dossier:
    async def run() -> Dossier:
        reports = scout_site(
            read_address(url),
            fetch,
            now=NOW,
            last=last,
            offline=True,
            time=time,
            gap_of=fetch.gap_of,
            follow_moved=True,
        )
        dossier = [report async for report in reports][-1]
        assert isinstance(dossier, Dossier)
        return dossier

    return run_at_once(run())


def found(dossier: Dossier) -> dict[str, Finding]:
    return {finding.step: finding for finding in dossier.findings}


def delayed(answers: Mapping[str, Answer] = PAPER) -> Paced:
    fetch = Paced(answers, gap=10.0)
    fetch.sent.append((0.0, f"{HOME}robots.txt"))
    fetch._due = 10.0
    return fetch


def test_with_a_crawl_delay_of_ten_the_card_has_feed_sitemap_and_terms() -> None:
    fetch = delayed()
    steps = found(scout(fetch))
    assert [steps[name].outcome for name in ("feeds", "sitemaps", "terms")] == ["yes"] * 3
    assert steps["sitemap_analysis"].facts["sitemaps_checked"] == 1
    assert fetch.paths[1:3] == ["/", "/all.xml"]
    assert {"/map.xml", "/terms"} <= set(fetch.paths)
    assert not any("news" in path for path in fetch.paths), "guesses come last"
    times = [at for at, _ in fetch.sent]
    assert all(later - at >= 10 for at, later in pairwise(times))
    assert times[-1] < MINUTE.total_seconds()


def test_what_was_not_reached_is_in_the_findings_and_on_the_card_in_words() -> None:
    dossier = scout(delayed())
    steps = found(dossier)
    assert set(SECTIONS) & unreached_of(steps["feeds"]).keys()
    assert steps["trust_txt"].outcome == "skipped", "not looked at is no no"
    assert steps["trust_txt"].facts["reason"] == "scout_time"
    card = make_card(dossier, now=NOW)
    rows = {row.step: row for row in card.not_reached}
    assert rows["trust_txt"].time
    assert rows["trust_txt"].documents == (f"{HOME}.well-known/trust.txt",)
    (note,) = card.notes
    assert note.startswith("Not reached in the time of the scout:")
    assert "trust.txt" in note
    assert "--time" in note


def test_where_announced_feeds_were_not_reached_they_are_counted_and_more_time_is_offered() -> None:
    fetch = Paced(PAPER, gap=30.0)
    card = make_card(scout(fetch, time=timedelta(seconds=29)), now=NOW)
    lines = {line.key: line.value for section in card.sections for line in section.lines}
    assert "6 announced feeds, none asked for" in lines["feeds"]
    commands = [step.command for step in card.next_steps]
    assert "wireroom scout courier.example --time 10m" in commands
    assert not any("--refresh" in command for command in commands), "it would end at the same place"


def test_with_more_time_only_what_was_not_reached_is_asked_for() -> None:
    first = scout(delayed())
    again = Paced(PAPER, gap=10.0)
    scout(again, last=first)
    assert "/.well-known/trust.txt" in again.paths, "what nobody has looked at is tried anew"
    assert not {"/all.xml", "/map.xml", "/terms"} & set(again.paths)
    longer = Paced(PAPER, gap=10.0)
    dossier = scout(longer, last=first, time=timedelta(minutes=10))
    assert "/.well-known/trust.txt" in longer.paths
    assert "/terms" not in longer.paths
    assert not any(map(unreached_of, dossier.findings))


def test_where_no_feed_is_announced_and_no_time_is_left_nobody_says_there_is_none() -> None:
    plain = {**PAPER, HOME: "<title>The Courier</title>"}
    steps = found(scout(delayed(plain), time=timedelta(seconds=30)))
    assert steps["feeds"].outcome == "unknown"
    assert lacked_time(steps["feeds"], timedelta(minutes=5))


def test_a_hanging_feed_beside_a_good_one_costs_only_itself() -> None:
    fetch = Paced(PAPER)
    fetch.hanging = {SECTIONS[0], f"{HOME}map.xml"}
    steps = found(scout(fetch))
    assert steps["feeds"].outcome == "yes"
    assert steps["terms"].outcome == "yes"
    assert steps["article_data"].outcome in {"yes", "no"}
    assert SECTIONS[0] in steps["feeds"].facts["problems"]
    assert fetch.sent[-1][0] < 40


def test_the_time_holds_where_nothing_answers_at_all() -> None:
    fetch = Paced({HOME: PAPER[HOME]})
    fetch.hanging = {f"{HOME}all.xml", *SECTIONS, f"{HOME}terms", f"{HOME}ai.txt"}

    async def run() -> float:
        time = timedelta(seconds=15)
        async for _ in scout_site(read_address(HOME), fetch, now=NOW, offline=True, time=time):
            pass
        return asyncio.get_running_loop().time()

    assert run_at_once(run()) <= 15 + 10


def test_a_rich_publisher_keeps_article_and_paywall() -> None:
    indexes = "".join(f"Sitemap: {HOME}map{n}.xml\n" for n in range(9))
    rich = {**PAPER, f"{HOME}robots.txt": f"User-agent: *\n{indexes}"}
    for n in range(9):
        children = "".join(f"<sitemap><loc>{HOME}c{n}-{m}.xml</loc></sitemap>" for m in range(5))
        index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'
        rich[f"{HOME}map{n}.xml"] = served("", index, kind="application/xml")
    fetch = Paced(rich)

    async def run() -> dict[str, Finding]:
        from wireroom.scout import visit

        reports = visit.scout_site(read_address(HOME), fetch, now=NOW, offline=True, time=MINUTE)
        dossier = [report async for report in reports][-1]
        assert isinstance(dossier, Dossier)
        return found(dossier)

    steps = run_at_once(run())
    assert steps["article_data"].facts.get("measured", {}).get("sample_url") == STORY
    assert len(fetch.sent) <= MAX_REQUESTS
    assert fetch.most_in_flight <= 4


def redirect(url: str, to: str, status: int = 301) -> Response:
    return replace(served(url, status=status), redirect_url=to, moved=status == 301)


def test_each_redirect_is_a_request_and_ends_with_the_budget() -> None:
    table = Table(
        {f"{HOME}{n}": redirect("", f"{HOME}{n + 1}") for n in range(4)} | {f"{HOME}4": "end"}
    )

    async def run(most: int) -> Response:
        fetch = ScoutFetch(table, max_requests=most)
        try:
            return await fetch(Request(url=f"{HOME}0", purpose="scout"))
        finally:
            assert fetch.requests == most
            await fetch.close()

    answer = run_at_once(run(5))
    assert (answer.final_url, len(answer.hops), answer.moved) == (f"{HOME}4", 5, True)
    table.asked.clear()
    with pytest.raises(RefusedError, match="3 requests are spent"):
        run_at_once(run(3))
    assert len(table.asked) == 3


NEW = "https://herald.example/"


def test_a_publisher_that_moved_for_good_is_elsewhere() -> None:
    fetch = Paced({HOME: redirect(HOME, NEW), NEW: "<title>The Herald</title>"})
    with pytest.raises(ElsewhereError) as elsewhere:
        scout(fetch)
    assert (elsewhere.value.url, elsewhere.value.moved_from) == (NEW, HOME)


def test_a_publisher_that_leads_elsewhere_for_now_stays_where_it_is() -> None:
    fetch = Paced({HOME: redirect(HOME, NEW, 302), NEW: "<title>The Herald</title>"})
    assert scout(fetch).publisher.home_url == HOME


@pytest.mark.parametrize("seconds", ["0", "0.5", "2"])
def test_a_homepage_that_sends_a_browser_on_is_followed(seconds: str) -> None:
    page = f"<meta http-equiv=Refresh content='{seconds}; URL=/de/'>"
    fetch = Paced({**PAPER, HOME: page, f"{HOME}de/": PAPER[HOME]})
    dossier = scout(fetch)
    assert dossier.publisher.home_url == f"{HOME}de/"
    assert found(dossier)["feeds"].outcome == "yes"


@pytest.mark.parametrize(
    "content", ["300", "300; url=/de/", "0; url=/", "0", "0; url=javascript:go()"]
)
def test_a_homepage_that_loads_itself_anew_is_the_homepage(content: str) -> None:
    page = f"<meta http-equiv=refresh content='{content}'>{FRONT}"
    fetch = Paced({**PAPER, HOME: page})
    assert scout(fetch).publisher.home_url == HOME
    assert "/de/" not in fetch.paths


def test_a_card_says_that_its_publisher_moved() -> None:
    dossier = replace(scout(Paced(PAPER)), moved_from="https://old.example/")
    card = make_card(dossier, now=NOW)
    assert card.moved_from == "https://old.example/"
    assert card.notes[0].startswith("https://old.example/ has moved to https://courier.example/")
    assert make_dossier(dossier.publisher, {}, url=HOME, now=NOW).moved_from == ""


class ByHead(Table):
    """A server that names a type in its head, and whose file may not come."""

    def __init__(self, kind: str, error: FetchError) -> None:
        super().__init__({})
        self._kind = kind
        self._error = error

    async def __call__(self, request: Request) -> Response:
        if not request.url.endswith("/sitemap.xml"):
            return await super().__call__(request)
        if request.method == "GET":
            raise self._error
        return served(request.url, kind=self._kind)


@pytest.mark.parametrize(
    ("kind", "there"),
    [
        ("application/xml; charset=utf-8", True),
        ("text/xml", True),
        ("application/rss+xml", True),
        ("application/xhtml+xml", False),
        ("text/html", False),
    ],
)
async def test_a_guessed_sitemap_that_does_not_come_counts_by_the_type_of_its_head(
    kind: str, there: bool
) -> None:
    url = f"{HOME}sitemap.xml"
    robots = Finding(step="robots", outcome="no", found_at=NOW)
    late = UnreachableError(url, "no answer in time", kind="timeout")
    context = context_of(fetch=ByHead(kind, late), findings={"robots": robots})
    finding = await sitemaps.run(context)
    assert (url in finding.facts["sitemap_urls"]) is there
    assert finding.facts["probed"][url] == ("by its type" if there else "unknown")
    assert finding.outcome == ("yes" if there else "unknown")
    gone = context_of(fetch=ByHead(kind, GoneError(url, 404)), findings={"robots": robots})
    assert (await sitemaps.run(gone)).outcome == "no"


def test_a_step_may_wait_for_its_turn_longer_than_its_own_work_may_take() -> None:
    async def wait(context: StepContext) -> Finding:
        await context.fetch(Request(url=HOME, purpose="scout"))
        await asyncio.sleep(work)
        return Finding(step="slow", outcome="yes", found_at=NOW)

    step = Step("slow", "Slow", wait, deadline=timedelta(seconds=5))

    async def run() -> str:
        fetch = Paced(PAPER)
        fetch._due = 40.0
        context = replace(context_of(), fetch=fetch)
        progress = [each async for each in run_steps({"slow": step}, context)][-1]
        assert progress.finding is not None
        return progress.finding.outcome

    work = 1.0
    assert run_at_once(run()) == "yes"
    work = 6.0
    assert run_at_once(run()) == "failed"
