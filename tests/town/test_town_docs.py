"""docs/town.md lists who really lives in the town and how it really misbehaves."""

from __future__ import annotations

import re

from tests.parts import REPOSITORY
from wireroom.town import TROUBLES, Town

PAGE = (REPOSITORY / "docs" / "town.md").read_text(encoding="utf-8")


def _rows(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]


def test_everybody_is_listed(still_town: Town) -> None:
    everybody = [
        [publisher.host, publisher.name, publisher.language, publisher.about]
        for publisher in still_town.publishers.values()
    ]
    assert _rows("Who lives there") == everybody


def test_every_trouble_is_listed() -> None:
    assert _rows("Trouble") == [[trouble.path, trouble.does] for trouble in TROUBLES.values()]


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, "docs/town.md", "exec"), names)
    assert names["noise"]
    assert "[hosts]" in str(names["settings"])
