"""How well duplicates are found, how fast texts are signed, and how fast near-duplicates are looked up.

The pairs are those of `pairs.py`: thresholds were chosen on its `dev` part, what is shown here is the
`held-out` one. The peer is datasketch's MinHashLSH in memory, given our shingles and our threshold;
it has no rows in a database, so restarts and other processes do not see what it holds. A lookup is
the best of several rounds: what it costs with a warm cache and the machine to itself.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from cluster import own_postgres
from figures import Figure, Stopwatch, main, percentile
from pairs import Pair, labelled_pairs, real_texts
from wireroom.duplicates import ClusterOptions, sign
from wireroom.duplicates.minhash import bands_of, tokens_of
from wireroom.duplicates.similarity import are_near_duplicates
from wireroom.model import Signature
from wireroom.store import open_store

OPTIONS = ClusterOptions()
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PEER = "datasketch"
WORDS = 600  # of the articles that are signed
ROUNDS = 5  # of signing them all, or looking all up; the best of each counts, for others use the machine, too
COPIED = 0.2  # of the signatures in a full window are edited copies of another
COPY_LIKENESS = 0.8
BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    every: int
    """Of the real pages each so-manieth is edited."""
    signed: int
    window: int
    """Signatures in the window."""
    lookups: int


SHORT = Size(every=40, signed=20, window=2_000, lookups=100)
FULL = Size(every=1, signed=300, window=200_000, lookups=2_000)


def measure(short: bool) -> Iterator[Figure]:
    """Every figure of clustering."""
    size = SHORT if short else FULL
    if not real_texts("held-out"):
        print("no real pages beside the repository: the town and the series alone", file=sys.stderr)
    yield from _quality(size)
    yield _signing(size)
    yield from _lookups(size)


# --- quality -----------------------------------------------------------------------------------


class Verdicts(NamedTuple):
    """What was said of the pairs, in their order."""

    pairs: Sequence[Pair]
    near_duplicates: Sequence[bool]

    def precision(self) -> float:
        """Of those that were called the same, how many are."""
        called = [pair.same for pair, near_duplicates in zip(*self, strict=True) if near_duplicates]
        return sum(called) / len(called)

    def recall(self, kind: str = "") -> float:
        """Of those that are the same, or of those of a kind, how many were called so."""
        same = [
            near_duplicates
            for pair, near_duplicates in zip(*self, strict=True)
            if pair.same and kind in pair.kind
        ]
        return sum(same) / len(same)


def _quality(size: Size) -> Iterator[Figure]:
    pairs = labelled_pairs("held-out", every=size.every)
    ours = Verdicts(pairs, [_ours(pair) for pair in pairs])
    peer = Verdicts(pairs, _peers(pairs)) if find_spec(PEER) else None
    count = Counter(pair.same for pair in pairs)
    yield Figure(
        metric=f"precision on {count[True]:,} near-duplicates and {count[False]:,} others, held out",
        unit="share",
        ours=ours.precision(),
        peer=peer.precision() if peer else None,
        peer_name=PEER,
        aim="≥ 0.99",
    )
    for kind in ["", *sorted({pair.kind for pair in pairs if pair.same})]:
        yield Figure(
            metric=f"recall, {kind}" if kind else "recall",
            unit="share",
            ours=ours.recall(kind),
            peer=peer.recall(kind) if peer else None,
            peer_name=PEER,
            aim="" if kind else "≥ 0.95",
        )


def _ours(pair: Pair) -> bool:
    signature, other = (
        sign("", text, pair.language, NOW, OPTIONS) for text in (pair.text, pair.other)
    )
    return (
        signature is not None
        and other is not None
        and are_near_duplicates(signature, other, OPTIONS)
    )


def _peers(pairs: Sequence[Pair]) -> list[bool]:
    """Every first text is put in, every second one looked up, and the estimate is checked."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=OPTIONS.threshold, num_perm=OPTIONS.permutations)
    firsts = [_peer_sign(pair.text) for pair in pairs]
    for number, signature in enumerate(firsts):
        index.insert(number, signature)
    near_duplicates = []
    for number, pair in enumerate(pairs):
        other = _peer_sign(pair.other)
        found = number in index.query(other)
        near_duplicates.append(found and firsts[number].jaccard(other) >= OPTIONS.threshold)
    return near_duplicates


def _peer_sign(text: str) -> Any:
    from datasketch import MinHash

    signature = MinHash(num_perm=OPTIONS.permutations)
    signature.update_batch(
        [shingle.encode() for shingle in tokens_of(text, OPTIONS).all_shingles()]
    )
    return signature


# --- signing -----------------------------------------------------------------------------------


def _signing(size: Size) -> Figure:
    texts = _texts(size)
    return Figure(
        metric=f"an article of {WORDS} words signed (CPU time)",
        unit="ms",
        ours=_best(lambda text: sign("", text, "en", NOW, OPTIONS), texts),
        peer=_best(_peer_sign, texts) if find_spec(PEER) else None,
        peer_name=PEER,
        aim="< 0.5",
    )


def _texts(size: Size) -> list[str]:
    """Articles of one length: real ones, or issues of series where those are missing."""
    texts = real_texts("held-out") or [pair.text * 10 for pair in labelled_pairs("held-out")]
    words = [text.split() for text in texts]
    return [" ".join(word[:WORDS]) for word in words if len(word) >= WORDS][: size.signed]


def _best(do: Callable[[str], object], texts: Sequence[str]) -> float:
    """Milliseconds a text in the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = process_time()
        for text in texts:
            do(text)
        best = min(best, process_time() - started)
    return best / len(texts) * 1000


# --- a full window -----------------------------------------------------------------------------


def _lookups(size: Size) -> Iterator[Figure]:
    values = _window(size.window)
    asked = random.Random(2).sample(range(size.window), size.lookups)
    peer = _peer_lookups(values, asked) if find_spec(PEER) else {}
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        ours = _store_lookups(f"sqlite:///{folder}/near_duplicates.db", values, asked)
        yield from _lookup_figures("SQLite", size, ours, peer)
    with own_postgres() as address:
        if address is not None:
            ours = _store_lookups(address, values, asked)
            yield from _lookup_figures("PostgreSQL", size, ours, {})


def _window(count: int) -> Any:
    """Values of so many signatures, made directly; one in five is a copy of one before it."""
    chance = np.random.default_rng(1)
    values = chance.integers(0, 2**32, (count, OPTIONS.permutations), dtype=np.uint32)
    duplicates = chance.choice(np.arange(1, count), round(count * COPIED), replace=False)
    sources = (duplicates * chance.random(len(duplicates))).astype(int)
    kept = chance.random((len(duplicates), OPTIONS.permutations)) < COPY_LIKENESS
    values[duplicates] = np.where(kept, values[sources], values[duplicates])
    return values


def _signatures(values: Any) -> Iterator[Signature]:
    step = OPTIONS.window / len(values)
    for number, row in enumerate(values):
        yield Signature(
            article_id=f"{number:024x}",
            bands=(number, *bands_of(row, OPTIONS)),
            minhash=row.astype("<u2").tobytes(),
            language="en",
            seen_at=NOW + number * step,
        )


Taken = dict[str, float]


def _taken(
    save: Stopwatch, ask: Callable[[int], object], asked: Sequence[int], count: int
) -> Taken:
    best = [float("inf")] * len(asked)
    for _ in range(ROUNDS):
        watch = Stopwatch()
        for number in asked:
            with watch.running():
                ask(number)
        best = list(map(min, best, watch.laps))
    laps = [lap * 1000 for lap in best]
    return {
        "saved": count / save.seconds,
        "p50": percentile(laps, 0.5),
        "p95": percentile(laps, 0.95),
    }


def _store_lookups(address: str, values: Any, asked: Sequence[int]) -> Taken:
    signatures = list(_signatures(values))
    save = Stopwatch()
    with closing(open_store(address)) as store:
        for start in range(0, len(signatures), BATCH):
            with save.running():
                store.save_signatures(signatures[start : start + BATCH])

        def look_up(number: int) -> Mapping[str, Sequence[Signature]]:
            return store.near_duplicates([signatures[number]], window=OPTIONS.window)

        assert any(found for number in asked for found in look_up(number).values())
        return _taken(save, look_up, asked, len(signatures))


def _peer_lookups(values: Any, asked: Sequence[int]) -> Taken:
    from datasketch import MinHash, MinHashLSH

    def made(row: Any) -> Any:
        return MinHash(num_perm=OPTIONS.permutations, hashvalues=row, scheme="affine32")

    index = MinHashLSH(threshold=OPTIONS.threshold, num_perm=OPTIONS.permutations)
    save = Stopwatch()
    for number, row in enumerate(values):
        signature = made(row)
        with save.running():
            index.insert(number, signature)
    wanted = {number: made(values[number]) for number in asked}
    assert all(number in index.query(minhash) for number, minhash in wanted.items())
    return _taken(save, lambda number: index.query(wanted[number]), asked, len(values))


def _lookup_figures(database: str, size: Size, ours: Taken, peer: Taken) -> Iterator[Figure]:
    name = f"{PEER}, in memory" if peer else ""
    of = f"{database}, {size.window:,} in the window"
    yield Figure(
        metric=f"{of}: signatures saved",
        unit="a second",
        ours=ours["saved"],
        peer=peer.get("saved"),
        peer_name=name,
    )
    for part, aim in (("p50", ""), ("p95", "< 2")):
        yield Figure(
            metric=f"{of}: lookup, {part}",
            unit="ms",
            ours=ours[part],
            peer=peer.get(part),
            peer_name=name,
            aim=aim,
        )


if __name__ == "__main__":
    main("near_duplicates", measure, about="How well and how fast duplicates are found.")
