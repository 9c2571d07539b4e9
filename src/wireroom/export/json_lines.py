"""Export: one article a line as JSON, with everything that is held of it; `from_line` reads it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from wireroom.export.article_json import to_line
from wireroom.model import Article
from wireroom.ports import Format


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the articles; how many."""
    count = 0
    for article in articles:
        out.write(to_line(article))
        count += 1
    return count


PLUG = Format("jsonl", suffix=".jsonl", write=write, media_type="application/jsonl")
