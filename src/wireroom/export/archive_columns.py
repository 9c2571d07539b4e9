"""An article of an archive as one row: the columns of every table, where it was captured, and its rights today.

Pure. What stands in the receipt is what the crawl saw; what the publisher says today stands in columns of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from wireroom.export.article_json import to_json, to_plain
from wireroom.export.article_text import evidence_words
from wireroom.export.table_columns import COLUMNS, Kind, NamedColumn
from wireroom.model import USES, Article, Receipt, Use
from wireroom.rights.policy import word_about


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Where in an archive a page stands, and how it came there."""

    warc_file: str
    """The archive's name, or the address of one that was fetched; behind it the file within, if it holds several."""
    warc_offset: int | None = None
    """Where its compressed record begins; None for a saved page."""
    warc_record_id: str = ""
    warc_date: datetime | None = None
    """When it was captured."""
    http_status: int | None = None
    """None where no answer of a server was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedArticle:
    """An article as the crawl saw it, and what its publisher says today."""

    article: Article
    capture: Capture
    today: Receipt | None = None
    """None where nobody has asked the publisher: then nothing is known."""
    today_as_of: datetime | None = None
    """When the oldest answer was given that today's verdicts rest on."""


@dataclass(frozen=True, slots=True)
class ArchiveColumn:
    """One column of an archive's table: what is in it, of which kind, and what it means."""

    name: str
    kind: Kind
    meaning: str
    value: Callable[[ArchivedArticle], Any]


def _today(use: Use) -> ArchiveColumn:
    name = f"rights_today_{use.replace('-', '_')}"
    meaning = (
        f"the verdict about {use} by what the publisher says today; unknown where nobody looked"
    )
    return ArchiveColumn(name, "text", meaning, lambda archived: word_about(archived.today, use))


ARCHIVE_COLUMNS: tuple[ArchiveColumn, ...] = (
    ArchiveColumn(
        "warc_file",
        "text",
        "the archive it stands in, or the saved page itself",
        lambda archived: archived.capture.warc_file,
    ),
    ArchiveColumn(
        "warc_offset",
        "integer",
        "where its record begins, in bytes; empty for a saved page",
        lambda archived: archived.capture.warc_offset,
    ),
    ArchiveColumn(
        "warc_record_id", "text", "of its record", lambda archived: archived.capture.warc_record_id
    ),
    ArchiveColumn(
        "warc_date", "time", "when it was captured", lambda archived: archived.capture.warc_date
    ),
    ArchiveColumn(
        "http_status",
        "integer",
        "what the server answered with; empty where that was not kept",
        lambda archived: archived.capture.http_status,
    ),
    *map(_today, USES),
    ArchiveColumn(
        "rights_today_evidence",
        "texts",
        "who decided these verdicts and where it stands",
        lambda archived: evidence_words(archived.today),
    ),
    ArchiveColumn(
        "robots_today",
        "text",
        "whether robots.txt lets us read the page today: allowed, disallowed or unknown",
        lambda archived: archived.today.robots if archived.today else "unknown",
    ),
    ArchiveColumn(
        "rights_today_as_of",
        "time",
        "when the oldest answer was given that these verdicts rest on; empty where nobody looked",
        lambda archived: archived.today_as_of,
    ),
)
TABLE_COLUMNS: tuple[NamedColumn, ...] = (*COLUMNS, *ARCHIVE_COLUMNS)
"""All columns of an archive's table, in this order."""

_TYPES: dict[Kind, Any] = {
    "text": str,
    "json": str,
    "texts": list[str],
    "time": datetime | None,
    "integer": int | None,
    "number": float | None,
}
if TYPE_CHECKING:
    TableRow: TypeAlias = Any
else:
    TableRow = msgspec.defstruct(
        "TableRow",
        [(column.name, _TYPES[column.kind]) for column in TABLE_COLUMNS],
        array_like=True,
        frozen=True,
        gc=False,  # texts and numbers alone: thousands of rows wait for their group
    )
    """One row as it comes from a worker: a value of its type for each column, or it is none."""


def table_row(archived: ArchivedArticle) -> TableRow:
    """The row of an article."""
    return TableRow(
        *(column.value(archived.article) for column in COLUMNS),
        *(column.value(archived) for column in ARCHIVE_COLUMNS),
    )


def row_values(row: TableRow) -> tuple[Any, ...]:
    """The values of a row, column by column."""
    return msgspec.structs.astuple(row)


def archive_line(archived: ArchivedArticle) -> bytes:
    """The article as one line of JSON, with the columns that only archives have beside its own fields."""
    plain = to_plain(archived.article)
    for column in ARCHIVE_COLUMNS:
        value = column.value(archived)
        plain[column.name] = value.isoformat() if isinstance(value, datetime) else value
    return to_json(plain) + b"\n"
