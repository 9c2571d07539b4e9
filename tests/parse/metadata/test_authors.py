"""Authors: which place is believed, and who does not count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parse.metadata.pages import article, meta, read
from wireroom.model import Hints, Item
from wireroom.parse.metadata.authors import INFERRED
from wireroom.parse.metadata.person_names import read_names

H1 = "<h1>Ferry returns after ten years</h1>"
SITE = meta(og__site_name="The Harbour Courier")


def _person(name: str) -> dict[str, str]:
    return {"@type": "Person", "name": name}


TABLE: list[tuple[str, str, str, tuple[str, ...], str]] = [
    ("a node", article(author=_person("Ada Lind")), "", ("Ada Lind",), "json-ld author"),
    ("a text", article(author="Ada Lind and Bo Falk"), "", ("Ada Lind", "Bo Falk"), "json-ld author"),
    ("a list", article(author=[_person("Ada Lind"), "Bo Falk"]), "", ("Ada Lind", "Bo Falk"), "json-ld author"),
    ("two parts of a name", article(author={"givenName": "Ada", "familyName": "Lind"}), "", ("Ada Lind",), "json-ld author"),
    ("creator", article(creator=["Ada Lind"]), "", ("Ada Lind",), "json-ld creator"),
    ("parsely", '<meta name="parsely-author" content="Ada Lind">', "", ("Ada Lind",), "meta parsely-author"),
    ("sailthru", '<meta name="sailthru.author" content="Ada Lind">', "", ("Ada Lind",), "meta sailthru.author"),
    ("citations", '<meta name="citation_author" content="Lind, Ada"><meta name="citation_author" content="Falk, Bo">', "", ("Ada Lind", "Bo Falk"), "meta citation_author"),
    ("label of a card", '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Lind">', "", ("Ada Lind",), "twitter label"),
    ("another label", '<meta name="twitter:label1" content="Price"><meta name="twitter:data1" content="Ada Lind">', "", (), ""),
    ("article:author", meta(article__author="Ada Lind"), "", ("Ada Lind",), "meta article:author"),
    ("article:author is an address", meta(article__author="https://social.test/ada"), "", (), ""),
    ("meta author", '<meta name="author" content="Ada Lind">', "", ("Ada Lind",), "meta author"),
    ("microdata", "", '<div itemscope itemtype="https://schema.org/Article"><span itemprop="author" itemscope itemtype="https://schema.org/Person"><a itemprop="name" href="/ada">Ada Lind</a></span></div>', ("Ada Lind",), "microdata author"),
    ("rel=author", "", f'{H1}<a rel="author" href="/ada">Ada Lind</a>', ("Ada Lind",), "rel=author"),
    ("byline class", "", f'{H1}<p class="byline">By Ada Lind</p>', ("Ada Lind",), "visible byline"),
    ("visible line", "", f"{H1}<p>By Ada Lind and Bo Falk</p>", ("Ada Lind", "Bo Falk"), "visible line"),
    ("label apart", "", f"{H1}<div><p>Written by</p><p>Ada Lind</p></div>", ("Ada Lind",), "visible line"),
    ("a role in the box", "", f'{H1}<div class="author-box"><span class="author">Ada Lind Gardener</span><b class="author-name">Ada Lind</b></div>', ("Ada Lind",), "visible byline"),
    ("a first name", "", f'{H1}<p class="byline">By Lauren</p>', ("Lauren",), "visible byline"),
    ("a first name twice", article(author=_person("Lauren")), f'{H1}<p class="byline">By Lauren</p>', ("Lauren",), "json-ld author"),
    ("a link to an author", "", f'{H1}<p>5 min</p><p><a href="/authors/ada-lind">Ada Lind</a></p>', ("Ada Lind",), "visible link"),
    ("a link to an author in another language", "", f'{H1}<p>5 min</p><p><a href="/autor/zoe-brun">Zoé Brun</a></p>', ("Zoé Brun",), "visible link"),
    ("a link to all authors", "", f'{H1}<p><a href="/authors/">Our Authors</a></p>', (), ""),
    ("a link to a login", "", f'{H1}<p><a href="/authorize">Sign In</a></p>', (), ""),
    ("links to many authors", "", H1 + "".join(f'<p><a href="/author/{n}-lind">{n.title()} Lind</a></p>' for n in ("ada", "bo", "cy", "dot", "eve")), (), ""),
    ("a newsroom", "", f'{H1}<p class="byline">By the Harbour Team</p>', ("the Harbour Team",), "visible byline"),
    ("a person before a newsroom", "", f'{H1}<p class="byline">By the Harbour Team</p><p>By Ada Lind</p>', ("Ada Lind",), "visible line"),
    ("a comment's author", "", f'{H1}<div class="comments"><span class="author">Ada Lind</span><span class="author">Bo Falk</span></div>', (), ""),
    ("publisher before a person", SITE + article(author={"@type": "Organization", "name": "The Harbour Courier"}) + '<meta name="author" content="Ada Lind">', "", ("Ada Lind",), "meta author"),
    ("publisher alone", SITE + article(author="The Harbour Courier"), "", ("The Harbour Courier",), "json-ld author"),
    ("handle before a person", '<meta name="author" content="adal">', f'{H1}<p class="byline">By Ada Lind</p>', ("Ada Lind",), "visible byline"),
    ("handle alone", '<meta name="author" content="adal">', "", ("adal",), "meta author"),
    ("admin", article(author=_person("admin")), "", (), ""),
    ("no author", "", f"{H1}<p>The ferry is back.</p>", (), ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body", "names", "source"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_authors(head: str, body: str, names: tuple[str, ...], source: str) -> None:
    found = read(head, body).authors
    assert (found.value, found.source) == (names, source)


def test_what_is_read_off_the_page_is_marked_as_inferred() -> None:
    assert read("", f"{H1}<p>By Ada Lind</p>").authors.notes == (INFERRED,)
    assert read(article(author="Ada Lind")).authors.notes == ()


def test_organisations_are_less_sure_than_people() -> None:
    person = read(article(author="Ada Lind")).authors.confidence
    body = read(article(author="Harbour Press Agency")).authors.confidence
    assert body < person


def test_the_feed_fills_in_or_leads() -> None:
    item = Item(feed_url="f", guid="1", authors=("Cy Moor",))
    head = article(author="Ada Lind")
    assert read("", H1, item=item).authors.value == ("Cy Moor",)
    assert read(head, H1, item=item).authors.value == ("Ada Lind",)
    assert read(head, H1, item=item, precedence="feed").authors.value == ("Cy Moor",)


def test_the_operator_is_believed_before_all() -> None:
    hints = Hints(metadata_selectors={"authors": ".who[]"})
    body = f"{H1}<i class=who>Ada Lind</i><i class=who>Bo Falk</i>"
    found = read(article(author="Cy Moor"), body, hints=hints).authors
    assert (found.value, found.source) == (("Ada Lind", "Bo Falk"), "selector")


@pytest.mark.parametrize("odd", [None, 5, [], {}, [[]], {"name": None}, {"name": {"x": 1}}, True])
def test_odd_authors_are_nobody(odd: Any) -> None:
    assert read(article(headline="x", author=odd)).authors.value == ()


SPOKEN = [
    ("de", "Von Änne Möller", "Änne Möller"),
    ("de", "Autorin: Änne Möller", "Änne Möller"),
    ("fr", "Par Zoé Brun", "Zoé Brun"),
    ("es", "Por Íñigo Mar", "Íñigo Mar"),
    ("pt", "Por João Mar", "João Mar"),
    ("it", "Di Ugo Riva", "Ugo Riva"),
    ("nl", "Door Jan de Wit", "Jan de Wit"),
    ("da", "Af Åse Holm", "Åse Holm"),
    ("sv", "Av Åsa Holm", "Åsa Holm"),
    ("pl", "Autor: Łucja Dąb", "Łucja Dąb"),
    ("cs", "Autor: Šárka Dub", "Šárka Dub"),
    ("ru", "Автор: Евдокия Долинник", "Евдокия Долинник"),
    ("zh", "记者 温景行", "温景行"),
    ("ja", "文・渚川みなと", "渚川みなと"),
]


@pytest.mark.parametrize(("language", "line", "name"), SPOKEN, ids=[row[1] for row in SPOKEN])
def test_a_line_below_the_headline_names_its_author(language: str, line: str, name: str) -> None:
    found = read("", f'<main lang="{language}">{H1}<p>{line}</p><p>Text.</p></main>').authors
    assert (found.value, found.source) == ((name,), "visible line")


@pytest.mark.parametrize("label", ["By", "Von", "Published by", "Written by:", "Posted by"])
def test_a_label_without_a_name_makes_nobody_of_the_first_sentence(label: str) -> None:
    prose = "The council met for the third time this week to speak about the old bridge."
    body = f"<article><h1>Bridge</h1><div class=byline>{label}</div><p>{prose}</p></article>"
    assert read(f"<html><body>{body}</body></html>").authors.value == ()
    named = body.replace("<p>", "<p>Ada Quill</p><p>", 1)
    assert read(f"<html><body>{named}</body></html>").authors.value == ("Ada Quill",)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Von unserer Redakteurin Jana Mai", "Jana Mai"),
        ("Von unserem Korrespondenten Jan Mai", "Jan Mai"),
        ("Przez Anna Nowak", "Anna Nowak"),
        ("Από Άννα Παππά", "Άννα Παππά"),
        ("Eftir Anna Jónsdóttir", "Anna Jónsdóttir"),
        ("文＝山田太郎", "山田太郎"),
        ("文｜张伟", "张伟"),
    ],
)
def test_more_introductions_are_cut(line: str, name: str) -> None:
    assert [found.text for found in read_names(line)] == [name]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (
            "<dl><dt>Thread starter</dt><dd><a>SamuelMIz</a></dd><dt>Start date</dt></dl>",
            "SamuelMIz",
        ),
        ("<p>Started by Biology Forums, June 04, 2024, 11:23:55 AM</p>", "Biology Forums"),
        ("<p>Discussion in 'Hosting Advice' started by Ada Quill, May 26, 2025.</p>", "Ada Quill"),
        ("<div>Author(s)</div><div>John A. Alic</div>", "John A. Alic"),
    ],
)
def test_who_started_a_thread_is_its_author(lines: str, name: str) -> None:
    page = f"<html><body><main><h1>Which board?</h1>{lines}<p>I need one.</p></main></body></html>"
    assert read(page).authors.value == (name,)


def test_a_property_whose_link_has_another_relation_is_no_link_to_an_author() -> None:
    answer = (
        '<span itemprop="name"><a rel="nofollow" itemprop="url" href="/u/bo">Bo Berg</a></span>'
    )
    head = '<meta name="author" content="courier">'
    assert read(head, f"{H1}<p>Text.</p>{answer}").authors.source != "rel=author"
