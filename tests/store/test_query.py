"""The query language: what is understood, what is refused, and that the databases agree."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.store.postgres_server import PostgresServer
from tests.store.reference import (
    article_samples,
    found_by_fts5,
    found_by_reference,
    query_samples,
)
from wireroom.errors import QueryError
from wireroom.model import Article
from wireroom.store.search.index_terms import MORE_PAGES, Indexed, Phrase, index_article, tsvector
from wireroom.store.search.query import (
    MAX_QUERY,
    MAX_QUERY_WORDS,
    Query,
    Term,
    fts5_match,
    read_query,
    tsquery,
)

ARTICLE = Article(
    id="x",
    publisher="a.test",
    url="https://a.test/x",
    title="Storm",
    fetched_at=datetime(2026, 5, 3, tzinfo=UTC),
)
SLOW_PART = settings(max_examples=40, deadline=None)  # each example goes to a real server


# --- what is understood ------------------------------------------------------------------------


def _wanted(text: str) -> list[tuple[str, ...]]:
    return [term.phrase.words for term in read_query(text).wanted]


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
        ("a AND b OR NOT NEAR", [("a",), ("and",), ("b",), ("or",), ("not",), ("near",)]),
        ("東京都", [("東京", "京都")]),
        ("https://courier.test/a?b=c", [("https", "courier", "test", "a", "b", "c")]),
        ("10:30 3:2", [("10", "30"), ("3", "2")]),
        ("courier.test:8080", [("courier", "test", "8080")]),
        (r"C:\dir std::vector :smile:", [("c", "dir"), ("std", "vector"), ("smile",)]),
        ("Breaking: storm", [("breaking",), ("storm",)]),
        ('"foo:bar" "lang:en"', [("foo", "bar"), ("lang", "en")]),
        ("标题:风暴", [("标题", "题", "风暴")]),
    ],
)
def test_words_and_phrases_are_wanted(text: str, words: list[tuple[str, ...]]) -> None:
    assert _wanted(text) == words


def test_an_empty_query_asks_for_everything() -> None:
    for text in ("", "  \n\t"):
        query = read_query(text)
        assert query.is_empty
        assert fts5_match(query) == ""
        assert tsquery(query) == ""
    assert not read_query("after:2026").is_empty
    assert fts5_match(read_query("after:2026")) == ""


def test_a_minus_excludes() -> None:
    query = read_query('storm -surge -"high water" -author:doe -lang:de')
    assert [term.phrase.words for term in query.unwanted] == [
        ("surge",),
        ("high", "water"),
        ("doe",),
    ]
    assert query.unwanted[2].column == "authors"
    assert query.none_of == ("lang:de",)
    assert _wanted("co-operate") == [("co", "operate")]


def test_filters_are_read_with_and_without_quotes() -> None:
    query = read_query('Author:"Jane Doe" tag:politics PUBLISHER:WWW.Courier.test lang:zh_Hant')
    assert query.wanted == (
        Term(Phrase(("jane", "doe")), "authors"),
        Term(Phrase(("politics",)), "tags"),
    )
    assert query.any_of == (("publisher:courier.test",), ("lang:zh-hant",))


def test_several_publishers_mean_any_of_them() -> None:
    query = read_query("publisher:a.test lang:en publisher:b.test")
    assert query.any_of == (("publisher:a.test", "publisher:b.test"), ("lang:en",))


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-05", datetime(2026, 5, 1, tzinfo=UTC)),
        ("2026-05-03", datetime(2026, 5, 3, tzinfo=UTC)),
        ("2026-05-03T14:30", datetime(2026, 5, 3, 14, 30, tzinfo=UTC)),
        ("2026-05-03T14:30:15Z", datetime(2026, 5, 3, 14, 30, 15, tzinfo=UTC)),
        ("2026-05-03t14:30:15.25+0200", datetime(2026, 5, 3, 12, 30, 15, 250_000, tzinfo=UTC)),
        ('"2026-05-03 14:30-05:00"', datetime(2026, 5, 3, 19, 30, tzinfo=UTC)),
    ],
)
def test_dates_are_read_as_utc(written: str, at: datetime) -> None:
    assert read_query(f"after:{written}").after == at
    assert read_query(f"before:{written}").before == at


def test_the_strictest_of_several_dates_counts_and_not_after_is_before() -> None:
    query = read_query("after:2025 after:2026 -after:2027-02 -before:2024 before:2028")
    assert query.after == datetime(2026, 1, 1, tzinfo=UTC)
    assert query.before == datetime(2027, 2, 1, tzinfo=UTC)


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('storm "surge', "The quote at character 7 is never closed."),
        ('author:"Jane', "The quote at character 8 is never closed."),
        ("storm lang:", "lang: at character 7 has no value."),
        ("lang: en", "lang: at character 1 has no value."),
        ('author:""', "author: at character 1 has no value."),
        ("tag:!!", "tag: at character 1 has no value."),
        ("publisher:", "publisher: at character 1 has no value."),
        ("after:", "after: at character 1 has no value."),
        ("foo:bar", "There is no filter foo: (at character 1)."),
        ("langs:en", "Did you mean lang:?"),
        ("publishers:x.test", "Did you mean publisher:?"),
        ("since:2026", "Did you mean after:?"),
        ('-foo:"bar"', "There is no filter foo: (at character 1)."),
        ("after:yesterday", "after: at character 1 needs a date, not yesterday."),
        ("after:2026-02-30", "needs a date, not 2026-02-30."),
        ("before:0000", "needs a date"),
        ("before:0001-01-01T00:00+05:00", "needs a date"),
        ("after:２０２６", "needs a date"),
        ("after:2026-05 before:2026-05-01", "Nothing can be after 2026-05-01 00:00"),
        ("lang:english", "needs a language code, not english."),
        ('publisher:"Town Courier"', "needs a domain, not Town Courier."),
        ("storm - surge", "The - at character 7 excludes nothing."),
        ("storm -!!", "The - at character 7 excludes nothing."),
        ('storm ""', "The quotes at character 7 hold no word."),
        ("?! …", "There is no word in ?! …, only signs."),
        ("x" * (MAX_QUERY + 1), "1,001 characters, at most 1,000"),
        ("x " * (MAX_QUERY_WORDS + 1), f"65 words, at most {MAX_QUERY_WORDS}"),
        ("東" * (MAX_QUERY_WORDS + 2), f"at most {MAX_QUERY_WORDS}"),
    ],
)
def test_a_malformed_query_is_refused_with_place_and_hint(text: str, expected: str) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(text)
    assert expected in str(caught.value)
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_refusal_repeats_nothing_a_terminal_could_act_on() -> None:
    with pytest.raises(QueryError) as caught:
        read_query("lang:\x1b[31m\u202e\ud800" + "x" * 200)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


# --- what the databases are told ---------------------------------------------------------------


def test_words_reach_sqlite_in_quotes_alone() -> None:
    query = read_query('storm "high water" 京 author:doe publisher:a.test publisher:b.test -sun')
    assert fts5_match(query) == (
        '("storm" AND "high water" AND "京" * AND authors : "doe"'
        ' AND ("publisher:a.test" OR "publisher:b.test")) NOT ("sun")'
    )
    assert fts5_match(read_query("-sun -tag:x")) == '("any:article") NOT ("sun" OR tags : "x")'


def test_words_reach_postgres_in_quotes_alone() -> None:
    query = read_query("storm 京 publisher:a.test publisher:b.test -sun")
    assert tsquery(query) == (
        "('storm') & ('京':*) & ('publisher:a.test' | 'publisher:b.test') & !('sun')"
    )
    message = tsquery(read_query("author:京"))
    assert message.startswith(f"(('京':B*) | ('{MORE_PAGES}' & (('1:京':B*) | ")
    assert tsquery(read_query("-sun")) == "'any:article' & !('sun')"


# --- one reference, every database -------------------------------------------------------------


@pytest.mark.long
@given(
    st.lists(article_samples(), min_size=1, max_size=8),
    st.lists(query_samples(), min_size=1, max_size=12),
)
def test_sqlite_finds_what_the_reference_finds(articles: list[Article], texts: list[str]) -> None:
    corpus = [index_article(article) for article in articles]
    queries = [read_query(text) for text in texts]
    found = found_by_fts5(corpus, [fts5_match(query) for query in queries])
    for text, query, numbers in zip(texts, queries, found, strict=True):
        assert numbers == found_by_reference(corpus, query), text


ODD_QUERIES = st.one_of(
    st.text(max_size=50),
    st.text("\"-:()*^+&|!<>'\\{} \x00abANDORNEAR京", max_size=50),
    query_samples(),
)


@pytest.mark.long
@given(ODD_QUERIES)
@settings(max_examples=300)
@example('NEAR("a" "b", 2) OR title:x* ^y {a b}: c')
@example("a' <-> b & !c:* | (d)")
def test_any_text_is_refused_or_is_a_query_sqlite_accepts(text: str) -> None:
    try:
        match = fts5_match(read_query(text))
    except QueryError:
        return
    if match:
        assert len(list(found_by_fts5([index_article(ARTICLE)], [match]))) == 1, "one answer"


# --- the same on PostgreSQL --------------------------------------------------------------------


@pytest.fixture(scope="module")
def postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_server.new_database()) as connection:
        connection.autocommit = True
        connection.execute("CREATE TABLE article_words (number int, words tsvector)")
        connection.execute("CREATE INDEX ON article_words USING gin (words)")
        connection.execute("SET enable_seqscan = off")  # the index is to be asked, small as it is
        yield connection


def _fill(postgres: psycopg.Connection, corpus: Sequence[Indexed]) -> None:
    postgres.execute("TRUNCATE article_words")
    with postgres.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO article_words VALUES (%s, %s::tsvector)",
            [(number, tsvector(indexed)) for number, indexed in enumerate(corpus, 1)],
        )


def _by_tsquery(postgres: psycopg.Connection, query: Query) -> list[int]:
    rows = postgres.execute(
        "SELECT number FROM article_words WHERE words @@ %s::tsquery ORDER BY number",
        [tsquery(query)],
    )
    return [number for (number,) in rows]


@pytest.mark.postgres
@given(
    articles=st.lists(article_samples(), min_size=1, max_size=8),
    texts=st.lists(query_samples(), min_size=1, max_size=12),
)
@SLOW_PART
def test_postgres_finds_what_the_reference_finds(
    postgres: psycopg.Connection, articles: list[Article], texts: list[str]
) -> None:
    corpus = [index_article(article) for article in articles]
    _fill(postgres, corpus)
    for text in texts:
        query = read_query(text)
        assert _by_tsquery(postgres, query) == found_by_reference(corpus, query), text


@pytest.mark.postgres
@given(text=ODD_QUERIES)
@SLOW_PART
def test_any_text_is_refused_or_is_a_query_postgres_accepts(
    postgres: psycopg.Connection, text: str
) -> None:
    try:
        query = read_query(text)
    except QueryError:
        return
    if tsquery(query):
        _by_tsquery(postgres, query)


def _long_text() -> list[str]:
    """Words of a text of many pages: every ninth is the same, others come again and again."""
    chance = random.Random(9)
    return [
        "the" if number % 9 == 0 else f"w{int(3_000 * chance.random() ** 3)}"
        for number in range(20_000)
    ]


@pytest.mark.postgres
def test_phrases_are_found_anywhere_in_a_long_text_on_both(postgres: psycopg.Connection) -> None:
    words, chance = _long_text(), random.Random(10)
    corpus = [index_article(replace(ARTICLE, text=" ".join(words), authors=("Jane Doe",)))]
    assert corpus[0].whole
    _fill(postgres, corpus)
    queries = [read_query('author:"jane doe" -author:the')]
    for _ in range(150):
        start, length = chance.randrange(len(words) - 70), chance.choice((1, 2, 3, 64))
        asked = words[start : start + length]
        if chance.random() < 0.3:
            chance.shuffle(asked)
        queries.append(read_query(f'"{" ".join(asked)}"'))
    found = found_by_fts5(corpus, [fts5_match(query) for query in queries])
    expected = [found_by_reference(corpus, query) for query in queries]
    assert list(found) == expected
    assert [_by_tsquery(postgres, query) for query in queries] == expected
    assert 0 < expected.count([]) < 80


@pytest.mark.postgres
@pytest.mark.parametrize(
    "text",
    [
        "la " * 70_000,
        " ".join(f"{number:05}" + "ж" * 59 for number in range(20_000)),
        " ".join(f"w{number}" for number in range(80_000)),
        "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(80_000)),
    ],
    ids=["one word", "long words", "rare words", "rare pairs"],
)
def test_postgres_takes_the_longest_texts(postgres: psycopg.Connection, text: str) -> None:
    indexed = index_article(replace(ARTICLE, text=text))
    assert not indexed.whole
    _fill(postgres, [indexed])
    last = indexed.text.split()[-1]
    assert _by_tsquery(postgres, Query(wanted=(Term(Phrase((last,))),))) == [1]
