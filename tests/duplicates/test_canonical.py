"""Which article is canonical in a cluster: one per language, by one criterion after the other."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.duplicates.samples import article, day
from wireroom.duplicates import Trust, choose, content_quality
from wireroom.model import Article


@pytest.mark.parametrize(
    ("criterion", "best", "rest"),
    [
        ("held", {"state": "held"}, {"state": "withdrawn", "authors": ("Ida",)}),
        ("completeness", {"authors": ("Ida Marsh",)}, {"word_count": 900}),
        ("length", {"word_count": 400}, {"word_count": 300, "quality": 0.9}),
        ("quality", {"quality": 0.9}, {"quality": 0.6}),
        ("time", {"published_at": day(0)}, {"published_at": day(1)}),
    ],
)
def test_the_criterion_that_decides_is_named(
    criterion: str, best: dict[str, Any], rest: dict[str, Any]
) -> None:
    (choice,) = choose([article("a", **rest), article("z", **best)], {})
    assert (choice.article_id, choice.because, choice.over) == ("z", criterion, "a")


def test_reliability_comes_before_completeness() -> None:
    rivals = [article("a", authors=("Ida Marsh",), word_count=900), article("z")]
    (choice,) = choose(rivals, {"a": Trust(reliability=0.5), "z": Trust(reliability=0.9)})
    assert (choice.article_id, choice.because) == ("z", "reliability")


def test_a_primary_feed_comes_before_a_secondary_and_that_before_a_fallback() -> None:
    rivals = [article("a", authors=("Ida Marsh",)), article("m"), article("z")]
    roles = {"a": Trust(role="fallback"), "m": Trust(role="secondary", reliability=0.9)}
    (choice,) = choose(rivals, roles | {"z": Trust(reliability=0.4)})
    assert (choice.article_id, choice.because, choice.over) == ("z", "role", "m")
    (choice,) = choose(rivals[:2], roles)
    assert (choice.article_id, choice.because, choice.over) == ("m", "role", "a")


def test_a_hair_of_reliability_decides_nothing() -> None:
    rivals = [article("a", authors=("Ida Marsh",)), article("z")]
    (choice,) = choose(rivals, {"a": Trust(reliability=0.90), "z": Trust(reliability=0.92)})
    assert (choice.article_id, choice.because) == ("a", "completeness")


def test_a_note_on_its_origin_makes_a_reprint_no_fuller() -> None:
    original = article("z", word_count=400, published_at=day(0))
    reprint = article("a", word_count=412, published_at=day(1))
    (choice,) = choose([original, reprint], {})
    assert (choice.article_id, choice.because) == ("z", "time")


def test_when_nothing_differs_the_id_decides() -> None:
    (choice,) = choose([article("b"), article("a")], {})
    assert (choice.article_id, choice.because, choice.over) == ("a", "id", "b")


def test_each_language_has_its_own() -> None:
    english = [article(name) for name in "ab"]
    french = [article(name, language="fr") for name in "cd"]
    choices = choose([*french, *english], {})
    assert [(choice.language, choice.article_id) for choice in choices] == [
        ("en", "a"),
        ("fr", "c"),
    ]


def test_an_article_of_unknown_language_needs_none_of_its_own() -> None:
    choices = choose([article("a", language=""), article("b"), article("c")], {})
    assert [choice.language for choice in choices] == ["en"]


def test_one_alone_is_canonical() -> None:
    (choice,) = choose([article("a", language="")], {})
    assert (choice.language, choice.because) == ("", "the only one")


def test_of_none_nothing_is_canonical() -> None:
    assert choose([], {}) == ()


def test_the_order_in_which_they_come_decides_nothing() -> None:
    rivals = [article("a", quality=0.4), article("b", quality=0.9), article("c", language="de")]
    assert (
        len({choose(order, {"a": Trust(reliability=0.7)}) for order in permutations(rivals)}) == 1
    )


# --- worth -------------------------------------------------------------------------------------


@st.composite
def _articles(draw: st.DrawFn) -> Article:
    return article(
        "a",
        word_count=draw(st.integers(0, 5000)),
        quality=draw(st.floats(0, 1)),
        language=draw(st.sampled_from(["", "en"])),
        authors=draw(st.sampled_from([(), ("Ida",)])),
        image_url=draw(st.sampled_from(["", "https://courier.test/a.png"])),
    )


@given(article=_articles(), more=st.integers(0, 500), cluster_size=st.integers(1, 50))
def test_more_of_anything_never_makes_an_article_worse(
    article: Article, more: int, cluster_size: int
) -> None:
    from dataclasses import replace

    def worth(of: Article, size: int = cluster_size, sure: float | None = None) -> float:
        return content_quality(of, cluster_size=size, language_confidence=sure).value

    assert 0 <= worth(article) <= 1
    assert worth(replace(article, word_count=article.word_count + more)) >= worth(article)
    assert worth(replace(article, quality=min(1.0, article.quality + more / 500))) >= worth(article)
    assert worth(replace(article, authors=("Ida",), tags=("bells",))) >= worth(article)
    assert worth(article, size=cluster_size + more) >= worth(article)
    assert worth(article, sure=0.9) >= worth(article, sure=0.5)


def test_worth_says_what_it_is_made_of() -> None:
    worth = content_quality(article("a", quality=0.8, word_count=150), cluster_size=2)
    assert worth.parts["length"] == 0.5
    assert worth.parts["copies"] == 0.5
    assert worth.parts["reading"] == 0.8
    assert worth.value == pytest.approx(
        0.3 * 0.5 + 0.25 * 2 / 7 + 0.3 * 0.8 + 0.1 + 0.05 * 0.5, abs=1e-3
    )
