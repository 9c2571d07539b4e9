"""What a worker writes is read as data: one that a page has taken over makes its parent run nothing."""

from __future__ import annotations

import ast
import os
import pickle
import pkgutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.parts import REPOSITORY
from tests.workers import jobs
from wireroom import workers
from wireroom.model import Article, Item, Lead, Polled, Reading
from wireroom.ports import Done, EngineOptions, Lost
from wireroom.workers.document_jobs import Extracted, Extraction, Unread
from wireroom.workers.local import LocalEngine
from wireroom.workers.outcome_codec import (
    DONE,
    ERROR,
    FAILED,
    HEADER,
    MAX_MESSAGE,
    MEMORY,
    READY,
    OutcomeCodec,
    UnsoundOutcomeError,
    frame,
    pack_error,
    unpack_error,
)
from wireroom.workers.page_jobs import RunJob
from wireroom.workers.process import worker_environment

AT = datetime(2026, 11, 17, 6, tzinfo=UTC)
OPTIONS = EngineOptions(workers=1, cpu=timedelta(minutes=1), wall=timedelta(minutes=1))


class Bomb:
    """Runs code in whoever unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


async def fates(*work: str) -> list[Done[str, str] | Lost[str]]:
    async with LocalEngine(OPTIONS) as engine:
        return [each async for each in engine.spread(work, jobs.misbehave)]


# --- a worker that is not itself any more -----------------------------------------------------------


@pytest.mark.parametrize("kind", [DONE, ERROR, MEMORY, READY, FAILED, 0, 77])
async def test_a_pickle_from_a_worker_is_never_loaded(kind: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    bomb = pickle.dumps(Bomb(mark))
    assert pickle.loads(bomb) is None
    assert mark.exists(), "it works, where somebody unpickles it"
    mark.unlink()
    twice = pickle.dumps(("words", bomb))
    hexed = [(frame(kind, payload)).hex() for payload in (bomb, b"\0" + bomb, twice)]
    found = await fates(*(f"write {each}" for each in hexed), "good")
    assert not mark.exists()
    assert Done("good", "good") in found
    messages = {each.message for each in found if isinstance(each, Lost)}
    assert messages == {"its worker gave an answer of another shape"}


async def test_an_answer_that_never_ends_is_not_waited_for() -> None:
    endless = HEADER.pack(DONE, 2**32 - 1).hex()
    lost, good = sorted(await fates(f"write {endless}", "good"), key=lambda each: each.work)[::-1]
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.message) == ("crash", "its worker answered with 4,294,967,295 bytes")
    assert good == Done("good", "good")


def test_nothing_that_a_worker_wrote_is_unpickled() -> None:
    """The parent's side of the pipe knows no way to unpickle, in its source."""
    folder = REPOSITORY / "src" / "wireroom" / "workers"
    loading = {
        file.name
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"loads", "load", "Unpickler"}
        and isinstance(node.value, ast.Name) and node.value.id == "pickle"
    }  # fmt: skip
    assert loading == {"worker.py", "page_jobs.py", "archive_rights.py"}, "all run in the worker"


# --- data, and the types that are declared --------------------------------------------------------


@dataclass(frozen=True)
class Point:
    x: int


class Typed:
    def outcomes(self) -> tuple[Any, ...]:
        return Point, tuple[Point, ...], str

    def __call__(self, piece: object) -> object:
        return piece


@pytest.mark.parametrize("outcome", [Point(1), (Point(1), Point(2)), (), "text"])
def test_a_declared_type_comes_back_as_itself(outcome: object) -> None:
    codec = OutcomeCodec(Typed())
    assert codec.unpack(codec.pack(outcome)) == outcome


@pytest.mark.parametrize(
    ("outcome", "back"),
    [
        (None, None),
        (2**63, 2**63),
        (b"\xff", b"\xff"),
        (AT, AT),
        ((1, (2,)), [1, [2]]),
        ({"a": 1.5}, {"a": 1.5}),
        (Point(3), {"x": 3}),
    ],
)
def test_what_is_not_declared_comes_back_as_plain_data(outcome: object, back: object) -> None:
    codec = OutcomeCodec(len)
    assert codec.unpack(codec.pack(outcome)) == back


def test_what_is_no_data_or_was_not_declared_is_an_error_of_the_piece() -> None:
    with pytest.raises(TypeError, match="none of the declared"):
        OutcomeCodec(Typed()).pack(3)
    with pytest.raises(TypeError):
        OutcomeCodec(len).pack(object())


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\x07\x01", b"\x00\xc1", b"\x00" + b"\x91" * 5000, pickle.dumps("x")])  # fmt: skip
def test_anything_else_is_unsound(payload: bytes) -> None:
    with pytest.raises(UnsoundOutcomeError):
        OutcomeCodec(Typed()).unpack(payload)
    with pytest.raises(UnsoundOutcomeError):
        unpack_error(payload)


def test_a_document_of_another_shape_is_no_article() -> None:
    codec = OutcomeCodec(Extraction())
    forged = msgspec.msgpack.encode([{"article": {"id": 5}}])
    with pytest.raises(UnsoundOutcomeError):
        codec.unpack(b"\0" + forged)


def test_articles_readings_and_polls_come_back_whole() -> None:
    item = Item(
        feed_url="https://courier.test/f",
        guid="1",
        published_at=AT,
        extra={"a": [1, {"b": None}]},
    )
    lead = Lead(url="https://courier.test/a", publisher="courier.test", item=item)
    article = Article(
        id="1", publisher="courier.test", url=lead.url, title="Ä \u2028", fetched_at=AT
    )
    following, extraction = OutcomeCodec(RunJob()), OutcomeCodec(Extraction())
    reading = Reading(lead=lead, article=article, blocks=("x",))
    assert following.unpack(following.pack(reading)) == reading
    extracted = (Extracted(article=article, explained={"fields": []}),)
    assert extraction.unpack(extraction.pack(extracted)) == extracted
    unread = Unread(kind="no_article", message="nothing")
    assert extraction.unpack(extraction.pack(unread)) == unread
    assert Polled in RunJob().outcomes()


def test_an_error_comes_back_in_words_and_cut() -> None:
    raised = unpack_error(pack_error(ValueError("\ud800" + "x" * 10_000)))
    assert raised.error == "ValueError"
    assert raised.message.startswith("ValueError: ?xxx")
    assert len(raised.message) == MAX_MESSAGE
    forged = msgspec.msgpack.encode({"error": "e", "message": "m" * 10_000, "trace": "t"})
    assert len(unpack_error(forged).message) == MAX_MESSAGE


# --- the environment --------------------------------------------------------------------------------

SECRETS = {
    "WIREROOM_ADVICE__KEY": "k",
    "WIREROOM_STORE__URL": "postgresql://u:p@h/d",
    "AWS_SECRET_ACCESS_KEY": "k",
    "PGPASSWORD": "p",
    "HTTPS_PROXY": "http://u:p@h",
    "SSH_AUTH_SOCK": "/s",
    "PYTHON_KEYRING_TOKEN": "k",
    "GITHUB_TOKEN": "k",
}


def test_a_worker_gets_what_it_needs_and_no_secret() -> None:
    needed = {"PATH": "/bin", "HOME": "/h", "LANG": "C.UTF-8", "LC_ALL": "C", "SystemRoot": "C:\\"}
    given = worker_environment({**needed, **SECRETS})
    assert needed.items() <= given.items()
    assert not SECRETS.keys() & given.keys()
    assert given.keys() - needed.keys() == {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}


async def test_a_worker_sees_no_secret_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    (done,) = await fates("environment")
    assert isinstance(done, Done)
    seen = set(done.outcome.split())
    assert "PATH" in seen or "PATH" not in os.environ
    assert not seen & SECRETS.keys()
    assert not [name for name in seen if name.startswith("WIREROOM_")]


def test_every_job_of_ours_declares_what_comes_back() -> None:
    jobs = [
        value
        for module in pkgutil.iter_modules(workers.__path__)
        if module.name.endswith("_jobs")
        for value in vars(import_module(f"wireroom.workers.{module.name}")).values()
        if isinstance(value, type) and hasattr(value, "prepare") and "__call__" in vars(value)
    ]
    assert {Extraction, RunJob} <= set(jobs)
    assert [job.__name__ for job in jobs if not hasattr(job, "outcomes")] == []
