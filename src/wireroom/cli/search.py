"""`wireroom search WORDS`: the articles in which words stand, each with the place where they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.article_list import (
    ArrivedSince,
    Limit,
    OrderOption,
    SearchWords,
    Since,
    Until,
    marked_title,
    query_of,
    receipt_signs,
    show_more,
    shown_ids,
)
from wireroom.cli.articles import DEFAULT_LIMIT, NONE_HELD, NONE_MATCHES, Jsonl
from wireroom.cli.console import clean
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.passages import Phrase
    from wireroom.model import Article

Explain = Annotated[bool, typer.Option("--explain", help="First say how the query was understood.")]

# In one line under the title; the id, which is typed into `article`, is never broken.
FACTS = (
    TableColumn(),
    TableColumn(spare=1),
    TableColumn(spare=2),
    TableColumn(spare=4),
    TableColumn(spare=3),
)


def search(
    session: Session,
    words: SearchWords,
    since: Since = "",
    until: Until = "",
    arrived_since: ArrivedSince = "",
    limit: Limit = DEFAULT_LIMIT,
    order: OrderOption = "newest",
    explain: Explain = False,
    json: Json = False,
    jsonl: Jsonl = False,
) -> int:
    """Find the articles in which words stand.

    The same words and filters as `articles` takes. Each article is shown with the passage in which most of the
    words stand; on a terminal they are bold, with --json `passage.marks` says where they are. Exit code 3 when
    nothing is found.
    """
    from wireroom.app.passages import wanted_phrases
    from wireroom.app.search import FoundArticles, query_words, search_articles, typed_query

    text = query_of(session, words, since=since, until=until, arrived_since=arrived_since)
    if not text:
        raise SettingsError(["There are no words to search for."], hint="Try: wireroom articles")
    settings, now = session.load().settings, datetime.now(UTC)
    query = typed_query(text, settings, now=now)
    if explain:
        session.streams.note(f"Searching for: {query_words(query, settings, now=now)}")
    found, ids, phrases = FoundArticles(), tuple[str, ...](), wanted_phrases(query)
    if session.has_database():
        with session.app() as app:
            found = search_articles(app, query, order=order, limit=limit)
            ids = shown_ids(app, found.articles, session.streams)
    chosen = found.articles
    if jsonl:
        session.streams.jsonl(_data(article, phrases) for article in chosen)
    elif json:
        session.streams.json([_data(article, phrases) for article in chosen])
    else:
        for article, shown_id in zip(chosen, ids, strict=True):
            _show(session, article, shown_id, phrases)
    if found.has_more and not (json or jsonl):
        show_more(session, limit)
    if not chosen:
        session.show_none(NONE_HELD if found.is_empty else NONE_MATCHES)
    return OK if chosen else NOTHING_FOUND


def _show(session: Session, article: Article, shown_id: str, phrases: Sequence[Phrase]) -> None:
    from wireroom.app.passages import find_passage, word_marks

    streams = session.streams
    streams.heading(marked_title(article))
    streams.fitted_table([_facts(session, article, shown_id)], columns=FACTS, indent=2)
    streams.line(article.url, indent=2)
    passage = find_passage(article, phrases)
    of_what = f"{passage.field}: " if passage.field in {"tags", "authors"} else ""
    if shown := clean(f"{of_what}{passage.text}"):
        streams.marked(shown, word_marks(shown, phrases), indent=2)
    streams.line()


def _facts(session: Session, article: Article, shown_id: str) -> tuple[str, ...]:
    at = article.published_at or article.fetched_at
    words = counted(article.word_count, "word")
    return (
        shown_id,
        session.reader_clock().minute(at),
        article.publisher,
        words,
        receipt_signs(article),
    )


def _data(article: Article, phrases: Sequence[Phrase]) -> dict[str, Any]:
    """What is held of the article, and the passage with the places of the words in it."""
    from wireroom.app.passages import find_passage
    from wireroom.export.article_json import to_plain

    return to_plain(article) | {"passage": asdict(find_passage(article, phrases))}


PLUG = Command("search", search, order=42)
