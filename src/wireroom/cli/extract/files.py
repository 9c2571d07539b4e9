"""An article as a row of data, and as a file whose name is a slug with a hash, never a path."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unicodedata import normalize

from wireroom.engines.pages import Document, Extracted
from wireroom.errors import DeliverError
from wireroom.model import Article

__all__ = ["article_row", "make_folder", "save"]

HELD_ONLY = frozenset({"raw", "receipt", "cluster_id", "state", "version"})
"""Fields of an article in the store; one that was just read does not have them."""
SLUG_BYTES = (
    120  # of a name that come from the title; file systems take 255, the hash makes it unique
)
SUFFIXES = {"text": ".txt", "md": ".md", "html": ".html", "jsonl": ".jsonl"}


def article_row(document: Document, article: Article) -> dict[str, Any]:
    """The article in plain data, with the name of what it was read from."""
    row: dict[str, Any] = {"input": document.name}
    for field in fields(article):
        if field.name not in HELD_ONLY:
            value = getattr(article, field.name)
            row[field.name] = value.isoformat() if isinstance(value, datetime) else value
    return row


def make_folder(folder: Path) -> None:
    """Makes the folder where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise DeliverError(f"{folder} cannot be made: {exc.strerror}.") from exc


def save(folder: Path, extracted: Extracted, row: dict[str, Any], form: str) -> str:
    """Writes one article in its form, or as JSON; gives the name of the file."""
    article = extracted.article
    path = (
        folder
        / f"{_slug(article.title)}-{_digest(row['input'], article.id)}{SUFFIXES.get(form, '.json')}"
    )
    text = extracted.text
    if not text:
        indent = None if form == "jsonl" else 2
        text = json.dumps(row, ensure_ascii=False, indent=indent, default=str)
    try:
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8", errors="replace")
    except OSError as exc:
        raise DeliverError(f"{path} cannot be written: {exc.strerror}.") from exc
    return str(path)


def _slug(title: str) -> str:
    """Letters and digits of any script, joined by hyphens."""
    words = re.sub(r"[\W_]+", "-", normalize("NFKC", title).lower())
    cut = words.encode("utf-8", "ignore")[:SLUG_BYTES].decode("utf-8", "ignore")
    return cut.strip("-") or "article"


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "replace")
    return blake2b(joined, digest_size=5).hexdigest()
