"""Cleaning: the quick look says "clean" of nothing that the slow way would change."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.samples import article, lead, reading
from wireroom.errors import StoreError
from wireroom.store.cleaning import DEEPEST_FACTS, _clean, clean

TEXTS = st.text(alphabet=st.sampled_from("aé字\n\t\r\x00\x07\x7f\x85\ud800\ufdd0\uffff\U0001fffe"))
LEAVES = st.none() | st.booleans() | TEXTS | st.integers() | st.floats() | st.binary(max_size=3)
FACTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, FACTS, max_size=4))
def test_the_quick_look_and_the_slow_way_agree(facts: dict[str, Any]) -> None:
    noun = reading(article(1, extra=facts))
    assert repr(clean(noun)) == repr(_clean(noun, 0))


def nested(levels: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"deep": "enough"}
    for _ in range(levels):
        facts = {"deep": facts}
    return facts


@pytest.mark.parametrize("levels", [*range(DEEPEST_FACTS - 4, DEEPEST_FACTS + 3)])
def test_both_stop_at_the_same_depth(levels: int) -> None:
    noun = article(1, extra=nested(levels))
    assert repr(clean(noun)) == repr(_clean(noun, 0))


def test_what_is_clean_is_the_very_same() -> None:
    noun = reading(article(1, extra={"names": ["Ada", "字"], "count": 3, "deep": nested(9)}))
    assert clean(noun) is noun


@pytest.mark.parametrize("bad", ["javascript:alert(1)", "file:///etc/passwd"])
def test_addresses_of_no_web_go_from_values_inside_values(bad: str) -> None:
    cleaned = clean(reading(article(1, image_url=bad)))
    assert cleaned.article is not None
    assert cleaned.article.image_url == ""


def test_times_of_other_zones_become_utc_and_those_of_none_are_refused() -> None:
    there = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=9)))
    cleaned = clean(lead(1, read_after=there)).read_after
    assert cleaned == there
    assert cleaned is not None
    assert cleaned.utcoffset() == timedelta()
    with pytest.raises(StoreError, match="no zone"):
        clean(replace(lead(1), read_after=there.replace(tzinfo=None)))
