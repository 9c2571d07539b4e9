"""What stays of an article that may not be kept whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from wireroom.model import Article, RawPage
from wireroom.rights.policy import Policy, StorageAnswer, reduce_article

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
WHOLE = Article(
    id="a1",
    publisher="courier.test",
    url="https://courier.test/1",
    title="Harbour",
    fetched_at=NOW,
    text="one two three four five six",
    layout="2",
    text_hash="h",
    word_count=6,
    extra={"json_ld": [{"articleBody": "one two three"}], "section": "Port"},
    raw=RawPage(body=b"<p>one two"),
)
POLICY = Policy(excerpt_words=3)


def test_what_may_be_kept_whole_stays_as_it_is() -> None:
    assert reduce_article(WHOLE, StorageAnswer("text"), POLICY) is WHOLE


def test_an_excerpt_has_so_many_words_and_says_why() -> None:
    kept = reduce_article(WHOLE, StorageAnswer("excerpt", "archive: deny"), POLICY)
    assert kept is not None
    assert kept.text == "one two three…"
    assert kept.extra == {"section": "Port", "kept": "excerpt", "kept_because": "archive: deny"}
    assert (kept.raw, kept.text_hash, kept.word_count) == (None, "h", 6)
    assert kept.layout == ""


def test_a_text_shorter_than_an_excerpt_keeps_its_layout() -> None:
    kept = reduce_article(WHOLE, StorageAnswer("excerpt"), Policy(excerpt_words=10))
    assert kept is not None
    assert (kept.text, kept.layout) == (WHOLE.text, "2")


def test_metadata_alone_has_no_text_anywhere() -> None:
    kept = reduce_article(WHOLE, StorageAnswer("metadata", "paid"), POLICY)
    assert kept is not None
    assert "two three" not in repr(kept)


def test_nothing_is_nothing() -> None:
    assert reduce_article(WHOLE, StorageAnswer("nothing", "deny"), POLICY) is None


@pytest.mark.parametrize("text", ["港口" * 40, "x" * 400])
def test_a_text_without_blanks_is_cut_as_well(text: str) -> None:
    kept = reduce_article(replace(WHOLE, text=text), StorageAnswer("excerpt"), POLICY)
    assert kept is not None
    assert kept.text == text[:9] + "…"
