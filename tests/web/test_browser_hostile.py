"""Whatever strangers wrote stays text: nothing of it runs, nothing is asked for, and the page keeps its shape."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.app.test_reparse import PAGE, hold
from tests.web.browser import DESK, PHONE, window
from tests.web.conftest import opened_on
from tests.web.serving import Pages, serving
from tests.web.test_browser_looks import overflow
from wireroom.app import App
from wireroom.settings import Settings
from wireroom.town import Running

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=http://elsewhere.test/x onerror=alert(2)>',
    "'><svg onload=alert(3)><iframe src=http://elsewhere.test/>",
    "<a href='javascript:alert(4)'>here</a> javascript:alert(5)",
    "\u202egnp.elif\u202c \u2066left\u2069 \u200f right",
    "bell \u0007 null-like \u0001 escape \u001b[31m line \u2028 end",
    "x" * 10_000,
    "{{ 7 * 7 }} {% raw %} </title></style></textarea></template>",
)
INJECTED = (
    "main script, main img, main svg[onload], [onerror], [onload], a[href^='javascript'], "
    "iframe[src^='http']"
)


@pytest.fixture(scope="module")
def hostile_app(
    filled: Path,
    web_settings: Settings,
    web_town: Running,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[App]:
    """A copy of the database in which everything that strangers name is hostile."""
    file = tmp_path_factory.mktemp("hostile") / "w.db"
    with sqlite3.connect(filled) as source, sqlite3.connect(file) as copy:
        source.backup(copy)
        ids = [row[0] for row in copy.execute("SELECT id FROM article ORDER BY position DESC")]
        for at, article_id in enumerate(ids):
            bad = HOSTILE[at % len(HOSTILE)]
            copy.execute(
                "UPDATE article SET title = ?, description = ?, text = ?, layout = '', authors = ?, tags = ?,"
                " captions = ? WHERE id = ?",
                (bad, bad, f"{bad}\n\n{bad}", *[json.dumps([bad])] * 3, article_id),
            )
        copy.execute("UPDATE publisher SET name = ?", ("".join(HOSTILE[:4]),))
        for at, (number,) in enumerate(copy.execute("SELECT id FROM feed").fetchall()):
            copy.execute("UPDATE feed SET title = ? WHERE id = ?", (HOSTILE[-1 - at], number))
    source.close()
    copy.close()
    with opened_on(file, web_settings, web_town) as app:
        yield app


@pytest.fixture(scope="module")
def hostile_pages(hostile_app: App) -> Iterator[Pages]:
    with serving(hostile_app) as served:
        yield served


def hostile_places(app: App) -> list[str]:
    """Pages that show what was changed, and pages that are asked for hostile things."""
    articles = [article for article, _ in zip(app.articles(), HOSTILE, strict=False)]
    assert {article.title for article in articles} >= {HOSTILE[0], HOSTILE[1]}
    feeds = [stats.feed.url for stats in app.feeds()]
    bad = quote("".join(HOSTILE[:4]), safe="")
    return [
        "/",
        "/publishers",
        f"/publishers?q={bad}",
        "/compare?domain=courier.test&domain=alminaa.test",
        "/publishers/courier.test",
        f"/publishers/{bad}",
        "/feeds",
        *(f"/feeds/{quote(url, safe='')}" for url in feeds),
        "/search",
        f"/search?q={quote('<script>alert(1)</script>')}",
        f"/search?q=%28{bad}",
        f"/login?next={bad}",
        *(f"/articles/{article.id}" for article in articles),
    ]


def test_nothing_hostile_does_anything(
    browser: Browser, hostile_app: App, hostile_pages: Pages
) -> None:
    with window(browser, hostile_pages, size=PHONE) as (page, seen):
        for place in hostile_places(hostile_app):
            seen.problems.clear()
            page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            page.goto(place)
            assert page.locator(INJECTED).count() == 0, place
            assert overflow(page) <= 0, place
            page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
            assert overflow(page) <= 0, place
            refused = [line for line in seen.problems if "status of 4" not in line]
            assert refused == [], place


def test_what_is_hostile_is_shown_as_text(
    browser: Browser, hostile_app: App, hostile_pages: Pages
) -> None:
    article = next(each for each in hostile_app.articles() if each.title == HOSTILE[0])
    with window(browser, hostile_pages) as (page, _):
        page.goto(f"/articles/{article.id}")
        assert page.locator("article h1").inner_text() == HOSTILE[0]
        assert HOSTILE[0] in page.locator("article .body").inner_text()
        page.goto("/")
        assert "\u202e" not in page.content()
        assert "\u001b" not in page.content()


ELSEWHERE = "http://elsewhere.test"
HEAD = f"""
<base href="{ELSEWHERE}/"><meta http-equiv="refresh" content="0;url={ELSEWHERE}/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="{ELSEWHERE}/a.css"><link rel="preload" as="image" href="{ELSEWHERE}/preload">
<link rel="prefetch" href="{ELSEWHERE}/prefetch"><link rel="dns-prefetch" href="{ELSEWHERE}"><link rel="preconnect" href="{ELSEWHERE}">
<link rel="icon" href="{ELSEWHERE}/icon"><link rel="modulepreload" href="{ELSEWHERE}/m.js">
<style>@import "{ELSEWHERE}/import.css"; body {{ background: url({ELSEWHERE}/back); }} @font-face {{ font-family: x; src: url({ELSEWHERE}/font); }}</style>
<script>alert('head')</script><script src="{ELSEWHERE}/s.js"></script><script type="module">import "{ELSEWHERE}/m.js"</script>
"""
BODY = f"""
<script>alert('body'); top.location = '{ELSEWHERE}/top'</script><noscript><img src="{ELSEWHERE}/noscript"></noscript>
<img src="{ELSEWHERE}/img" srcset="{ELSEWHERE}/set 2x" onerror="alert(1)"><picture><source srcset="{ELSEWHERE}/source"><img src="x"></picture>
<svg onload="alert(2)"><script>alert(3)</script><image href="{ELSEWHERE}/svg"/><use href="{ELSEWHERE}/use#x"/><foreignObject><iframe src="{ELSEWHERE}/f"></iframe></foreignObject></svg>
<iframe src="{ELSEWHERE}/iframe"></iframe><iframe srcdoc="<script>alert(5)</script>"></iframe><frameset><frame src="{ELSEWHERE}/frame"></frameset>
<object data="{ELSEWHERE}/object"><param name="src" value="{ELSEWHERE}/param"></object><embed src="{ELSEWHERE}/embed"><applet code="{ELSEWHERE}/a"></applet>
<video src="{ELSEWHERE}/video" poster="{ELSEWHERE}/poster" autoplay></video><audio src="{ELSEWHERE}/audio" autoplay></audio>
<form action="{ELSEWHERE}/form" method="post"><input name="a" autofocus onfocus="alert(6)"><button formaction="{ELSEWHERE}/formaction">Send</button></form>
<a href="javascript:alert(7)" ping="{ELSEWHERE}/ping">a link of the page</a> <a href="{ELSEWHERE}/link" target="_top">another</a>
<p style="background:url({ELSEWHERE}/style)" onmouseover="alert(8)">A styled paragraph of the page, with enough words to be one.</p>
<details ontoggle="alert(9)" open><summary>More</summary>x</details><body onload="alert(10)"><marquee onstart="alert(11)">m</marquee>
<template><script>alert(12)</script></template><textarea></textarea><img src="{ELSEWHERE}/late"></textarea>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(4)&gt;"></math>
"""
LIVE_PARTS = (
    "script, style, link:not([href^='/static/']), base, form, input, button, iframe, frame, object, embed, img, image, svg, math, "
    "video, audio, source, picture, template, a, meta[http-equiv]"
)


def test_a_hostile_raw_page_does_nothing_in_its_frame(
    browser: Browser, pages: Pages, web_app: App
) -> None:
    page_html = PAGE.replace("</head>", f"{HEAD}</head>").replace("</article>", f"{BODY}</article>")
    held = hold(web_app, page=page_html)
    with window(browser, pages) as (page, seen):
        page.goto(f"/articles/{held.id}")
        element = page.locator("iframe.original")
        element.scroll_into_view_if_needed()
        frame = page.frame_locator("iframe.original")
        expect(frame.locator(".kept").first).to_be_visible(timeout=60_000)
        assert "harbour master" in frame.locator("body").inner_text()
        assert frame.locator(LIVE_PARTS).count() == 0
        handlers = "[onload], [onerror], [onfocus], [onmouseover], [style], [srcset], [src], [ping]"
        assert frame.locator(handlers).count() == 0
        frame.locator(".kept").first.click()
        original = f"{pages.url}/articles/{held.id}/original"
        page.goto(original)  # as a page of its own, too
        expect(page.locator(".kept").first).to_be_visible()
        assert page.locator(LIVE_PARTS).count() == 0
        assert page.url == original, "nothing leads away"
        assert seen.problems == []
        assert all(url.startswith(f"{pages.url}/") for url in seen.requests)
