"""The guide to exports: its example runs, and its tables are what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import NOW, article
from tests.parts import REPOSITORY
from wireroom.app import open_app
from wireroom.export.csv_table import chosen_columns
from wireroom.parse.body import layout
from wireroom.ports import Format, TableOptions
from wireroom.registry import plugs

GUIDE = (REPOSITORY / "docs" / "guide" / "export.md").read_text(encoding="utf-8")
KINDS = {
    "text": "text",
    "texts": "list of texts",
    "time": "time, UTC",
    "integer": "integer",
    "number": "number",
    "json": "JSON text",
}


def test_the_table_of_columns_is_the_code_s() -> None:
    columns = chosen_columns(TableOptions())
    rows = [f"| `{column.name}` | {KINDS[column.kind]} | {column.meaning} |" for column in columns]
    assert "\n".join(rows) in GUIDE
    assert GUIDE.split("## Columns")[1].count("\n| `") == len(rows)


def test_every_format_is_listed() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", GUIDE.split("## For a use")[0], re.MULTILINE)
    assert sorted(listed) == sorted(plugs("export", Format))


def test_every_letter_of_a_layout_is_listed() -> None:
    section = GUIDE.split("## Text and layout")[1].split("## Columns")[0]
    listed = re.findall(r"`(.)`", "".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)))
    described = re.findall(r"^ {4}(\S(?: \S)*) {2,}", layout.__doc__ or "", re.MULTILINE)
    assert listed == " ".join(described).replace("…", "").split()


@pytest.mark.long
def test_the_example_runs(tmp_path: Path) -> None:
    with open_app(f"sqlite:///{tmp_path}/wireroom.db", clock=lambda: NOW) as app:
        hold(app, [article(1), article(2, "weekly.example")])
        save_robots(app, "courier.example", ALLOW)
        save_robots(app, "weekly.example", DENY)
        app.export(tmp_path / "articles.parquet")
    (source,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "1 exported, 1 left out",
        f"{article(1).title} 2026-05-03",
    ]


@pytest.mark.long
def test_the_sql_runs(tmp_path: Path) -> None:
    import duckdb

    with open_app("sqlite://", clock=lambda: NOW) as app:
        hold(app, [article(1), article(2)])
        app.export(tmp_path / "articles.parquet")
    (query,) = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
    found = duckdb.execute(query.replace("articles.parquet", str(tmp_path / "articles.parquet")))
    assert found.fetchall() == [("courier.example", 2)]
