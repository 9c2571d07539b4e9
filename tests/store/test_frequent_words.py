"""The frequent words of a PostgreSQL store: when they are learnt, and what they spare a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, text

from tests.app.queries import noted_queries
from tests.store.samples import article, save
from wireroom.ports import StoreOptions
from wireroom.query import read_query
from wireroom.store import open_store
from wireroom.store.search import frequent_words
from wireroom.store.search.frequent_words import learn_frequent_words, read_frequent_words
from wireroom.store.search.match_text import loose_tsquery
from wireroom.store.search.word_places import NONE_FREQUENT, FrequentWords
from wireroom.store.sql_store import SqlStore

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(ready_url: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[SqlStore]:
    monkeypatch.setattr("wireroom.store.search.frequent_words.LEARNT_FROM", 10)
    monkeypatch.setattr("wireroom.store.search.tsvectors.LEARNT_FROM", 10)
    opened = open_store(ready_url("postgres"), StoreOptions())
    assert isinstance(opened, SqlStore)
    yield opened
    opened.close()


def _save(store: SqlStore, *numbers: int, words: str) -> None:
    save(store, *(article(n, title="x", text=words, description="", tags=()) for n in numbers))


def _known(store: SqlStore) -> FrequentWords:
    return store._db.read(read_frequent_words)


def test_they_are_learnt_once_there_are_enough_articles(store: SqlStore) -> None:
    _save(store, *range(5), words="of the sea")
    assert _known(store) == NONE_FREQUENT
    _save(store, *range(5, 9), words="of the sea")
    _save(store, 9, words="gull")
    assert {"of", "the", "sea"} <= _known(store).codes.keys()
    assert "gull" not in _known(store).codes
    assert set(_known(store).since.values()) == {1}


def test_the_list_grows_by_generations_and_keeps_its_signs(store: SqlStore) -> None:
    _save(store, *range(12), words="of the sea")
    before = _known(store)
    _save(store, *range(20, 50), words="le vent")
    after = _known(store)
    assert after.generation == before.generation + 1
    assert {after.codes[word] for word in before.codes} == set(before.codes.values())
    assert after.since["vent"] == after.generation
    assert len(set(after.codes.values())) == len(after.codes)


def test_it_has_an_end(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent_words, "MOST_WORDS", 2)
    _save(store, *range(12), words="of the sea")
    assert len(_known(store).codes) == 2
    _save(store, *range(20, 50), words="le vent")
    assert len(_known(store).codes) == 2


def test_a_generation_is_made_by_one_transaction_alone(store: SqlStore) -> None:
    _save(store, *range(9), words="of the sea")

    def learn_twice(first: Connection) -> None:
        first.execute(text(f"SELECT {_TURN}"))
        store._db.write(lambda second: learn_frequent_words(second))
        assert read_frequent_words(first) == NONE_FREQUENT

    _save(store, 9, words="of the sea")
    store._db.write(lambda conn: conn.execute(text("DELETE FROM article_words_frequent")))
    store._db.write(learn_twice)
    store._db.write(learn_frequent_words)
    assert _known(store).generation == 1


_TURN = "pg_try_advisory_xact_lock(hashtext('wireroom'), hashtext('article_words_frequent'))"


def test_the_index_gives_few_articles_for_a_rare_phrase_of_frequent_words(store: SqlStore) -> None:
    _save(store, *range(10), words="of sea the")
    _save(store, *range(20, 60), words="of sea the")
    _save(store, 60, words="sea of the")
    query = read_query('"of the"').root

    def looked_at(conn: Connection, frequent: FrequentWords) -> int:
        loose = loose_tsquery(query, frequent)
        counted = text("SELECT count(*) FROM article_words WHERE words @@ CAST(:loose AS tsquery)")
        return int(conn.execute(counted, {"loose": loose}).scalar_one())

    assert store._db.read(lambda conn: looked_at(conn, NONE_FREQUENT)) == 51
    assert store._db.read(lambda conn: looked_at(conn, read_frequent_words(conn))) == 11
    assert [found.id for found in store.search('"of the"').articles] == [article(60).id]


def test_the_newest_articles_are_gone_through_once_for_a_search(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which match, how many there are and how frequent the words are come with one statement for each window."""
    monkeypatch.setattr("wireroom.store.search.tsvectors.FEW", 2)
    monkeypatch.setattr("wireroom.store.search.tsvectors.RECENT", 4)
    _save(store, *range(9), words="of the sea")
    with noted_queries() as asked:
        assert len(store.search("gull").articles) == 0
    of_words = [statement for statement in asked if "article_words.words" in statement]
    assert len(of_words) == 3, "two windows, then the index"


def test_words_of_some_articles_are_looked_for_in_the_newest_of_a_large_store(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index would bring all that have them, which grow with the store; a page of results needs a few."""
    monkeypatch.setattr("wireroom.store.search.tsvectors.FEW", 5)
    monkeypatch.setattr("wireroom.store.search.tsvectors.RECENT", 15)
    monkeypatch.setattr("wireroom.store.search.tsvectors.FREQUENT", 0.5)
    for number in range(120):
        _save(store, number, words="gull" if number % 10 == 5 else "sea")
    titles = [held.title for held in store.articles("gull")]
    assert len(titles) == 12

    def asked_of_index(limit: int) -> int:
        with noted_queries() as asked:
            found = store.search("gull", limit=limit).articles
        assert [held.title for held in found] == titles[:limit]
        return sum("position + 0" in statement for statement in asked)

    def counted(articles: int) -> None:
        monkeypatch.setattr("wireroom.store.search.tsvectors._HELD", text(f"SELECT {articles}"))

    assert asked_of_index(3) == 1, "nobody has counted the articles yet"
    store._db.write(lambda conn: conn.exec_driver_sql("ANALYZE article_words"))
    assert asked_of_index(3) == 1, "of so few the index brings few"
    counted(100_000)
    assert asked_of_index(3) == 0
    monkeypatch.setattr("wireroom.store.search.tsvectors.SPARE", 0.5)
    assert asked_of_index(6) == 1, "not enough were where they were to be expected"
    monkeypatch.setattr("wireroom.store.search.tsvectors.RECENT", 5)
    assert asked_of_index(2) == 1, "none among the newest"
    monkeypatch.setattr("wireroom.store.search.tsvectors.MORE", 30)
    counted(1_000_000)
    assert asked_of_index(2) == 0
