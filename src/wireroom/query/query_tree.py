"""A query as it was understood: a tree of terms.

Leaves are terms: words, facets (what an article is), a time, its quality, whether it is canonical. Inner nodes say which of them
have to hold: all, any, or not. A term keeps what was typed, for whoever says it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as field_of
from datetime import datetime
from typing import Final, Literal, TypeAlias

from wireroom.dates.typed_moments import TypedPrecision
from wireroom.query.word_split import Phrase

WordColumn = Literal["", "title", "authors", "tags"]
FacetField = Literal["publisher", "lang", "feed", "paywall", "state", "rights"]
TimeField = Literal["published", "arrived"]
Comparison = Literal[">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True)
class WordTerm:
    """Words next to each other, anywhere or in one column."""

    phrase: Phrase
    column: WordColumn = ""
    typed: str = field_of(default="", compare=False)


@dataclass(frozen=True, slots=True)
class FacetTerm:
    """One thing an article is: of a publisher, in a language, by a feed, behind a paywall, withdrawn, allowed for a use."""

    field: FacetField
    value: str
    """As it is compared; of rights `use=word`."""


@dataclass(frozen=True, slots=True)
class TimeTerm:
    """From this moment on, or before it."""

    field: TimeField
    at: datetime
    is_after: bool
    precision: TypedPrecision = field_of(default="minute", compare=False)


@dataclass(frozen=True, slots=True)
class QualityTerm:
    """How good the reading of an article is, from 0 to 1, against a number."""

    comparison: Comparison
    value: float


@dataclass(frozen=True, slots=True)
class CanonicalTerm:
    """Whether no other member of an article's cluster is canonical in its place."""

    is_canonical: bool = True


@dataclass(frozen=True, slots=True)
class NotNode:
    """What must not hold."""

    node: QueryNode


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of them hold; of none at all, everything does."""

    nodes: tuple[QueryNode, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of them holds."""

    nodes: tuple[QueryNode, ...]


QueryTerm: TypeAlias = WordTerm | FacetTerm | TimeTerm | QualityTerm | CanonicalTerm
QueryNode: TypeAlias = QueryTerm | NotNode | AllOf | AnyOf

EVERYTHING: Final = AllOf()


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was understood, and as it was typed."""

    root: AllOf = EVERYTHING
    typed: str = field_of(default="", compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for: every article matches."""
        return not self.root.nodes


def terms_of(node: QueryNode) -> Iterator[QueryTerm]:
    """Every term below a node, in the order in which they were typed."""
    for term, _ in signed_terms(node):
        yield term


def wanted_terms(query: Query) -> tuple[WordTerm, ...]:
    """The words that an article is found by, for whoever marks them in its text; not those it must not have."""
    return tuple(
        term for term, wanted in signed_terms(query.root) if wanted and isinstance(term, WordTerm)
    )


def signed_terms(node: QueryNode, *, is_wanted: bool = True) -> Iterator[tuple[QueryTerm, bool]]:
    """Every term below a node, and whether it is to hold or not to hold."""
    if isinstance(node, NotNode):
        yield from signed_terms(node.node, is_wanted=not is_wanted)
    elif isinstance(node, AllOf | AnyOf):
        for each in node.nodes:
            yield from signed_terms(each, is_wanted=is_wanted)
    else:
        yield node, is_wanted
