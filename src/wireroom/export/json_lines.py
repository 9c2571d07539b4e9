"""Export: one article a line as JSON, with everything that is held of it; `from_line` reads it back.

An article of an earlier output that may not be used any more is a line with the one key `removed`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from wireroom.export.article_json import removal_line, to_line
from wireroom.model import Article, Removal
from wireroom.ports import Format


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the articles; how many."""
    return write_removals(articles, (), out)


def write_removals(articles: Iterable[Article], removals: Iterable[Removal], out: BinaryIO) -> int:
    """Writes the articles and then a line for each that has to go; how many articles."""
    count = 0
    for article in articles:
        out.write(to_line(article))
        count += 1
    out.writelines(removal_line(removal) for removal in removals)
    return count


PLUG = Format(
    "jsonl",
    suffix=".jsonl",
    write=write,
    write_removals=write_removals,
    media_type="application/jsonl",
)
