"""How cards are shown: on the terminal, as data, into files; a line each where there are many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wireroom.cli.batch import code_of_all
from wireroom.cli.scout.scout_rows import ScoutOutcome, card_code, count_rows, what_is_missing
from wireroom.cli.session import Session
from wireroom.cli.streams import Streams
from wireroom.errors import DeliverError
from wireroom.private_files import PUBLIC, write_whole
from wireroom.report.build import summarise
from wireroom.report.signs import line_sign
from wireroom.report.terminal_view import line_style, show_brief, show_card

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.scout import Address, Progress
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.model import Dossier
    from wireroom.report import Card


GRADES = {
    "A": "bold green",
    "B": "green",
    "C": "yellow",
    "D": "yellow",
    "E": "red",
    "F": "bold red",
}
COLUMNS = ("", "points", "publisher", "")
_ODD = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutViewOptions:
    """What is to be shown, and where."""

    form: Literal["card", "brief", "json", "jsonl"]
    explain: bool
    html: Path | None
    md: Path | None


class ScoutView:
    """Takes outcomes, shows them, and remembers how it all ends."""

    def __init__(self, session: Session, view: ScoutViewOptions, *, many: bool) -> None:
        self._streams = session.streams
        self._clock = session.reader_clock()
        self._view = view
        self._many = many
        self._rows: list[Any] = []
        self._codes: list[int] = []

    def show_card(self, card: Card) -> int:
        """Shows the one card there is; gives the exit code."""
        self._save(card)
        if self._view.form == "card":
            last = self._streams.is_terminal
            show_card(
                card,
                self._streams,
                explain=self._view.explain,
                verdict_last=last,
                clock=self._clock,
            )
        elif self._view.form == "brief":
            show_brief(card, self._streams)
        else:
            self._data(card)
        if message := what_is_missing(card):
            self._streams.error(message)
        return card_code(card)

    def announce(self, rows: Sequence[ScoutRow]) -> None:
        """Says what was read, and how many rows are left out."""
        self._streams.note(count_rows(rows))

    def add(self, outcome: ScoutOutcome) -> None:
        """Shows what became of a row."""
        self._codes.append(outcome.code)
        if outcome.card is not None:
            self._save(outcome.card)
        if self._view.form == "jsonl":
            self._streams.jsonl([outcome.plain()])
        elif self._view.form == "json":
            self._rows.append(outcome.plain())
        elif outcome.card is not None:
            self._line(outcome.card)
        if outcome.reason and self._view.form in {"card", "brief"}:
            self._tell(outcome)

    def end(self) -> None:
        """Shows what was kept until the end, also when the run was interrupted."""
        if self._view.form == "json":
            self._streams.json(self._rows)
        elif self._rows:
            self._streams.table(self._rows, columns=COLUMNS, styles=GRADES)
        self._rows = []

    @property
    def code(self) -> int:
        """0 when every row went well; what all of them had in common, else 1."""
        return code_of_all(self._codes)

    def _line(self, card: Card) -> None:
        grade = card.grade
        cells = (grade.letter, f"{grade.points:>3}", card.domain, card.sentence)
        if self._streams.is_terminal:
            self._rows.append(cells)
        else:
            self._streams.line("  ".join(cells))

    def _tell(self, outcome: ScoutOutcome) -> None:
        where = f"line {outcome.row.line}: {outcome.row.text[:200]}"
        if outcome.word == "duplicate":
            self._streams.note(f"{where}: {outcome.reason}")
        else:
            self._streams.error(f"{where}: {outcome.reason}")

    def _data(self, card: Card) -> None:
        from wireroom.report import to_plain

        if self._view.form == "json":
            self._streams.json(to_plain(card))
        else:
            self._streams.jsonl([to_plain(card)])

    def _save(self, card: Card) -> None:
        from wireroom.report import to_html, to_markdown

        if self._view.html is not None:
            self._write(self._view.html, card, ".html", to_html(card, self._clock))
        if self._view.md is not None:
            text = to_markdown(card, self._clock, explain=self._view.explain)
            self._write(self._view.md, card, ".md", text)

    def _write(self, path: Path, card: Card, suffix: str, text: str) -> None:
        """Into the file; of many, into a folder, under a name that is a slug with a hash."""
        try:
            if self._many:
                path.mkdir(parents=True, exist_ok=True)
                path = path / f"{_slug(card)}{suffix}"
            write_whole(path, text.encode("utf-8", "replace"), PUBLIC)
        except OSError as exc:
            raise DeliverError(
                f"{path} cannot be written: {exc.strerror}.", hint="Name another place."
            ) from exc
        self._streams.note(f"Written: {path}")


def _slug(card: Card) -> str:
    digest = blake2b(card.url.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return f"{_ODD.sub('-', card.domain.lower()).strip('.-')[:80]}-{digest}"


# The steps of a scout while it runs: one line each, redrawn in place on a terminal.

MAX_NAMED = 4  # steps under way that are named

Show = Callable[[Sequence[tuple[str, str]], str], None]


class Steps:
    """What has become of the steps so far."""

    def __init__(self, streams: Streams, show: Show) -> None:
        from wireroom.app.scout import step_titles

        self._streams = streams
        self._show = show
        self._titles = step_titles()
        self._running: dict[str, None] = {}
        self._lines: list[tuple[str, str]] = []
        show([], "asking for the homepage")

    def add(self, progress: Progress) -> None:
        """Shows what happened to a step; -v says it in lines where nothing can be redrawn."""
        if progress.finding is None:
            self._running[progress.step] = None
        else:
            self._running.pop(progress.step, None)
            brought, word = summarise(progress.finding), progress.finding.outcome
            reused = " (known)" if progress.status == "reused" else ""
            title = self._titles.get(progress.step, progress.step)
            tone = brought.tone or "plain"
            line = f"{line_sign(word, tone)} {title}: {brought.text}{reused}"
            self._lines.append((line, line_style(word, tone)))
            if self._streams.verbosity > 0:
                self._streams.note(line)
        self._show(self._lines, self._doing())

    def _doing(self) -> str:
        names = [self._titles.get(name, name) for name in self._running]
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        done = f"{len(self._lines)} of {len(self._titles)} steps"
        return f"{done} · {', '.join(names[:MAX_NAMED])}{more}" if names else done


# One scout of a publisher, its steps shown while they run.


def show_scout(
    session: Session, app: App, address: Address, *, refresh: bool, offline: bool | None
) -> Dossier:
    """The dossier of one publisher; where no steps are drawn it is said who is asked."""
    from wireroom.app.scout import scout_address

    note_scout(session, app, address, refresh=refresh)
    with session.streams.live() as show:
        steps = Steps(session.streams, show)
        return asyncio.run(
            scout_address(
                app,
                address,
                refresh=refresh,
                offline=offline,
                progress=steps.add,
                slowed=partial(note_pace, session.streams),
            )
        )


def note_pace(streams: Streams, host: str, gap: timedelta) -> None:
    """Says why it takes its time, where no steps are drawn."""
    if not streams.redraws:
        seconds = gap.total_seconds()
        streams.note(f"{host} asks for {seconds:g} s between two requests (Crawl-delay): waiting …")
        streams.flush()


def note_scout(session: Session, app: App, address: Address, *, refresh: bool = False) -> None:
    """Says at once who is about to be asked, where no steps are drawn: an answer may take its time."""
    from wireroom.app.scout import needs_scout

    if not session.streams.redraws and needs_scout(app, address, refresh=refresh):
        session.streams.note(f"Scouting {address.domain} …")
        session.streams.flush()
