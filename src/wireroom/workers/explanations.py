"""Why an article is as it is, in plain data: where each field came from, which blocks went, and why.

Made in the worker, where the reading is: what comes back from there is data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wireroom.dates import Moment
from wireroom.model import Article, Claim

if TYPE_CHECKING:
    from wireroom.parse.article import ArticleReading

FIELDS = (
    *("title", "authors", "published", "modified", "language", "language_tag", "tags", "section"),
    *("description", "image_url", "canonical_url", "licence_url", "publisher", "paywall"),
)


def explanation(article: Article, reading: ArticleReading | None) -> dict[str, Any]:
    """Why the article is as it is; the item of a feed has no reading."""
    if reading is None:
        confidence = article.extra.get("confidence", {})
        rows = [
            {"field": name, "value": _plain(getattr(article, name, "")), "source": source}
            | {"confidence": confidence.get(name), "claims": []}
            for name, source in article.sources.items()
        ]
        return {"fields": rows, "quality_reasons": list(article.extra.get("quality", ()))}
    return {
        "kind": {"name": reading.kind.name, "why": reading.kind.why},
        "encoding": {"name": reading.encoding.name, "source": reading.encoding.source},
        "judged": reading.judged,
        "fields": [_field(name, reading) for name in FIELDS],
        "quality_reasons": list(reading.quality_reasons),
        "notes": list(reading.notes),
        "blocks": [
            {
                "kept": block.kept,
                "probability": round(block.probability, 3),
                "reason": block.reason,
                "kind": block.kind,
                "path": block.path,
                "text": block.text,
            }
            for block in reading.body.blocks
        ],
    }


def _field(name: str, reading: ArticleReading) -> dict[str, Any]:
    field = getattr(reading.metadata, name)
    return {
        "field": name,
        "value": _plain(field.value),
        "source": field.source,
        "confidence": round(field.confidence, 3),
        "claims": [_claim(claim) for claim in field.claims],
        "notes": list(field.notes),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    confidence = round(claim.confidence, 3)
    return {"value": _plain(claim.value), "source": claim.source, "confidence": confidence}


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, Moment):
        return value.at.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else str(value)
