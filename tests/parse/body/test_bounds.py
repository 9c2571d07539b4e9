"""What reading bodies costs in memory, page after page; and how right the shipped weights are."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from statistics import fmean

import pytest

from tests.parse.bounds import short_form
from tests.parts import REPOSITORY, SHARED_DATA
from wireroom.parse.article import ExtractConfig, read_article
from wireroom.parse.body import read_body
from wireroom.parse.html import open_page

MAX_MEGABYTES = 300  # for any page of up to 10 MB, the interpreter included
MAX_GROWTH = 1.1  # resident memory after ten times as many pages
EVERY = 10  # development pages of which one is looked at; in the short form of 40
FLOOR = 0.945  # mean word F1; the figures by cross-validation are in bench/results
FLOOR_OF_OTHERS = 0.72  # the same of pages that are no articles

PEAK = """
import sys
from tests.memory import peak_megabytes
from wireroom.parse.body import read_body, to_html
from wireroom.parse.html import open_page
body = eval(sys.argv[1])
to_html(read_body(open_page(body), rich=True).blocks)
print(peak_megabytes())
"""

GROWTH = """
import os, pathlib, sys
from wireroom.parse.body import read_body
from wireroom.parse.html import open_page
def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1])
pages = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).glob("*/case.html"))]
for number in range(1000):
    name = b'<div class="entry-%d">' % number
    read_body(open_page(pages[number % len(pages)].replace(b"<article", name + b"<article")))
    if number == 99:
        early = resident()
print(resident() / early)
"""


def _printed(script: str, argument: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", script, argument],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
        cwd=REPOSITORY,
    )
    return float(done.stdout)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is counted in other units")
@pytest.mark.parametrize(
    "body",
    short_form(
        (
            "'橋は閉鎖' * 800_000",
            "b'<p>word ' * 1_200_000",
            "b'<' * 9_000_000",
            "b'word ' * 2_000_000",
        ),
        few=("b'word ' * 2_000_000",),
    ),
)
def test_no_page_takes_much_memory(body: str) -> None:
    assert _printed(PEAK, body) < MAX_MEGABYTES


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_pages() -> None:
    golden = REPOSITORY / "tests" / "parse" / "body" / "golden"
    assert _printed(GROWTH, str(golden)) < MAX_GROWTH


@pytest.mark.shared_data
@pytest.mark.parametrize("every", [40, pytest.param(EVERY, marks=pytest.mark.long)])
def test_the_shipped_weights_hold_on_real_articles(every: int) -> None:
    folder = SHARED_DATA / "wcxb-dev"
    with gzip.open(folder / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["page_type"] == "article"]
    scores = []
    for row in rows[::every]:
        body = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        scores.append(_f1(read_body(open_page(body)).text, row["main_content"] or ""))
    assert fmean(scores) >= FLOOR


@pytest.mark.shared_data
@pytest.mark.parametrize("every", [40, pytest.param(EVERY, marks=pytest.mark.long)])
def test_pages_of_other_kinds_are_read_as_what_they_are(every: int) -> None:
    folder = SHARED_DATA / "wcxb-dev"
    with gzip.open(folder / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["page_type"] != "article"]
    config = ExtractConfig(any_page=True)
    scores = []
    for row in rows[::every]:
        body = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        text = read_article(body, url=row["url"] or "", config=config).article.text
        scores.append(_f1(text, row["main_content"] or ""))
    assert fmean(scores) >= FLOOR_OF_OTHERS


def _f1(text: str, truth: str) -> float:
    """Word F1 over multisets, as bench/wcxb.py counts it."""
    found, wanted = (Counter(re.findall(r"\w+", words.lower())) for words in (text, truth))
    if not found or not wanted:
        return float(not found and not wanted)
    return 2 * (found & wanted).total() / (found.total() + wanted.total())
