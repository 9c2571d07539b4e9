"""Words and facets of a query in the two match languages: FTS5's and PostgreSQL's `tsquery`.

Pure. Knows the languages, runs neither. Nothing typed ever reaches a database as its own syntax: words come from
`word_split`, which leaves letters and digits alone, and stand in quotes all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    FacetTerm,
    NotNode,
    QueryNode,
    WordColumn,
    WordTerm,
)
from wireroom.query.word_split import Phrase
from wireroom.store.search.index_terms import EVERY_ARTICLE, facet_of
from wireroom.store.search.word_places import (
    MAX_PAGES,
    MORE_PAGES,
    FrequentWords,
    generation_lexeme,
    on_page,
    pair_lexeme,
    quoted_lexeme,
)

MatchTerm: TypeAlias = WordTerm | FacetTerm

_WEIGHTS: dict[WordColumn, str] = {"": "", "title": "A", "authors": "B", "tags": "C"}


def is_matchable(node: QueryNode) -> bool:
    """Whether the index of words alone can say for which articles the node holds."""
    if isinstance(node, NotNode):
        return is_matchable(node.node)
    if isinstance(node, AllOf | AnyOf):
        return all(map(is_matchable, node.nodes))
    return isinstance(node, WordTerm | FacetTerm)


# --- SQLite ------------------------------------------------------------------------------------


def fts5_match(node: QueryNode) -> str:
    """The node for SQLite's MATCH; FTS5 knows "without" only behind something that is wanted."""
    if isinstance(node, AllOf):
        return _fts5_all(node)
    if isinstance(node, AnyOf):
        return f"({' OR '.join(map(fts5_match, node.nodes))})"
    if isinstance(node, NotNode):
        return f"({_fts5_quoted(EVERY_ARTICLE)} NOT {fts5_match(node.node)})"
    return _fts5_term(node)


def _fts5_all(node: AllOf) -> str:
    unwanted = [each.node for each in node.nodes if isinstance(each, NotNode)]
    wanted = [fts5_match(each) for each in node.nodes if not isinstance(each, NotNode)]
    match = " AND ".join(wanted or [_fts5_quoted(EVERY_ARTICLE)])
    if not unwanted:
        return f"({match})"
    return f"(({match}) NOT {fts5_match(AnyOf(tuple(unwanted)))})"


def _fts5_term(term: QueryNode) -> str:
    if isinstance(term, FacetTerm):
        return _fts5_quoted(facet_of(term))
    assert isinstance(term, WordTerm)  # noqa: S101 - `is_matchable` was asked
    column = f"{term.column} : " if term.column else ""
    beginning = " *" if term.phrase.is_open else ""
    return f"{column}{_fts5_quoted(' '.join(term.phrase.words))}{beginning}"


def _fts5_quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


# --- PostgreSQL --------------------------------------------------------------------------------


def tsquery(node: QueryNode) -> str:
    """The node for PostgreSQL's `::tsquery`."""
    if isinstance(node, AllOf):
        return _ts_all(map(tsquery, node.nodes)) if node.nodes else quoted_lexeme(EVERY_ARTICLE)
    if isinstance(node, AnyOf):
        return _ts_any(map(tsquery, node.nodes))
    if isinstance(node, NotNode):
        return _ts_all((quoted_lexeme(EVERY_ARTICLE), f"!{tsquery(node.node)}"))
    return _ts_term(node)


def loose_tsquery(node: QueryNode, frequent: FrequentWords) -> str | None:
    """What every match has, wherever its words stand: phrases as single words; None when that is the node itself.

    The index of PostgreSQL knows which words an article has, not where: this is what it can answer alone. Of two frequent
    words it knows whether they stand together.
    """
    if isinstance(node, WordTerm) and len(node.phrase.words) > 1:
        return _ts_all(_loose_words(node.phrase, frequent))
    if isinstance(node, AllOf):
        loose = [loose_tsquery(each, frequent) for each in node.nodes]
        if not any(loose):
            return None
        return _ts_all(new or tsquery(old) for new, old in zip(loose, node.nodes, strict=True))
    if isinstance(node, AnyOf):
        loose = [loose_tsquery(each, frequent) for each in node.nodes]
        return _ts_any(filter(None, loose)) if all(loose) else None
    return None


def _loose_words(phrase: Phrase, frequent: FrequentWords) -> Iterator[str]:
    words = phrase.words
    whole = words[:-1] if phrase.is_open else words
    yield from map(quoted_lexeme, words[:-1])
    yield _ts_on_page(WordTerm(Phrase(words[-1:], phrase.is_open)), 0)
    for first, second in pairwise(whole):
        if pair := pair_lexeme(first, second, frequent):
            # Articles that were saved before both words were known to be frequent have no pairs of them.
            before = range(max(frequent.since[first], frequent.since[second]))
            yield _ts_any(map(quoted_lexeme, (pair, *map(generation_lexeme, before))))


def _ts_term(term: QueryNode) -> str:
    """A word alone is plain on every page; one with neighbours or a column is sought page by page."""
    if isinstance(term, FacetTerm):
        return quoted_lexeme(facet_of(term))
    assert isinstance(term, WordTerm)  # noqa: S101 - `is_matchable` was asked
    if len(term.phrase.words) == 1 and not term.column:
        return _ts_on_page(term, 0)
    later = _ts_any(map(partial(_ts_on_page, term), range(1, MAX_PAGES)))
    return _ts_any((_ts_on_page(term, 0), f"({quoted_lexeme(MORE_PAGES)} & {later})"))


def _ts_on_page(term: WordTerm, page: int) -> str:
    weight = _WEIGHTS[term.column]
    lexemes = [quoted_lexeme(on_page(word, page)) for word in term.phrase.words]
    if weight:
        lexemes = [f"{lexeme}:{weight}" for lexeme in lexemes]
    if term.phrase.is_open:
        lexemes[-1] += "*" if weight else ":*"
    return f"({' <-> '.join(lexemes)})"


def _ts_all(matches: Iterable[str]) -> str:
    return f"({' & '.join(matches)})"


def _ts_any(matches: Iterable[str]) -> str:
    return f"({' | '.join(matches)})"
