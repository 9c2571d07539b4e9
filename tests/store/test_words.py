"""What a word is, the same for what is written and what is asked for."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.store.reference import lexemes_of
from wireroom.model import USES, Article
from wireroom.query import spelling, word_split
from wireroom.query.latin_text import spell_latin
from wireroom.query.spelling import MAX_WORD, spell, spell_unspaced
from wireroom.query.word_split import phrase, spelt_words, split_words
from wireroom.store.search import word_places
from wireroom.store.search.index_terms import (
    EVERY_ARTICLE,
    FTS5_TOKENIZER,
    MAX_FIELD_WORDS,
    MAX_TEXT_WORDS,
    index_article,
    language_facet,
    publisher_facet,
)
from wireroom.store.search.tsvectors import tsvector
from wireroom.store.search.word_places import (
    GAP,
    MAX_PAGES,
    MAX_PHRASE,
    MAX_REPEATS,
    PAGE_LENGTH,
    FrequentWords,
    vector,
)

ARTICLE = Article(
    id="a1",
    publisher="courier.test",
    url="https://courier.test/a1",
    title="The Storm",
    fetched_at=datetime(2026, 5, 3, tzinfo=UTC),
    authors=("Jane Doe", "Ada Ott"),
    tags=("Bad weather",),
    language="zh",
    language_tag="zh-Hant-TW",
    description="A short word.",
    text="The wind came.",
)
ANY_TEXT = st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Hello, World!", ["hello", "world"]),
        ("don't don’t donʼt", ["don", "t"] * 3),
        ("co-operate co‑operate", ["co", "operate"] * 2),
        ("U.S. AT&T C++ C#", ["u", "s", "at", "t", "c", "c"]),
        (
            "snake_case 3.14 10:30 #tag @name",
            ["snake", "case", "3", "14", "10", "30", "tag", "name"],
        ),
        ("café CAFÉ cafe\u0301 Cafe", ["cafe"] * 4),
        (
            "Straße STRASSE Ærø Łódź İstanbul ırmak",
            ["strasse", "strasse", "aero", "lodz", "istanbul", "irmak"],
        ),
        ("Đà Nẵng, São Paulo, Ångström", ["da", "nang", "sao", "paulo", "angstrom"]),
        ("ΟΔΌΣ οδός", ["οδοσ", "οδοσ"]),
        ("Ёлка елка мой мои за\u0301мок", ["елка", "елка", "мой", "мои", "замок"]),
        ("Київ і ї", ["київ", "і", "ї"]),
        ("كِتَابٌ كتاب كتـــاب", ["كتاب"] * 3),
        ("أحمد احمد", ["احمد"] * 2),
        ("می\u200cخواهم", ["ميخواهم"]),
        ("שָׁלוֹם שלום", ["שלום"] * 2),
        ("कि की हिन्दी", ["कि", "की", "हिन्दी"]),
        ("٢٠٢٦ २०२६ ２０２６", ["2026"] * 3),
        ("ﬁne Ａｃｍｅ™ soft\u00adhyphen", ["fine", "acme", "softhyphen"]),
        ("東京都", ["東京", "京都", "都"]),
        ("5月3日", ["5", "月", "3", "日"]),
        ("か\u3099 が ｶﾞ か", ["が", "が", "ガ", "か"]),
        ("ラーメン・カレー", ["ラー", "ーメ", "メン", "ン", "カレ", "レー", "ー"]),
        ("서울에서 산다", ["서울", "울에", "에서", "서", "산다", "다"]),
        ("ไทย๒๕", ["ไท", "ทย", "ย", "25"]),
        ("iPhone手机15", ["iphone", "手机", "机", "15"]),
        ("𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂", "𠀂"]),
        ("a\x00b\ud800c\ufffe", ["a", "b", "c"]),
        ("🙂 — … «»", []),
    ],
)
def test_words_are_cut_and_spelt_by_the_stated_rules(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_a_long_word_is_cut_the_same_way_on_both_sides() -> None:
    assert split_words("x" * 100) == ["x" * MAX_WORD]
    assert split_words("é" * 100) == ["e" * MAX_WORD]
    assert split_words("ж" + "x" * 100 + " " + "x" * 100)[1] == "x" * MAX_WORD


@given(ANY_TEXT)
def test_words_hold_nothing_that_means_something_to_a_database(text: str) -> None:
    for word in split_words(text):
        assert 0 < len(word) <= MAX_WORD
        assert re.fullmatch(r"[a-z0-9\x80-\U0010ffff]+", word)
        assert len(word.split()) == 1
        word.encode()


@given(st.text(max_size=40))
def test_neither_case_nor_composition_changes_the_words(text: str) -> None:
    words = split_words(text)
    assert split_words(unicodedata.normalize("NFD", text)) == words
    assert split_words(unicodedata.normalize("NFC", text)) == words


@given(st.text(st.characters(max_codepoint=0x24F), max_size=40))
def test_latin_words_are_their_own_spelling(text: str) -> None:
    words = split_words(text)
    assert split_words(" ".join(words)) == words


@given(ANY_TEXT, ANY_TEXT)
def test_texts_with_a_blank_between_are_cut_apart(first: str, second: str) -> None:
    assert split_words(f"{first} {second}") == split_words(first) + split_words(second)


@pytest.mark.parametrize("length", [1, 2, 23, 24, 25, 300])
def test_runs_of_any_length_are_cut_into_pairs(length: int) -> None:
    run = "".join(chr(0x4E00 + number) for number in range(length - 1)) + "\U00020000"
    assert split_words(run) == [run[at : at + 2] for at in range(length - 1)] + [run[-1]]


def test_remembered_words_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "_REMEMBERED_PIECES", 10)
    split_words(" ".join(f"ж{number}" for number in range(100)))
    assert len(spelling._SPELT) <= 10


@pytest.mark.parametrize(
    ("text", "words", "is_open"),
    [
        ("storm surge", ("storm", "surge"), False),
        ("東京", ("東京",), False),
        ("東京都", ("東京", "京都"), False),
        ("京", ("京",), True),
        ("5月", ("5", "月"), True),
        ("月3", ("月", "3"), False),
        ("東京 大阪", ("東京", "京", "大阪"), False),
        ("東京 京", ("東京", "京", "京"), True),
        ("!!", (), False),
    ],
)
def test_a_phrase_asks_for_what_the_index_has(
    text: str, words: tuple[str, ...], is_open: bool
) -> None:
    assert (phrase(text).words, phrase(text).is_open) == (words, is_open)


def test_an_article_is_indexed_by_field() -> None:
    indexed = index_article(ARTICLE)
    assert indexed.title == "the storm"
    assert indexed.authors == f"jane doe {GAP} ada ott"
    assert indexed.tags == "bad weather"
    assert indexed.text == f"a short word {GAP} the wind came"
    assert indexed.facets.split() == [
        ":publisher:courier.test",
        ":lang:zh",
        ":lang:zh-hant",
        ":lang:zh-hant-tw",
        ":paywall:unknown",
        ":state:held",
        *(f":rights:{use}:unknown" for use in USES),
        EVERY_ARTICLE,
    ]
    assert indexed.whole


@pytest.mark.parametrize(
    ("written", "facet"),
    [
        ("courier.test", ":publisher:courier.test"),
        ("WWW.Courier.test", ":publisher:courier.test"),
        ("https://www.courier.test/news?x#y", ":publisher:courier.test"),
        ("köln.test", ":publisher:xn--kln-sna.test"),
        ("xn--kln-sna.test", ":publisher:xn--kln-sna.test"),
        ("courier.test:8080", ":publisher:courier.test:8080"),
        ("not a 'host'\\", ":publisher:not_a__host__"),
    ],
)
def test_a_publisher_has_one_facet_however_it_is_written(written: str, facet: str) -> None:
    assert publisher_facet(written) == facet


@pytest.mark.long
@given(st.text(max_size=80), st.text(max_size=20))
def test_facets_stay_one_word_each_in_sqlite(publisher: str, tag: str) -> None:
    facets = [publisher_facet(publisher), language_facet(tag), EVERY_ARTICLE, GAP]
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f'CREATE VIRTUAL TABLE f USING fts5(w, tokenize="{FTS5_TOKENIZER}")')
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
        connection.execute("INSERT INTO f VALUES (?)", [" ".join(facets)])
        terms = connection.execute("SELECT term FROM v ORDER BY offset").fetchall()
    connection.close()
    assert [term for (term,) in terms] == facets
    assert not set(facets) & set(split_words(" ".join(facets)))


@given(st.lists(st.text(max_size=12), max_size=30))
def test_every_word_reaches_sqlite_as_it_is(texts: list[str]) -> None:
    words = split_words(" ".join(texts))
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f'CREATE VIRTUAL TABLE f USING fts5(w, tokenize="{FTS5_TOKENIZER}")')
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
        connection.execute("INSERT INTO f VALUES (?)", [" ".join(words)])
        terms = connection.execute("SELECT term FROM v ORDER BY offset").fetchall()
    connection.close()
    assert [term for (term,) in terms] == words


def test_a_tsvector_has_places_weights_and_gaps() -> None:
    article = replace(ARTICLE, description="", text="The wind")
    indexed = index_article(article)
    places = {
        "the": "1A,13",
        "storm": "2A",
        "jane": "4B",
        "doe": "5B",
        "ada": "7B",
        "ott": "8B",
        "bad": "10C",
        "weather": "11C",
        "wind": "14",
    }
    without = dict.fromkeys([*indexed.facets.split(), ":pairs:0"], "")
    assert len(without) == 13
    assert lexemes_of(tsvector(indexed)) == places | without
    assert list(lexemes_of(tsvector(indexed))) == sorted(places | without), "as PostgreSQL sorts"


def test_pairs_of_frequent_words_have_lexemes_of_their_own() -> None:
    frequent = FrequentWords({"the": "0a", "of": "0b"}, {"the": 1, "of": 1}, 1)
    article = replace(
        ARTICLE, title="of", authors=("the",), description="", text="of the wind the of"
    )
    held = lexemes_of(tsvector(index_article(article), frequent))
    assert {lexeme for lexeme in held if len(lexeme) == 5 and lexeme[0] == ":"} == {
        ":0b0a",
        ":0a0b",
    }
    assert ":pairs:1" in held


def test_a_text_of_too_many_pairs_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_places, "MAX_PAIRS", 1)
    frequent = FrequentWords({"the": "0a", "of": "0b"}, {"the": 1, "of": 1}, 1)
    indexed = index_article(replace(ARTICLE, description="", text="of the of"))
    held = lexemes_of(tsvector(indexed, frequent))
    assert not {":0b0a", ":0a0b", ":pairs:1"} & held.keys()
    assert ":pairs:0" in held


# --- long texts --------------------------------------------------------------------------------


def _assert_pages_hold(stream: list[str], pages: list[range]) -> None:
    assert pages[0].start == 0
    assert len(pages) <= MAX_PAGES
    for page in pages:
        words = stream[page.start : page.stop]
        assert len(words) <= PAGE_LENGTH
        assert max(words.count(word) for word in set(words) - {GAP}) <= MAX_REPEATS
    for page, following in pairwise(pages):
        assert following.start == page.stop - (MAX_PHRASE - 1)
        assert following.stop > page.stop


def test_a_short_text_is_one_page() -> None:
    assert word_places.pages(["a", "b"]) == [range(2)]
    assert word_places.pages([]) == [range(0)]


def test_pages_overlap_so_that_no_phrase_is_lost_between_them() -> None:
    stream = [f"w{number % 150}" if number % 3 else "the" for number in range(6_000)]
    pages = word_places.pages(stream)
    assert len(pages) > 5
    assert pages[-1].stop == len(stream)
    _assert_pages_hold(stream, pages)


def test_a_text_of_one_word_is_cut_when_the_pages_are_full() -> None:
    stream = ["la"] * 50_000
    pages = word_places.pages(stream)
    assert len(pages) == MAX_PAGES
    assert pages[-1].stop < len(stream)
    _assert_pages_hold(stream, pages)


@pytest.mark.long
def test_a_text_of_long_rare_words_is_cut_before_postgres_refuses_it() -> None:
    article = replace(ARTICLE, text=" ".join(f"{number:05}" + "ж" * 59 for number in range(20_000)))
    indexed = index_article(article)
    assert not indexed.whole
    assert len(indexed.text.split()) > 2_000
    assert len(tsvector(indexed)) < 1_000_000


def test_what_surely_fits_does_fit() -> None:
    words = MAX_PAGES * (MAX_REPEATS - MAX_PHRASE)
    assert word_places.surely_fits(words, letters=100_000)
    assert word_places.pages(["x"] * words)[-1].stop == words
    longest = ["𠀀" * 61 + f"{number:03}" for number in range(1000)]
    assert word_places.surely_fits(1000, letters=64_000)
    assert word_places.pages(longest)[-1].stop == 1000
    assert not word_places.surely_fits(words + 1, letters=0)
    assert not word_places.surely_fits(1, letters=200_000)


def test_an_ordinary_long_read_is_indexed_whole() -> None:
    text = " ".join("the" if number % 16 == 0 else f"w{number % 7_001}" for number in range(40_000))
    indexed = index_article(replace(ARTICLE, text=text))
    assert indexed.whole
    assert indexed.text.split()[-3:] == text.split()[-3:]
    assert len(tsvector(indexed)) < 1_000_000


def test_fields_and_texts_have_an_end() -> None:
    many = " ".join(f"w{number}" for number in range(MAX_TEXT_WORDS + 10))
    indexed = index_article(replace(ARTICLE, title=many, tags=(many,), text=many))
    assert len(indexed.title.split()) == MAX_FIELD_WORDS
    assert len(indexed.tags.split()) == MAX_FIELD_WORDS
    assert len(indexed.text.split()) <= MAX_TEXT_WORDS
    assert not indexed.whole


def test_later_pages_spell_their_words_apart() -> None:
    text = " ".join(["la"] * 300 + ["end"])
    vector = lexemes_of(tsvector(index_article(replace(ARTICLE, text=text))))
    assert word_places.MORE_PAGES in vector
    assert ":1:end" in vector
    assert vector["end"] == "16383"  # alone it is found, next to nothing


def test_three_kilobytes_are_cut_at_once() -> None:
    text = "The “council” said on Monday that Zoë’s café would, in the end, stay open. " * 40
    split_words(text)
    with cpu_within(0.1):  # measured: about 2 ms
        for _ in range(20):
            split_words(text)


@given(st.text(alphabet="".join(map(chr, range(0xC0, 0x530))) + "az09", min_size=1, max_size=80))
def test_the_short_way_to_spell_a_word_gives_what_the_long_way_gives(text: str) -> None:
    piece = text.lower()
    assert spelling._spelt(piece) == " ".join(spelling._words_in(piece))


def test_punctuation_that_is_cut_early_would_part_words_anyway() -> None:
    early = [chr(code) for code in range(0x80, 0x20000) if word_split._PUNCTUATION.match(chr(code))]
    assert early
    for observation in early:
        assert spell([observation]) == [], hex(ord(observation))
        assert spell([f"a{observation}é"]) == split_words(f"a{observation}é") == ["a", "e"], hex(
            ord(observation)
        )


# --- a text as a whole ---------------------------------------------------------------------------

LETTERS = st.one_of(
    st.characters(max_codepoint=0xFF),
    st.sampled_from("aeiou é  “”’„–…«» œŒłŁąřŞığș€™№½ºªµß\u00ad\u200b\u2009\u00a0\n\x1f🙂❤\ufe0f"),
)
OTHERS = st.sampled_from("ж東京オ\u0301\u0307ạΣς가ไทक\ud800")


@given(st.lists(st.text(LETTERS, max_size=70), max_size=12).map(" ".join))
def test_latin_letters_are_spelt_as_a_whole_as_they_are_one_by_one(text: str) -> None:
    whole, words = spell_latin(text), word_split._cut(text)
    if whole is None:
        assert "µ" in text or any(unicodedata.category(letter) == "Mn" for letter in text)
    else:
        assert [word[:MAX_WORD] for word in whole.split()] == words


@given(st.lists(st.text(st.one_of(LETTERS, OTHERS), max_size=70), max_size=12).map(" ".join))
def test_a_text_of_any_letters_has_the_words_of_its_pieces(text: str) -> None:
    words = word_split._cut(text)
    assert split_words(text) == words
    assert spelt_words(text).split() == words
    assert split_words(f"{text} {'x' * word_split._WORTH_IT}") == [*words, "x" * MAX_WORD]


@given(st.text(st.one_of(LETTERS, OTHERS, st.sampled_from("東京都大阪가나 。\0")), max_size=200))
def test_a_text_without_spaces_has_the_words_of_its_pieces(text: str) -> None:
    assert spell_unspaced(text.lower()).split() == word_split._cut(text)


def test_a_long_text_without_spaces_is_spelt_as_a_whole() -> None:
    text = "東京都は3日、iPhone15の新製品を発表した。" * 20
    assert split_words(text) == word_split._cut(text)
    assert split_words(text)[:8] == ["東京", "京都", "都は", "は", "3", "日", "iphone15", "の新"]


@pytest.mark.long
def test_every_letter_that_is_replaced_is_spelt_the_same_among_any_others() -> None:
    letters = [chr(code) for code in range(0x80, 0x30000) if not 0xD800 <= code < 0xE000]
    replaced = [letter for letter in letters if spell_latin(letter) is not None]
    assert len(replaced) > 1_000
    for letter in replaced:
        text = f"a{letter}b {letter} é{letter}{letter}ß Z{letter} {letter}1"
        assert (spell_latin(text) or "").split() == word_split._cut(text), hex(ord(letter))


def test_what_may_change_its_neighbour_is_not_spelt_as_a_whole() -> None:
    assert spell_latin("caf\u00e9 au lait") == "cafe au lait"
    for text in ("cafe\u0301", "жук", "東京", "ΟΔΌΣ", "Việt", "25 µm"):
        assert spell_latin(text) is None, text


def test_a_text_of_many_different_letters_is_spelt_piece_by_piece() -> None:
    many = "".join(chr(code) for code in range(0x100, 0x140))
    assert spell_latin(many) is None
    assert split_words(f"{many} {many}") == word_split._cut(f"{many} {many}")


@pytest.mark.parametrize("long_word", ["x" * 65, "é" * 65, "x" * 64 + "œ", "X" * 1_000])
def test_long_words_in_long_texts_are_cut(long_word: str) -> None:
    before, behind = "the wind came “in” ", " from the sea" * 10
    words = split_words(before + long_word + behind)
    assert words[4] == word_split._cut(long_word)[0]
    assert len(words[4]) == MAX_WORD
    assert len(words) == 5 + 30


STREAMS = st.lists(
    st.sampled_from(["the", "of", "a", "b1", "жук", "東京", "京", "𠀀", "x" * MAX_WORD, GAP]),
    max_size=300,
)


@given(STREAMS, st.lists(st.sampled_from([1, 2, 3]), max_size=9), st.booleans())
def test_a_vector_is_what_a_plain_way_to_make_one_gives(
    stream: list[str], weights: list[int], with_pairs: bool
) -> None:
    codes = {"the": "0a", "of": "0b", "東京": "0c"} if with_pairs else {}
    facets = (":lang:zh", ":publisher:ä.test", EVERY_ARTICLE)
    held: dict[str, bytes] = dict.fromkeys((*facets, f":pairs:{len(codes)}"), b"")
    for place, word in enumerate(stream, 1):
        weight = weights[place - 1] if place <= len(weights) else 0
        held[word] = held.get(word, b"") + (weight << 14 | place).to_bytes(2, "big")
    held.pop(GAP, None)
    for first, second in pairwise(stream):
        if first in codes and second in codes:
            held[f":{codes[first]}{codes[second]}"] = b""
    packed = [
        word.encode() + b"\0" + (len(places) // 2).to_bytes(2, "big") + places
        for word, places in sorted(held.items())
    ]
    expected = len(packed).to_bytes(4, "big") + b"".join(packed)
    if max(map(stream.count, stream), default=0) <= MAX_REPEATS:
        made = vector(stream, weights, facets, FrequentWords(codes, {}, len(codes)))
        assert made == expected
