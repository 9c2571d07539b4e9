"""What became of an article here and elsewhere: its versions, and its copies, each compared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from wireroom.model import Article, ArticleVersion, Original
from wireroom.report.text_diff import DiffParagraph as DiffParagraph
from wireroom.report.text_diff import DiffPart as DiffPart
from wireroom.report.text_diff import TextDiff as TextDiff
from wireroom.report.text_diff import diff_texts

if TYPE_CHECKING:
    from wireroom.app.application import App

MAX_VERSIONS: Final = 20  # the newest that are compared; a live story has more
MAX_COPIES: Final = 20  # that are compared; a text that a hundred papers print needs no more


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """What changed from one version to the next."""

    old_version: int
    new_version: int
    at: datetime
    """When the newer one was read."""
    title: TextDiff
    text: TextDiff


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleVersions:
    """How an article was edited, the last edit first."""

    edits: tuple[VersionDiff, ...] = ()
    earlier: int = 0
    """Edits before these, which were not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One article of a cluster, and what it changed of the canonical one."""

    article: Article
    at: datetime
    """When it came out by its own date, or else when it was read."""
    dated: bool
    """Whether it says itself when it came out."""
    is_first: bool = False
    is_canonical: bool = False
    is_asked: bool = False
    """Whether it is the article that was asked about."""
    diff: TextDiff | None = None
    """From the canonical article to this one; None for that one itself, and where a text is not held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleCopies:
    """An article among its near-duplicates, who was first first."""

    cluster_id: str = ""
    """Empty where it has none."""
    copies: tuple[Copy, ...] = ()
    more: int = 0
    """Members of the cluster that are not shown."""
    former_original: Original | None = None
    """An earlier article of the cluster that was removed or edited since."""


def article_versions(app: App, article: Article) -> ArticleVersions:
    """What changed from each version to the next, the last edit first."""
    held: list[ArticleVersion | Article] = [*app.store.versions(article.id), article]
    pairs = list(pairwise(held))
    edits = [
        VersionDiff(
            old_version=before.version,
            new_version=after.version,
            at=after.fetched_at,
            title=diff_texts(before.title, after.title),
            text=diff_texts(before.text, after.text),
        )
        for before, after in reversed(pairs[-MAX_VERSIONS:])
    ]
    return ArticleVersions(edits=tuple(edits), earlier=len(pairs) - len(edits))


def article_copies(app: App, article: Article) -> ArticleCopies:
    """The near-duplicates of an article: who was first, and what each changed of the canonical one."""
    former = app.store.receipts.original_of([article.id]).get(article.id)
    original = former.original if former is not None else None
    cluster = app.store.clusters_of([article.id]).get(article.id)
    if cluster is None:
        return ArticleCopies(former_original=original)
    known = cluster.canonicals
    canonical = known.get(article.language) or next(iter(known.values()), "")
    first = dict.fromkeys([article.id, canonical])
    ids = [*first, *(member for member in cluster.members if member not in first)]
    held = list(app.store.articles(ids=[each for each in ids if each][:MAX_COPIES]))
    base = next((each for each in held if each.id == canonical), None)
    ordered = sorted(held, key=lambda each: (_moment(each), each.id))
    return ArticleCopies(
        cluster_id=cluster.id,
        copies=tuple(
            Copy(
                article=each,
                at=_moment(each),
                dated=each.published_at is not None,
                is_first=place == 0,
                is_canonical=each.id == canonical,
                is_asked=each.id == article.id,
                diff=_against(base, each),
            )
            for place, each in enumerate(ordered)
        ),
        more=max(0, len(cluster.members) - len(held)),
        former_original=original,
    )


def _moment(article: Article) -> datetime:
    return article.published_at or article.fetched_at


def _against(base: Article | None, other: Article) -> TextDiff | None:
    if base is None or base.id == other.id or not (base.text and other.text):
        return None
    return diff_texts(base.text, other.text)
