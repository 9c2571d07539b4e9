"""What elements call themselves: the words of their class, id, role, and what these are worth.

Which words are worth what is learned and comes in as a function; nothing here knows a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from wireroom.parse.body.blocks import Columns

__all__ = ["Called", "Scorer", "score_elements", "tokens_in", "tokens_of"]

Scorer: TypeAlias = Callable[[str], tuple[float, float]]
"""The worst and the best that one name of an element says of what stands in it."""

MAX_NAMES: Final = 400  # characters of one attribute; some pages carry kilobytes of class names
MIN_PART: Final = 3  # letters; shorter parts of a name mean nothing

_PARTS: Final = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_SAYING: Final = ("class", "id", "itemprop", "role", "data-testid", "data-component")
_READ: Final = (*_SAYING, "hidden", "style", "aria-hidden")  # class and id first


def tokens_in(name: str) -> set[str]:
    """The words of one name: the whole, and its parts where it has some."""
    tokens = {part.lower() for part in _PARTS.findall(name) if len(part) >= MIN_PART}
    tokens.update(name.lower().split())
    return tokens


def names_of(tag: str, attributes: Mapping[str, str | None]) -> list[str]:
    """Everything by which an element names itself; a tag or a state is a name with a sign."""
    names = [f"<{tag}"]
    if not attributes:
        return names
    get = attributes.get
    names.extend([value[:MAX_NAMES] for value in map(get, _SAYING) if value])
    style = get("style")
    if "hidden" in attributes or (style and "display:none" in style.replace(" ", "")):
        names.append("@hidden")
    if get("aria-hidden") == "true":
        names.append("@unspoken")
    return names


def tokens_of(tag: str, attributes: Mapping[str, str | None]) -> frozenset[str]:
    """The words of all names of an element."""
    found: set[str] = set()
    for name in names_of(tag, attributes):
        found |= {name} if name[0] in "<@" else tokens_in(name)
    return frozenset(found)


class Called(NamedTuple):
    """What the elements of a page call themselves; only of those that hold text."""

    scores: list[tuple[float, float]]
    """The worst and the best that their names say."""
    classes: list[str]
    names: list[str]
    """Class and id together."""


def score_elements(columns: Columns, score: Scorer) -> Called:
    """What the names of each element say; elements without text in them stay unnamed."""
    parent, node, tags = columns.parent, columns.node, columns.tag
    scores = [(0.0, 0.0)] * len(parent)
    classes = [""] * len(parent)
    names = [""] * len(parent)
    seen = bytearray(len(parent))
    known: dict[tuple[str | None, ...], tuple[float, float]] = {}
    for home in columns.home:
        element = home
        while element >= 0 and not seen[element]:
            seen[element] = 1
            attributes = node[element].attributes
            tag = tags[element]
            key: tuple[str | None, ...] = (tag,)
            if attributes:
                called = attributes.get("class") or ""
                classes[element] = called
                if called and len(attributes) == 1:
                    key = (tag, called)
                    names[element] = called
                else:
                    key = (tag, *map(attributes.get, _READ))
                    names[element] = f"{called} {attributes.get('id') or ''}"
            value = known.get(key)
            if value is None:
                value = known[key] = _extremes(map(score, names_of(tag, attributes)))
            scores[element] = value
            element = parent[element]
    return Called(scores, classes, names)


def _extremes(said: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*said, strict=True)
    return min(lows), max(highs)
