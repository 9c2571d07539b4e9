"""Whether a finding says something else than the one before it. Pure.

What was only measured, and which pages happened to be seen, is no change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wireroom.model import Facts, Finding

MEASURED: Final = "measured"
FLEETING: Final = frozenset({MEASURED, "page_url", "heard", "last"})
"""Facts that may differ each time somebody looks: numbers, which pages were seen, what was known before a step failed."""
_NAMES: Final = ("url", "page_url", "licence_url")
"""By which a row of facts names the page or document that it was read from."""


def lasting_facts(facts: Facts) -> dict[str, Any]:
    """The facts without those that differ each time somebody looks."""
    return {name: fact for name, fact in facts.items() if name not in FLEETING}


def has_changed(before: Finding | None, after: Finding, *, about_page: bool) -> bool:
    """Whether the publisher says something else; not that somebody could not look, or saw another page."""
    if before is None or not (has_answer(before) and has_answer(after)):
        return False
    old, new = comparable(before.facts), comparable(after.facts)
    if not about_page:
        return before.outcome != after.outcome or lasting_facts(old) != lasting_facts(new)
    both = set(answered_urls(before)) & set(answered_urls(after))
    return any(list(_rows_about(old, url)) != list(_rows_about(new, url)) for url in both)


def has_answer(finding: Finding) -> bool:
    """Whether its step could ask: unknown is an answer, failed and skipped are none."""
    return finding.outcome not in {"failed", "skipped"}


def comparable(fact: Any) -> Any:
    """A fact so that one of a step that has just run equals its like from the store, where tuples are lists."""
    if isinstance(fact, Mapping):
        return {str(name): comparable(part) for name, part in fact.items()}
    if isinstance(fact, list | tuple):
        return [comparable(part) for part in fact]
    return fact if fact is None or isinstance(fact, str | int | float) else str(fact)


def answered_urls(finding: Finding, *kept: str) -> Iterator[str]:
    """The pages and documents for which a server answered."""
    measured = finding.facts.get(MEASURED)
    for name in kept or ("pages_at", "documents_at"):
        times = measured.get(name) if isinstance(measured, Mapping) else None
        if isinstance(times, Mapping):
            yield from (url for url, at in times.items() if at is not None)


def _rows_about(facts: Facts, url: str) -> Iterator[object]:
    """Every row of facts that was read at the address."""
    for name, fact in facts.items():
        if name in FLEETING:
            continue
        if name == "file" and facts.get("file_url") == url:
            yield fact
        if isinstance(fact, list | tuple):
            yield from (row for row in _rows(fact) if url in map(row.get, _NAMES))


def _rows(fact: Iterable[object]) -> Iterator[Mapping[str, object]]:
    return (row for row in fact if isinstance(row, Mapping))
