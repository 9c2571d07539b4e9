"""Which articles are near-duplicates, and how that is explained to a person."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.duplicates.samples import NOW, OPTIONS, day, edited, prose, signed
from wireroom.duplicates import explain
from wireroom.duplicates.similarity import are_near_duplicates, likeness_of

TEXT = prose("story", 300)
SHORT = prose("notice", 10)


def test_the_same_words_are_near_duplicates_however_short() -> None:
    likeness = explain(signed("a", SHORT), signed("b", SHORT.title()), OPTIONS)
    assert likeness.rule == "same words"
    assert likeness.near_duplicates
    assert likeness.estimated == 1.0


def test_a_short_text_with_one_word_changed_is_no_near_duplicate() -> None:
    assert not are_near_duplicates(signed("a", SHORT), signed("b", SHORT + " not"), OPTIONS)


def test_an_edited_text_is_a_near_duplicate() -> None:
    likeness = explain(signed("a", TEXT), signed("b", edited(TEXT)), OPTIONS)
    assert likeness.rule == "alike"
    assert likeness.estimated >= OPTIONS.threshold
    assert likeness.shared_bands > 0


def test_a_text_that_shares_a_third_is_none() -> None:
    likeness = explain(signed("a", TEXT), signed("b", edited(TEXT, keep=0.4)), OPTIONS)
    assert likeness.rule in {"too unlike", "not found"}
    assert not likeness.near_duplicates


def test_languages_are_kept_apart() -> None:
    first, other = signed("a", TEXT, language="en"), signed("b", TEXT, language="fr")
    assert explain(first, other, OPTIONS).rule == "other language"


def test_an_unknown_language_is_no_other_language() -> None:
    assert are_near_duplicates(
        signed("a", TEXT, language="en"), signed("b", TEXT, language=""), OPTIONS
    )


@pytest.mark.parametrize(
    ("later", "near_duplicates"), [(OPTIONS.window, True), (OPTIONS.window * 1.01, False)]
)
def test_the_window_ends_it(later: timedelta, near_duplicates: bool) -> None:
    first, other = signed("a", TEXT), signed("b", TEXT, at=NOW + later)
    assert are_near_duplicates(first, other, OPTIONS) is near_duplicates
    assert are_near_duplicates(other, first, OPTIONS) is near_duplicates
    if not near_duplicates:
        assert explain(first, other, OPTIONS).rule == "too far apart"


def test_an_explanation_with_texts_counts_and_quotes() -> None:
    other = edited(TEXT, keep=0.7)
    likeness = explain(signed("a", TEXT), signed("b", other), OPTIONS, texts=(TEXT, other))
    kept = " ".join(TEXT.split()[:210])
    assert likeness.shared[0] == kept
    assert likeness.true == pytest.approx(205 / 385, abs=0.01)
    assert likeness.estimated == pytest.approx(likeness.true, abs=0.15)


def test_an_explanation_of_strangers_quotes_nothing() -> None:
    other = prose("other", 300)
    likeness = explain(signed("a", TEXT), signed("b", other), OPTIONS, texts=(TEXT, other))
    assert likeness.rule == "not found"
    assert likeness.true == 0.0
    assert likeness.shared == ()


def test_texts_too_short_for_a_phrase_are_the_same_or_not() -> None:
    texts = ("Bells rang.", "bells rang")
    first, other = (signed(name, text) for name, text in zip("ab", texts, strict=True))
    assert explain(first, other, OPTIONS, texts=texts).true == 1.0


def test_signatures_of_another_length_are_not_compared() -> None:
    first, other = signed("a", TEXT), signed("b", edited(TEXT), at=day(1))
    shorter = type(other)(
        article_id="b", bands=other.bands, minhash=other.minhash[:-2], language="en", seen_at=NOW
    )
    assert likeness_of(first, shorter) == 0.0


# --- rules of a feed's own -----------------------------------------------------------------------


@pytest.mark.parametrize("later_window", [OPTIONS.window * 2, OPTIONS.window / 2, None])
def test_the_later_one_says_how_far_back_is_looked(later_window: timedelta | None) -> None:
    reach = OPTIONS.window if later_window is None else later_window
    early = replace(signed("a", TEXT), window=timedelta(days=400))
    for apart, near_duplicates in ((reach, True), (reach * 1.01, False)):
        late = replace(signed("b", TEXT, at=NOW + apart), window=later_window)
        assert are_near_duplicates(early, late, OPTIONS) is near_duplicates
        assert are_near_duplicates(late, early, OPTIONS) is near_duplicates


def test_of_two_at_the_same_moment_either_may_look_for_the_other() -> None:
    never = replace(signed("a", TEXT), window=timedelta())
    assert are_near_duplicates(never, signed("b", TEXT), OPTIONS)


@pytest.mark.parametrize(
    ("own", "others", "near_duplicates"),
    [
        (None, None, True),
        (0.99, None, False),
        (None, 0.99, False),
        (0.1, None, True),
        (0.1, 0.99, False),
    ],
)
def test_the_stricter_of_two_feeds_decides(
    own: float | None, others: float | None, near_duplicates: bool
) -> None:
    signature = replace(signed("a", TEXT), threshold=own)
    other = replace(signed("b", edited(TEXT)), threshold=others)
    assert are_near_duplicates(signature, other, OPTIONS) is near_duplicates
    assert are_near_duplicates(other, signature, OPTIONS) is near_duplicates


def test_a_feed_that_rewrites_freely_may_ask_for_less() -> None:
    free = edited(TEXT, keep=0.7)
    first, other = signed("a", TEXT), signed("b", free)
    strict = replace(OPTIONS, threshold=0.9)
    assert not are_near_duplicates(first, other, strict)
    assert are_near_duplicates(first, replace(other, threshold=0.1), strict)
