"""Export: schema.org NewsArticle in JSON-LD, one object a line, safe inside a `<script>` element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from wireroom.export.article_json import to_json
from wireroom.export.article_text import rights_line
from wireroom.model import Article, Paywall
from wireroom.ports import Format

_IS_FREE: dict[Paywall, bool] = {
    "free": True,
    "metered": False,
    "locked": False,
    "registration": False,
}


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the articles; how many."""
    count = 0
    for article in articles:
        # A text must not end the element that somebody puts the line into.
        out.write(to_json(news_article(article)).replace(b"<", b"\\u003c") + b"\n")
        count += 1
    return count


def news_article(article: Article) -> dict[str, Any]:
    """The article in the words of schema.org; what is not known is left out."""
    fields: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "identifier": article.id,
        "headline": article.title,
        "url": article.url,
        "mainEntityOfPage": article.canonical_url or article.url,
        "author": [{"@type": "Person", "name": name} for name in article.authors],
        "publisher": {"@type": "Organization", "name": article.publisher},
        "datePublished": _time(article.published_at),
        "dateModified": _time(article.modified_at),
        "inLanguage": article.language_tag or article.language,
        "keywords": list(article.tags),
        "description": article.description,
        "image": article.image_url,
        "articleBody": article.text,
        "wordCount": article.word_count,
        "isAccessibleForFree": _IS_FREE.get(article.paywall),
        **_rights(article),
    }
    return {name: value for name, value in fields.items() if value not in ("", None, [])}


def _rights(article: Article) -> dict[str, Any]:
    receipt = article.receipt
    usage: dict[str, Any] = {"@type": "CreativeWork", "text": rights_line(receipt)}
    if receipt is None:
        return {"usageInfo": usage}
    usage["dateModified"] = _time(receipt.checked_at)
    return {"usageInfo": usage, "license": receipt.licence_url}


def _time(at: Any) -> str | None:
    return None if at is None else str(at.isoformat())


PLUG = Format("schemaorg", suffix=".jsonl", write=write, media_type="application/jsonl")
