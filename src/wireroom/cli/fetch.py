"""`wireroom fetch URL…`: pages as servers give them, with all manners."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from hashlib import blake2b
from pathlib import Path
from re import sub
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeGuard

import typer

from wireroom.cli.exits import BLOCKED, ERROR, OK, REFUSED
from wireroom.cli.fetch_advice import advised
from wireroom.cli.session import Json, Session
from wireroom.errors import DeliverError, SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import FetchOptions
    from wireroom.model import Problem, Request, Response

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

MAX_SLUG = 60  # characters of a file name that come from the address; the hash makes it unique
REFUSALS = frozenset({"robots", "rights", "private_address"})
SILENT = frozenset({"connect", "tls"})
BLOCKS = frozenset({"blocked_waf", "challenge", "consent_wall", "login", "payment_required"})
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/json": ".json",
    "application/feed+json": ".json",
    "text/plain": ".txt",
}


# What the fetch room logs, in words for a person.
SENTENCES = {
    "waited": "waited {seconds:.1f} s for {url}: {why}",
    "redirected": "{url} leads to {to} (status {status})",
    "robots": "robots.txt of {origin} is {state}: {why}",
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
    to stdout when that is no terminal; otherwise each answer is told in a line. An address without
    a scheme is asked by https, and by http where https is not spoken.
    """
    from asyncio import run

    typed = list(_typed(urls or []))
    if not typed:
        raise SettingsError(["There is no address to fetch."], hint="Try: wireroom fetch URL")
    options = _options(session)
    alone = len(typed) == 1 and output is None
    shown = _Shown(session, json=json, jsonl=jsonl, alone=alone, head=head)
    errand = _Errand(typed, head=head, output=output, warc=warc)
    try:
        with _explained(session, wanted=explain), session.streams.progress("Fetching") as progress:
            run(errand.run(options, shown, progress))
    finally:
        shown.end()
    return shown.code


class _Errand:
    """The addresses of one run, and what is to be done with the answers."""

    def __init__(
        self, typed: list[str], *, head: bool, output: Path | None, warc: Path | None
    ) -> None:
        self.bare = {f"https://{text}": f"http://{text}" for text in typed if "://" not in text}
        self.addresses = [text if "://" in text else f"https://{text}" for text in typed]
        self.head = head
        self.output = output
        self.warc = warc

    async def run(self, options: FetchOptions, shown: _Shown, progress: Any) -> None:
        from wireroom.fetch.client import Fetcher
        from wireroom.fetch.warc import Archive

        if self.output is not None:
            _make_folder(self.output)
        archive = Archive(self.warc) if self.warc else None
        try:
            async with Fetcher(options, archive=archive) as fetcher:
                done = 0
                async with aclosing(self._outcomes(fetcher)) as outcomes:
                    async for outcome in outcomes:
                        shown.add(outcome, self._saved(outcome))
                        done += 1
                        progress(done, len(self.addresses))
        finally:
            if archive is not None:
                archive.close()

    async def _outcomes(self, fetcher: Fetcher) -> AsyncGenerator[Response | Problem, None]:
        """What comes of each address; one without a scheme is asked by http where https fails."""
        from wireroom.fetch.many import fetch_all

        failed: dict[str, Problem] = {}
        async with aclosing(fetch_all(self._requests(self.addresses), fetch=fetcher)) as outcomes:
            async for outcome in outcomes:
                if _is_silent(outcome) and outcome.subject_url in self.bare:
                    failed[self.bare[outcome.subject_url]] = outcome
                else:
                    yield outcome
        async with aclosing(fetch_all(self._requests(failed), fetch=fetcher)) as outcomes:
            async for outcome in outcomes:
                yield failed[outcome.subject_url] if _is_silent(outcome) else outcome

    def _saved(self, outcome: Response | Problem) -> str:
        """The file it was written to; empty where none was wanted."""
        from wireroom.model import Response

        if not isinstance(outcome, Response) or self.output is None or self.head:
            return ""
        return _save(self.output, outcome)

    def _requests(self, addresses: Iterable[str]) -> Iterator[Request]:
        from wireroom.model import Request

        method: Literal["GET", "HEAD"] = "HEAD" if self.head else "GET"
        for url in addresses:
            yield Request(url=url, purpose="read", method=method)


class _Shown:
    """Tells outcomes, and remembers how it all ends."""

    def __init__(
        self, session: Session, *, json: bool, jsonl: bool, alone: bool, head: bool
    ) -> None:
        self._streams = session.streams
        self._json, self._jsonl, self._head = json, jsonl, head
        self._body_wanted = alone and not (json or jsonl or session.streams.is_terminal)
        self._rows: list[dict[str, Any]] = []
        self._problems: list[str] = []
        self._answers = 0

    def add(self, outcome: Response | Problem, saved: str) -> None:
        from wireroom.model import Problem

        if isinstance(outcome, Problem):
            self._problems.append(outcome.kind)
            row = _problem_row(outcome)
        else:
            self._answers += 1
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


def _options(session: Session) -> FetchOptions:
    from wireroom.fetch.fetch_options import options_from

    return options_from(session.load().settings)


def _typed(urls: Iterable[str]) -> Iterator[str]:
    for url in urls:
        lines = (line.strip() for line in sys.stdin) if url == "-" else [url]
        yield from filter(None, lines)


def _is_silent(outcome: Response | Problem) -> TypeGuard[Problem]:
    """Whether nobody answered by this scheme, so that the other one is worth a try."""
    return getattr(outcome, "kind", "") in SILENT


@contextmanager
def _explained(session: Session, *, wanted: bool) -> Iterator[None]:
    """While it lasts, everything the fetch room does and waits for is told with its reason."""
    if not wanted:
        yield
        return
    teller = _Teller(session)
    log = logging.getLogger("wireroom.fetch")
    level, propagate = log.level, log.propagate
    log.addHandler(teller)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(teller)
        log.setLevel(level)
        log.propagate = propagate


class _Teller(logging.Handler):
    def __init__(self, session: Session) -> None:
        super().__init__(logging.DEBUG)
        self._streams = session.streams

    def emit(self, record: logging.LogRecord) -> None:
        sentence = SENTENCES.get(record.getMessage())
        if sentence is not None:
            self._streams.note(sentence.format_map(record.__dict__))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise DeliverError(
            f"{folder} cannot be made: {exc.strerror}.", hint="Name another folder."
        ) from exc


def _save(folder: Path, response: Response) -> str:
    """Writes a body under a name that is a slug with a hash, whatever the address says."""
    kind = _content_type(response)
    slug = sub(r"[^a-z0-9]+", "-", response.url.split("://", 1)[-1].lower()).strip("-")[:MAX_SLUG]
    digest = blake2b(response.url.encode("utf-8", "replace"), digest_size=5).hexdigest()
    suffix = SUFFIXES.get(kind) or (".xml" if kind.endswith("xml") else ".bin")
    path = folder / f"{slug}-{digest}{suffix}"
    try:
        path.write_bytes(response.body)
    except OSError as exc:
        raise DeliverError(
            f"{path} cannot be written: {exc.strerror}.", hint="Name another folder."
        ) from exc
    return str(path)


def _content_type(response: Response) -> str:
    from wireroom.fetch.server_hints import header

    return header(response.headers, "content-type").partition(";")[0].strip().lower()


def _head_text(response: Response) -> bytes:
    lines = [f"HTTP {response.status}", *(f"{name}: {value}" for name, value in response.headers)]
    return ("\n".join(lines) + "\n").encode()


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    page = row.get("file") or row["url"]
    return str(row["status"]), f"{row['bytes']:>9,}", f"{row['seconds']:6.2f} s", page


def _answer_row(response: Response, saved: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "url": response.url,
        "final_url": response.final_url,
        "status": response.status,
        "content_type": _content_type(response),
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
