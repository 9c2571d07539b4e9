"""A page is about one article: a second one below it is not read as part of the first."""

from __future__ import annotations

import json

import pytest

from wireroom.parse.article import read_article

TITLE, OTHER = "Bridge to close for eleven weeks", "Brewery burns down at Millford"
PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)
SECOND = (
    "A fire broke out in the old brewery at Millford on Sunday evening and burned for six hours.",
    "The brigade from three villages fought the flames with water from the canal, the captain said.",
    "No one was hurt, though the brewery's horse had to be led through the smoke by a passer-by.",
)


def _paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


OWN, NEXT = _paragraphs(PROSE), _paragraphs(SECOND)
BELOW = {
    "two articles": f"<article><h1>{TITLE}</h1>{OWN}</article><article><h1>{OTHER}</h1>{NEXT}</article>",
    "a lesser headline": f"<article><h1>{TITLE}</h1>{OWN}</article><article><h2>{OTHER}</h2>{NEXT}</article>",
    "inside a box": f"<article><h1>{TITLE}</h1>{OWN}</article><div class=infinite><div><article><header>"
    f"<h2>{OTHER}</h2></header>{NEXT}</article></div></div>",
    "boxes called stories": f"<div class=story><h1>{TITLE}</h1>{OWN}</div><div class=story><h1>{OTHER}</h1>{NEXT}</div>",
    "boxes that look alike": f"<section><h1>{TITLE}</h1>{OWN}</section><section><h1>{OTHER}</h1>{NEXT}</section>",
    "the headline above": f"<h1>{TITLE}</h1><article>{OWN}</article><article><h2>{OTHER}</h2>{NEXT}</article>",
}


def _page(inner: str, head: str = "") -> str:
    return (
        f"<html lang=en><title>{TITLE} | The Courier</title>{head}<body><main>{inner}</main></body>"
    )


def _text(page: str) -> list[str]:
    article = read_article(page, url="https://courier.test/2026/05/bridge").article
    assert article.title == TITLE
    return article.text.split("\n\n")


def _linked_data(*paragraphs: str) -> str:
    data = {"@type": "NewsArticle", "headline": TITLE, "articleBody": " ".join(paragraphs)}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize("declared", [False, True], ids=["", "with linked data"])
@pytest.mark.parametrize("case", BELOW)
def test_a_second_article_is_not_part_of_the_first(case: str, declared: bool) -> None:
    head = _linked_data(*PROSE) if declared else ""
    assert _text(_page(BELOW[case], head)) == list(PROSE)


def test_linked_data_tells_where_the_article_ends() -> None:
    flat = f"<div><h1>{TITLE}</h1>{OWN}<h2>{OTHER}</h2>{NEXT}</div>"
    assert _text(_page(flat, _linked_data(*PROSE))) == list(PROSE)


PARTS = {
    "sections": f"<article><h1>{TITLE}</h1>{OWN}<section><h2>{OTHER}</h2>{NEXT}</section></article>",
    "flat": f"<div><h1>{TITLE}</h1>{OWN}<h2>{OTHER}</h2>{NEXT}</div>",
    "entries inside": f"<article><h1>{TITLE}</h1>{OWN}<article><h3>{OTHER}</h3>{NEXT}</article></article>",
    "a headline in its own box": f"<article><h1>{TITLE}</h1></article><article><h2>Monday</h2>{OWN}{NEXT}</article>",
}


@pytest.mark.parametrize("case", PARTS)
def test_a_part_of_the_article_stays(case: str) -> None:
    text = _text(_page(PARTS[case]))
    assert [part for part in text if part in (*PROSE, *SECOND)] == [*PROSE, *SECOND]


def test_linked_data_that_is_cut_short_ends_nothing() -> None:
    cut = _linked_data(*PROSE[:3], PROSE[3][:40])
    text = _text(_page(PARTS["flat"], cut))
    assert SECOND[-1] in text
