"""An article as JSON and back: nothing is lost, and what is no article is told."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.export.samples import NOW, article, bare, hostile
from wireroom.errors import DeliverError
from wireroom.export.article_json import FIELDS, from_line, from_plain, to_line, to_plain
from wireroom.model import USES, Article, Condition, RawPage, Receipt, Verdict

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TIMES = st.timedeltas(timedelta(-40_000), timedelta(40_000)).map(lambda span: NOW + span)
FACTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
RECEIPTS = st.builds(
    Receipt,
    verdicts=st.lists(
        st.builds(
            Verdict,
            use=st.sampled_from(USES),
            value=st.sampled_from(("allow", "deny", "paid", "unknown")),
            conditions=st.lists(
                st.builds(Condition, kind=st.just("territory"), detail=TEXTS), max_size=2
            ).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    robots=st.sampled_from(("allowed", "disallowed", "unknown")),
    licence_url=TEXTS,
    checked_at=TIMES,
)
ARTICLES = st.builds(
    Article,
    id=TEXTS,
    publisher=TEXTS,
    url=TEXTS,
    title=TEXTS,
    text=TEXTS,
    layout=TEXTS,
    authors=st.lists(TEXTS, max_size=3).map(tuple),
    fetched_at=TIMES,
    published_at=st.none() | TIMES,
    quality=st.floats(0, 1),
    word_count=st.integers(0, 10**6),
    sources=st.dictionaries(TEXTS, TEXTS, max_size=3),
    extra=st.dictionaries(TEXTS, FACTS, max_size=3),
    receipt=st.none() | RECEIPTS,
    state=st.sampled_from(("held", "withdrawn")),
    version=st.integers(1, 100),
)


@pytest.mark.parametrize("original", [article(), bare(), article(receipt=None)])
def test_an_article_comes_back_as_it_was(original: Article) -> None:
    assert from_line(to_line(original)) == original
    assert from_plain(to_plain(original)) == original
    assert from_plain(json.loads(json.dumps(to_plain(original)))) == original


@pytest.mark.long
@given(ARTICLES)
def test_any_article_comes_back_as_it_was(article: Article) -> None:
    line = to_line(article)
    assert line.count(b"\n") == 1
    assert from_line(line) == article


def test_raw_pages_stay_at_home() -> None:
    with_page = replace(article(), raw=RawPage(body=b"<html>"))
    assert "raw" not in to_plain(with_page)
    assert from_line(to_line(with_page)) == article()


def test_plain_data_has_every_field_and_times_with_their_zone() -> None:
    plain = to_plain(article())
    assert tuple(plain) == FIELDS
    assert plain["fetched_at"] == "2026-05-03T12:00:00.250000+00:00"
    assert plain["receipt"]["checked_at"] == plain["fetched_at"]
    assert list(plain["authors"]) == ["Ada Quill", "Zoë 清"]


def test_what_the_store_would_have_cleaned_is_written_all_the_same() -> None:
    back = from_line(to_line(hostile()))
    assert back.extra["half"] == "?"
    assert back.extra["odd"] == str(NOW)
    assert back.title == hostile().title


def test_a_line_of_a_later_wireroom_is_read_as_far_as_it_is_known() -> None:
    later = to_plain(article()) | {"mood": "calm"}
    assert from_line(json.dumps(later).encode()) == article()


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"id": 1}', b'{"id": "a"}', b"\xff"])
def test_what_is_no_article_is_reported_in_one_line(line: bytes) -> None:
    with pytest.raises(DeliverError, match="no article") as caught:
        from_line(line)
    assert "\n" not in caught.value.message


def test_plain_data_that_is_no_article_is_reported() -> None:
    with pytest.raises(DeliverError, match="title"):
        from_plain({"id": "a", "publisher": "b", "url": "c", "fetched_at": NOW.isoformat()})
