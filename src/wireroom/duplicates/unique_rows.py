"""Which rows of a large table are duplicates of an earlier one: by address, by text, or nearly. Pure.

Made for many rows at once, where a store would be too slow: signatures lie in arrays, some 400 bytes a row. Rows are
numbered in the order in which they count; of each cluster the first stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import numpy as np

from wireroom.duplicates.cluster_options import ClusterOptions
from wireroom.duplicates.clustering import UnionFind
from wireroom.duplicates.similarity import NEAR_DUPLICATES, rule_of
from wireroom.model import Signature

DuplicateKind: TypeAlias = Literal["address", "text", "near"]

COMPARED = (
    16  # earlier rows of the same band that a row is compared with: of thousands, some are enough
)
_STRONGEST: tuple[DuplicateKind, ...] = ("address", "text", "near")
_DIGITS = 12  # of a row's number as a name, so that names are in order


class UniqueRows:
    """Takes signatures row by row, then says which rows are duplicates."""

    def __init__(self, options: ClusterOptions) -> None:
        self._options = options
        self._places = options.bands + 1
        self._bands: list[bytes] = []
        self._minhashes: list[bytes] = []
        self._languages: list[str] = []
        self._ids: list[str] = []
        self._seen: list[float] = []

    def add(
        self, article_id: str, language: str, seen_at: datetime, signed: Signature | None
    ) -> int:
        """Takes one row; gives its number."""
        bands = signed.bands if signed is not None else ()
        # What is too short for a band of its own shares none: a value that no band has, for each row another.
        missing = [2**63 + len(self._ids)] * (self._places - len(bands))
        self._bands.append(np.array([*bands, *missing], dtype=np.uint64).tobytes())
        self._minhashes.append(signed.minhash if signed is not None else b"")
        self._languages.append(language)
        self._ids.append(article_id)
        self._seen.append(seen_at.timestamp())
        return len(self._ids) - 1

    def article_id(self, row: int) -> str:
        """The article of a row."""
        return self._ids[row]

    def duplicates(self, order: list[int]) -> dict[int, DuplicateKind]:
        """Rows that are duplicates of one that comes before them in this order, and by what."""
        rank = {row: place for place, row in enumerate(order)}
        parts = UnionFind()
        kinds: dict[int, DuplicateKind] = {}
        for first, later, kind in self._pairs(order):
            parts.join(f"{rank[first]:0{_DIGITS}d}", f"{rank[later]:0{_DIGITS}d}")
            kinds[later] = min(kind, kinds.get(later, kind), key=_STRONGEST.index)
        found: dict[int, DuplicateKind] = {}
        for part in parts.all():
            for name in part[1:]:
                row = order[int(name)]
                found[row] = kinds.get(row, "near")
        return found

    def _pairs(self, order: list[int]) -> Iterator[tuple[int, int, DuplicateKind]]:
        """Two rows at a time that are the same, the earlier one first."""
        yield from self._same_address(order)
        bands = np.frombuffer(b"".join(self._bands), dtype=np.uint64).reshape(-1, self._places)
        bands = bands[order]
        for place in range(self._places):
            column = bands[:, place]
            sorted_rows = np.argsort(column, kind="stable")
            values = column[sorted_rows]
            edges = np.flatnonzero(np.diff(values)) + 1
            for run in np.split(sorted_rows, edges):
                if len(run) > 1:
                    yield from self._alike([order[int(at)] for at in run])

    def _same_address(self, order: list[int]) -> Iterator[tuple[int, int, DuplicateKind]]:
        first: dict[str, int] = {}
        for row in order:
            earlier = first.setdefault(self._ids[row], row)
            if earlier != row:
                yield earlier, row, "address"

    def _alike(self, rows: list[int]) -> Iterator[tuple[int, int, DuplicateKind]]:
        """Near-duplicates among rows that share a band, which are in order."""
        signatures = [self._signature(row) for row in rows]
        for at, signature in enumerate(signatures):
            for before in range(max(0, at - COMPARED), at):
                rule = rule_of(signatures[before], signature, self._options)
                if rule in NEAR_DUPLICATES:
                    yield rows[before], rows[at], "text" if rule == "same words" else "near"

    def _signature(self, row: int) -> Signature:
        bands = np.frombuffer(self._bands[row], dtype=np.uint64)
        return Signature(
            article_id=str(row),
            bands=tuple(map(int, bands)),
            minhash=self._minhashes[row],
            language=self._languages[row],
            seen_at=datetime.fromtimestamp(self._seen[row], UTC),
        )
