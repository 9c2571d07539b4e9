"""`extract`: what comes back, and what is raised instead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import wireroom
from wireroom import ExtractConfig, extract
from wireroom.errors import NoArticleError, UnknownFormatError
from wireroom.urls import article_id

FETCHED_AT = datetime(2026, 11, 14, 12, tzinfo=UTC)
URL = "https://www.courier.test/2026/11/03/ferry-returns"
PARAGRAPH = (
    "The ferry between Eastferry and Long Barrow Quay returned to the river on Tuesday after ten "
    "years, and four hundred people stood on the landing stage to see it come in. "
)
PAGE = f"""<!doctype html><html lang="en-GB"><head><title>Ferry returns | The Courier</title>
<meta property="og:site_name" content="The Courier"></head><body>
<nav><a href="/">Home</a></nav>
<article><h1>Ferry returns after ten years</h1>
{"".join(f"<p>{PARAGRAPH}Part {n} of the story goes on.</p>" for n in range(6))}</article></body></html>"""


def test_page_becomes_an_article() -> None:
    article = extract(PAGE.encode(), url=URL, fetched_at=FETCHED_AT)
    assert article.title == "Ferry returns after ten years"
    assert article.text.startswith("The ferry between")
    assert article.language == "en"
    assert article.quality > 0.7
    assert article.sources["text"] == "page"
    assert article.fetched_at == FETCHED_AT


def test_id_and_publisher_come_from_the_address() -> None:
    article = extract(PAGE, url=f"{URL}?utm_source=letter", fetched_at=FETCHED_AT)
    assert article.publisher == "courier.test"
    assert article.url == URL
    assert article.id == article_id("courier.test", URL)


def test_without_an_address_the_id_comes_from_the_text() -> None:
    first, other = extract(PAGE), extract(PAGE.replace("<p>", "<p> "))
    assert first.url == first.publisher == ""
    assert first.id == other.id == first.text_hash[: len(first.id)]


@pytest.mark.parametrize("body", [b"", b"  \n ", "", b"<html><body></body></html>"])
def test_nothing_is_no_article(body: bytes | str) -> None:
    with pytest.raises(NoArticleError) as caught:
        extract(body)
    assert caught.value.page_kind == "empty"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"%PDF-1.7", "PDF"),
        (b"<rss version='2.0'><channel/></rss>", "feed"),
        (b"\x1f\x8b\x08rest", "gzip"),
        (b'{"a": [1]}', "JSON"),
        (b"<urlset></urlset>", "sitemap"),
    ],
)
def test_what_is_no_page_says_what_it_is(body: bytes, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        extract(body)


def test_any_page_is_read_on_request() -> None:
    article = extract(b"<html><body></body></html>", config=ExtractConfig(any_page=True))
    assert article.quality == 0
    assert article.extra["quality"]


def test_a_reading_renders_markdown_and_html() -> None:
    page = PAGE.replace("Part 1 of", 'Part <a href="/one?utm_source=x#two">one</a> of')
    reading = wireroom.read_article(page, url=URL, fetched_at=FETCHED_AT, rich=True, explain=True)
    assert reading.markdown().startswith(
        "# Ferry returns after ten years\n\n2026-11-03\n\nThe ferry"
    )
    assert "[one](https://www.courier.test/one#two)" in reading.markdown()
    assert '<a href="https://www.courier.test/one#two"' in reading.html()
    assert any(not block.kept for block in reading.body.blocks)


def test_kept_json_ld_is_bounded() -> None:
    script = '<script type="application/ld+json">{"@type": "NewsArticle", "x": "%s"}</script>'
    page = PAGE.replace("</head>", "".join(script % ("y" * 3_000) for _ in range(50)) + "</head>")
    article = extract(page, url=URL, fetched_at=FETCHED_AT)
    kept = article.extra["json_ld"]
    assert 10 < len(kept) < 50
    assert len(kept[0]["x"]) == 2_000


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("The ferry is back, at No. 5 quay. It came at noon.", "The ferry is back, at No. 5 quay."),
        ("“The ferry is back.” So said the mayor.", "“The ferry is back.”"),
        (
            "Am 3. Mai bzw. am Montag kam die Fähre wieder. Alle standen da.",
            "Am 3. Mai bzw. am Montag kam die Fähre wieder.",
        ),
        ("渡轮在十年之后又回来了。很多人站在码头上。", "渡轮在十年之后又回来了。"),
        ("The ferry " + "and the boat " * 20, "The ferry " + ("and the boat " * 11)[:-6] + " …"),
    ],
)
def test_an_article_without_a_title_has_its_first_sentence(first: str, title: str) -> None:
    page = f"<html lang=en><body><article><p>{first}</p>{f'<p>{PARAGRAPH}</p>' * 4}</article></body></html>"
    article = extract(page, url=URL, fetched_at=FETCHED_AT, config=ExtractConfig(any_page=True))
    assert (article.title, article.sources["title"]) == (title, "first sentence")
    assert article.extra["confidence"]["title"] < 0.3
    assert "no title" in article.extra["quality"]
