"""What is made of whole pages: articles pass, pages that are something else do not."""

from __future__ import annotations

import pytest

from tests.parse.pages.pages import (
    SENTENCE,
    STORY_URL,
    judged,
    links,
    page_of,
    paragraphs,
    product_list,
    story,
)
from wireroom.parse.pages import DOUBT_BELOW, REFUSE_BELOW

PRODUCT = page_of(
    f"<h1>Desk lamp</h1><span>$ 49.00</span><p>Free delivery over $ 50.</p><ul>{product_list(6)}</ul>",
    title="Desk lamp | Lampery",
    head='<meta property="og:type" content="product">'
    '<script type="application/ld+json">{"@type": "Product", "name": "Desk lamp",'
    ' "offers": {"@type": "Offer", "price": "49.00"}}</script>',
)
COLLECTION = page_of(f"<h1>Lamps</h1><ul>{product_list(40)}</ul>", title="Lamps | Lampery")
SECTION = page_of(f"<h1>Harbour</h1>{links(40)}", title="Harbour - The Courier")
SERVICE = page_of(
    "<h1>Moving made easy</h1>"
    + "".join(
        f"<section><h2>Step {n}</h2><p>We carry your boxes.</p><a href=/quote>Get a quote</a></section>"
        for n in range(12)
    ),
    title="Dunmere Movers",
)


def test_an_article_is_one() -> None:
    found = judged(story())
    assert found.kind == "article"
    assert found.article > 0.9
    assert found.reasons


def test_an_article_is_one_without_its_address() -> None:
    assert judged(story(), url="").article > 0.8


@pytest.mark.parametrize(
    ("markup", "url", "kind"),
    [
        (PRODUCT, "https://lampery.test/products/desk-lamp", "product"),
        (COLLECTION, "https://lampery.test/collections/lamps", "collection"),
        (SECTION, "https://www.courier.test/category/harbour", "listing"),
    ],
)
def test_what_is_for_sale_and_listings_are_no_articles(markup: str, url: str, kind: str) -> None:
    found = judged(markup, url)
    assert found.kind == kind
    assert found.article < DOUBT_BELOW
    assert found.reasons


def test_a_service_is_doubted() -> None:
    assert judged(SERVICE, "https://movers.test/services/moving").article < DOUBT_BELOW


def test_a_thread_is_a_forum_and_is_not_doubted() -> None:
    posts = "".join(
        f'<div class="post"><b>user{n}</b><p>{n}. {SENTENCE}</p><a href="#{n}">Reply</a></div>'
        for n in range(8)
    )
    title = "Which ferry would you take from Dunmere?"
    data = (
        '<script type="application/ld+json">{"@type": "DiscussionForumPosting", "headline": "Ferry",'
        ' "datePublished": "2026-11-03T08:00:00Z", "author": {"name": "user0"}}</script>'
    )
    page = page_of(f"<h1>{title}</h1>{posts}{links(9)}", title=f"{title} | Quay", head=data)
    found = judged(page, "https://forum.quay.test/threads/which-ferry.1234")
    assert found.kind == "forum"
    assert found.article > DOUBT_BELOW


def test_a_manual_is_documentation_and_is_not_doubted() -> None:
    body = "".join(
        f"<h2>Option {n}</h2><p>{SENTENCE}</p><pre>ferry --set {n}</pre>" for n in range(8)
    )
    page = page_of(f"<main><h1>Configuration</h1>{body}</main>", title="Configuration")
    found = judged(page, "https://docs.ferry.test/en/latest/reference/configuration.html")
    assert found.kind == "documentation"
    assert found.article > DOUBT_BELOW


def test_a_page_that_declares_itself_a_dated_article_is_never_refused_by_weight() -> None:
    declared = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Lamps",'
        ' "datePublished": "2026-11-03T08:00:00Z"}</script>'
    )
    markup = COLLECTION.replace("</head>", declared + "</head>").replace(
        "<ul>", "<p>Lamps.</p><ul>"
    )
    for url in (STORY_URL, "https://lampery.test/collections/lamps", "https://lampery.test/"):
        assert judged(markup, url).article >= REFUSE_BELOW


def test_thresholds_are_in_order() -> None:
    assert 0 < REFUSE_BELOW < DOUBT_BELOW < 0.5


def test_a_short_report_passes() -> None:
    short = page_of(
        f"<article><h1>Goat boards ferry at Dunmere</h1><p>{SENTENCE}</p></article>{links(12)}",
        title="Goat boards ferry at Dunmere",
        head='<meta property="og:type" content="article">'
        '<meta property="article:published_time" content="2026-11-03T08:00:00Z">',
    )
    assert judged(short).article > DOUBT_BELOW


def test_an_address_that_is_only_a_key_does_not_doom_an_article() -> None:
    for url in ("https://courier.test/n/20261103/8812345.html", "https://courier.test/?p=8812345"):
        assert judged(story(), url).article > 0.8


def test_long_prose_at_a_home_page_with_few_links_is_weighed() -> None:
    assert judged(page_of(paragraphs(8)), "https://ferry.test/").article > REFUSE_BELOW
