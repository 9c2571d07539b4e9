"""How a page draws its text: what nobody sees is not read, what stands apart is not glued together."""

from __future__ import annotations

import pytest

from wireroom.parse.body import Body, read_body
from wireroom.parse.html import open_page

PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)
UNSEEN = "Words that no reader of this page has ever seen, though they stand in its source for all."


def _read(inner: str, *, explain: bool = False) -> Body:
    page = f"<title>Bridge closes</title><body><article><h1>Bridge closes</h1>{inner}</article>"
    return read_body(open_page(page, url="https://courier.test/a"), explain=explain)


def _paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


@pytest.mark.parametrize(
    "hidden",
    [
        f"<p hidden>{UNSEEN}</p>",
        f"<p hidden=hidden>{UNSEEN}</p>",
        f'<p style="display:none">{UNSEEN}</p>',
        f'<p style="color: red; DISPLAY : none !important">{UNSEEN}</p>',
        f"<div style='display: none'><p>{UNSEEN}</p></div>",
        f"<div style='visibility:hidden'><p>{UNSEEN}</p></div>",
        f"<div style='visibility:visible; display:none'><p>{UNSEEN}</p></div>",
        f"<p>{PROSE[3]}<span style='visibility: hidden'>{UNSEEN}</span></p>",
        f"<section hidden><div><p>{UNSEEN}</p></div></section>",
        f"<p>{PROSE[3]}<span hidden>{UNSEEN}</span></p>",
        f"<p>{PROSE[3]}<em style='display:none'>{UNSEEN}</em></p>",
        f"<p>{PROSE[3]} <a href=/x style='display:none'>{UNSEEN}</a></p>",
    ],
)
def test_what_is_hidden_is_not_read(hidden: str) -> None:
    body = _read(_paragraphs(*PROSE[:2]) + hidden + _paragraphs(PROSE[2]))
    assert UNSEEN not in body.text
    assert [text for text in PROSE[:3] if text in body.text] == list(PROSE[:3])


def test_a_hidden_block_says_so() -> None:
    body = _read(_paragraphs(*PROSE) + f"<p hidden>{UNSEEN}</p>", explain=True)
    reasons = [block.reason for block in body.blocks if block.text == UNSEEN]
    assert reasons == ["hidden from readers"]


@pytest.mark.parametrize(
    "opened",
    [
        f"<div hidden id=S:1><p>{PROSE[3]}</p></div>",
        f"<div hidden=until-found><p>{PROSE[3]}</p></div>",
        f"<div hidden role=tabpanel><p>{PROSE[3]}</p></div>",
        f"<div class=accordion__text style='display:none'><p>{PROSE[3]}</p></div>",
        f"<p style='display:block'>{PROSE[3]}</p>",
        f"<p style='text-display:none'>{PROSE[3]}</p>",
    ],
)
def test_what_a_reader_or_a_script_opens_is_for_the_weights(opened: str) -> None:
    body = _read(_paragraphs(*PROSE[:2]) + opened + _paragraphs(PROSE[2]), explain=True)
    assert [block.reason for block in body.blocks if block.text == PROSE[3]] == ["weights"]


def test_a_page_that_hides_all_of_its_text_is_read() -> None:
    body = _read(f"<div style='display:none'>{_paragraphs(*PROSE)}</div>")
    assert body.text.split("\n\n") == list(PROSE)


APART = {
    "<span style='display:block'>First</span><span style='display:block'>Second</span>": "First\nSecond",
    "Before <strong style='display: flex'>Inside</strong>after": "Before\nInside\nafter",
    "<span>Weather</span><span>Storm over the bay</span>": "Weather Storm over the bay",
    "<a href=/1>Politics</a><a href=/2>Town</a> and the sea": "Politics Town and the sea",
    "<strong>What now?</strong>The council waits": "What now? The council waits",
    "<b>Note:</b><span>The ferry runs</span>": "Note: The ferry runs",
    "<span>24</span><span>March was cold</span>": "24 March was cold",
}
TOGETHER = {
    "<span class=dropcap>T</span>he council": "The council",
    "<b>You</b>Tube and <b>i</b>Phone": "YouTube and iPhone",
    "<span>un</span><span>believable</span>": "unbelievable",
    "H<sub>2</sub>O and <i>x</i><sup>2</sup>": "H2O and x2",
    "<span>BR</span><span>IDGE</span>": "BRIDGE",
    "<span>町議</span><span>会は</span>": "町議会は",
    "<span>3.</span><span>14</span>": "3.14",
}


@pytest.mark.parametrize("markup", [*APART, *TOGETHER])
def test_words_are_apart_where_they_are_drawn_apart(markup: str) -> None:
    body = _read(_paragraphs(*PROSE[:2], f"{PROSE[2]} {markup}", PROSE[3]))
    expected = (APART | TOGETHER)[markup]
    assert body.text.split("\n\n")[2].removeprefix(PROSE[2]).strip() == expected


@pytest.mark.parametrize("name", ["sr-only", "visually-hidden", "screen-reader-text"])
def test_what_is_kept_for_screen_readers_is_no_word_of_the_text(name: str) -> None:
    link = f'<a href="/x">the plan<span class="{name}"> (opens in a new window)</span></a>'
    page = (
        f"<title>Bridge</title><body><article><h1>Bridge</h1><p>{PROSE[0]}</p><p>{PROSE[1]} See {link}.</p>"
        f'<p class="{name}">A list of the stories that were read most often in the harbour follows here.</p>'
        f"<p>{PROSE[2]}</p><p>{PROSE[3]}</p></article></body>"
    )
    text = read_body(open_page(page)).text
    assert "See the plan." in text
    assert "opens in" not in text
    assert "A list of the stories" not in text
