"""`wireroom archive`: whole archives of pages to tables of articles, on all cores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK, REFUSED
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted, sized
from wireroom.errors import SettingsError
from wireroom.model import Use
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.archive import ArchiveProgress, ArchiveRequest, ArchiveSummary
    from wireroom.app.archive.manifest import HostCost

Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[IN]...",
        help="WARC and WACZ files, folders of them or of saved pages, patterns, addresses "
        "(https://, s3://); - is a WARC on stdin.",
    ),
]
ListOption = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="FILE", help="A list of inputs, one a line; may be .gz."),
]
Base = Annotated[
    str,
    typer.Option(
        "--base", metavar="URL", help="What stands before inputs that are paths on a server."
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")
]
FormatOption = Annotated[
    Literal["parquet", "jsonl"], typer.Option("--format", "-f", help="What is written.")
]
IntoStore = Annotated[
    bool, typer.Option("--into-store", help="Save articles in the database instead of files.")
]
PublisherOption = Annotated[
    list[str] | None,
    typer.Option("--publisher", metavar="DOMAIN", help="Only its pages; may be repeated."),
]
Since = Annotated[str, typer.Option("--since", metavar="TIME", help="Captured from then on.")]
Until = Annotated[str, typer.Option("--until", metavar="TIME", help="Captured up to then.")]
Status = Annotated[
    list[int] | None,
    typer.Option("--status", metavar="CODE", help="Only such answers; default: 200."),
]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="html, feed or json; default: html."),
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option("--language", metavar="CODE", help="Only these, told after 1,000 characters."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, help="Articles of each input at most.")
]
Sample = Annotated[
    float,
    typer.Option(
        "--sample", min=0.0, max=1.0, metavar="SHARE", help="Only such a share of the pages."
    ),
]
KeepDuplicates = Annotated[
    bool,
    typer.Option("--keep-duplicates", help="Keep articles whose address or text was there before."),
]
Unique = Annotated[
    bool,
    typer.Option(
        "--unique",
        help="Of duplicates and near-duplicates in the whole folder, only the earliest capture.",
    ),
]
For = Annotated[
    Use | None, typer.Option("--for", help="The use; what it does not permit is left out.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="The report; default: DIR.report.json."),
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=0, help="Processes that parse; 0: one a core.")
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="{engines}: parsing on this machine, or a task an input on a Ray cluster; else as run.engine says.",
    ),
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster to join; without one, it is started here.",
    ),
]

MAX_LIST = 50_000_000  # bytes of a list: a year of paths has some 2 MB
SHOWN = 5  # rows of each part of a summary


def archive(
    session: Session,
    inputs: Inputs = None,
    output: Output = None,
    listed: ListOption = None,
    base: Base = "",
    form: FormatOption = "parquet",
    into_store: IntoStore = False,
    publisher: PublisherOption = None,
    since: Since = "",
    until: Until = "",
    status: Status = None,
    kind: KindOption = None,
    language: LanguageOption = None,
    limit: LimitOption = None,
    sample: Sample = 1.0,
    keep_duplicates: KeepDuplicates = False,
    unique: Unique = False,
    use: For = None,
    report: ReportOption = None,
    workers: Workers = None,
    engine: EngineName = "",
    address: Address = "",
    json: Json = False,
) -> int:
    """Turn whole archives into tables of articles.

    One file an input, in a folder of its day; a file is there whole or not at all. Stop it at any time and ask for
    the same again: what is done is not done twice, and several processes may share a folder. Each row has the rights
    as the crawl saw them and as the publisher states them today, as far as it was scouted. With --for only what both
    permit, and a report. Exit code 1: an input could not be read; 3: a file is not there, or no article was found; 4:
    rights left nothing.
    """
    from wireroom.app.archive import ArchiveRequest, archive_files
    from wireroom.app.engines import check_address, find_engine

    session = session.given("--engine", "run.engine", engine)
    session = session.given("--address", "run.address", address)
    find_engine(session.load().settings.run.engine)
    check_address(session.load().settings, address)
    request = ArchiveRequest(
        inputs=(*(inputs or ()), *_listed(listed or ())),
        output=output,
        form=form,
        into_store=into_store,
        wanted=_filter(session, publisher, since, until, status, kind, language, sample),
        use=use,
        limit=limit,
        keep_duplicates=keep_duplicates,
        unique=unique,
        base=base,
        report=report,
        workers=workers,
        stdin=sys.stdin.buffer if sys.stdin is not None else None,
    )
    if not request.inputs:
        raise SettingsError(["no input is named"], hint="Name a file: wireroom archive FILE -o DIR")
    opened = session.app() if into_store else session.app_to_read()
    try:
        with opened as app, _progress(session) as progress:
            summary = archive_files(app, request, progress=progress)
    except KeyboardInterrupt:
        session.streams.note("Stopped. What is done is kept; ask for the same again to go on.")
        raise
    if json:
        session.streams.json(summary_data(summary))
    show_summary(session, summary, request)
    return _code(summary)


def _listed(names: list[str] | tuple[str, ...]) -> Iterator[str]:
    """The lines of lists; those of Common Crawl are compressed."""
    import zlib

    from wireroom.app.row_list import RowList, decode_list
    from wireroom.cli.batch import read_list

    for name in names:
        body = read_list(name, max_bytes=MAX_LIST)
        if body.startswith(b"\x1f\x8b"):
            try:
                body = zlib.decompressobj(31).decompress(body, MAX_LIST)
            except zlib.error as exc:
                raise SettingsError(
                    [f"{name} is broken: {exc}"], hint="Name another file."
                ) from exc
        yield from (line for _, line in RowList(name, decode_list(body)).lines())


def _filter(
    session: Session,
    publishers: list[str] | None,
    since: str,
    until: str,
    statuses: list[int] | None,
    kinds: list[str] | None,
    languages: list[str] | None,
    sample: float,
) -> Any:
    from wireroom.app.archive import KINDS, PageFilter
    from wireroom.languages import language_of

    if strange := sorted(set(kinds or ()) - set(KINDS)):
        raise SettingsError(
            [f"--kind {strange[0]}: there is none"], hint=f"One of: {', '.join(KINDS)}."
        )
    codes = {code: language_of(code) for code in languages or ()}
    if unknown := [code for code, found in codes.items() if not found]:
        raise SettingsError(
            [f"--language {unknown[0]}: there is no such language"],
            hint="Write it as ISO 639-1 does, such as en.",
        )
    names = (_domain(name.strip()) for name in publishers or ())
    return PageFilter(
        publishers=tuple(sorted(set(names))),
        since=_moment(session, "--since", since),
        until=_moment(session, "--until", until, is_end=True),
        statuses=tuple(sorted(set(statuses or (200,)))),
        kinds=tuple(kind for kind in KINDS if kind in (kinds or ("html",))),
        languages=tuple(sorted(set(codes.values()))),
        sample=sample,
    )


def _domain(name: str) -> str:
    """A publisher's domain, also where somebody gave an address."""
    from wireroom.urls import is_web_url, publisher_domain

    address = name if "://" in name else f"https://{name}/"
    if not is_web_url(address):
        raise SettingsError(
            [f"--publisher {name}: this is no domain"], hint="Write it as courier.example."
        )
    return publisher_domain(address)


def _moment(session: Session, option: str, text: str, *, is_end: bool = False) -> datetime | None:
    from wireroom.app import utc_now
    from wireroom.dates.typed_moments import read_moment

    if not text:
        return None
    try:
        zone = session.load().settings.display.reader_zone()
        moment = read_moment(text, now=utc_now(), zone=zone)
        return moment.end if is_end else moment.begin
    except ValueError as exc:
        raise SettingsError(
            [f"{option} {text}: {exc}"], hint="See: wireroom archive --help"
        ) from exc


@contextmanager
def _progress(session: Session) -> Iterator[Callable[[ArchiveProgress], None]]:
    """A bar by bytes with rate and time left, on a terminal."""
    with session.streams.byte_progress("Reading") as show:

        def update(progress: ArchiveProgress) -> None:
            done = f"{progress.articles:,} articles of {progress.pages:,} pages"
            where = f"input {progress.inputs + 1:,} of {progress.all_inputs:,}"
            show(progress.done_bytes, progress.all_bytes, f"{where}, {done}")

        yield update


def _code(summary: ArchiveSummary) -> int:
    if summary.failed:
        return ERROR
    if summary.articles or summary.elsewhere:
        return OK
    is_refused = summary.report is not None and summary.report.left_out
    return REFUSED if is_refused else NOTHING_FOUND


def summary_data(summary: ArchiveSummary) -> dict[str, Any]:
    """The summary as plain data."""
    return asdict(summary) | {"rate": _rate(summary)}


def _rate(summary: ArchiveSummary) -> float:
    """Pages a second, of those that were parsed now."""
    return round(summary.pages_now / summary.seconds, 1) if summary.seconds else 0.0


# What came of it, for people on stderr.

_READABLE = "no WARC (.warc, .warc.gz, .warc.zst), no WACZ and no saved page (.html, .htm, .xhtml)."
_BAD = {
    "damaged": "damaged, cannot be decompressed",
    "cut_short": "cut short",
    "no_record": "something else than a record",
    "bad_header": "without a header that can be read",
    "bad_length": "with a length that is not true",
    "too_long": "longer than is read",
}


def show_summary(session: Session, summary: ArchiveSummary, request: ArchiveRequest) -> None:
    """Says what was written, what was left out and why, and what went wrong."""
    note = session.streams.note
    for message in list(summary.failed.values())[:SHOWN]:
        session.streams.error(message)
    if not summary.inputs:
        note(f"Nothing to read in {', '.join(request.inputs[:SHOWN])}: {_READABLE}")
        return
    where = "the database" if request.into_store else str(request.output)
    articles, pages = counted(summary.articles, "article"), counted(summary.pages, "page")
    note(f"{articles} of {pages} from {counted(summary.done, 'input')} in {where}.")
    if summary.done_before:
        note(f"Done before: {counted(summary.done_before, 'input')}.")
    if summary.elsewhere:
        note(f"Being read by another process: {counted(len(summary.elsewhere), 'input')}.")
    if summary.pages_now:
        size = sized(summary.bytes_now)
        note(f"{_rate(summary):,} pages a second ({size} in {summary.seconds:,.1f} s).")
    _show_counts(session, "Pages left out unread", summary.skipped)
    _show_counts(session, "Pages without an article", summary.unread)
    _show_counts(session, "Duplicates left out", summary.duplicates)
    _show_counts(session, "Taken out by the second pass", summary.removed or {})
    if request.unique and summary.removed is None:
        first = "leave out what cannot be read, and " if summary.failed else ""
        note(f"The second pass waits until every input is done: {first}ask for the same again.")
    elif request.unique and not summary.removed:
        note("The second pass had nothing to take out now; what it took out before stays out.")
    _show_troubles(session, summary)
    if summary.report is not None:
        from wireroom.cli.export import show_rights

        show_rights(session.streams, summary.report)
        _show_unscouted(session, summary.unscouted)
    if summary.report_path:
        note(f"Report: {summary.report_path}")


def _show_troubles(session: Session, summary: ArchiveSummary) -> None:
    note = session.streams.note
    for reason, count in list(summary.bad.items())[:SHOWN]:
        note(f"Bad records: {count:,} {_BAD.get(reason, reason)} ({reason}).")
    for page in summary.set_aside[:SHOWN]:
        note(f"Set aside: {page.url or page.warc_file} ({page.cause}: {page.message})")
    if summary.set_aside_count > SHOWN:
        note(f"… and {summary.set_aside_count - SHOWN:,} more; the manifest lists them.")
    if summary.hosts:
        note(f"Slowest hosts: {', '.join(map(_host_cost, summary.hosts[:SHOWN]))}.")


def _host_cost(cost: HostCost) -> str:
    host = cost.host or "pages without an address"
    each = 1000 * cost.seconds / cost.pages
    return f"{host} {each:,.1f} ms a page ({counted(cost.pages, 'page')})"


def _show_unscouted(session: Session, publishers: tuple[str, ...]) -> None:
    """What a publisher says today is unknown until somebody has asked; the folder stays as it was read."""
    if publishers:
        named = " ".join(publishers[:SHOWN])
        more = " …" if len(publishers) > SHOWN else ""
        session.streams.note(
            f"Nobody has asked {counted(len(publishers), 'publisher')} for permission: wireroom scout {named}{more}, "
            "then read again into another folder."
        )


def _show_counts(session: Session, title: str, counts: dict[str, int]) -> None:
    if counts:
        parts = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        session.streams.note(f"{title}: {parts}.")


PLUG = Command("archive", archive, order=44)
