"""What commands that look at articles share: the query, and how a row looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.tables import TableColumn
from wireroom.ports import Order

if TYPE_CHECKING:
    from wireroom.cli.session import Session
    from wireroom.cli.streams import Streams
    from wireroom.model import Article

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
OrderOption = Annotated[
    Order, typer.Option("--order", help="Newest first, or best first, which takes longer.")
]

# What is needed to look further stays; an id is typed into `article`, and so is never cut. The title stands
# last: terminals do not agree on how wide some scripts are, and nothing behind it is to be pushed aside.
COLUMNS = (
    TableColumn(head="id"),
    TableColumn(head="published", spare=2),
    TableColumn(head="publisher", spare=3),
    TableColumn(head="words", spare=5),
    TableColumn(head="quality", spare=7),
    TableColumn(head="paywall", spare=6),
    TableColumn(head="rights", spare=4),
    TableColumn(head="title", narrowest=20),
)
MORE = 5  # times as many are offered to whoever was shown a part: 100 after the first 20


def query_of(words: Sequence[str] | None, *, since: str = "") -> str:
    """What was typed as one query; `since` is a date."""
    from wireroom.app.search import since_filter

    asked = " ".join(words or ())
    return f"{asked} {since_filter(since)}".strip() if since else asked


def tell_more(session: Session, limit: int) -> None:
    """Says that these were not all of them, and how to see more."""
    session.streams.note(f"{limit:,} shown; more with: --limit {limit * MORE}")


def show_articles(articles: Sequence[Article], streams: Streams) -> None:
    """A line for each: on a narrow terminal what is needed to look further, elsewhere everything."""
    streams.fitted_table([_row(article) for article in articles], columns=COLUMNS)


def _row(article: Article) -> tuple[str, ...]:
    return (
        article.id,
        _day(article),
        article.publisher,
        f"{article.word_count:,}",
        f"{article.quality:.2f}",
        "" if article.paywall == "unknown" else article.paywall,
        receipt_signs(article),
        " ".join(article.title.split()),
    )


def receipt_signs(article: Article) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.app.search import word_about
    from wireroom.model import USES
    from wireroom.report.signs import WORDS

    return "".join(WORDS[word_about(article.receipt, use)] for use in USES)


def _day(article: Article) -> str:
    return f"{article.published_at:%Y-%m-%d}" if article.published_at else "undated"
