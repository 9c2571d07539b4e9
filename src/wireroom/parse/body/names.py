"""What elements call themselves: the words of their class, id, role, and what these are worth.

Which words are worth what is learned and comes in as a function; nothing here knows a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from wireroom.parse.body.blocks import Columns

__all__ = ["Called", "Scorer", "score_elements", "tokens_of"]

Scorer: TypeAlias = Callable[[frozenset[str]], tuple[float, float]]
"""The worst and the best that an element's names say of what stands in it."""

MAX_NAMES: Final = 400  # characters of one attribute; some pages carry kilobytes of class names
MIN_PART: Final = 3  # letters; shorter parts of a name mean nothing

_PARTS: Final = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_SAYING: Final = ("class", "id", "itemprop", "role", "data-testid", "data-component")
_READ: Final = (*_SAYING, "hidden", "style", "aria-hidden")  # class and id first


def tokens_of(tag: str, attributes: Mapping[str, str | None]) -> frozenset[str]:
    """The words by which an element names itself: whole names, their parts, its tag."""
    tokens = {f"<{tag}"}
    for name in _SAYING:
        value = attributes.get(name)
        if not value:
            continue
        value = value[:MAX_NAMES]
        tokens.update(part.lower() for part in _PARTS.findall(value) if len(part) >= MIN_PART)
        tokens.update(value.lower().split())
    if "hidden" in attributes or "display:none" in (attributes.get("style") or "").replace(" ", ""):
        tokens.add("@hidden")
    if attributes.get("aria-hidden") == "true":
        tokens.add("@aria-hidden")
    return frozenset(tokens)


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
                key = (tag, *map(attributes.get, _READ))
                classes[element] = key[1] or ""
                names[element] = f"{key[1] or ''} {key[2] or ''}"
            value = known.get(key)
            if value is None:
                value = known[key] = score(tokens_of(tag, attributes))
            scores[element] = value
            element = parent[element]
    return Called(scores, classes, names)
