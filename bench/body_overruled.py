"""Which labels of the development articles the rules of the body overrule: kinds of blocks, with counts.

Each page is read with its labels in place of probabilities, so that nothing but rules stands between label and text. What
is dropped then was kept by the labels; what is brought back was not. Captions and the words of images are kept beside
the text and stand in none. The last figures are how near the labels themselves come to the text they were made of, and
how near they come once the rules have gone over them.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from body_folds import known_weights
from body_train import SHORT_EVERY, lesson
from figures import Figure, main
from wcxb import Sample, Score, mean, samples, score, words
from wireroom.parse.body import read_body
from wireroom.parse.body.block_weights import shipped_weights
from wireroom.parse.body.types import Block
from wireroom.parse.html import open_page

BESIDE = frozenset(("caption", "alt"))
"""Kinds of blocks that are kept beside the text."""


class Overruled(NamedTuple):
    """A block of which label and text say different things."""

    kind: str
    page: str
    words: int
    kept: bool
    """By us."""


def overruled(sample: Sample) -> tuple[list[Overruled], Score, Score]:
    """The blocks of a page, and the scores of its labels and of what the rules make of them."""
    taught = lesson(sample)
    known = [float(right) for right in taught.right]
    weights = known_weights(shipped_weights(), known)
    body = read_body(open_page(sample.body(), url=sample.url), explain=True, weights=weights)
    labelled = [
        text for text, right in zip(taught.columns.text, taught.right, strict=True) if right
    ]
    if len(body.blocks) != len(known):  # nothing was left, so the page was laid out anew
        return [], score("\n".join(labelled), sample.truth), score(body.text, sample.truth)
    found = [
        Overruled(_kind(block, right), sample.id, len(words(block.text)), not right)
        for block, right in zip(body.blocks, taught.right, strict=True)
        if right != _is_in_text(block)
    ]
    by_labels = "\n".join(labelled)
    return found, score(by_labels, sample.truth), score(body.text, sample.truth)


def _is_in_text(block: Block) -> bool:
    return block.kept and block.kind not in BESIDE


def _kind(block: Block, right: bool) -> str:
    if right and block.kind in BESIDE and (block.kept or block.reason == "weights"):
        return "caption" if block.kind == "caption" else "words of an image"
    return block.reason


def run(short: bool) -> Iterator[Figure]:
    """A row for each kind, those that are left out first."""
    found: list[Overruled] = []
    labels: list[Score] = []
    ruled: list[Score] = []
    for sample in samples(every=SHORT_EVERY if short else 1):
        if sample.kind == "article":
            blocks, by_labels, by_rules = overruled(sample)
            found += blocks
            labels.append(by_labels)
            ruled.append(by_rules)
    if not labels:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    for kept, verdict in ((False, "left out"), (True, "taken in")):
        rows: defaultdict[str, list[Overruled]] = defaultdict(list)
        for block in found:
            if block.kept == kept:
                rows[block.kind].append(block)
        for kind, blocks in sorted(rows.items(), key=lambda row: -len(row[1])):
            pages = len({block.page for block in blocks})
            print(
                f"| {verdict} | {kind} | {len(blocks)} | {pages} | {sum(b.words for b in blocks)} |"
            )
            yield Figure(metric=f"{verdict}: {kind}", unit="blocks", ours=len(blocks))
            yield Figure(metric=f"{verdict}: {kind}, pages", unit="pages", ours=pages)
    yield Figure(metric="labels themselves: f1", unit="share", ours=mean(labels).f1)
    yield Figure(metric="labels after the rules: f1", unit="share", ours=mean(ruled).f1)


if __name__ == "__main__":
    main("body_overruled", run, about="Labels that the rules of the body overrule.")
