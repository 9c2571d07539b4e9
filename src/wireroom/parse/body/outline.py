"""The whole page in a few numbers, taken from what reading its body has computed anyway.

For whoever asks what kind of page this is. Counts only; nothing is decided, and no tree is walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import mul, not_
from typing import Final

from wireroom.parse.body.block_features import FEATURES, MOSTLY_LINKS, Measured
from wireroom.parse.body.blocks import ALT, CELL, HEADING, Columns
from wireroom.parse.body.types import PageOutline

LABEL: Final = 60  # characters up to which a block may be a price, a button or a name
ALIKE: Final = 5  # blocks of one look from which on they are a row of things
OPENING_BLOCKS: Final = 40  # a wall or an error has fewer
MAX_OPENING: Final = 2_000  # characters of the page's first words that are kept
CURRENCY_SIGNS: Final = ("$", "€", "£", "¥", "₹", "₩", "₽", "₺", "zł", "Kč", " kr", "CHF", "R$")
_STEPS_UP: Final = FEATURES.index("steps_up")
_LINKS: Final = FEATURES.index("links_own")
_LOOK_COUNT: Final = FEATURES.index("look_count")
_ENDING: Final = FEATURES.index("ending")
_SENTENCE: Final = 2.0  # what `ending` says of a block that ends like one


def outline_of(columns: Columns, measured: Measured, probabilities: Sequence[float]) -> PageOutline:
    """The counts of a page, whatever of it was kept."""
    texts, kinds, tags, good = columns.text, columns.kind, columns.tag, measured.good
    numbers = measured.numbers
    lengths = list(map(len, texts))
    labels = list(compress(texts, map(LABEL.__ge__, lengths)))
    alike = numbers[_LOOK_COUNT]
    characters = sum(lengths)
    return PageOutline(
        blocks=len(texts),
        characters=characters,
        linked_share=_share(sum(columns.linked), sum(columns.chars)),
        signposts=sum(map(MOSTLY_LINKS.__lt__, numbers[_LINKS])),
        prose=sum(good),
        prose_blocks=len(good) - good.count(0),
        container_prose=sum(compress(good, map(not_, numbers[_STEPS_UP]))),
        likelihood=_share(sum(map(mul, lengths, probabilities)), characters),
        labels=len(labels),
        prices=_prices(labels),
        alike=sum(count >= ALIKE for count in alike),
        most_alike=int(max(alike, default=0)),
        sentences=numbers[_ENDING].count(_SENTENCE),
        headings=kinds.count(HEADING),
        cells=kinds.count(CELL),
        images=kinds.count(ALT),
        articles=tags.count("article"),
        forms=tags.count("form"),
        opening="\n".join(texts[:OPENING_BLOCKS])[:MAX_OPENING],
    )


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else 0.0


def _prices(labels: list[str]) -> int:
    """How many currency signs stand in short blocks: a story names sums in sentences."""
    together = "\n".join(labels)
    return sum(map(together.count, CURRENCY_SIGNS))
