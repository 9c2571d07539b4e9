"""From the text of a query to its tree, within limits; what cannot be understood is refused with its place.

    storm surge                 both words, anywhere in title, text, authors or tags
    "storm surge"  storm*       the words next to each other; words that begin so
    -storm  -(storm OR surge)   without it
    harbour OR port             one of the two; OR joins its neighbours: `a b OR c` is `a (b OR c)`
    title:storm lang:en after:yesterday quality:>0.5 …

Several `publisher:`, `lang:`, `feed:`, `paywall:` or `state:` side by side mean any of them, and so do several words about
one use in `rights:`; everything else has to hold together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from wireroom.dates.reader_clock import ReaderClock
from wireroom.errors import QueryError
from wireroom.query.query_fields import FIELDS, NEAR, FieldContext, read_field, read_words
from wireroom.query.query_tokens import Token, Typed, shown
from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    CanonicalTerm,
    FacetTerm,
    NotNode,
    Query,
    QueryNode,
    QueryTerm,
    TimeField,
    TimeTerm,
    WordTerm,
    terms_of,
)

MAX_QUERY: Final = 1000  # characters; a longer one was pasted by mistake
MAX_QUERY_WORDS: Final = (
    64  # in all; each is a look-up, and on PostgreSQL one for every page of a text
)
MAX_TERMS: Final = 64  # words, phrases and filters
MAX_DEPTH: Final = 8  # brackets inside brackets; nobody reads more
MAX_PREFIXES: Final = 8  # each may stand for thousands of words


def read_query(text: str, *, now: datetime | None = None, zone: tzinfo = UTC) -> Query:
    """The query in this text; raises QueryError with the place and a hint.

    Days begin by the clock of `zone`; without `now` no moment that counts from it is read.
    """
    if len(text) > MAX_QUERY:
        raise QueryError(
            f"The query has {len(text):,} characters, at most {MAX_QUERY:,} are read.",
            hint="Search for fewer words.",
        )
    typed = Typed(text, tuple(FIELDS), NEAR)
    root = _QueryParser(typed, FieldContext(typed, now, zone)).parse()
    query = Query(root, text)
    _check(query, zone)
    return query


class _QueryParser:
    """Reads tokens from left to right; brackets are the one thing that nests."""

    def __init__(self, typed: Typed, context: FieldContext) -> None:
        self._typed = typed
        self._context = context
        self._tokens = list(typed.tokens())
        self._at = 0

    def parse(self) -> AllOf:
        """The whole query."""
        node = self._sequence(depth=0)
        if self._at < len(self._tokens):
            token = self._tokens[self._at]
            raise self._wrong(token, "closes nothing", "Leave it out, or open one before it.")
        return node

    def _next(self) -> Token | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        self._at += 1
        return token

    def _sequence(self, depth: int) -> AllOf:
        """What stands side by side, up to the bracket that closes it."""
        groups: list[list[QueryNode]] = []
        joint: Token | None = None
        while (token := self._next()) is not None:
            if token.kind == "close":
                self._at -= 1
                break
            if token.kind in ("or", "and"):
                if joint is not None or not groups:
                    raise self._wrong(token, "has nothing before it", _JOIN_HINT)
                joint = token
                continue
            node = self._item(token, depth)
            if node is None:
                continue
            if joint is not None and joint.kind == "or":
                groups[-1].append(node)
            else:
                groups.append([node])
            joint = None
        if joint is not None:
            raise self._wrong(joint, "has nothing behind it", _JOIN_HINT)
        return AllOf(_merged([_any(group) for group in groups]))

    def _item(self, token: Token, depth: int) -> QueryNode | None:
        """One word, field or bracket, with what negates it; None for signs that mean nothing."""
        first, is_wanted = token, True
        while token.kind == "not":
            is_wanted = not is_wanted
            following = self._next()
            if following is None or following.kind not in ("piece", "open", "not"):
                raise self._excludes_nothing(token)
            if not _touch(token, following) and self._is_minus(token):
                raise self._excludes_nothing(token)
            token = following
        node = self._bracket(token, depth) if token.kind == "open" else self._term(token)
        if node is None:
            if first is not token:
                raise self._excludes_nothing(first)
            return None
        return node if is_wanted else _negated(node)

    def _bracket(self, token: Token, depth: int) -> QueryNode:
        if depth == MAX_DEPTH:
            raise self._typed.error(
                token.place,
                f"The bracket at character {token.place} is the {depth + 1}th inside another; "
                f"at most {MAX_DEPTH} are read.",
                "Take some out.",
            )
        inner = self._sequence(depth + 1)
        if self._next() is None:
            raise self._wrong(token, "is never closed", "Close it with a ), or leave it out.")
        if not inner.nodes:
            raise self._wrong(token, "holds no word", "Put words into it, or leave it out.")
        return inner.nodes[0] if len(inner.nodes) == 1 else inner

    def _term(self, token: Token) -> QueryTerm | None:
        if token.field:
            return read_field(token, self._context)
        found = read_words(token, self._context)
        if found is None and token.is_quoted:
            raise self._typed.error(
                token.place,
                f"The quotes at character {token.place} hold no word.",
                "Put letters or digits between them, or leave them out.",
            )
        if found is None and token.is_prefix:
            raise self._typed.error(
                token.place,
                f"The * at character {token.place} stands alone.",
                "Put it behind the beginning of a word, as in storm*",
            )
        return found

    def _is_minus(self, token: Token) -> bool:
        return self._typed.text[token.place - 1] == "-"

    def _wrong(self, token: Token, what: str, hint: str) -> QueryError:
        name = {"open": "bracket", "close": "bracket"}.get(token.kind, token.kind.upper())
        message = f"The {name} at character {token.place} {what}."
        return self._typed.error(token.place, message, hint)

    def _excludes_nothing(self, token: Token) -> QueryError:
        sign = "-" if self._is_minus(token) else "NOT"
        return self._typed.error(
            token.place,
            f"The {sign} at character {token.place} excludes nothing.",
            "Put a word right behind it, as in -sport, or leave it out.",
        )


_JOIN_HINT = 'Put a word on either side, as in harbour OR port; the word itself is "OR" in quotes.'


def _touch(first: Token, second: Token) -> bool:
    return second.place == first.place + 1


def _any(nodes: list[QueryNode]) -> QueryNode:
    return nodes[0] if len(nodes) == 1 else AnyOf(tuple(nodes))


def _negated(node: QueryNode) -> QueryNode:
    """What does not hold; "not after" a moment is "before" it, and the other way round."""
    if isinstance(node, NotNode):
        return node.node
    if isinstance(node, TimeTerm):
        return TimeTerm(node.field, node.at, not node.is_after, node.precision)
    if isinstance(node, CanonicalTerm):
        return CanonicalTerm(is_canonical=not node.is_canonical)
    return NotNode(node)


def _merged(nodes: Sequence[QueryNode]) -> tuple[QueryNode, ...]:
    """The nodes, where facets of one kind side by side became one choice among them."""
    kinds: dict[Hashable, list[QueryNode]] = {}
    for node in nodes:
        kind = _kind(node) if isinstance(node, FacetTerm) else id(node)
        kinds.setdefault(kind, []).append(node)
    return tuple(_any(same) for same in kinds.values())


def _kind(term: FacetTerm) -> Hashable:
    return term.field, term.value.partition("=")[0] if term.field == "rights" else ""


# --- limits ------------------------------------------------------------------------------------


def _check(query: Query, zone: tzinfo) -> None:
    """Refuses what was read well but cannot be meant."""
    if query.is_empty and query.typed.strip():
        raise QueryError(
            f"There is no word in {shown(query.typed)}, only signs.", hint="Type letters or digits."
        )
    for name in ("published", "arrived"):
        _check_span(query, name, zone)
    terms = list(terms_of(query.root))
    words = sum(len(term.phrase.words) if isinstance(term, WordTerm) else 1 for term in terms)
    if words > MAX_QUERY_WORDS or len(terms) > MAX_TERMS:
        raise QueryError(
            f"The query has {words} words, at most {MAX_QUERY_WORDS} are looked for.",
            hint="Leave some out; each pair of Chinese, Japanese, Korean or Thai signs is a word.",
        )
    prefixes = sum(isinstance(term, WordTerm) and term.phrase.is_open for term in terms)
    if prefixes > MAX_PREFIXES:
        raise QueryError(
            f"The query has {prefixes} beginnings of words, at most {MAX_PREFIXES} are looked for.",
            hint="Write some of the words out.",
        )


def _check_span(query: Query, name: TimeField, zone: tzinfo) -> None:
    after, before = span_of(query, name)
    if after and before and after >= before:
        first, last = map(ReaderClock(zone).minute, (after, before))
        raise QueryError(
            f"Nothing can be after {first} and before {last}.",
            hint="Exchange the two dates, or leave one out.",
        )


def span_of(query: Query, name: TimeField) -> tuple[datetime | None, datetime | None]:
    """From when on, and before when, every article of the query is; of several dates the strictest counts."""
    times = [node for node in query.root.nodes if isinstance(node, TimeTerm) and node.field == name]
    return (
        max((term.at for term in times if term.is_after), default=None),
        min((term.at for term in times if not term.is_after), default=None),
    )
