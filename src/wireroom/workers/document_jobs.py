"""What workers do with a document: bytes to articles, in the form that was asked for.

Knows the room `parse` and the file system, from which a worker reads what it is to work on, so
that the bytes need not pass through the parent. Which files those are is decided elsewhere.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wireroom.dates import Moment
from wireroom.errors import NoArticleError, ParseError, UnknownFormatError
from wireroom.export.article_text import text_blocks, to_text
from wireroom.model import Article, Claim, Facts, Hints, Item, ProblemKind

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
    page_kind: str = ""
    """Of a page that could be read and is no article: what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The work itself; called in a worker with one document after another."""

    mode: Mode = "balanced"
    any_page: bool = False
    form: Form = "article"
    explain: bool = False
    captions: bool = False
    images: bool = False

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it."""
        from wireroom.parse.article import extract_all
        from wireroom.parse.detect import load_detector
        from wireroom.settings.secrets import cache_folder

        load_detector(cache_folder())
        extract_all(f"<html lang=en><article><p>{_SENTENCE * 20}</article>", config=self._config())

    def outcomes(self) -> tuple[Any, ...]:
        """The types of what comes back."""
        return tuple[Extracted, ...], Unread

    def __call__(self, document: Document) -> tuple[Extracted, ...] | Unread:
        """The articles of the document, or why there are none."""
        try:
            return tuple(self._read(document, document_bytes(document)))
        except ParseError as exc:
            page_kind = exc.page_kind if isinstance(exc, NoArticleError) else ""
            return Unread(kind=kind_of_error(exc), message=str(exc), page_kind=page_kind)
        except OSError as exc:
            return Unread(kind="internal", message=exc.strerror or type(exc).__name__)

    def _config(self) -> ExtractConfig:
        """Made where the room is loaded: the parent never needs it."""
        from wireroom.parse.article import ExtractConfig

        return ExtractConfig(
            mode=self.mode, any_page=self.any_page, captions=self.captions, images=self.images
        )

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
        text = _rendered(reading.article, self.form, reading.body.with_images())
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

        return Extracted(article=article, text=text, explained=explanation(article, reading))


def kind_of_error(error: ParseError) -> ProblemKind:
    """What it means, as a word of the vocabulary of problems."""
    return next(kind for cls, kind in _KINDS if isinstance(error, cls))


def document_bytes(document: Document) -> bytes:
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
    from wireroom.parse.article.types import heading_blocks
    from wireroom.parse.body import to_html, to_markdown

    shown = (*heading_blocks(article), *(blocks or text_blocks(article)))
    return to_markdown(shown) if form == "md" else f"<article>\n{to_html(shown)}\n</article>"


# Why an article is as it is, in plain data: where each field came from, which blocks went, and why.
#
# Made in the worker, where the reading is: what comes back from there is data.

FIELDS = (
    *("title", "authors", "published", "modified", "language", "language_tag", "tags", "section"),
    *("description", "image_url", "canonical_url", "licence_url", "publisher", "paywall"),
)


def explanation(article: Article, reading: ArticleReading | None) -> dict[str, Any]:
    """Why the article is as it is; the item of a feed has no reading."""
    if reading is None:
        confidence = article.extra.get("confidence", {})
        rows = [
            {"field": name, "value": _plain(getattr(article, name, "")), "source": source}
            | {"confidence": confidence.get(name), "claims": []}
            for name, source in article.sources.items()
        ]
        return {"fields": rows, "quality_reasons": list(article.extra.get("quality", ()))}
    return {
        "kind": {"name": reading.kind.name, "why": reading.kind.why},
        "encoding": {"name": reading.encoding.name, "source": reading.encoding.source},
        "judged": reading.judged,
        "fields": [_field(name, reading) for name in FIELDS],
        "quality_reasons": list(reading.quality_reasons),
        "notes": list(reading.notes),
        "blocks": [
            {
                "kept": block.kept,
                "probability": round(block.probability, 3),
                "reason": block.reason,
                "kind": block.kind,
                "path": block.path,
                "text": block.text,
            }
            for block in reading.body.blocks
        ],
    }


def _field(name: str, reading: ArticleReading) -> dict[str, Any]:
    field = getattr(reading.metadata, name)
    return {
        "field": name,
        "value": _plain(field.value),
        "source": field.source,
        "confidence": round(field.confidence, 3),
        "claims": [_claim(claim) for claim in field.claims],
        "notes": list(field.notes),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    confidence = round(claim.confidence, 3)
    return {"value": _plain(claim.value), "source": claim.source, "confidence": confidence}


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, Moment):
        return value.at.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else str(value)


# What a worker does to try selectors: one page is read with the hints that are held, and with those to be tried.

BODY = "body selector"
NARROW = 0.5  # of the words before: who takes fewer may have meant to, and should know
MAX_SAMPLE = 200  # characters of what a selector matched
MAX_TEXT = 200_000  # characters of a text that are compared; more is no news story


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPage:
    """A page to be tried on."""

    name: str
    url: str
    body: bytes
    content_type: str = ""
    fetched_at: datetime | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What came of reading a page in one way."""

    title: str = ""
    text: str = ""
    text_from: str = ""
    words: int = 0
    quality: float = 0.0
    published_at: datetime | None = None
    error: str = ""
    doubt: str = ""
    """Why the quality is lower than it would be by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A page, read before and after, and what each selector matched on it; empty for nothing."""

    name: str
    before: Read
    after: Read | None = None
    matched: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The work itself; called in a worker with one page after another."""

    held: Hints
    given: Hints | None = None
    """None when there is nothing to be compared with."""

    def prepare(self) -> None:
        """Loads what every page needs."""
        Extraction().prepare()

    def outcomes(self) -> tuple[type[Tried]]:
        """The type of what comes back."""
        return (Tried,)

    def __call__(self, sheet: TrialPage) -> Tried:
        """What came of one page."""
        before = _read(sheet, self.held)
        after = _read(sheet, self.given) if self.given is not None else None
        return Tried(
            name=sheet.name,
            before=before,
            after=_doubted(after, before) if after is not None else None,
            matched=_matched(sheet, self.given or self.held),
        )


def _read(sheet: TrialPage, hints: Hints) -> Read:
    from wireroom.parse.article import ExtractConfig, read_article

    try:
        reading = read_article(
            sheet.body,
            url=sheet.url,
            content_type=sheet.content_type,
            fetched_at=sheet.fetched_at,
            config=ExtractConfig(hints=hints, item=sheet.item),
        )
    except ParseError as exc:
        return Read(error=exc.message)
    article = reading.article
    return Read(
        title=article.title,
        text=article.text[:MAX_TEXT],
        text_from=article.sources.get("text", ""),
        words=article.word_count,
        quality=article.quality,
        published_at=article.published_at,
    )


def _doubted(after: Read, before: Read) -> Read:
    """A text that has lost much is no better than what it was, as much of it as there is."""
    if not after.text or after.words >= NARROW * before.words:
        return after
    left = before.quality * after.words / before.words
    doubt = f"{after.words:,} of {before.words:,} words are left"
    return replace(after, quality=round(min(after.quality, left), 3), doubt=doubt)


def _matched(sheet: TrialPage, hints: Hints) -> dict[str, str]:
    """What each selector finds on the page, in a line."""
    from wireroom.parse.html import open_page
    from wireroom.parse.metadata.selectors import select

    wanted = dict(hints.metadata_selectors)
    if hints.body_selector:
        wanted = {BODY: f"{hints.body_selector}[]"} | wanted
    if not wanted:
        return {}
    try:
        page = open_page(sheet.body, url=sheet.url, content_type=sheet.content_type)
    except ParseError:
        return dict.fromkeys(wanted, "")
    found, _ = select(page.tree, wanted)
    return {name: _sample(found.get(name, "")) for name in wanted}


def _sample(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value[:MAX_SAMPLE]
    first = value[0][:MAX_SAMPLE]
    return f"{len(value)} × {first}" if len(value) > 1 else first
