"""Whether a finding says something else than the one before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from wireroom.model import Finding, FindingOutcome, TypedFacts
from wireroom.rights.finding_changes import has_changed

NOW = datetime(2026, 5, 3, tzinfo=UTC)


@dataclass(frozen=True)
class WordFacts:
    words: tuple[str, ...]


def finding(outcome: FindingOutcome = "yes", **facts: Any) -> Finding:
    return Finding(step="any", outcome=outcome, facts=facts, found_at=NOW)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"a": [1, {"b": [2]}]}, {"a": (1, {"b": (2,)})}, False),
        ({"a": [1, 2]}, {"a": (2, 1)}, True),
        ({"a": "1"}, {"a": 1}, True),
        ({"a": None}, {}, True),
        ({"a": 1, "measured": {"n": 1}}, {"a": 1, "measured": {"n": 2}}, False),
        ({"a": str(NOW)}, {"a": NOW}, False),
    ],
)
def test_facts_of_a_step_equal_those_of_the_store(
    before: dict[str, Any], after: dict[str, Any], changed: bool
) -> None:
    assert has_changed(finding(**before), finding(**after), about_page=False) is changed


def test_a_failure_is_no_change_and_another_outcome_is_one() -> None:
    assert has_changed(finding("yes"), finding("no"), about_page=False)
    assert not has_changed(finding("yes"), finding("failed"), about_page=False)
    assert not has_changed(None, finding("yes"), about_page=False)


def test_typed_facts_equal_what_the_store_keeps_of_them() -> None:
    facts = TypedFacts(WordFacts(words=("a", "b")), {"rows": ({"x": 1},)})
    fresh = Finding(step="any", outcome="yes", facts=facts, found_at=NOW)
    kept = finding(words=["a", "b"], rows=[{"x": 1}])
    assert not has_changed(kept, fresh, about_page=False)
    assert has_changed(finding(words=["a"], rows=[{"x": 1}]), fresh, about_page=False)
