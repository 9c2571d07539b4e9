"""The filters of a query one by one, and what is left without each."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.query import read_query
from wireroom.query.query_parts import QueryFilter, query_filters
from wireroom.query.query_tree import FacetTerm, TimeTerm

NOW = datetime(2026, 11, 18, 7, 20, tzinfo=UTC)
VIENNA = ZoneInfo("Europe/Vienna")


def found(text: str) -> list[QueryFilter]:
    return list(query_filters(text, now=NOW, zone=VIENNA))


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("", []),
        ("harbour OR port -sport", []),
        ("harbour lang:en -sport", [("in English", "harbour -sport")]),
        ("a AND lang:en AND b", [("in English", "a b")]),
        ("lang:en lang:fr", [("in English", "lang:fr"), ("in French", "lang:en")]),
        ("lang:en OR lang:fr AND x", [("in English or in French", "x")]),
        ("(a AND lang:en) OR b c", [("(a, in English) or b", "c")]),
        ("-(feed:a OR tag:b) c", [("not (by the feed a or tagged b)", "c")]),
        ("NOT NOT lang:en x", [("in English", "x")]),
        ("“storm surge” title:“x y”", [('"x y" in the title', "“storm surge”")]),
        ("rights:ai-train=allow & x", [("allowed for ai-train", "x")]),
        ("after:2026-05-03 until:2026-05-03 x", [("on 3 May", "x")]),
        ("after:2026-05-03 x until:2026-05-03", [("since 3 May", "x until:2026-05-03"), ("before 4 May", "after:2026-05-03 x")]),
    ],
)  # fmt: skip
def test_each_filter_has_its_words_and_the_rest(text: str, filters: list[tuple[str, str]]) -> None:
    assert [(each.words, each.rest) for each in found(text)] == filters


def test_one_thing_that_has_to_hold_is_named() -> None:
    terms = [each.term for each in found("lang:en -lang:fr (feed:a OR feed:b) after:2026-05-03")]
    assert terms[0] == FacetTerm("lang", "en")
    assert terms[1:3] == [None, None]
    assert isinstance(terms[3], TimeTerm)


WORDS = ("harbour", '"storm surge"', "-sport", "(a OR b)", "storm*")
FILTERS = (
    "lang:en",
    'publisher:"courier.test"',
    "-feed:a",
    "quality:>0.5",
    "is:canonical",
    "title:x",
)


@given(
    st.lists(st.tuples(st.sampled_from((*WORDS, *FILTERS)), st.sampled_from((" ", " AND ", "  "))))
)
def test_what_is_left_is_the_query_without_it(typed: list[tuple[str, str]]) -> None:
    parts = [part for part, _ in typed][:8]
    text = "".join(part + joint for part, joint in typed[:8]).removesuffix(" AND ")
    expected = [
        read_query(" ".join((*parts[:at], *parts[at + 1 :]))).root
        for at, part in enumerate(parts)
        if part in FILTERS
    ]
    assert [read_query(each.rest).root for each in found(text)] == expected
