"""Lists of addresses as people hand them over: lines, or CSV with named columns, in whatever encoding. Opens nothing."""

from __future__ import annotations

import csv
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from wireroom.errors import SettingsError
from wireroom.parse.encoding import decode


def decode_list(body: bytes) -> str:
    """The text of a list, with plain line ends; spreadsheets write UTF-16 as well, and old ones CR alone."""
    is_wide = body.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    try:
        text = body.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = decode(body).text  # of a spreadsheet that writes the encoding of its country
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class RowList:
    """The text of a list: lines, or a CSV whose first line names its columns."""

    source: str
    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """What the first line names, if this is a CSV; SettingsError when it is broken."""
        first = self.text.partition("\n")[0]
        try:
            names = next(csv.reader([first], delimiter=self._delimiter), [])
        except csv.Error as exc:
            raise _no_csv(self.source, 1, exc) from exc
        return tuple(name.strip().lower().replace("-", "_").replace(" ", "_") for name in names)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number, but for blanks and # remarks."""
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line.strip()

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The cells of every row behind the first line, with the number of the line it ends in."""
        rows = csv.reader(StringIO(self.text, newline=""), delimiter=self._delimiter)
        try:
            next(rows, None)
            for cells in rows:
                yield rows.line_num, cells
        except csv.Error as exc:
            raise _no_csv(self.source, rows.line_num, exc) from exc

    @property
    def _delimiter(self) -> str:
        return max(",;\t", key=self.text.partition("\n")[0].count)


def _no_csv(source: str, line: int, error: csv.Error) -> SettingsError:
    return SettingsError([f"{source}: line {line} is no CSV: {error}"], hint="Mend that line.")
