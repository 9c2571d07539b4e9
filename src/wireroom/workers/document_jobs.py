"""What workers do with a document: bytes to articles, in the form that was asked for.

Knows the room `parse` and the file system, from which a worker reads what it is to work on, so
that the bytes need not pass through the parent. Which files those are is decided elsewhere.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wireroom.errors import NoArticleError, ParseError, UnknownFormatError
from wireroom.export.article_text import text_blocks, title_blocks, to_text
from wireroom.model import Article, Facts, ProblemKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wireroom.parse.article import ArticleReading, ExtractConfig
    from wireroom.parse.body import Block, Mode

Form = Literal["article", "text", "md", "html"]

MAX_BYTES = 50_000_000  # of a file, after decompressing: what the largest sitemap may have
_GZIP = b"\x1f\x8b"
_KINDS: tuple[tuple[type[ParseError], ProblemKind], ...] = (
    (NoArticleError, "no_article"),
    (UnknownFormatError, "unknown_format"),
    (ParseError, "too_complex"),
)
_SENTENCE = "The harbour master resigns after thirty years, and nobody knows who will follow him."


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Something to be read: a file, or bytes that somebody has fetched."""

    name: str
    """As the user knows it."""
    place: int
    """Where it stands among all that were asked for."""
    path: str = ""
    body: bytes = b""
    """Of a document without a path."""
    url: str = ""
    content_type: str = ""
    fetched_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """One article of a document."""

    article: Article
    text: str = ""
    """In the form that was asked for; empty for the article alone."""
    explained: Facts = field(default_factory=dict)
    """Why the article is as it is, when that was asked for; see `explanations`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a document gave no article."""

    kind: ProblemKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The work itself; called in a worker with one document after another."""

    mode: Mode = "balanced"
    any_page: bool = False
    form: Form = "article"
    explain: bool = False

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it."""
        from wireroom.parse.article import extract_all
        from wireroom.parse.detect import load_detector
        from wireroom.settings.folders import cache_folder

        load_detector(cache_folder())
        extract_all(f"<html lang=en><article><p>{_SENTENCE * 20}</article>", config=self._config())

    def outcomes(self) -> tuple[Any, ...]:
        """The types of what comes back."""
        return tuple[Extracted, ...], Unread

    def __call__(self, document: Document) -> tuple[Extracted, ...] | Unread:
        """The articles of the document, or why there are none."""
        try:
            return tuple(self._read(document, _bytes_of(document)))
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=str(exc))
        except OSError as exc:
            return Unread(kind="internal", message=exc.strerror or type(exc).__name__)

    def _config(self) -> ExtractConfig:
        """Made where the room is loaded: the parent never needs it."""
        from wireroom.parse.article import ExtractConfig

        return ExtractConfig(mode=self.mode, any_page=self.any_page)

    def _read(self, document: Document, body: bytes) -> Iterator[Extracted]:
        if self.explain or self.form in {"md", "html"}:
            try:
                yield self._read_page(document, body)
            except (
                UnknownFormatError
            ):  # no page: perhaps a feed or records, whose items have no reading
                yield from self._read_all(document, body)
        else:
            yield from self._read_all(document, body)

    def _read_page(self, document: Document, body: bytes) -> Extracted:
        from wireroom.parse.article import read_article

        reading = read_article(
            body,
            url=document.url,
            content_type=document.content_type,
            fetched_at=document.fetched_at,
            config=self._config(),
            rich=self.form in {"md", "html"},
            explain=self.explain,
        )
        text = _rendered(reading.article, self.form, reading.body.blocks)
        return self._extracted(reading.article, text, reading)

    def _read_all(self, document: Document, body: bytes) -> Iterator[Extracted]:
        from wireroom.parse.article import extract_all

        for article in extract_all(
            body,
            url=document.url,
            content_type=document.content_type,
            fetched_at=document.fetched_at,
            config=self._config(),
        ):
            yield self._extracted(article, _rendered(article, self.form), None)

    def _extracted(self, article: Article, text: str, reading: ArticleReading | None) -> Extracted:
        if not self.explain:
            return Extracted(article=article, text=text)
        from wireroom.workers.explanations import explanation

        return Extracted(article=article, text=text, explained=explanation(article, reading))


def kind_of_error(error: ParseError) -> ProblemKind:
    """What it means, as a word of the vocabulary of problems."""
    return next(kind for cls, kind in _KINDS if isinstance(error, cls))


def _bytes_of(document: Document) -> bytes:
    """What is to be read; a limit cuts nothing silently."""
    body = document.body
    if document.path:
        with Path(document.path).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    if body.startswith(_GZIP):
        body = _gunzip(body)
    if len(body) > MAX_BYTES:
        raise ParseError(f"larger than MAX_BYTES = {MAX_BYTES:,} bytes")
    return body


def _gunzip(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(body, MAX_BYTES + 1)
    except zlib.error as exc:
        raise UnknownFormatError(f"not a page: broken gzip ({exc})") from exc


def _rendered(article: Article, form: Form, blocks: tuple[Block, ...] = ()) -> str:
    """An article in words or markup; one without blocks is made of its text and layout."""
    if form == "article":
        return ""
    if form == "text":
        return to_text(article)
    from wireroom.parse.body import to_html, to_markdown

    kept = tuple(block for block in blocks or text_blocks(article) if block.kept)
    if form == "md":
        return to_markdown((*title_blocks(article), *kept))
    return f"<article>\n{to_html((*title_blocks(article), *kept))}\n</article>"
