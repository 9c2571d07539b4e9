"""Signing: the same words give the same signature, and signatures tell how alike texts are."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.duplicates.samples import NOW, OPTIONS, edited, prose, signed
from wireroom.duplicates import ClusterOptions, sign
from wireroom.duplicates.minhash import BYTES_PER_VALUE, MAX_TOKENS, tokens_of
from wireroom.duplicates.similarity import likeness_of, shared_bands
from wireroom.parse.plain_text import text_hash

HARBOUR = (
    "港の灯台は昨夜の嵐で窓を失い、職員は朝までに板で塞いだ。町の役所は修理に三週間かかると述べ、漁船には別の入り江を使うよう求めた。"
    "費用は県が半分を負担し、残りは寄付で賄う予定だという。"
)


def test_case_punctuation_and_blanks_do_not_matter() -> None:
    text = prose("case")
    loud = text.upper().replace(" ", ",  \n") + "!"
    assert signed("a", text) == replace(signed("b", loud), article_id="a")


def test_the_first_band_is_the_hash_that_articles_carry() -> None:
    text = prose("hash")
    assert signed("a", text).bands[0] == int(text_hash(text)[:15], 16)


def test_a_signature_has_the_agreed_size() -> None:
    signature = signed("a", prose("size"))
    assert len(signature.bands) == 1 + OPTIONS.bands
    assert len(signature.minhash) == BYTES_PER_VALUE * OPTIONS.permutations
    assert all(0 <= band < 2**63 for band in signature.bands)


def test_a_short_text_has_the_exact_band_alone() -> None:
    words = OPTIONS.words + OPTIONS.fewest - 2
    short = signed("a", prose("short", words))
    assert len(short.bands) == 1
    assert short.minhash == b""
    assert signed("b", prose("short", words + 1)).minhash


@pytest.mark.parametrize("text", ["", "  \n", "... !?", "\u200b"])
def test_a_text_without_words_has_no_signature(text: str) -> None:
    assert sign("a", text, "en", NOW, OPTIONS) is None


@given(st.text(max_size=400))
def test_any_text_can_be_signed(text: str) -> None:
    signature = sign("a", text, "", NOW, OPTIONS)
    assert (signature is None) == (text_hash(text) == "")


def test_signatures_never_change() -> None:
    # They lie in stores: another value here means that nothing held is found any more.
    signature = signed("a", "the bells of dunmere ring at noon " * 2 + prose("forever", 60))
    assert signature.bands[:3] == (90017341910794126, 1301369675, 1315656459)
    assert signature.minhash[:8].hex() == "dd02eb2e95d51e90"


@pytest.mark.parametrize("keep", [0.3, 0.5, 0.7, 0.9])
def test_the_estimate_is_the_share_of_shingles_in_common(keep: float) -> None:
    errors = []
    for number in range(40):
        text = prose(number, 400)
        other = edited(text, keep=keep, seed=number)
        one_set, other_set = (
            set(tokens_of(first, OPTIONS).all_shingles()) for first in (text, other)
        )
        true = len(one_set & other_set) / len(one_set | other_set)
        errors.append(likeness_of(signed("a", text), signed("b", other)) - true)
    assert abs(fmean(errors)) < 0.025  # forty estimates, each off by 0.04 as a rule
    assert max(map(abs, errors)) < 0.2


def test_strangers_share_nothing() -> None:
    ones = [signed(f"{number}", prose(f"stranger {number}")) for number in range(40)]
    pairs = [(first, other) for first in ones for other in ones if first is not other]
    assert not any(shared_bands(first, other) for first, other in pairs)
    assert max(likeness_of(first, other) for first, other in pairs) < 0.05


def test_japanese_is_compared_by_characters() -> None:
    tokens = tokens_of(HARBOUR, OPTIONS)
    assert tokens.size == OPTIONS.characters
    assert " " not in tokens.text
    shortened = HARBOUR[: round(len(HARBOUR) * 0.8)]
    assert likeness_of(signed("a", HARBOUR), signed("b", shortened)) > 0.6


def test_korean_is_compared_by_words() -> None:
    assert tokens_of("항구의 등대는 어젯밤 폭풍으로 창문을 잃었다", OPTIONS).size == OPTIONS.words


def test_the_language_that_is_given_does_not_change_how_a_text_is_cut() -> None:
    first, other = signed("a", HARBOUR, language="ja"), signed("a", HARBOUR, language="en")
    assert first.bands == other.bands


def test_other_sizes_of_shingles_never_meet() -> None:
    text = prose("sizes", 400)
    signature = signed("a", text)
    other = signed("b", text, options=ClusterOptions(words=5))
    assert signature.bands[0] == other.bands[0]
    assert not set(signature.bands[1:]) & set(other.bands[1:])


def test_an_endless_text_is_signed_by_its_beginning() -> None:
    text = prose("endless", MAX_TOKENS)
    first, other = signed("a", text), signed("b", f"{text} {prose('more', 500)}")
    assert first.minhash == other.minhash
    assert first.bands[0] != other.bands[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 0.0},
        {"threshold": 1.1},
        {"words": 0},
        {"rows": 0},
        {"bands": 64, "rows": 3},
        {"window": timedelta(days=-1)},
    ],
)
def test_options_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"threshold|window|least|permutations"):
        ClusterOptions(**wrong)  # type: ignore[arg-type]  # that is the point
