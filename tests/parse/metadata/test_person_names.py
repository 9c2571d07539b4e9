"""Names out of bylines: one row, one spelling met on pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.parse.metadata.person_names import (
    MAX_NAMES,
    Name,
    is_label,
    name_key,
    read_names,
    starts_byline,
)

PEOPLE: list[tuple[str, tuple[str, ...]]] = [
    ("Ada Lind", ("Ada Lind",)),
    ("By Ada Lind", ("Ada Lind",)),
    ("by: Ada Lind", ("Ada Lind",)),
    ("Written by: Ada Lind", ("Ada Lind",)),
    ("By Lauren", ("Lauren",)),
    ("By: ShawnLind", ("ShawnLind",)),
    ("Par Zoé", ("Zoé",)),
    ("Von Berg", ("Von Berg",)),
    ("Di Maio", ("Di Maio",)),
    ("Posted by AdaL on Friday", ("AdaL",)),
    ("Posted by Ada at December 16, 2026 11:15 AM", ("Ada",)),
    ("Sun Dec 17, 2026 11:23 am", ()),
    ("By Ada Lind and Bo Falk", ("Ada Lind", "Bo Falk")),
    ("Ada Lind, Bo Falk and Cy Moor", ("Ada Lind", "Bo Falk", "Cy Moor")),
    ("Ada Lind, Bo Falk, and Cy Moor", ("Ada Lind", "Bo Falk", "Cy Moor")),
    ("Ada Lind & Bo Falk", ("Ada Lind", "Bo Falk")),
    ("Ada Lind; Bo Falk", ("Ada Lind", "Bo Falk")),
    ("Ada Lind / Bo Falk", ("Ada Lind", "Bo Falk")),
    ("Von Änne Möller und Kai Groß", ("Änne Möller", "Kai Groß")),
    ("Par Jean de La Tour et Zoé Brun", ("Jean de La Tour", "Zoé Brun")),
    ("Por Íñigo Mar y Lola Paz", ("Íñigo Mar", "Lola Paz")),
    ("Di Ugo Riva", ("Ugo Riva",)),
    ("Автор: Евдокия Долинник", ("Евдокия Долинник",)),
    ("文/王小明", ("王小明",)),
    ("记者 温景行、顾临川", ("温景行", "顾临川")),
    ("文・渚川みなと", ("渚川みなと",)),
    ("홍길동 기자", ("홍길동",)),
    ("بقلم: ليلى حداد", ("ليلى حداد",)),
    ("Ada Lind, Staff Writer", ("Ada Lind",)),
    ("Ada Lind Senior Political Correspondent", ("Ada Lind",)),
    ("Ada LindStaff Writer", ("Ada Lind",)),
    ("Ada Lind, CEO of Harbour Works", ("Ada Lind",)),
    ("Ada Lind, MD, PhD", ("Ada Lind",)),
    ("Dr. Ada Lind", ("Dr. Ada Lind",)),
    ("Ada Lind Ph.D.", ("Ada Lind",)),
    ("Lind, Ada T.", ("Ada T. Lind",)),
    ("Ada Lind @adalind", ("Ada Lind",)),
    ("Ada Lind (ada@courier.test)", ("Ada Lind",)),
    ("ada@courier.test (Ada Lind)", ("Ada Lind",)),
    ("Ada Lind | May 5, 2026", ("Ada Lind",)),
    ("Ada Lind November 5, 2026", ("Ada Lind",)),
    ("Ada Lind - Harbour reporter", ("Ada Lind",)),
    ("Ada Lind Published 5 hours ago", ("Ada Lind",)),
    ("Mary-Ann O'Brien", ("Mary-Ann O'Brien",)),
    ("Ludwig van der Berg", ("Ludwig van der Berg",)),
    ("Linny and Peter", ("Linny", "Peter")),
    ("Ada Lind, Ada Lind", ("Ada Lind",)),
]
NOBODY = [
    "News Desk",
    *("admin", "Editor", "Guest Author", "staff writer", "Anonymous", "N/A", "", "By", "Redaktion"),
    *(
        "https://social.test/ada",
        "@ada",
        "ada@courier.test",
        "May 5, 2026",
        "View all posts",
        "123",
    ),
    "This is a long sentence that happens to stand where a name should have been written",
]
BODIES = [
    "Harbour Press Agency",
    "The Courier Team",
    "Courier Lifestyle Desk",
    "Centre for Trade and Industry",
    "courier.com",
    "編集部",
]


@pytest.mark.parametrize(("text", "names"), PEOPLE, ids=[row[0] for row in PEOPLE])
def test_people_are_read_out_of_bylines(text: str, names: tuple[str, ...]) -> None:
    assert tuple(name.text for name in read_names(text)) == names


@pytest.mark.parametrize("text", NOBODY)
def test_nobody_is_nobody(text: str) -> None:
    assert read_names(text) == ()


@pytest.mark.parametrize("text", BODIES)
def test_bodies_are_no_people(text: str) -> None:
    assert [name.kind for name in read_names(text)] == ["organisation"]


def test_a_single_word_is_a_handle() -> None:
    assert [name.kind for name in read_names("harbourcat")] == ["handle"]


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("By Ada Lind", True),
        ("Von Änne", True),
        ("文/王", True),
        ("By the way", False),
        ("Bye", False),
    ],
)
def test_bylines_are_recognised_by_their_beginning(text: str, begins: bool) -> None:
    assert starts_byline(text) is begins


def test_labels_stand_alone() -> None:
    assert is_label("Written by:")
    assert not is_label("Written by Ada")


def test_keys_ignore_case_and_signs() -> None:
    assert name_key("The Harbour-Courier!") == name_key("the harbour courier")


@given(st.text(max_size=500))
def test_names_are_always_few_clean_and_distinct(text: str) -> None:
    names = read_names(text)
    assert len(names) <= MAX_NAMES
    assert len({name_key(name.text) for name in names}) == len(names)
    assert all(name.text and name.text == name.text.strip() for name in names)


@pytest.mark.parametrize(
    "text",
    """Von Ada Berg|Ein Artikel von Ada Berg|Published by Ada Berg|Publié par Ada Berg|Par Ada Berg|Por Ada Berg|Publicado por Ada Berg
Di Ada Berg|A cura di Ada Berg|Scritto da Ada Berg|Door Ada Berg|Geschreven door Ada Berg|Av Ada Berg|Skrevet av: Ada Berg|Af Ada Berg
Text: Ada Berg|Tekst: Ada Berg|Teksti: Ada Berg|Autor: Ada Berg|Autorka: Ada Berg|Auteur: Ada Berg|Författare: Ada Berg|Höfundur: Ada Berg
Napisał Ada Berg|Napsala Ada Berg|Piše: Ada Berg|Írta: Ada Berg|Szerző: Ada Berg|Scris de Ada Berg|Nga Ada Berg|Deur Ada Berg|Parašė Ada Berg
Oleh Ada Berg|Penulis: Ada Berg|Yazan: Ada Berg|Müəllif: Ada Berg|Muallif: Ada Berg|Mwandishi: Ada Berg|Isinulat ni Ada Berg|Tác giả: Ada Berg
Автор: Ada Berg|Автор статьи: Ada Berg|Пише: Ada Berg|Підготувала Ada Berg|От Ada Berg|Του Ada Berg|Γράφει ο Ada Berg|Հեղինակ: Ada Berg|ავტორი: Ada Berg
بقلم: Ada Berg|نویسنده: Ada Berg|تحریر: Ada Berg|מאת: Ada Berg|लेखक: Ada Berg|লিখেছেন Ada Berg|எழுதியவர் Ada Berg|โดย Ada Berg|作者：Ada Berg|文/Ada Berg|글 Ada Berg
Text: Ada Berg, Foto: Bo Lind|Ada Berg; Фото: Bo Lind""".replace("\n", "|").split("|"),
)
def test_what_introduces_a_name_is_cut_in_every_language(text: str) -> None:
    assert read_names(text) == (Name("Ada Berg", "person"),)


@pytest.mark.parametrize(
    "text",
    ["Von", "Published by", "Publié par", "Автор:", "Most Popular Posts", "Twitter Facebook", "Sign Up", "Meistgelesen",
     "Teilen Drucken", "Partager", "Read More", "Foto: Bo Lind", "Share on Facebook", "Autor", "著者"],
)  # fmt: skip
def test_labels_buttons_and_boxes_are_nobody(text: str) -> None:
    assert [name for name in read_names(text) if name.kind != "handle"] == []


@pytest.mark.parametrize("name", ["Von Berg", "Di Maio", "Per Olsson", "Na Li", "De Vries", "Will Read", "Mark Post Berg"])  # fmt: skip
def test_names_that_begin_like_a_label_stay_whole(name: str) -> None:
    assert [found.text for found in read_names(name)] == [name]
