"""The query language: what is understood, what is refused with its place, and how it is said back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.errors import QueryError
from wireroom.query import Phrase, Query, read_query
from wireroom.query.query_fields import FIELDS
from wireroom.query.query_reader import MAX_DEPTH, MAX_PREFIXES, MAX_QUERY, MAX_QUERY_WORDS, span_of
from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    CanonicalTerm,
    FacetTerm,
    NotNode,
    QualityTerm,
    QueryNode,
    TimeTerm,
    WordTerm,
    wanted_terms,
)
from wireroom.query.query_words import explain_query

NOW = datetime(2026, 11, 18, 7, 20, tzinfo=UTC)
VIENNA = ZoneInfo("Europe/Vienna")


def _word(*words: str, is_open: bool = False) -> WordTerm:
    return WordTerm(Phrase(words, is_open))


A, B, C, D = (_word(letter) for letter in "abcd")


def _nodes(text: str) -> tuple[QueryNode, ...]:
    return read_query(text, now=NOW).root.nodes


def _wanted(text: str) -> list[tuple[str, ...]]:
    return [term.phrase.words for term in wanted_terms(read_query(text))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("storm surge", [("storm",), ("surge",)]),
        ('"storm surge" north', [("storm", "surge"), ("north",)]),
        ("“storm surge”", [("storm", "surge")]),
        ("«storm surge»", [("storm", "surge")]),
        ("Café don't", [("cafe",), ("don", "t")]),
        ('a"b c"d', [("a",), ("b", "c"), ("d",)]),
        ("storm & surge (now)!", [("storm",), ("surge",), ("now",)]),
        ("a and b or not near NEAR", [("a",), ("and",), ("b",), ("or",), ("not",), ("near",), ("near",)]),
        ('"OR" x "AND"', [("or",), ("x",), ("and",)]),
        ("東京都", [("東京", "京都")]),
        ("https://courier.test/a?b=c", [("https", "courier", "test", "a", "b", "c")]),
        ("10:30 3:2", [("10", "30"), ("3", "2")]),
        ("courier.test:8080", [("courier", "test", "8080")]),
        (r"C:\dir std::vector :smile:", [("c", "dir"), ("std", "vector"), ("smile",)]),
        ("Breaking: storm", [("breaking",), ("storm",)]),
        ('"foo:bar" "lang:en"', [("foo", "bar"), ("lang", "en")]),
        ("标题:风暴", [("标题", "题", "风暴")]),
        ('"5 * 5"', [("5", "5")]),
    ],
)  # fmt: skip
def test_words_and_phrases_are_wanted(text: str, words: list[tuple[str, ...]]) -> None:
    assert _wanted(text) == words


def test_an_empty_query_asks_for_everything() -> None:
    for text in ("", "  \n\t"):
        assert read_query(text).is_empty
    assert not read_query("after:2026").is_empty


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a OR b", (AnyOf((A, B)),)),
        ("a b OR c d", (A, AnyOf((B, C)), D)),
        ("a OR b OR c", (AnyOf((A, B, C)),)),
        ("a AND b OR c", (A, AnyOf((B, C)))),
        ("(a b) OR c", (AnyOf((AllOf((A, B)), C)),)),
        ("(a OR b) (c OR d)", (AnyOf((A, B)), AnyOf((C, D)))),
        ("（a OR b） c", (AnyOf((A, B)), C)),
        ("-(a OR b) c", (NotNode(AnyOf((A, B))), C)),
        ("NOT a", (NotNode(A),)),
        ("NOT (a b)", (NotNode(AllOf((A, B))),)),
        ("a OR -b", (AnyOf((A, NotNode(B))),)),
        ("-(-a)", (A,)),
        ("((a))", (A,)),
        ("a or b", (A, _word("or"), B)),
        ("storm*", (_word("storm", is_open=True),)),
        ('"storm sur*"', (_word("storm", "sur", is_open=True),)),
        ('"storm sur"*', (_word("storm", "sur", is_open=True),)),
        ("title:Storm*", (WordTerm(Phrase(("storm",), True), "title"),)),
        ("東京*", (_word("東京"),)),
        ("lang:en lang:de a", (AnyOf((FacetTerm("lang", "en"), FacetTerm("lang", "de"))), A)),
        ("-lang:en -lang:de", (NotNode(FacetTerm("lang", "en")), NotNode(FacetTerm("lang", "de")))),
        ("paywall:Free state:withdrawn", (FacetTerm("paywall", "free"), FacetTerm("state", "withdrawn"))),
        ('feed:"Courier World"', (FacetTerm("feed", "Courier World"),)),
        ("rights:ai-input=allow", (FacetTerm("rights", "ai-input=allow"),)),
        (
            "rights:search=allow rights:search=paid rights:archive=deny",
            (
                AnyOf((FacetTerm("rights", "search=allow"), FacetTerm("rights", "search=paid"))),
                FacetTerm("rights", "archive=deny"),
            ),
        ),
        ("quality:>0.5", (QualityTerm(">", 0.5),)),
        ("quality:<=.25", (QualityTerm("<=", 0.25),)),
        ("is:canonical", (CanonicalTerm(),)),
        ("-is:canonical", (CanonicalTerm(is_canonical=False),)),
        ("is:near-duplicate", (CanonicalTerm(is_canonical=False),)),
        ("after:1d", (TimeTerm("published", NOW - timedelta(days=1), is_after=True),)),
        ("arrived:1d", (TimeTerm("arrived", NOW - timedelta(days=1), is_after=True),)),
        ('arrived:"24 h"', (TimeTerm("arrived", NOW - timedelta(days=1), is_after=True),)),
        ("arrived:<today", (TimeTerm("arrived", datetime(2026, 11, 18, tzinfo=UTC), is_after=False),)),
        ("-after:2026", (TimeTerm("published", datetime(2026, 1, 1, tzinfo=UTC), is_after=False),)),
    ],
)  # fmt: skip
def test_a_query_becomes_a_tree(text: str, nodes: tuple[QueryNode, ...]) -> None:
    assert _nodes(text) == nodes


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_the_example_of_every_field_is_read(field: str) -> None:
    assert len(_nodes(FIELDS[field].example)) == 1


def test_the_words_to_mark_are_those_that_an_article_is_found_by() -> None:
    assert _wanted("harbour OR port -(sport OR ball) title:storm lang:en") == [
        ("harbour",),
        ("port",),
        ("storm",),
    ]


def test_days_begin_by_the_readers_clock() -> None:
    query = read_query("after:2026-05-03 before:yesterday", now=NOW, zone=VIENNA)
    after, before = span_of(query, "published")
    assert (after, before) == (
        datetime(2026, 5, 2, 22, tzinfo=UTC),
        datetime(2026, 11, 16, 23, tzinfo=UTC),
    )


def test_the_strictest_of_several_dates_counts_and_not_after_is_before() -> None:
    query = read_query("after:2025 after:2026 -after:2027-02 -before:2024 before:2028")
    assert span_of(query, "published") == (
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2027, 2, 1, tzinfo=UTC),
    )


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ('storm "surge', 7, "The quote at character 7 is never closed."),
        ('author:"Jane', 8, "The quote at character 8 is never closed."),
        ("storm lang:", 7, "lang: at character 7 has no value."),
        ("lang: en", 1, "lang: at character 1 has no value."),
        ("lang:(en OR de)", 1, "lang: at character 1 has no value."),
        ('author:""', 1, "author: at character 1 has no value."),
        ("tag:!!", 1, "tag: at character 1 has no value."),
        ("publisher:", 1, "publisher: at character 1 has no value."),
        ("after:", 1, "after: at character 1 has no value."),
        ("foo:bar", 1, "There is no filter foo: (at character 1)."),
        ("langs:en", 1, "Did you mean lang:?"),
        ("publishers:x.test", 1, "Did you mean publisher:?"),
        ("since:2026", 1, "Did you mean after:?"),
        ('-foo:"bar"', 2, "There is no filter foo: (at character 2)."),
        ("after:never", 1, "after: at character 1 needs a date, not never."),
        ("after:2026-02-30", 1, "needs a date, not 2026-02-30."),
        ("before:0000", 1, "needs a date"),
        ("before:0001-01-01T00:00+05:00", 1, "needs a date"),
        ("after:２０２６", 1, "needs a date"),
        ("x arrived:>never", 3, "arrived: at character 3 needs a date"),
        ("after:2026-05 before:2026-05-01", 0, "Nothing can be after 2026-05-01 00:00"),
        ("lang:english", 1, "needs a language code, not english."),
        ('publisher:"Town Courier"', 1, "needs a domain, not Town Courier."),
        ("paywall:yes", 1, "needs one of free, metered, locked, registration, unknown, not yes."),
        ("state:gone", 1, "needs one of held, withdrawn, not gone."),
        ("is:new", 1, "needs one of canonical, near-duplicate, not new."),
        ("quality:good", 1, "needs a comparison with a number from 0 to 1, not good."),
        ("quality:0.5", 1, "needs a comparison"),
        ("quality:>1.5", 1, "needs a comparison"),
        ("rights:training=allow", 1, "needs a use and a word, not training=allow."),
        ("rights:search", 1, "needs a use and a word"),
        ("storm - surge", 7, "The - at character 7 excludes nothing."),
        ("storm -!!", 7, "The - at character 7 excludes nothing."),
        ("storm NOT", 7, "The NOT at character 7 excludes nothing."),
        ('storm ""', 7, "The quotes at character 7 hold no word."),
        ("OR storm", 1, "The OR at character 1 has nothing before it."),
        ("storm OR", 7, "The OR at character 7 has nothing behind it."),
        ("a OR OR b", 6, "The OR at character 6 has nothing before it."),
        ("a OR AND b", 6, "The AND at character 6 has nothing before it."),
        ("a (OR b)", 4, "The OR at character 4 has nothing before it."),
        ("storm (surge", 7, "The bracket at character 7 is never closed."),
        ("storm) surge", 6, "The bracket at character 6 closes nothing."),
        ("storm ()", 7, "The bracket at character 7 holds no word."),
        ("storm -()", 8, "The bracket at character 8 holds no word."),
        ("st*rm", 3, "The * at character 3 does not end a word."),
        ("title:*rm", 7, "The * at character 7 does not end a word."),
        ("storm *", 7, "The * at character 7 stands alone."),
        ("a*", 1, "The word before the * at character 1 is too short."),
        ("?! …", 0, "There is no word in ?! …, only signs."),
        ("x" * (MAX_QUERY + 1), 0, "1,001 characters, at most 1,000"),
        ("x " * (MAX_QUERY_WORDS + 1), 0, f"65 words, at most {MAX_QUERY_WORDS}"),
        ("after:2025 " * (MAX_QUERY_WORDS + 1), 0, f"at most {MAX_QUERY_WORDS}"),
        ("東" * (MAX_QUERY_WORDS + 2), 0, f"at most {MAX_QUERY_WORDS}"),
        ("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), MAX_DEPTH + 1, f"at most {MAX_DEPTH} are read"),
        ("xx* " * (MAX_PREFIXES + 1), 0, f"at most {MAX_PREFIXES} are looked for"),
    ],
)  # fmt: skip
def test_a_malformed_query_is_refused_with_place_and_hint(
    text: str, column: int, expected: str
) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(text, now=NOW)
    assert expected in str(caught.value)
    assert caught.value.column == column
    assert caught.value.query == (text if column else "")
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_without_a_clock_what_counts_from_now_is_refused() -> None:
    with pytest.raises(QueryError, match="needs a date, not 1d"):
        read_query("after:1d")


def test_brackets_as_deep_as_allowed_are_read() -> None:
    assert _nodes("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH) == (A,)


def test_a_refusal_repeats_nothing_a_terminal_could_act_on() -> None:
    with pytest.raises(QueryError) as caught:
        read_query("lang:\x1b[31m\u202e\ud800" + "x" * 200)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@given(st.text('"-:()*<>=.0159abANDORNT京 \x00', max_size=60) | st.text(max_size=60))
def test_any_text_is_refused_or_is_explained_in_one_line(text: str) -> None:
    try:
        query = read_query(text, now=NOW, zone=VIENNA)
    except QueryError as exc:
        assert exc.hint  # noqa: PT017 - what is not refused is looked at below
        return
    words = explain_query(query, now=NOW, zone=VIENNA)
    assert words
    assert words.isprintable()


# --- said back ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "every article"),
        ("harbour OR port lang:en after:2026-05 -sport", "harbour or port, in English, since May, not sport"),
        ('"storm surge" north', '"storm surge", north'),
        ("storm*", "storm…"),
        ('"high wat*"', '"high wat…"'),
        ("title:fire author:'Doe' tag:politics", "fire in the title, by 'Doe', tagged politics"),
        ("-(sport OR ball)", "not (sport or ball)"),
        ("(a b) OR c", "(a, b) or c"),
        ("publisher:a.test publisher:b.test", "from a.test or from b.test"),
        ("lang:pt-BR lang:xx", "in Portuguese (pt-br) or in xx"),
        ('feed:"Courier World"', "by the feed Courier World"),
        ("paywall:free is:canonical state:withdrawn", "free to read, without near-duplicates, withdrawn"),
        ("-is:canonical quality:>=0.8", "near-duplicates only, quality 0.8 or more"),
        ("rights:ai-input=allow -rights:ai-train=deny", "allowed for ai-input, not denied for ai-train"),
        ("after:yesterday before:today", "yesterday"),
        ("after:2025-05-03 before:2025-06", "since 3 May 2025, before June 2025"),
        ("after:1d", "since 08:20 yesterday"),
        ("arrived:2026-11-10T10:00Z", "arrived since 11:00 on 10 November"),
        ("-arrived:2h", "arrived before 06:20 today"),
        ("after:2024", "since 2024"),
    ],
)  # fmt: skip
def test_a_query_is_explained_in_words(text: str, words: str) -> None:
    query = read_query(text, now=NOW, zone=VIENNA)
    assert explain_query(query, now=NOW, zone=VIENNA) == words


def test_a_query_is_what_it_asks_for_however_it_was_typed() -> None:
    assert read_query("Storm") == read_query("storm") == Query(AllOf((_word("storm"),)))
