"""What every test may use, and what happens when a real part is missing."""

from __future__ import annotations

import gc
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.parts import MISSING, OPTIONAL_IN_CI, REPOSITORY, in_ci

# `make check` asks each property fewer times than `make test` does. A busy machine is no failure, and neither
# is the first example that loads a model: what a reader may cost is measured in CPU time, by `bounds`.
settings.register_profile("test", deadline=None)
settings.register_profile("check", max_examples=20, deadline=None)
settings.load_profile("test")
os.environ["TZ"] = "UTC"  # the zone in which people read, wherever the tester sits
time.tzset()
# What the program keeps for its next start is kept with the tests' own, not in the tester's home.
os.environ["XDG_CACHE_HOME"] = str(REPOSITORY / ".pytest_cache" / "kept")


# Objects made between two looks of the garbage collector; with Python's own number it would walk
# through eight thousand tests a thousand times, which is a tenth of all that `make check` does.
LOOK_EVERY = 50_000


def pytest_configure() -> None:
    """Garbage is looked for less often; Ctrl-C reaches what the tests start."""
    gc.set_threshold(LOOK_EVERY, 10, 10)
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # a shell's background job: children inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """The tests themselves are no garbage: they need not be looked at again."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _nobody_is_invalid() -> Iterator[None]:
    """A name under .invalid is nobody's, at once: no resolver is asked, which may be slow or away."""
    ask = socket.getaddrinfo

    def answer(host: Any, *arguments: Any, **options: Any) -> Any:
        if str(host).endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ask(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", answer)
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose part is missing; in CI it fails instead."""
    for marker, missing in MISSING.items():
        if item.get_closest_marker(marker) is None:
            continue
        if not (reason := missing()):
            continue
        if in_ci() and marker not in OPTIONAL_IN_CI:
            pytest.fail(f"CI must have every part: {reason}", pytrace=False)
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which tests were left out for want of a part, and why."""
    reasons = {reason for missing in MISSING.values() if (reason := missing())}
    skipped = terminalreporter.stats.get("skipped", [])
    counted = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in skipped)
    left_out = {reason: count for reason, count in counted.items() if reason in reasons}
    if not left_out:
        return
    terminalreporter.section("left out")
    for reason, count in left_out.items():
        terminalreporter.line(f"{count} tests: {reason}")
