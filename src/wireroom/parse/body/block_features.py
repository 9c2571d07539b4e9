"""What can be measured of a block: where it stands, what its surroundings say, how it reads.

Columns in, columns of numbers out, one per name in `FEATURES` and in that order; the weights know
them by name. Nothing is decided here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from wireroom.parse.body.blocks import ALT, Columns
from wireroom.parse.body.element_names import Scorer, score_elements

LONG_TEXT: Final = 80  # characters from which on a block reads like prose, not like a label
MOSTLY_LINKS: Final = 0.4  # share of link text above which a block is a signpost, not prose
DENSE_LETTERS: Final = (
    2  # letters of an alphabet that one ideograph or one syllable stands for, at least
)
BEGINNING: Final = 40  # characters of a block that show its script
NEAR: Final = 3  # blocks to either side that count as neighbours
FAR: Final = 30  # blocks away from which on distance says nothing more

# Tags whose text belongs to the element around them.
_LEAVES: Final = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "td",
        "th",
        "tr",
        "tbody",
        "pre",
        "blockquote",
        "figcaption",
        "dt",
        "dd",
    ]
)
_LENGTHS: Final = (10, 25, 50, 80, 120, 200, 400)  # characters, where kinds of blocks part ways
_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
IDEOGRAPHS: Final = re.compile(f"[{_IDEOGRAPHS}]")
_DENSE: Final = re.compile(f"[{_IDEOGRAPHS}\uac00-\ud7a3]")  # Hangul is written in syllables


FEATURES: Final = (
    "names_least",  # the worst that names say on the way from the page's root
    "names_below",  # the worst between the article's container and the block
    "names_before",  # all that the names of the block before and those around it say together
    "names_after",  # the same of the block after
    "outer_weight",  # the outer box's claim to be the container, against the best claim
    "steps_up",  # from the container to the common ancestor
    "outer_links",  # share of link text in the outer box
    "links_own",
    "links_near",
    "good_before",  # share of the page's prose that came before
    "since_title",  # blocks since the first h1; -1 before it
    "kind_length",  # kind and length together
    "repeats",  # how often the same text stands on the page
    "look_count",  # blocks that look like this one
)


COUNTS: Final = frozenset({"steps_up", "since_title", "kind_length", "repeats", "look_count"})
"""The measures that are whole numbers from -1 on."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers of a page's blocks, and what else came to light on the way."""

    numbers: list[list[float]]
    """One list per feature, one number per block."""
    good: list[int]
    """Each block's length where it reads like prose, else 0."""
    container: int
    """The element with the best claim to hold the article; -1 on a page without any."""
    names: list[str]
    """Class and id of each element that holds text."""
    all_names: str = ""
    """All of them in lower case: a quick look tells whether any speaks of something."""
    words: frozenset[str] = frozenset()
    """The words of all of them."""
    unseen: frozenset[int] = frozenset()
    """Blocks that nobody sees, on a page that shows something else."""


def measure(columns: Columns, score: Scorer) -> Measured:
    """What can be measured of every block."""
    if not columns.text:
        return Measured(numbers=[[] for _ in FEATURES], good=[], container=-1, names=[])
    lengths = _lengths(columns.text)
    links, good = _good_text(columns, lengths)
    called = score_elements(columns, score)
    unseen = _unseen(columns, good, called.hidden) if called.hidden else frozenset()
    for block in unseen:
        good[block] = 0
    around = _Surroundings(columns, good, called.scores)
    numbers = [
        *_by_names(columns, around),
        *_by_place(columns, around),
        links,
        _links_near(columns),
        *_by_course(columns, good),
        *_by_text(columns, lengths),
        _look_counts(columns, around, called.classes),
    ]
    all_names = " ".join(called.names).lower()
    return Measured(
        numbers=numbers,
        good=good,
        container=around.best,
        names=called.names,
        all_names=all_names,
        words=frozenset(all_names.split()),
        unseen=unseen,
    )


def _unseen(columns: Columns, good: list[int], hidden: set[int]) -> frozenset[int]:
    """The blocks in elements that are not drawn; none where they hold more than the rest of the page.

    Some pages hide all of their text until a script shows it.
    """
    inside: list[bool] = []
    for element, outer in enumerate(columns.parent):
        inside.append((outer >= 0 and inside[outer]) or (element in hidden and outer >= 0))
    blocks = [block for block, home in enumerate(columns.home) if inside[home]]
    prose = sum(good[block] for block in blocks)
    return frozenset() if 2 * prose > sum(good) else frozenset(blocks)


def _lengths(texts: list[str]) -> list[int]:
    """Characters of each block, as many as the same would have in an alphabet."""
    return [
        len(text)
        if text.isascii() or _DENSE.search(text, 0, BEGINNING) is None
        else len(text) * DENSE_LETTERS
        for text in texts
    ]


def _good_text(columns: Columns, lengths: list[int]) -> tuple[list[float], list[int]]:
    """Each block's share of link text, and its length where it reads like prose, else 0."""
    share = [
        min(linked / chars, 1.0) if linked else 0.0
        for linked, chars in zip(columns.linked, columns.chars, strict=True)
    ]
    good = [
        length if length >= LONG_TEXT and links < MOSTLY_LINKS and kind != ALT else 0
        for length, links, kind in zip(lengths, share, columns.kind, strict=True)
    ]
    return share, good


class _Surroundings:
    """What is known of the elements of a page once its text has been weighed."""

    __slots__ = (
        "below",
        "best",
        "box",
        "down",
        "least",
        "outer",
        "up",
        "weight",
        "whole",
    )

    def __init__(
        self, columns: Columns, good: list[int], scores: list[tuple[float, float]]
    ) -> None:
        parent = columns.parent
        self.box = [
            parent[home] if columns.tag[home] in _LEAVES and home else home for home in columns.home
        ]
        self.outer = [parent[box] if box else 0 for box in self.box]
        self.weight = _weigh_elements(parent, self.box, good)
        self.best = max(range(len(parent)), key=self.weight.__getitem__)
        self._look_down(parent, scores)

    def _look_down(self, parent: list[int], scores: list[tuple[float, float]]) -> None:
        """Fills what an element inherits from those around it, outermost first."""
        above = _way_up(parent, self.best)
        least, whole = [scores[0][0]], [sum(scores[0])]
        below, up, down = [0.0], [above[0]], [0]
        for element in range(1, len(parent)):
            outer = parent[element]
            low, high = scores[element]
            worst = least[outer]
            least.append(low if low < worst else worst)  # noqa: FURB136 - min() takes 4 times as long
            whole.append(whole[outer] + (low + high))
            if element in above:
                up.append(above[element])
                down.append(0)
                below.append(0.0)
            else:
                up.append(up[outer])
                down.append(down[outer] + 1)
                worst = below[outer]
                below.append(low if low < worst else worst)  # noqa: FURB136 - as above
        self.least, self.whole, self.below = least, whole, below
        self.up, self.down = up, down


def _way_up(parent: list[int], element: int) -> dict[int, int]:
    """The element and all around it, with the steps to each."""
    steps: dict[int, int] = {}
    while element >= 0:
        steps[element] = len(steps)
        element = parent[element]
    return steps


def _weigh_elements(parent: list[int], boxes: list[int], good: list[int]) -> list[float]:
    """Each element's claim to be the article's container."""
    weight = [0.0] * len(parent)
    for box, length in zip(boxes, good, strict=True):
        if not length:
            continue
        weight[box] += length
        outer = parent[box]
        if outer >= 0:
            weight[outer] += length * 0.5
            outer = parent[outer]
            if outer >= 0:
                weight[outer] += length * 0.2
    return weight


def sum_up(parent: list[int], amounts: list[int]) -> None:
    """Adds to each element what stands in the elements inside it."""
    for element in range(len(parent) - 1, 0, -1):
        amounts[parent[element]] += amounts[element]


def _by_names(columns: Columns, around: _Surroundings) -> list[list[float]]:
    homes = columns.home
    whole = [around.whole[home] for home in homes]
    return [
        [around.least[home] for home in homes],
        [around.below[home] for home in homes],
        [0.0, *whole[:-1]],
        [*whole[1:], 0.0],
    ]


def _by_place(columns: Columns, around: _Surroundings) -> list[list[float]]:
    homes, weight = columns.home, around.weight
    best = weight[around.best] or 1.0
    chars, linked = _fillings(columns, around.box)
    return [
        [weight[outer] / best for outer in around.outer],
        [around.up[home] for home in homes],
        [linked[outer] / (chars[outer] or 1) for outer in around.outer],
    ]


def _fillings(columns: Columns, boxes: list[int]) -> tuple[list[int], list[int]]:
    """Characters and characters of link text in each element."""
    size = len(columns.parent)
    chars, linked = [0] * size, [0] * size
    for box, length, links in zip(boxes, columns.chars, columns.linked, strict=True):
        chars[box] += length
        linked[box] += links
    sum_up(columns.parent, chars)
    sum_up(columns.parent, linked)
    return chars, linked


def _links_near(columns: Columns) -> list[float]:
    """The share of link text over each block and its neighbours, from running sums."""
    chars = _running(columns.chars)
    linked = _running(columns.linked)
    return [
        (upto - before) / ((end - start) or 1)
        for before, upto, start, end in zip(
            linked, linked[2 * NEAR + 1 :], chars, chars[2 * NEAR + 1 :], strict=False
        )
    ]


def _running(amounts: list[int]) -> list[int]:
    """Running sums of a column, with neighbours of nothing at both ends."""
    sums = list(accumulate(amounts, initial=0))
    return [0] * NEAR + sums + [sums[-1]] * NEAR


def _by_course(columns: Columns, good: list[int]) -> list[list[float]]:
    """How far into the page's prose a block stands, and how far from the title."""
    total = sum(good) or 1
    titles = [place for place, home in enumerate(columns.home) if columns.tag[home] == "h1"]
    title = titles[0] if titles else -FAR
    return [
        [run / total for run in accumulate(good[:-1], initial=0)],
        [min(place - title, FAR) if place >= title else -1 for place in range(len(good))],
    ]


def _by_text(columns: Columns, lengths: list[int]) -> list[list[float]]:
    seen = Counter(columns.text)
    steps = len(_LENGTHS) + 1
    return [
        [
            kind * steps + bisect_right(_LENGTHS, length)
            for kind, length in zip(columns.kind, lengths, strict=True)
        ],
        [seen[text] for text in columns.text],
    ]


def _look_counts(columns: Columns, around: _Surroundings, looks: list[str]) -> list[float]:
    """How many blocks look like this one."""
    tag, down, up = columns.tag, around.down, around.up
    signs = [
        (tag[home], looks[home], looks[box], down[home], up[home])
        for home, box in zip(columns.home, around.box, strict=True)
    ]
    return [*map(Counter(signs).__getitem__, signs)]


SENTENCE_ENDS: Final = frozenset(".!?…。！？؟।\"'”’»)")
"""With which texts end that end like a sentence."""
