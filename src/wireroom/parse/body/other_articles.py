"""A second article on the page: the next one that scrolls in below, or those that a paper puts after the first.

It stands in a box of its own beside the box of the page's article and begins with a headline of its own. Sections,
live entries and answers do as well, so the boxes must be called articles or look alike, and one inside the page's
own article is part of it. Pure: element numbers come out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from wireroom.parse.body.blocks import ALT, HEADING, Columns

MIN_PROSE: Final = 150  # characters kept in the box of the page's own article
MOST_TIMES: Final = (
    3  # as much prose as the page's own article: more is that article, below its header
)
FEW: Final = 2  # articles after the first; more are entries or teasers
MAX_NAME: Final = 200  # characters of a name looked at by a pattern
_HEADLINES: Final = frozenset(("h1", "h2", "h3"))
_ARTICLE_NAMES: Final = re.compile(
    r"artic(?:le|ulo|olo)|artikel|articol|stor(?:y|ia)|(?:^|[^a-z])(?:post|entry|news|beitrag|noticia|notizia|nota|artykul)(?![a-z])",
    re.IGNORECASE,
)


def other_articles(
    columns: Columns,
    names: Sequence[str],
    keep: Sequence[bool],
    title: int,
) -> list[int]:
    """The elements that hold other articles than the page's own, whose headline is known; mostly none."""
    path = _path(columns, columns.home[title])
    later = [block for block in _headlines(columns) if block > title]
    rivals = _rivals(columns, names, title, later, path)
    if not rivals:
        return []
    kept = _kept_prose(columns, keep)
    return [
        rival
        for rival, own in rivals
        if kept[own] >= MIN_PROSE and 0 < kept[rival] <= MOST_TIMES * kept[own]
    ]


def headline_of(columns: Columns, is_title: Callable[[str], bool]) -> int | None:
    """The headline of the page: the first heading that its title names, else the first h1."""
    headlines = _headlines(columns)
    named = (block for block in headlines if is_title(columns.text[block]))
    first = (block for block in headlines if columns.tag[columns.home[block]] == "h1")
    return next(named, next(first, None))


def _headlines(columns: Columns) -> list[int]:
    return [
        block
        for block, kind in enumerate(columns.kind)
        if kind == HEADING and columns.tag[columns.home[block]] in _HEADLINES
    ]


def _path(columns: Columns, element: int) -> dict[int, int]:
    """The elements around one, each with the one of them that stands in it."""
    path: dict[int, int] = {}
    inner = -1
    while element >= 0:
        path[element] = inner
        inner, element = element, columns.parent[element]
    return path


def _rivals(
    columns: Columns,
    names: Sequence[str],
    title: int,
    later: Sequence[int],
    path: dict[int, int],
) -> list[tuple[int, int]]:
    """Boxes that begin with a `later` headline and stand beside one around the title, with that one."""
    several = columns.tag.count("article") > 1
    own = max((e for e in path if columns.tag[e] == "article"), default=-1)
    if own < 0 and several:
        return _beside_first(columns, title)
    found: dict[int, int] = {}
    for block in later:
        rival = _rival(columns, names, columns.home[block], path, own, several)
        if rival is not None:
            found.setdefault(*rival)
    return list(found.items())


def _beside_first(columns: Columns, title: int) -> list[tuple[int, int]]:
    """The articles after one that has no headline of its own, for it has the page's above it.

    Many of them would be entries of a live report.
    """
    openings: dict[int, int] = {}
    for block in range(title + 1, len(columns.kind)):
        if columns.kind[block] != ALT:
            openings.setdefault(_outermost_article(columns, columns.home[block]), block)
    openings.pop(-1, None)
    own = next(iter(openings), -1)
    rivals = [
        article
        for article, block in openings.items()
        if columns.tag[columns.home[block]] in _HEADLINES
    ]
    return [(r, own) for r in rivals] if own not in rivals and len(rivals) <= FEW else []


def _outermost_article(columns: Columns, element: int) -> int:
    found = -1
    while element >= 0:
        if columns.tag[element] == "article":
            found = element
        element = columns.parent[element]
    return found


def _rival(
    columns: Columns,
    names: Sequence[str],
    heading: int,
    path: dict[int, int],
    own: int,
    several: bool,
) -> tuple[int, int] | None:
    """The box of another article around a heading, and the box of the page's own beside it."""
    element, outer, article = heading, columns.parent[heading], -1
    while outer not in path:
        if columns.tag[outer] == "article":
            article = outer
        element, outer = outer, columns.parent[outer]
    beside = path[outer]
    if beside < 0 or (own >= 0 and outer >= own):
        return None  # inside the page's own article, or the headline stands in no box of its own
    if several and article >= 0 and own >= 0:
        return article, own
    if element == heading:
        return None
    alike = columns.tag[element] == columns.tag[beside] and _first_class(
        names[element]
    ) == _first_class(names[beside])
    is_h1, is_called = columns.tag[heading] == "h1", _is_called_article(names[element])
    return (element, beside) if is_h1 + alike + is_called > 1 else None


def _first_class(name: str) -> str:
    return name.partition(" ")[0]


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_called_article(name: str) -> bool:
    return _ARTICLE_NAMES.search(name[:MAX_NAME]) is not None


def _kept_prose(columns: Columns, keep: Sequence[bool]) -> list[int]:
    """Characters kept in each element and those inside it, headings left out."""
    found = [0] * len(columns.parent)
    for home, text, kind, kept in zip(columns.home, columns.text, columns.kind, keep, strict=True):
        if kept and kind != HEADING:
            found[home] += len(text)
    for element in range(len(found) - 1, 0, -1):
        found[columns.parent[element]] += found[element]
    return found
