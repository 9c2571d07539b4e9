"""How articles are shown: as data, as text, as lines for people, or into files; and how it all ends.

Shows in the order in which things were asked for, except JSON lines and files, which do not wait.
On a terminal everything waits until the bar has gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wireroom.app.export_output import write_articles
from wireroom.app.extract import (
    Document,
    Extracted,
    ExtractResult,
    Unread,
    article_row,
    export_article,
    save_article,
)
from wireroom.app.extract import Form as Rendered
from wireroom.cli.console import shortened
from wireroom.cli.exits import BLOCKED, BLOCKS, ERROR, NOTHING_FOUND, OK, REFUSALS, REFUSED, advised
from wireroom.cli.extract import DEFAULT
from wireroom.cli.plug_lists import OWN_FORMS, either, extract_forms
from wireroom.cli.session import Session
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted, visible
from wireroom.errors import SettingsError, in_one_line
from wireroom.model import Article, Facts
from wireroom.ports import Format

NO_ARTICLE = frozenset({"no_article", "unknown_format", "gone"})
"""There is none on the page, or there is no such page or file."""
COLUMNS = (
    TableColumn(head="words", spare=2),
    TableColumn(head="quality", spare=3),
    TableColumn(head="published", spare=1),
    TableColumn(head="title", narrowest=20),
    TableColumn(head="of", narrowest=24),
)
BETWEEN = {"text": f"\n{'-' * 40}\n", "md": "\n---\n", "html": ""}
# Everything that moves a cursor or reorders a line, but for the line break and the tab.

_RENDERED: dict[str, Rendered] = {"text": "text", "md": "md", "html": "html"}

WITHOUT_TEXT = frozenset({"empty", "feed"})
"""Kinds of pages on which there is nothing to read, whatever is asked for."""


@dataclass(frozen=True, slots=True)
class ExtractViewOptions:
    """What is to be shown: in which form, why or not, where, and of how many documents."""

    form: str
    explain: bool
    folder: Path | None
    count: int
    plug: Format | None = None
    """What writes the articles, where the form is none of our own."""

    def check(self, *, is_terminal: bool) -> None:
        """Raises SettingsError where its parts contradict each other."""
        if self.explain and self.form not in {DEFAULT, "json", "jsonl"}:
            raise SettingsError(
                [f"--explain: there is no place for it in {self.form}"],
                hint="Leave the format out to see it, or take json or jsonl.",
            )
        if self.plug and not self.plug.is_text and is_terminal and self.folder is None:
            raise SettingsError(
                [f"{self.form} is not for reading"],
                hint="Name a folder: -o DIR, or pipe it somewhere.",
            )

    @property
    def rendered(self) -> Rendered:
        """What workers are to make of an article."""
        alone = self.form == "default" and self.count == 1 and self.folder is None
        return "text" if alone else _RENDERED.get(self.form, "article")


def plug_of(form: str) -> Format | None:
    """The format that writes this form; None for our own. SettingsError when there is none."""
    from wireroom.app.export_output import stream_formats

    if form in {DEFAULT, *OWN_FORMS}:
        return None
    if (plug := stream_formats().get(form)) is not None:
        return plug
    raise SettingsError(
        [f"--format {form}: there is no such format"], hint=f"One of: {either(extract_forms())}."
    )


class ExtractView:
    """Takes outcomes, shows them, counts them."""

    def __init__(self, session: Session, view: ExtractViewOptions) -> None:
        self._streams = session.streams
        self._clock = session.reader_clock()
        self._view = view
        self._waiting: dict[int, tuple[Document, tuple[Extracted, ...]]] = {}
        self._rows: list[Any] = []
        self._written: list[Article] = []
        self._problems: list[str] = []
        self._done = self._articles = self._next = self._texts = 0

    def add(self, result: ExtractResult) -> None:
        """Takes what came of a document, and shows what can be shown."""
        document, outcome = result.document, result.outcome
        if isinstance(outcome, Unread):
            self._problems.append(outcome.kind)
            advice_for = outcome.kind if "://" in document.name else ""  # advice is about addresses
            message = f"{document.name}: {outcome.message}"
            if outcome.page_kind and outcome.page_kind not in WITHOUT_TEXT:
                message = in_one_line(message, "With --any it is read all the same.")
            self._streams.error(advised(message, advice_for))
            outcome = ()
        self._done += 1
        self._articles += len(outcome)
        self._waiting[document.place] = (document, outcome)
        self._show_what_is_next(document.place)

    def end(self) -> None:
        """Shows what was kept until the end, also when the run was interrupted."""
        for place in sorted(self._waiting):
            self._show(*self._waiting.pop(place))
        if self._view.plug is not None and self._written:
            write_articles(self._view.plug, self._written, self._streams.binary)
        elif self._view.form == "json" and self._view.folder is None:
            self._streams.json(self._rows)
        elif self._rows:
            is_one = self._done == 1 and self._streams.is_terminal  # its name was just typed
            columns = COLUMNS[:-1] if is_one else COLUMNS
            rows = [row[: len(columns)] for row in self._rows]
            self._streams.fitted_table(rows, columns=columns)
        self._rows = []
        if self._view.count > 1:
            message = f"; {len(self._problems):,} gave none" if self._problems else ""
            found = f"{counted(self._articles, 'article')} from {counted(self._done, 'document')}"
            self._streams.note(f"{found}{message}.")

    @property
    def code(self) -> int:
        """0 when every document gave an article, 1 when some did not; else what kept all of them."""
        if not self._problems:
            return OK
        if self._articles:
            return ERROR
        kinds = set(self._problems)
        by_sort = ((NO_ARTICLE, NOTHING_FOUND), (REFUSALS, REFUSED), (BLOCKS, BLOCKED))
        return next((code for sort, code in by_sort if kinds <= sort), ERROR)

    def _show_what_is_next(self, place: int) -> None:
        if self._view.folder is not None:
            self._show(*self._waiting.pop(place))
        elif self._streams.is_terminal:
            return
        elif self._view.form == "jsonl":
            self._show(*self._waiting.pop(place))
        else:
            while self._next in self._waiting:
                self._show(*self._waiting.pop(self._next))
                self._next += 1

    def _show(self, document: Document, articles: tuple[Extracted, ...]) -> None:
        form, folder, plug = self._view.form, self._view.folder, self._view.plug
        if plug is not None and folder is None:
            self._written.extend(each.article for each in articles)
        elif plug is not None and folder is not None:
            for each in articles:
                self._line(each, export_article(folder, each.article, document, plug))
        elif folder is not None:
            for each in articles:
                row = article_row(document, each.article) | self._explained(each)
                self._line(each, save_article(folder, each, row, form))
        elif form in {"json", "jsonl"}:
            rows = [
                article_row(document, each.article) | self._explained(each) for each in articles
            ]
            self._streams.jsonl(rows) if form == "jsonl" else self._rows.extend(rows)
        elif self._view.explain:
            for each in articles:
                show_explanation(document.name, each, self._streams)
        elif form in _RENDERED or (self._view.count == 1 and len(articles) == 1):
            for each in articles:
                self._text(each, form if form in _RENDERED else "text")
        else:
            for each in articles:
                self._line(each, document.name)

    def _explained(self, extracted: Extracted) -> dict[str, Any]:
        return {"explained": extracted.explained} if self._view.explain else {}

    def _text(self, extracted: Extracted, form: str) -> None:
        if self._texts and BETWEEN[form]:
            self._streams.text(BETWEEN[form])
        self._texts += 1
        write = self._streams.paragraphs if form == "text" else self._streams.text
        write(visible(extracted.text).rstrip("\n"))

    def _line(self, extracted: Extracted, of: str) -> None:
        article = extracted.article
        published = self._clock.minute(article.published_at)
        cells = (
            f"{article.word_count:>6,}",
            f"{article.quality:.2f}",
            published,
            article.title,
            of,
        )
        if self._streams.is_terminal:
            self._rows.append(cells)
        else:
            self._streams.line("  ".join(cells))


# The explain view: where each field came from, why the quality is what it is, which blocks went.
#
# Tables for people; what other people wrote is cut to a line.

MAX_SHOWN = 60  # characters of a value in a table
MAX_BLOCK = 48  # characters of a block there: enough to find it in the page
MAX_OTHERS = 3  # claims about a field, besides the one that won, shown in a table
STYLES = {"keep": "green", "drop": "dim"}


def show_explanation(name: str, extracted: Extracted, streams: Streams) -> None:
    """Tables for one article."""
    data, article = extracted.explained, extracted.article
    streams.heading(article.title or "Without a title")
    streams.line(_origin(name, data), indent=2)
    streams.line()
    streams.table(
        _field_rows(data["fields"]), columns=("field", "value", "source", "sure", "others")
    )
    streams.line()
    streams.line(
        f"quality {article.quality:.2f}, {counted(article.word_count, 'word')}", style="bold"
    )
    for reason in (*data["quality_reasons"], *data.get("notes", ())):
        streams.prose(f"- {reason}", indent=2)
    streams.line()
    if blocks := data.get("blocks"):
        streams.table(
            list(_block_rows(blocks)), columns=("", "p", "kind", "why", "text"), styles=STYLES
        )
        streams.line()


def _origin(name: str, data: Facts) -> str:
    if "kind" not in data:
        return f"{name}: an item of a feed"
    encoding = data["encoding"]
    kind = f"{data['kind']['name']} ({data['kind']['why']})"
    return f"{name}: {kind}, {encoding['name']} ({encoding['source']}), taken for: {data['judged']}"


def _field_rows(fields: Iterable[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            field["field"],
            shortened(_joined(field["value"]), MAX_SHOWN),
            field["source"],
            "" if field["confidence"] is None else f"{field['confidence']:.2f}",
            _others(field),
        )
        for field in fields
        if field["source"] or field["claims"]
    ]


def _others(field: dict[str, Any]) -> str:
    """What else was said: each other value once, with who said it."""
    others: dict[str, list[str]] = {}
    for claim in field["claims"]:
        if claim["value"] != field["value"]:
            others.setdefault(_joined(claim["value"]), []).append(claim["source"])
    rows = [f"{shortened(value, MAX_SHOWN)} ({', '.join(who)})" for value, who in others.items()]
    more = f"; {len(rows) - MAX_OTHERS} more" if len(rows) > MAX_OTHERS else ""
    return "; ".join(rows[:MAX_OTHERS]) + more


def _block_rows(blocks: Iterable[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    for block in blocks:
        word = "keep" if block["kept"] else "drop"
        text = shortened(block["text"], MAX_BLOCK)
        yield word, f"{block['probability']:.2f}", block["kind"], block["reason"], text


def _joined(value: Any) -> str:
    return (
        ", ".join(map(str, value))
        if isinstance(value, list)
        else ""
        if value is None
        else str(value)
    )
