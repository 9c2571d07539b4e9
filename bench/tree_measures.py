"""More measures of a block than the program takes, for `body_trees.py`: of its text, its neighbours and its boxes.

Those of the first pass need no container. Those of the second are taken once a first pass has said how likely each
block belongs to the text: the container chosen by that, and what was said of the blocks around. Not a bench by itself.
"""

# ruff: noqa: SLF001 - these measures are built of the program's own

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wireroom.parse.body import block_features as features
from wireroom.parse.body.blocks import ALT, HEADING, Columns
from wireroom.parse.body.element_names import Scorer, score_elements

Numbers = np.ndarray
Column = Sequence[float] | Numbers
"""A measure of all blocks of a page."""
BOXES = 4  # boxes around a block that are measured, its own the first
WINDOWS = (3, 8)  # blocks to either side
SPOKEN_WINDOWS = (3, 8, 20)  # the same, for what the first pass said
NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
FAR = 60  # blocks; beyond it a distance says nothing more
_TAGS = (
    "p", "div", "span", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "a", "article", "section", "main", "aside", "blockquote", "figcaption", "ul", "ol", "table", "pre", "dd", "dt", "header",
)  # fmt: skip


class Surveyed(NamedTuple):
    """A page with the measures of the first pass, and what the second needs."""

    numbers: Numbers
    """One row a block."""
    columns: Columns
    good: list[int]
    boxes: list[Numbers]
    """The boxes around each block, from its own outwards."""
    scores: list[tuple[float, float]]
    looks: list[list[int]]
    """Blocks that look alike."""


def survey(columns: Columns, score: Scorer) -> Surveyed:
    """The measures of the first pass."""
    lengths = features._lengths(columns.text)
    links, good = features._good_text(columns, lengths)
    called = score_elements(columns, score)
    boxes = _boxes(columns)
    looks = _looks(columns, called.classes, boxes[0])
    parts = [
        *_of_text(columns, lengths, links, good),
        *_of_names(columns, called.scores, boxes),
        *_of_place(columns, good),
        *_of_boxes(columns, good, boxes),
        *_of_neighbours(columns, lengths, links, good),
        *_of_looks(columns, links, good, looks),
    ]
    numbers = np.array(parts, dtype=np.float32).T
    return Surveyed(numbers, columns, good, boxes, called.scores, looks)


def second(page: Surveyed, spoken: Numbers) -> Numbers:
    """The measures that a first pass makes possible."""
    parts = [*_of_container(page, spoken), *_of_spoken(page, spoken)]
    return np.array(parts, dtype=np.float32).T


def _boxes(columns: Columns) -> list[Numbers]:
    parent = np.array(columns.parent)
    boxes = [
        np.array(
            [
                parent[home] if columns.tag[home] in features._LEAVES and home else home
                for home in columns.home
            ]
        )
    ]
    while len(boxes) < BOXES:
        boxes.append(np.maximum(parent[boxes[-1]], 0))
    return boxes


def _looks(columns: Columns, classes: Sequence[str], boxes: Numbers) -> list[list[int]]:
    found: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    signs = [
        (columns.tag[home], classes[home], classes[box])
        for home, box in zip(columns.home, boxes, strict=True)
    ]
    for block, sign in enumerate(signs):
        found[sign].append(block)
    return [found[sign] for sign in signs]


def _of_text(
    columns: Columns, lengths: list[int], links: list[float], good: list[int]
) -> list[Column]:
    texts = columns.text
    return [
        np.log1p(lengths),
        links,
        np.log1p(good),
        columns.kind,
        [len(text.split()) for text in texts],
        [len(text) / len(text.split() or " ") for text in texts],
        [text.count(",") / len(text) for text in texts],
        [sum(map(text.count, ".!?。")) for text in texts],
        [sum(map(str.isdigit, text[:200])) / min(len(text), 200) for text in texts],
        [sum(map(str.isupper, text[:200])) / min(len(text), 200) for text in texts],
        [text[-1] in features.SENTENCE_ENDS for text in texts],
        [text[-1] in ":：" for text in texts],
        [text[0].islower() for text in texts],
        [any(map(text.__contains__, "©|»›→")) for text in texts],
        *([_tag(columns.tag[element]) for element in around] for around in _boxes(columns)[:2]),
        [_tag(columns.tag[home]) for home in columns.home],
    ]


def _tag(tag: str) -> int:
    return _TAGS.index(tag) if tag in _TAGS else len(_TAGS)


def _of_names(
    columns: Columns, scores: list[tuple[float, float]], boxes: list[Numbers]
) -> list[Column]:
    low, high = np.array(scores).T
    least, most, whole = [0.0], [0.0], [0.0]
    for element, outer in enumerate(columns.parent[1:], 1):
        least.append(min(least[outer], low[element]))
        most.append(max(most[outer], high[element]))
        whole.append(whole[outer] + low[element] + high[element])
    homes = np.array(columns.home)
    together = np.array(whole)[homes]
    return [
        np.array(least)[homes],
        np.array(most)[homes],
        together,
        np.append(0.0, together[:-1]),
        np.append(together[1:], 0.0),
        *(side[place] for place in (homes, *boxes[:3]) for side in (low, high)),
    ]


def _of_place(columns: Columns, good: list[int]) -> list[Column]:
    count, chars = len(good), np.cumsum(columns.chars)
    places = np.arange(count)
    prose = np.cumsum(good)
    titles = [place for place in places if columns.tag[columns.home[place]] == "h1"]
    title = titles[0] if titles else -FAR
    depth = [0]
    for outer in columns.parent[1:]:
        depth.append(depth[outer] + 1)
    since, until = _distances(np.array(good) > 0)
    return [
        places / count,
        np.minimum(places, FAR),
        np.minimum(count - places, FAR),
        chars / max(chars[-1], 1),
        prose / max(prose[-1], 1),
        np.clip(places - title, -1, FAR),
        np.array(depth)[columns.home],
        since,
        until,
        np.full(count, np.log1p(count)),
        np.full(count, np.log1p(prose[-1])),
        np.full(count, sum(columns.linked) / max(chars[-1], 1)),
    ]


def _distances(marked: Numbers) -> tuple[Numbers, Numbers]:
    """Blocks since the last marked one, and until the next."""
    count = len(marked)
    before, after = np.full(count, FAR), np.full(count, FAR)
    last = -FAR
    for place in range(count):
        before[place] = min(place - last, FAR)
        last = place if marked[place] else last
    last = count + FAR
    for place in reversed(range(count)):
        after[place] = min(last - place, FAR)
        last = place if marked[place] else last
    return before, after


def _inside(columns: Columns, boxes: Numbers, amounts: Column) -> Numbers:
    """What stands in each element, those inside it counted."""
    sums = np.bincount(boxes, amounts, len(columns.parent))
    for element in range(len(sums) - 1, 0, -1):
        sums[columns.parent[element]] += sums[element]
    return sums


def _of_boxes(columns: Columns, good: list[int], boxes: list[Numbers]) -> list[Numbers]:
    chars = _inside(columns, boxes[0], columns.chars)
    linked = _inside(columns, boxes[0], columns.linked)
    prose = _inside(columns, boxes[0], good)
    count = _inside(columns, boxes[0], [1.0] * len(good))
    shares = linked / np.maximum(chars, 1), prose / np.maximum(chars, 1)
    sizes = np.log1p(chars), np.log1p(count)
    return [measure[box] for box in boxes for measure in (*shares, *sizes)]


def _of_neighbours(
    columns: Columns, lengths: list[int], links: list[float], good: list[int]
) -> list[Numbers]:
    homes = np.array(columns.parent)[columns.home]
    kinds = np.array(columns.kind)
    found = []
    for step in NEIGHBOURS:
        found += [_shifted(np.log1p(lengths), step), _shifted(np.array(links), step)]
        if abs(step) < 3:
            found += [
                _shifted(kinds, step),
                _shifted(np.array(good) > 0, step),
                _shifted(homes, step) == homes,
            ]
    for size in WINDOWS:
        found += [_smoothed(np.array(links), size), _smoothed(np.log1p(good), size)]
    return found


def _shifted(values: Numbers, step: int) -> Numbers:
    """The value of the block so many steps on; -1 beyond both ends."""
    made = np.full(len(values), -1.0)
    if abs(step) < len(values):
        if step > 0:
            made[:-step] = values[step:]
        else:
            made[-step:] = values[:step]
    return made


def _smoothed(values: Numbers, size: int) -> Numbers:
    """The mean over so many blocks to either side."""
    sums = np.append(0.0, np.cumsum(values))
    places = np.arange(len(values))
    start, end = np.maximum(places - size, 0), np.minimum(places + size + 1, len(values))
    made: Numbers = (sums[end] - sums[start]) / (end - start)
    return made


def _of_looks(
    columns: Columns, links: list[float], good: list[int], looks: list[list[int]]
) -> list[Column]:
    seen: defaultdict[str, int] = defaultdict(int)
    for text in columns.text:
        seen[text] += 1
    means: dict[int, tuple[float, float]] = {}
    for group in looks:
        if id(group) not in means:
            share, prose = (sum(values[b] for b in group) / len(group) for values in (links, good))
            means[id(group)] = share, prose
    return [
        [seen[text] for text in columns.text],
        [len(group) for group in looks],
        [means[id(group)][0] for group in looks],
        [means[id(group)][1] for group in looks],
    ]


def _of_container(page: Surveyed, spoken: Numbers) -> list[Column]:
    """Where a block stands towards the element that holds most of the likely prose."""
    columns, parent = page.columns, page.columns.parent
    likely = (np.array(page.good) * spoken**2).tolist()
    weight = features._weigh_elements(parent, page.boxes[0].tolist(), likely)
    best = max(range(len(parent)), key=weight.__getitem__)
    above = features._way_up(parent, best)
    below, up, down = [0.0], [above[0]], [0]
    for element, outer in enumerate(parent[1:], 1):
        if element in above:
            up.append(above[element])
            down.append(0)
            below.append(0.0)
        else:
            up.append(up[outer])
            down.append(down[outer] + 1)
            below.append(min(below[outer], page.scores[element][0]))
    homes = np.array(columns.home)
    shares = np.array(weight) / (weight[best] or 1.0)
    return [
        np.array(below)[homes],
        np.array(up)[homes],
        np.array(down)[homes],
        *(shares[box] for box in page.boxes[:3]),
    ]


def _of_spoken(page: Surveyed, spoken: Numbers) -> list[Column]:
    """What the first pass said of a block, its neighbours, its boxes and those that look like it."""
    columns = page.columns
    likely = np.array(page.good) * spoken
    run = np.cumsum(likely)
    weights = np.sqrt(np.maximum(columns.chars, 1))
    inside = _inside(columns, page.boxes[0], weights * spoken)
    inside /= np.maximum(_inside(columns, page.boxes[0], weights), 1e-9)
    kinds = np.array(columns.kind)
    since, until = _distances((spoken > 0.5) & (kinds != HEADING) & (kinds != ALT))
    means: dict[int, float] = {}
    for group in page.looks:
        if id(group) not in means:
            means[id(group)] = float(spoken[group].mean())
    return [
        spoken,
        *(_shifted(spoken, step) for step in NEIGHBOURS),
        *(_smoothed(spoken, size) for size in SPOKEN_WINDOWS),
        *(inside[box] for box in page.boxes),
        [means[id(group)] for group in page.looks],
        run / max(float(run[-1]), 1.0),
        since,
        until,
    ]
