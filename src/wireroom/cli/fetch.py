"""`wireroom fetch URL…`: pages as servers give them, with all manners."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import BLOCKED, BLOCKS, ERROR, OK, REFUSALS, REFUSED, advised
from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.fetch import FetchOutcome
    from wireroom.model import Problem, Response

Urls = Annotated[
    list[str] | None, typer.Argument(metavar="URL...", help="Addresses; - reads them from stdin.")
]
Head = Annotated[bool, typer.Option("--head", help="Ask for the headers alone.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Save the bodies there.")
]
Warc = Annotated[
    Path | None, typer.Option("--warc", metavar="FILE", help="Archive everything as WARC.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why a request waited or failed.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, as answers come.")]

# What the fetch room logs, in words for a person.
SENTENCES = {
    "waited": "waited {seconds:.1f} s for {url}: {why}",
    "redirected": "{url} leads to {to} (status {status})",
    "robots": "robots.txt of {origin} is {state}: {why}",
    "agreed": "robots.txt of {origin} is not asked: fetch.agreed names its host",
    "refused": "{by} did not bring {url}: {kind}, {why}",
    "network is back": "the network is back: {why}",
}


def fetch(
    session: Session,
    urls: Urls = None,
    head: Head = False,
    output: Output = None,
    warc: Warc = None,
    explain: Explain = False,
    json: Json = False,
    jsonl: Jsonl = False,
) -> int:
    """Fetch pages as their servers give them.

    robots.txt is obeyed, hosts are given time, private addresses are refused. A single page goes
    to stdout when that is no terminal; otherwise each answer is shown in a line. An address without
    a scheme is asked by https, and by http where https is not spoken.
    """
    from wireroom.app.extract import make_folder
    from wireroom.app.fetch import check_scheme, fetch_pages
    from wireroom.cli.batch import show_results

    typed = list(_typed(urls or []))
    if not typed:
        raise SettingsError(["There is no address to fetch."], hint="Try: wireroom fetch URL")
    for url in typed:
        check_scheme(url)
    settings = session.load().settings
    if output is not None:
        make_folder(output)
    shown = _FetchView(
        session, json=json, jsonl=jsonl, many=len(typed) > 1, head=head, output=output
    )
    try:
        with _explained(session, wanted=explain):
            results = fetch_pages(settings, typed, head=head, warc=warc)
            show_results(session.streams, "Fetching", results, shown.add, total=len(typed))
    finally:
        shown.end()
    return shown.code


class _FetchView:
    """Shows outcomes, and remembers how it all ends."""

    def __init__(
        self,
        session: Session,
        *,
        json: bool,
        jsonl: bool,
        many: bool,
        head: bool,
        output: Path | None,
    ) -> None:
        self._streams = session.streams
        self._json, self._jsonl, self._head = json, jsonl, head
        self._output = output
        is_alone = not many and output is None
        self._body_wanted = is_alone and not (json or jsonl or session.streams.is_terminal)
        self._rows: list[dict[str, Any]] = []
        self._problems: list[str] = []
        self._answers = 0

    def add(self, outcome: FetchOutcome) -> None:
        """Shows what came of an address; a body is saved where that is wanted."""
        from wireroom.app.fetch import save_body
        from wireroom.model import Problem

        if isinstance(outcome, Problem):
            self._problems.append(outcome.kind)
            row = _problem_row(outcome)
        else:
            self._answers += 1
            folder = None if self._head else self._output
            saved = save_body(folder, outcome) if folder is not None else ""
            row = _answer_row(outcome, saved)
            if self._body_wanted:
                self._write(_head_text(outcome) if self._head else outcome.body)
                return
        if self._jsonl:
            self._streams.jsonl([row])
            self._streams.flush()  # as answers come, not when the pipe is full
        elif isinstance(outcome, Problem) and not self._json:
            message = f"{outcome.subject_url}: {outcome.kind}: {outcome.message}"
            self._streams.error(advised(message, outcome.kind, permanent=outcome.permanent))
        elif self._json or self._streams.is_terminal:
            self._rows.append(row)
        else:
            self._streams.line("  ".join(_cells(row)))
            self._streams.flush()

    def end(self) -> None:
        """Shows what was kept until the end, also when the run was interrupted."""
        if self._json:
            self._streams.json(self._rows)
        elif self._rows:
            cells = [_cells(row) for row in self._rows]
            self._streams.table(cells, columns=("status", "bytes", "time", "page"))
        self._rows = []

    def _write(self, body: bytes) -> None:
        out = self._streams.binary
        out.write(body)
        out.flush()

    @property
    def code(self) -> int:
        """0 when everything came; else what kept the first from coming, if all had that sort."""
        if not self._problems:
            return OK
        if self._answers == 0 and set(self._problems) <= REFUSALS:
            return REFUSED
        if self._answers == 0 and set(self._problems) <= BLOCKS:
            return BLOCKED
        return ERROR


def _typed(urls: Iterable[str]) -> Iterator[str]:
    for url in urls:
        lines = (line.strip() for line in sys.stdin) if url == "-" else [url]
        yield from filter(None, lines)


@contextmanager
def _explained(session: Session, *, wanted: bool) -> Iterator[None]:
    """While it lasts, everything the fetch room does and waits for is shown with its reason."""
    if not wanted:
        yield
        return
    handler = _Explainer(session)
    log = logging.getLogger("wireroom.fetch")
    level, propagate = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate


class _Explainer(logging.Handler):
    def __init__(self, session: Session) -> None:
        super().__init__(logging.DEBUG)
        self._streams = session.streams

    def emit(self, record: logging.LogRecord) -> None:
        sentence = SENTENCES.get(record.getMessage())
        if sentence is not None:
            self._streams.note(sentence.format_map(record.__dict__))


def _head_text(response: Response) -> bytes:
    lines = [f"HTTP {response.status}", *(f"{name}: {value}" for name, value in response.headers)]
    return ("\n".join(lines) + "\n").encode()


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    page = row.get("file") or row["url"]
    return str(row["status"]), f"{row['bytes']:>9,}", f"{row['seconds']:6.2f} s", page


def _answer_row(response: Response, saved: str) -> dict[str, Any]:
    from wireroom.app.fetch import media_type

    row: dict[str, Any] = {
        "url": response.url,
        "final_url": response.final_url,
        "status": response.status,
        "content_type": media_type(response),
        "bytes": len(response.body),
        "seconds": round(response.elapsed.total_seconds(), 3),
        "strategy": response.strategy,
        "hops": list(response.hops),
        "fetched_at": response.fetched_at,
    }
    return row | {"file": saved} if saved else row


def _problem_row(problem: Problem) -> dict[str, Any]:
    wait = problem.retry_after.total_seconds() if problem.retry_after else None
    return {
        "url": problem.subject_url,
        "problem": problem.kind,
        "message": problem.message,
        "permanent": problem.permanent,
        "retry_after_seconds": wait,
    }


PLUG = Command("fetch", fetch, order=50)
