"""`wireroom export`: articles into a file, a folder or a pipe, as far as a use permits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from wireroom.cli.article_list import ArrivedSince, QueryOption, Since, Until, query_of
from wireroom.cli.exits import NOTHING_FOUND, OK, REFUSED
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.display_text import counted, enumerated
from wireroom.errors import DeliverError, SettingsError
from wireroom.model import Use
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.export import ExportResult
    from wireroom.export.selection import LeftOut, Report


Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE|DIR|-", help="Where to; - is stdout.")
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="{formats}; default: by the name of the file.",
    ),
]
For = Annotated[
    Use | None, typer.Option("--for", help="The use; what it does not permit is left out.")
]
CursorOption = Annotated[
    Path | None,
    typer.Option(
        "--cursor", metavar="FILE", help="Only what is new or changed since the last run."
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, help="How many at most; default: all.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="The report; default: FILE.report.json."),
]
Fresh = Annotated[
    str,
    typer.Option(
        "--fresh",
        metavar="DURATION",
        help="With --for: scout again the publishers whose rights are older, such as 1h.",
    ),
]
Unique = Annotated[
    bool, typer.Option("--unique", help="Of near-duplicates, only the canonical article.")
]
Which = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID|URL]...", help="Articles by id or address; none: all that match."),
]
ColumnsOption = Annotated[
    str,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Of a table: these, such as title,published_at,feed_name; default: all.",
    ),
]
ByteOrderMark = Annotated[
    bool,
    typer.Option("--bom", help="Of a table: begin with a byte order mark, for spreadsheets."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace output and report if they are there.")
]


def export(
    session: Session,
    output: Output,
    which: Which = None,
    form: FormatOption = "",
    use: For = None,
    query: QueryOption = "",
    since: Since = "",
    until: Until = "",
    arrived_since: ArrivedSince = "",
    cursor: CursorOption = None,
    limit: LimitOption = None,
    unique: Unique = False,
    report: ReportOption = None,
    columns: ColumnsOption = "",
    byte_order_mark: ByteOrderMark = False,
    force: Force = False,
    fresh: Fresh = "",
    json: Json = False,
) -> int:
    """Export articles.

    With --for only what both the receipt of an article and its publisher today permit for that use, with
    a report of what was left out and why. With --cursor FILE the next run goes on where this one ended; for a use it
    also names what earlier runs exported and may not be used any more, with the reason.
    The output is there whole or not at all. Exit code 3: nothing matches; 4: rights left nothing, and only the
    report is written.
    """
    if json and output == "-":
        raise SettingsError(
            ["--json: stdout has the articles already"],
            hint="Name a file for them: -o FILE",
        )
    if fresh and use is None:
        raise SettingsError(["--fresh: no use is named"], hint="Name it: --for USE")
    if not session.has_database():
        session.show_nothing_held()
        return NOTHING_FOUND
    if report is not None:
        _spare_database(session, report)
    matching = query_of(session, [query], since=since, until=until, arrived_since=arrived_since)
    unasked = _scout_first(session, matching, which or (), fresh) if fresh else {}
    progress_bar = session.streams.progress("Exporting")
    with session.app() as app, progress_bar as progress:
        result = app.export(
            _place(session, output, form),
            form=form,
            use=use,
            query=matching,
            cursor=cursor,
            limit=limit,
            unique=unique,
            report=report,
            replace=force,
            articles=which or (),
            columns=[name.strip() for name in columns.split(",") if name.strip()],
            byte_order_mark=byte_order_mark,
            policy=session.load().settings.rights.policy(),
            progress=progress,
            unasked=unasked,
        )
    if json:
        session.streams.json(result_data(result))
    show_result(session.streams, result, output, since_last=cursor is not None and cursor.exists())
    return _code(result)


def _scout_first(session: Session, query: str, which: Sequence[str], fresh: str) -> dict[str, str]:
    """Asks the hosts of the articles that match what they permit now, where that is not known of late.

    Those that could not be asked come back, with the reason.
    """
    from wireroom.app.export import named_ids
    from wireroom.app.page_rights import rights_hosts, scout_stale
    from wireroom.cli.batch import read_span, show_stale_scouts

    fresh_for = read_span("--fresh", fresh)
    with session.app() as app:
        hosts = rights_hosts(app, query, ids=named_ids(app, which))
        scouts = scout_stale(app, hosts, fresh_for=fresh_for)
        return show_stale_scouts(session.streams, scouts)


def _place(session: Session, output: str, form: str) -> str | BinaryIO:
    """A path, or stdout; bytes that nobody can read are kept from a terminal."""
    from wireroom.app.export_output import find_format

    if output != "-":
        _spare_database(session, Path(output))
        return output
    stdout = session.streams.binary
    if session.streams.is_terminal and not find_format(form, stdout).is_text:
        raise SettingsError(
            [f"{form} is not for reading"], hint="Name a file: -o FILE, or pipe it somewhere."
        )
    return stdout


def _spare_database(session: Session, output: Path) -> None:
    """Refuses to write over the database, whatever --force says."""
    from wireroom.export.atomic_files import write_errors

    database = session.database_file()
    with write_errors(output):
        if database is not None and output.exists() and output.samefile(database):
            raise DeliverError(f"{output} is the database itself.", hint="Name another file.")


def _code(result: ExportResult) -> int:
    if result.count or result.removals_count:
        return OK
    return REFUSED if result.looked_at else NOTHING_FOUND


PLUG = Command("export", export, order=43)


# What came of an export, for people on stderr and as data.

SHOWN = 5  # reasons and conditions that a summary names; the report has them all

_WHO = {
    "receipt": "when it was fetched",
    "publisher": "by what its publisher says now",
    "original": "by the rights of its original",
}


def result_data(result: ExportResult) -> dict[str, Any]:
    """The outcome as plain data."""
    plain = asdict(result)
    plain["copies"] = plain.pop("near_duplicates")  # the name that scripts know, as in the report
    return plain | {"report_path": str(result.report_path) if result.report_path else None}


def show_result(
    streams: Streams, result: ExportResult, output: str, *, since_last: bool = False
) -> None:
    """Says what was exported, what was left out, and what is asked for in return."""
    folder = "the folder " if result.is_folder else ""
    where = "" if output == "-" else f" into {folder}{output}"
    if result.count:
        streams.note(f"{counted(result.count, 'article')} exported{where}.")
    elif result.removals_count and not result.looked_at:
        streams.note("Nothing is new or changed since the last time.")
    elif not result.looked_at:
        message = (
            "nothing is new or changed since the last time" if since_last else "no article matches"
        )
        streams.note(f"Nothing to export: {message}.")
    else:
        unwritten = output != "-" and not result.removals_count
        streams.note(f"Nothing was exported{f', {output} is not written' if unwritten else ''}.")
    if result.report is not None:
        show_rights(streams, result.report)
    if result.refused and result.count:
        streams.note(_refused(result))
    if result.near_duplicates:
        streams.note(f"{counted(result.near_duplicates, 'near-duplicate')} left out.")
    if result.stand_ins:
        places = counted(result.stand_ins, "canonical article")
        streams.note(f"In place of {places} that may not be used, a near-duplicate was taken.")
    if result.removed_count:
        streams.note(f"{counted(result.removed_count, 'article')} removed since the last export.")
    if result.removals_count:
        _show_removals(streams, result)
    if result.report_path is not None:
        streams.note(f"Report: {result.report_path}")


def _refused(result: ExportResult) -> str:
    """`48 of 61 articles are refused or sold for ai-train and archive, 30 for ai-index (--for …)`."""
    by_count: dict[int, list[str]] = {}
    for use, count in result.refused.items():
        by_count.setdefault(count, []).append(use)
    (count, uses), *others = by_count.items()
    more = "".join(f", {number:,} for {enumerated(names)}" for number, names in others)
    of_all = f"{count:,} of {counted(result.count, 'article')}"
    are = "is" if count == 1 else "are"
    return (
        f"{of_all} {are} refused or sold for {enumerated(uses)}{more} (--for USE leaves them out)."
    )


def _show_removals(streams: Streams, result: ExportResult) -> None:
    count = counted(result.removals_count, "article")
    streams.note(f"To be removed where earlier exports went: {count}")
    for removal in result.removals[:SHOWN]:
        streams.note(f"  {removal.id}  {removal.reason}")
    if result.removals_count > SHOWN:
        streams.note(f"  … and {result.removals_count - SHOWN:,} more")


def show_rights(streams: Streams, report: Report) -> None:
    """Says what a use left out, and on which conditions the rest may be used."""
    if report.left_out:
        streams.note(f"{counted(report.left_out, 'article')} left out for {report.use}:")
    for reason in report.reasons[:SHOWN]:
        streams.note(f"  {reason.articles:,} {_reason(reason)}")
    if len(report.reasons) > SHOWN:
        streams.note(f"  … and {counted(len(report.reasons) - SHOWN, 'more reason')}")
    for asked in report.conditions[:SHOWN]:
        streams.note(f"Condition of {counted(asked.articles, 'article')}: {asked.condition}")
    if len(report.conditions) > SHOWN:
        streams.note(f"… and {counted(len(report.conditions) - SHOWN, 'more condition')}")


def _reason(reason: LeftOut) -> str:
    from wireroom.signals import label_of

    by = f" by {', '.join(map(label_of, reason.families))}" if reason.families else ""
    return f"{reason.word}{by}, {_WHO[reason.refused_by]}"
