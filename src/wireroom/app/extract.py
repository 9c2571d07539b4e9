"""Articles from documents: files and stdin as they are, addresses after they were fetched, on all cores."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wireroom.app.concurrency import stream_results
from wireroom.model import Problem, ProblemKind, Request, Response
from wireroom.ports import Done, EngineOptions, Lost
from wireroom.workers.document_jobs import MAX_BYTES as MAX_BYTES
from wireroom.workers.document_jobs import Document as Document
from wireroom.workers.document_jobs import Extracted as Extracted
from wireroom.workers.document_jobs import Extraction as Extraction
from wireroom.workers.document_jobs import Form as Form
from wireroom.workers.document_jobs import Unread as Unread

if TYPE_CHECKING:
    from wireroom.parse.body import Mode as Mode
    from wireroom.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractInputs:
    """Everything to be read, in the order in which it was asked for."""

    documents: tuple[Document, ...] = ()
    """Files and stdin."""
    addresses: tuple[Document, ...] = ()
    """Documents still to be fetched: only their `url` is known."""
    missing: tuple[tuple[Document, str], ...] = ()
    """What is not there, and what to say of it."""

    def __len__(self) -> int:
        return len(self.documents) + len(self.addresses) + len(self.missing)


@dataclass(frozen=True, slots=True)
class ExtractResult:
    """What came of one document."""

    document: Document
    outcome: tuple[Extracted, ...] | Unread


async def extract_documents(
    inputs: ExtractInputs, what: Extraction, settings: Settings, *, workers: int = 0
) -> AsyncGenerator[ExtractResult, None]:
    """What comes of each document, as it is known; 0 workers are one a core."""

    async def read_all(add: Callable[[ExtractResult], None]) -> None:
        from wireroom.workers.local import LocalEngine

        for document, message in inputs.missing:
            add(ExtractResult(document, Unread(kind="internal", message=message)))
        async with LocalEngine(EngineOptions(workers=workers)) as engine:
            async for outcome in engine.spread(_documents(inputs, settings, add), what):
                add(ExtractResult(outcome.work, _result(outcome)))

    async with aclosing(stream_results(read_all)) as results:
        async for result in results:
            yield result


async def _documents(
    inputs: ExtractInputs, settings: Settings, add: Callable[[ExtractResult], None]
) -> AsyncIterator[Document]:
    """All that can be read; what cannot be fetched is added as a result at once."""
    for document in inputs.documents:
        yield document
    if not inputs.addresses:
        return
    from wireroom.fetch.fetch_options import options_from
    from wireroom.fetch.many import fetch_all

    wanted: dict[str, list[Document]] = {}
    for document in inputs.addresses:
        wanted.setdefault(document.url, []).append(document)
    requests = [Request(url=url, purpose="read") for url in wanted]
    async for answer in fetch_all(requests, options_from(settings)):
        if isinstance(answer, Problem):
            unread = Unread(kind=answer.kind, message=answer.message)
            for document in wanted[answer.subject_url]:
                add(ExtractResult(document, unread))
            continue
        for document in wanted[answer.url]:
            yield _with_answer(document, answer)


def _with_answer(document: Document, response: Response) -> Document:
    return replace(
        document,
        body=response.body,
        url=response.final_url,
        content_type=document.content_type or response.content_type,
        fetched_at=response.fetched_at,
    )


def _result(
    outcome: Done[Document, tuple[Extracted, ...] | Unread] | Lost[Document],
) -> tuple[Extracted, ...] | Unread:
    if not isinstance(outcome, Lost):
        return outcome.outcome
    kind: ProblemKind = "internal" if outcome.cause == "error" else "too_complex"
    return Unread(kind=kind, message=outcome.message)
