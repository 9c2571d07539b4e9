"""The filters of a query one by one, each with the query that is left without it.

Pure. A filter is what stands at the top of a query and says more than a word: `lang:en`, `-(feed:a OR tag:b)`. Words are
left to whoever types them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Final, TypeAlias

from wireroom.errors import QueryError
from wireroom.query.query_fields import FIELDS, NEAR
from wireroom.query.query_reader import read_query
from wireroom.query.query_tokens import Token, Typed
from wireroom.query.query_tree import Query, QueryTerm, TimeTerm, WordTerm, terms_of
from wireroom.query.query_words import explain_query

_STARTS: Final = frozenset({"not", "open", "piece"})
"""Tokens with which a part may begin; `AND` says what standing side by side says anyway."""


_Part: TypeAlias = tuple[str, Query]
"""As it was typed, and as it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFilter:
    """One filter of a query."""

    words: str
    """Said back: `in English`, `on 3 May`."""
    rest: str
    """The query without it."""
    term: QueryTerm | None = None
    """What it asks for, where that is one thing that has to hold."""


def query_filters(text: str, *, now: datetime, zone: tzinfo) -> tuple[QueryFilter, ...]:
    """The filters of a query that can be read; two that name the ends of one day are one."""
    read = ((part, _read(part, now, zone)) for part in _parts(text))
    parts = [(part, query) for part, query in read if query is not None]
    found: list[QueryFilter] = []
    at = 0
    while at < len(parts):
        size = 2 if _is_day(parts[at : at + 2], now, zone) else 1
        query = _read(_joined(parts[at : at + size]), now, zone)
        if query is not None and _is_filter(query):
            rest = _joined((*parts[:at], *parts[at + size :]))
            words = explain_query(query, now=now, zone=zone)
            found.append(QueryFilter(words=words, rest=rest, term=_only_term(query)))
        at += size
    return tuple(found)


def _parts(text: str) -> Iterator[str]:
    """What stands side by side at the top, each with what `OR` joins to it."""
    edges = [*_edges(Typed(text, tuple(FIELDS), NEAR).tokens()), (len(text), False)]
    for (start, is_part), (end, _) in pairwise(edges):
        if is_part:
            yield text[start:end].strip()


def _edges(tokens: Iterable[Token]) -> Iterator[tuple[int, bool]]:
    """Where each part begins; an `AND` between two ends the first, and is none itself."""
    depth, goes_on = 0, False
    for token in tokens:
        if not depth and token.kind == "and":
            yield token.place - 1, False
        elif not depth and not goes_on and token.kind in _STARTS:
            yield token.place - 1, True
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        goes_on = token.kind in {"not", "or"}


def _read(text: str, now: datetime, zone: tzinfo) -> Query | None:
    """The part as a query; None for signs that mean nothing by themselves."""
    try:
        return read_query(text, now=now, zone=zone)
    except QueryError:
        return None


def _is_filter(query: Query) -> bool:
    return any(not isinstance(term, WordTerm) or term.column for term in terms_of(query.root))


def _joined(parts: Iterable[_Part]) -> str:
    return " ".join(text for text, _ in parts)


def _is_day(parts: Sequence[_Part], now: datetime, zone: tzinfo) -> bool:
    """Whether these are both ends of one day, which are said as that day."""
    if len(parts) < 2 or not all(isinstance(_only_term(query), TimeTerm) for _, query in parts):
        return False
    both = _read(_joined(parts), now, zone)
    return both is not None and ", " not in explain_query(both, now=now, zone=zone)


def _only_term(query: Query) -> QueryTerm | None:
    node = query.root.nodes[0] if len(query.root.nodes) == 1 else None
    return node if isinstance(node, QueryTerm) else None
