"""Archives to tables: what is written, what is left out and why, and what a second call does."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.archive.conftest import NOW, Read, rows, titles
from tests.cli.inline import InlineEngine
from tests.warcs import STORY, answer, page, record, story_records, write_warc
from wireroom.app import App
from wireroom.app.archive import ArchiveProgress, ArchiveRequest, PageFilter
from wireroom.app.archive.archive_files import archive_inputs
from wireroom.errors import MissingFileError, SettingsError
from wireroom.export.archive_columns import TABLE_COLUMNS
from wireroom.ports import EngineOptions
from wireroom.workers.local import LocalEngine

TOWNS = ["Aldersea", "Brightwell", "Caldmouth", "Dunhaven"]


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return write_warc(tmp_path / "news.warc.gz", story_records(TOWNS))


def test_each_page_is_a_row_with_its_place_in_the_archive(read: Read, warc: Path) -> None:
    summary = read(warc)
    found = rows(warc.parent / "out")
    assert (summary.articles, summary.pages, summary.done) == (4, 4, 1)
    assert [row["title"].split()[0] for row in found] == TOWNS
    first = found[0]
    assert list(first) == [column.name for column in TABLE_COLUMNS]
    assert first["url"] == "https://courier.example/aldersea"
    assert first["publisher"] == "courier.example"
    assert STORY.format(town="Aldersea 0").strip() in first["text"]
    assert (first["warc_file"], first["http_status"]) == ("news.warc.gz", 200)
    assert first["warc_date"] == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert first["warc_record_id"].startswith("urn:uuid:")
    body = warc.read_bytes()
    offsets = [row["warc_offset"] for row in found]
    assert offsets == sorted(set(offsets))
    assert all(body[at : at + 2] == b"\x1f\x8b" for at in offsets)


def test_one_file_an_input_in_the_folder_of_its_day(read: Read, tmp_path: Path) -> None:
    for number in range(2):
        write_warc(tmp_path / f"{number}.warc.gz", story_records(TOWNS, f"host{number}.example"))
    read(tmp_path / "*.warc.gz")
    files = sorted(
        path.relative_to(tmp_path / "out") for path in (tmp_path / "out").glob("**/*.parquet")
    )
    assert [path.parts[0] for path in files] == ["day=2026-03-04"] * 2
    assert [path.name[:2] for path in files] == ["0-", "1-"]
    assert not list((tmp_path / "out" / "_manifest").glob("*.part"))
    assert not list((tmp_path / "out" / "_manifest").glob("*.lock"))


def test_lines_of_json_have_the_article_and_its_place(read: Read, warc: Path) -> None:
    read(warc, form="jsonl")
    found = rows(warc.parent / "out")
    assert [row["title"].split()[0] for row in found] == TOWNS
    assert found[0]["warc_file"] == "news.warc.gz"
    assert found[0]["rights_today_ai_train"] == "unknown"
    assert found[0]["receipt"]["unscouted"] is True


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_every_compression_gives_the_same_rows(read: Read, tmp_path: Path, name: str) -> None:
    read(write_warc(tmp_path / name, story_records(TOWNS)))
    assert titles(tmp_path / "out") == TOWNS


# --- filters ----------------------------------------------------------------------------------------


def test_filters_on_headers_leave_pages_out_unread(read: Read, tmp_path: Path) -> None:
    kept = answer(page("Kept"))
    records = [
        record("https://www.courier.example/kept", kept),
        record("https://other.example/x", answer(page("Other"))),
        record("https://courier.example/old", answer(page("Old")), date="2025-01-01T00:00:00Z"),
        record("https://courier.example/gone", answer(page("Gone"), status=404)),
        record("https://courier.example/pdf", answer(b"%PDF-1.7", kind="application/pdf")),
        record("https://courier.example/same", b"HTTP/1.1 304 Not\r\n\r\n", kind="revisit"),
        record("dns:courier.example", b"...", kind="response"),
        record("https://courier.example/odd", b"no answer at all"),
        record("https://courier.example/w", b"x", kind="metadata"),
    ]
    wanted = PageFilter(publishers=("courier.example",), since=datetime(2026, 1, 1, tzinfo=UTC))
    summary = read(write_warc(tmp_path / "a.warc.gz", records), wanted=wanted)
    assert titles(tmp_path / "out") == ["Kept"]
    assert summary.pages == 1
    assert summary.skipped == {
        "publisher": 1,
        "date": 1,
        "status": 1,
        "kind": 1,
        "revisit": 1,
        "no_web_address": 1,
        "no_answer": 1,
    }


def test_a_sample_is_the_same_each_time(read: Read, tmp_path: Path) -> None:
    towns = [f"Town{number}" for number in range(60)]
    warc = write_warc(tmp_path / "a.warc.gz", story_records(towns))
    wanted = PageFilter(sample=0.3)
    read(warc, wanted=wanted)
    found = titles(tmp_path / "out")
    assert 5 < len(found) < 35
    read(warc, wanted=wanted, output=tmp_path / "again")
    assert titles(tmp_path / "again") == found


def test_a_limit_holds_for_each_input(read: Read, warc: Path, tmp_path: Path) -> None:
    other = write_warc(tmp_path / "more.warc.gz", story_records(TOWNS, "more.example"))
    summary = read(warc, other, limit=3)
    assert summary.articles == 6
    assert titles(tmp_path / "out").count("Dunhaven") == 0


def test_another_language_is_left_out_after_a_look(read: Read, tmp_path: Path) -> None:
    german = (
        "Der Gemeinderat hat am Dienstag beschlossen, die alte Mauer am Hafen wieder aufzubauen. "
        * 12
    )
    body = page("Hafen").replace(STORY.format(town="Hafen 0").encode(), german.encode())
    records = [
        *story_records(["Aldersea"]),
        record("https://blatt.example/hafen", answer(body)),
    ]
    warc = write_warc(tmp_path / "a.warc.gz", records)
    summary = read(warc, wanted=PageFilter(languages=("en",)))
    assert titles(tmp_path / "out") == ["Aldersea"]
    assert summary.skipped == {"language": 1}
    read(warc, wanted=PageFilter(languages=("de",)), output=tmp_path / "de")
    assert titles(tmp_path / "de") == ["Hafen"]


# --- bodies as servers send them ---------------------------------------------------------------------


def test_chunks_and_codings_are_undone(read: Read, tmp_path: Path) -> None:
    import gzip

    zipped = gzip.compress(page("Zipped"))
    chunked = b"%x\r\n" % len(page("Chunks")) + page("Chunks") + b"\r\n0\r\n\r\n"
    coded = ["Content-Encoding: gzip"]
    records = [
        record("https://a.example/1", answer(zipped, headers=coded)),
        record("https://a.example/2", answer(chunked, headers=["Transfer-Encoding: chunked"])),
        record("https://a.example/3", answer(page("Undone"), headers=coded)),
        record("https://a.example/4", answer(zipped[:-30], headers=coded)),
        record("https://a.example/5", answer(gzip.compress(bytes(40_000_000)), headers=coded)),
    ]
    summary = read(write_warc(tmp_path / "a.warc.gz", records))
    assert titles(tmp_path / "out") == ["Zipped", "Chunks", "Undone"]
    assert summary.unread == {"unknown_format": 1, "too_complex": 1}


def test_bad_records_are_counted_by_reason_and_others_are_read(read: Read, tmp_path: Path) -> None:
    good = story_records(TOWNS)
    liar = record("https://liar.example/", answer(page("Liar")), length="-5")
    path = write_warc(tmp_path / "a.warc.gz", [*good[:3], liar, *good[3:]])
    path.write_bytes(path.read_bytes()[:-100])
    summary = read(path)
    assert summary.bad == {"bad_length": 1, "cut_short": 1}
    assert titles(tmp_path / "out") == TOWNS[:-1]


def test_what_is_no_archive_fails_and_others_go_on(read: Read, warc: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.warc"
    bad.write_bytes(b"hello " * 1000)
    summary = read(bad, warc)
    assert list(summary.failed) == ["bad.warc"]
    assert titles(tmp_path / "out") == TOWNS


def test_an_input_that_is_not_there_is_named_at_once(read: Read, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"nothing\.warc\.gz"):
        read(tmp_path / "nothing.warc.gz")
    assert not (tmp_path / "out").exists()


def test_an_input_that_goes_meanwhile_fails_alone(app: App, warc: Path, tmp_path: Path) -> None:
    gone = write_warc(tmp_path / "gone.warc.gz", story_records(["Elmstow"]))
    last = write_warc(tmp_path / "last.warc.gz", story_records(["Fairholm"]))
    request = ArchiveRequest(
        inputs=(str(warc), str(gone), str(last)), output=tmp_path / "out", form="jsonl"
    )
    found = archive_inputs(
        app, request, InlineEngine(), progress=lambda _progress: gone.unlink(missing_ok=True)
    )
    summary = asyncio.run(found)
    assert summary.failed == {"gone.warc.gz": "gone.warc.gz: no such file"}
    assert (summary.done, summary.articles) == (2, len(TOWNS) + 1)


# --- duplicates --------------------------------------------------------------------------------------


def test_the_same_address_and_the_same_text_are_written_once(read: Read, tmp_path: Path) -> None:
    records = [
        record("https://a.example/x", answer(page("First"))),
        record("http://www.a.example/x", answer(page("Second"))),
        record("https://b.example/y", answer(page("First"))),
        record("https://b.example/z", answer(page("Third"))),
    ]
    warc = write_warc(tmp_path / "a.warc.gz", records)
    summary = read(warc)
    assert titles(tmp_path / "out") == ["First", "Third"]
    assert summary.duplicates == {"address": 1, "text": 1}
    read(warc, keep_duplicates=True, output=tmp_path / "all")
    assert titles(tmp_path / "all") == ["First", "Second", "First", "Third"]


# --- again ------------------------------------------------------------------------------------------


def test_what_is_done_is_not_done_again(read: Read, warc: Path, tmp_path: Path) -> None:
    read(warc)
    (file,) = (tmp_path / "out").glob("day=*/*.parquet")
    before = file.stat()
    summary = read(warc)
    assert (summary.done_before, summary.articles, summary.pages_now) == (1, 4, 0)
    assert file.stat() == before


def test_progress_counts_the_bytes_that_are_left_to_be_read_now(app: App, tmp_path: Path) -> None:
    """What was done before would make the rate, and the time that is left, too good to be true."""
    inputs = [write_warc(tmp_path / f"{n}.warc.gz", story_records([f"Town{n}"])) for n in range(3)]
    sizes = [path.stat().st_size for path in inputs]

    def watched(*names: Path) -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []
        request = ArchiveRequest(inputs=tuple(map(str, names)), output=tmp_path / "out")

        def watch(now: ArchiveProgress) -> None:
            seen.append((now.done_bytes, now.all_bytes))

        asyncio.run(archive_inputs(app, request, InlineEngine(), progress=watch))
        return seen

    assert watched(*inputs[:2])[-1] == (sum(sizes[:2]), sum(sizes[:2]))
    seen = watched(*inputs)
    assert seen[-1] == (sizes[2], sizes[2])
    assert max(done for done, _ in seen) == sizes[2]


def test_an_input_that_changed_is_read_anew_and_replaces_its_file(
    read: Read, warc: Path, tmp_path: Path
) -> None:
    read(warc)
    later = [
        each.replace(b"2026-03-04T05", b"2026-03-05T05") for each in story_records(["Elmstead"])
    ]
    write_warc(warc, later)
    read(warc)
    assert titles(tmp_path / "out") == ["Elmstead"]
    assert [path.name for path in (tmp_path / "out").glob("day=*/*")].__len__() == 1


def test_an_output_that_was_taken_away_is_made_again(
    read: Read, warc: Path, tmp_path: Path
) -> None:
    read(warc)
    (file,) = (tmp_path / "out").glob("day=*/*.parquet")
    file.unlink()
    read(warc)
    assert titles(tmp_path / "out") == TOWNS


def test_other_options_are_refused_in_the_same_folder(read: Read, warc: Path) -> None:
    read(warc)
    with pytest.raises(SettingsError, match=r"other options: limit was not given, now 3\."):
        read(warc, limit=3)


def test_an_input_without_articles_is_done_and_leaves_no_file(read: Read, tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", story_records([]))
    assert read(warc).articles == 0
    assert not list((tmp_path / "out").glob("day=*"))
    assert read(warc).done_before == 1


# --- pages that cost their worker ---------------------------------------------------------------------


@pytest.mark.long
def test_a_poisonous_page_is_set_aside_and_all_others_are_read(read: Read, tmp_path: Path) -> None:
    """Workers of their own, with a CPU limit that a page of sixty thousand tables breaks."""
    row = (
        b"<table><tr><td>Some words stand here<td>x</table><p>Others are here, and more follow</p>"
    )
    records = story_records(TOWNS)
    records.insert(3, record("https://poison.example/tables", answer(b"<article>" + row * 60_000)))
    warc = write_warc(tmp_path / "a.warc.gz", records)
    options = EngineOptions(workers=1, cpu=timedelta(seconds=0.3), wall=timedelta(seconds=60))
    slow = LocalEngine(options)
    summary = read(warc, engine=slow)
    assert summary.set_aside_count == 1
    (page_aside,) = summary.set_aside
    assert page_aside.url == "https://poison.example/tables"
    assert page_aside.cause == "cpu"
    assert titles(tmp_path / "out") == TOWNS
    listed = next((tmp_path / "out" / "_manifest").glob("*.done.json")).read_text()
    assert json.loads(listed)["set_aside"][0]["warc_offset"] == page_aside.warc_offset


@pytest.mark.long
def test_the_cost_of_each_page_is_that_of_its_worker(read: Read, tmp_path: Path) -> None:
    """Also of pages that take less than a tick of the clock by which a limit on CPU time counts."""
    hosts = [f"host{number}.example" for number in range(8)]
    records = [record for host in hosts for record in story_records([host], host)]
    engine = LocalEngine(EngineOptions(workers=1))
    summary = read(write_warc(tmp_path / "a.warc.gz", records), engine=engine)
    assert {cost.host for cost in summary.hosts if cost.seconds > 0} == set(hosts)


def test_the_order_is_that_of_the_archive_whatever_order_workers_answer_in(
    read: Read, tmp_path: Path
) -> None:
    from tests.cli.inline import InlineEngine

    class Backwards(InlineEngine):
        """Answers ten pages at a time, the last one first."""

        async def spread(self, work, do):  # type: ignore[no-untyped-def]
            waiting = []
            async for done in InlineEngine.spread(self, work, do):
                waiting.append(done)
                if len(waiting) == 10:
                    for each in reversed(waiting):
                        yield each
                    waiting = []
            for each in reversed(waiting):
                yield each

    towns = [f"Town{number}" for number in range(25)]
    read(write_warc(tmp_path / "a.warc.gz", story_records(towns)), engine=Backwards())
    assert titles(tmp_path / "out") == towns


def test_times_that_are_none_are_unknown(read: Read, tmp_path: Path) -> None:
    warc = write_warc(
        tmp_path / "a.warc", [record("https://a.example/x", answer(page("First")), date="soon")]
    )
    read(warc)
    (row,) = rows(tmp_path / "out")
    assert row["warc_date"] is None
    assert row["fetched_at"] == NOW
    assert list((tmp_path / "out").glob("day=unknown/*.parquet"))
