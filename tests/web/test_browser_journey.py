"""The whole way in a real browser: an address is pasted, watched, followed, run, read, searched and exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cli.inline import use_inline_engine
from tests.web.browser import addresses, window
from tests.web.serving import Pages, serving
from wireroom.app import App
from wireroom.app.scout import Progress
from wireroom.web.job_view import Job

pytestmark = pytest.mark.browser

NEW_TODAY = "#funnel-today li:last-child b"
WATCH_STEPS = """() => {
  const shown = new Set();
  new MutationObserver(() => {
    for (const line of document.querySelectorAll(".steps li")) shown.add(line.id);
    sessionStorage.setItem("steps", JSON.stringify([...shown]));
  }).observe(document.querySelector(".steps"), { childList: true });
}"""


@pytest.fixture
def running_pages(
    browser: Browser, web_app: App, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Pages]:
    """Pages that may start a run."""
    use_inline_engine(monkeypatch)
    with serving(web_app, can_run=True) as served:
        yield served


@dataclass
class HeldScout:
    """Holds scouts in their first step, when nothing is in flight that could run out of time."""

    reached: Event = field(default_factory=Event)
    opened: Event = field(default_factory=Event)


@pytest.fixture
def held_scout(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldScout]:
    """Scouts wait in the middle until it is opened."""
    made, note = HeldScout(), Job.note

    def held(job: Job, progress: Progress) -> None:
        is_first = not job.steps
        note(job, progress)
        if is_first:
            made.reached.set()
            assert made.opened.wait(60)

    monkeypatch.setattr(Job, "note", held)
    yield made
    made.opened.set()


def paste(page: Page, address: str) -> None:
    page.goto("/")
    page.get_by_label("A publisher, a page or a feed").fill(address)
    page.get_by_role("button", name="Find out").click()


def expect_card(page: Page) -> None:
    expect(page.locator(".card h1")).to_have_text("Le Phare de Valombre")
    expect(page.locator("[data-live]")).to_have_count(0)


def test_the_whole_journey(browser: Browser, running_pages: Pages, held_scout: HeldScout) -> None:
    with window(browser, running_pages) as (page, seen):
        paste(page, "http://phare.test/")
        expect(page).to_have_url(f"{running_pages.url}/publishers/phare.test")
        assert held_scout.reached.wait(30)
        page.reload()
        expect(page.locator(".steps .under-way")).to_have_count(1)
        follow = page.get_by_role("button", name="Follow under these terms")
        expect(follow).to_have_count(0)  # no terms are known yet
        held_scout.opened.set()
        expect_card(page)
        page.get_by_role("button", name="Follow under these terms").click()
        expect(page.get_by_role("status")).to_contain_text("followed")
        expect(page.get_by_role("heading", name="Feeds")).to_be_visible()
        run(page)
        read_and_search(page)
        export(page)
        assert seen.problems == []


def run(page: Page) -> None:
    """Starts a run by its button, sees what comes, and stops it."""
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_text("at work")).to_be_visible(timeout=30_000)  # the page follows by itself
    before = int(page.locator(NEW_TODAY).inner_text())
    page.get_by_role("link", name="wireroom", exact=True).click()
    fresh = page.locator("#newest").get_by_role("link", name="phare.test").first
    expect(fresh).to_be_visible(timeout=60_000)  # live, too
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible(timeout=30_000)
    assert int(page.locator(NEW_TODAY).inner_text()) > before


def read_and_search(page: Page) -> None:
    """Reads an article of the new publisher and finds it again by its words."""
    page.goto("/search?q=publisher%3Aphare.test")
    headline = page.locator(".story .headline").first
    title = headline.inner_text()
    headline.click()
    expect(page.locator("article h1")).to_have_text(title)
    expect(page.locator("article")).to_have_attribute("lang", "fr")
    expect(page.locator("article .body p").first).to_be_visible()
    find = page.get_by_label("Search articles")
    find.fill("publisher:phare.test")
    find.press("Enter")
    expect(page.locator(".said")).to_contain_text("articles")
    view = page.locator("main").inner_html()
    page.locator(".story .headline").first.click()
    expect(page.locator("article h1")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/search\?q=publisher%3Aphare\.test"))
    assert ages_gone(page.locator("main").inner_html()) == ages_gone(view)


def ages_gone(html: str) -> str:
    return re.sub(r"(<time[^>]*>)[^<]*", r"\1", html)


def export(page: Page) -> None:
    """Chooses a use, sees how much it leaves out, and takes the rest along."""
    page.goto("/search")
    page.get_by_label("Use").select_option("ai-train")
    page.get_by_role("button", name="Choose").click()
    expect(page).to_have_url(re.compile("for=ai-train"))
    permitted, left_out = re.findall(
        r"\d+", page.get_by_text("permitted for ai-train").inner_text()
    )
    with page.expect_download() as taken:
        page.get_by_role("link", name="JSON Lines", exact=True).click()
    rows = [json.loads(line) for line in taken.value.path().read_text("utf-8").splitlines()]
    assert len(rows) == int(permitted) > 0
    assert int(left_out) > 0
    assert {row["publisher"] for row in rows} == {"courier.test"}


def test_a_scout_is_watched_live_and_survives_a_reload(
    browser: Browser, pages: Pages, held_scout: HeldScout
) -> None:
    with window(browser, pages) as (page, seen):
        paste(page, "phare.test")
        assert held_scout.reached.wait(30)
        page.reload()
        under_way = page.locator(".steps .under-way")
        expect(under_way).to_have_count(1)
        step = under_way.get_attribute("id")
        page.reload()
        expect(under_way).to_have_count(1)
        assert under_way.get_attribute("id") == step
        page.evaluate(WATCH_STEPS)
        held_scout.opened.set()
        expect_card(page)
        shown = page.evaluate("JSON.parse(sessionStorage.getItem('steps'))")
        assert len(shown) > 10, shown  # each came by itself, before the page was loaded anew
        assert seen.problems == []


def test_without_scripts_everything_works(
    browser: Browser, pages: Pages, held_scout: HeldScout
) -> None:
    with window(browser, pages, scripts=False) as (page, seen):
        paste(page, "phare.test")
        expect(page.locator(".steps .under-way")).to_have_count(1, timeout=30_000)
        held_scout.opened.set()
        expect(page.locator(".card h1")).to_be_visible(timeout=60_000)  # it asks anew every 5 s
        page.get_by_role("button", name="Follow under these terms").click()
        expect(page.get_by_role("status")).to_contain_text("followed", timeout=60_000)
        page.goto("/feeds")
        page.locator("tbody th a").first.click()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("status")).to_contain_text("left alone")
        page.get_by_role("link", name="Articles", exact=True).click()
        page.locator(".story .headline").first.click()
        expect(page.locator("article h1")).to_be_visible()
        page.get_by_label("What is wrong with the text").fill("The end is missing.")
        page.get_by_role("button", name="Write a case file").click()
        expect(page.get_by_role("status")).to_contain_text("case file")
        assert seen.problems == []


def test_the_original_is_shown_and_marked(browser: Browser, pages: Pages, web_app: App) -> None:
    with window(browser, pages) as (page, seen):
        page.goto(addresses(web_app)["article"])
        frame = page.frame_locator("iframe.original")
        page.locator("iframe.original").scroll_into_view_if_needed()
        kept = frame.locator(".kept").first
        expect(kept).to_be_visible()
        expect(kept).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
        assert seen.problems == []


@pytest.mark.parametrize("scripts", [True, False])
def test_a_pasted_list_is_followed_row_by_row(
    browser: Browser, pages: Pages, *, scripts: bool
) -> None:
    """The box is one line high and takes many; Enter sends it, as it does in a box of one line."""
    with window(browser, pages, scripts=scripts) as (page, seen):
        page.goto("/")
        box = page.get_by_label("A publisher, a page or a feed")
        before = box.bounding_box()
        box.fill("courier.test\nnot an address\nalminaa.test")
        if scripts:
            box.press("Enter")
        else:
            page.get_by_role("button", name="Find out").click()
        expect(page).to_have_url(re.compile("/lists/"))
        expect(page.locator("tbody tr")).to_have_count(3)
        assert before is not None
        assert before["height"] < 45
        assert seen.problems == []


def test_those_that_are_scouted_again_are_named_on_the_list(
    pages: Pages, held_scout: HeldScout
) -> None:
    assert pages.post("/publishers").status == 400
    answer = pages.post("/publishers?sort=grade", domain="courier.test")
    assert (answer.status, answer.headers["location"]) == (303, "/publishers?sort=grade")
    assert held_scout.reached.wait(30)
    named = 'Being scouted: <a href="/publishers/courier.test">courier.test</a>.'
    assert named in pages.ask("/publishers").text
    held_scout.opened.set()
