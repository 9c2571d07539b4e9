"""A real Chromium for tests of pages: what it is shown, what it asks for, and what it complains about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    sync_playwright,
)

from tests.parts import chromium_program
from tests.web.serving import Pages
from wireroom.app import App
from wireroom.app.snapshot import has_page

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PHONE, DESK = (390, 844), (1280, 900)
Scheme = Literal["light", "dark"]


@dataclass
class Seen:
    """What happened in the pages of one context that should not."""

    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The installed browser, until the block ends; while it runs, this thread can run no event loop of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_program(), args=list(ARGUMENTS)
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(
    browser: Browser,
    pages: Pages,
    *,
    size: tuple[int, int] = DESK,
    scheme: Scheme = "light",
    scripts: bool = True,
) -> Iterator[tuple[Page, Seen]]:
    """A window on these pages, and what it complains about: errors of scripts, of the policy, requests to others."""
    context = browser.new_context(
        base_url=pages.url,
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    try:
        yield context.new_page(), watched(context, pages)
    finally:
        context.close()


def watched(context: BrowserContext, pages: Pages) -> Seen:
    """Collects complaints of every page that the context opens."""
    seen, own = Seen(), urlsplit(pages.url).netloc

    def ask(url: str) -> None:
        seen.requests.append(url)
        if urlsplit(url).netloc != own:
            seen.problems.append(f"asked {url}")

    def complain(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            seen.problems.append(f"{message.type}: {message.text}")

    def dismiss(dialog: Dialog) -> None:
        seen.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    context.on("request", lambda request: ask(request.url))
    context.on("console", complain)
    context.on("weberror", lambda error: seen.problems.append(f"error: {error.error}"))
    context.on("dialog", dismiss)
    return seen


def addresses(app: App) -> dict[str, str]:
    """Every kind of page that can be looked at, by name; `courier.test` is followed and its articles are held."""
    feed = next(stats.feed for stats in app.feeds() if stats.feed.publisher == "courier.test")
    article = next(article for article in app.articles() if has_page(app, article))
    tried = {"feed": article.feed_url, "article": article.id, "body_selector": "p"}
    return {
        "start": "/",
        "publishers": "/publishers",
        "compare": "/compare?domain=courier.test&domain=alminaa.test",
        "publisher": "/publishers/courier.test",
        "feeds": "/feeds",
        "feed": f"/feeds/{quote(feed.url, safe='')}",
        "trial": f"/trial?{urlencode(tried)}",
        "search": "/search?q=harbour+OR+lang%3Aar",
        "article": f"/articles/{article.id}",
        "run": "/run",
        "docs": "/docs",
        "problem": "/articles/nothing",
    }
