"""Whole archives to tables: WARC, WACZ and folders of saved pages, one output file an input.

`archive_files` is the use case. Inputs are found by `archive_inputs`, opened by `archive_sources`, taken by whoever
comes first through the `manifest`, and read by `read_input`: one input gives one output and one outcome. That is
the unit that another engine can spread.
"""

from __future__ import annotations

from wireroom.app.archive.archive_files import (
    ArchiveProgress,
    ArchiveRequest,
    ArchiveSummary,
    archive_files,
)
from wireroom.app.archive.page_filter import KINDS, PageFilter

__all__ = [
    "KINDS",
    "ArchiveProgress",
    "ArchiveRequest",
    "ArchiveSummary",
    "PageFilter",
    "archive_files",
]
