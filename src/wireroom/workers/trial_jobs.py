"""What a worker does to try selectors: one page is read with the hints that are held, and with those to be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from wireroom.errors import ParseError
from wireroom.model import Hints, Item

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
        from wireroom.workers.document_jobs import Extraction

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
