"""The two streams: data on stdout; progress, questions, errors and logs on stderr.

Everything a command prints passes here. Knows nothing of commands; how a line is drawn is `console`'s.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from wireroom.cli.console import OutputStream, clean
from wireroom.cli.tables import TableColumn
from wireroom.display_text import escaped_json
from wireroom.settings.secrets import redact


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a command did not do what was asked: in one word, in a sentence, and what to do about it."""

    kind: str
    message: str
    hint: str = ""


class Streams:
    """stdout and stderr of one run, and how much is to be said."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = OutputStream(out or sys.stdout or _nowhere())
        self._err = OutputStream(err or sys.stderr or _nowhere())
        self.verbosity = 0
        """Times -v less times -q."""
        self.wants_json = False
        """Whether --json was given: then an error is data, too."""
        self.failure: Failure | None = None
        """The first thing that went wrong."""
        self.find_log_format: Callable[[], str] = str
        """Gives the setting log.format, which is looked up before the first line on stderr."""
        self._log_format: str | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at stdout."""
        return self._out.is_terminal

    @property
    def log_format(self) -> str:
        """Whether lines on stderr are for people, `text`, or for machines, `json`."""
        if self._log_format is None:
            self._log_format = "text"  # for whoever asks while it is looked up
            self._log_format = self.find_log_format() or "text"
        return self._log_format

    @log_format.setter
    def log_format(self, name: str) -> None:
        self._log_format = name

    def flush(self) -> None:
        """Sends what is still held back."""
        self._out.flush()
        self._err.flush()

    # --- data ---

    def json(self, data: Any) -> None:
        """Writes data as JSON, indented for a person, in one line for a pipe."""
        indent = 2 if self.is_terminal else None
        self._out.write(escaped_json(json.dumps(_hidden(data), ensure_ascii=False, indent=indent)))

    def jsonl(self, rows: Iterable[Any]) -> None:
        """Writes one JSON object a line."""
        for row in rows:
            self._out.write(escaped_json(json.dumps(_hidden(row), ensure_ascii=False)))

    def json_failure(self) -> None:
        """Writes what went wrong as JSON, where JSON was asked for and nothing else was written."""
        if self.wants_json and self.failure is not None and not self._out.is_used:
            self.json({"error": asdict(self.failure)})

    @property
    def binary(self) -> BinaryIO:
        """stdout for bytes; what was written as text before goes first."""
        return self._out.binary

    def text(self, text: str) -> None:
        """Writes a text of our own making as it is, line breaks and all."""
        self._out.write(text)

    def paragraphs(self, text: str) -> None:
        """Writes a text of our own making to be read: on a terminal its long lines break at words."""
        self._out.paragraphs(text)

    def line(self, text: object = "", *, style: str = "", indent: int = 0) -> None:
        """Writes one line for people."""
        self._out.line((text, style), indent=indent)

    def prose(self, text: str, *, indent: int = 0) -> None:
        """Writes sentences for people, wrapped within their margin on a terminal."""
        self._out.prose(text, indent=indent)

    def marked(self, text: str, marks: Sequence[tuple[int, int]], *, indent: int = 0) -> None:
        """The same with words that a terminal shows bold: where each begins and ends in the cleaned text."""
        self._out.marked(text, marks, indent=indent)

    def heading(self, text: str) -> None:
        """Writes a heading."""
        self.line(text, style="bold")

    def table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[str] = (),
        styles: Mapping[str, str] | None = None,
        indent: int = 0,
    ) -> None:
        """Writes aligned columns; a cell that is a word of `styles` is shown in that style."""
        self._out.table(rows, columns=columns, styles=styles or {}, indent=indent)

    def fitted_table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[TableColumn],
        styles: Mapping[str, str] | None = None,
        indent: int = 0,
    ) -> None:
        """Writes a line for each row, with as many columns as a terminal has room for; elsewhere all."""
        self._out.fitted_table(rows, columns=columns, styles=styles or {}, indent=indent)

    # --- talk ---

    @property
    def _is_json(self) -> bool:
        return self.log_format == "json"

    def _log_for_machine(self, level: str, text: str, **more: str) -> None:
        """One JSON object on stderr, as the logs write them."""
        self._err.write(
            json_line(level, "wireroom.cli", text, {k: v for k, v in more.items() if v})
        )

    @property
    def may_ask(self) -> bool:
        """Whether there is a person to answer a question."""
        is_person = sys.stdin is not None and sys.stdin.isatty() and self._err.is_terminal
        return is_person and not self._is_json

    def ask(self, question: str) -> bool:
        """Asks for yes or no; anything but yes is no."""
        self._err.stream.write(f"{clean(question)} [y/N] ")
        self._err.stream.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def note(self, text: str) -> None:
        """Says how things go; -q keeps it quiet."""
        if self.verbosity < 0:
            return
        if self._is_json:
            self._log_for_machine("info", text)
        else:
            self._err.line((text, ""), wrap=True)

    def error(self, text: str) -> None:
        """Says what went wrong, in one line, which a terminal breaks at words."""
        self.fail(Failure("error", text))
        if self._is_json:
            self._log_for_machine("error", text)
        else:
            self._err.line(("error:", "bold red"), (text, ""), wrap=True)

    def missing(self, text: str, hint: str = "") -> None:
        """Says that what was asked for is not there; -q keeps it quiet."""
        self.fail(Failure("not_found", text, hint))
        self.note(f"{text} {hint}".rstrip())

    def fail(self, failure: Failure) -> None:
        """Remembers what went wrong; the first thing counts, for what follows explains it."""
        self.failure = self.failure or failure

    def hint(self, text: str) -> None:
        """Says more about an error."""
        if text and self._is_json:
            self._log_for_machine("info", text)
        elif text:
            self._err.line((text, "dim"), indent=2, wrap=True)

    def raw_error(self, text: str, *, what: str = "") -> None:
        """Writes lines that keep their breaks: the help, or a traceback that was asked for.

        `what` names it for machines, which get it in one piece.
        """
        if self._is_json:
            self._log_for_machine(
                "info", what or text, traceback=_clean_lines(text) if what else ""
            )
            return
        self._err.write(_clean_lines(text))

    def end_line(self) -> None:
        """Ends the line in which a terminal has shown ^C."""
        if self._err.is_terminal and not self._is_json:
            self._err.write("")

    @property
    def redraws(self) -> bool:
        """Whether what goes on can be shown in place: on a terminal, unless it is to be quiet or for machines."""
        return self._err.is_terminal and self.verbosity >= 0 and not self._is_json

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """A bar on a terminal; gives a function to be called with (done, total)."""
        if not self.redraws:
            yield lambda _done, _total: None
            return
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        text = TextColumn("{task.description}", markup=False)
        columns = (text, BarColumn(), TaskProgressColumn())
        drawn = Progress(*columns, console=self._err.console, transient=True)
        with drawn as bars, self._out.beside(bars.stop, bars.start):
            bar = bars.add_task(clean(what), total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total or None)

    @contextmanager
    def byte_progress(self, what: str) -> Iterator[Callable[[int, int, str], None]]:
        """A bar of bytes with rate and time left; gives a function to be called with (done, total, what is done)."""
        if not self.redraws:
            yield lambda _done, _total, _doing: None
            return
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        text = TextColumn("{task.description}", markup=False)
        columns = (
            text,
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        drawn = Progress(*columns, console=self._err.console, transient=True)
        with drawn as bars, self._out.beside(bars.stop, bars.start):
            bar = bars.add_task(clean(what), total=None)

            def show(done: int, total: int, doing: str) -> None:
                known = total if total >= done else None
                bars.update(bar, completed=done, total=known, description=clean(doing))

            yield show

    @contextmanager
    def live(self) -> Iterator[Callable[[Sequence[tuple[str, str]], str], None]]:
        """Lines that a terminal redraws in place, and that go when it is over.

        Gives a function to be called with (text, style) lines and with what is being done.
        """
        if not self.redraws:
            yield lambda _lines, _doing: None
            return
        from rich.console import Group
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        spinner = Spinner("dots")
        console = self._err.console
        drawn_live = Live(console=console, transient=True, refresh_per_second=12)
        with drawn_live as live, self._out.beside(live.stop, live.start):

            def show(lines: Sequence[tuple[str, str]], doing: str) -> None:
                room = max(1, console.height - 2)
                drawn = [
                    Text(clean(text), style, no_wrap=True, overflow="ellipsis")
                    for text, style in lines[-room:]
                ]
                spinner.update(text=Text(clean(doing), "dim", no_wrap=True, overflow="ellipsis"))
                live.update(Group(*drawn, spinner))

            yield show


def _clean_lines(text: str) -> str:
    """The text with its line breaks and what its lines begin with; else as `clean` makes it."""
    lines = text.rstrip().splitlines()
    indents = [" " * (len(line) - len(line.lstrip(" "))) for line in lines]
    return "\n".join(
        f"{blanks}{clean(line)}".rstrip() for blanks, line in zip(indents, lines, strict=True)
    )


def _nowhere() -> TextIO:
    """For a stream that the shell has closed (`>&-`)."""
    return Path(os.devnull).open("w", encoding="utf-8")


def _hidden(data: Any) -> Any:
    """The data in types that JSON knows, with the secrets of the addresses in it hidden.

    Machines are shown no more than people: what a command prints ends in logs and reports.
    """
    if isinstance(data, str):
        return redact(data)
    if isinstance(data, Mapping):
        return {_key(name): _hidden(inner) for name, inner in data.items()}
    if isinstance(data, (list, tuple)):
        return [_hidden(inner) for inner in data]
    if data is None or isinstance(data, (bool, int, float)):
        return data
    return data.isoformat() if isinstance(data, datetime) else redact(str(data))


def _key(name: Any) -> Any:
    return redact(name) if isinstance(name, str) else name


# Logs on stderr: one line an event, for people or as JSON. The library itself never sets this up.

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


def set_up_logs(
    verbosity: int, *, level: str = "warning", style: str | Callable[[], str] = "text"
) -> None:
    """Sends wireroom's logs to stderr; each -v shows more than `level`, each -q less.

    `style` is text or json, or gives one of them when the first line is written. With json the warnings of Python,
    of threads and of other packages are lines of JSON, too.
    """
    handler = _Handler(sys.stderr)
    handler.setFormatter(_Formatter(style))
    for name in ("wireroom", ""):
        log = logging.getLogger(name)
        for old in [each for each in log.handlers if isinstance(each, _Handler)]:
            log.removeHandler(old)
    log = logging.getLogger("wireroom")
    log.addHandler(handler)
    log.setLevel(_level(verbosity, level))
    log.propagate = False
    is_json = style == "json"
    logging.captureWarnings(is_json)
    if is_json:
        logging.getLogger().addHandler(handler)
        threading.excepthook = _thread_failed
    elif threading.excepthook is _thread_failed:
        threading.excepthook = threading.__excepthook__


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    """What a thread has died of, as a line of the log."""
    if failed.exc_value is not None and not isinstance(failed.exc_value, SystemExit):
        kept = (failed.exc_type, failed.exc_value, failed.exc_traceback)
        logging.getLogger("wireroom").error("a thread failed", exc_info=kept)


def _level(verbosity: int, level: str) -> int:
    place = _LEVELS.index(logging.getLevelNamesMapping()[level.upper()]) + verbosity
    return _LEVELS[max(0, min(place, len(_LEVELS) - 1))]


class _Handler(logging.StreamHandler[Any]):
    """Ours, so that setting up twice replaces it; it writes above a bar that is drawn meanwhile."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes to stderr as it is now: what draws a bar stands in for it."""
        self.stream = sys.stderr or self.stream
        super().emit(record)


class _Formatter(logging.Formatter):
    def __init__(self, style: str | Callable[[], str]) -> None:
        super().__init__()
        self._format = style

    def format(self, record: logging.LogRecord) -> str:
        """For people `level: message name=value …`, else one JSON object; nothing that a terminal would obey."""
        style = self._format if isinstance(self._format, str) else self._format()
        extra = {name: clean(value) for name, value in _extra(record).items()}
        if style != "json":
            pairs = [f"{name}={value}" for name, value in extra.items()]
            line = [f"{record.levelname.lower()}:", record.getMessage(), *pairs]
            return clean(" ".join(line))
        if record.exc_info:
            extra["traceback"] = _clean_lines(self.formatException(record.exc_info))
        level = record.levelname.lower()
        return json_line(level, record.name, record.getMessage(), extra, at=record.created)


def json_line(
    level: str, log: str, message: str, extra: Mapping[str, str], *, at: float | None = None
) -> str:
    """One JSON object in one line, for whoever reads logs by machine; the time is UTC."""
    seconds = time.time() if at is None else at
    row = {
        "at": datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds"),
        "level": level,
        "log": log,
        "message": clean(message),
    }
    return json.dumps(row | dict(extra), ensure_ascii=False)


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}
