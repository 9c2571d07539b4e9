"""Pages that stay open: what they hold of the server while they are seen, and while they are not."""

from __future__ import annotations

import re
from dataclasses import replace
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import window
from tests.web.serving import Pages
from wireroom.app import App
from wireroom.app.run_overview import COUNTS_SAVED

pytestmark = pytest.mark.browser

PATIENCE = 30  # seconds
NARROW = (240, 600)


def wait_for_streams(pages: Pages, wanted: int) -> None:
    """Until so many live pages are open at the server."""
    ends = monotonic() + PATIENCE
    while True:
        measures = pages.ask("/metrics").text
        count = re.search(r"^wireroom_live_streams (\d+)", measures, re.MULTILINE)
        assert count is not None
        if int(count[1]) == wanted:
            return
        assert monotonic() < ends, f"{count[1]} streams are open, expected {wanted}"
        sleep(0.1)


def show(page: Page, *, seen: bool) -> None:
    """As if another tab was chosen, or this one again."""
    hidden = "false" if seen else "true"
    page.evaluate(
        f"Object.defineProperty(document, 'hidden', {{ value: {hidden}, configurable: true }});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )


def test_a_page_that_is_not_seen_gives_its_connection_back_and_misses_nothing(
    browser: Browser, pages: Pages, web_app: App
) -> None:
    with window(browser, pages) as (page, seen):
        page.goto("/")
        wait_for_streams(pages, 1)
        show(page, seen=False)
        wait_for_streams(pages, 0)
        web_app.note("articles_saved", "", new=1)
        page.evaluate("document.getElementById('newest').replaceChildren()")
        show(page, seen=True)
        expect(page.locator("#newest .story").first).to_be_visible()
        wait_for_streams(pages, 1)
        assert seen.problems == []


def test_what_a_reader_closed_stays_closed_and_has_the_focus(
    browser: Browser, pages: Pages, web_app: App
) -> None:
    feed = next(stats.feed for stats in web_app.feeds())
    silent = replace(feed, state="silent")
    web_app.store.save_feed_changes([(feed, silent)], events=[], now=web_app.clock())
    with window(browser, pages) as (page, seen):
        page.goto("/")
        group = page.locator("#feeds-silent")
        expect(group).to_have_attribute("open", "")
        group.locator("summary").click()
        page.evaluate("document.getElementById('needs').dataset.old = 'yes'")
        web_app.note(COUNTS_SAVED, "")
        expect(page.locator("#needs[data-old]")).to_have_count(0)
        expect(group).not_to_have_attribute("open", "")
        expect(group.locator("summary")).to_be_focused()
        assert seen.problems == []


def test_a_table_that_is_scrolled_stays_where_it_is(
    browser: Browser, pages: Pages, web_app: App
) -> None:
    with window(browser, pages, size=NARROW) as (page, seen):
        page.goto("/run")
        table = page.locator("#hosts .scroll")
        table.evaluate("each => { each.scrollLeft = 20; }")
        assert table.evaluate("each => each.scrollLeft") == 20, "it is wider than the window"
        table.focus()
        page.evaluate("document.getElementById('hosts').dataset.old = 'yes'")
        web_app.note(COUNTS_SAVED, "")
        expect(page.locator("#hosts[data-old]")).to_have_count(0)
        assert table.evaluate("each => each.scrollLeft") == 20
        expect(table).to_be_focused()
        assert seen.problems == []


def test_what_was_chosen_in_a_list_stays_chosen(
    browser: Browser, pages: Pages, web_app: App
) -> None:
    with window(browser, pages) as (page, seen):
        page.goto("/publishers?q=courier")
        row = page.locator("[id='publisher-courier.test']")
        expect(page.locator("tbody tr")).to_have_count(1)
        row.get_by_role("checkbox").check()
        row.evaluate("each => { each.dataset.old = 'yes'; }")
        for domain in ("alminaa.test", "courier.test"):
            web_app.note("job_done", domain, job="scout")
        expect(page.locator("tr[data-old]")).to_have_count(0)
        expect(row.get_by_role("checkbox")).to_be_checked()
        expect(row.get_by_role("checkbox")).to_be_focused()
        expect(page.locator("tbody tr")).to_have_count(
            1
        )  # what this page does not list is not added
        assert seen.problems == []
