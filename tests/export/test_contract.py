"""Every output format: nothing, one, many, hostile; a stream that can only be written; no article kept."""

from __future__ import annotations

import gc
import io
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from tests.export.samples import article, bare, hostile
from wireroom.model import Article
from wireroom.ports import Format
from wireroom.registry import plugs

FORMATS = plugs("export", Format)
STREAMS = [plug for plug in FORMATS.values() if not plug.is_folder]
MANY = [500, pytest.param(2_500, marks=pytest.mark.long)]

every_format = pytest.mark.parametrize("plug", FORMATS.values(), ids=lambda plug: plug.name)


class Pipe(io.RawIOBase):
    """A stream like stdout in a pipe: it takes bytes and can do nothing else."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data)
        return len(data)


def written(plug: Format, articles: Iterator[Article], folder: Path) -> tuple[int, list[bytes]]:
    """What a format says it wrote, and what it wrote."""
    if plug.write_folder is not None:
        count = plug.write_folder(articles, folder)
        return count, [path.read_bytes() for path in sorted(folder.iterdir())]
    assert plug.write is not None
    pipe = Pipe()
    count = plug.write(articles, cast(BinaryIO, pipe))
    assert not pipe.closed
    return count, [bytes(pipe.taken)]


def test_the_promised_formats_are_there() -> None:
    assert {"jsonl", "csv", "parquet", "atom", "md", "schemaorg"} <= set(FORMATS)


@every_format
def test_a_format_says_what_it_makes(plug: Format) -> None:
    assert plug.suffix.startswith(".")
    assert (plug.write is None) == plug.is_folder
    assert "/" in plug.media_type


@every_format
def test_nothing_is_no_error(plug: Format, tmp_path: Path) -> None:
    count, _ = written(plug, iter(()), tmp_path)
    assert count == 0


@every_format
def test_titles_of_all_scripts_arrive(plug: Format, tmp_path: Path) -> None:
    count, files = written(plug, iter([article(title="Straße 東京都 Ωμέγα")]), tmp_path)
    assert count == 1
    if plug.name != "parquet":  # packed; test_parquet reads it
        assert "Straße 東京都 Ωμέγα".encode() in b"".join(files)


@every_format
def test_hostile_and_empty_articles_pass(plug: Format, tmp_path: Path) -> None:
    count, files = written(plug, iter([hostile(), bare(), article()]), tmp_path)
    assert count == 3
    for file in files:
        if plug.name != "parquet":
            text = file.decode("utf-8")
            assert "\x1b" not in text
            assert "\x00" not in text


@every_format
@pytest.mark.parametrize("many", MANY)
def test_many_articles_are_counted_and_none_is_kept(
    plug: Format, many: int, tmp_path: Path
) -> None:
    alive: list[int] = []
    seen: weakref.WeakSet[_Watched] = weakref.WeakSet()

    def watched_articles() -> Iterator[Article]:
        for number in range(many):
            watched = _Watched()
            seen.add(watched)
            alive.append(len(seen))
            yield article(number, extra={"watched": watched})

    count, _ = written(plug, watched_articles(), tmp_path)
    gc.collect()
    assert count == many
    assert max(alive) <= 2


@pytest.mark.parametrize("plug", STREAMS, ids=lambda plug: plug.name)
def test_the_same_articles_give_the_same_bytes(plug: Format, tmp_path: Path) -> None:
    first, second = (written(plug, iter([article(1), article(2)]), tmp_path)[1] for _ in range(2))
    assert first == second


class _Watched:
    """Something in an article that tells when the article has gone."""

    def __str__(self) -> str:
        return "watched"
