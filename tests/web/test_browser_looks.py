"""Every page at desk and phone width, in light and dark: it fits, nothing complains, and it can be used by everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.store.samples import reading
from tests.web.browser import DESK, PHONE, Scheme, Seen, addresses, window
from tests.web.serving import TOKEN, Pages, serving
from tests.web.test_actions import upload
from tests.web.test_live import changes
from wireroom.app import App
from wireroom.model import Cluster

pytestmark = pytest.mark.browser

NAMES = (
    "start",
    "publishers",
    "compare",
    "publisher",
    "feeds",
    "feed",
    "trial",
    "search",
    "article",
    "run",
    "docs",
    "problem",
    "list",
    "login",
)
NARROW = (320, 640)
"""The width at which nothing may have to be scrolled sideways (WCAG 1.4.10), as on a desk at 400 %."""
LOOKS: tuple[tuple[tuple[int, int], Scheme], ...] = (
    (NARROW, "light"),
    (DESK, "light"),
    (DESK, "dark"),
    (PHONE, "light"),
    (PHONE, "dark"),
)
JUDGED = ((DESK, "light"), (PHONE, "dark"))
"""Where axe looks, which costs most; colours do not depend on the width."""

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    "iframes": False,
}


def with_copies_and_versions(app: App, which: str) -> None:
    """Has the article show all that its page can show."""
    article = next(each for each in app.articles() if each.id == which)
    other = next(each for each in app.articles() if each.id != which)
    edited = replace(article, text=f"{article.text}\n\nA last word.", text_hash="edited")
    app.store.save_readings([reading(edited)], now=app.clock())
    members = (article.id, other.id)
    cluster = Cluster(id="two", members=members, canonicals={"en": other.id}, made_at=app.clock())
    app.store.save_clusters([cluster])


@pytest.fixture(scope="module")
def places(shared_app: App, shared_pages: Pages) -> Iterator[dict[str, str]]:
    """The address of every page; a list has been looked at, and the login belongs to a server that wants one."""
    status, followed = upload(shared_pages, "papers.csv", b"url\nnot an address\ncourier.test\n")
    assert status == 303
    list(changes(shared_pages, f"/live{followed}?after=0"))
    with_copies_and_versions(shared_app, addresses(shared_app)["article"].rpartition("/")[2])
    with serving(shared_app, token=TOKEN) as closed:
        yield {**addresses(shared_app), "list": followed, "login": f"{closed.url}/login"}


@pytest.fixture(scope="module")
def viewed(browser: Browser, shared_pages: Pages) -> Iterator[tuple[Page, Seen]]:
    with window(browser, shared_pages) as opened:
        yield opened


def wrong_for_people(page: Page) -> list[str]:
    """What axe has against it, with the first element of each rule."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{each['id']} ({len(each['nodes'])}): {each['nodes'][0]['target']} "
        f"{each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary'][:300]}"
        for each in found
    ]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_and_is_for_everybody(
    viewed: tuple[Page, Seen], places: dict[str, str], shared_pages: Pages, name: str
) -> None:
    page, seen = viewed
    seen.problems.clear()
    place = places[name]
    page.goto(place)
    if name != "docs":  # all its examples at once are too much for axe
        page.evaluate(
            "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
        )
    for size, scheme in LOOKS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)
        assert overflow(page) <= 0, (size, scheme)
        if (size, scheme) in JUDGED:
            assert wrong_for_people(page) == [], (size, scheme)
    # The icon of the page before, which may be that of the other server, is asked for late.
    own = (f"asked {shared_pages.url}", f"asked {places['login'].removesuffix('/login')}")
    foreign = [
        problem
        for problem in seen.problems
        if not problem.startswith(own) and not (name == "problem" and "404" in problem)
    ]
    assert foreign == []
    # The card brings its own tables; one of an article's text has what its publisher gave it.
    bare = page.locator("main table:not(:has(> caption)):not(.card table):not(.body table)")
    assert bare.count() == 0, "a table has a caption"


CONTRASTS = """() => {
  const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[0-9.]+/g).slice(0, 3).map(Number).map(part);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=file]), select, textarea")]
    .filter((each) => each.getClientRects().length)
    .map((each) => [getComputedStyle(each).borderTopColor, getComputedStyle(document.body).backgroundColor].map(light))
    .map(([one, other]) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
}"""
"""How much the border of each field differs from the page; axe does not look at it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["start", "publishers", "search", "login"])
def test_a_field_is_seen_by_its_border(
    viewed: tuple[Page, Seen], places: dict[str, str], name: str, scheme: Scheme
) -> None:
    page, _ = viewed
    page.emulate_media(color_scheme=scheme)
    page.goto(places[name])
    contrasts = page.evaluate(CONTRASTS)
    assert contrasts
    assert min(contrasts) >= 3


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_signs_of_rights_stand_in_one_line(
    viewed: tuple[Page, Seen], size: tuple[int, int]
) -> None:
    page, _ = viewed
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/feeds")
    rows = page.locator("td.signs").evaluate_all(
        "(cells) => cells.map((cell) => [...cell.children].map((sign) => sign.offsetTop))"
    )
    assert rows
    for tops in rows:
        assert len(tops) == 5
        assert len(set(tops)) == 1


def test_columns_of_calls_begin_at_one_height(viewed: tuple[Page, Seen]) -> None:
    page, _ = viewed
    page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    page.goto("/docs")
    heads = page.locator(".calls h2").evaluate_all(
        "(heads) => heads.map((head) => head.getBoundingClientRect()).map((box) => [box.left, box.top])"
    )
    first: dict[float, float] = {}
    for left, top in heads:
        first[left] = min(top, first.get(left, top))
    assert len(first) > 1
    assert max(first.values()) - min(first.values()) < 1


@pytest.mark.parametrize("name", ["feed", "run"])
def test_a_chart_can_be_read_on_a_phone(
    viewed: tuple[Page, Seen], places: dict[str, str], name: str
) -> None:
    page, _ = viewed
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(places[name])
    sizes = page.locator(".chart text").evaluate_all(
        "(texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    )
    assert sizes
    assert min(sizes) >= 10


def test_every_page_is_looked_at(places: dict[str, str], shared_pages: Pages) -> None:
    assert set(NAMES) == set(places)
    article = shared_pages.ask(places["article"]).text
    for part in ("<h2>Copies</h2>", "<h2>Versions</h2>", 'class="original"'):
        assert part in article
