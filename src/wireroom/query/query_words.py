"""A query said back in words: `harbour or port, in English, since May, not sport`.

Pure: "now" and the reader's zone are arguments. What was typed stands in it as it was understood, so that whoever meant
something else sees it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from wireroom.dates.reader_clock import ReaderClock
from wireroom.query.query_fields import language_name
from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    CanonicalTerm,
    FacetTerm,
    NotNode,
    QualityTerm,
    Query,
    QueryNode,
    TimeTerm,
    WordTerm,
)

EVERYTHING_WORDS: Final = "every article"

_PAYWALLS: Final = {
    "free": "free to read",
    "metered": "behind a metered paywall",
    "locked": "behind a paywall",
    "registration": "behind a registration",
    "unknown": "with an unknown paywall",
}
_RIGHTS: Final = {
    "allow": "allowed for {}",
    "deny": "denied for {}",
    "paid": "for {} against payment",
    "unknown": "undecided for {}",
}
_COMPARISONS: Final = {
    ">": "quality above {}",
    ">=": "quality {} or more",
    "<": "quality below {}",
    "<=": "quality {} or less",
}
_COLUMNS: Final = {"": "{}", "title": "{} in the title", "authors": "by {}", "tags": "tagged {}"}


def explain_query(query: Query, *, now: datetime, zone: tzinfo = UTC) -> str:
    """What the query was understood to ask for."""
    if query.is_empty:
        return EVERYTHING_WORDS
    return _listed(query.root, _Calendar(now, zone))


class _Calendar:
    """Says moments by the reader's clock, and leaves out what goes without saying."""

    def __init__(self, now: datetime, zone: tzinfo) -> None:
        self._clock = ReaderClock(zone)
        self._today = self._clock.local(now)

    def words(self, term: TimeTerm) -> str:
        """`May`, `3 May 2025`, `yesterday`, `14:30 today`."""
        at = self._clock.local(term.at)
        if term.precision == "year":
            return f"{at.year}"
        if term.precision == "month":
            return f"{at:%B}{self._year(at)}"
        return (
            self._day(at) if term.precision == "day" else f"{self._clock.hour(at)} {self._on(at)}"
        )

    def is_one_day(self, first: QueryNode, second: QueryNode) -> bool:
        """Whether two terms name the two ends of one day of publication."""
        if not isinstance(first, TimeTerm) or not isinstance(second, TimeTerm):
            return False
        if (first.field, second.field) != ("published", "published"):
            return False
        if (
            not first.is_after
            or second.is_after
            or (first.precision, second.precision) != ("day", "day")
        ):
            return False
        begin, end = self._clock.local(first.at), self._clock.local(second.at)
        return end.date() - begin.date() == timedelta(days=1)

    def day(self, term: TimeTerm) -> str:
        """`today`, `on 3 May`."""
        return self._on(self._clock.local(term.at))

    def _day(self, at: datetime) -> str:
        if at.date() == self._today.date():
            return "today"
        if at.date() == self._today.date() - timedelta(days=1):
            return "yesterday"
        return f"{at.day} {at:%B}{self._year(at)}"

    def _on(self, at: datetime) -> str:
        day = self._day(at)
        return day if day in ("today", "yesterday") else f"on {day}"

    def _year(self, at: datetime) -> str:
        return "" if at.year == self._today.year else f" {at.year}"


def _listed(node: AllOf, calendar: _Calendar) -> str:
    parts: list[str] = []
    nodes = list(node.nodes)
    while nodes:
        first = nodes.pop(0)
        if nodes and isinstance(first, TimeTerm) and calendar.is_one_day(first, nodes[0]):
            nodes.pop(0)
            parts.append(calendar.day(first))
        else:
            parts.append(_node(first, calendar))
    return ", ".join(parts)


def _node(node: QueryNode, calendar: _Calendar) -> str:
    if isinstance(node, NotNode):
        return f"not {_closed(node.node, calendar)}"
    if isinstance(node, AnyOf):
        return " or ".join(_closed(each, calendar) for each in node.nodes)
    if isinstance(node, AllOf):
        return _listed(node, calendar)
    if isinstance(node, WordTerm):
        return _words(node)
    if isinstance(node, FacetTerm):
        return _facet(node)
    if isinstance(node, TimeTerm):
        arrived = "arrived " if node.field == "arrived" else ""
        return f"{arrived}{'since' if node.is_after else 'before'} {calendar.words(node)}"
    if isinstance(node, QualityTerm):
        return _COMPARISONS[node.comparison].format(f"{node.value:g}")
    assert isinstance(node, CanonicalTerm)  # noqa: S101 - the last kind
    return "without near-duplicates" if node.is_canonical else "near-duplicates only"


def _closed(node: QueryNode, calendar: _Calendar) -> str:
    """In brackets, where several stand together."""
    words = _node(node, calendar)
    return f"({words})" if isinstance(node, AllOf | AnyOf) else words


def _words(term: WordTerm) -> str:
    """What was typed, in one line and without signs a terminal could act on."""
    plain = "".join(sign if sign.isprintable() or sign.isspace() else "?" for sign in term.typed)
    typed = " ".join(plain.split())
    typed = f'"{typed}"' if " " in typed else typed
    if term.phrase.is_open and typed.isascii():
        typed = f"{typed}…" if '"' not in typed else f'{typed[:-1]}…"'
    return _COLUMNS[term.column].format(typed)


def _facet(term: FacetTerm) -> str:
    value = "".join(sign if sign.isprintable() else "?" for sign in term.value)
    if term.field == "publisher":
        return f"from {value}"
    if term.field == "lang":
        return f"in {language_name(value)}"
    if term.field == "feed":
        return f"by the feed {value}"
    if term.field == "paywall":
        return _PAYWALLS[value]
    if term.field == "rights":
        use, _, word = value.partition("=")
        return _RIGHTS[word].format(use)
    return value  # its state: held, withdrawn
