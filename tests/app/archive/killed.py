"""Reads archives and is killed at one moment after another: run by `test_kills` in a process of its own.

Every moment at which something is written or named is counted once; then for ten of them a child is started that
kills itself there, and at the end one that is left alone. Forked from a process that has loaded everything, a child
costs a tenth of a second.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.inline import InlineEngine
from wireroom.app import open_app
from wireroom.app.archive import ArchiveRequest, manifest
from wireroom.app.archive import archive_output as output
from wireroom.app.archive.archive_files import archive_inputs

MOMENTS = 10


class Countdown:
    """Kills this process when the moment has come; without one, only counts."""

    def __init__(self, moment: int | None) -> None:
        self.count = 0
        self._moment = moment

    def pass_by(self) -> None:
        if self.count == self._moment:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, owner: Any, name: str) -> None:
        """Counts a moment before and one after each call."""
        real: Callable[..., Any] = getattr(owner, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            self.pass_by()
            result = real(*arguments, **options)
            self.pass_by()
            return result

        setattr(owner, name, counted)


def read(folder: Path, out: Path, moment: int | None) -> int:
    """Reads everything; gives how many moments there were."""
    countdown = Countdown(moment)
    countdown.around(output.FileOutput, "add")
    countdown.around(output.FileOutput, "finish")
    countdown.around(manifest.Manifest, "save")
    countdown.around(manifest, "write_whole")
    countdown.around(os, "fsync")
    inputs = tuple(str(path) for path in sorted(folder.glob("*.warc.gz")))
    with open_app("sqlite:///:memory:") as app:
        request = ArchiveRequest(inputs=inputs, output=out)
        asyncio.run(archive_inputs(app, request, InlineEngine()))
    return countdown.count


def in_child(folder: Path, out: Path, moment: int | None) -> int:
    """The same in a child; how it ended."""
    pid = os.fork()
    if pid == 0:
        read(folder, out, moment)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main(folder: Path) -> None:
    """Writes `whole` at once, and `killed` with ten kills on the way; says how the children ended."""
    pid = os.fork()
    if pid == 0:
        os._exit(min(255, read(folder, folder / "whole", None)))
    moments = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    # Each child does a part of what is left: so each is killed early, but a little later than the one before.
    chosen = [1 + number * (moments // 3) // MOMENTS for number in range(MOMENTS)]
    ends = [in_child(folder, folder / "killed", moment) for moment in chosen]
    ends.append(in_child(folder, folder / "killed", None))
    sys.stdout.write(f"{moments} {' '.join(map(str, ends))}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
