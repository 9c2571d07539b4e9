"""Notes on the author and bylines at the end of an article are no text of it; people in the story are."""

from __future__ import annotations

import pytest

from wireroom.parse.body import read_body
from wireroom.parse.html import open_page

PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
    "A second survey in the autumn is to show whether the pillars in the water have to be replaced.",
)
NOTE = (
    "She has lived on the north quay since 2009 and swims in the harbour on every day of the year."
)


def _text(after: str, *, top: str = "", between: str = "") -> list[str]:
    first, second = ("".join(f"<p>{text}</p>" for text in half) for half in (PROSE[:2], PROSE[2:]))
    page = (
        "<title>Bridge closes on Monday</title><body><article><h1>Bridge closes on Monday</h1>"
        f"{top}<div class=text>{first}{between}{second}{after}</div></article></body>"
    )
    return read_body(open_page(page, url="https://courier.test/a")).text.split("\n\n")


@pytest.mark.parametrize(
    "note",
    [
        "Jane Doe is a reporter for the Courier. She can be reached at the desk on Mill Street.",
        "Jane van der Berg, a freelance journalist, has written for the Courier since the spring of 2011.",
        "Prof. Ida Marsh writes a column on bridges and has taught at three universities of the coast.",
        "Jana Muster ist Redakteurin im Ressort Hafen und schreibt seit zehn Jahren über Brücken.",
        "Jeanne Dupont est journaliste au service du port depuis dix ans et vit sur le quai du nord.",
        "Juana Pérez es periodista y corresponsal en el puerto desde hace diez años para el Correo.",
        "Giovanna Rossi è giornalista e scrive di ponti e di porti da dieci anni per il Corriere.",
        "Joana Silva é jornalista e escreve sobre pontes e portos há dez anos para o Correio.",
        "Анна Иванова — корреспондент отдела порта, работает в редакции уже десять лет подряд.",
        "Anna Nowak jest dziennikarką i pisze o mostach i portach; wcześniej redaktorka Kuriera.",
        "About the author: Jane Doe has looked at bridges for ten years and swims in the harbour.",
    ],
)
def test_a_paragraph_on_the_author_at_the_end_is_none(note: str) -> None:
    assert _text(f"<p>{note}</p>") == list(PROSE)
    assert _text(f"<hr><p><em>{note}</em></p>") == list(PROSE)


@pytest.mark.parametrize(
    "line",
    ["By Jane Doe", "Von Jana Muster", "Par Jeanne Dupont", "Words by Jane Doe", "Por Juana Pérez"],
)
def test_a_byline_as_the_last_line_is_no_paragraph(line: str) -> None:
    assert _text(f"<p>{line}</p>") == list(PROSE)
    assert _text(f"<p>{line}</p><p>12 March 2026</p>") == list(PROSE)


@pytest.mark.parametrize(
    "label",
    [
        "About the author",
        "Über die Autorin",
        "À propos de l’auteur",
        "Sobre el autor",
        "Об авторе",
        "著者について",
    ],
)
def test_a_line_that_announces_the_author_goes_with_what_it_announces(label: str) -> None:
    assert _text(f"<h3>{label}</h3><p>{NOTE}</p>") == list(PROSE)
    box = f"<div><h3>{label}</h3><p>{NOTE}</p><p>Her book on ferries came out in March.</p></div>"
    assert _text(box) == list(PROSE)


@pytest.mark.parametrize("name", ["author-box", "post-author-bio", "AboutAuthor", "entry-bio"])
def test_a_box_that_is_called_the_authors_is_none_of_the_text(name: str) -> None:
    assert _text(f'<div class="{name}"><p>Jane Doe</p><p>{NOTE}</p></div>') == list(PROSE)


def test_who_has_the_byline_may_work_as_anything() -> None:
    note = "Jane Doe is a marine engineer and led the repair of the south pillar eleven years ago."
    assert _text(f"<p>{note}</p>", top="<p>By Jane Doe</p>") == list(PROSE)
    assert note in _text(f"<p>{note}</p>")


def test_people_of_whom_the_story_speaks_stay() -> None:
    spoken = "<p>The first to see the cracks was a reporter named Doe, who had come by boat.</p>"
    note = "Jane Doe is a reporter for the Courier and has a boat of her own in the north harbour."
    assert note in _text(f"<p>{note}</p>", between=spoken)


def test_a_journalist_in_the_middle_of_the_story_stays() -> None:
    note = "Jane Doe is a reporter for the Courier and has a boat of her own in the north harbour."
    assert note in _text("", between=f"<p>{note}</p>")


def test_a_row_of_people_stays() -> None:
    people = [
        f"{name} is a reporter for the Courier who sits on the panel of the fair this year."
        for name in ("Jane Doe", "Ida Marsh", "Tom Ferrand", "Rosa Lind")
    ]
    assert _text("".join(f"<p>{text}</p>" for text in people))[-4:] == people


def test_the_end_of_the_story_stays_in_a_box_called_the_authors() -> None:
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    page = f"<article><h1>Bridge closes</h1><div class=author-text>{paragraphs}</div></article>"
    assert read_body(open_page(page)).text.split("\n\n") == list(PROSE)
