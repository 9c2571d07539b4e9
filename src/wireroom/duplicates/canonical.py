"""Which article of a cluster is canonical, in each language, and what made it so.

Pure, and a total order: the same articles give the same choice in whatever order they come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2
from types import MappingProxyType
from typing import Final, Literal

from wireroom.model import Article, FeedRole

Criterion = Literal[
    "the only one",
    "held",  # the others were withdrawn by their publishers
    "role",  # the operator's own word on the feeds
    "reliability",
    "completeness",
    "length",
    "quality",
    "time",
    "id",  # nothing tells them apart; somebody has to go first
]
_ORDER: tuple[Criterion, ...] = (
    "held", "role", "reliability", "completeness", "length", "quality", "time", "id"
)  # fmt: skip

_ROLES: tuple[FeedRole, ...] = ("primary", "secondary", "fallback")

# What differs by less than a step is the same: a hundredth of reliability must not outweigh all the rest.
RELIABILITY_STEPS: Final = 10  # of the way from 0 to 1
QUALITY_STEPS: Final = 10
LENGTH_STEPS: Final = (
    4  # of a doubling, a fifth each: a note on its origin makes a reprint no fuller
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalChoice:
    """The canonical article of a cluster in a language, and by what it beat the next best."""

    language: str
    article_id: str
    because: Criterion
    over: str = ""
    """The next best; empty when there is no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far the feed of an article is trusted: by what the operator says of it, and by how it has done."""

    role: FeedRole = "primary"
    reliability: float = 1.0


_UNKNOWN: Final = Trust()


def choose(articles: Iterable[Article], trusts: Mapping[str, Trust]) -> tuple[CanonicalChoice, ...]:
    """One choice per language, by language; `trusts` are those in the articles' feeds, by article.

    Articles of unknown language count as of the language most others are in.
    """
    members = sorted(articles, key=lambda article: article.id)
    known = Counter(member.language for member in members if member.language)
    common = min(known, key=lambda name: (-known[name], name)) if known else ""
    by_language: dict[str, list[Article]] = {}
    for member in members:
        by_language.setdefault(member.language or common, []).append(member)
    return tuple(_best(language, by_language[language], trusts) for language in sorted(by_language))


def _best(language: str, rivals: list[Article], trusts: Mapping[str, Trust]) -> CanonicalChoice:
    ranked = sorted((_rank(rival, trusts.get(rival.id, _UNKNOWN)), rival.id) for rival in rivals)
    first = ranked[0]
    if len(ranked) == 1:
        return CanonicalChoice(language=language, article_id=first[1], because="the only one")
    second = ranked[1]
    differing = (place for place, value in enumerate(first[0]) if value != second[0][place])
    because = _ORDER[next(differing)]
    return CanonicalChoice(language=language, article_id=first[1], because=because, over=second[1])


def _rank(article: Article, trust: Trust) -> tuple[float | str, ...]:
    """Smaller is better, mark by mark."""
    return (
        float(article.state != "held"),
        float(_ROLES.index(trust.role)),
        float(-round(trust.reliability * RELIABILITY_STEPS)),
        -completeness(article),
        float(-round(log2(1 + article.word_count) * LENGTH_STEPS)),
        float(-round(article.quality * QUALITY_STEPS)),
        (article.published_at or article.fetched_at).timestamp(),
        article.id,
    )


def earliest(articles: Iterable[Article]) -> Article | None:
    """The original of a cluster: the article that was there first, by its own date or else by when it was read.

    The canonical one is the best to read, and may well be a reprint.
    """
    return min(
        articles,
        key=lambda article: (article.published_at or article.fetched_at, article.id),
        default=None,
    )


# How much an article is worth having: one number out of five things, none of which can make it worse.
#
# Pure. `Article.quality` is how well a page was read, known when it was read. This one also counts how much
# there is to read, what is known about it, and how many others thought it worth printing.

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
