"""The table: readable by Python, pandas and DuckDB; nothing in it is computed by a spreadsheet."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.export.samples import FORMULA, NOW, article, bare, hostile
from wireroom.errors import SettingsError
from wireroom.export.csv_table import chosen_columns, safe_cell, write, write_table
from wireroom.model import Article, Feed
from wireroom.ports import TableOptions

NAMES = [column.name for column in chosen_columns(TableOptions())]


def rows(*articles: Article) -> list[dict[str, str]]:
    out = io.BytesIO()
    write(articles, out)
    return list(csv.DictReader(io.StringIO(out.getvalue().decode("utf-8"), newline="")))


def test_every_column_stands_in_the_first_line() -> None:
    out = io.BytesIO()
    write((), out)
    assert out.getvalue().decode() == ",".join(NAMES) + "\n"


def test_a_new_column_moves_no_other() -> None:
    assert NAMES[-3:] == ["feed_name", "feed_category", "arrived_at"]
    held = replace(article(), arrived_at=NOW - timedelta(days=2))
    assert rows(held)[0]["arrived_at"] == (NOW - timedelta(days=2)).isoformat()
    assert rows(replace(held, arrived_at=None))[0]["arrived_at"] == "", "it is not held"


def test_columns_are_chosen_and_stand_in_their_order() -> None:
    feed = Feed(
        url="f", publisher="courier.example", kind="rss", name="=Courier", category="harbours"
    )
    known = {article().feed_url: feed}
    options = TableOptions(columns=("feed_name", "title", "feed_category"), feed=known.get)
    out = io.BytesIO()
    write_table([article()], out, options)
    assert out.getvalue().decode() == (
        f'feed_name,title,feed_category\n\'=Courier,"{article().title}",harbours\n'
    )
    with pytest.raises(SettingsError, match="there is no column headline"):
        write_table([], io.BytesIO(), TableOptions(columns=("headline",)))


def test_a_byte_order_mark_stands_first_where_it_is_wanted() -> None:
    out = io.BytesIO()
    write_table([article()], out, TableOptions(byte_order_mark=True, columns=("id",)))
    assert out.getvalue() == b"\xef\xbb\xbfid\n" + article().id.encode() + b"\n"
    out = io.BytesIO()
    write([article()], out)
    assert out.getvalue().startswith(b"id,")


def test_a_row_says_what_the_article_says() -> None:
    (row,) = rows(article())
    held = article()
    assert row["title"] == held.title
    assert row["authors"] == "Ada Quill; Zoë 清"
    assert row["text"] == held.text
    assert row["fetched_at"] == NOW.isoformat()
    assert row["quality"] == "0.875"
    assert row["rights_ai_train"] == "allow"
    assert row["rights_checked_at"] == NOW.isoformat()
    assert row["licence_url"].startswith("https://creativecommons.org/")
    assert row["extra"] == '{"section":"Harbour","feed":{"comments":3}}'


def test_without_a_receipt_nothing_is_known() -> None:
    (row,) = rows(bare())
    assert (row["rights_ai_train"], row["robots"], row["rights_checked_at"]) == (
        "unknown",
        "unknown",
        "",
    )


@pytest.mark.parametrize(
    "text",
    [
        FORMULA,
        "+1",
        "-1+cmd|' /C calc'!A0",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\ttab",
        "\rreturn",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        " =1",
        "\u200b=1",
        "\ufeff=1",
        "\xa0=1",
        "\x00=1",
        "\n=1",
    ],
)
def test_a_cell_that_would_start_a_formula_starts_with_an_apostrophe(text: str) -> None:
    cell = safe_cell(text)
    assert cell.startswith("'")
    assert cell.removeprefix("'").strip() == text.strip("\x00").strip()


@pytest.mark.parametrize("text", ["", "a=b", "Storm – a chronicle", "7 - 2", "'quoted", "(=1)"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert safe_cell(text) == text


def test_control_characters_and_halves_of_characters_go() -> None:
    assert safe_cell("a\x1b[31mb\x07\r\nc\rd\ud83d") == "a[31mb\nc\nd"


def test_no_cell_of_a_hostile_article_is_a_formula() -> None:
    (row,) = rows(hostile())
    for name, cell in row.items():
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝")), name
        assert "\x00" not in cell
    assert row["authors"].split("; ")[:2] == ["'@SUM(A1)", "'＝cmd"]


@pytest.mark.long
def test_duckdb_and_pandas_read_it(tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    file = tmp_path / "articles.csv"
    with file.open("wb") as out:
        write([article(number) for number in range(30)], out)
    frame = pd.read_csv(file)
    assert list(frame.columns) == NAMES
    assert len(frame) == 30
    assert frame["text"][3] == article(3).text
    found = duckdb.read_csv(str(file))
    assert found.filter("rights_search = 'allow'").count("id").fetchall() == [(30,)]
