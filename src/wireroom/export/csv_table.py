"""Export: a table for spreadsheets. A cell that would start a formula starts with an apostrophe instead.

UTF-8, commas, quotes where needed, lines end in a line feed. Several values in a cell are apart by `; `.
Whoever wants it chooses the columns, and a byte order mark, without which some spreadsheets take it for Latin-1.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from typing import Any, BinaryIO

from wireroom.errors import SettingsError
from wireroom.export.table_columns import Column, Kind, spreadsheet_columns
from wireroom.model import Article
from wireroom.parse.plain_text import clean
from wireroom.ports import Format, TableOptions

BETWEEN = "; "
# What spreadsheets take for the beginning of a formula, full-width forms too: some fold them first.
# Blanks and invisible marks before it are passed over, as some spreadsheets do.
_FORMULA = re.compile(r"[\s\ufeff\u200b-\u200f\u2060]*[=+\-@＝＋－＠﹢﹣﹦﹫−]|[\t\r]")


def safe_cell(text: str) -> str:
    """The text as a cell that no spreadsheet computes, without control characters."""
    starts_formula = _FORMULA.match(text) is not None
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = clean(lines)
    return f"'{cleaned}" if starts_formula or _FORMULA.match(cleaned) else cleaned


def _texts(values: Sequence[str]) -> str:
    return BETWEEN.join(map(safe_cell, values))


def _time(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat()


_SPELLED: dict[Kind, Callable[[Any], str]] = {
    "text": safe_cell,
    "json": safe_cell,
    "texts": _texts,
    "time": _time,
    "integer": str,
    "number": str,
}


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes a line of names, then the articles; how many."""
    return write_table(articles, out, TableOptions())


def write_table(articles: Iterable[Article], out: BinaryIO, options: TableOptions) -> int:
    """The same with the columns that were chosen, in their order, and a byte order mark where one is wanted."""
    columns = chosen_columns(options)
    cells = [(column.value, _SPELLED[column.kind]) for column in columns]
    if options.byte_order_mark:
        out.write(BOM_UTF8)
    text = TextIOWrapper(out, encoding="utf-8", errors="replace", newline="")
    try:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(column.name for column in columns)
        count = 0
        for article in articles:
            table.writerow([spelled(value(article)) for value, spelled in cells])
            count += 1
        text.flush()
    finally:
        text.detach()  # the stream is the caller's to close
    return count


def chosen_columns(options: TableOptions) -> tuple[Column, ...]:
    """The columns by their names, else all; SettingsError names those that do not exist."""
    known = {column.name: column for column in spreadsheet_columns(options.feed)}
    unknown = [name for name in options.columns if name not in known]
    if unknown:
        raise SettingsError(
            [f"columns: there is no column {name}" for name in unknown],
            hint=f"There are: {', '.join(known)}.",
        )
    return tuple(known[name] for name in dict.fromkeys(options.columns) or known)


PLUG = Format(
    "csv",
    suffix=".csv",
    write=write,
    write_table=write_table,
    media_type="text/csv; charset=utf-8; header=present",
)
