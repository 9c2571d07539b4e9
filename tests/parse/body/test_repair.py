"""Pages whose markup is broken or old, and that every reader sees right: nothing of their text is lost."""

from __future__ import annotations

import pytest

from wireroom.parse.article import read_article
from wireroom.parse.body import Body, read_body, to_markdown
from wireroom.parse.html import open_page

TITLE = "Bridge to close for eleven weeks"
PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
    "The bridge is to open again on the first of March, with a slower turning speed and new lamps.",
)
JAPANESE = (
    "町議会は今週三度目の会合を開き、古い橋とその支承について長い時間をかけて話し合い、来年三月まで閉鎖することを決めた。",
    "二十年にわたって橋を見守ってきた技師は、誰もこのような亀裂を予想していなかったと述べ、工事を急ぐように求めた。",
    "工事が終わるまでの間、小さな渡し船が十分ごとに運航し、人と自転車を対岸まで無料で運ぶことになっている。",
)
PARAGRAPHS = "".join(f"<p>{text}</p>\n" for text in PROSE)
LEFT_OPEN = {
    "h1": f"<article><h1>{TITLE}\n{PARAGRAPHS}</article>",
    "h1 around a box": f"<div><h1>{TITLE}<div class=body>{PARAGRAPHS}</div></div>",
    "h1 around text and breaks": f"<div><h1>{TITLE}<div>{'<br><br>'.join(PROSE)}</div></div>",
    "link in a paragraph": f"<article><h1>{TITLE}</h1><p>See also <a href=/x>this</p>{PARAGRAPHS}",
    "link in the headline": f"<article><h1><a href=/self>{TITLE}</h1>{PARAGRAPHS}</article>",
    "link around a box": f"<h1>{TITLE}</h1><a href=/self><div>{PARAGRAPHS}</div>",
    "anchor without an address": f"<article><h1>{TITLE}</h1><a name=top>{PARAGRAPHS}</article>",
}


def _page(inner: str) -> str:
    return f"<html lang=en><title>{TITLE} | The Courier</title><body><main>{inner}</main></body>"


def _read(inner: str) -> Body:
    return read_body(open_page(_page(inner), url="https://courier.test/a"), rich=True)


@pytest.mark.parametrize("case", LEFT_OPEN)
def test_what_nobody_closed_ends_where_readers_see_it_end(case: str) -> None:
    article = read_article(_page(LEFT_OPEN[case]), url="https://courier.test/a").article
    paragraphs = article.text.split("\n\n")
    assert [text for text in paragraphs if text in PROSE] == list(PROSE)
    assert len(paragraphs) <= len(PROSE) + 1
    assert article.title == TITLE


def test_a_subheading_that_nobody_closed_stays_one() -> None:
    first, rest = PROSE[:2], PROSE[2:]
    page = (
        f"<article><h1>{TITLE}</h1>{_paragraphs(first)}<h2>What now?{_paragraphs(rest)}</article>"
    )
    kinds = [(block.kind, block.text) for block in _read(page).blocks]
    assert ("heading", "What now?") in kinds
    assert [text for kind, text in kinds if kind == "paragraph"] == list(PROSE)


def test_an_open_link_leaves_no_link_on_the_paragraphs_after_it() -> None:
    markdown = to_markdown(_read(LEFT_OPEN["link in a paragraph"]).blocks)
    assert "/x" not in markdown.partition(PROSE[0])[2]


def test_a_box_inside_a_heading_is_no_paragraph() -> None:
    page = f"<article><h1>{TITLE}</h1><h2><div>What</div><div>now?</div></h2>{PARAGRAPHS}</article>"
    assert [block.kind for block in _read(page).blocks[:2]] == ["heading", "heading"]


@pytest.mark.parametrize("prose", [PROSE, JAPANESE])
@pytest.mark.parametrize("tag", ["h2", "h3", "h4", "h6"])
def test_paragraphs_set_as_headings_are_paragraphs(tag: str, prose: tuple[str, ...]) -> None:
    set_so = "".join(f"<{tag}>{text}</{tag}>" for text in prose)
    body = _read(f"<article><h1>{TITLE}</h1>{set_so}</article>")
    assert body.text.split("\n\n") == list(prose)
    assert {block.kind for block in body.blocks} == {"paragraph"}


def test_headings_between_paragraphs_set_as_headings_stay_headings() -> None:
    set_so = "".join(f"<h4>{text}</h4>" for text in (*PROSE[:2], "What now", *PROSE[2:]))
    body = _read(f"<article><h1>{TITLE}</h1>{set_so}</article>")
    assert [block.text for block in body.blocks if block.kind == "heading"] == ["What now"]


LINKS = "<td><a href=/1>News</a><br><a href=/2>Sport</a></td>"
LAYOUT_TABLES = {
    "paragraphs in a cell": f"<table><tr>{LINKS}<td><h1>{TITLE}</h1>{PARAGRAPHS}</td></tr></table>",
    "breaks in a cell": f"<table><tr>{LINKS}<td><h1>{TITLE}</h1>{'<br><br>'.join(PROSE)}</table>",
    "a row for each": f"<h1>{TITLE}</h1><table>{''.join(f'<tr><td>{t}</td></tr>' for t in PROSE)}</table>",
    "a table in a table": f"<table><tr><td><h1>{TITLE}</h1><table><tr><td>{PARAGRAPHS}</table></table>",
}


@pytest.mark.parametrize("case", LAYOUT_TABLES)
def test_a_table_that_draws_columns_is_no_table(case: str) -> None:
    body = _read(LAYOUT_TABLES[case])
    assert body.text.split("\n\n") == list(PROSE)
    assert "|" not in to_markdown(body.blocks)


def test_a_table_of_figures_inside_a_drawn_one_stays_a_table() -> None:
    figures = "<table><tr><td>Rain</td><td>38</td></tr><tr><td>Sun</td><td>12</td></tr></table>"
    body = _read(
        f"<table><tr><td><h1>{TITLE}</h1>{_paragraphs(PROSE[:3])}{figures}{_paragraphs(PROSE[3:])}"
        "</td></tr></table>"
    )
    assert "| Rain | 38 |" in to_markdown(body.blocks)
    assert [block.text for block in body.blocks if block.kind == "paragraph"] == list(PROSE)


def _paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)
