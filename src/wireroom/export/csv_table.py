"""Export: a table for spreadsheets. A cell that would start a formula starts with an apostrophe instead.

UTF-8, commas, quotes where needed, lines end in a line feed. Several values in a cell are apart by `; `.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from typing import Any, BinaryIO

from wireroom.export.table_columns import COLUMNS, Kind
from wireroom.model import Article
from wireroom.parse.plain_text import clean
from wireroom.ports import Format

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
_CELLS = tuple((column.value, _SPELLED[column.kind]) for column in COLUMNS)


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes a line of names, then the articles; how many."""
    text = TextIOWrapper(out, encoding="utf-8", errors="replace", newline="")
    try:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(column.name for column in COLUMNS)
        count = 0
        for article in articles:
            table.writerow([spelled(value(article)) for value, spelled in _CELLS])
            count += 1
        text.flush()
    finally:
        text.detach()  # the stream is the caller's to close
    return count


PLUG = Format(
    "csv", suffix=".csv", write=write, media_type="text/csv; charset=utf-8; header=present"
)
