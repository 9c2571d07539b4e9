"""The two streams: data on stdout; progress, questions, errors and logs on stderr.

Everything that is printed passes here, so that text from outside can neither move the cursor nor
be read as markup, secrets stay hidden, and colour and bars appear on terminals alone. Knows
nothing of verbs. rich is loaded when something is drawn, not before.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import environ  # what the terminal can do is no setting of ours
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Streams", "clean"]

UNBOUNDED = 10_000  # columns off a terminal: a file has no edge, nothing is cut or wrapped

# C0, C1, and the marks that reorder what stands around them: a title must not forge a line.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: object) -> str:
    """The text in one line, without control characters, secrets hidden."""
    from wireroom.settings.secrets import redact

    one_line = _CONTROLS.sub(" ", str(text))
    return redact(_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", one_line)).strip()


class Streams:
    """stdout and stderr of one run, and how much is to be said."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self.verbosity = 0
        """Times -v less times -q."""

    # data
    def json(self, data: Any) -> None:
        """Writes data as JSON, indented for a person, in one line for a pipe."""
        indent = 2 if self.is_terminal else None
        self._write(json.dumps(data, ensure_ascii=False, indent=indent, default=str))

    def jsonl(self, rows: Iterator[Any] | Sequence[Any]) -> None:
        """Writes one JSON object a line."""
        for row in rows:
            self._write(json.dumps(row, ensure_ascii=False, default=str))

    def text(self, text: str) -> None:
        """Writes a text of our own making as it is, line breaks and all."""
        self._write(text)

    def line(self, text: str = "", *, style: str = "") -> None:
        """Writes one line of data for people."""
        self._draw(self._text(text, style), soft_wrap=True)

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
        from rich.padding import Padding
        from rich.table import Table

        table = Table(box=None, show_header=bool(columns), header_style="dim", pad_edge=False)
        for name in columns or [""] * max(map(len, rows), default=0):
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*(self._text(cell, (styles or {}).get(str(cell), "")) for cell in row))
        self._draw(Padding(table, (0, 0, 0, indent), expand=False))

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at stdout."""
        return self._out.isatty()

    # talk
    @property
    def may_ask(self) -> bool:
        """Whether there is a person to answer a question."""
        return sys.stdin is not None and sys.stdin.isatty() and self._err.isatty()

    def ask(self, question: str) -> bool:
        """Asks for yes or no; anything but yes is no."""
        self._err.write(f"{clean(question)} [y/N] ")
        self._err.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def note(self, text: str) -> None:
        """Says how things go; -q keeps it quiet."""
        if self.verbosity >= 0:
            self._say(self._text(text))

    def hint(self, text: str) -> None:
        """Says more about an error."""
        if text:
            self._say(self._text(f"  {clean(text)}", "dim", keep_blanks=True))

    def error(self, text: str) -> None:
        """Says what went wrong, in one line."""
        from rich.text import Text

        self._say(Text.assemble(("error:", "bold red"), " ", clean(text)))

    def raw_error(self, text: str) -> None:
        """Writes lines that keep their breaks: a traceback, which was asked for."""
        for line in text.rstrip().splitlines():
            self._err.write(f"{_CONTROLS.sub(' ', line)}\n")

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """A bar on a terminal; gives a function to be called with (done, total)."""
        if not self._err.isatty() or self.verbosity < 0:
            yield lambda _done, _total: None
            return
        from rich.progress import Progress

        with Progress(console=self._err_console(), transient=True) as bars:
            bar = bars.add_task(clean(what), total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total or None)

    def flush(self) -> None:
        """Sends what is still held back."""
        self._out.flush()
        self._err.flush()

    # drawing
    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")

    def _text(self, text: object, style: str = "", *, keep_blanks: bool = False) -> Text:
        from rich.text import Text

        return Text(str(text) if keep_blanks else clean(text), style=style)

    def _draw(self, thing: Any, *, soft_wrap: bool = False) -> None:
        _console(self._out).print(thing, soft_wrap=soft_wrap)

    def _say(self, thing: Any) -> None:
        self._err_console().print(thing, soft_wrap=True)

    def _err_console(self) -> Console:
        return _console(self._err)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    on_terminal = stream.isatty()
    plain = bool(environ.get("NO_COLOR")) or not on_terminal
    return Console(
        file=stream,
        force_terminal=on_terminal,
        color_system=None if plain else "auto",
        width=None if on_terminal else UNBOUNDED,
        markup=False,
        highlight=False,
        emoji=False,
    )
