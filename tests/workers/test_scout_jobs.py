"""Documents of a scout, read in workers: what comes back, and what becomes of those that cost too much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from tests.workers.jobs import BareReading, counted, misbehave, undeclared
from wireroom.app.readers import Readers
from wireroom.errors import NoArticleError, WireroomError
from wireroom.ports import CostlyDocumentError, EngineOptions
from wireroom.scout.document_reading import MAX_COSTLY, ScoutReading, read_inline
from wireroom.workers.local import LocalEngine
from wireroom.workers.outcome_codec import DONE, HEADER

FORGED = HEADER.pack(DONE, 3) + b"\x00\x93\x01"  # a list where a text is declared


@asynccontextmanager
async def reading() -> AsyncIterator[Readers]:
    options = EngineOptions(workers=1, cpu=timedelta(seconds=0.5), memory=100 * 2**20)
    engine = LocalEngine(options)
    readers = Readers(engine, BareReading())
    task = asyncio.create_task(readers.run())
    try:
        yield readers
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await engine.close()


async def test_what_a_reader_declares_comes_back_and_so_does_what_it_raises() -> None:
    async with reading() as readers:
        assert await readers.read_document(counted, b"a b a", ("a", "b")) == {"a": 2, "b": 1}
        assert await readers.read_document(counted, b"", ()) is None
        with pytest.raises(NoArticleError, match=r"nothing here\. Look elsewhere\."):
            await readers.read_document(misbehave, "raise")
        with pytest.raises(WireroomError, match="its reader failed: Misdeed: odd 3"):
            await readers.read_document(misbehave, "raise-odd")
        assert await readers.read_document(misbehave, "fine") == "fine"


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ("spin", "costs too much to read: took more than 0.5 s of CPU time"),
        (f"write {FORGED.hex()}", "cannot be read: its worker gave an answer of another shape"),
        pytest.param(
            "hog 200", "costs too much to read: needs more than 100 MB", marks=pytest.mark.long
        ),
        pytest.param("kill 11", "cannot be read: its worker crashed", marks=pytest.mark.long),
    ],
)
async def test_a_document_that_ends_its_worker_costs_itself(deed: str, why: str) -> None:
    async with reading() as readers:
        lost, *others = await asyncio.gather(
            *(readers.read_document(misbehave, text) for text in (deed, "one", "two")),
            return_exceptions=True,
        )
    assert isinstance(lost, CostlyDocumentError)
    assert why in str(lost)
    assert others == ["one", "two"]


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize(
    ("reader", "why"),
    [
        (lambda body: body, "cannot be sent to a worker"),
        (undeclared, "does not declare what it gives"),
    ],
)
async def test_a_reader_that_cannot_travel_is_refused_wherever_it_would_read(
    inline: bool, reader: Callable[[bytes], Any], why: str
) -> None:
    read = read_inline if inline else Readers(LocalEngine(), BareReading()).read_document
    with pytest.raises(WireroomError, match=why):
        await read(reader, b"x")


async def test_a_scout_whose_documents_cost_too_much_has_no_more_of_them_read() -> None:
    asked: list[str] = []

    async def read(reader: Callable[..., Any], text: str) -> Any:
        asked.append(text)
        if text == "freezes":
            raise CostlyDocumentError("the document costs too much to read")
        return reader(text)

    own, another = ScoutReading(read), ScoutReading(read)
    for _ in range(MAX_COSTLY):
        assert await own(misbehave, "fine") == "fine"
        with pytest.raises(CostlyDocumentError, match="costs too much to read"):
            await own(misbehave, "freezes")
    with pytest.raises(CostlyDocumentError, match="cost too much already"):
        await own(misbehave, "late")
    assert asked == ["fine", "freezes"] * MAX_COSTLY
    assert await another(misbehave, "other") == "other"
