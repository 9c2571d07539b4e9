"""The command `archive`: inputs, exit codes, what it says and what it gives as data."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.archive.conftest import titles
from tests.cli.conftest import Ran
from tests.cli.inline import use_inline_engine
from tests.warcs import answer, packed, page, record, story_records, write_warc

TOWNS = ["Aldersea", "Brightwell"]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    use_inline_engine(monkeypatch)


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return write_warc(tmp_path / "news.warc.gz", story_records(TOWNS))


def test_it_says_what_it_did(wireroom: Callable[..., Ran], warc: Path) -> None:
    ran = wireroom("archive", "news.warc.gz", "-o", "out")
    assert ran.code == 0
    assert ran.out == ""
    assert "2 articles of 2 pages from 1 input in out." in ran.err
    assert "pages a second" in ran.err
    assert "Slowest hosts: courier.example " in ran.err
    again = wireroom("archive", "news.warc.gz", "-o", "out")
    assert "Done before: 1 input." in again.err


def test_as_data(wireroom: Callable[..., Ran], warc: Path) -> None:
    bad = record("https://x.example/", answer(page("X")), length="x")
    warc.write_bytes(warc.read_bytes() + packed([bad]))
    ran = wireroom("archive", "news.warc.gz", "-o", "out", "--json")
    data = json.loads(ran.out)
    assert (data["articles"], data["pages"], data["bad"]) == (2, 2, {"bad_length": 1})
    assert data["hosts"][0]["host"] == "courier.example"
    assert "Bad records: 1 with a length that is not true (bad_length)." in ran.err


def test_exit_codes(wireroom: Callable[..., Ran], warc: Path) -> None:
    assert wireroom("archive", "-o", "out").code == 2
    assert wireroom("archive", "news.warc.gz").code == 2
    assert wireroom("archive", "nothing.warc.gz", "-o", "out").code == 3
    assert wireroom("archive", "news.warc.gz", "-o", "out", "--kind", "film").code == 2
    assert wireroom("archive", "news.warc.gz", "-o", "out", "--language", "zzzz").code == 2
    assert wireroom("archive", "news.warc.gz", "-o", "out", "--since", "soonish").code == 2
    assert (
        wireroom("archive", "news.warc.gz", "-o", "none", "--publisher", "other.example").code == 3
    )
    assert wireroom("archive", "news.warc.gz", "-o", "train", "--for", "ai-train").code == 4
    report = json.loads(Path("train.report.json").read_text())
    assert report["rights"]["left_out"] == 2
    assert not Path("wireroom.db").exists()


def test_a_list_of_paths(wireroom: Callable[..., Ran], warc: Path) -> None:
    Path("paths.gz").write_bytes(gzip.compress(b"# a list\nnews.warc.gz\n\nnews.warc.gz\n"))
    assert wireroom("archive", "-i", "paths.gz", "-o", "out").code == 0
    assert titles(Path("out")) == TOWNS


def test_a_warc_on_stdin(wireroom: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    def read(body: bytes) -> dict[str, Any]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
        ran = wireroom("archive", "-", "-o", "out", "--json")
        assert ran.code == 0
        data: dict[str, Any] = json.loads(ran.out)
        return data

    body = packed(story_records(TOWNS))
    assert read(body)["done_before"] == 0
    assert titles(Path("out")) == TOWNS
    assert read(body)["done_before"] == 1
    assert read(packed(story_records(["Caldmouth"])))["done_before"] == 0  # nobody knows its name
    assert sorted(titles(Path("out"))) == [*TOWNS, "Caldmouth"]
    assert not list(Path("out", "_manifest").glob("stdin-*"))


def test_the_second_pass_says_what_it_took_out_and_when_nothing(
    wireroom: Callable[..., Ran], warc: Path
) -> None:
    write_warc(warc.parent / "again.warc.gz", story_records(TOWNS))
    unique = ("archive", "news.warc.gz", "again.warc.gz", "-o", "out", "--unique")
    assert "Taken out by the second pass: address 2, near 1." in wireroom(*unique).err
    assert "The second pass had nothing to take out now" in wireroom(*unique).err
    assert len(titles(Path("out"))) == 1
    Path("bad.warc.gz").write_bytes(b"no archive")
    words = wireroom(*unique, "bad.warc.gz").err
    assert "leave out what cannot be read, and ask for the same again" in words


def test_filters_reach_the_reader(wireroom: Callable[..., Ran], warc: Path) -> None:
    until = wireroom("archive", "news.warc.gz", "-o", "until", "--until", "2026-03-03", "--json")
    assert json.loads(until.out)["skipped"] == {"date": 2}
    day = wireroom("archive", "news.warc.gz", "-o", "day", "--until", "2026-03-04", "--json")
    assert json.loads(day.out)["articles"] == 2
    few = wireroom("archive", "news.warc.gz", "-o", "few", "-n", "1", "-f", "jsonl", "--json")
    assert json.loads(few.out)["articles"] == 1


def test_what_makes_no_sense_is_refused_before_anything_is_read(
    wireroom: Callable[..., Ran], warc: Path
) -> None:
    def refused(*options: str) -> tuple[int, str]:
        ran = wireroom("archive", "news.warc.gz", "-o", "out", *options)
        assert not Path("out").exists()
        return ran.code, ran.err

    assert refused("--report", "r.json") == (
        2,
        "error: a report says what a use leaves out, and none is named. Name a use: --for USE\n",
    )
    assert refused("--for", "search", "--report", "no/r.json")[0] == 1
    assert refused("--for", "search", "--report", ".")[0] == 1
    assert refused("--since", "2026-05", "--until", "2026-01")[0] == 2
    assert refused("--publisher", "a b")[0] == 2


def test_a_publisher_may_be_named_by_an_address(wireroom: Callable[..., Ran], warc: Path) -> None:
    ran = wireroom(
        "archive", "news.warc.gz", "-o", "out", "--publisher", "https://www.Courier.example/x"
    )
    assert "2 articles of 2 pages" in ran.err


def test_a_folder_without_anything_to_read(wireroom: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = wireroom("archive", "empty", "-o", "out", "--for", "search")
    assert ran.code == 3
    assert "Nothing to read in empty: no WARC" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_publishers_whom_nobody_asked_are_named(wireroom: Callable[..., Ran], warc: Path) -> None:
    ran = wireroom("archive", "news.warc.gz", "-o", "out", "--for", "search", "--json")
    assert json.loads(ran.out)["unscouted"] == ["courier.example"]
    assert "wireroom scout courier.example, then read again into another folder." in ran.err


def test_stopped_by_hand_it_says_that_it_goes_on(
    wireroom: Callable[..., Ran], warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wireroom.app.archive.archive_files", stopped)
    ran = wireroom("archive", "news.warc.gz", "-o", "out")
    assert ran.code == 130
    assert "ask for the same again to go on" in ran.err


def test_an_input_that_cannot_be_read_is_an_error_and_others_are_written(
    wireroom: Callable[..., Ran], warc: Path
) -> None:
    Path("bad.wacz").write_bytes(b"no zip")
    ran = wireroom("archive", "bad.wacz", "news.warc.gz", "-o", "out")
    assert ran.code == 1
    assert ran.err.startswith("error: bad.wacz is no WACZ: ")
    assert titles(Path("out")) == TOWNS
