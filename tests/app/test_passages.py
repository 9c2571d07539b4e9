"""The passage in which the words of a query stand, and where they do."""

from __future__ import annotations

import random

import pytest

from tests.export.samples import article
from wireroom.app.passages import Phrase, find_passage, word_marks
from wireroom.app.passages import wanted_phrases as phrases_of
from wireroom.query import read_query


def wanted_phrases(query: str) -> tuple[Phrase, ...]:
    return phrases_of(read_query(query))


FILLING = "harbour " * 60


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in word_marks(text, wanted_phrases(query))]


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("A brainstorm, then a storm.", "storm", ["storm"]),
        ("Le CAFÉ du port", "cafe", ["CAFÉ"]),
        ("Straße und Strasse", "strasse", ["Straße", "Strasse"]),
        ("The storm surge, no surge storm", '"storm surge"', ["storm surge"]),
        ("don't", "don", ["don't"[:3]]),
        ("東京都の嵐、京都の雨", "京都", ["京都", "京都"]),
        ("東京都の嵐", "嵐", ["嵐"]),
        ("서울에서 온 소식", "서울", ["서울"]),
        ("हरितग्राम में नया घाट", "घाट", ["घाट"]),
        ("AI時代の港", "時代", ["時代"]),
        ("ﬁne weather", "fine", ["ﬁne"]),
        ("nothing of it", "-storm lang:en", []),
        ("storm lang:en", "storm -lang:de author:storm", ["storm"]),
    ],
)
def test_whole_words_are_marked_as_the_search_finds_them(
    text: str, query: str, words: list[str]
) -> None:
    assert marked(text, query) == words


def test_a_passage_ends_with_a_word_where_there_are_words() -> None:
    def passage(text: str, query: str) -> str:
        return find_passage(article(text=text), wanted_phrases(query)).text

    assert passage(f"A storm. {FILLING}", "storm").endswith("harbour …")
    assert passage("嵐" * 400, "嵐") == "嵐" * 180 + " …"
    assert passage("A storm.", "storm") == "A storm."


def test_the_passage_is_the_one_with_most_of_the_words() -> None:
    text = f"A brainstorm on ferries. A storm came. {FILLING} The ferry met the storm. {FILLING}"
    found = find_passage(article(text=text), wanted_phrases("storm ferry"))
    assert [found.text[start:end] for start, end in found.marks] == ["ferry", "storm"]
    assert found.text.startswith("… ")


def test_words_outside_of_the_text_are_shown_where_they_stand() -> None:
    held = article(text="No such word.", description="A storm came.", tags=("sea", "ferries"))
    assert find_passage(held, wanted_phrases("storm")).field == "description"
    tags = find_passage(held, wanted_phrases("ferries"))
    assert (tags.field, tags.text, tags.marks) == ("tags", "sea, ferries", ((5, 12),))
    none = find_passage(held, wanted_phrases("lang:en"))
    assert (none.text, none.marks) == ("No such word.", ())


@pytest.mark.parametrize("query", ["a", '"a b"', "ab*", '"a a"', '"1 ab*"', "a b"])
def test_plain_texts_are_marked_as_all_others(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of plain letters are looked through in one go; the result is that of going word by word."""
    chance = random.Random(17)
    pieces = ["a", "b", "A", "ab", "1", "_", "-", ".", "'", "\n", "\t ", " ", " ", " ", "a" * 63]
    texts = ["".join(chance.choices(pieces, k=30)) for _ in range(100)]
    phrases = wanted_phrases(query)
    at_once = [word_marks(text, phrases) for text in texts]
    monkeypatch.setattr("wireroom.app.passages.plain_words", lambda _text: None)
    assert at_once == [word_marks(text, phrases) for text in texts]
    assert any(at_once)
