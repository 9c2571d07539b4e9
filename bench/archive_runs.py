"""What the command `archive` costs on a file, and what the bare parser does."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from figures import family_megabytes
from wireroom.errors import ParseError
from wireroom.parse.article import read_article
from wireroom.parse.detect import load_detector
from wireroom.parse.warc import HttpAnswer, Record, WarcReader, read_http
from wireroom.workers.worker import GC_AFTER

LOOK_EVERY = 0.5  # seconds between two looks at memory
NOW = datetime(2026, 5, 3, tzinfo=UTC)


class Ran(NamedTuple):
    """What a run of the command cost."""

    cpu: float
    seconds: float
    pages: int
    articles: int
    memory: tuple[float, ...]
    """The most that all its processes held together, in each quarter of the file; in MB."""


def run_archive(*inputs: Path, out: Path, workers: int, cores: int = 0, watch: bool = False) -> Ran:
    """Runs the command on these inputs; with `cores` it may use no more than that."""
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "wireroom", "archive", *map(str, inputs), "-o", str(out)]
    command += ["--workers", str(workers), "--json", "-q"]
    chosen = sorted(os.sched_getaffinity(0))[: cores or None]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, chosen),  # noqa: PLW1509
    )
    memory = _watched(process, inputs[0]) if watch else ()
    printed = process.communicate()[0]
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"archive ended with {process.returncode}")
    summary = json.loads(printed)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(cpu, seconds, summary["pages"], summary["articles"], memory)


def _watched(process: subprocess.Popen[bytes], path: Path) -> tuple[float, ...]:
    """The most memory in each quarter of the input, until the process ends."""
    most, quarter, size = [0.0] * 4, 0, path.stat().st_size
    while process.poll() is None:
        quarter = max(quarter, min(3, 4 * _place_in(path, process.pid) // size))
        most[quarter] = max(most[quarter], family_megabytes(process.pid))
        time.sleep(LOOK_EVERY)
    return tuple(most)


def _place_in(path: Path, pid: int) -> int:
    """How far a process has read a file, in bytes."""
    with suppress(OSError):  # it has just ended, or closed what we look at
        for name in Path(f"/proc/{pid}/fd").iterdir():
            if name.readlink() == path:
                state = Path(f"/proc/{pid}/fdinfo/{name.name}").read_text("ascii")
                return int(state.split()[1])
    return 0


def bare_parser(path: Path, count: int) -> float:
    """CPU seconds a page of the parser alone, on pages that are in memory already."""
    pages = pages_in(path, count)
    spent = 0.0
    for number, (url, answer) in enumerate([*pages[:20], *pages]):
        began = time.process_time()
        read_bare(url, answer)
        spent += time.process_time() - began if number >= 20 else 0.0
    return spent / len(pages)


def pages_in(path: Path, count: int) -> list[tuple[str, HttpAnswer]]:
    """The first pages of an archive, with everything loaded that reads them, as a worker has it."""
    load_detector()
    pages = []
    with path.open("rb") as stream:
        for record in islice(WarcReader(stream), count):
            answer = read_http(record.block) if isinstance(record, Record) else None
            if isinstance(record, Record) and answer is not None:
                pages.append((record.head.url, answer))
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_AFTER)
    return pages


def read_bare(url: str, answer: HttpAnswer) -> None:
    """Parses a page; one without an article costs what it costs."""
    with suppress(ParseError):
        read_article(
            answer.body,
            url=url,
            content_type=answer.header("content-type"),
            fetched_at=NOW,
            headers=answer.headers,
        )


def bare_rates(path: Path, count: int, processes: int) -> float:
    """Pages a second, by the clock, of so many bare parsers at once."""
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        return sum(pool.map(_bare_rate, [path] * processes, [count] * processes))


def _bare_rate(path: Path, count: int) -> float:
    pages = pages_in(path, count)
    began = time.perf_counter()
    for url, answer in pages:
        read_bare(url, answer)
    return len(pages) / (time.perf_counter() - began)
