"""WARC: a stream of bytes to records, whatever it is compressed with and however broken it is.

`WarcReader` gives records and what is no record, each with its place; `read_http` parts the answer that a record
holds. Pure but for the stream, which is the caller's. Our own: every limit is kept while bytes are decompressed, a
damaged record costs itself alone, and no foreign code parses strangers' bytes in the process that must not die.
"""

from __future__ import annotations

from wireroom.parse.warc.http_answer import HttpAnswer, read_http
from wireroom.parse.warc.record_reader import BadReason, BadRecord, Record, RecordHead, WarcReader

__all__ = [
    "BadReason",
    "BadRecord",
    "HttpAnswer",
    "Record",
    "RecordHead",
    "WarcReader",
    "read_http",
]
