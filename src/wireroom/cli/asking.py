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

__all__ = ["Limit", "OrderOption", "found", "question", "show_articles", "told_as_usage"]

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
OrderOption = Annotated[
    Order, typer.Option("--order", help="Newest first, or best first, which takes longer.")
]

COLUMNS = ("published", "publisher", "title", "words", "quality", "paywall", "rights", "id")
NARROW = ("id", "published", "publisher", "title")
PAGE = 200  # articles asked for at once
WIDE = 120  # columns of a terminal on which all of it has room
BESIDE_TITLE = 80  # cells of a wide table that are not the title
BESIDE_NARROW = 41  # of a narrow one, with the gaps and without the publisher
NARROWEST_TITLE = 12  # characters; less says nothing, then the line is folded


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


def show_articles(articles: Sequence[Article], session: Session) -> None:
    """A line for each: on a narrow terminal what is needed to look further, elsewhere everything."""
    from wireroom.cli.paper import shortened

    streams = session.streams
    width = get_terminal_size().columns if streams.is_terminal else 0
    longest = max((len(one.publisher) for one in articles), default=0)
    if width and width < WIDE:
        named = width - BESIDE_NARROW - longest >= NARROWEST_TITLE
        room = max(NARROWEST_TITLE, width - BESIDE_NARROW - (longest if named else 0))
        rows = [
            (one.id, _day(one), *([one.publisher] if named else []), shortened(one.title, room))
            for one in articles
        ]
        streams.table(rows, columns=NARROW if named else (*NARROW[:2], NARROW[3]))
        return
    room = max(NARROWEST_TITLE, width - BESIDE_TITLE - longest) if width else 10_000
    streams.table([_row(one, shortened(one.title, room)) for one in articles], columns=COLUMNS)


def _row(article: Article, title: str) -> tuple[str, ...]:
    return (
        _day(article),
        article.publisher,
        title,
        f"{article.word_count:,}",
        f"{article.quality:.2f}",
        "" if article.paywall == "unknown" else article.paywall,
        rights_signs(article),
        article.id,
    )


def rights_signs(article: Article) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.deliver.card.signs import WORDS
    from wireroom.deliver.rightswords import word_about
    from wireroom.model import USES

    return "".join(WORDS[word_about(article.receipt, use)] for use in USES)


def _day(article: Article) -> str:
    return f"{article.published_at:%Y-%m-%d}" if article.published_at else "undated"
