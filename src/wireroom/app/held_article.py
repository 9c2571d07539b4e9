"""One article that is held: found by its id or its address, and what each of its edits changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from itertools import pairwise
from typing import TYPE_CHECKING

from wireroom.errors import SettingsError
from wireroom.export.article_text import to_markdown, to_text
from wireroom.model import Article, ArticleVersion
from wireroom.parse.plain_text import clean
from wireroom.urls import article_id, publisher_domain

if TYPE_CHECKING:
    from wireroom.app.application import App

FEWEST_DIGITS = 4  # of an id: what fewer would find is chance
SHOWN_IDS = 5  # of those that begin alike
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
        raise SettingsError(
            [f"{which}: {exc}"], hint="`wireroom articles` lists addresses and ids."
        ) from exc
    return next(app.store.articles(ids=ids), None)


def _by_id(app: App, digits: str) -> Article | None:
    """The article of this id, or the only one whose id begins so."""
    held = app.store.article(digits)
    if held is not None:
        return held
    if len(digits) < FEWEST_DIGITS:
        raise SettingsError(
            [f"{digits!r}: the first {FEWEST_DIGITS} digits of an id are needed"],
            hint="`wireroom articles` lists ids.",
        )
    found = app.store.ids_beginning(digits, limit=SHOWN_IDS + 1)
    if len(found) > 1:
        named = ", ".join(found[:SHOWN_IDS]) + (", …" if len(found) > SHOWN_IDS else "")
        raise SettingsError(
            [f"{digits}: several articles begin so: {named}"], hint="Give more of its digits."
        )
    return app.store.article(found[0]) if found else None


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
