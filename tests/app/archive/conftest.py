"""An app on a store in memory, and archives read where the test stands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.inline import InlineEngine
from wireroom.app import App, open_app
from wireroom.app.archive import ArchiveRequest, ArchiveSummary
from wireroom.app.archive.archive_files import archive_inputs

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)

Read = Callable[..., ArchiveSummary]


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:", clock=lambda: NOW) as app:
        yield app


@pytest.fixture
def read(app: App, tmp_path: Path) -> Read:
    """Reads inputs into the folder `out`."""

    def run(*inputs: object, engine: Any = None, **options: Any) -> ArchiveSummary:
        options.setdefault("output", tmp_path / "out")
        request = ArchiveRequest(inputs=tuple(map(str, inputs)), **options)
        return asyncio.run(archive_inputs(app, request, engine or InlineEngine()))

    return run


def rows(folder: Path) -> list[dict[str, Any]]:
    """All rows of a folder of tables, file by file."""
    from pyarrow.parquet import ParquetFile

    found: list[dict[str, Any]] = []
    for path in sorted(folder.glob("day=*/*.parquet")):
        with ParquetFile(path) as file:
            found += file.read().to_pylist()
    for path in sorted(folder.glob("day=*/*.jsonl")):
        found += map(json.loads, path.read_bytes().splitlines())
    return found


def titles(folder: Path) -> list[str]:
    return [row["title"].split()[0] for row in rows(folder)]
