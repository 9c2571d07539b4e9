"""What happened last, as a person reads it: what belongs together stands in one line. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wireroom.cli.tables import TableColumn
from wireroom.dates.reader_clock import ReaderClock
from wireroom.display_text import counted

if TYPE_CHECKING:
    from wireroom.app.waiting import KnownRun
    from wireroom.model import Event, Problem

EVENT_COLUMNS = (TableColumn(), TableColumn(), TableColumn(narrowest=20))
PROBLEM_COLUMNS = (
    TableColumn(),
    TableColumn(),
    TableColumn(narrowest=20),
    TableColumn(narrowest=20, spare=1),
)
_UNITS = (
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)

Row = tuple[str, ...]


def ago(passed: timedelta) -> str:
    """How long ago, in one word and a number; what lies ahead (a clock was set) is "now"."""
    for unit, word in _UNITS:
        if passed >= unit:
            return f"{passed // unit} {word} ago"
    seconds = max(0, round(passed.total_seconds()))
    return f"{seconds} s ago" if seconds else "now"


def event_rows(events: Sequence[Event], now: datetime) -> Iterator[Row]:
    """Events, newest first: those of one kind that followed one another are a line."""
    for kind, same in groupby(events, lambda event: event.kind):
        newest, *others = same
        message = _describe([newest, *others])
        yield ago(now - newest.at), kind.replace("_", " "), message


def _describe(events: Sequence[Event]) -> str:
    newest, *others = events
    if newest.kind == "articles_saved":
        return counted(int(newest.data.get("count", 0)), "article")
    if newest.kind.startswith("run_"):  # its subject is the name of a process
        return _of_run(newest)
    return f"{newest.subject} and others" if others else newest.subject


def life_words(run: KnownRun, now: datetime, clock: ReaderClock) -> str:
    """How a run does that has not ended: `at work since 09:12 UTC (2 h ago): a run on desk (process 7)`."""
    since = f"since {clock.named(run.began_at)} ({ago(now - run.began_at)})"
    seen = ago(now - run.seen_at)
    words = {
        "at_work": f"at work {since}: {run.who}",
        "stalled": f"paused: {run.who} {since} has saved nothing since {seen}; it waits for the database, or hangs",
        "silent": f"not heard of since {seen}: {run.who} {since}; it was killed, or cannot reach the database",
        "killed": f"killed: {run.who} {since}, last seen {seen}; the next run takes its work up at once",
    }
    return words[run.life]


def run_words(event: Event, now: datetime) -> str:
    """When a run ended, and what it did: `2 h ago: 12 polls, 34 new articles, 1 problem`."""
    polls = sum(dict(event.data.get("polls") or {}).values())
    return f"ended {ago(now - event.at)}: {counted(polls, 'poll')}, {_of_run(event)}"


def _of_run(event: Event) -> str:
    """What a run came to, once it is over."""
    if "took" not in event.data:
        return ""
    new = dict(event.data.get("articles") or {}).get("new", 0)
    problems = sum(dict(event.data.get("problems") or {}).values())
    words = [counted(new, "new article")]
    words += without_words(dict(event.data.get("without") or {}))
    words += [counted(problems, "problem")] if problems else []
    return ", ".join(words)


def without_words(counts: Mapping[str, int]) -> list[str]:
    """What a run saw that holds no article: `3 items that name no page`, `1 page without an article`."""
    page, article = counts.get("page", 0), counts.get("article", 0)
    words = [f"{page:,} {'item names' if page == 1 else 'items name'} no page"] if page else []
    return words + ([f"{counted(article, 'page')} without an article"] if article else [])


def problem_rows(problems: Sequence[Problem], now: datetime) -> Iterator[Row]:
    """Problems, newest first: what many pages of one host have in common is shown once."""
    sorts: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        sorts.setdefault((problem.kind, urlsplit(problem.subject_url).netloc), []).append(problem)
    for newest, *others in sorts.values():
        where = newest.subject_url
        if others:
            where = f"{urlsplit(where).netloc or where}, several times"
        yield ago(now - newest.at), newest.kind, where, newest.message
