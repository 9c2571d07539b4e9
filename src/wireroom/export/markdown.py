"""Export: a folder with one Markdown file an article, its fields in YAML front matter.

A file is there whole or not at all. An article that is written again under another title replaces the
file it had. Names are made of date, slug and id; nothing in an article is ever a path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wireroom.export.article_text import condition_words, dated_name, to_markdown
from wireroom.export.atomic_files import whole_file
from wireroom.model import USES, Article
from wireroom.parse.plain_text import clean
from wireroom.ports import Format
from wireroom.rights.policy import word_about

SUFFIX = ".md"
# YAML breaks lines at these, and refuses a byte order mark in the middle.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u2028\u2029\ufeff"}
_OURS = re.compile(r"\d{1,4}-\d{2}-\d{2}-.+-([0-9a-z]{8,64})\.md")


def write_folder(articles: Iterable[Article], folder: Path) -> int:
    """Writes a file for each article; how many."""
    held = dict(_held(folder))
    count = 0
    for article in articles:
        name = f"{dated_name(article)}{SUFFIX}"
        with whole_file(folder / name, sync=False) as out:
            out.write(_page(article).encode("utf-8", "replace"))
        own = _id_in(name)
        before = held.get(own, name)
        if before != name:
            (folder / before).unlink(missing_ok=True)
            held[own] = name
        count += 1
    return count


def _held(folder: Path) -> Iterator[tuple[str, str]]:
    """Files of ours that are there already, by the ids in their names."""
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name):
            yield _id_in(path.name), path.name


def _id_in(name: str) -> str:
    return name.removesuffix(SUFFIX).rpartition("-")[2]


def _page(article: Article) -> str:
    """Authors and date stand in the front matter, and only there."""
    return f"---\n{front_matter(article)}---\n\n{clean(to_markdown(article, byline=False))}\n"


def front_matter(article: Article) -> str:
    """The fields of an article in YAML, one a line; empty ones are left out."""
    receipt = article.receipt
    fields: dict[str, Any] = {
        "title": article.title,
        "id": article.id,
        "publisher": article.publisher,
        "url": article.url,
        "canonical_url": article.canonical_url,
        "authors": article.authors,
        "date": article.published_at,
        "modified": article.modified_at,
        "fetched": article.fetched_at,
        "language": article.language_tag or article.language,
        "tags": article.tags,
        "description": article.description,
        "image": article.image_url,
        "words": article.word_count,
        "quality": article.quality,
        "paywall": article.paywall,
        "state": article.state,
        "version": article.version,
        "cluster": article.cluster_id,
        **{f"rights_{use.replace('-', '_')}": word_about(receipt, use) for use in USES},
        "conditions": condition_words(receipt),
        "licence": receipt.licence_url if receipt is not None else "",
        "rights_checked": receipt.checked_at if receipt is not None else None,
    }
    lines = (
        f"{name}: {_yaml(value)}\n" for name, value in fields.items() if value not in ("", None, ())
    )
    return "".join(lines)


def _yaml(value: Any) -> str:
    """A value in YAML; a text is always quoted, so that none is taken for anything else."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    if isinstance(value, str):
        return json.dumps(clean(value), ensure_ascii=False).translate(_ESCAPED)
    return json.dumps(value)


PLUG = Format("md", suffix=SUFFIX, write_folder=write_folder, media_type="text/markdown")
