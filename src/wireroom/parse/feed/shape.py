"""Which fields of an item are read for what, found out once for every set of fields that items have.

The items of a feed nearly all say the same things. Where a title may stand in four fields, a date in
six and an author in ten, most of the time would go into asking each item for what it does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from wireroom.parse.feed.extras import Handled, Handlers, handled

MAX_SHAPES = 1_000  # sets of names remembered for each format; a feed has one to ten
MAX_NAMES = 100  # of a set that is remembered; real items have up to thirty, a trap has hundreds


class Roles(NamedTuple):
    """Names of fields by what they are read for, the best first."""

    titles: tuple[str, ...]
    guids: tuple[str, ...]
    descriptions: tuple[str, ...]
    contents: tuple[str, ...]
    published: tuple[str, ...]
    updated: tuple[str, ...]
    authors: tuple[str, ...]
    tags: tuple[str, ...]


class Shape(NamedTuple):
    """What there is to read in items that have the same fields."""

    present: Roles
    extras: Handled


ShapeOf: TypeAlias = Callable[[Iterable[str]], Shape]


def shapes(roles: Roles, handlers: Handlers, *, family: str) -> ShapeOf:
    """A function that gives the shape of items of one format by the names of their fields."""

    def find(names: tuple[str, ...]) -> Shape:
        present = (tuple(name for name in role if name in names) for role in roles)
        return Shape(Roles(*present), handled(names, handlers, family=family))

    remembered = lru_cache(maxsize=MAX_SHAPES)(find)

    def shape_of(names: Iterable[str]) -> Shape:
        known = tuple(names)
        return remembered(known) if len(known) <= MAX_NAMES else find(known)

    return shape_of
