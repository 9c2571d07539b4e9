"""The second pass: of duplicates among all inputs the earliest capture stays, whatever happens on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.archive.conftest import Read, rows
from tests.cli.inline import InlineEngine
from tests.warcs import answer, own_page, page, record, write_warc
from wireroom.app.archive import second_pass
from wireroom.errors import SettingsError


def captured(url: str, town: str, day: int, *, edit: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    body = own_page(town)
    body = body.replace(*edit, 1) if edit[0] else body
    return record(url, answer(body), date=f"2026-03-{day:02d}T00:00:00Z")


@pytest.fixture
def inputs(tmp_path: Path) -> list[Path]:
    """Later captures stand in the first file."""
    changed = (b"were there", b"were gone")
    first = [
        captured("https://a.example/x", "Aldersea", 9),
        captured("https://b.example/reprint", "Brightwell", 9, edit=changed),
        captured("https://c.example/only", "Caldmouth", 9),
        captured("https://d.example/same", "Dunhaven", 9),
    ]
    second = [
        captured("http://www.a.example/x", "Elsewhere", 5),
        captured("https://b.example/source", "Brightwell", 5),
        captured("https://e.example/same", "Dunhaven", 5),
    ]
    return [
        write_warc(tmp_path / "1.warc.gz", first),
        write_warc(tmp_path / "2.warc.gz", second),
    ]


KEPT = {
    "http://www.a.example/x",
    "https://b.example/source",
    "https://c.example/only",
    "https://e.example/same",
}


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_the_earliest_capture_stays(
    read: Read, inputs: list[Path], tmp_path: Path, form: str
) -> None:
    summary = read(*inputs, unique=True, form=form)
    assert summary.removed == {"address": 1, "near": 1, "text": 1}
    assert {row["url"] for row in rows(tmp_path / "out")} == KEPT
    again = read(*inputs, unique=True, form=form)
    assert (again.removed, again.done_before) == ({}, 2)
    assert {row["url"] for row in rows(tmp_path / "out")} == KEPT


def test_metadata_and_columns_of_a_file_stay(
    read: Read, inputs: list[Path], tmp_path: Path
) -> None:
    from pyarrow.parquet import ParquetFile

    read(*inputs)
    (path, _) = sorted((tmp_path / "out").glob("day=*/*.parquet"))
    with ParquetFile(path) as file:
        before, names = dict(file.metadata.metadata), file.schema_arrow.names
    read(*inputs, unique=True)
    with ParquetFile(path) as file:
        after = dict(file.metadata.metadata)
        assert file.schema_arrow.names == names
    assert after[b"wireroom.input"] == before[b"wireroom.input"]


def test_another_input_is_compared_with_what_stayed(
    read: Read, inputs: list[Path], tmp_path: Path
) -> None:
    read(*inputs, unique=True)
    third = write_warc(
        tmp_path / "3.warc.gz", [captured("https://f.example/late", "Caldmouth", 20)]
    )
    summary = read(*inputs, third, unique=True)
    assert summary.removed == {"text": 1}
    assert {row["url"] for row in rows(tmp_path / "out")} == KEPT


@pytest.mark.parametrize("moment", [0, 1])
def test_a_pass_that_is_stopped_goes_on_with_its_decision(
    read: Read, inputs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Before the first file is replaced, or after it and before the second."""

    class Killed(BaseException):
        pass

    real = second_pass.rewrite
    calls: list[Path] = []

    def rewrite(path: Path, draft: Path, drop: frozenset[str]) -> None:
        if len(calls) == moment:
            raise Killed
        calls.append(path)
        real(path, draft, drop)

    both = [*inputs, *inputs]
    extra = [captured("https://g.example/again", "Caldmouth", 3)]
    write_warc(inputs[1], [captured("https://c.example/x", "Other", 5), *extra])
    write_warc(
        inputs[0],
        [
            captured("https://c.example/x", "Other", 4),
            captured("https://h.example/", "Caldmouth", 9),
        ],
    )
    monkeypatch.setattr(second_pass, "rewrite", rewrite)
    with pytest.raises(Killed):
        read(*both, unique=True)
    monkeypatch.setattr(second_pass, "rewrite", real)
    summary = read(*both, unique=True)
    assert summary.removed == {"address": 1, "text": 1}
    assert len(rows(tmp_path / "out")) == 2


def test_it_waits_until_every_input_is_done(read: Read, inputs: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.warc"
    bad.write_bytes(b"nothing")
    assert read(bad, *inputs, unique=True).removed is None
    assert len(rows(tmp_path / "out")) == 7


def test_what_is_at_odds_is_refused(read: Read, inputs: list[Path]) -> None:
    for option in ("into_store", "keep_duplicates"):
        with pytest.raises(SettingsError, match="at odds"):
            read(*inputs, unique=True, **{option: True})


def test_many_alike_are_compared_with_some_and_end_in_one_cluster() -> None:
    from datetime import UTC, datetime

    from wireroom.duplicates import ClusterOptions, sign
    from wireroom.duplicates.unique_rows import UniqueRows

    options, at = ClusterOptions(), datetime(2026, 1, 1, tzinfo=UTC)
    unique = UniqueRows(options)
    text = page("Aldersea", paragraphs=6).decode()
    for number in range(60):
        signed = sign(f"{number:032x}", f"{text} ending {number}", "en", at, options)
        unique.add(f"{number:032x}", "en", at, signed)
    unique.add("f" * 32, "en", at, None)
    assert sorted(unique.duplicates(list(range(61)))) == list(range(1, 60))
    assert 0 in unique.duplicates(list(reversed(range(61))))


def test_the_engine_is_asked_once(read: Read, inputs: list[Path]) -> None:
    """Nothing is signed again where no file has changed."""

    class Counting(InlineEngine):
        spreads = 0

        def spread(self, work, do):  # type: ignore[no-untyped-def]
            Counting.spreads += 1
            return super().spread(work, do)

    read(*inputs, unique=True, engine=Counting())
    assert Counting.spreads == 3
    read(*inputs, unique=True, engine=Counting())
    assert Counting.spreads == 3
