"""One run of `extract`: documents go to the workers, addresses are fetched first, outcomes are shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wireroom.cli.extract.extract_view import ExtractView
from wireroom.cli.extract.inputs import ExtractInputs
from wireroom.cli.session import Session
from wireroom.workers.document_jobs import Document, Unread

if TYPE_CHECKING:
    from wireroom.fetch.fetch_options import FetchOptions
    from wireroom.model import ProblemKind, Response
    from wireroom.ports import Done, Lost
    from wireroom.workers.document_jobs import Extracted, Extraction


class Errand:
    """What is to be read, and where the articles go."""

    def __init__(
        self, session: Session, gathered: ExtractInputs, showing: ExtractView, *, workers: int
    ) -> None:
        self._session = session
        self._gathered = gathered
        self._showing = showing
        self._workers = workers

    def run(self, what: Extraction) -> int:
        """Reads everything; gives the exit code."""
        options = self._fetch_options() if self._gathered.addresses else None
        try:
            with self._session.streams.progress("Extracting") as progress:
                self._showing.progress = progress
                progress(0, len(self._gathered))
                asyncio.run(self._extract(what, options))
        finally:
            self._showing.end()
        return self._showing.code

    async def _extract(self, what: Extraction, options: FetchOptions | None) -> None:
        from wireroom.ports import EngineOptions
        from wireroom.workers.local import LocalEngine

        for document, message in self._gathered.missing:
            self._showing.add(document, Unread(kind="internal", message=message))
        async with LocalEngine(EngineOptions(workers=self._workers)) as engine:
            async for outcome in engine.spread(self._documents(options), what):
                self._showing.add(outcome.work, _result(outcome))

    async def _documents(self, options: FetchOptions | None) -> AsyncIterator[Document]:
        for document in self._gathered.documents:
            yield document
        if options is not None:
            async for document in self._fetched(options):
                yield document

    async def _fetched(self, options: FetchOptions) -> AsyncIterator[Document]:
        """The addresses as they come in; what cannot be had is told at once."""
        from wireroom.fetch.many import fetch_all
        from wireroom.model import Problem, Request

        wanted: dict[str, list[Document]] = {}
        for document in self._gathered.addresses:
            wanted.setdefault(document.url, []).append(document)
        requests = [Request(url=url, purpose="read") for url in wanted]
        async for outcome in fetch_all(requests, options):
            if isinstance(outcome, Problem):
                unread = Unread(kind=outcome.kind, message=outcome.message)
                for document in wanted[outcome.subject_url]:
                    self._showing.add(document, unread)
                continue
            for document in wanted[outcome.url]:
                yield _with_answer(document, outcome)

    def _fetch_options(self) -> FetchOptions:
        from wireroom.fetch.fetch_options import options_from

        return options_from(self._session.load().settings)


def _with_answer(document: Document, response: Response) -> Document:
    from wireroom.fetch.server_hints import header

    return replace(
        document,
        body=response.body,
        url=response.final_url,
        content_type=document.content_type or header(response.headers, "content-type"),
        fetched_at=response.fetched_at,
    )


def _result(
    outcome: Done[Document, tuple[Extracted, ...] | Unread] | Lost[Document],
) -> tuple[Extracted, ...] | Unread:
    from wireroom.ports import Lost

    if not isinstance(outcome, Lost):
        return outcome.outcome
    kind: ProblemKind = "internal" if outcome.cause == "error" else "too_complex"
    return Unread(kind=kind, message=outcome.message)
