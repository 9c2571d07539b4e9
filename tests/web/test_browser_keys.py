"""By keyboard alone: keys for lists and pages, Tab to what can be done, and a focus that is seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import window
from tests.web.serving import Pages

pytestmark = pytest.mark.browser

FOCUSED = """() => {
  const style = getComputedStyle(document.activeElement);
  return [document.activeElement.textContent.trim() || document.activeElement.id, style.outlineStyle, style.outlineWidth];
}"""


def focused(page: Page) -> tuple[str, bool]:
    """What has the focus, and whether that is seen."""
    name, style, width = page.evaluate(FOCUSED)
    return name, style != "none" and width != "0px"


def tab_to(page: Page, wanted: str, most: int = 40) -> None:
    """Presses Tab until this has the focus; every stop on the way is seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        name, is_seen = focused(page)
        assert is_seen, name
        if name == wanted:
            return
    pytest.fail(f"{wanted!r} is not reached by Tab")


def test_rows_are_walked_and_opened(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/search")
        titles = page.locator(".story .headline").all_inner_texts()
        for key, at in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            assert focused(page) == (titles[at], True)
        expect(page.locator(".story.here")).to_have_count(1)
        page.keyboard.press("o")
        expect(page.locator("article h1")).to_have_text(titles[1])
        assert seen.problems == []


def test_pages_and_search_have_keys(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/")
        for letter, path in (("p", "publishers"), ("f", "feeds"), ("r", "run"), ("a", "search")):
            page.keyboard.press("g")
            page.keyboard.press(letter)
            expect(page).to_have_url(f"{shared_pages.url}/{path}")
        for path, box in (("/search", "#q"), ("/", "#find")):
            page.goto(path)
            page.keyboard.press("/")
            expect(page.locator(box)).to_be_focused()
            page.keyboard.type("jog?")  # typed, not obeyed
            expect(page.locator(box)).to_have_value("jog?")
            expect(page.locator("dialog[open]")).to_have_count(0)
        assert seen.problems == []


def test_keys_are_listed_and_switched_off(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/publishers")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
        page.get_by_role("button", name="Switch the keys off").press("Enter")
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        page.reload()
        for key in ("?", "j", "/", "g", "f"):
            page.keyboard.press(key)
        expect(page.locator("dialog[open], .here")).to_have_count(0)
        expect(page.locator("#find")).not_to_be_focused()
        expect(page).to_have_url(f"{shared_pages.url}/publishers")
        page.get_by_role("button", name="Keyboard").click()
        page.get_by_role("button", name="Switch the keys on").click()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("j")
        expect(page.locator(".here")).to_have_count(1)
        assert seen.problems == []


@pytest.mark.parametrize(
    ("path", "action"),
    [
        ("/", "Find out"),
        ("/publishers", "Filter"),
        ("/publishers/courier.test", "Follow under these terms"),
        ("/search", "Search"),
    ],
)
def test_what_can_be_done_is_reached_by_tab(
    browser: Browser, shared_pages: Pages, path: str, action: str
) -> None:
    with window(browser, shared_pages) as (page, _):
        page.goto(path)
        page.keyboard.press("Tab")
        assert focused(page) == ("Skip to content", True)
        tab_to(page, action)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/search?q=harbour+lang%3Aen", "Remove filter: in English"),
        ("/publishers?language=en", "Remove filter: language English"),
        ("/feeds?state=live", "Remove filter: state live"),
    ],
)
def test_a_filter_is_taken_out_by_keyboard_without_scripts(
    browser: Browser, shared_pages: Pages, path: str, label: str
) -> None:
    with window(browser, shared_pages, scripts=False) as (page, _):
        page.goto(path)
        link = page.get_by_label("Active filters").get_by_role("link", name=label, exact=True)
        expect(link).to_have_count(1)
        for _ in range(40):
            page.keyboard.press("Tab")
            if link.evaluate("each => each === document.activeElement"):
                break
        expect(link).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Active filters")).to_have_count(0)


def test_the_days_of_a_feed_are_reached_from_the_list(
    browser: Browser, shared_pages: Pages
) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/feeds")
        page.get_by_role("link", name="Day by day").first.click()
        expect(page).to_have_url(re.compile("#days$"))
        expect(page.locator("#days tbody tr")).to_have_count(30)
        expect(page.locator("#days")).to_be_in_viewport()
        assert seen.problems == []


def test_content_is_skipped_to(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, _):
        page.goto("/publishers")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#main$"))
        tab_to(page, "q", most=1)


def test_times_are_shown_in_utc_without_a_mouse(browser: Browser, shared_pages: Pages) -> None:
    with window(browser, shared_pages) as (page, seen):
        page.goto("/feeds")
        first = page.locator("time").first
        relative, utc = first.inner_text(), first.get_attribute("title")
        assert relative != utc
        page.get_by_role("button", name="Times in UTC").press("Enter")
        expect(first).to_have_text(utc or "")
        page.goto("/search")
        expect(page.locator("time").first).to_have_text(re.compile("UTC$"))
        page.get_by_role("button", name="How long ago").press("Enter")
        expect(page.locator("time").first).not_to_have_text(re.compile("UTC$"))
        assert seen.problems == []
