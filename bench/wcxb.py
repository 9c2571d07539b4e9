"""The development pages with their true main text, and how an extraction is scored against it.

The pages are other people's (WCXB v1.0, CC-BY-4.0) and stay outside the repository; without them there
is nothing to measure. The score is the set's own: words are runs of letters, digits and underscores in
lower case, counted as a multiset; precision, recall and F1 per page, then the mean over the pages.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "wcxb-dev"
_WORD = re.compile(r"\w+")


class Sample(NamedTuple):
    """One page: its kind, its address and what a reader would call its main text."""

    id: str
    url: str
    kind: str
    truth: str

    def body(self) -> bytes:
        """The page as it was served."""
        return gzip.decompress((FOLDER / "html" / f"{self.id}.html.gz").read_bytes())

    def domain(self) -> str:
        """By what pages are grouped, so that no publisher is both learned from and judged on."""
        host = urlsplit(self.url).netloc.removeprefix("www.")
        return ".".join(host.split(".")[-2:]) or self.id


class Score(NamedTuple):
    """How well an extraction fits."""

    f1: float
    precision: float
    recall: float


def samples(*, every: int = 1) -> list[Sample]:
    """All pages, or every so-manieth; none when the folder is not beside the repository."""
    if not FOLDER.is_dir():
        return []
    with gzip.open(FOLDER / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Sample(row["id"], row["url"] or "", row["page_type"], row["main_content"] or "")
        for row in rows[::every]
    ]


def words(text: str) -> list[str]:
    """The words that are counted."""
    return _WORD.findall(text.lower())


def score(text: str, truth: str) -> Score:
    """One page's score; nothing against nothing is perfect, nothing against something is 0."""
    found, wanted = Counter(words(text)), Counter(words(truth))
    if not found or not wanted:
        same = float(not found and not wanted)
        return Score(same, same, same)
    both = (found & wanted).total()
    precision, recall = both / found.total(), both / wanted.total()
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return Score(f1, precision, recall)


def mean(scores: Iterable[Score]) -> Score:
    """The mean over pages."""
    rows: Iterator[tuple[float, ...]] = zip(*scores, strict=True)
    return Score(*(fmean(row) for row in rows))
