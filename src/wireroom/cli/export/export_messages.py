"""What came of an export, for people on stderr and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wireroom.app.counting import counted
from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app.export import ExportResult
    from wireroom.export.selection import LeftOut, Report

SHOWN = 5  # reasons and conditions that a summary names; the report has them all

_WHO = {"receipt": "when it was fetched", "publisher": "by what its publisher says now"}


def result_data(result: ExportResult) -> dict[str, Any]:
    """The outcome as plain data."""
    plain = asdict(result)
    return plain | {"report_path": str(result.report_path) if result.report_path else None}


def tell(streams: Streams, result: ExportResult, output: str, *, since_last: bool = False) -> None:
    """Says what was exported, what was left out, and what is asked for in return."""
    where = "" if output == "-" else f" into {output}"
    if result.count:
        streams.note(f"{counted(result.count, 'article')} exported{where}.")
    elif not result.looked_at:
        message = (
            "nothing is new or changed since the last time" if since_last else "no article matches"
        )
        streams.note(f"Nothing to export: {message}.")
    else:
        streams.note(
            f"Nothing was exported{'' if output == '-' else f', {output} is not written'}."
        )
    if result.report is not None:
        _tell_rights(streams, result.report)
    if result.copies:
        copies = counted(result.copies, "copy", "copies")
        streams.note(f"{copies} of other articles left out.")
    if result.removed_count:
        streams.note(f"{counted(result.removed_count, 'article')} removed since the last export.")
    if result.report_path is not None:
        streams.note(f"Report: {result.report_path}")


def _tell_rights(streams: Streams, report: Report) -> None:
    if report.left_out:
        streams.note(f"{counted(report.left_out, 'article')} left out for {report.use}:")
    for reason in report.reasons[:SHOWN]:
        streams.note(f"  {reason.articles:,} {_reason(reason)}")
    if len(report.reasons) > SHOWN:
        streams.note(f"  … and {counted(len(report.reasons) - SHOWN, 'more reason')}")
    for asked in report.conditions[:SHOWN]:
        streams.note(f"On condition of {asked.condition}: {counted(asked.articles, 'article')}.")
    if len(report.conditions) > SHOWN:
        streams.note(f"… and {counted(len(report.conditions) - SHOWN, 'more condition')}")


def _reason(reason: LeftOut) -> str:
    by = f" by {', '.join(reason.families)}" if reason.families else ""
    return f"{reason.word}{by}, {_WHO[reason.refused_by]}"
