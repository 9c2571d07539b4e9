"""How much an article is worth having: one number out of five things, none of which can make it worse.

Pure. `Article.quality` is how well a page was read, known when it was read. This one also counts how much
there is to read, what is known about it, and how many others thought it worth printing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from wireroom.model import Article

WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {"length": 0.3, "metadata": 0.25, "reading": 0.3, "language": 0.1, "copies": 0.05}
)
HALF_LENGTH: Final = 150  # words with which half of what length can give is given: a short report
_FIELDS = ("title", "authors", "published_at", "description", "image_url", "tags", "language")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentQuality:
    """The number, 0 to 1, and what each part of it is."""

    value: float
    parts: Mapping[str, float]


def content_quality(
    article: Article, *, cluster_size: int = 1, language_confidence: float | None = None
) -> ContentQuality:
    """The worth of an article that stands in a cluster of so many articles, itself counted.

    Without a confidence a known language counts in full, an unknown one not at all.
    """
    if language_confidence is None:
        language_confidence = float(bool(article.language))
    parts = {
        "length": article.word_count / (article.word_count + HALF_LENGTH),
        "metadata": completeness(article),
        "reading": _share(article.quality),
        "language": _share(language_confidence),
        "copies": 1 - 1 / max(cluster_size, 1),
    }
    value = sum(WEIGHTS[name] * part for name, part in parts.items())
    return ContentQuality(value=round(_share(value), 3), parts=MappingProxyType(parts))


def completeness(article: Article) -> float:
    """The share of the fields readers ask for that are filled."""
    return sum(bool(getattr(article, field)) for field in _FIELDS) / len(_FIELDS)


def _share(value: float) -> float:
    return max(0.0, min(value, 1.0))
