"""What is boilerplate, and what a newsroom merely likes to say."""

from __future__ import annotations

import pytest

from wireroom.parse.body.boilerplate import (
    MAX_BOILERPLATE,
    MIN_PAGES,
    MIN_TIMES,
    SHARE,
    learn_boilerplate,
)


def test_what_stands_in_every_second_article_is_boilerplate() -> None:
    assert learn_boilerplate(20, {"appeal": 20, "box": 10, "heading": 9}) == ("appeal", "box")


@pytest.mark.parametrize("pages", range(MIN_PAGES))
def test_of_a_few_articles_nothing_is_reported(pages: int) -> None:
    assert learn_boilerplate(pages, {"appeal": pages}) == ()


def test_of_ten_articles_five_must_agree() -> None:
    assert learn_boilerplate(MIN_PAGES, {"a": MIN_TIMES, "b": MIN_TIMES - 1}) == ("a",)


def test_it_is_bounded_and_the_most_frequent_come_first() -> None:
    counts = {f"{n:04}": 100 + n for n in range(MAX_BOILERPLATE + 50)}
    learnt = learn_boilerplate(int(100 / SHARE), counts)
    assert len(learnt) == MAX_BOILERPLATE
    assert learnt[0] == f"{MAX_BOILERPLATE + 49:04}"
