"""The guides of scouting and of the card say what the code does."""

from __future__ import annotations

import re

from tests.parts import REPOSITORY
from wireroom.report.grade import _LETTERS
from wireroom.report.signs import LINES, WORDS
from wireroom.signals import all_steps

GUIDE = REPOSITORY / "docs" / "guide"


def rows(page: str) -> list[list[str]]:
    text = (GUIDE / page).read_text(encoding="utf-8")
    lines = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_every_step_stands_in_the_guide_with_what_it_needs() -> None:
    shown = {row[0]: row[1:] for row in rows("scout.md") if row[0].startswith("`")}
    assert shown == {
        f"`{name}`": [step.title, step.about, ", ".join(f"`{need}`" for need in step.needs)]
        for name, step in all_steps().items()
    }


def test_the_letters_and_signs_shown_are_those_there_are() -> None:
    shown = rows("report-card.md")
    letters = [(int(row[1]), row[0]) for row in shown if re.fullmatch("[A-F]", row[0])]
    assert letters == list(_LETTERS)
    signs = [row for row in shown if len(row) == 4 and row[0].startswith("`")]
    findings = {row[1].partition(":")[0]: row[0].strip("`") for row in signs}
    assert findings == LINES
    assert {row[3]: row[2].strip("`") for row in signs if row[3]} == WORDS


def test_the_points_shown_add_up_to_a_hundred() -> None:
    text = (GUIDE / "report-card.md").read_text(encoding="utf-8")
    table = text.partition("| part | points | for |")[2].partition("\n\n")[0]
    points = [int(number) for number in re.findall(r"^\|[^|]*\| (\d+)", table, re.MULTILINE)]
    assert points == [12, 6, 7, 12, 8, 5, 5, 2, 5]
