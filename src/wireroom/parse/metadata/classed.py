"""Elements by words in their class names: one query and one search for all words together.

Reads a tree that somebody else parsed. Which words mean what is for others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_CLASSED: Final = 30_000  # elements with a class; the longest real pages have some 20,000


class Classed:
    """Every element with a class, to be asked which ones have certain words in it.

    One query and one search over all names together: a query for each word would look at every element
    of the page again.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._nodes: list[LexborNode] = []
        self._starts: list[int] = []
        self._headline = MAX_CLASSED
        names: list[str] = []
        place = last = 0
        for node in tree.css("h1,[class]")[:MAX_CLASSED]:
            name = node.attrs.get("class")
            if name is None:
                self._headline = min(self._headline, len(self._nodes))
                continue
            key = node.mem_id
            if key == last:  # an h1 with a class comes twice
                self._headline = min(self._headline, len(self._nodes) - 1)
                continue
            last = key
            self._nodes.append(node)
            self._starts.append(place)
            names.append(name)
            place += len(name) + 1
        self._names = "\n".join(names)

    def having(self, words: Iterable[str]) -> list[tuple[LexborNode, bool]]:
        """The elements with one of these words in a class, in order, and whether after the headline."""
        places = sorted({place for word in words for place in self._places(word)})
        return [(self._nodes[place], place > self._headline) for place in places]

    def _places(self, word: str) -> Iterator[int]:
        found = self._names.find(word)
        while found >= 0:
            place = bisect_right(self._starts, found) - 1
            yield place
            if place + 1 == len(self._starts):
                return
            found = self._names.find(word, self._starts[place + 1])
