"""Which blocks of a page its true text is made of: the labels that the body's weights learn from.

A block is looked up in the truth by runs of three words. The heaviest chain of blocks that stand in
the truth in the page's own order claims its words first; what is left may be claimed out of order. So
a text that the page says twice and the truth once is right only once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from wcxb import words

RUN = 3  # words that make a place in the truth likely
PLACES = 8  # places of one run that are looked at; frequent phrases have hundreds
CANDIDATES = 4  # places of a block that are tried
SLACK = 8  # words by which a block and the truth may be out of step
SHORT_WEIGHT = 0.9  # a label of one or two words may stand anywhere; prefer longer blocks


class _Place(NamedTuple):
    start: int
    covered: int


class _Link(NamedTuple):
    """The best chain that ends with a block at a place."""

    weight: float
    block: int
    start: int
    before: _Link | None


def label(blocks: Sequence[str], truth: str) -> list[float]:
    """For each block the share of its words that belongs to the truth."""
    truth_words = words(truth)
    texts = [words(block) for block in blocks]
    places = _Index(truth_words).places(texts)
    claims = _Claims(truth_words)
    labels = [0.0] * len(blocks)
    chained = set()
    for link in _chain(texts, places, len(truth_words)):
        text = texts[link.block]
        start = max(link.start - SLACK // 2, 0) if len(text) >= RUN else link.start
        labels[link.block] = claims.claim(text, start)
        chained.add(link.block)
    for block, candidates in enumerate(places):
        if block not in chained:
            labels[block] = claims.claim_first_free(texts[block], candidates)
    return labels


class _Index:
    """Where runs of words stand in the truth."""

    def __init__(self, truth_words: list[str]) -> None:
        self.truth_words = truth_words
        self.runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self.singles: dict[str, list[int]] = defaultdict(list)
        for place in range(len(truth_words) - RUN + 1):
            self.runs[tuple(truth_words[place : place + RUN])].append(place)
        for place, word in enumerate(truth_words):
            self.singles[word].append(place)

    def places(self, texts: list[list[str]]) -> list[list[_Place]]:
        """For each block the places where it may stand."""
        return [self._long(text) if len(text) >= RUN else self._short(text) for text in texts]

    def _short(self, text: list[str]) -> list[_Place]:
        if not text:
            return []
        starts = self.singles.get(text[0], ())
        found = [start for start in starts if self.truth_words[start : start + len(text)] == text]
        return [_Place(start, len(text)) for start in found[:20]]

    def _long(self, text: list[str]) -> list[_Place]:
        votes: dict[int, int] = defaultdict(int)
        for offset in range(len(text) - RUN + 1):
            for place in self.runs.get(tuple(text[offset : offset + RUN]), ())[:PLACES]:
                votes[place - offset] += 1
        best = sorted(votes, key=lambda shift: -votes[shift])[:CANDIDATES]
        return [_Place(max(shift, 0), self._covered(votes, shift, len(text))) for shift in best]

    def _covered(self, votes: dict[int, int], shift: int, length: int) -> int:
        near = sum(count for other, count in votes.items() if abs(other - shift) <= SLACK)
        return min(near + RUN - 1, length)


def _chain(texts: list[list[str]], places: list[list[_Place]], size: int) -> list[_Link]:
    """The heaviest chain of blocks whose places in the truth rise with their order on the page."""
    tree: list[_Link | None] = [None] * (size + 3)
    for block, candidates in enumerate(places):
        ends = []
        for place in candidates:
            before = _heaviest(tree, place.start - 1)
            long = len(texts[block]) >= RUN
            weight = place.covered * (1.0 if long else SHORT_WEIGHT)
            link = _Link(weight + (before.weight if before else 0.0), block, place.start, before)
            ends.append((min(place.start + max(place.covered - 1, 0), size), link))
        for end, link in ends:
            _enter(tree, end, link)
    chain = []
    last = _heaviest(tree, size)
    while last:
        chain.append(last)
        last = last.before
    return chain[::-1]


def _heaviest(tree: list[_Link | None], place: int) -> _Link | None:
    """The heaviest chain that ends at or before a place (a Fenwick tree of maxima)."""
    best: _Link | None = None
    node = place + 1
    while node > 0:
        here = tree[node]
        if here and (best is None or here.weight > best.weight):
            best = here
        node -= node & -node
    return best


def _enter(tree: list[_Link | None], place: int, link: _Link) -> None:
    node = place + 1
    while node < len(tree):
        here = tree[node]
        if here is None or link.weight > here.weight:
            tree[node] = link
        node += node & -node


class _Claims:
    """The words of the truth, each of which can be had once."""

    def __init__(self, truth_words: list[str]) -> None:
        self.truth_words = truth_words
        self.taken = bytearray(len(truth_words) + 1)

    def claim_first_free(self, text: list[str], candidates: list[_Place]) -> float:
        """Claims at the first place that is still free there."""
        best = 0.0
        for place in candidates:
            middle = min(place.start + len(text) // 2, len(self.truth_words) - 1)
            if not self.taken[middle]:
                best = max(best, self.claim(text, place.start))
            if best >= 0.5:
                break
        return best

    def claim(self, text: list[str], start: int) -> float:
        """The share of the words that could be claimed from a place on."""
        end = min(len(self.truth_words), start + len(text) + SLACK + RUN)
        here, claimed = start, 0
        for word in text:
            place = self._next(word, here, min(end, here + SLACK))
            if place >= 0:
                self.taken[place] = 1
                claimed += 1
                here = place + 1
        return claimed / len(text)

    def _next(self, word: str, start: int, end: int) -> int:
        for place in range(start, end):
            if not self.taken[place] and self.truth_words[place] == word:
                return place
        return -1
