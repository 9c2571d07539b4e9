"""What came of trying a feed, as text and as plain data: matches, and before and after as a small diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from wireroom.app.try_feed import BODY, Read, Tried, is_complete
from wireroom.cli.console import shortened
from wireroom.cli.exits import advised
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted

if TYPE_CHECKING:
    from wireroom.app.try_feed import FeedTrial, MissingPage
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.model import Item, Polled

MAX_SHOWN = 60  # characters of a match or an item in a table
MAX_LINE = 100  # characters of a paragraph in a diff
MAX_DIFF = 12  # lines of one page's diff; --json has both texts
ITEMS_SHOWN = 5
ITEMS = (TableColumn(), TableColumn(narrowest=20))
PAGES = (
    TableColumn(head="words"),
    TableColumn(head="quality", spare=1),
    TableColumn(head="text from", spare=2),
    TableColumn(head="title", narrowest=12, spare=3),
    TableColumn(head="page", narrowest=24),
)
"""The address stands last: where no line is cut, a long one pushes nothing aside."""
STYLES = {"-": "red", "+": "green"}
WHOLE = "A run reads such items from the feed and does not fetch their pages, unless selectors are given."


def outcome_data(outcome: FeedTrial) -> dict[str, Any]:
    """Everything as plain data."""
    polled = outcome.polled
    return {
        "feed": outcome.feed.url,
        "items": None if polled is None else [_item_data(item) for item in polled.items],
        "pages": [
            {
                "page": page.name,
                "before": asdict(page.before),
                "after": asdict(page.after) if page.after is not None else None,
                "matched": dict(page.matched),
            }
            for page in outcome.tried
        ],
        "missing": {page.name: why_missing(page) for page in outcome.missing},
        "unmatched": list(outcome.unmatched),
    }


def why_missing(page: MissingPage) -> str:
    """What happened, and what to do about it."""
    return advised(page.message, page.kind, permanent=page.permanent)


def _item_data(item: Item) -> dict[str, Any]:
    return {
        "title": item.title,
        "url": item.url,
        "published_at": item.published_at,
        "whole_text": is_complete(item),
    }


# --- for people --------------------------------------------------------------------------------


def show_outcome(outcome: FeedTrial, streams: Streams, clock: ReaderClock) -> None:
    """Items, selectors, pages, differences."""
    streams.heading(outcome.feed.name or outcome.feed.url)
    if outcome.polled is not None:
        _show_items(outcome.polled, streams, clock)
    names = dict.fromkeys(name for page in outcome.tried for name in page.matched)
    if names:
        streams.line()
        streams.heading("Selectors")
        rows = [_selector_row(outcome, name) for name in names]
        streams.table(rows, columns=("field", "selector", "matched on", "first"), indent=2)
    if outcome.tried:
        streams.line()
        streams.heading("Pages")
        rows = [_page_row(page) for page in outcome.tried]
        streams.fitted_table(rows, columns=PAGES, indent=2)
        for line in _narrow(outcome):
            streams.prose(line, indent=2)
    for page in outcome.tried:
        _show_diff(page, streams)


def _show_items(polled: Polled, streams: Streams, clock: ReaderClock) -> None:
    dated = sum(item.published_at is not None for item in polled.items)
    kind = (polled.kind or "feed").replace("_", " ")
    whole = sum(map(is_complete, polled.items))
    message = f"{kind}, {counted(len(polled.items), 'item')}, {dated:,} of them dated"
    streams.line(f"{message}, {whole:,} with their whole text", indent=2)
    if nowhere := sum(not item.url for item in polled.items):
        names = "item names" if nowhere == 1 else "items name"
        streams.prose(f"{nowhere:,} {names} no page, and no article is made of that.", indent=2)
    if whole:
        streams.prose(WHOLE, indent=2)
    if polled.more_urls:
        streams.line(f"an index of sitemaps; polled next: {', '.join(polled.more_urls)}", indent=2)
    rows = [
        (
            clock.minute(item.published_at),
            shortened(item.title or item.url, MAX_SHOWN),
        )
        for item in polled.items[:ITEMS_SHOWN]
    ]
    streams.fitted_table(rows, columns=ITEMS, indent=4)


def _selector_row(outcome: FeedTrial, name: str) -> tuple[str, ...]:
    hints = outcome.trial.given or outcome.trial.held
    css = hints.body_selector if name == BODY else hints.metadata_selectors.get(name, "")
    found = [page.matched[name] for page in outcome.tried if page.matched.get(name)]
    first = shortened(found[0], MAX_SHOWN) if found else ""
    return name, css, f"{len(found)} of {counted(len(outcome.tried), 'page')}", first


def _page_row(page: Tried) -> tuple[str, ...]:
    before, after = page.before, page.after
    title = (after or before).title or (after or before).error or before.error
    return (
        _change(_words(before), _words(after)),
        _change(_quality(before), _quality(after)),
        _change(before.text_from, after.text_from if after is not None else None),
        shortened(title, MAX_SHOWN),
        page.name,
    )


def _narrow(outcome: FeedTrial) -> Iterator[str]:
    """What selectors leave out of, if it is much."""
    for page in outcome.tried:
        if page.after is not None and page.after.doubt:
            yield f"{page.name}: {page.after.doubt}; is that meant?"


def _words(read: Read | None) -> str | None:
    return None if read is None else "none" if read.error else f"{read.words:,}"


def _quality(read: Read | None) -> str | None:
    """A number where something was weighed; what a selector names is believed."""
    if read is not None and read.text_from == BODY and not read.doubt:
        return "given"
    return None if read is None else "" if read.error else f"{read.quality:.2f}"


def _change(before: str | None, after: str | None) -> str:
    if after is None or before == after:
        return before or ""
    return f"{before or 'none'} → {after or 'none'}"


def _show_diff(page: Tried, streams: Streams) -> None:
    """The paragraphs that come and go, of a page whose text changes."""
    if page.after is None or page.before.text == page.after.text:
        return
    streams.line()
    streams.heading(page.name)
    lines = list(_diff(page.before.text, page.after.text))
    for text in lines[:MAX_DIFF]:
        line = f"{text[0]} {shortened(text[1:], MAX_LINE)}"
        streams.line(line, style=STYLES.get(text[0], ""), indent=2)
    if len(lines) > MAX_DIFF:
        more = counted(len(lines) - MAX_DIFF, "paragraph")
        streams.line(f"… and {more} more", indent=2)


def _diff(before: str, after: str) -> Iterator[str]:
    old, new = _paragraphs(before), _paragraphs(after)
    for line in list(unified_diff(old, new, n=0, lineterm=""))[2:]:
        if not line.startswith("@@"):
            yield line


def _paragraphs(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
