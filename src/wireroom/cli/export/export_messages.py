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


def handed_data(handed: ExportResult) -> dict[str, Any]:
    """The outcome as plain data."""
    plain = asdict(handed)
    return plain | {"report_path": str(handed.report_path) if handed.report_path else None}


def tell(streams: Streams, handed: ExportResult, output: str, *, since_last: bool = False) -> None:
    """Says what was handed on, what was left out, and what is asked for in return."""
    where = "" if output == "-" else f" into {output}"
    if handed.count:
        streams.note(f"{counted(handed.count, 'article')} handed on{where}.")
    elif not handed.looked_at:
        message = (
            "nothing is new or changed since the last time" if since_last else "no article matches"
        )
        streams.note(f"There is nothing to hand on: {message}.")
    else:
        streams.note(
            f"Nothing was handed on{'' if output == '-' else f', {output} is not written'}."
        )
    if handed.report is not None:
        _tell_rights(streams, handed.report)
    if handed.copies:
        copies = counted(handed.copies, "copy", "copies")
        streams.note(f"{copies} of other articles left out.")
    if handed.removed_count:
        streams.note(f"{counted(handed.removed_count, 'article')} removed since the last export.")
    if handed.report_path is not None:
        streams.note(f"Report: {handed.report_path}")


def _tell_rights(streams: Streams, report: Report) -> None:
    if report.left_out:
        streams.note(f"{counted(report.left_out, 'article')} left out for {report.use}:")
    for reason in report.reasons[:SHOWN]:
        streams.note(f"  {reason.articles:,} {_reason(reason)}")
    if len(report.reasons) > SHOWN:
        streams.note(f"  … and {counted(len(report.reasons) - SHOWN, 'more reason')}")
    for one in report.conditions[:SHOWN]:
        streams.note(f"On condition of {one.condition}: {counted(one.articles, 'article')}.")
    if len(report.conditions) > SHOWN:
        streams.note(f"… and {counted(len(report.conditions) - SHOWN, 'more condition')}")


def _reason(reason: LeftOut) -> str:
    by = f" by {', '.join(reason.families)}" if reason.families else ""
    return f"{reason.word}{by}, {_WHO[reason.refused_by]}"
