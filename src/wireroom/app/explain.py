"""What an article that is held rests on: the source of each field, its worth, its near-duplicates, its edits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from wireroom.app.cluster_round import cluster_inputs
from wireroom.app.reprints import OriginalFinder
from wireroom.duplicates import ClusterOptions, choose, content_quality, explain, sign
from wireroom.duplicates.canonical import CanonicalChoice
from wireroom.errors import SettingsError, Wording
from wireroom.export.article_text import to_markdown, to_text
from wireroom.model import Article, ArticleVersion
from wireroom.parse.plain_text import clean
from wireroom.urls import article_id, publisher_domain

if TYPE_CHECKING:
    from wireroom.app.application import App


MAX_NEAR_DUPLICATES = 20  # that are compared; a text that a hundred papers print needs no more

CHOSEN_BECAUSE: Final[Mapping[str, str]] = {
    "held": "the others were withdrawn",
    "role": "its feed has the better role",
    "reliability": "its feed is more reliable",
    "completeness": "more is known of it",
    "length": "it is longer",
    "quality": "it was read with a higher quality",
    "time": "it is the earliest",
    "id": "nothing tells them apart and its id is the first",
    "the only one": "no other is in its language",
}
"""How it is said what the choice of the canonical article was decided by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSource:
    """One field, what it holds, and where that came from."""

    field: str
    value: object
    source: str
    confidence: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicate:
    """Another article of the cluster, and how alike the two are."""

    article: Article
    likeness: float | None
    """None where one of the texts is gone."""
    shared: str
    """What both say, or why that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterExplanation:
    """The cluster an article stands in."""

    id: str
    made_at: datetime
    members: int
    canonical: str
    """The id of the article that is chosen for the cluster."""
    because: str
    """By what it beats the next best; empty when it would not be chosen now."""
    rival: str = ""
    """The id of the article that would be chosen now, where that is another."""
    rival_because: str = ""
    """By what that one beats the next best."""
    near_duplicates: tuple[NearDuplicate, ...]

    @property
    def why(self) -> str:
        """`because` in words; empty when it would not be chosen now."""
        return CHOSEN_BECAUSE.get(self.because, "")

    @property
    def rival_why(self) -> str:
        """`rival_because` in words."""
        return CHOSEN_BECAUSE.get(self.rival_because, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleExplanation:
    """What one article rests on."""

    article: Article
    fields: tuple[FieldSource, ...]
    quality_reasons: tuple[str, ...]
    worth: float
    """How much it is worth having, 0 to 1."""
    worth_parts: Mapping[str, float]
    cluster: ClusterExplanation | None
    versions: tuple[ArticleVersion, ...]
    """How it read before, oldest first."""


def explain_article(app: App, article: Article, *, compare: bool = True) -> ArticleExplanation:
    """Everything that is known of why the article is as it is.

    Comparing it with each near-duplicate takes longest; with `compare` off none is named.
    """
    cluster = _cluster(app, article, compare=compare)
    sure = _confidence(article).get("language")
    worth = content_quality(
        article,
        cluster_size=cluster.members if cluster is not None else 1,
        language_confidence=sure if isinstance(sure, int | float) else None,
    )
    return ArticleExplanation(
        article=article,
        fields=tuple(_fields(article)),
        quality_reasons=tuple(article.extra.get("quality", ())),
        worth=worth.value,
        worth_parts={name: round(part, 3) for name, part in worth.parts.items()},
        cluster=cluster,
        versions=tuple(app.store.versions(article.id)),
    )


def _confidence(article: Article) -> Mapping[str, object]:
    confidence = article.extra.get("confidence", {})
    return confidence if isinstance(confidence, Mapping) else {}


def _fields(article: Article) -> Iterator[FieldSource]:
    for name, source in article.sources.items():
        value = getattr(article, name, article.extra.get(name))  # a section, a licence: no field
        shown = value.isoformat() if isinstance(value, datetime) else value
        sure = _confidence(article).get(name)
        yield FieldSource(field=name, value=shown, source=source, confidence=sure)


def _cluster(app: App, article: Article, *, compare: bool) -> ClusterExplanation | None:
    cluster = app.store.clusters_of([article.id]).get(article.id)
    if cluster is None:
        return None
    others = [member for member in cluster.members if member != article.id] if compare else []
    known = cluster.canonicals
    language = article.language if article.language in known else next(iter(known), "")
    canonical = known.get(language, "")
    choice = _choice_now(app, article, canonical, language)
    is_same = choice is not None and choice.article_id == canonical
    return ClusterExplanation(
        id=cluster.id,
        made_at=cluster.made_at,
        members=len(cluster.members),
        canonical=canonical,
        because=choice.because if choice is not None and is_same else "",
        rival=choice.article_id if choice is not None and not is_same else "",
        rival_because=choice.because if choice is not None and not is_same else "",
        near_duplicates=tuple(
            _near_duplicate(article, other)
            for other in app.store.articles(ids=others[:MAX_NEAR_DUPLICATES])
        ),
    )


def _choice_now(
    app: App, article: Article, canonical: str, language: str
) -> CanonicalChoice | None:
    """How the canonical article would be chosen now: rates and roles of feeds change after a cluster was made."""
    _, articles, trusts = cluster_inputs(app.store, {article.id: ()})
    choices = choose(articles.values(), trusts)
    same = (choice for choice in choices if choice.article_id == canonical)
    return next(same, None) or next((each for each in choices if each.language == language), None)


def _near_duplicate(article: Article, other: Article) -> NearDuplicate:
    options = ClusterOptions()
    mine, theirs = (
        sign(each.id, each.text, each.language, each.fetched_at, options)
        for each in (article, other)
    )
    if mine is None or theirs is None:
        return NearDuplicate(article=other, likeness=None, shared="one of the texts is gone")
    likeness = explain(mine, theirs, options, texts=(article.text, other.text))
    shared = "the same words" if likeness.estimated == 1 else "; ".join(likeness.shared)
    return NearDuplicate(article=other, likeness=round(likeness.true or 0.0, 3), shared=shared)


# One article that is held: found by its id or its address, and what each of its edits changed.

IDS = Wording("app.articles() has addresses and ids.", terminal="`wireroom articles` lists them.")
FEWEST_DIGITS = 4  # of an id: what fewer would find is chance
SHORT_DIGITS = 8  # of an id in a list; among a million articles some hundred need one more
SHOWN_IDS = 5  # of those that begin alike
_DIGITS = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE)
MAX_LINES = 2_000  # lines of a version that are compared: comparing takes the square of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What changed from one version to the next."""

    old_version: int
    new_version: int
    at: datetime
    diff: tuple[str, ...]
    """As `diff -u` writes it, without its head."""


def find_article(app: App, which: str) -> Article | None:
    """The article of this id, or the one that any publisher has at this address.

    The first digits of an id will do; SettingsError when they are too few, or begin several ids.
    """
    if "://" not in which:
        return _by_id(app, which.strip().lower())
    try:
        first = publisher_domain(which)
        domains = dict.fromkeys(
            [first, *(publisher.domain for publisher in app.store.publishers())]
        )
        ids = [article_id(domain, which) for domain in domains]
    except ValueError as exc:
        raise SettingsError([f"{which}: {exc}"], hint=IDS) from exc
    return next(app.store.articles(ids=ids), None)


def page_address(app: App, which: str) -> str:
    """The address that is meant: what is one already, or that of the article with this id.

    SettingsError where no article has the id.
    """
    if "://" in which:
        return which
    held = _by_id(app, which.strip().lower()) if _is_id(which) else None
    if held is not None:
        return held.url
    raise SettingsError(
        [f"{which}: expected the address of a page, such as https://…, or the id of an article"],
        hint=IDS,
    )


def _is_id(text: str) -> bool:
    """Whether this can be the first digits of an id."""
    return bool(_DIGITS.fullmatch(text.strip()))


def _by_id(app: App, digits: str) -> Article | None:
    """The article of this id, or the only one whose id begins so."""
    held = app.store.article(digits)
    if held is not None:
        return held
    if len(digits) < FEWEST_DIGITS:
        raise SettingsError(
            [f"{digits!r}: the first {FEWEST_DIGITS} digits of an id are needed"],
            hint=IDS,
        )
    found = app.store.ids_beginning(digits, limit=SHOWN_IDS + 1)
    if len(found) > 1:
        raise SettingsError(
            [f"{digits}: several ids begin so: {_named(app, found)}"],
            hint="Give more of its digits.",
        )
    return app.store.article(found[0]) if found else None


def _named(app: App, ids: Sequence[str]) -> str:
    """The ids with the titles of their articles: `9f2c41d0… “Storm” (courier.test); …`."""
    held = {article.id: article for article in app.store.articles(ids=ids[:SHOWN_IDS])}
    named = [
        f"{each} “{held[each].title}” ({held[each].publisher})" if each in held else each
        for each in ids[:SHOWN_IDS]
    ]
    return "; ".join([*named, "…"] if len(ids) > SHOWN_IDS else named)


def short_ids(app: App, ids: Sequence[str]) -> tuple[str, ...]:
    """As many first digits of each id as tell it from every other that is held."""
    return tuple(_short(app, article_id) for article_id in ids)


def _short(app: App, article_id: str) -> str:
    for count in range(SHORT_DIGITS, len(article_id)):
        if len(app.store.ids_beginning(article_id[:count], limit=2)) < 2:
            return article_id[:count]
    return article_id


def with_original(app: App, article: Article) -> Article:
    """The article, a reprint with its original and the rights of that."""
    return OriginalFinder(app.store).of(article)


def article_text(article: Article, *, markdown: bool = False) -> str:
    """The article to be read, without anything that a terminal would obey."""
    text = to_markdown(article) if markdown else to_text(article)
    return clean(text).replace("\r", "\n")


def article_edits(app: App, article: Article) -> tuple[Edit, ...]:
    """What changed from each version to the next, oldest first."""
    held: list[ArticleVersion | Article] = [*app.store.versions(article.id), article]
    return tuple(
        Edit(
            old_version=before.version,
            new_version=after.version,
            at=after.fetched_at,
            diff=tuple(unified_diff(_lines(before), _lines(after), lineterm="", n=1))[2:],
        )
        for before, after in pairwise(held)
    )


def _lines(version: ArticleVersion | Article) -> list[str]:
    lines = [version.title, *(line for line in version.text.split("\n") if line)]
    return lines[:MAX_LINES]
