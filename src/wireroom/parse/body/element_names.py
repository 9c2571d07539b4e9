"""What elements call themselves: the words of their class, id, role, and what these are worth.

Which words are worth what is learned and comes in as a function; nothing here knows a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from wireroom.parse.body.blocks import Columns, drawn_as, is_unseen_name

Scorer: TypeAlias = Callable[[str], tuple[float, float]]
"""The worst and the best that one name of an element says of what stands in it."""

MAX_NAMES: Final = 400  # characters of one attribute; some pages carry kilobytes of class names
BEGINNING: Final = 200  # characters of class and id that are searched for what they speak of
MAX_WORDS: Final = 50_000  # known to speak of something else, some 5 MB
MIN_PART: Final = 3  # letters; shorter parts of a name mean nothing

_PARTS: Final = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_SAYING: Final = frozenset(("class", "id", "itemprop", "role", "data-testid", "data-component"))
_STATES: Final = frozenset(("hidden", "style", "aria-hidden"))
_BESIDE_CLASS: Final = (_SAYING | _STATES) - {"class"}
_OPENED_ROLES: Final = frozenset(("region", "tabpanel"))
# `S:1` is how a page that arrives in parts names those that a script puts into their places.
_OPENED_NAMES: Final = re.compile(
    r"accordi|collaps|expand|toggle|faq|answer|tab[-_]?(?:content|pane)|(?:^|\s)tabs?(?:$|\s)|panel|spoiler"
    r"|slide|more[-_]?(?:text|content)|read[-_]?more|(?:^|\s)S:[0-9a-f]",
    re.IGNORECASE,
)
_HIDDEN, _UNSPOKEN = "@hidden", "@unspoken"
_SIGNS: Final = frozenset((_HIDDEN, _UNSPOKEN))


def tokens_in(name: str) -> set[str]:
    """The words of one name: the whole, and its parts where it has some; a sign is one word."""
    if name.startswith("<") or name in _SIGNS:
        return {name}
    lowered = name.lower()
    if name.isalpha() and name == lowered and name.isascii():
        return {name}  # a plain word is its only part
    tokens = {part.lower() for part in _PARTS.findall(name) if len(part) >= MIN_PART}
    tokens.update(lowered.split())
    return tokens


def names_of(tag: str, attributes: Mapping[str, str | None]) -> list[str]:
    """Everything by which an element names itself; a tag or a state is a name with a sign."""
    return [f"<{tag}", *_further_names(attributes.items())]


def _further_names(attributes: Iterable[tuple[str, str | None]]) -> list[str]:
    """The same without the tag."""
    names = []
    for key, value in attributes:
        if key in _SAYING:
            if value:
                names.append(value[:MAX_NAMES])
        elif key in _STATES and (state := _state(key, value or "")):
            names.append(state)
    return names


@lru_cache(maxsize=1024)  # a page writes the same few styles many times
def _state(key: str, value: str) -> str:
    """What a reader sees or hears of it: nothing, if it is hidden."""
    if key == "aria-hidden":
        return _UNSPOKEN if value == "true" else ""
    return _HIDDEN if drawn_as({key: value}) == "hidden" else ""


def _opens(attributes: Mapping[str, str | None]) -> bool:
    """Whether a hidden element waits for a reader or a script to open it: an answer, a tab, a late part."""
    if attributes.get("hidden") == "until-found" or attributes.get("role") in _OPENED_ROLES:
        return True
    if "aria-labelledby" in attributes or "aria-expanded" in attributes:
        return True
    names = " ".join(value for value in attributes.values() if value)
    return _OPENED_NAMES.search(names[:MAX_NAMES]) is not None


def tokens_of(tag: str, attributes: Mapping[str, str | None]) -> frozenset[str]:
    """The words of all names of an element."""
    found: set[str] = set()
    for name in names_of(tag, attributes):
        found |= tokens_in(name)
    return frozenset(found)


class NameTest:
    """Tells names that speak of something: each word is looked at once, for pages share most of theirs."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        """The pattern is that of a word in lower case or of a part of one; a line break ends a word as any sign does."""
        self._pattern = pattern
        self._others: set[str] = set()

    def among(self, words: AbstractSet[str]) -> set[str]:
        """Those of some words that speak of it; mostly none."""
        new = words - self._others
        if self._pattern.search("\n".join(new)) is None:
            found: set[str] = set()
        else:
            found = {word for word in new if self._pattern.search(word)}
        if len(self._others) > MAX_WORDS:
            self._others.clear()
        self._others |= new - found
        return found


def having(words: AbstractSet[str], names: Iterable[str]) -> set[str]:
    """Those of some names of elements in whose beginning one of some words stands."""
    return {name for name in set(names) if not words.isdisjoint(name[:BEGINNING].lower().split())}


class Called(NamedTuple):
    """What the elements of a page call themselves."""

    scores: list[tuple[float, float]]
    """The worst and the best that their names say."""
    classes: list[str]
    names: list[str]
    """Class and id together."""
    hidden: set[int]
    """Those that say they are not drawn."""


def score_elements(columns: Columns, score: Scorer) -> Called:
    """What the names of each element say."""
    scores: list[tuple[float, float]] = []
    classes: list[str] = []
    names: list[str] = []
    hidden: set[int] = set()
    known: dict[tuple[str, str], tuple[float, float]] = {}
    unseen: set[str] = set()
    for tag, node in zip(columns.tag, columns.node, strict=True):
        attributes = node.attributes
        called = attributes.get("class") or ""
        extremes = known.get((tag, called))
        if extremes is None:
            own = [f"<{tag}", called[:MAX_NAMES]] if called else [f"<{tag}"]
            extremes = known[tag, called] = _extremes(map(score, own))
            if called and is_unseen_name(called):
                unseen.add(called)
        if unseen and called in unseen:
            hidden.add(len(names))
        if not attributes or (called and len(attributes) == 1):
            names.append(called)
        else:
            more = [name for name in attributes.items() if name[0] in _BESIDE_CLASS]
            if more:
                own = _further_names(more)
                if _HIDDEN in own and not _opens(attributes):
                    hidden.add(len(names))
                extremes = _extremes((extremes, *map(score, own)))
            names.append(f"{called} {attributes.get('id') or ''}")
        scores.append(extremes)
        classes.append(called)
    return Called(scores, classes, names, hidden)


def _extremes(scores: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lowest = highest = 0.0
    for low, high in scores:
        if low < lowest:
            lowest = low
        if high > highest:
            highest = high
    return lowest, highest
