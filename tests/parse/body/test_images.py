"""The images of an article: which are its own, where they stand, and how Markdown and HTML show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from wireroom import ExtractConfig, articles_from_feed, extract, read_article
from wireroom.export.article_text import to_markdown as held_markdown
from wireroom.model import Article, FeedDocument, Hints, Item
from wireroom.parse.body import Body, blocks_of, read_body, to_html, to_markdown, to_text
from wireroom.parse.html import open_page
from wireroom.rights.policy import Policy, StorageAnswer, reduce_article

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
URL = "https://courier.test/a"
PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)
FIRST, SECOND = ("".join(f"<p>{text}</p>" for text in half) for half in (PROSE[:2], PROSE[2:]))
FIGURE = "<figure><img src=/a.jpg alt='A boat'><figcaption>The ferry at noon, seen from the quay.</figcaption></figure>"


def _page(before: str = "", between: str = "", after: str = "") -> str:
    return (
        "<title>Bridge closes on Monday</title><body><nav><img src=/logo.png></nav>"
        f"<article><h1>Bridge closes on Monday</h1>{before}{FIRST}{between}{SECOND}{after}</article>"
        "<aside><img src=/ad.jpg alt='Buy it now'></aside><footer><img src=/foot.jpg></footer>"
    )


def _read(**places: Any) -> Body:
    return read_body(open_page(_page(**places), url=URL), images=True)


def _urls(body: Body) -> list[str]:
    return [image.url.removeprefix("https://courier.test") for image in body.images]


@pytest.mark.parametrize("place", ["before", "between", "after"])
def test_an_image_with_a_caption_stands_before_it(place: str) -> None:
    body = _read(**{place: FIGURE})
    shown = to_markdown(body.with_images())
    assert (
        "![A boat](https://courier.test/a.jpg)\n\n*The ferry at noon, seen from the quay.*" in shown
    )
    assert (
        '<figure><img src="https://courier.test/a.jpg" alt="A boat">'
        "<figcaption>The ferry at noon, seen from the quay.</figcaption></figure>"
    ) in to_html(body.with_images())


def test_images_are_shown_only_where_they_are_asked_for() -> None:
    page = open_page(_page(between=FIGURE), url=URL)
    assert read_body(page).images == ()
    assert read_body(page).blocks == read_body(page, images=True).blocks


def test_an_image_without_words_stands_where_it_is_drawn() -> None:
    body = _read(before="<img src=/lead.webp>", between="<p><img src=/second.jpg></p>")
    assert to_markdown(body.with_images()).split("\n\n") == [
        "![](https://courier.test/lead.webp)",
        *PROSE[:2],
        "![](https://courier.test/second.jpg)",
        *PROSE[2:],
    ]


def test_what_an_image_says_of_itself_stands_there_once() -> None:
    body = _read(between="<p><img src=/a.jpg alt='A green rowing boat'></p>")
    assert body.captions() == ("A green rowing boat",)
    assert to_markdown(body.with_images()).count("A green rowing boat") == 1
    assert "*A green rowing boat*" in to_markdown(body.blocks)


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ("<img src='data:image/gif;base64,R0lGOD' data-src=/lazy.jpg>", "/lazy.jpg"),
        ("<img src=/img/placeholder.gif data-lazy-src=/later.jpg>", "/later.jpg"),
        ("<img srcset='/small.jpg 320w, /large.jpg 1280w, /middle.jpg 640w'>", "/large.jpg"),
        ("<picture><source srcset='/w.webp 2x'><img></picture>", "/w.webp"),
        ("<a href=/a-large.jpg><img src=/a-small.jpg></a>", "/a-small.jpg"),
    ],
)
def test_the_address_is_that_of_the_picture_readers_see(markup: str, address: str) -> None:
    assert _urls(_read(between=f"<p>{markup}</p>")) == [address]


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=/dot.gif width=1 height=1>",
        "<img src=/icons/spacer.gif>",
        "<img src='javascript:alert(1)'>",
        "<img src='data:image/png;base64,AAAA'>",
        "<a href=/another-story><img src=/teaser.jpg></a>",
        "<aside><img src=/beside.jpg></aside>",
        "<form><img src=/captcha.png></form>",
    ],
)
def test_counters_teasers_and_boxes_are_no_images_of_the_article(markup: str) -> None:
    assert _urls(_read(between=markup)) == []


def test_an_image_is_named_once_and_their_number_is_bounded() -> None:
    assert _urls(_read(between="<p><img src=/a.jpg></p><p><img src=/a.jpg></p>")) == ["/a.jpg"]
    many = "".join(f"<img src=/{number}.jpg>" for number in range(500))
    assert len(_urls(_read(between=many))) == 200


def test_no_markup_of_the_page_comes_out_with_an_image() -> None:
    body = _read(between="""<p><img src='/a.jpg?"><script>' alt='"><script>x](/y)'></p>""")
    shown = to_html(body.with_images())
    assert "<script" not in shown
    assert 'alt="&quot;&gt;&lt;script&gt;x](/y)"' in shown
    assert r'!["\>\<script\>x\](/y)](' in to_markdown(body.with_images())


# --- articles that are held ----------------------------------------------------------------------

TWO = FIGURE + FIGURE.replace("a.jpg", "b.jpg").replace("noon", "night")
ITEMS = (
    "Bicycles go with the first ferry of the hour, and with the last one on every Sunday of May.",
    "Prams go with all of them, for the deck was made wider by the yard that built the new one.",
)
LIST = f"<ul>{''.join(f'<li>{item}</li>' for item in ITEMS)}</ul><img src=/c.jpg>"


def _of_page(config: ExtractConfig) -> Article:
    page = _page(before=TWO, between=LIST, after=FIGURE.replace("a.jpg", "z.jpg"))
    return extract(page, url=URL, fetched_at=NOW, config=config)


def _of_selector(config: ExtractConfig) -> Article:
    hints = Hints(body_selector=".text", images=config.images, captions=config.captions)
    page = f"<body><div class=text>{TWO}{FIRST}{LIST}{SECOND}</div></body>"
    return extract(page, url=URL, fetched_at=NOW, config=ExtractConfig(hints=hints))


def _of_item(config: ExtractConfig) -> Article:
    content = f"{TWO}{FIRST}{LIST}{SECOND}"
    item = Item(feed_url=URL, guid="17", url=URL, title="Ferry", content_html=content)
    document = FeedDocument(kind="rss", items=(item,))
    (article,) = articles_from_feed(document, fetched_at=NOW, config=config)
    return article


@pytest.mark.parametrize("captions", [False, True])
@pytest.mark.parametrize("read", [_of_page, _of_selector, _of_item])
def test_a_held_article_shows_its_images_where_they_stood(read: Any, captions: bool) -> None:
    article = read(ExtractConfig(images=True, captions=captions))
    blocks = blocks_of(article.text, article.layout, article.captions, article.extra["images"])
    assert to_text(blocks, captions=captions) == article.text
    lines = held_markdown(article).split("\n\n")
    places = [place for place, line in enumerate(lines) if line.startswith("![")]
    assert [lines[place].rpartition("/")[2] for place in places][:3] == [
        "a.jpg)",
        "b.jpg)",
        "c.jpg)",
    ]
    assert "noon" in lines[places[0] + 1]
    assert "night" in lines[places[1] + 1]
    assert lines[places[2] - 1].startswith("- ")
    assert lines[places[2] + 1] == PROSE[2]
    assert "images" not in read(ExtractConfig(captions=captions)).extra


def test_what_may_not_be_kept_takes_its_images_along() -> None:
    article = _of_page(ExtractConfig(images=True))
    kept = reduce_article(article, StorageAnswer("excerpt"), Policy())
    assert kept is not None
    assert "images" not in kept.extra
    assert "![" not in held_markdown(kept)


# --- what stands above the text ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "byline"),
    [
        (
            (
                "<meta name=author content='Lena Okafor'>"
                "<meta property=article:published_time content=2026-11-03T14:05:00+01:00>"
            ),
            "Lena Okafor · 2026-11-03 13:05 UTC",
        ),
        ("<meta property=article:published_time content=2026-11-03>", "2026-11-03"),
        ("<meta name=author content='Lena Okafor'>", "Lena Okafor"),
        ("", PROSE[0]),
    ],
)
def test_markdown_names_author_and_date_below_the_title(head: str, byline: str) -> None:
    reading = read_article(f"<head>{head}</head>{_page()}", url=URL, fetched_at=NOW)
    assert reading.markdown().split("\n\n")[:2] == ["# Bridge closes on Monday", byline]
    assert held_markdown(reading.article) + "\n" == reading.markdown()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("24. März war der Tag.", r"24\. März war der Tag."),
        ("1) The bridge", r"1\) The bridge"),
        ("&copy; 2026, AT&T", r"\&copy; 2026, AT&T"),
        ("---", r"\---"),
        ("The quay\n===", "The quay  \n\\==="),
        ("The quay\n-", "The quay  \n\\-"),
        ("A - b = c", "A - b = c"),
    ],
)
def test_markdown_looks_as_the_page_did(text: str, shown: str) -> None:
    assert to_markdown(blocks_of(text)) == shown
