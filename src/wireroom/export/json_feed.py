"""Export: a JSON Feed 1.1; every item says in `_wireroom` what may be done with it.

Items are written as they come: the feed needs no date before them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, BinaryIO

from wireroom.export.article_json import to_json
from wireroom.export.article_text import rights_line
from wireroom.model import Article
from wireroom.ports import Format
from wireroom.urls import is_web_url

_HEAD = b'{"version":"https://jsonfeed.org/version/1.1","title":"Articles","items":['


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the feed; how many items it has."""
    count = 0
    out.write(_HEAD)
    for article in articles:
        out.write(b"," if count else b"")
        out.write(to_json(feed_item(article)))
        count += 1
    out.write(b"]}\n")
    return count


def feed_item(article: Article) -> dict[str, Any]:
    """The article in the words of JSON Feed; what is not known is left out."""
    fields: dict[str, Any] = {
        "id": f"urn:wireroom:article:{article.id}",
        "url": article.url if is_web_url(article.url) else "",
        "title": article.title,
        "content_text": article.text or article.description or article.title,
        "summary": article.description,
        "image": article.image_url if is_web_url(article.image_url) else "",
        "date_published": _time(article.published_at),
        "date_modified": _time(article.modified_at),
        "authors": [{"name": name} for name in article.authors],
        "tags": list(article.tags),
        "language": article.language_tag or article.language,
    }
    known = {name: value for name, value in fields.items() if value not in ("", None, [])}
    known["_wireroom"] = {"publisher": article.publisher, "rights": rights_line(article.receipt)}
    return known


def _time(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at is not None else None


PLUG = Format("jsonfeed", suffix=".json", write=write, media_type="application/feed+json")
