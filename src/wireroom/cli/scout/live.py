"""The steps of a visit while it runs: one line each, redrawn in place on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wireroom.cli.streams import Streams
from wireroom.report.build import summary
from wireroom.report.signs import LINES

if TYPE_CHECKING:
    from wireroom.app.scout import Progress

STYLES = {"yes": "cyan", "no": "dim", "unknown": "yellow", "failed": "red", "skipped": "dim"}
MAX_NAMED = 4  # steps under way that are named

Show = Callable[[Sequence[tuple[str, str]], str], None]


class Steps:
    """What has become of the steps so far."""

    def __init__(self, streams: Streams, show: Show) -> None:
        from wireroom.app.scout import step_titles

        self._streams = streams
        self._show = show
        self._titles = step_titles()
        self._running: dict[str, None] = {}
        self._lines: list[tuple[str, str]] = []
        show([], "at the door")

    def add(self, progress: Progress) -> None:
        """Shows what happened to a step; -v says it in lines where nothing can be redrawn."""
        if progress.finding is None:
            self._running[progress.step] = None
        else:
            self._running.pop(progress.step, None)
            word = progress.finding.outcome
            reused = " (known)" if progress.status == "reused" else ""
            title = self._titles.get(progress.step, progress.step)
            line = f"{LINES[word]} {title}: {summary(progress.finding)}{reused}"
            self._lines.append((line, STYLES[word]))
            if self._streams.verbosity > 0:
                self._streams.note(line)
        self._show(self._lines, self._doing())

    def _doing(self) -> str:
        names = [self._titles.get(name, name) for name in self._running]
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        done = f"{len(self._lines)} of {len(self._titles)} steps"
        return f"{done} · {', '.join(names[:MAX_NAMED])}{more}" if names else done
