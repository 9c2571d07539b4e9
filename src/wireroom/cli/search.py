"""`wireroom search WORDS`: the articles in which words stand, each with the place where they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.article_list import Limit, OrderOption, query_of, receipt_signs, tell_more
from wireroom.cli.articles import DEFAULT_LIMIT, NONE_MATCHES, Jsonl, show_data
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.model import Article

Words = Annotated[
    list[str], typer.Argument(metavar="WORDS...", help="Words, phrases in quotes, filters.")
]

# In one line under the title; the id, which is typed into `article`, is never broken.
FACTS = (
    TableColumn(),
    TableColumn(spare=1),
    TableColumn(spare=2),
    TableColumn(spare=4),
    TableColumn(spare=3),
)
BEFORE, AFTER = 60, 180  # characters of the text shown around the first word that was found
LONGEST_WORD = 40  # characters; without a blank in them the script has none, and is cut anywhere
_FILTER = re.compile(r'-\S+|\b[a-z]{2,}:(?:"[^"]*"|\S+)', re.IGNORECASE)


def search(
    session: Session,
    words: Words,
    limit: Limit = DEFAULT_LIMIT,
    order: OrderOption = "newest",
    json: Json = False,
    jsonl: Jsonl = False,
) -> int:
    """Find the articles in which words stand.

    The same words and filters as `articles` takes; each article is shown with the passage. Exit code 3
    when nothing is found.
    """
    from wireroom.app.search import FoundArticles, search_articles

    query = query_of(words)
    if not query.strip():
        raise SettingsError(["There are no words to search for."], hint="Try: wireroom articles")
    found = FoundArticles()
    if session.has_database():
        with session.app() as app:
            found = search_articles(app, query, order=order, limit=limit)
    chosen = found.articles
    if json or jsonl:
        show_data(session, chosen, jsonl=jsonl)
    else:
        for article in chosen:
            _show(session, article, query)
    if found.has_more and not (json or jsonl):
        tell_more(session, limit)
    if not chosen:
        session.tell_none(NONE_MATCHES)
    return OK if chosen else NOTHING_FOUND


def _show(session: Session, article: Article, query: str) -> None:
    streams = session.streams
    streams.heading(article.title or article.url)
    streams.fitted_table([_facts(article)], columns=FACTS, indent=2)
    streams.line(article.url, indent=2)
    if shown := passage(article.text, query):
        streams.prose(shown, indent=2)
    streams.line()


def _facts(article: Article) -> tuple[str, ...]:
    at = article.published_at or article.fetched_at
    words = counted(article.word_count, "word")
    return article.id, f"{at:%Y-%m-%d}", article.publisher, words, receipt_signs(article)


def passage(text: str, query: str) -> str:
    """The part of the text in which one of the words stands first, or else its beginning."""
    words = re.findall(r"\w+", _FILTER.sub(" ", query).casefold())
    lower = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    places = [place for word in words if (place := lower.find(word)) >= 0]
    first = min(places, default=0)
    start = text.rfind(" ", 0, max(0, first - BEFORE)) + 1 if first > BEFORE else 0
    end = _end_of_word(text, first + AFTER)
    cut = " ".join(text[start:end].split())
    return f"{'… ' if start else ''}{cut}{' …' if end < len(text) else ''}"


def _end_of_word(text: str, end: int) -> int:
    """Where to stop: before a word that would be cut, where words are parted by blanks at all."""
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - LONGEST_WORD, end + 1)
    return blank if blank > 0 else end


PLUG = Command("search", search, order=42)
