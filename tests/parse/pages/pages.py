"""Pages to judge, written short, and the way from a page to its judgement."""

from __future__ import annotations

from wireroom.parse.body import read_body
from wireroom.parse.html import open_page
from wireroom.parse.metadata import read_metadata
from wireroom.parse.pages import PageJudgement, judge_page

STORY_URL = "https://www.courier.test/harbour/ferry-returns-after-three-years"
SENTENCE = (
    "The ferry left the harbour of Dunmere on Monday with eleven passengers and a goat, "
    "three years after the old quay had given way in a storm."
)


def judged(markup: str | bytes, url: str = STORY_URL) -> PageJudgement:
    """What is made of a page that comes from this address."""
    page = open_page(markup, url=url)
    body = read_body(page)
    metadata = read_metadata(page.tree, url=url, word_count=body.word_count)
    return judge_page(page, body, metadata, url)


def page_of(body: str, *, title: str = "", head: str = "") -> str:
    """A page with this title, this head and this body."""
    return (
        f"<html lang=en><head><title>{title}</title>{head}</head>"
        f"<body><nav>{links(4)}</nav>{body}<footer>{links(3)}</footer></body></html>"
    )


def paragraphs(count: int, sentence: str = SENTENCE) -> str:
    """So many paragraphs of prose, no two the same."""
    return "".join(f"<p>{number}. {sentence} {sentence}</p>" for number in range(count))


def links(count: int) -> str:
    """A list of links to other pages."""
    return "".join(
        f'<div class="teaser"><a href="/story-{number}">Report number {number} from the coast</a></div>'
        for number in range(count)
    )


def story(body: str = "", *, title: str = "Ferry returns to Dunmere after three years") -> str:
    """A plain article."""
    byline = "<p class=byline>By Ada Lind</p><time datetime=2026-11-03>3 November 2026</time>"
    main = f"<article><h1>{title}</h1>{byline}{paragraphs(5)}{body}</article>"
    return page_of(main, title=f"{title} - The Courier")


def product_list(count: int) -> str:
    """Goods with their prices."""
    return "".join(
        f'<li class="tile"><img alt="Lamp {n}" src="/{n}.jpg"><a href="/products/lamp-{n}">Lamp {n}</a>'
        f'<span class="price">$ {n}9.00</span></li>'
        for n in range(1, count + 1)
    )
