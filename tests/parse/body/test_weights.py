"""The shipped weights and the measures belong together: nothing is measured that no table asks for."""

from __future__ import annotations

from wireroom.parse.body.block_features import COUNTS, FEATURES, measure
from wireroom.parse.body.block_weights import shipped_weights
from wireroom.parse.body.blocks import lay_out
from wireroom.parse.html import open_page

LINES = "".join(f"<p>Line {line} of the harbour's timetable.</p>" for line in range(12))


def test_every_measure_has_a_table() -> None:
    both = shipped_weights().tables + shipped_weights(any_kind=True).tables
    assert {FEATURES[table.feature] for table in both} == set(FEATURES)
    assert set(FEATURES) >= COUNTS


def test_every_block_has_every_measure() -> None:
    columns = lay_out(open_page(f"<body><h1>Ferries</h1>{LINES}<ul><li><a>Home</a></ul>").tree.body)
    numbers = measure(columns, lambda _name: (0.0, 0.0)).numbers
    assert len(numbers) == len(FEATURES)
    assert {len(column) for column in numbers} == {len(columns.text)} == {14}


def test_links_near_a_block_are_those_of_three_blocks_to_either_side() -> None:
    rows = "".join("<p><a>ab</a></p>" if row == 4 else "<p>ab</p>" for row in range(10))
    columns = lay_out(open_page(f"<body>{rows}</body>").tree.body)
    numbers = measure(columns, lambda _name: (0.0, 0.0)).numbers
    near = numbers[FEATURES.index("links_near")]
    assert near == [0, 1 / 5, 1 / 6, 1 / 7, 1 / 7, 1 / 7, 1 / 7, 1 / 6, 0, 0]
