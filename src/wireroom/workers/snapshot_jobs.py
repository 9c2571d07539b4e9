"""What workers do to show a kept page: it is read as it was, and its texts are marked as kept or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireroom.errors import ParseError
from wireroom.workers.document_jobs import Extraction, Unread, kind_of_error
from wireroom.workers.page_jobs import KeptPage

if TYPE_CHECKING:
    from wireroom.parse.body import Block


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRead:
    """A kept page as harmless HTML."""

    html: str
    kept: int = 0
    dropped: int = 0
    cut: bool = False
    problem: str = ""
    """Why the page gives no article now; then every run of it is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshotting:
    """The work itself; called in a worker with one page after another."""

    def prepare(self) -> None:
        """Loads what every page needs."""
        Extraction().prepare()

    def outcomes(self) -> tuple[type[SnapshotRead], type[Unread]]:
        """The types of what comes back."""
        return SnapshotRead, Unread

    def __call__(self, work: KeptPage) -> SnapshotRead | Unread:
        """The page, marked; or why it cannot be shown."""
        from wireroom.parse.article import ExtractConfig, read_article
        from wireroom.parse.html import open_page
        from wireroom.parse.page_snapshot import mark_page

        url, kind = work.held.url, work.page.content_type
        blocks: tuple[Block, ...] = ()
        fields: dict[str, str] = {}
        text = problem = ""
        try:
            reading = read_article(
                work.page.body,
                url=url,
                content_type=kind,
                fetched_at=work.held.fetched_at,
                config=ExtractConfig(
                    hints=work.hints, item=work.item, boilerplate=work.boilerplate
                ),
                explain=True,
            )
            article = reading.article
            blocks, text = reading.body.blocks, article.text
            fields = {"description": article.description, "title": article.title}
        except ParseError as exc:
            problem = exc.message
        try:
            page = open_page(work.page.body, url=url, content_type=kind)
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=exc.message)
        marked = mark_page(page, blocks, text, fields)
        return SnapshotRead(
            html=marked.html,
            kept=marked.kept,
            dropped=marked.dropped,
            cut=marked.cut or bool(page.cut),
            problem=problem,
        )
