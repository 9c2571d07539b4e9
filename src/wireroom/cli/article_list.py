"""What commands that look at articles share: the query, and how a row looks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.tables import TableColumn
from wireroom.ports import Order

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.cli.session import Session
    from wireroom.cli.streams import Streams
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.model import Article

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
OrderOption = Annotated[
    Order, typer.Option("--order", help="Newest first, or best first, which takes longer.")
]

# What is needed to look further stays. An id is typed into `article`: a terminal shows as many of its digits
# as tell it from all others. The title stands last: terminals do not agree on how wide some scripts are, and
# nothing behind it is to be pushed aside.
COLUMNS = (
    TableColumn(head="id"),
    TableColumn(head="published", spare=2),
    TableColumn(head="arrived", spare=8),
    TableColumn(head="publisher", spare=3, narrowest=12),
    TableColumn(head="words", spare=5),
    TableColumn(head="quality", spare=7),
    TableColumn(head="paywall", spare=6),
    TableColumn(head="rights", spare=4),
    TableColumn(head="title", narrowest=20, wanted=40, tells_apart=True),
)
MORE = 5  # times as many are offered to whoever was shown a part: 100 after the first 20


# One query language for every command that chooses articles: these options are theirs, and nobody has others.
QUERY_HELP = "Words and filters, as in storm lang:en after:1d; a field is one of {query_fields}."
QueryWords = Annotated[
    list[str] | None, typer.Argument(metavar="[QUERY]...", help=f"{QUERY_HELP} None: all.")
]
SearchWords = Annotated[list[str], typer.Argument(metavar="WORDS...", help=QUERY_HELP)]
QueryOption = Annotated[str, typer.Option("--query", metavar="QUERY", help=QUERY_HELP)]
Since = Annotated[
    str,
    typer.Option("--since", metavar="WHEN", help="Published since then: 1d, yesterday, 2026-05."),
]
Until = Annotated[
    str,
    typer.Option(
        "--until", metavar="WHEN", help="Published until then, the end of the day or month."
    ),
]
ArrivedSince = Annotated[
    str,
    typer.Option(
        "--arrived-since", metavar="WHEN", help="First read here since then, whatever its date."
    ),
]


def query_of(
    session: Session,
    words: Sequence[str] | None,
    *,
    since: str = "",
    until: str = "",
    arrived_since: str = "",
) -> str:
    """What was typed as one query; moments of options become filters.

    The words are read by themselves first: an OR or a quote that is left open must not take a filter for its other half.
    """
    from wireroom.app.search import time_filter, typed_query

    asked = " ".join(words or ()).strip()
    options = (
        ("--since", "after", since),
        ("--until", "until", until),
        ("--arrived-since", "arrived", arrived_since),
    )
    filters = [time_filter(option, name, text) for option, name, text in options if text]
    if asked and filters:
        typed_query(asked, session.load().settings, now=datetime.now(UTC))
    return " ".join((*filters, asked)).strip()


def show_more(session: Session, limit: int) -> None:
    """Says that these were not all of them, and how to see more."""
    session.streams.note(f"{limit:,} shown; more with: --limit {limit * MORE}")


def shown_ids(app: App, articles: Sequence[Article], streams: Streams) -> tuple[str, ...]:
    """The ids of these articles: on a terminal short ones that still work, elsewhere the whole."""
    from wireroom.app.explain import short_ids

    ids = [article.id for article in articles]
    return short_ids(app, ids) if streams.is_terminal else tuple(ids)


def show_articles(articles: Sequence[Article], ids: Sequence[str], session: Session) -> None:
    """A line for each: on a narrow terminal what is needed to look further, elsewhere everything."""
    clock = session.reader_clock()
    rows = [_row(article, shown, clock) for article, shown in zip(articles, ids, strict=True)]
    session.streams.fitted_table(rows, columns=COLUMNS)


def _row(article: Article, shown_id: str, clock: ReaderClock) -> tuple[str, ...]:
    return (
        shown_id,
        clock.minute(article.published_at),
        clock.minute(article.arrived_at or article.fetched_at),
        article.publisher,
        f"{article.word_count:,}",
        f"{article.quality:.2f}",
        "" if article.paywall == "unknown" else article.paywall,
        receipt_signs(article),
        marked_title(article),
    )


def marked_title(article: Article) -> str:
    """The title in one line, or else the address; that its publisher took it back stands before it."""
    title = " ".join(article.title.split()) or article.url
    return f"[withdrawn] {title}" if article.state == "withdrawn" else title


def receipt_signs(article: Article) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.app.search import word_about
    from wireroom.model import USES
    from wireroom.report.signs import WORDS

    return "".join(WORDS[word_about(article.receipt, use)] for use in USES)
