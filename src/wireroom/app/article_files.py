"""An article as a row of data, and as a file whose name is a slug with a hash, never a path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wireroom.app.export import write_articles
from wireroom.errors import DeliverError
from wireroom.export.article_json import to_plain
from wireroom.export.atomic_files import whole_file
from wireroom.export.slugs import digest, slug
from wireroom.model import Article
from wireroom.ports import Format
from wireroom.workers.document_jobs import Document, Extracted

HELD_ONLY = frozenset({"receipt", "cluster_id", "state", "version"})
"""Fields of an article in the store; one that was just read does not have them."""
SUFFIXES = {"text": ".txt", "md": ".md", "html": ".html", "jsonl": ".jsonl"}


def article_row(document: Document, article: Article) -> dict[str, Any]:
    """The article in plain data, with the name of what it was read from."""
    plain = to_plain(article)
    return {"input": document.name} | {
        name: value for name, value in plain.items() if name not in HELD_ONLY
    }


def make_folder(folder: Path) -> None:
    """Makes the folder where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise DeliverError(
            f"{folder} cannot be made: {exc.strerror}.", hint="Name another folder."
        ) from exc


def export_article(folder: Path, article: Article, document: Document, plug: Format) -> str:
    """Writes one article in a format of the registry; gives the name of the file."""
    path = folder / f"{_name(document.name, article)}{plug.suffix}"
    write_articles(plug, [article], path)
    return str(path)


def _name(input_name: str, article: Article) -> str:
    return f"{slug(article.title)}-{digest(input_name, article.id)}"


def save_article(folder: Path, extracted: Extracted, row: dict[str, Any], form: str) -> str:
    """Writes one article in its form, or as JSON; gives the name of the file."""
    article = extracted.article
    path = folder / f"{_name(row['input'], article)}{SUFFIXES.get(form, '.json')}"
    text = extracted.text
    if not text:
        indent = None if form == "jsonl" else 2
        text = json.dumps(row, ensure_ascii=False, indent=indent, default=str)
    with whole_file(path, sync=False) as out:
        out.write((text.rstrip("\n") + "\n").encode("utf-8", "replace"))
    return str(path)
