"""The cache that forgets what was unused for the longest."""

from __future__ import annotations

from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.lru import LruCache


def _filled(size: int, keys: str) -> LruCache[str, int]:
    cache: LruCache[str, int] = LruCache(size)
    for number, key in enumerate(keys):
        cache[key] = number
    return cache


def test_a_full_cache_forgets_what_was_unused_for_the_longest() -> None:
    cache = _filled(2, "ab")
    assert cache.get("a") == 0
    cache["c"] = 2
    assert "b" not in cache
    assert [key for key, _ in cache.items()] == ["a", "c"]


def test_setting_a_value_anew_counts_as_use() -> None:
    cache = _filled(2, "aba")
    cache["c"] = 3
    assert list(cache.items()) == [("a", 2), ("c", 3)]


def test_asking_whether_a_key_is_there_is_no_use() -> None:
    cache = _filled(2, "ab")
    assert "a" in cache
    assert list(cache.values()) == [0, 1]
    cache["c"] = 2
    assert "a" not in cache


def test_values_can_be_taken_out() -> None:
    cache = _filled(3, "abc")
    assert (cache.pop("b"), cache.pop("b"), cache.get("b")) == (1, None, None)
    assert len(cache) == 2
    cache.clear()
    assert len(cache) == 0


def test_false_values_are_values() -> None:
    cache: LruCache[str, tuple[str, ...]] = LruCache(1)
    cache["a"] = ()
    assert cache.get("a") == ()


def test_a_cache_without_room_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        LruCache(0)


@given(st.integers(1, 5), st.lists(st.tuples(st.booleans(), st.integers(0, 9))))
def test_it_keeps_what_the_plain_form_keeps(size: int, steps: list[tuple[bool, int]]) -> None:
    cache: LruCache[int, int] = LruCache(size)
    expected: OrderedDict[int, int] = OrderedDict()
    for number, (is_read, key) in enumerate(steps):
        if is_read:
            assert cache.get(key) == expected.get(key)
        else:
            cache[key] = expected[key] = number
        if key in expected:
            expected.move_to_end(key)
        while len(expected) > size:
            expected.popitem(last=False)
        assert list(cache.items()) == list(expected.items())
