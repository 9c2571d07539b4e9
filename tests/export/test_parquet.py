"""Parquet: typed, compressed, in bounded groups, and readable by DuckDB, polars and pandas."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.export.holding import ALLOW, hold, save_robots
from tests.export.samples import COURIER, NOW, article, bare, hostile, receipt
from wireroom.app import open_app
from wireroom.app.export import LONG_LISTS
from wireroom.export import parquet
from wireroom.export.table_columns import COLUMNS
from wireroom.model import Article, Condition, Verdict
from wireroom.ports import FileMetadata
from wireroom.rights import Policy
from wireroom.version import __version__

COUNT = 25


def _articles() -> Iterator[Article]:
    paid = Verdict(use="ai-train", value="paid", conditions=(Condition(kind="attribution"),))
    for number in range(COUNT - 1):
        yield article(number, receipt=replace(receipt(), verdicts=(paid,)))
    yield bare()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "articles.parquet"
    with path.open("wb") as out:
        assert parquet.write(_articles(), out) == COUNT
    return path


def test_duckdb_opens_it(file: Path) -> None:
    import duckdb

    table = duckdb.read_parquet(str(file))
    assert table.columns == [column.name for column in COLUMNS]
    kinds = dict(zip(table.columns, map(str, table.types), strict=True))
    assert kinds["published_at"] == "TIMESTAMP WITH TIME ZONE"
    assert kinds["authors"] == "VARCHAR[]"
    assert (table.columns[-1], kinds["arrived_at"]) == ("arrived_at", kinds["published_at"])
    assert kinds["word_count"] == "BIGINT"
    paid = table.filter("rights_ai_train = 'paid'")
    rows = paid.project("authors[2], epoch_us(fetched_at)").fetchall()
    assert len(rows) == COUNT - 1
    assert rows[0] == ("Zoë 清", int(NOW.timestamp() * 1_000_000))


def test_polars_opens_it(file: Path) -> None:
    import polars as pl

    frame = pl.read_parquet(file)
    assert frame.columns == [column.name for column in COLUMNS]
    assert frame.schema["fetched_at"] == pl.Datetime("us", "UTC")
    assert frame.schema["tags"] == pl.List(pl.String)
    assert frame["fetched_at"][0] == NOW
    assert frame["conditions"][0].to_list() == ["ai-train: attribution"]
    assert frame.filter(pl.col("rights_ai_train") == "unknown").height == 1
    assert frame["published_at"].null_count() == 1


@pytest.mark.long
def test_pandas_opens_it(file: Path) -> None:
    import pandas as pd

    frame = pd.read_parquet(file)
    assert list(frame.columns) == [column.name for column in COLUMNS]
    assert str(frame["fetched_at"].dtype) == "datetime64[us, UTC]"
    assert frame["fetched_at"][0] == pd.Timestamp(NOW)
    assert list(frame["authors"][0]) == ["Ada Quill", "Zoë 清"]
    assert frame["quality"][0] == 0.875
    assert frame["text"][3] == article(3).text


def test_it_is_compressed_with_zstd_in_bounded_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow.parquet import ParquetFile

    monkeypatch.setattr(parquet, "GROUP_ROWS", 10)
    out = io.BytesIO()
    parquet.write(_articles(), out)
    with ParquetFile(io.BytesIO(out.getvalue())) as read:
        groups = [read.metadata.row_group(place) for place in range(read.num_row_groups)]
        assert [group.num_rows for group in groups] == [10, 10, 5]
        assert {group.column(0).compression for group in groups} == {"ZSTD"}


@pytest.mark.long
def test_long_texts_make_small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow.parquet import ParquetFile

    monkeypatch.setattr(parquet, "GROUP_CHARACTERS", 1_000)
    out = io.BytesIO()
    parquet.write((article(number, text="x" * 600) for number in range(5)), out)
    with ParquetFile(io.BytesIO(out.getvalue())) as read:
        assert read.num_row_groups == 3


def test_what_arrow_cannot_hold_is_cleaned() -> None:
    import pandas as pd

    out = io.BytesIO()
    parquet.write([hostile(), article()], out)
    frame = pd.read_parquet(io.BytesIO(out.getvalue()))
    assert list(frame["authors"][0])[-1] == "half "
    assert frame["title"][1] == article().title


@pytest.mark.long
def test_nothing_is_a_table_without_rows() -> None:
    import polars as pl

    out = io.BytesIO()
    assert parquet.write((), out) == 0
    assert pl.read_parquet(io.BytesIO(out.getvalue())).shape == (0, len(COLUMNS))


def test_a_file_says_for_which_use_it_was_made_and_by_which_policy(tmp_path: Path) -> None:
    """Read by pyarrow and by DuckDB; without a use there is no policy that left anything out."""
    import duckdb
    from pyarrow.parquet import read_metadata, read_schema

    path, own = tmp_path / "train.parquet", tmp_path / "own.parquet"
    with open_app("sqlite://", clock=lambda: NOW) as app:
        hold(app, [article(1), article(2, receipt=receipt(ai_train="deny"))])
        save_robots(app, COURIER, ALLOW)
        assert app.export(path, use="ai-train", policy=Policy(excerpt_words=7)).count == 1
        assert app.export(own).count == 2
    found = {name.decode(): value.decode() for name, value in read_metadata(path).metadata.items()}
    assert found["wireroom.use"] == "ai-train"
    assert found["wireroom.version"] == __version__
    policy = json.loads(found["wireroom.policy"])
    assert (policy["excerpt_words"], policy["export_on"]["ai-train"]) == (7, ["allow"])
    report = json.loads(found["wireroom.report"])
    beside = json.loads((tmp_path / "train.parquet.report.json").read_bytes())
    assert report == {name: value for name, value in beside.items() if name not in LONG_LISTS}
    assert (report["handed_on"], report["rights"]["left_out"]) == (1, 1)
    columns = json.loads(found["wireroom.evidence"])["columns"]
    assert set(columns) <= set(read_schema(path).names)
    assert {"rights_ai_train", "rights_evidence", "rights_checked_at"} <= set(columns)
    assert read_schema(path).metadata[b"wireroom.use"] == b"ai-train"
    pairs = "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)"
    assert dict(duckdb.execute(pairs, [str(path)]).fetchall()) == found
    (evidence,) = duckdb.read_parquet(str(path)).project("rights_evidence").fetchall()[0]
    assert f"ai-train: allow by rsl, https://{COURIER}/rsl.xml line 4" in evidence
    names = set(read_metadata(own).metadata)
    assert b"wireroom.report" in names
    assert not {b"wireroom.use", b"wireroom.policy"} & names


def test_a_report_of_hostile_words_is_metadata_all_the_same(tmp_path: Path) -> None:
    from pyarrow.parquet import read_metadata

    out = io.BytesIO()
    odd = FileMetadata(known={"wireroom.use": "\x00é"}, at_end=lambda: {"wireroom.report": "{}\n"})
    assert parquet.write_described([hostile()], out, odd) == 1
    found = read_metadata(io.BytesIO(out.getvalue())).metadata
    assert (found[b"wireroom.use"], found[b"wireroom.report"]) == ("\x00é".encode(), b"{}\n")
