"""What the databases are told of a query, and that they agree with each other and with a reference."""

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
    copy_vectors,
    found_by_fts5,
    found_by_reference,
    query_samples,
)
from wireroom.errors import QueryError
from wireroom.model import Article
from wireroom.query import Phrase, Query, read_query
from wireroom.query.query_tree import AllOf, WordTerm
from wireroom.store.search.index_terms import Indexed, index_article
from wireroom.store.search.match_text import (
    fts5_match,
    is_matchable,
    loose_tsquery,
    tsquery,
)
from wireroom.store.search.tsvectors import tsvector
from wireroom.store.search.word_places import MORE_PAGES, NONE_FREQUENT, FrequentWords

ARTICLE = Article(
    id="x",
    publisher="a.test",
    url="https://a.test/x",
    title="Storm",
    fetched_at=datetime(2026, 5, 3, tzinfo=UTC),
)
SLOW_PART = settings(max_examples=40, deadline=None)  # each example goes to a real server


def _match(query: Query) -> str:
    return fts5_match(query.root)


# --- what the databases are told ---------------------------------------------------------------


def test_words_reach_sqlite_in_quotes_alone() -> None:
    query = read_query('storm "high water" 京 author:doe publisher:a.test publisher:b.test -sun')
    assert _match(query) == (
        '(("storm" AND "high water" AND "京" * AND authors : "doe"'
        ' AND (":publisher:a.test" OR ":publisher:b.test")) NOT ("sun"))'
    )
    assert _match(read_query("-sun -tag:x")) == '((":any:article") NOT ("sun" OR tags : "x"))'
    assert _match(read_query("storm* OR -sun")) == '(("storm" * OR (":any:article" NOT "sun")))'


def test_words_reach_postgres_in_quotes_alone() -> None:
    query = read_query("storm 京 publisher:a.test publisher:b.test -sun")
    assert tsquery(query.root) == (
        "(('storm') & ('京':*) & (':publisher:a.test' | ':publisher:b.test') & (':any:article' & !('sun')))"
    )
    message = tsquery(read_query("author:京").root)
    assert message.startswith(f"((('京':B*) | ('{MORE_PAGES}' & ((':1:京':B*) | ")
    assert tsquery(read_query("sto*").root) == "(('sto':*))"


def test_what_postgres_can_look_up_of_a_phrase_are_its_words() -> None:
    query = read_query('x "a bb*" -"c d"').root
    unwanted = tsquery(query.nodes[2])
    assert loose_tsquery(query, NONE_FREQUENT) == f"(('x') & ('a' & ('bb':*)) & {unwanted})"


def test_of_frequent_words_it_knows_which_stand_together() -> None:
    since = {"of": 1, "the": 2, "an": 1}
    frequent = FrequentWords({"of": "00", "the": "01", "an": "02"}, since, 2)
    assert loose_tsquery(read_query('"of the end of an"').root, frequent) == (
        "(('of' & 'the' & 'end' & 'of' & ('an')"
        " & (':0001' | ':pairs:0' | ':pairs:1') & (':0002' | ':pairs:0')))"
    )
    assert loose_tsquery(read_query('"of an*"').root, frequent) == "(('of' & ('an':*)))"
    assert loose_tsquery(read_query("of the").root, frequent) is None


def test_words_alone_have_no_places_to_leave_out() -> None:
    assert loose_tsquery(read_query('a b -"c d"').root, NONE_FREQUENT) is None
    assert loose_tsquery(read_query('a OR "c d"').root, NONE_FREQUENT) is None


# --- one reference, every database -------------------------------------------------------------


@pytest.mark.long
@given(
    st.lists(article_samples(), min_size=1, max_size=8),
    st.lists(query_samples(), min_size=1, max_size=12),
)
def test_sqlite_finds_what_the_reference_finds(articles: list[Article], texts: list[str]) -> None:
    corpus = [index_article(article) for article in articles]
    queries = [read_query(text) for text in texts]
    found = found_by_fts5(corpus, [_match(query) for query in queries])
    for text, query, numbers in zip(texts, queries, found, strict=True):
        assert numbers == found_by_reference(articles, query), text


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
        query = read_query(text)
    except QueryError:
        return
    if is_matchable(query.root):
        match = _match(query)
        assert len(list(found_by_fts5([index_article(ARTICLE)], [match]))) == 1, "one answer"


# --- the same on PostgreSQL --------------------------------------------------------------------


@pytest.fixture(scope="module")
def postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_server.new_database()) as connection:
        connection.autocommit = True
        connection.execute("CREATE TABLE article_words (number bigint, words tsvector)")
        connection.execute("CREATE INDEX ON article_words USING gin (words)")
        connection.execute("SET enable_seqscan = off")  # the index is to be asked, small as it is
        yield connection


def _fill(postgres: psycopg.Connection, corpus: Sequence[Indexed]) -> None:
    postgres.execute("TRUNCATE article_words")
    copy_vectors(postgres, [tsvector(indexed) for indexed in corpus])


def _by_tsquery(postgres: psycopg.Connection, query: Query) -> list[int]:
    rows = postgres.execute(
        "SELECT number FROM article_words WHERE words @@ %s::tsquery ORDER BY number",
        [tsquery(query.root)],
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
        assert _by_tsquery(postgres, query) == found_by_reference(articles, query), text


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
    if is_matchable(query.root):
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
    long_article = replace(ARTICLE, text=" ".join(words), authors=("Jane Doe",))
    corpus = [index_article(long_article)]
    assert corpus[0].whole
    _fill(postgres, corpus)
    queries = [read_query('author:"jane doe" -author:the')]
    for _ in range(150):
        start, length = chance.randrange(len(words) - 70), chance.choice((1, 2, 3, 64))
        asked = words[start : start + length]
        if chance.random() < 0.3:
            chance.shuffle(asked)
        queries.append(read_query(f'"{" ".join(asked)}"'))
    queries.append(read_query('title:storm "doe" OR w1* -title:the'))
    found = found_by_fts5(corpus, [_match(query) for query in queries])
    expected = [found_by_reference([long_article], query) for query in queries]
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
    assert _by_tsquery(postgres, Query(AllOf((WordTerm(Phrase((last,))),)))) == [1]
