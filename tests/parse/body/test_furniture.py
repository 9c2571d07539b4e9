"""What is furniture, and what a newsroom merely likes to say."""

from __future__ import annotations

import pytest

from wireroom.parse.body.boilerplate import (
    MAX_FURNITURE,
    MIN_PAGES,
    MIN_TIMES,
    SHARE,
    learn_furniture,
)


def test_what_stands_in_every_second_article_is_furniture() -> None:
    assert learn_furniture(20, {"appeal": 20, "box": 10, "heading": 9}) == ("appeal", "box")


@pytest.mark.parametrize("pages", range(MIN_PAGES))
def test_of_a_few_articles_nothing_is_said(pages: int) -> None:
    assert learn_furniture(pages, {"appeal": pages}) == ()


def test_of_ten_articles_five_must_agree() -> None:
    assert learn_furniture(MIN_PAGES, {"a": MIN_TIMES, "b": MIN_TIMES - 1}) == ("a",)


def test_it_is_bounded_and_the_most_frequent_come_first() -> None:
    counts = {f"{n:04}": 100 + n for n in range(MAX_FURNITURE + 50)}
    learnt = learn_furniture(int(100 / SHARE), counts)
    assert len(learnt) == MAX_FURNITURE
    assert learnt[0] == f"{MAX_FURNITURE + 49:04}"
