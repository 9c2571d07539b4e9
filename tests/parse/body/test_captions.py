"""The words of pictures: found, kept beside the text, and without the names of those who took them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.parse.body import Body, read_body, to_html, to_markdown
from wireroom.parse.body.captions import MAX_SIGNS, cut_credit, is_credit, words_spoken
from wireroom.parse.html import open_page

PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)
CAPTION = "The ferry at noon, seen from the fish market."


def _read(before: str = "", between: str = "", after: str = "", **options: Any) -> Body:
    first, second = ("".join(f"<p>{text}</p>" for text in half) for half in (PROSE[:2], PROSE[2:]))
    page = (
        "<title>Bridge closes on Monday</title><body><article><h1>Bridge closes on Monday</h1>"
        f"<div class=byline>By Lena Okafor</div>{before}{first}{between}{second}{after}</article>"
    )
    return read_body(open_page(page, url="https://courier.test/a"), **options)


FIGURE = f"<figure><img src=/a.jpg alt='A boat'><figcaption>{CAPTION}</figcaption></figure>"
NAMED = {
    "figcaption": FIGURE,
    "paragraph in figcaption": f"<figure><img src=/a.jpg><figcaption><p>{CAPTION}</p></figcaption></figure>",
    "class": f"<div><img src=/a.jpg><p class=image-caption>{CAPTION}</p></div>",
    "box": f"<div class='wp-caption alignleft'><img src=/a.jpg><p class=wp-caption-text>{CAPTION}</p></div>",
    "German": f"<div><img src=/a.jpg><p class=bildunterschrift>{CAPTION}</p></div>",
    "Spanish": f"<div><img src=/a.jpg><p class=pie-foto>{CAPTION}</p></div>",
}


@pytest.mark.parametrize("place", ["before", "between", "after"])
@pytest.mark.parametrize("case", NAMED)
def test_a_caption_stands_beside_the_text_wherever_it_is(case: str, place: str) -> None:
    body = _read(**{place: NAMED[case]})
    assert body.text.split("\n\n") == list(PROSE)
    assert body.captions() == (CAPTION,)
    assert f"*{CAPTION}*" in to_markdown(body.blocks)
    assert f"<figcaption>{CAPTION}</figcaption>" in to_html(body.blocks)


def test_captions_stand_in_the_text_where_they_are_asked_for() -> None:
    body = _read(before=FIGURE, captions=True)
    assert body.text.split("\n\n") == [CAPTION, *PROSE]


def test_lines_that_lead_elsewhere_do_not_part_a_caption_from_the_text() -> None:
    lead = "<p class=related><a href=/b>The quay is dredged again after fourteen years</a></p>"
    assert _read(between=FIGURE + lead * 3).captions() == (CAPTION,)


@pytest.mark.parametrize("place", ["before", "between", "after"])
def test_the_words_of_an_image_without_caption_stand_there(place: str) -> None:
    body = _read(**{place: "<p><img src=/a.jpg alt='A green rowing boat'></p>"})
    assert body.captions() == ("A green rowing boat",)


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/a.jpg alt='Bridge closes on Monday'>",
        "<img src=/a.jpg alt='Lena Okafor'>",
        "<a href=/b><img src=/a.jpg alt='Another story altogether'></a>",
        "<aside><img src=/a.jpg alt='A seat in the theatre'></aside>",
    ],
)
def test_titles_authors_and_signposts_are_no_captions(image: str) -> None:
    assert _read(before=image).captions() == ()


def test_the_title_of_a_table_stays_in_the_text() -> None:
    rows = "".join(
        f"<tr><td>Day {n}</td><td>{n} boats crossed the channel</td></tr>" for n in "123"
    )
    body = _read(
        between=f"<table><caption>Boats a day in May</caption>{rows}</table>", explain=True
    )
    assert [b.kind for b in body.blocks if b.text == "Boats a day in May"] == ["text"]


CREDITS = (
    "Photo: Jane Doe/Reuters", "Foto: dpa", "© AFP", "Getty Images", "Photo by Jane Doe", "Crédit photo : AFP",
    "Foto von Hans Meier", "Jane Doe / Reuters", "(AP Photo/Jane Doe)", "写真：時事通信", "Фото: ТАСС", "사진=연합뉴스",
    "Image credit: © Jane Doe", "图片来源：新华社", "Fot. Jan Kowalski / PAP",
)  # fmt: skip
NO_CREDITS = (
    "Photographs of the bridge are rare.", "Photo of the day", "Credits:", "The image is by the author of the book.",
    "Bild: Die Brücke wurde im Mai geschlossen und ist seitdem gesperrt.", "Reuters reported on Monday that it closed.",
)  # fmt: skip


@pytest.mark.parametrize("text", CREDITS)
def test_a_credit_is_no_paragraph(text: str) -> None:
    assert is_credit(text)
    assert _read(between=f"<p>{text}</p>").text.split("\n\n") == list(PROSE)


@pytest.mark.parametrize("text", NO_CREDITS)
def test_a_sentence_is_no_credit(text: str) -> None:
    assert not is_credit(text)


@pytest.mark.parametrize(
    ("caption", "left"),
    [
        ("The bridge in May. Photo: Jane Doe/Reuters", "The bridge in May."),
        ("The ferry at noon (Photo by Jane Doe/Getty Images)", "The ferry at noon"),
        ("Die Brücke. © dpa", "Die Brücke."),
        ("A horse on the quay. Jane Doe/Reuters", "A horse on the quay."),
        ("The bridge | Foto: Hans Meier", "The bridge"),
        ("Photo: dpa", ""),
        ("The photo shows a bridge", "The photo shows a bridge"),
        ("A picture by the mayor's daughter", "A picture by the mayor's daughter"),
    ],
)
def test_a_caption_ends_where_its_credit_begins(caption: str, left: str) -> None:
    assert cut_credit(caption) == left


def test_a_credit_is_known_by_its_element() -> None:
    figure = f"<figure><img src=/a.jpg><figcaption>{CAPTION} <span class=credit>Jane Doe</span></figcaption></figure>"
    assert _read(between=figure).captions() == (CAPTION,)


@given(st.text(alphabet=st.sampled_from("aZß_9.é—“ \n\u0301\u4e2d\ud800"), max_size=30))
def test_the_words_of_the_text_are_those_of_the_pattern(text: str) -> None:
    found = {word.decode("utf-8", "surrogatepass") for word in words_spoken(text).split()}
    assert found == set(re.findall(r"\w+", text.lower()))


def test_a_text_of_many_signs_is_taken_apart_by_the_pattern() -> None:
    signs = "".join(map(chr, range(0x2190, 0x2191 + MAX_SIGNS)))
    assert words_spoken(f"one{signs}two").split() == [b"one", b"two"]
