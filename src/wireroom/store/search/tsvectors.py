"""The full-text index on PostgreSQL: a slim table of tsvectors beside the articles.

Apart from the articles, so that going through the hits of a frequent word touches small rows only. Its GIN index knows
which articles have a word, not in which order they were published, nor where the word stands. So a search goes through
the newest articles first, one after the other; what is frequent is found there. What is rare is left to the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    Select,
    and_,
    cast,
    column,
    exists,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY, TSVECTOR

from wireroom.query.query_tree import AllOf, QueryNode
from wireroom.store import schema
from wireroom.store.rows import add_packed_rows
from wireroom.store.schema import ARTICLE_WORDS
from wireroom.store.search.frequent_words import (
    LEARNT_FROM,
    learn_frequent_words,
    read_frequent_words,
)
from wireroom.store.search.index_terms import Indexed
from wireroom.store.search.match_text import loose_tsquery, tsquery
from wireroom.store.search.positions import Walk
from wireroom.store.search.search_plan import SearchPlan
from wireroom.store.search.word_places import GAP, NONE_FREQUENT, FrequentWords, vector

_WEIGHTS = "{0.1, 0.5, 0.5, 1.0}"  # text, tags, authors, title; as on SQLite the title says most

FEW = 60  # articles; half a millisecond, and enough for a page of what most articles have
RECENT = 440  # articles gone through next; a few milliseconds, and enough for every word that is not rare
WINDOWS = (4_000, 12_000, 24_000)  # articles gone through next; 40,000 take about 100 ms
FREQUENT = 0.1  # of the recent articles have the words: so many that the index would give nearly all of them
LARGE, MORE = (
    500_000,
    2_000,
)  # articles: what one in 250 has may be missing among the recent ones, and is thousands here
DEARER = 3  # times: an article that the index brings lies anywhere, and is looked up in two places
SPARE = 2  # times as many articles as the newest let expect: what matches does not come evenly

_HELD = text(f"SELECT reltuples FROM pg_class WHERE oid = '{ARTICLE_WORDS}'::regclass")  # noqa: S608 - a name of our own
"""How many articles there are, as far as the server knows: by its last look; below 0 before the first."""
_REMOVE = f"DELETE FROM {ARTICLE_WORDS} WHERE position = ANY(:positions)"  # noqa: S608 - names of our own
_CLEAR = f"DELETE FROM {ARTICLE_WORDS}"  # noqa: S608 - names of our own

_table = table(ARTICLE_WORDS, column("position", BigInteger), column("words", TSVECTOR))
_position = _table.c.position


class Tsvectors:
    """The index of a PostgreSQL store."""

    def __init__(self) -> None:
        self._added, self._learns_at = 0, 0  # articles

    def add(self, conn: Connection, words: Iterable[tuple[int, Indexed]]) -> None:
        """Adds articles, and looks now and then, ever more rarely, which words they all have."""
        frequent = read_frequent_words(conn)
        vectors = ((position, tsvector(terms, frequent)) for position, terms in words)
        self._added += add_packed_rows(
            conn, ARTICLE_WORDS, ("position", "words"), (_packed(*pair) for pair in vectors)
        )
        if self._added >= self._learns_at:
            if self._learns_at or not frequent.generation:
                learn_frequent_words(conn)
            self._learns_at = max(LEARNT_FROM, 2 * self._added)

    def remove(self, conn: Connection, words: Sequence[tuple[int, Indexed]]) -> None:
        """Takes out articles."""
        if words:
            conn.execute(text(_REMOVE), {"positions": [position for position, _ in words]})

    def clear(self, conn: Connection) -> None:
        """Forgets everything."""
        conn.exec_driver_sql(_CLEAR)

    def matching(self, node: QueryNode, frequent: FrequentWords = NONE_FREQUENT) -> Select[int]:
        """The positions of the articles for which a node of words and facets holds."""
        return select(_position).where(*_looked_up(_table.c.words, node, frequent))

    def first(
        self, conn: Connection, plan: SearchPlan, match: AllOf, walk: Walk, *, limit: int
    ) -> list[int]:
        """The first positions of the walk that match."""
        has_phrase = loose_tsquery(match, NONE_FREQUENT) is not None
        frequent = read_frequent_words(conn) if has_phrase else NONE_FREQUENT
        found: list[int] = []
        having = 0
        for size in (FEW, RECENT):
            judged = conn.execute(self._judged(walk, size, plan, match, frequent)).all()
            found += [row.position for row in judged if row.is_hit][: limit - len(found)]
            if len(found) == limit or len(judged) < size:
                return found
            having += sum(row.has_words for row in judged)
            walk = walk.behind(judged[-1].position)
        seen = _WalkedSoFar(FEW + RECENT, len(found), having / (FEW + RECENT))
        for size in _sizes(conn, seen, limit):
            window = _window(walk, size)
            hits = self._within(window, plan, match, walk).limit(limit - len(found))
            found += conn.execute(hits).scalars()
            if len(found) == limit:
                return found
            held, lowest, highest = conn.execute(_extent(window)).one()
            if held < size:
                return found
            walk = walk.behind(highest if walk.is_upwards else lowest)
            seen.add(size, len(found))
        rest = self._rest(plan, match, walk, frequent).limit(limit - len(found))
        return found + list(conn.execute(rest).scalars())

    def relevance(
        self, conn: Connection, match: AllOf, positions: Sequence[int]
    ) -> dict[int, float]:
        """How relevant each of these matches is."""
        rank = func.ts_rank_cd(text(f"'{_WEIGHTS}'"), _table.c.words, _as_tsquery(tsquery(match)))
        wanted = func.unnest(literal(list(positions), ARRAY(BigInteger)))
        scored = select(_position, cast(rank, Float(53)).label("relevance"))
        scored = scored.where(_position.in_(select(wanted)))
        return {row.position: row.relevance for row in conn.execute(scored)}

    def _judged(
        self, walk: Walk, size: int, plan: SearchPlan, match: AllOf, frequent: FrequentWords
    ) -> Select[int, bool, bool]:
        """The first articles of a walk: which match, and which have what the index knows of the match. If many do, it helps little."""
        recent = _window(walk, size).subquery("recent")
        position, words = recent.c.position, recent.c.words
        is_match, loose = _matches(words, tsquery(match)), loose_tsquery(match, frequent)
        judged = select(
            position,
            and_(is_match, *self._conditions(plan, position)).label("is_hit"),
            (is_match if loose is None else _matches(words, loose)).label("has_words"),
        )
        return judged.order_by(_in_order(position, walk))

    def _within(
        self, window: Select[int, str], plan: SearchPlan, match: AllOf, walk: Walk
    ) -> Select[int]:
        """What matches among the articles of a window, which are read in order, and no others."""
        recent = window.subquery("recent")
        found = select(recent.c.position).where(_matches(recent.c.words, tsquery(match)))
        found = found.where(*self._conditions(plan, recent.c.position))
        return found.order_by(_in_order(recent.c.position, walk))

    def _rest(
        self, plan: SearchPlan, match: AllOf, walk: Walk, frequent: FrequentWords
    ) -> Select[int]:
        """What matches on the rest of a walk. It is rare: "+ 0" keeps PostgreSQL from going on article by article."""
        found = self.matching(match, frequent).where(
            _position >= walk.floor, _position < walk.below
        )
        found = found.where(*self._conditions(plan, _position))
        return found.order_by(_in_order(_position + literal_column("0"), walk))

    def _conditions(
        self, plan: SearchPlan, position: ColumnElement[int]
    ) -> list[ColumnElement[bool]]:
        conditions = plan.conditions(self.matching)
        own = schema.article.c.position == position
        return [exists().where(own, *conditions)] if conditions else []


def tsvector(indexed: Indexed, frequent: FrequentWords = NONE_FREQUENT) -> bytes:
    """The words of an article for PostgreSQL: title A, authors B, tags C, text D."""
    stream: list[str] = []
    weights: list[int] = []
    for weight, field in ((3, indexed.title), (2, indexed.authors), (1, indexed.tags)):
        words = [*field.split(), GAP]
        stream += words
        weights += [weight] * len(words)
    stream += indexed.text.split()
    return vector(stream, weights, indexed.facets.split(), frequent)


_ROW = Struct(">hiqi")  # two values, each behind its length


def _packed(position: int, words: bytes) -> tuple[bytes, bytes]:
    return _ROW.pack(2, 8, position, len(words)), words


@dataclass(slots=True)
class _WalkedSoFar:
    """What was gone through of a walk so far."""

    articles: int
    hits: int
    share: float
    """Of the articles: those that have the words, which is what the index would bring."""

    def add(self, articles: int, hits: int) -> None:
        """So many articles more, and so many hits in all."""
        self.articles += articles
        self.hits = hits
        self.share = max(self.share, hits / self.articles)


def _sizes(conn: Connection, seen: _WalkedSoFar, wanted: int) -> Iterator[int]:
    """How many articles to go through next, one after the other, before the index is asked.

    What is frequent is found by going on. So is, in a large store, what is neither frequent nor rare: the index would bring all that have
    the words, and each would be read. Their number grows with the store; how many a page of results needs does not.
    """
    if seen.share >= FREQUENT:
        yield from WINDOWS
        while (
            seen.hits >= FREQUENT * seen.articles
        ):  # who wants many is there sooner than by the index
            yield WINDOWS[-1]
        return
    held = conn.execute(_HELD).scalar_one()
    if held >= LARGE:
        yield MORE
    if seen.hits:
        enough = int(SPARE * (wanted - seen.hits) * seen.articles / seen.hits)
        if enough <= WINDOWS[-1] and enough < DEARER * seen.share * held:
            yield enough


def _in_order(position: ColumnElement[int], walk: Walk) -> ColumnElement[int]:
    return position.asc() if walk.is_upwards else position.desc()


def _window(walk: Walk, size: int) -> Select[int, str]:
    """So many articles, the first of the walk."""
    window = select(_position, _table.c.words)
    window = window.where(_position >= walk.floor, _position < walk.below)
    return window.order_by(_in_order(_position, walk)).limit(size)


def _extent(window: Select[int, str]) -> Select[int, int, int]:
    """How many articles a window has, and the lowest and highest position of them."""
    recent = window.with_only_columns(_position).subquery("recent")
    position = recent.c.position
    return select(func.count(), func.min(position), func.max(position))


def _looked_up(
    words: ColumnElement[str], node: QueryNode, frequent: FrequentWords
) -> list[ColumnElement[bool]]:
    """A match for the index: it is asked for the words alone, and where they stand is looked at in what it finds.

    Asked for a phrase on every page of a text it would weigh dozens of words for each article. IS TRUE keeps it from that.
    """
    loose = loose_tsquery(node, frequent)
    if loose is None:
        return [_matches(words, tsquery(node))]
    return [_matches(words, loose), _matches(words, tsquery(node)).is_(true())]


def _matches(words: ColumnElement[str], query: str) -> ColumnElement[bool]:
    return words.op("@@", is_comparison=True)(_as_tsquery(query))


def _as_tsquery(query: str) -> ColumnElement[str]:
    return cast(literal(query), TSQUERY)
