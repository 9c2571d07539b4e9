"""What a larger load takes: from figures that are kept, and one prediction that is held against a run.

The prediction: archives of a quarter, a half and the whole of some thousand pages are read, a line is laid through what
they took, and then twice as many pages are read. The estimates: what 10,000 publishers with a million articles a day
and a year of Common Crawl News take, by the figures in `results/` and by the sizes that stand below as assumptions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from archive_file import real_pages, write_archive
from archive_runs import Ran, run_archive
from figures import Figure, main

PAGES, SHORT_PAGES = 6_000, 80
PARTS = (4, 2, 1)  # of the pages, on which the line is laid
RESULTS = Path(__file__).resolve().parent / "results"
DAY, HOUR = 86_400, 3_600
BUSY = 0.7  # of a core that a sensible plan uses


@dataclass(frozen=True, slots=True)
class Publishers:
    """Publishers that are followed; all of it is assumed."""

    publishers: int = 10_000
    articles: int = 1_000_000
    """A day."""
    feeds: int = 3
    """Of a publisher."""
    polls: int = 48
    """Of a feed, a day."""
    peak: float = 3.0
    """The busiest hour against the average."""


@dataclass(frozen=True, slots=True)
class NewsCrawl:
    """A year of Common Crawl News.

    11.5 to 11.7 million documents a month: the card of the dataset FineNews-unfiltered, March to May 2024. It agrees
    with 1.35 billion from August 2016 to spring 2026 (arXiv 2605.18337).
    """

    pages: int = 140_000_000


# --- the prediction -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A start and a cost a page."""

    start: float
    each: float

    def at(self, pages: int) -> float:
        """What so many pages take."""
        return self.start + self.each * pages


def fitted(counts: Sequence[int], values: Sequence[float]) -> Line:
    """The line with the least squares."""
    middle, mean = fmean(counts), fmean(values)
    spread = sum((count - middle) ** 2 for count in counts)
    each = sum(
        (count - middle) * (value - mean) for count, value in zip(counts, values, strict=True)
    )
    return Line(mean - each / spread * middle, each / spread)


def prediction(count: int, *, short: bool) -> Iterator[Figure]:
    """Twice as many pages as the line was laid on, predicted and read."""
    pages = real_pages(count)
    if not pages:
        raise SystemExit("The development pages are not beside the repository.")
    counts = [count // part for part in PARTS]
    with TemporaryDirectory(prefix="sizing-bench-") as name:
        folder = Path(name)
        found = []
        for each in (*counts, 2 * count):
            path = folder / f"{each}.warc.gz"
            write_archive(path, pages, each)
            ran = run_archive(path, out=folder / "out", workers=2, watch=True)
            found.append((ran, _written(folder / "out")))
            path.unlink()
    *known, checked = found
    for what, unit, value_of in (
        ("CPU", "CPU s", _cpu),
        ("time by the clock, on two cores", "s", _seconds),
        ("size of the table", "MB", _megabytes),
    ):
        predicted = fitted(counts, [value_of(each) for each in known]).at(2 * count)
        measured = value_of(checked)
        is_bound = what != "time by the clock, on two cores" and not short
        yield Figure(
            metric=f"{what}, {2 * count:,} pages, predicted on {count:,}",
            unit=unit,
            ours=measured,
            peer=predicted,
            peer_name="predicted",
        )
        yield Figure(
            metric=f"{what}: error of the prediction",
            unit="%",
            ours=100 * abs(measured / predicted - 1),
            most=10 if is_bound else None,
        )
    most = [max(ran.memory) for ran, _ in found]
    yield Figure(
        metric=f"memory, {2 * count:,} pages beside {count:,}",
        unit="MB",
        ours=most[-1],
        peer=most[-2],
        peer_name=f"{count:,} pages",
    )


def _cpu(found: tuple[Ran, float]) -> float:
    return found[0].cpu


def _seconds(found: tuple[Ran, float]) -> float:
    return found[0].seconds


def _megabytes(found: tuple[Ran, float]) -> float:
    return found[1]


def _written(out: Path) -> float:
    return sum(path.stat().st_size for path in out.glob("day=*/*.parquet")) / 1e6


# --- estimates from kept figures ----------------------------------------------------------------------


def kept(bench: str, metric: str) -> float:
    """A figure of an earlier run, by the beginning of its name."""
    rows = json.loads((RESULTS / f"{bench}.json").read_text("utf-8"))
    for row in rows:
        if row["metric"].startswith(metric):
            return float(row["ours"])
    raise SystemExit(f"{bench}.json has no figure that begins with {metric!r}.")


def kept_sum(bench: str, metric: str, unit: str) -> float:
    """All figures of a unit whose names begin so, together."""
    rows = json.loads((RESULTS / f"{bench}.json").read_text("utf-8"))
    return sum(
        float(row["ours"])
        for row in rows
        if row["unit"] == unit and row["metric"].startswith(metric)
    )


def publisher_estimate(load: Publishers) -> Iterator[Figure]:
    """What following takes, on PostgreSQL."""
    article = kept("follow", "CPU an article")
    saved = kept("store", "PostgreSQL: 20,000 articles of 3 KB saved, peer") / 1000
    poll = kept("follow", "second run, a feed")
    polls = load.publishers * load.feeds * load.polls
    seconds = (load.articles * (article + saved) + polls * poll) / 1000
    what = f"{load.publishers:,} publishers, {load.articles:,} articles a day"
    yield Figure(metric=f"{what}: processor", unit="core hours a day", ours=seconds / HOUR)
    cores = load.peak * seconds / DAY / BUSY
    yield Figure(metric=f"{what}: cores for the busiest hour", unit="cores", ours=cores)
    each = kept_sum("store", "PostgreSQL: ", "bytes an article")
    yield Figure(
        metric=f"{what}: PostgreSQL grows", unit="GB a day", ours=load.articles * each / 1e9
    )
    rate = kept("scale", "articles, three runs beside one") / 3
    runs = load.peak * load.articles / DAY / rate
    yield Figure(metric=f"{what}: runs for the busiest hour", unit="runs", ours=runs)
    page = kept("archive", "archive") * 1e6 / kept("archive", "pages of it")
    yield Figure(
        metric=f"{what}: pages, compressed", unit="GB a day", ours=load.articles * page / 1e9
    )


def news_estimate(load: NewsCrawl) -> Iterator[Figure]:
    """What a year of Common Crawl News takes."""
    cost = kept("archive", "a page to its row on two cores")
    page = kept("archive", "archive") * 1e6 / kept("archive", "pages of it")
    row = kept("archive", "bytes of the table a page")
    what = f"{load.pages:,} pages of archives"
    hours = load.pages * cost / 1000 / HOUR
    yield Figure(metric=f"{what}: processor", unit="core hours", ours=hours)
    yield Figure(metric=f"{what}: on 32 cores", unit="days", ours=hours / 32 / 24)
    yield Figure(metric=f"{what}: archives", unit="TB", ours=load.pages * page / 1e12)
    yield Figure(metric=f"{what}: tables", unit="TB", ours=load.pages * row / 1e12)


def measure(short: bool) -> Iterator[Figure]:
    """The prediction first, then the estimates."""
    yield from prediction(SHORT_PAGES if short else PAGES, short=short)
    yield from publisher_estimate(Publishers())
    yield from news_estimate(NewsCrawl())


if __name__ == "__main__":
    main("sizing", measure, about="What a larger load takes, and a prediction that is checked.")
