"""Structured dictionaries: what follows the grammar is read, everything else is refused whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.signals.outcomes import outcome
from wireroom.errors import ParseError
from wireroom.parse.structured_fields import (
    MAX_DICTIONARY,
    MAX_MEMBERS,
    Member,
    read_dictionary,
)

_TOKEN = Member("token", "n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("   ", {}),
        ("train-ai=n", {"train-ai": _TOKEN}),
        ("  train-ai=n  ", {"train-ai": _TOKEN}),
        ("a=n,\tb=n", {"a": _TOKEN, "b": _TOKEN}),
        ("a=n;p=1;q, b=n", {"a": _TOKEN, "b": _TOKEN}),
        ("a", {"a": Member("boolean")}),
        ("a;x=?0", {"a": Member("boolean")}),
        ("a=?1", {"a": Member("boolean")}),
        ("a=1", {"a": Member("number")}),
        ("a=-12.5", {"a": Member("number")}),
        ('a="n, b=y"', {"a": Member("string")}),
        (r'a="\"\\"', {"a": Member("string")}),
        ("a=:bg==:", {"a": Member("bytes")}),
        ("a=@1659578233", {"a": Member("date")}),
        ('a=%"f%c3%bc"', {"a": Member("display")}),
        ("a=(n y;q=1 1), b=n", {"a": Member("list"), "b": _TOKEN}),
        ("a=()", {"a": Member("list")}),
        ("a=y, a=n", {"a": _TOKEN}),
        ("a=*x:/y", {"a": Member("token", "*x:/y")}),
    ],
)
def test_what_follows_the_grammar_is_read(text: str, found: dict[str, Member]) -> None:
    assert read_dictionary(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Train-AI=n",
        "a=",
        "a=n,",
        ",a=n",
        "a=n b=n",
        "a n",
        "a=n;",
        "a=(n",
        "a=(n,y)",
        'a="n',
        "a=1.2345",
        "a=1234567890123456",
        "a=?2",
        "a=n\n",
        "ä=n",
        "=n",
    ],
)
def test_what_does_not_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="structured dictionary"):
        read_dictionary(text)


def test_length_and_number_are_bounded() -> None:
    with pytest.raises(ParseError, match="characters"):
        read_dictionary("a" * (MAX_DICTIONARY + 1))
    with pytest.raises(ParseError, match="members"):
        read_dictionary(", ".join(f"k{n}" for n in range(MAX_MEMBERS + 1)))
    with pytest.raises(ParseError):
        read_dictionary(f"a=({' '.join('1' * 400)})")


@given(st.text(max_size=200))
def test_any_text_is_a_dictionary_or_an_error(text: str) -> None:
    read = outcome(lambda: read_dictionary(text))
    assert isinstance(read, str) or all(key == key.lower() for key in read)
