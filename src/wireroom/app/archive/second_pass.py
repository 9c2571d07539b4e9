"""The second pass over an output folder: of duplicates among all inputs, only the earliest capture stays.

Texts are signed in workers; which rows go is decided for the whole folder, written down, and only then carried out,
file by file: whoever is killed in between goes on with the same decision.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from wireroom.duplicates.unique_rows import UniqueRows
from wireroom.errors import DeliverError
from wireroom.export.atomic_files import write_errors
from wireroom.ports import Lost
from wireroom.private_files import open_new, write_whole
from wireroom.workers.archive_jobs import SignJob, SignText

if TYPE_CHECKING:
    from wireroom.duplicates import ClusterOptions
    from wireroom.ports import Engine

SIGNED_AT_ONCE = 32  # texts of one piece of work
T = TypeVar("T")

FAR = datetime.max.replace(tzinfo=UTC)
COLUMNS = ["id", "text", "language", "warc_date"]
PLAN, DONE = "unique.json", "unique.done.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class UniquePlan:
    """Which rows of which files go."""

    drop: dict[str, list[str]]
    """By the name of the file from the output folder on: the ids of articles, each of which stands in a file once."""
    kinds: dict[str, int]
    """How many, by `address`, `text` and `near`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueFiles:
    """The files as the last pass left them, and what it took out."""

    files: list[tuple[str, int, int]]
    kinds: dict[str, int]


class SecondPass:
    """Looks for duplicates among all files of an output folder."""

    def __init__(
        self, output: Path, manifest: Path, options: ClusterOptions, now: datetime
    ) -> None:
        self._output = output
        self._manifest = manifest
        self._options = options
        self._now = now

    async def run(self, engine: Engine) -> dict[str, int]:
        """Takes duplicates out of the files; how many, by kind. Nothing where no file has changed since."""
        path = self._manifest / PLAN
        if not path.exists():
            if self._is_done():
                return {}
            plan = await self._decide(engine)
            with write_errors(path):
                write_whole(path, msgspec.json.encode(plan))
        plan = _read(path, UniquePlan)
        for name, ids in plan.drop.items():
            rewrite(self._output / name, self._manifest / "unique.part", frozenset(ids))
        with write_errors(path):
            state = UniqueFiles(files=self._state(), kinds=plan.kinds)
            write_whole(self._manifest / DONE, msgspec.json.encode(state))
            path.unlink()
        return plan.kinds

    def _is_done(self) -> bool:
        path = self._manifest / DONE
        return path.exists() and _read(path, UniqueFiles).files == self._state()

    def _state(self) -> list[tuple[str, int, int]]:
        found = []
        for path in self._files():
            state = path.stat()
            found.append((self._name(path), state.st_size, state.st_mtime_ns))
        return found

    def _files(self) -> list[Path]:
        found = (*self._output.glob("day=*/*.parquet"), *self._output.glob("day=*/*.jsonl"))
        return sorted(found)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._output).as_posix()

    async def _decide(self, engine: Engine) -> UniquePlan:
        files = self._files()
        places: list[tuple[datetime, int, int]] = []
        unique = UniqueRows(self._options)

        async def pieces() -> AsyncIterator[tuple[int, tuple[SignText, ...]]]:
            for piece in enumerate(_batches(files, places, self._now)):
                yield piece

        waiting: dict[int, Any] = {}
        turn = 0
        async with aclosing(engine.spread(pieces(), SignJob(cluster=self._options))) as outcomes:
            async for done in outcomes:
                if isinstance(done, Lost):
                    raise DeliverError(
                        f"Texts could not be compared: {done.message}.",
                        hint="Run the same command again.",
                    )
                waiting[done.work[0]] = done
                while turn in waiting:
                    ready = waiting.pop(turn)
                    for text, signed in zip(ready.work[1], ready.outcome, strict=True):
                        unique.add(text.article_id, text.language, text.seen_at, signed)
                    turn += 1
        order = sorted(range(len(places)), key=places.__getitem__)
        found = unique.duplicates(order)
        drop: dict[str, list[str]] = {}
        for row in sorted(found):
            drop.setdefault(self._name(files[places[row][1]]), []).append(unique.article_id(row))
        kinds: Counter[str] = Counter(found.values())
        return UniquePlan(drop=dict(sorted(drop.items())), kinds=dict(sorted(kinds.items())))


def _batches(
    files: list[Path], places: list[tuple[datetime, int, int]], now: datetime
) -> Iterator[tuple[SignText, ...]]:
    """The texts of all files, some at a time; where each stands is noted."""
    for file, path in enumerate(files):
        number = 0
        for rows in _rows(path):
            texts = []
            for row in rows:
                at = row["warc_date"]
                places.append((at or FAR, file, number))
                number += 1
                texts.append(
                    SignText(
                        article_id=row["id"],
                        text=row["text"],
                        language=row["language"],
                        seen_at=at or now,
                    )
                )
            yield tuple(texts)


def _rows(path: Path) -> Iterator[list[dict[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from _lines(path)
        return
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=SIGNED_AT_ONCE, columns=COLUMNS):
            yield batch.to_pylist()


def _lines(path: Path) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for line in file:
            row = msgspec.json.decode(line)
            at = row["warc_date"]
            rows.append({**row, "warc_date": datetime.fromisoformat(at) if at else None})
            if len(rows) == SIGNED_AT_ONCE:
                yield rows
                rows = []
    if rows:
        yield rows


def rewrite(path: Path, draft: Path, drop: frozenset[str]) -> None:
    """The file without these articles, whole in its place; empty where none is left. Twice is as good as once."""
    write = _rewrite_lines if path.suffix == ".jsonl" else _rewrite_table
    with write_errors(path):
        draft.unlink(missing_ok=True)
        with open_new(draft) as out:
            write(path, out, drop)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)


def _rewrite_lines(path: Path, out: BinaryIO, drop: frozenset[str]) -> None:
    with path.open("rb") as file:
        out.writelines(line for line in file if msgspec.json.decode(line)["id"] not in drop)


def _rewrite_table(path: Path, out: BinaryIO, drop: frozenset[str]) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile, ParquetWriter

    with ParquetFile(path) as file:
        schema = file.schema_arrow
        with ParquetWriter(out, schema, compression="zstd") as writer:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                kept = [name not in drop for name in table.column("id").to_pylist()]
                writer.write_table(table.filter(pa.array(kept, type=pa.bool_())))
            known = file.metadata.metadata or {}
            writer.add_key_value_metadata(
                {name: text for name, text in known.items() if name != b"ARROW:schema"}
            )


def _read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as exc:
        raise DeliverError(f"{path} cannot be read: {exc}.", hint="Remove it.") from exc
