"""The guide to duplicates: what it shows is what happens, and its figures are the defaults."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.parts import REPOSITORY
from wireroom.duplicates import ClusterOptions

GUIDE = (REPOSITORY / "docs" / "guide" / "duplicates.md").read_text(encoding="utf-8")


def test_the_python_of_the_guide_prints_what_it_says() -> None:
    first, second = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", first + second],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown + "('c-courier',) ()\n()\n"


def test_the_figures_of_the_guide_are_the_defaults() -> None:
    options = ClusterOptions()
    assert f"at least {options.threshold} of all six-word phrases" in GUIDE
    assert options.words == 6
    assert f"at least {options.words + options.fewest - 1} words" in GUIDE
    assert f"within {options.window.days} days" in GUIDE
