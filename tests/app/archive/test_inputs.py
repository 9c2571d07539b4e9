"""Inputs of every kind: what is found where, how it is opened, and what is refused."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.app.archive.conftest import Read, rows, titles
from tests.warcs import packed, page, story_records, write_warc
from wireroom.app.archive import PageFilter
from wireroom.app.archive.archive_inputs import ArchiveInput, find_inputs
from wireroom.errors import DeliverError


def names(*places: object, base: str = "") -> list[str]:
    return [found.name for found in find_inputs(map(str, places), base=base)]


def make_wacz(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return path


def test_a_wacz_is_read_within_its_zip_file(read: Read, tmp_path: Path) -> None:
    wacz = make_wacz(
        tmp_path / "a.wacz",
        {
            "datapackage.json": b"{}",
            "archive/data.warc.gz": packed(story_records(["Aldersea"], "a.example")),
            "archive/more.warc": packed(story_records(["Brightwell"], "b.example"), "plain"),
            "pages/pages.jsonl": b"{}",
        },
    )
    read(wacz)
    found = rows(tmp_path / "out")
    assert [row["title"].split()[0] for row in found] == ["Aldersea", "Brightwell"]
    assert found[0]["warc_file"] == "a.wacz/archive/data.warc.gz"


def test_names_in_a_zip_file_lead_nowhere(read: Read, tmp_path: Path) -> None:
    body = packed(story_records(["Aldersea"]))
    wacz = make_wacz(tmp_path / "a.wacz", {"../../evil.warc.gz": body, "/etc/x.warc.gz": body})
    before = set(tmp_path.rglob("*"))
    read(wacz)
    new = set(tmp_path.rglob("*")) - before
    assert all(path.is_relative_to(tmp_path / "out") for path in new)
    assert not (tmp_path.parent / "evil.warc.gz").exists()
    assert titles(tmp_path / "out") == ["Aldersea"]


def test_a_zip_file_without_archives_or_with_a_bomb_in_it(read: Read, tmp_path: Path) -> None:
    empty = make_wacz(tmp_path / "empty.wacz", {"a.txt": b"x"})
    bomb = tmp_path / "bomb.wacz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/a.warc.gz", bytes(50_000_000))
    summary = read(empty, bomb)
    assert "holds no archive" in summary.failed["empty.wacz"]
    assert "bomb.wacz" in summary.failed


def test_a_folder_of_saved_pages_is_one_input(read: Read, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    (folder / "sub").mkdir(parents=True)
    canonical = '<link rel=canonical href="https://courier.example/aldersea">'
    (folder / "a.html").write_bytes(page("Aldersea", head=canonical))
    remark = b"<!-- saved from url=(0027)https://bote.example/brightwell -->"
    (folder / "sub" / "b.htm").write_bytes(remark + page("Brightwell"))
    (folder / "c.html").write_bytes(page("Caldmouth"))
    (folder / "notes.txt").write_text("nothing")
    (folder / "link.html").symlink_to("/etc/passwd")
    write_warc(folder / "d.warc.gz", story_records(["Dunhaven"]))
    os.utime(folder / "a.html", (1_700_000_000, 1_700_000_000))
    assert names(folder) == ["d.warc.gz", "saved"]
    summary = read(folder)
    assert (summary.done, summary.articles) == (2, 4)
    found = {row["title"].split()[0]: row for row in rows(tmp_path / "out")}
    assert found["Aldersea"]["url"] == "https://courier.example/aldersea"
    assert found["Aldersea"]["publisher"] == "courier.example"
    assert found["Aldersea"]["warc_date"].year == 2023
    assert (found["Aldersea"]["warc_file"], found["Aldersea"]["warc_offset"]) == ("a.html", None)
    assert found["Brightwell"]["url"] == "https://bote.example/brightwell"
    assert (found["Caldmouth"]["url"], found["Caldmouth"]["rights_ai_train"]) == ("", "unknown")
    slow = {cost.host for cost in summary.hosts}
    assert slow == {"courier.example", "bote.example", ""}  # by where they say they were saved from


def test_filters_hold_for_saved_pages_as_well(read: Read, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    hosts = ["www.courier.example", "bote.example"]
    for number in range(8):
        canonical = f'<link rel=canonical href="https://{hosts[number % 2]}/{number}">'
        (folder / f"{number}.html").write_bytes(page(f"Town{number}", head=canonical))
    (folder / "nowhere.html").write_bytes(page("Nowhere"))

    def found(**wanted: Any) -> tuple[list[str], dict[str, int]]:
        out = tmp_path / str(wanted)
        skipped = read(folder, wanted=PageFilter(**wanted), output=out).skipped
        return titles(out), skipped

    courier = [f"Town{number}" for number in range(0, 8, 2)]
    assert found(publishers=("courier.example",)) == (courier, {"publisher": 5})
    assert found(kinds=("feed",)) == ([], {"kind": 9})
    some, skipped = found(sample=0.5)
    assert 0 < len(some) < 9
    assert skipped == {"sample": 9 - len(some)}


def test_patterns_lists_and_the_same_twice(tmp_path: Path) -> None:
    for number in range(3):
        write_warc(tmp_path / f"{number}.warc.gz", story_records([]))
    pattern = tmp_path / "*.warc.gz"
    assert names(pattern, tmp_path / "1.warc.gz", tmp_path) == [f"{n}.warc.gz" for n in range(3)]
    with pytest.raises(DeliverError, match="Nothing matches"):
        find_inputs([str(tmp_path / "*.zst")])


def test_paths_of_a_server_get_what_stands_before_them() -> None:
    base = "https://data.example/x/"
    assert names("crawl/a.warc.gz", base=base) == ["https://data.example/x/crawl/a.warc.gz"]
    assert names("https://other.example/a.warc.gz", base=base) == [
        "https://other.example/a.warc.gz"
    ]


def test_paths_of_a_bucket_get_what_stands_before_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def in_bucket(place: str) -> tuple[()]:
        asked.append(place)
        return ()

    monkeypatch.setattr("wireroom.app.archive.archive_inputs._in_bucket", in_bucket)
    names("crawl/a.warc.gz", base="s3://commoncrawl/")
    names("/a.warc.gz", base="s3://crawl/2026?scheme=http")
    assert asked == ["s3://commoncrawl/crawl/a.warc.gz", "s3://crawl/2026/a.warc.gz?scheme=http"]


@pytest.mark.parametrize("place", ["ftp://a.example/x.warc.gz", "file:///etc/passwd", "gs://a/b"])
def test_other_schemes_are_refused(place: str) -> None:
    with pytest.raises(DeliverError, match="nothing is read from there"):
        find_inputs([place])


@pytest.mark.parametrize(
    "name", ["../../../etc/x", "a/../b.warc.gz", "x" * 400, "\x1b[31m.warc", ""]
)
def test_the_name_of_an_output_is_never_a_path(name: str) -> None:
    found = ArchiveInput(location=name, kind="warc", name=name)
    made = found.file_name(".parquet")
    assert "/" not in made
    assert not made.startswith(".")
    assert len(made.encode()) < 200
    assert made.endswith(f"-{found.key}.parquet")
