"""What elements call themselves is looked up once for each distinct name."""

from __future__ import annotations

import re
from collections import Counter
from typing import cast

from wireroom.parse.body.blocks import lay_out
from wireroom.parse.body.element_names import MAX_WORDS, NameTest, having, score_elements
from wireroom.parse.html import open_page


def test_a_class_that_many_elements_bear_is_scored_once_whatever_else_they_say() -> None:
    rows = "".join(f'<div class="story" id="row-{row}" data-x="1">Text</div>' for row in range(5))
    columns = lay_out(open_page(f"<body>{rows}<div class=story>Text</div></body>").tree.body)
    asked: Counter[str] = Counter()

    def score(name: str) -> tuple[float, float]:
        asked[name] += 1
        return (-1.0, 0.0) if name == "row-3" else (0.0, 2.0) if name == "story" else (0.0, 0.0)

    called = score_elements(columns, score)
    assert asked["story"] == 1
    assert [asked[f"row-{row}"] for row in range(5)] == [1] * 5
    assert called.scores[1:] == [(0.0, 2.0)] * 3 + [(-1.0, 2.0)] + [(0.0, 2.0)] * 2
    assert called.names[1:] == [*(f"story row-{row}" for row in range(5)), "story"]
    assert called.hidden == set()


def test_a_word_of_a_name_is_looked_at_once_however_many_pages_have_it() -> None:
    looked_at: list[str] = []

    class Counted:
        def search(self, text: str) -> re.Match[str] | None:
            looked_at.extend(text.split())
            return re.search(r"(?:^|[^a-z])ads?(?:$|[^a-z])", text)

    speaks_of_ads = NameTest(cast("re.Pattern[str]", Counted()))
    words = {"header", "ad-slot", "c-ads", "read"}
    assert speaks_of_ads.among({"header", "read"}) == set()
    assert speaks_of_ads.among(words) == {"ad-slot", "c-ads"}
    assert speaks_of_ads.among(words) == {"ad-slot", "c-ads"}
    assert looked_at.count("header") == looked_at.count("read") == 1


def test_what_a_word_speaks_of_does_not_depend_on_what_is_remembered() -> None:
    speaks_of_ads = NameTest(re.compile(r"(?:^|[^a-z])ad(?:$|[^a-z])"))
    for page in range(3):
        many = {f"post-{page}-{word}" for word in range(MAX_WORDS)}
        assert speaks_of_ads.among(many | {"ad"}) == {"ad"}


def test_names_are_found_by_the_words_in_their_beginning() -> None:
    names = ["story Ad", "story", "", "", f"{'x' * 300} ad"]
    assert having({"ad"}, names) == {"story Ad"}
