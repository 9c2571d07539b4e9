"""Whole archives: pages to a table beside the bare parser and beside other programs, on one file of real pages.

Costs are counted in CPU time, that of all processes together, so that other users of the machine change little;
start-up is measured by an archive of one page and taken off. What is compared runs in turns. Peers that want another
environment are run by the Python that ARCHIVE_PEERS names. ARCHIVE_PARTS names the parts to be measured, all by
default; ARCHIVE_FILE keeps the file for the next time.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from archive_file import Page, real_pages, write_archive
from archive_runs import Ran, bare_parser, bare_rates, run_archive
from figures import Figure, main
from wireroom.app.archive.page_filter import PageFilter, captured_at, is_page
from wireroom.parse.warc import Record, RecordHead, WarcReader, read_http

PAGES, SHORT_PAGES = 20_000, 200
BARE, SHORT_BARE = (
    1_497,
    100,
)  # pages that the bare parser reads each time: every development page once
PEER, SHORT_PEER = 2_000, 40  # those that peers read
ROUNDS = 2  # of ours and the peers, in turns
MOST_OF_THEM = 0.95  # of its pages a peer must give, or its cost says nothing
FIRST = 16  # pages by which the start of a peer is measured: some for each of its processes
READ = 3_000  # records of a look at reading alone
KILLS, INPUTS = 10, 6
KILL_PAGES, SHORT_KILL_PAGES = 60, 12
PARTS = ("speed", "cores", "reading", "trafilatura", "news-please", "fundus", "kills")
PEERS = Path(__file__).resolve().parent / "programs" / "archive_peers.py"


# --- reading alone ----------------------------------------------------------------------------------


def reading_cost(path: Path, wanted: PageFilter | None, most: int = READ) -> float:
    """CPU seconds a record of reading alone; with a filter, that looks at each header as well."""

    def wants(head: RecordHead) -> bool:
        if wanted is not None:
            return is_page(head) and wanted.skip_head(head, captured_at(head)) is None
        return True

    count = 0
    with path.open("rb", buffering=0) as stream:
        began = time.process_time()
        for record in islice(WarcReader(stream, wants), most):
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


class Peer(NamedTuple):
    """Another program."""

    kind: str
    name: str


POOLS = (
    Peer("trafilatura", "warcio + trafilatura in a process pool"),
    Peer("trafilatura-fast", "the same, trafilatura without its second readings"),
)
NEWS_PLEASE = Peer("news-please", "news-please's reader of archives")
FUNDUS = Peer("fundus", "Fundus's reader of archives")


def peer_cost(peer: Peer, path: Path, pages: int) -> float | None:
    """CPU seconds a page of another program, its start taken off; None where it is not installed."""
    first, whole = (_peer_cpu(peer, path, count) for count in (FIRST, pages))
    return (whole - first) / (pages - FIRST) if first is not None and whole is not None else None


def _peer_cpu(peer: Peer, path: Path, pages: int) -> float | None:
    python = os.environ.get("ARCHIVE_PEERS", sys.executable)
    done = subprocess.run(
        [python, str(PEERS), peer.kind, str(path), str(pages), "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{peer.name}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found = json.loads(done.stdout.splitlines()[-1])
    if int(found["pages"]) < MOST_OF_THEM * pages:  # some readers leave out what they cannot decode
        print(f"{peer.name}: {found['pages']} of {pages} pages", file=sys.stderr)
        return None
    return float(found["cpu"])


# --- kills ------------------------------------------------------------------------------------------


def rows_that_differ(folder: Path, pages: list[Page], count: int) -> int:
    """Rows that a run killed ten times has more or less than one that was left alone."""
    inputs = [folder / f"{number}.warc.gz" for number in range(INPUTS)]
    for number, path in enumerate(inputs):
        write_archive(path, pages[number * 7 :], count)
    run_archive(*inputs, out=folder / "whole", workers=2)
    command = [sys.executable, "-m", "wireroom", "archive", *map(str, inputs)]
    command += ["-o", str(folder / "killed"), "--workers", "2", "-q"]
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
    parts = os.environ.get("ARCHIVE_PARTS", ",".join(PARTS)).split(",")
    pages = real_pages(count)
    if not pages:
        raise SystemExit("The development pages are not beside the repository.")
    with TemporaryDirectory(prefix="archive-bench-") as name:
        folder = Path(name).resolve()
        path = _archive(folder, pages, count)
        if "speed" in parts:
            yield Figure(metric="archive", unit="MB", ours=path.stat().st_size / 1e6)
            yield Figure(metric="pages of it", unit="pages", ours=count)
            yield from speed_figures(folder, path, pages, count, short=short)
        if "reading" in parts:
            yield from reading_figures(path)
        most = SHORT_PEER if short else PEER
        if "cores" in parts:
            yield from core_figures(folder, pages, most)
        if "trafilatura" in parts:
            yield from pool_figures(folder, pages, most)
        if "news-please" in parts:
            yield news_please_figure(folder, pages, most)
        if "fundus" in parts:
            yield fundus_figure(folder, pages, most)
        if "kills" in parts:
            kill_pages = SHORT_KILL_PAGES if short else KILL_PAGES
            differ = rows_that_differ(folder, pages, kill_pages)
            metric = f"rows that differ after {KILLS} kills"
            yield Figure(metric=metric, unit="rows", ours=differ, most=0)


def _archive(folder: Path, pages: list[Page], count: int) -> Path:
    """The file: one that was kept, or a new one."""
    kept = os.environ.get("ARCHIVE_FILE")
    path = Path(kept).resolve() if kept else folder / "pages.warc.gz"
    if not path.exists():
        write_archive(path, pages, count)
    return path


def speed_figures(
    folder: Path, path: Path, pages: list[Page], count: int, *, short: bool
) -> Iterator[Figure]:
    """Ours beside the bare parser, one core beside two, and memory."""
    lone = folder / "lone.warc.gz"
    write_archive(lone, pages, 1)
    start = {cores: run_archive(lone, out=folder / "o", workers=cores) for cores in (1, 2)}
    looks = SHORT_BARE if short else BARE
    before = bare_parser(path, looks)
    single = run_archive(path, out=folder / "out", workers=1, cores=1, watch=True)
    between = bare_parser(path, looks)
    both = run_archive(path, out=folder / "out", workers=2, watch=True)
    after = bare_parser(path, looks)
    for ran, cores, bare in (
        (single, 1, fmean([before, between])),
        (both, 2, fmean([between, after])),
    ):
        where = "one core" if cores == 1 else "two cores"
        cost = (ran.cpu - start[cores].cpu) / count
        yield Figure(
            metric=f"a page to its row on {where}, of which the bare parser",
            unit="CPU ms",
            ours=1000 * cost,
            peer=1000 * bare,
            peer_name="bare parser",
        )
        yield Figure(
            metric=f"speed per core on {where}, of the bare parser's",
            unit="share",
            ours=bare / cost,
            least=None if short or cores > 1 else 0.85,
            aim=">= 0.85" if cores == 1 else "",
        )
        yield Figure(metric=f"pages on {where}", unit="pages/s", ours=count / ran.seconds)
        yield from memory_figures(ran, where, short=short)
    yield Figure(metric="articles of pages", unit="share", ours=both.articles / both.pages)
    written = sum(each.stat().st_size for each in (folder / "out").glob("day=*/*.parquet"))
    yield Figure(metric="bytes of the table a page", unit="bytes", ours=written / count)


def core_figures(folder: Path, pages: list[Page], most: int) -> Iterator[Figure]:
    """Two cores beside one by the clock, and beside it what two bare parsers gain at once: the machine's own limit."""
    path, lone = folder / "sample.warc.gz", folder / "lone.warc.gz"
    write_archive(path, pages, most)
    write_archive(lone, pages, 1)
    ours, bare = [], []
    for _ in range(ROUNDS):
        took = {}
        for cores in (1, 2):
            start = run_archive(lone, out=folder / "o", workers=cores, cores=cores)
            ran = run_archive(path, out=folder / "out", workers=cores, cores=cores)
            took[cores] = ran.seconds - start.seconds
        ours.append(took[1] / took[2])
        bare.append(bare_rates(path, most // 2, 2) / bare_rates(path, most // 2, 1))
    yield Figure(
        metric=f"two cores to one, {most:,} pages by the clock, best of {ROUNDS}",
        unit="times",
        ours=max(ours),
        peer=max(bare),
        peer_name="two bare parsers to one",
        aim=">= 1.8",
    )


def memory_figures(ran: Ran, where: str, *, short: bool) -> Iterator[Figure]:
    """What all processes held at most by quarters of the file; pages that several share are counted once."""
    for quarter, most in enumerate(ran.memory, 1):
        metric = f"memory on {where}, to {25 * quarter} % of the file"
        yield Figure(metric=metric, unit="MB", ours=most)
    if all(ran.memory):
        flat = max(ran.memory[2:]) / max(ran.memory[:2])
        yield Figure(
            metric=f"memory on {where}, second half to first",
            unit="times",
            ours=flat,
            most=None if short else 1.1,
            aim="<= 1.1",
        )


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


def pool_figures(folder: Path, pages: list[Page], most: int) -> Iterator[Figure]:
    """Ours and trafilatura on a file of so many pages, in turns."""
    path = folder / "sample.warc.gz"
    write_archive(path, pages, most)
    ours: list[float] = []
    costs: dict[str, list[float | None]] = {peer.kind: [] for peer in POOLS}
    for _ in range(ROUNDS):
        ours.append(_our_cost(folder, path, pages, most))
        for peer in POOLS:
            costs[peer.kind].append(peer_cost(peer, path, most))
    for peer in POOLS:
        found = [cost for cost in costs[peer.kind] if cost is not None]
        yield _beside(peer, fmean(ours), fmean(found) if found else None, most)


def news_please_figure(folder: Path, pages: list[Page], most: int) -> Figure:
    """The reader of archives that news-please has; it takes minutes."""
    path = folder / "sample.warc.gz"
    write_archive(path, pages, most)
    ours = _our_cost(folder, path, pages, most)
    return _beside(NEWS_PLEASE, ours, peer_cost(NEWS_PLEASE, path, most), most)


def fundus_figure(folder: Path, pages: list[Page], most: int) -> Figure:
    """That of Fundus up to the decoded page, for it parses publishers of its own alone."""
    path = folder / "sample.warc.gz"
    write_archive(path, pages, most)
    cost = peer_cost(FUNDUS, path, most)
    return Figure(
        metric=f"{most:,} records read and decoded beside Fundus, nothing parsed",
        unit="records/CPU s",
        ours=1 / reading_cost(path, None, most),
        peer=1 / cost if cost else None,
        peer_name=FUNDUS.name if cost else f"{FUNDUS.name}: not installed",
    )


def _our_cost(folder: Path, path: Path, pages: list[Page], count: int) -> float:
    """CPU seconds a page of ours, the start taken off."""
    lone = folder / "lone.warc.gz"
    write_archive(lone, pages, 1)
    start = run_archive(lone, out=folder / "o", workers=2)
    return (run_archive(path, out=folder / "out", workers=2).cpu - start.cpu) / count


def _beside(peer: Peer, ours: float, cost: float | None, most: int) -> Figure:
    return Figure(
        metric=f"{most:,} pages beside {peer.name}",
        unit="pages/CPU s",
        ours=1 / ours,
        peer=1 / cost if cost else None,
        peer_name=peer.name if cost else f"{peer.name}: not installed",
        aim=">= 4 times" if peer.kind == "trafilatura" else "",
    )


if __name__ == "__main__":
    main(
        "archive",
        measure,
        about="Whole archives to tables, beside the bare parser and peers.",
        is_part="ARCHIVE_PARTS" in os.environ,
    )
