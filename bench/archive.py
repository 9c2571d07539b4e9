"""Whole archives: pages to a table beside the bare parser and beside other programs, on one file of real pages.

The file is made of the development pages, repeated with altered addresses. Everything is counted in CPU time, that of
all processes together, so that other users of the machine change little; start-up is measured by an archive of one
page and taken off. Peers that want another environment are run by the Python that ARCHIVE_PEERS names.
"""

from __future__ import annotations

import gc
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import zlib
from base64 import b32encode
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha1
from itertools import islice
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from figures import Figure, family_megabytes, main
from wcxb import samples
from wireroom.app.archive.page_filter import PageFilter, captured_at, is_page
from wireroom.errors import ParseError
from wireroom.parse.article import read_article
from wireroom.parse.detect import load_detector
from wireroom.parse.warc import Record, RecordHead, WarcReader, read_http
from wireroom.workers.worker import GC_AFTER

PAGES, SHORT_PAGES = 20_000, 200
BARE, SHORT_BARE = 1_400, 100  # pages that the bare parser reads
PEER, SHORT_PEER = 1_000, 40  # those that slower peers read
READ = 3_000  # records of a look at reading alone
KILLS, INPUTS = 10, 6
KILL_PAGES, SHORT_KILL_PAGES = 60, 12
PEERS = Path(__file__).resolve().parent / "programs" / "archive_peers.py"
NOW = datetime(2026, 5, 3, tzinfo=UTC)


# --- the file ---------------------------------------------------------------------------------------


class PackedPage(NamedTuple):
    """A page, compressed once: only the header of its record differs from repetition to repetition."""

    url: str
    block: bytes
    deflated: bytes
    digest: str


def packed_pages(most: int) -> list[PackedPage]:
    """The development pages as answers of servers."""
    found = []
    for sample in samples()[:most]:
        body = sample.body()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        block = head.encode() + body + b"\r\n\r\n"
        packer = zlib.compressobj(6, wbits=-15)
        url = sample.url if sample.url.startswith("http") else f"https://page.example/{sample.id}"
        digest = b32encode(sha1(block[:-4]).digest()).decode()  # Fundus reads no record without
        found.append(PackedPage(url, block, packer.compress(block) + packer.flush(), digest))
    return found


def write_archive(path: Path, pages: list[PackedPage], count: int) -> int:
    """So many pages as a WARC, each a gzip member; gives its bytes."""
    with path.open("wb") as out:
        for number in range(count):
            page = pages[number % len(pages)]
            mark = "&" if "?" in page.url else "?"
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
                f"WARC-Date: 2026-03-04T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:00Z\r\n"
                f"WARC-Target-URI: {page.url}{mark}again={number}\r\n"
                f"WARC-Block-Digest: sha1:{page.digest}\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(page.block) - 4}\r\n\r\n"
            ).encode()
            packer = zlib.compressobj(6, wbits=-15)
            start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
            crc = zlib.crc32(page.block, zlib.crc32(head))
            size = (len(head) + len(page.block)) & 0xFFFFFFFF
            out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + start + page.deflated)
            out.write(crc.to_bytes(4, "little") + size.to_bytes(4, "little"))
    return path.stat().st_size


# --- ours -------------------------------------------------------------------------------------------


class Ran(NamedTuple):
    """What a run of the command cost."""

    cpu: float
    seconds: float
    pages: int
    articles: int
    memory: list[float]


def run_archive(*inputs: Path, out: Path, workers: int, cores: int = 0, watch: bool = False) -> Ran:
    """Runs the command on these inputs; with `cores` it may use no more than that."""
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "wireroom", "archive", *map(str, inputs), "-o", str(out)]
    command += ["--keep-duplicates", "--workers", str(workers), "--json", "-q"]
    chosen = sorted(os.sched_getaffinity(0))[: cores or None]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, chosen),  # noqa: PLW1509
    )
    memory = []
    while watch and process.poll() is None:
        memory.append(family_megabytes(process.pid))
        time.sleep(0.5)
    printed = process.communicate()[0]
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"archive ended with {process.returncode}")
    summary = json.loads(printed)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(cpu, seconds, summary["pages"], summary["articles"], memory)


def bare_parser(path: Path, count: int) -> float:
    """CPU seconds a page of the parser alone, on pages that are in memory already."""
    load_detector()
    pages = []
    with path.open("rb") as stream:
        for record in islice(WarcReader(stream), count):
            answer = read_http(record.block) if isinstance(record, Record) else None
            if isinstance(record, Record) and answer is not None:
                pages.append((record.head.url, answer))
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_AFTER)  # as workers have it
    spent = 0.0
    for number, (url, answer) in enumerate([*pages[:20], *pages]):
        began = time.process_time()
        with suppress(ParseError):  # it costs what it costs
            read_article(
                answer.body,
                url=url,
                content_type=answer.header("content-type"),
                fetched_at=NOW,
                headers=answer.headers,
            )
        spent += time.process_time() - began if number >= 20 else 0.0
    return spent / len(pages)


def reading_cost(path: Path, wanted: PageFilter | None) -> float:
    """CPU seconds a record of reading alone; with a filter, that looks at each header as well."""

    def wants(head: RecordHead) -> bool:
        if wanted is not None:
            return is_page(head) and wanted.skip_head(head, captured_at(head)) is None
        return True

    count = 0
    with path.open("rb", buffering=0) as stream:
        began = time.process_time()
        for record in islice(WarcReader(stream, wants), READ):
            answer = read_http(record.block) if isinstance(record, Record) else None
            if answer is not None and wanted is not None:
                wanted.skip_answer(answer, answer.header("content-type"))
            count += 1
        return (time.process_time() - began) / count


def reading_by_fastwarc(path: Path) -> float:
    """The same by FastWARC."""
    from fastwarc.warc import ArchiveIterator

    count = 0
    with path.open("rb") as stream:
        began = time.process_time()
        for record in islice(ArchiveIterator(stream, parse_http=True), READ):
            record.reader.read()
            count += 1
        return (time.process_time() - began) / count


# --- peers ------------------------------------------------------------------------------------------


def peer_cost(kind: str, path: Path, pages: int) -> float | None:
    """CPU seconds a page of another program; None where it is not installed."""
    python = os.environ.get("ARCHIVE_PEERS", sys.executable)
    done = subprocess.run(
        [python, str(PEERS), kind, str(path), str(pages), "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{kind}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found = json.loads(done.stdout.splitlines()[-1])
    return float(found["cpu"]) / int(found["pages"])


# --- kills ------------------------------------------------------------------------------------------


def rows_that_differ(folder: Path, pages: list[PackedPage], count: int) -> int:
    """Rows that a run killed ten times has more or less than one that was left alone."""
    inputs = [folder / f"{number}.warc.gz" for number in range(INPUTS)]
    for number, path in enumerate(inputs):
        write_archive(path, pages[number * 7 :], count)
    run_archive(*inputs, out=folder / "whole", workers=2)
    command = [sys.executable, "-m", "wireroom", "archive", *map(str, inputs)]
    command += ["-o", str(folder / "killed"), "--keep-duplicates", "--workers", "2", "-q"]
    for moment in range(KILLS):
        process = subprocess.Popen(command)
        _wait_for(folder / "killed", moment, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True)
    return len(_rows(folder / "whole") ^ _rows(folder / "killed"))


def _wait_for(out: Path, moment: int, process: subprocess.Popen[bytes]) -> None:
    """Until a little more than at the last kill is done: by drafts on even moments, by files on odd ones."""
    begun = len(list(out.glob("_manifest/*.done.json")))
    limit = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < limit:
        drafts = [path.stat().st_size for path in out.glob("_manifest/*.part")]
        is_over = moment % 2 and len(list(out.glob("_manifest/*.done.json"))) > begun
        if is_over or (not moment % 2 and drafts):
            return
        time.sleep(0.01)


def _rows(out: Path) -> set[tuple[object, ...]]:
    from pyarrow.parquet import ParquetFile

    found = set()
    for path in out.glob("day=*/*.parquet"):
        with ParquetFile(path) as file:
            table = file.read(columns=["warc_file", "warc_offset", "id", "text_hash"])
        found |= {tuple(row.values()) for row in table.to_pylist()}
    return found


# --- all of it --------------------------------------------------------------------------------------


def measure(short: bool) -> Iterator[Figure]:
    """Each figure, as it is known."""
    count = SHORT_PAGES if short else int(os.environ.get("ARCHIVE_PAGES", PAGES))
    pages = packed_pages(count)
    if not pages:
        raise SystemExit("The development pages are not beside the repository.")
    with TemporaryDirectory(prefix="archive-bench-") as name:
        folder = Path(name)
        path = folder / "pages.warc.gz"
        size = write_archive(path, pages, count)
        yield Figure(metric="archive", unit="MB", ours=size / 1e6)
        yield from speed_figures(folder, path, pages, count, short=short)
        yield from reading_figures(path)
        yield from peer_figures(path, min(SHORT_PEER if short else PEER, max(40, count // 5)))
        kill_pages = SHORT_KILL_PAGES if short else KILL_PAGES
        differ = rows_that_differ(folder, pages, kill_pages)
        yield Figure(
            metric=f"rows that differ after {KILLS} kills", unit="rows", ours=differ, most=0
        )


COSTS: dict[str, float] = {}
"""CPU seconds a page of ours, for the peers to be compared with."""


def speed_figures(
    folder: Path, path: Path, pages: list[PackedPage], count: int, *, short: bool
) -> Iterator[Figure]:
    """Ours beside the bare parser, one core beside two, and memory."""
    lone = folder / "lone.warc.gz"
    write_archive(lone, pages, 1)
    start = {cores: run_archive(lone, out=folder / "o", workers=cores) for cores in (1, 2)}
    bare = bare_parser(path, SHORT_BARE if short else BARE)
    ours = run_archive(path, out=folder / "out", workers=1, watch=True)
    cost = (ours.cpu - start[1].cpu) / count
    COSTS["ours"] = cost
    yield Figure(
        metric="a page to its row, of which the bare parser",
        unit="CPU ms",
        ours=1000 * cost,
        peer=1000 * bare,
        peer_name="bare parser",
    )
    yield Figure(
        metric="speed per core, of the bare parser's",
        unit="share",
        ours=bare / cost,
        least=None if short else 0.85,
        aim=">= 0.85",
    )
    half = len(ours.memory) // 2
    if half > 2:
        flat = max(ours.memory[half:]) / max(ours.memory[:half])
        yield Figure(metric="memory, second half", unit="MB", ours=max(ours.memory[half:]))
        yield Figure(metric="memory, second half to first", unit="times", ours=flat, aim="<= 1.1")
    single = run_archive(path, out=folder / "out", workers=1, cores=1)
    both = run_archive(path, out=folder / "out", workers=2)
    yield Figure(
        metric="two cores to one",
        unit="times",
        ours=(single.seconds - start[1].seconds) / (both.seconds - start[2].seconds),
        aim=">= 1.8",
    )
    yield Figure(
        metric="CPU a page on two cores to one",
        unit="times",
        ours=(both.cpu - start[2].cpu) / (single.cpu - start[1].cpu),
    )
    yield Figure(metric="articles of pages", unit="share", ours=both.articles / both.pages)


def reading_figures(path: Path) -> Iterator[Figure]:
    """Reading without parsing, and what filters add to it."""
    # Some of each, and none that leaves a page out: then its block would not be kept, and reading be cheaper.
    hosts = tuple(f"publisher{number}.example" for number in range(50))
    wanted = PageFilter(
        publishers=(*hosts, *(f"{suffix}" for suffix in ("com", "org", "net", "uk", "io", "de"))),
        since=datetime(2026, 1, 1, tzinfo=UTC),
        until=datetime(2027, 1, 1, tzinfo=UTC),
        sample=0.999999,
    )
    plain, filtered, fast = [], [], []
    for _ in range(3):
        plain.append(reading_cost(path, None))
        filtered.append(reading_cost(path, wanted))
        fast.append(reading_by_fastwarc(path))
    COSTS["reading"] = fmean(plain)
    yield Figure(
        metric="reading a record",
        unit="CPU ms",
        ours=1000 * fmean(plain),
        peer=1000 * fmean(fast),
        peer_name="FastWARC",
    )
    share = 100 * filter_cost(path, wanted) / fmean(plain)
    yield Figure(metric="filters, of reading", unit="%", ours=share, most=5)


def filter_cost(path: Path, wanted: PageFilter) -> float:
    """CPU seconds a record of the filters alone, on records that are in memory."""
    with path.open("rb") as stream:
        body = stream.read(40_000_000)
    found = [each for each in WarcReader(io.BytesIO(body)) if isinstance(each, Record)][:-1]
    answers = [(each.head, read_http(each.block)) for each in found]
    began = time.process_time()
    for head, answer in answers:
        wanted.skip_head(head, captured_at(head))
        if answer is not None:
            wanted.skip_answer(answer, answer.header("content-type"))
    return (time.process_time() - began) / len(answers)


def peer_figures(path: Path, most: int) -> Iterator[Figure]:
    """Other programs on so many pages of the same file."""
    for kind, name, least in (
        ("trafilatura", "warcio + trafilatura in a process pool", 4.0),
        ("news-please", "news-please", None),
    ):
        cost = peer_cost(kind, path, most)
        yield Figure(
            metric=f"pages beside {name}",
            unit="pages/CPU s",
            ours=1 / COSTS["ours"],
            peer=1 / cost if cost else None,
            peer_name=name,
            aim=f">= {least:g} times" if least else "",
        )
    cost = peer_cost("fundus", path, most)
    yield Figure(
        metric="records read and decoded beside Fundus",
        unit="records/CPU s",
        ours=1 / COSTS["reading"],
        peer=1 / cost if cost else None,
        peer_name="Fundus",
    )


if __name__ == "__main__":
    main("archive", measure, about="Whole archives to tables, beside the bare parser and peers.")
