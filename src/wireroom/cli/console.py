"""What is written on one stream: lines and tables, cleaned; coloured on a terminal alone.

Text from outside can neither move the cursor nor be read as markup, and secrets stay hidden.
Off a terminal nothing is cut, wrapped, padded or coloured, and rich is not even loaded for it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from os import environ  # what the terminal can do is no setting of ours
from typing import TYPE_CHECKING, BinaryIO, TextIO

from wireroom.cli.tables import TableColumn, fitted, word_widths
from wireroom.cli.tables import cells as cell_width
from wireroom.display_text import VisibleBytes, visible, visible_line
from wireroom.errors import DeliverError
from wireroom.settings.secrets import redact

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from rich.console import Console, RenderableType

WIDEST = 60  # cells a column is filled up to; one long value must not push all others aside

_SURROGATES = re.compile(r"[\ud800-\udfff]")


class OutputError(DeliverError):
    """A stream of ours cannot be written, as when the disk behind it is full."""


def clean(text: object) -> str:
    """The text in one line, without control and direction characters, secrets hidden."""
    one_line = visible_line(str(text))
    return redact(_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", one_line)).strip()


def shortened(text: str, limit: int) -> str:
    """The text in one line of at most so many characters."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"


class OutputStream:
    """One stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._hide: Callable[[], None] | None = None
        self._show: Callable[[], None] | None = None
        self.is_used = False
        """Whether anything was written."""

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at it."""
        return self.stream.isatty()

    @contextmanager
    def beside(self, hide: Callable[[], None], show: Callable[[], None]) -> Iterator[None]:
        """While it lasts, a bar that is drawn on stderr is hidden before anything is written here.

        Data and a bar must not share a line. On a terminal the bar is shown again below the data. At the end
        of a pipe the terminal may stand on which it is drawn, as in `wireroom fetch URL | head`: there it stays away.
        """
        if self.is_terminal:
            self._hide, self._show = hide, show
        elif _is_pipe(self.stream):
            self._hide = hide
        try:
            yield
        finally:
            self._hide = self._show = None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No bar is drawn while this is written."""
        if self._hide is not None:
            self._hide()
        try:
            yield
        finally:
            if self._show is not None:
                self.flush()
                self._show()

    def write(self, text: str) -> None:
        """Writes a text as it is; a terminal gets what can be shown of it."""
        self.is_used = True
        with self._alone(), _write_errors():
            self.stream.write(f"{visible(text) if self.is_terminal else text}\n")

    @property
    def binary(self) -> BinaryIO:
        """The stream for bytes, behind what was written as text; a terminal gets what can be shown of them."""
        if self._hide is not None:  # for good: whoever has the stream writes when they like
            self._hide()
            self._hide = self._show = None
        self.is_used = True
        self.flush()
        return _Shown(self.stream.buffer) if self.is_terminal else self.stream.buffer

    def flush(self) -> None:
        """Sends what is still held back."""
        with _write_errors():
            self.stream.flush()

    def line(self, *parts: tuple[object, str], indent: int = 0, wrap: bool = False) -> None:
        """Writes texts in one line, each in its style; with `wrap` a terminal breaks it at words."""
        texts = [(clean(text), style) for text, style in parts]
        if not self.is_terminal:
            self.write((" " * indent + " ".join(text for text, _ in texts)).rstrip())
            return
        from rich.padding import Padding
        from rich.text import Text

        drawn = Text("" if wrap else " " * indent)
        for place, (text, style) in enumerate(texts):
            drawn.append(" " if place else "").append(text, style)
        self.draw(Padding(drawn, (0, 0, 0, indent), expand=False) if wrap else drawn, wrap=wrap)

    def prose(self, text: str, *, indent: int) -> None:
        """Writes a sentence or more: one line in a file, wrapped within its margin on a terminal."""
        if not self.is_terminal:
            self.line((text, ""), indent=indent)
            return
        from rich.padding import Padding
        from rich.text import Text

        self.draw(Padding(Text(clean(text)), (0, 0, 0, indent), expand=False))

    def marked(self, text: str, marks: Sequence[tuple[int, int]], *, indent: int) -> None:
        """Writes a sentence or more that is clean already; a terminal shows what stands between each two places bold."""
        if not self.is_terminal:
            self.line((text, ""), indent=indent)
            return
        from rich.padding import Padding
        from rich.text import Text

        drawn = Text(text)
        for start, end in marks:
            drawn.stylize("bold", start, end)
        self.draw(Padding(drawn, (0, 0, 0, indent), expand=False))

    def paragraphs(self, text: str) -> None:
        """Writes a text of our own making with its line breaks; a terminal breaks long lines at words."""
        if not self.is_terminal:
            self.write(text)
            return
        from rich.text import Text

        self.draw(Text(visible(text)))

    def table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[str],
        styles: Mapping[str, str],
        indent: int,
        folds: Sequence[bool] = (),
    ) -> None:
        """Writes aligned columns; a cell that is a word of `styles` is shown in that style.

        `folds` says of each column whether it is broken where there is no room; by default each is.
        """
        cells = [[clean(cell) for cell in row] for row in rows]
        if not self.is_terminal:
            for line in _aligned([list(columns), *cells] if columns else cells):
                self.write(" " * indent + line)
            return
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        heads = columns or [""] * max(map(len, cells), default=0)
        widths = [] if folds else word_widths([heads, *cells], self.console.width - indent)
        if not (widths or folds) and columns:
            self._stack(cells, heads=columns, styles=styles, indent=indent)
            return
        table = Table(box=None, show_header=bool(columns), header_style="dim", pad_edge=False)
        for place, (name, fold) in enumerate(zip(heads, folds or [True] * len(heads), strict=True)):
            width = widths[place] if widths else None
            table.add_column(name, overflow="fold", no_wrap=not fold, width=width)
        for row in cells:
            table.add_row(*(Text(cell, styles.get(cell, "")) for cell in row))
        self.draw(Padding(table, (0, 0, 0, indent), expand=False))

    def _stack(
        self,
        rows: Sequence[Sequence[str]],
        *,
        heads: Sequence[str],
        styles: Mapping[str, str],
        indent: int,
    ) -> None:
        """Writes the rows of a table one under the other, where the terminal is too narrow for its words."""
        widest = max(map(cell_width, heads))
        for first, *others in rows:
            self.line((first, "bold"), indent=indent, wrap=True)
            for head, cell in zip(heads[1:], others, strict=True):
                blanks = " " * (widest - cell_width(head))
                parts = (f"{head}{blanks} ", "dim"), (cell, styles.get(cell, ""))
                self.line(*parts, indent=indent + 2, wrap=True)

    def fitted_table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[TableColumn],
        styles: Mapping[str, str],
        indent: int,
    ) -> None:
        """Writes a line for each row: a narrow terminal gets fewer columns, and names are cut."""
        if not rows:
            return
        width = self.console.width - indent if self.is_terminal else 0
        kept, cells = fitted(columns, [[clean(cell) for cell in row] for row in rows], width)
        heads = [column.head for column in kept] if any(column.head for column in kept) else []
        folds = [column.folds for column in kept]
        self.table(cells, columns=heads, styles=styles, indent=indent, folds=folds)

    def draw(self, thing: RenderableType, *, wrap: bool = True) -> None:
        """Draws something of rich's."""
        self.is_used = True
        with self._alone(), _write_errors():
            self.console.print(thing, soft_wrap=not wrap)

    @cached_property
    def console(self) -> Console:
        """The stream as rich sees it; NO_COLOR means no colour and no other style either."""
        from rich.console import Console

        plain = bool(environ.get("NO_COLOR")) or not self.is_terminal
        return Console(
            file=self.stream,
            force_terminal=self.is_terminal,
            color_system=None if plain else "auto",
            markup=False,
            highlight=False,
            emoji=False,
        )


class _Shown(BytesIO):
    """Takes bytes from outside and passes on what a terminal may show of them."""

    def __init__(self, terminal: BinaryIO) -> None:
        super().__init__()
        self._terminal, self._visible = terminal, VisibleBytes()

    def write(self, piece: ReadableBuffer, /) -> int:
        body = bytes(piece)
        self._terminal.write(self._visible.next(body))
        return len(body)

    def flush(self) -> None:
        self._terminal.flush()


def _is_pipe(stream: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except OSError:  # nothing of the system's stands behind it
        return False


@contextmanager
def _write_errors() -> Iterator[None]:
    """Translates what the system says of a stream that cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has gone, as `head` does: there is nothing to say
    except OSError as exc:
        raise OutputError(
            f"The output cannot be written: {exc.strerror}.",
            hint="Make room, or send it somewhere else.",
        ) from exc


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    from rich.cells import cell_len, set_cell_size

    columns = zip(*rows, strict=False)
    widths = [min(max(map(cell_len, column)), WIDEST) for column in columns]
    for row in rows:
        padded = [
            cell if cell_len(cell) > width else set_cell_size(cell, width)
            for cell, width in zip(row, widths, strict=False)
        ]
        yield "  ".join(padded).rstrip()
