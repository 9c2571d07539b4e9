"""Export: typed columns in Parquet, zstd, for DuckDB, polars, pandas and whatever reads Arrow.

Times are microseconds in UTC, lists are lists. Memory holds one row group, however many articles come.
What the file says of itself stands in its key-value metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Self

from wireroom.export.article_json import to_json
from wireroom.export.table_columns import COLUMNS, RECEIPT_COLUMNS, Kind, NamedColumn
from wireroom.model import Article
from wireroom.parse.plain_text import clean
from wireroom.ports import FileMetadata, Format
from wireroom.version import __version__

GROUP_ROWS = 10_000  # rows of a group: enough to compress well, few enough to be skipped by readers
GROUP_CHARACTERS = 16_000_000  # of text in a group: a few long books must not fill the memory
LONG = frozenset({"text", "extra"})  # the columns that grow with what a publisher writes


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the articles, group by group; how many."""
    return write_described(articles, out, FileMetadata())


def write_described(articles: Iterable[Article], out: BinaryIO, metadata: FileMetadata) -> int:
    """The same, with what is to be said of the file in its metadata."""
    with RowWriter(out, COLUMNS, metadata) as rows:
        for article in articles:
            rows.add([column.value(article) for column in COLUMNS])
        return rows.count


class RowWriter:
    """A file of these columns that rows are added to; it is whole once the block is over without an error."""

    def __init__(
        self, out: BinaryIO, columns: Sequence[NamedColumn], metadata: FileMetadata
    ) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        types = _types()
        self.count = 0
        self._metadata = metadata
        self._schema = pa.schema(
            [pa.field(column.name, types[column.kind]) for column in columns],
            metadata={**_own_metadata(), **metadata.known},
        )
        self._writer = ParquetWriter(
            pa.PythonFile(_Counted(out), mode="w"), self._schema, compression="zstd"
        )
        self._rows: list[Sequence[Any]] = []
        self._long = [at for at, column in enumerate(columns) if column.name in LONG]
        self._characters = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flush()
            self._writer.add_key_value_metadata(dict(self._metadata.at_end()))
        self._writer.close()

    def add(self, row: Sequence[Any]) -> None:
        """Adds a row; whoever comes at the end of a group waits until that is written."""
        self._rows.append(row)
        self.count += 1
        self._characters += sum(len(row[at]) for at in self._long)
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        arrays = [
            _array(list(values), field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._rows, self._characters = [], 0
        self._writer.write_batch(batch, row_group_size=batch.num_rows)


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
