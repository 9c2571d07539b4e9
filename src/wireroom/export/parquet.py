"""Export: typed columns in Parquet, zstd, for DuckDB, polars, pandas and whatever reads Arrow.

Times are microseconds in UTC, lists are lists. Memory holds one row group, however many articles come.
What the file says of itself stands in its key-value metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from wireroom.export.article_json import to_json
from wireroom.export.table_columns import COLUMNS, RECEIPT_COLUMNS, Kind
from wireroom.model import Article
from wireroom.parse.plain_text import clean
from wireroom.ports import FileMetadata, Format
from wireroom.version import __version__

GROUP_ROWS = 10_000  # rows of a group: enough to compress well, few enough to be skipped by readers
GROUP_CHARACTERS = 16_000_000  # of text in a group: a few long books must not fill the memory


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the articles, group by group; how many."""
    return write_described(articles, out, FileMetadata())


def write_described(articles: Iterable[Article], out: BinaryIO, metadata: FileMetadata) -> int:
    """The same, with what is to be said of the file in its metadata."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    types = _types()
    schema = pa.schema(
        [pa.field(column.name, types[column.kind]) for column in COLUMNS],
        metadata={**_own_metadata(), **metadata.known},
    )
    count = 0
    with ParquetWriter(
        pa.PythonFile(_Counted(out), mode="w"), schema, compression="zstd"
    ) as writer:
        for group in _groups(articles):
            arrays = [
                _array(values, field.type) for values, field in zip(group, schema, strict=True)
            ]
            batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
            count += batch.num_rows
            writer.write_batch(batch, row_group_size=batch.num_rows)
        writer.add_key_value_metadata(dict(metadata.at_end()))
    return count


def _own_metadata() -> dict[str, str]:
    """What holds for every file: who wrote it, and in which columns the receipts stand."""
    columns = to_json({"columns": [column.name for column in RECEIPT_COLUMNS]})
    return {"wireroom.version": __version__, "wireroom.evidence": columns.decode()}


class _Counted:
    """A stream that cannot tell where it stands, as a pipe cannot, counted from outside."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._at = 0

    def write(self, data: Any) -> int:
        """Writes it all."""
        self._out.write(data)
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        """How much was written."""
        return self._at

    def flush(self) -> None:
        """Writes what is held back."""
        self._out.flush()

    def close(self) -> None:
        """Leaves the stream open: it is the caller's."""


def _types() -> dict[Kind, Any]:
    import pyarrow as pa

    return {
        "text": pa.string(),
        "json": pa.string(),
        "texts": pa.list_(pa.string()),
        "time": pa.timestamp("us", tz="UTC"),
        "integer": pa.int64(),
        "number": pa.float64(),
    }


def _groups(articles: Iterable[Article]) -> Iterator[list[list[Any]]]:
    """The articles as columns of values, a group at a time."""
    columns: list[list[Any]] = [[] for _ in COLUMNS]
    characters = 0
    for article in articles:
        for column, values in zip(COLUMNS, columns, strict=True):
            values.append(column.value(article))
        characters += len(article.text)
        if len(columns[0]) >= GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield columns
            columns = [[] for _ in COLUMNS]
            characters = 0
    if columns[0]:
        yield columns


def _array(values: list[Any], wanted: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values, type=wanted)
    except UnicodeEncodeError:  # halves of characters, which the store would have cleaned
        return pa.array([_cleaned(value) for value in values], type=wanted)


def _cleaned(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else [clean(text) for text in value]


PLUG = Format(
    "parquet",
    suffix=".parquet",
    write=write,
    extra="parquet",
    media_type="application/vnd.apache.parquet",
    write_described=write_described,
)
