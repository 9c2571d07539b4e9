"""What verbs that look at articles share: the question, its answer page by page, and how a row looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.errors import QueryError, SettingsError
from wireroom.ports import Order

if TYPE_CHECKING:
    from wireroom.cli.session import Session
    from wireroom.desk import Desk
    from wireroom.model import Article

__all__ = ["COLUMNS", "Limit", "OrderOption", "found", "question", "rows", "told_as_usage"]

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
OrderOption = Annotated[
    Order, typer.Option("--order", help="Newest first, or best first, which takes longer.")
]

COLUMNS = ("published", "publisher", "title", "words", "quality", "paywall", "rights", "id")
PAGE = 200  # articles asked for at once
BESIDE_TITLE = 80  # cells of a table that are not the title
NARROWEST_TITLE = 20  # characters; less says nothing, then the line is folded


def question(words: Sequence[str] | None, *, since: str = "") -> str:
    """What was typed as one query; `since` is a date."""
    asked = " ".join(words or ())
    return f'{asked} after:"{since}"'.strip() if since else asked


@contextmanager
def told_as_usage() -> Iterator[None]:
    """A query that cannot be understood is a mistake of the command line."""
    try:
        yield
    except QueryError as exc:
        raise SettingsError([exc.message], way_out=exc.way_out) from exc


def found(desk: Desk, query: str, *, order: Order, limit: int) -> Iterator[Article]:
    """The first articles that match."""

    def pages() -> Iterator[Article]:
        cursor = ""
        while True:
            size = min(limit, PAGE)
            page = desk.store.search(query, order=order, limit=size, cursor=cursor)
            yield from page.articles
            cursor = page.cursor
            if not cursor:
                return

    return islice(pages(), limit)


def rows(articles: Sequence[Article], session: Session) -> list[tuple[str, ...]]:
    """The articles as rows of a table; on a terminal titles are cut to its width."""
    from wireroom.cli.extract.explain import shortened

    room = 10_000
    if session.streams.is_terminal:
        longest = max((len(one.publisher) for one in articles), default=0)
        room = max(NARROWEST_TITLE, get_terminal_size().columns - BESIDE_TITLE - longest)
    return [
        (
            _day(one),
            one.publisher,
            shortened(one.title, room),
            f"{one.word_count:,}",
            f"{one.quality:.2f}",
            "" if one.paywall == "unknown" else one.paywall,
            rights_signs(one),
            one.id,
        )
        for one in articles
    ]


def rights_signs(article: Article) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.deliver.card.signs import WORDS
    from wireroom.deliver.rightswords import word_about
    from wireroom.model import USES

    return "".join(WORDS[word_about(article.receipt, use)] for use in USES)


def _day(article: Article) -> str:
    return f"{article.published_at:%Y-%m-%d}" if article.published_at else "undated"
