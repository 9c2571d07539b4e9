"""What elements call themselves is looked up once for each distinct name."""

from __future__ import annotations

from collections import Counter

from wireroom.parse.body.blocks import lay_out
from wireroom.parse.body.element_names import score_elements
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
