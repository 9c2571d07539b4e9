"""Scripts of data are read as browsers and search engines read them, not as standards would."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.parse.metadata.lenient_json import MAX_DEPTH, MAX_SCRIPT_LENGTH, read_values

TABLE: list[tuple[str, str, list[Any]]] = [
    ("strict", '{"a": 1}', [{"a": 1}]),
    ("a list", '[{"a": 1}, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
    ("html comment", '<!-- {"a": 1} -->', [{"a": 1}]),
    ("cdata", '//<![CDATA[\n{"a": 1}\n//]]>', [{"a": 1}]),
    ("cdata in a comment", '/*<![CDATA[*/ {"a": 1} /*]]>*/', [{"a": 1}]),
    ("trailing commas", '{"a": [1, 2,], "b": 3,}', [{"a": [1, 2], "b": 3}]),
    ("line comment", '{"a": 1, // why\n "b": 2}', [{"a": 1, "b": 2}]),
    ("block comment", '{"a": /* old */ 1}', [{"a": 1}]),
    ("a slash in a text", '{"a": "https://x.test/ // no",}', [{"a": "https://x.test/ // no"}]),
    ("line break in a text", '{"a": "x\ny"}', [{"a": "x\ny"}]),
    ("tab in a text", '{"a": "x\ty"}', [{"a": "x\ty"}]),
    ("several objects", '{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
    ("several with semicolons", '{"a": 1};\n{"b": 2};', [{"a": 1}, {"b": 2}]),
    ("wrong escape", r'{"a": "it\'s",}', [{"a": "it's"}]),
    ("escaped quotes", "{&quot;a&quot;: 1}", [{"a": 1}]),
    ("nan", '{"a": NaN, "b": 1}', [{"a": None, "b": 1}]),
    ("infinity", '{"a": 1e999, "b": 1}', [{"a": None, "b": 1}]),
    ("huge number", '{"a": ' + "9" * 40 + ', "b": 1}', [{"a": None, "b": 1}]),
    ("huger number", '{"a": ' + "9" * 5000 + ', "b": 1}', [{"a": None, "b": 1}]),
    ("huge number on a line", '{\n  "a": 1234567890123456789,\n  "b": 1\n}', [{"a": None, "b": 1}]),
    ("many digits in a text", '{"a": "1234567890123456789"}', [{"a": "1234567890123456789"}]),
    ("control in a text", '{\n"a": "x\x7fy"\n}', [{"a": "xy"}]),
    ("nul", '{"a": "x\\u0000y"}', [{"a": "xy"}]),
    ("half a character", '{"a": "x\\ud800y"}', [{"a": "xy"}]),
    ("markup stays raw", '{"a": "&amp;<b>"}', [{"a": "&amp;<b>"}]),
    ("nothing", "  ", []),
    ("prose", "hello", []),
    ("cut off", '{"a": 1, "b": ', []),
]


@pytest.mark.parametrize(
    ("text", "values"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_scripts_are_read_as_meant(text: str, values: list[Any]) -> None:
    assert read_values(text) == values


def test_deep_nesting_is_refused_or_cut() -> None:
    assert read_values("[" * 10_000 + "]" * 10_000) == []
    value: Any = read_values('{"a":' * 100 + "1" + "}" * 100)[0]
    depth = 0
    while isinstance(value, dict):
        value, depth = value["a"], depth + 1
    assert depth == MAX_DEPTH
    assert value is None


def test_too_long_scripts_are_not_read() -> None:
    assert read_values('{"a": "' + "x" * MAX_SCRIPT_LENGTH + '"}') == []


@given(st.text(max_size=300))
def test_nothing_raises(text: str) -> None:
    assert isinstance(read_values(text), list)


@given(st.recursive(st.none() | st.booleans() | st.integers(-1000, 1000), st.lists, max_leaves=20))
def test_what_is_json_comes_back(value: Any) -> None:
    assert read_values(json.dumps([value])) == [[value]]


@given(st.text(alphabet='{}[]",:/\\*a1<!->', max_size=200))
def test_nothing_raises_on_near_json(text: str) -> None:
    assert isinstance(read_values(text), list)
