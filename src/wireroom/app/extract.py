"""Articles from documents: files and stdin as they are, addresses after they were fetched, on all cores."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wireroom.app.concurrency import stream_results
from wireroom.app.engines import open_engine
from wireroom.app.export_output import write_articles
from wireroom.errors import DeliverError
from wireroom.export.article_json import to_plain
from wireroom.export.article_text import digest, slug
from wireroom.export.atomic_files import whole_file
from wireroom.model import Article, Problem, ProblemKind, Request, Response
from wireroom.ports import Done, Format, Lost
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
    inputs: ExtractInputs, what: Extraction, settings: Settings, *, workers: int | None = None
) -> AsyncGenerator[ExtractResult, None]:
    """What comes of each document, as it is known; so many workers (0: one a core), or as the settings say."""

    async def read_all(add: Callable[[ExtractResult], None]) -> None:
        for document, message in inputs.missing:
            add(ExtractResult(document, Unread(kind="gone", message=message)))
        async with open_engine(settings, workers=workers) as engine:
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


# An article as a row of data, and as a file whose name is a slug with a hash, never a path.

HELD_ONLY = frozenset({"receipt", "cluster_id", "state", "version"})
"""Fields of an article in the store; one that was just read does not have them."""
SUFFIXES = {"text": ".txt", "md": ".md", "html": ".html", "jsonl": ".jsonl"}


def article_row(document: Document, article: Article) -> dict[str, Any]:
    """The article in plain data, with the name of what it was read from."""
    plain = to_plain(article)
    return {"input": document.name} | {
        name: value for name, value in plain.items() if name not in HELD_ONLY
    }


def make_folder(folder: Path) -> None:
    """Makes the folder where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise DeliverError(
            f"{folder} cannot be made: {exc.strerror}.", hint="Name another folder."
        ) from exc


def export_article(folder: Path, article: Article, document: Document, plug: Format) -> str:
    """Writes one article in a format of the registry; gives the name of the file."""
    path = folder / f"{_name(document.name, article)}{plug.suffix}"
    write_articles(plug, [article], path)
    return str(path)


def _name(input_name: str, article: Article) -> str:
    return f"{slug(article.title)}-{digest(input_name, article.id)}"


def save_article(folder: Path, extracted: Extracted, row: dict[str, Any], form: str) -> str:
    """Writes one article in its form, or as JSON; gives the name of the file."""
    article = extracted.article
    path = folder / f"{_name(row['input'], article)}{SUFFIXES.get(form, '.json')}"
    text = extracted.text
    if not text:
        indent = None if form == "jsonl" else 2
        text = json.dumps(row, ensure_ascii=False, indent=indent, default=str)
    with whole_file(path, sync=False) as out:
        out.write((text.rstrip("\n") + "\n").encode("utf-8", "replace"))
    return str(path)
