"""What workers do for `archive`: a page as it was captured becomes rows, lines or readings.

Wires the pure rooms together, in a process of its own: the body is decoded, read, judged by what the crawl saw and
by what its publisher says today, and put into the form that is written. Nothing here fetches or saves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import thread_time
from typing import TYPE_CHECKING, Literal, TypeAlias

from wireroom.errors import ParseError, UnknownFormatError
from wireroom.export.archive_columns import (
    ArchivedArticle,
    Capture,
    TableRow,
    archive_line,
    table_row,
)
from wireroom.export.selection import Report, permitted
from wireroom.model import (
    Article,
    Lead,
    Reading,
    Receipt,
    Signature,
    Use,
)
from wireroom.parse.page_tags import read_page_tags
from wireroom.parse.warc.http_answer import without_chunks
from wireroom.rights.policy import Policy, decide_storage, reduce_article
from wireroom.urls import article_id, is_web_url, is_within, publisher_domain
from wireroom.workers.archive_rights import judge_archived
from wireroom.workers.document_jobs import Unread, kind_of_error

if TYPE_CHECKING:
    from wireroom.duplicates import ClusterOptions
    from wireroom.parse.article import ArticleReading

ArchiveForm: TypeAlias = Literal["table", "lines", "readings"]

MAX_BODY = 10_000_000  # bytes of a page after decoding, as a fetcher takes
LANGUAGE_LOOK = 1_000  # characters of a page's paragraphs by which its language is told
FEWEST_CHARACTERS = 200  # below that nobody can tell
SURE = 0.9  # how sure the first look must be to leave a page out unread
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{1,6}\)(\S{1,2000})\s*-->", re.IGNORECASE)
_SAVED_LOOK = 4_096  # bytes in which a browser says where it saved a page from
_CODINGS = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
"""How a body in this coding begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedPage:
    """A page as it stands in an archive."""

    number: int
    """Its place among the pages of its input."""
    capture: Capture
    url: str
    """Empty for a saved page: it may say itself where it was saved from."""
    body: bytes = b""
    """As the server sent it: perhaps in chunks, perhaps compressed."""
    path: str = ""
    """The file of a saved page, read by the worker."""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    fetched_at: datetime
    rights: bytes = b""
    """See `archive_rights.pack_rights`; nothing where nothing is known of its host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveEntry:
    """One article of a page, in the form that is written."""

    article_id: str
    text_hash: str
    row: TableRow | None = None
    line: bytes = b""
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOutcome:
    """What came of one page."""

    entries: tuple[ArchiveEntry, ...] = ()
    skipped: str = ""
    """Why it was left out unread, or after it was read: `language`, or `publisher` of a saved page."""
    reports: tuple[Report, ...] = ()
    """For a use: of each article whether it was permitted, and why not."""
    url: str = ""
    """Where a saved page says that it was saved from."""
    seconds: float = 0.0
    """Of CPU time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveJob:
    """The work itself; called in a worker with one page after another."""

    now: datetime
    form: ArchiveForm = "table"
    languages: tuple[str, ...] = ()
    """Only these; none for all."""
    publishers: tuple[str, ...] = ()
    """Of saved pages, only those of these domains; of records, the others were left out before."""
    use: Use | None = None
    policy: Policy = field(default_factory=Policy)
    cluster: ClusterOptions | None = None
    """How texts are signed that go into a store."""

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it."""
        from wireroom.signals import all_signals
        from wireroom.workers.document_jobs import Extraction

        Extraction().prepare()
        all_signals()

    def outcomes(self) -> tuple[type[ArchiveOutcome], type[Unread]]:
        """The types of what comes back."""
        return ArchiveOutcome, Unread

    def __call__(self, page: ArchivedPage) -> ArchiveOutcome | Unread:
        """The articles of the page, or why there are none."""
        began = thread_time()  # a limit on CPU time lets that of the process go by ticks
        try:
            outcome = self._outcome(page)
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=exc.message)
        except OSError as exc:
            return Unread(kind="internal", message=exc.strerror or type(exc).__name__)
        return replace(outcome, seconds=round(thread_time() - began, 4))

    def _outcome(self, page: ArchivedPage) -> ArchiveOutcome:
        body = _body(page)
        named = "" if page.url else _saved_from(body)
        if self.publishers and not page.url and not self._is_of_publisher(named):
            return ArchiveOutcome(skipped="publisher", url=named)
        if self.languages and self._is_foreign(body, page.content_type):
            return ArchiveOutcome(skipped="language", url=named)
        if named:
            page = replace(page, url=named)
        archived = list(self._articles(page, body))
        wanted = [each for each in archived if self._wants(each.article)]
        reports: list[Report] = []
        if self.use is not None:
            wanted = [each for each in wanted if self._permits(each, reports)]
        entries = tuple(filter(None, map(self._entry, wanted)))
        skipped = "" if wanted or reports else "language"
        return ArchiveOutcome(entries=entries, skipped=skipped, reports=tuple(reports), url=named)

    def _wants(self, article: Article) -> bool:
        return not self.languages or article.language in self.languages

    def _is_of_publisher(self, url: str) -> bool:
        """Whether a saved page names one of the publishers; one that names no address is of nobody."""
        return bool(url) and is_within(publisher_domain(url), self.publishers)

    def _is_foreign(self, body: bytes, content_type: str) -> bool:
        """Whether the first 1,000 characters are plainly in another language: then it is not read further."""
        from wireroom.parse.detect import detect_language

        text = _first_words(body, content_type)
        found = detect_language(text) if len(text) >= FEWEST_CHARACTERS else None
        return found is not None and found.confidence >= SURE and found.value not in self.languages

    def _articles(self, page: ArchivedPage, body: bytes) -> Iterator[ArchivedArticle]:
        from wireroom.parse.article import ExtractConfig, extract_all, read_article

        try:
            reading = read_article(
                body,
                url=page.url,
                content_type=page.content_type,
                fetched_at=page.fetched_at,
                config=ExtractConfig(),
                headers=page.headers,
            )
        except UnknownFormatError:  # no page: perhaps a feed or records
            for article in extract_all(
                body, url=page.url, content_type=page.content_type, fetched_at=page.fetched_at
            ):
                yield self._judged(page, article, None)
        else:
            yield self._judged(page, reading.article, reading)

    def _judged(
        self, page: ArchivedPage, article: Article, reading: ArticleReading | None
    ) -> ArchivedArticle:
        """The article under the rights that the crawl saw, and what its publisher says today."""
        url = article.url if reading is None else page.url or article.canonical_url
        if not is_web_url(url):
            own = replace(article, url="", publisher="", id=_file_id(page.capture))
            return ArchivedArticle(article=own, capture=page.capture)
        publisher = publisher_domain(url)
        article = replace(article, id=article_id(publisher, url), publisher=publisher, url=url)
        tags = reading.page_tags if reading is not None else None
        if tags is None:
            tags = read_page_tags(None, url=url, headers=page.headers)
        elif (
            tags.url != url
        ):  # of a saved page that names its address where tags are not looked for
            tags = replace(tags, url=url)
        judged = judge_archived(article, tags, page.rights, at=page.fetched_at, now=self.now)
        return ArchivedArticle(
            article=replace(article, receipt=judged.as_crawled),
            capture=page.capture,
            today=judged.today,
            today_as_of=judged.today_as_of,
        )

    def _permits(self, archived: ArchivedArticle, reports: list[Report]) -> bool:
        """Whether the crawl's own receipt and the publisher of today both permit the use."""
        assert self.use is not None  # noqa: S101 - or nobody asks
        today = archived.today or Receipt(checked_at=self.now)
        chosen = permitted([archived.article], self.use, self.policy, lambda _article: today)
        is_permitted = bool(list(chosen))
        reports.append(chosen.report)
        return is_permitted

    def _entry(self, archived: ArchivedArticle) -> ArchiveEntry | None:
        article = archived.article
        entry = ArchiveEntry(article_id=article.id, text_hash=article.text_hash)
        if self.form == "table":
            return replace(entry, row=table_row(archived))
        if self.form == "lines":
            return replace(entry, line=archive_line(archived))
        reading = self._reading(article)
        return replace(entry, reading=reading) if reading is not None else None

    def _reading(self, article: Article) -> Reading | None:
        """What is saved of it; None where the policy keeps nothing, or nobody knows where it stood."""
        from wireroom.poll.leads import after_article
        from wireroom.workers.page_jobs import sign_article

        if not article.url or article.receipt is None:
            return None
        answer = decide_storage(self.policy, article.receipt.verdicts)
        kept = reduce_article(article, answer, self.policy)
        if kept is None:
            return None
        lead = Lead(url=article.url, publisher=article.publisher)
        signature = sign_article(article, self.cluster)
        return after_article(lead, kept, article.fetched_at, signature=signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressJob:
    """Looks where saved pages were saved from, before their rights are looked up."""

    def outcomes(self) -> tuple[object, ...]:
        """The types of what comes back."""
        return (str,)

    def __call__(self, page: ArchivedPage) -> str:
        """The address that the page names; empty where it names none, or cannot be read."""
        try:
            return _saved_from(_body(page))
        except (ParseError, OSError):  # it is named when the page itself is read
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignText:
    """The text of an article whose near-duplicates are looked for."""

    article_id: str
    text: str
    language: str
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SignJob:
    """Signs texts, some at a time."""

    cluster: ClusterOptions

    def outcomes(self) -> tuple[object, ...]:
        """The types of what comes back."""
        return (tuple[Signature | None, ...],)

    def __call__(self, texts: tuple[int, tuple[SignText, ...]]) -> tuple[Signature | None, ...]:
        """The signature of each; None for a text without words."""
        from wireroom.duplicates import sign

        return tuple(
            sign(each.article_id, each.text, each.language, each.seen_at, self.cluster)
            for each in texts[1]
        )


# --- the body ---------------------------------------------------------------------------------------


def _body(page: ArchivedPage) -> bytes:
    """The page as a browser would see it; raises ParseError."""
    if page.path:
        from wireroom.workers.document_jobs import Document, document_bytes

        return document_bytes(Document(name=page.path, place=0, path=page.path))
    coding = transfer = ""
    for name, value in page.headers:
        if name == "content-encoding":
            coding = coding or value.strip().lower()
        elif name == "transfer-encoding":
            transfer = transfer or value.lower()
    body = without_chunks(page.body) if "chunked" in transfer else page.body
    return _decoded(body, coding) if coding else body


def _decoded(body: bytes, coding: str) -> bytes:
    """The body without its coding; many archives have undone it and left the header."""
    from wireroom.fetch.decode import CodingError, open_pipe

    last = coding.rpartition(",")[2].strip()
    if last in _CODINGS and not body.startswith(_CODINGS[last]):
        return body
    pieces: list[bytes] = []
    size = 0
    try:
        pipe = open_pipe(coding)
        for piece in pipe.feed(body):
            size += len(piece)
            if size > MAX_BODY:
                raise ParseError(f"larger than MAX_BODY = {MAX_BODY:,} bytes once decoded")
            pieces.append(piece)
        pipe.finish()
    except CodingError as exc:
        if not pieces and body.lstrip()[:1] == b"<":  # it is a page already
            return body
        raise UnknownFormatError(f"not a page: {exc}") from exc
    return b"".join(pieces)


def _first_words(body: bytes, content_type: str) -> str:
    """The first characters that stand in paragraphs."""
    from wireroom.parse.html import open_page
    from wireroom.parse.kind import kind_of

    if kind_of(body, content_type).name != "html":
        return ""
    found: list[str] = []
    size = 0
    for node in open_page(body, content_type=content_type).tree.css("p"):
        text = " ".join(node.text(separator=" ").split())
        found.append(text)
        size += len(text)
        if size >= LANGUAGE_LOOK:
            break
    return " ".join(found)[:LANGUAGE_LOOK]


def _saved_from(body: bytes) -> str:
    """Where a saved page says that it was saved from: in a browser's remark, or as its own address."""
    remark = _SAVED_FROM.search(body[:_SAVED_LOOK])
    if remark is not None:
        url = remark[1].decode("utf-8", "replace")
        if is_web_url(url):
            return url
    from wireroom.parse.html import open_page

    tree = open_page(body).tree
    named = (("link[rel=canonical]", "href"), ('meta[property="og:url"]', "content"))
    for selector, attribute in named:
        node = tree.css_first(selector)
        url = (node.attributes.get(attribute) or "").strip() if node is not None else ""
        if is_web_url(url):
            return url
    return ""


def _file_id(capture: Capture) -> str:
    """The id of an article of which nobody knows where it stood."""
    return article_id("", f"https://file.invalid/{capture.warc_file}")
