"""What took the square of its length is read at once, and bench/fuzz.py finds every pattern to measure.

The growth of each pattern and reader is printed there: a clock decides about no test.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.budget import cpu_within
from tests.parts import REPOSITORY
from wireroom.errors import RefusedError
from wireroom.fetch.guard import judge_form
from wireroom.parse.sitemap import read_sitemap
from wireroom.signals.terms.terms_reading import read_terms

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX timer ends what hangs")
BUILDERS = """
import json, patterns
print(json.dumps(sorted(map(list, patterns.unknown_builders()))))
"""
FOUND = """
import json, patterns
print(json.dumps([[each.module, each.name] for each in patterns.patterns()]))
"""


ENGLISH = "You may not copy, scrape or train on this content without our written permission. " * 5
QUICK: dict[str, Callable[[], object]] = {  # each took seconds, the square of its length
    "dots in terms": lambda: read_terms(f"{ENGLISH}{'.' * 40_000}x", language="en"),
    "the root of a sitemap": lambda: read_sitemap(
        f"<urlset a='\"{'b' * 40_000}'><url><loc>https://a.test/</loc></url></urlset>".encode()
    ),
    "an address with many signs": lambda: _refused("https" + "+" * 40_000),
}


def _refused(url: str) -> None:
    with pytest.raises(RefusedError):
        judge_form(url)


@pytest.mark.parametrize("case", QUICK)
def test_what_took_the_square_of_its_length_is_read_at_once(case: str) -> None:
    with cpu_within(0.4):
        QUICK[case]()


def run(script: str) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY / "bench",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, list)
    return answer


@pytest.mark.long
def test_patterns_are_found_wherever_they_stand() -> None:
    found = {(module, name) for module, name in map(tuple, run(FOUND))}
    assert ("wireroom.signals.terms.sentence_judging", "_END") in found, "of a module"
    assert ("wireroom.parse.structured_fields", "…") in found, "in a tuple"
    assert ("wireroom.signals.terms.phrases", "…") in found, "of a table that is made when needed"
    assert any(name.startswith("line ") for _, name in found), "inside of a function"


def test_every_function_that_makes_patterns_has_been_judged() -> None:
    assert run(BUILDERS) == []
