"""On paper: card and article without what only a screen needs, black on white, with the addresses of links."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import addresses, window
from tests.web.serving import Pages
from wireroom.app import App

pytestmark = pytest.mark.browser

SCREEN_ONLY = ".masthead, .colophon, .skip, form, button, .downloads, iframe"
PAINTED = """(element) => {
  const style = getComputedStyle(element);
  return [style.color, getComputedStyle(document.body).backgroundColor];
}"""
DARKEST = r"""() => [...document.querySelectorAll("main *")].filter((each) => each.getClientRects().length && each.innerText).map(
  (each) => getComputedStyle(each).color).map((colour) => Math.max(...colour.match(/\d+/g).slice(0, 3).map(Number)))"""


def on_paper(page: Page, place: str) -> None:
    page.goto(place)
    page.emulate_media(media="print", color_scheme="dark")
    for part in page.locator(SCREEN_ONLY).all():
        expect(part).to_be_hidden()
    assert page.locator("h1").first.evaluate(PAINTED) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    lightest = max(page.evaluate(DARKEST))
    assert lightest <= 0x66, "every text is dark enough for paper"


def test_an_article_is_printed_to_be_read(
    browser: Browser, shared_pages: Pages, shared_app: App
) -> None:
    with window(browser, shared_pages) as (page, seen):
        on_paper(page, addresses(shared_app)["article"])
        expect(page.locator("article .body p").first).to_be_visible()
        expect(page.locator("aside .facts").first).to_be_visible()
        link = page.get_by_role("link", name="Read it at its publisher")
        shown = link.evaluate("(element) => getComputedStyle(element, '::after').content")
        assert link.get_attribute("href") in shown
        moment = page.locator("article .kicker time")
        shown = moment.evaluate("(element) => getComputedStyle(element, '::after').content")
        assert shown == f'"{moment.get_attribute("title")}"', "how long ago grows old on paper"
        own = page.locator("article .kicker a").first
        assert own.evaluate("(element) => getComputedStyle(element, '::after').content") == "none"
        assert page.get_by_text("Something wrong?").is_hidden()
        assert page.pdf().startswith(b"%PDF")
        assert seen.problems == []


def test_a_card_is_printed_whole(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        on_paper(page, "/publishers/courier.test")
        expect(page.locator(".card h1")).to_be_visible()
        expect(page.locator(".card table").first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        assert page.pdf().startswith(b"%PDF")
        assert seen.problems == []
