"""What every bench shares: its options, its figures, the table and the file.

A new bench is one script: a generator of figures and one call.

    def measure(short: bool) -> Iterator[Figure]:
        yield Figure(metric="parsed", unit="pages/s", ours=1200.0, peer=400.0, peer_name="other")

    if __name__ == "__main__":
        main("parse", measure, about="How fast pages are parsed.")
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

_WIDTH = 120  # columns of the table in a file or a pipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One thing measured; `peer` is the same thing done by another tool in the same run."""

    metric: str
    unit: str
    ours: float
    peer: float | None = None
    peer_name: str = ""
    """Empty when nobody else does the thing; a peer that is missing is named without a figure."""
    aim: str = ""
    """What we want, for the reader of the table; made from the bounds where it is left out."""
    least: float | None = None
    most: float | None = None
    """Bounds that the figure has to keep: one that does not fails the bench."""

    @property
    def missed(self) -> bool:
        """Whether it is out of its bounds."""
        too_few = self.least is not None and self.ours < self.least
        return too_few or (self.most is not None and self.ours > self.most)

    @property
    def wanted(self) -> str:
        """The aim as it is shown."""
        if self.aim or (self.least is None and self.most is None):
            return self.aim
        if self.most == 0:
            return "0"
        return f">= {_shown(self.least)}" if self.most is None else f"<= {_shown(self.most)}"

    @property
    def ratio(self) -> float | None:
        """Ours divided by the peer's: above 1 is good for rates, below 1 for times and sizes."""
        return self.ours / self.peer if self.peer else None


class Stopwatch:
    """Adds up the time spent inside it, so that making the input is not counted."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.laps: list[float] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts what happens inside."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.laps.append(time.perf_counter() - started)
            self.seconds += self.laps[-1]


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that at least this part of all values does not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * part) - 1)]


def resident_megabytes() -> float:
    """How much memory this process holds."""
    if Path("/proc/self/statm").exists():
        return resident_of("self")
    psutil = import_module("psutil")  # in the `bench` extra, for systems without /proc
    return float(psutil.Process().memory_info().rss) / 2**20


def resident_of(pid: int | str) -> float:
    """What a process holds of its own; pages of files come and go as the kernel likes, and count for nothing."""
    _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text("ascii").split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 2**20


def family_megabytes(pid: int) -> float:
    """What a process and its children hold, pages that several share counted once."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:  # it has just ended
        return 0.0
    own = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return own / 1024 + sum(family_megabytes(int(child)) for child in children)


def main(
    bench: str,
    measure: Callable[[bool], Iterable[Figure]],
    *,
    about: str,
    arguments: Sequence[str] | None = None,
    is_part: bool = False,
) -> None:
    """Reads the options, measures, prints the table and writes the file; ends with code 1 when an aim is missed.

    Of a part alone, what else the bench has in the file stays there.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--short", action="store_true", help="a few seconds, to see that it works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args(arguments)
    figures = []
    for figure in measure(options.short):
        print(f"{figure.metric}: {_shown(figure.ours)} {figure.unit}", file=sys.stderr)
        figures.append(figure)
        if options.json:  # again with each figure: a run that is stopped keeps what it has
            rows = _rows(bench, figures)
            kept = _others(options.json, bench, rows if is_part else None)
            options.json.write_text(_lines([*kept, *rows]), encoding="utf-8")
    _print(figures, title=f"{bench} (short)" if options.short else bench)
    missed = [figure for figure in figures if figure.missed]
    for figure in missed:
        shown = f"{_shown(figure.ours)} {figure.unit}"
        print(f"aim missed: {figure.metric}: {shown}, wanted {figure.wanted}", file=sys.stderr)
    if missed:
        sys.exit(1)


def _others(
    file: Path, bench: str, part: list[dict[str, object]] | None
) -> list[dict[str, object]]:
    """What stands there of other benches, for `make bench` gives all of them the same file, and of other parts of this one."""
    new = None if part is None else {row["metric"] for row in part}
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [
            row
            for row in rows
            if row["bench"] != bench or (new is not None and row["metric"] not in new)
        ]
    except (OSError, ValueError, TypeError, KeyError):
        return []  # no file, or none of ours


def _lines(rows: Iterable[dict[str, object]]) -> str:
    """A JSON array with one figure a line, so that two runs can be compared line by line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def _rows(bench: str, figures: Iterable[Figure]) -> list[dict[str, object]]:
    return [
        {
            "bench": bench,
            "metric": figure.metric,
            "unit": figure.unit,
            "ours": _rounded(figure.ours),
            "peer": _rounded(figure.peer),
            "peer_name": figure.peer_name,
            "ratio": _rounded(figure.ratio),
        }
        for figure in figures
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _shown(value: float | None) -> str:
    rounded = _rounded(value)
    return "" if rounded is None else f"{rounded:,g}" if abs(rounded) < 1000 else f"{rounded:,.0f}"


def _print(figures: Iterable[Figure], *, title: str) -> None:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("metric", overflow="fold")
    for name in ("ours", "peer", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("peer is", no_wrap=True)
    table.add_column("aim", no_wrap=True)
    for figure in figures:
        numbers = (_shown(figure.ours), _shown(figure.peer), _shown(figure.ratio))
        table.add_row(figure.metric, *numbers, figure.unit, figure.peer_name, figure.wanted)
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)
