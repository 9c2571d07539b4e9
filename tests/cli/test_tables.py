"""Tables that fit a narrow terminal, and counts that agree with their nouns."""

from __future__ import annotations

import pytest

from wireroom.cli.tables import GAP, TableColumn, cells, fitted
from wireroom.display_text import counted

COLUMNS = (
    TableColumn(head="published", spare=1),
    TableColumn(head="title", narrowest=10),
    TableColumn(head="words", spare=2),
    TableColumn(head="id"),
)
ID = "3f6e798abe71d2c7c354644d"
ROWS = [
    ["2026-05-03", "The harbour master of Lowport resigns after the storm", "1,200", ID],
    ["2026-05-02", "海港の責任者が嵐のあとで辞任した", "900", ID[::-1]],
    ["2026-05-01", "हरितग्राम में नया घाट 85 दिन पहले खुला", "800", ID],
]


def widths(rows: list[list[str]]) -> list[int]:
    return [sum(map(cells, row)) + GAP * (len(row) - 1) for row in rows]


@pytest.mark.parametrize(
    ("width", "heads"),
    [
        (140, ["published", "title", "words", "id"]),
        (60, ["published", "title", "words", "id"]),
        (50, ["published", "title", "id"]),
        (40, ["title", "id"]),
    ],
)
def test_the_least_important_columns_go_first_and_ids_stay_whole(
    width: int, heads: list[str]
) -> None:
    kept, rows = fitted(COLUMNS, ROWS, width)
    assert [column.head for column in kept] == heads
    assert [row[-1] for row in rows] == [ID, ID[::-1], ID]
    assert max(widths(rows)) <= width


def test_a_title_is_cut_to_the_room_that_is_left_by_cells_not_by_letters() -> None:
    _, rows = fitted(COLUMNS, ROWS, 60)
    for row, whole in zip(rows, ROWS, strict=True):
        assert row[1].endswith("…")
        assert whole[1].startswith(row[1].removesuffix("…"))
        assert 8 <= cells(row[1]) <= 15


def test_off_a_terminal_nothing_is_left_out() -> None:
    assert fitted(COLUMNS, ROWS, 0) == (list(COLUMNS), ROWS)


def test_of_several_that_can_be_cut_the_last_gives_way_first() -> None:
    columns = (TableColumn(head="changed", narrowest=5), TableColumn(head="title", narrowest=5))
    _, (row,) = fitted(columns, [["x" * 20, "y" * 20]], 30)
    assert row == ["x" * 20, f"{'y' * 7}…"]
    _, (row,) = fitted(columns, [["x" * 20, "y" * 20]], 20)
    assert row == [f"{'x' * 12}…", f"{'y' * 4}…"]


def test_a_column_that_folds_is_never_cut() -> None:
    columns = (
        TableColumn(head="changed", narrowest=5, folds=True),
        TableColumn(head="title", narrowest=5),
    )
    _, (row,) = fitted(columns, [["x" * 20, "y" * 20]], 20)
    assert row == ["x" * 20, f"{'y' * 4}…"]


def test_what_cannot_fit_is_left_whole() -> None:
    assert fitted(COLUMNS, ROWS, 10)[1][0][-1] == ID


def test_without_rows_there_are_heads_alone() -> None:
    assert fitted(COLUMNS, [], 100) == (list(COLUMNS), [])


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 feeds"), (1, "1 feed"), (2, "2 feeds"), (1200, "1,200 feeds")]
)
def test_a_noun_agrees_with_its_count(count: int, expected: str) -> None:
    assert counted(count, "feed") == expected


def test_a_plural_that_does_not_end_in_s_is_given() -> None:
    assert (counted(1, "copy", "copies"), counted(3, "copy", "copies")) == ("1 copy", "3 copies")
