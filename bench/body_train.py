"""Makes the weights by which the body is told from the rest, and says how good they are.

Five folds, grouped by domain, so that no publisher is both learned from and judged on; a page is judged
by the whole of `read_body` with the weights of the folds it is not in. The learner is boosting of
stumps, which adds up to one table per measure. Names (class, id …) are scored first: how much of the
text under a name belongs to the body, over publishers; a page that is learned from sees its names
scored without its own publisher, or it would trust them too much.

    python bench/body_train.py                        # figures by cross-validation
    python bench/body_train.py --write weights.json   # and the weights learned from all pages
    python bench/body_train.py --any                  # the same for pages of all kinds (weights_any.json)
"""

from __future__ import annotations

import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from body_labels import label
from figures import Figure, main
from wcxb import Sample, Score, mean, samples, score, words
from wireroom.parse.body import read_body
from wireroom.parse.body.block_features import FEATURES, measure
from wireroom.parse.body.block_weights import Weights, weights_from
from wireroom.parse.body.blocks import Columns
from wireroom.parse.body.element_names import Scorer, tokens_of
from wireroom.parse.body.repair import lay_out_repaired
from wireroom.parse.html import open_page

if TYPE_CHECKING:
    import numpy as np
    from selectolax.lexbor import LexborNode

FOLDS = 5
SHORT_EVERY = 25  # a short run learns from every so-manieth page, to see that it works
KIND_WEIGHTS = {"article": 1.0, "documentation": 0.3, "service": 0.1}
"""What a page counts by its kind; kinds that are not named are not learned from."""
ANY_WEIGHTS = {
    **dict.fromkeys(("forum", "listing", "collection", "product", "service", "documentation"), 1.0),
    "article": 0.15,
}
"""The same for the weights with which pages of other kinds are read: pages that are judged wrongly are among them."""

MIN_DOMAINS = 3  # publishers that must use a name before it is scored
PRIOR = 2.0  # publishers' worth of doubt about every name
EDGE = 0.02  # keeps a name that is always right or always wrong from an endless score
MIN_SAYING = 0.25  # scores nearer to nothing are not kept in the file

ROUNDS, SHORT_ROUNDS = 250, 30
RATE = 0.2
BINS = 32
STIFFNESS = 2.0  # added to the weight of a leaf, so that few blocks move it little
KEPT_DIGITS = 4


class _Plain(NamedTuple):
    """An element without its tree: a thousand trees would not fit into memory."""

    attributes: dict[str, str | None]


@dataclass(slots=True)
class Lesson:
    """A page laid out and labelled."""

    sample: Sample
    domain: str
    columns: Columns
    right: list[bool]
    lengths: list[int]
    """Words of each block."""
    names: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each name the words under it, and those of them that belong to the body."""


def lesson(sample: Sample) -> Lesson:
    """The page as something to learn from."""
    columns = lay_out_repaired(open_page(sample.body()).tree.body)
    plain = [_Plain(node.attributes) for node in columns.node]
    columns.node = cast("list[LexborNode]", plain)
    columns.spans, columns.parts = {}, {}
    right = [share >= 0.5 for share in label(columns.text, sample.truth)]
    lengths = [len(words(text)) for text in columns.text]
    made = Lesson(sample, sample.domain(), columns, right, lengths)
    made.names = _names(made)
    return made


def _names(page: Lesson) -> dict[str, tuple[int, int]]:
    columns = page.columns
    tokens: list[frozenset[str]] = []
    for element, outer in enumerate(columns.parent):
        own = tokens_of(columns.tag[element], columns.node[element].attributes)
        tokens.append(own | tokens[outer] if outer >= 0 else own)
    under: dict[str, tuple[int, int]] = {}
    for home, right, length in zip(columns.home, page.right, page.lengths, strict=True):
        for token in tokens[home]:
            total, body = under.get(token, (0, 0))
            under[token] = total + length, body + (length if right else 0)
    return under


class Names:
    """What each name is worth, over all publishers or all but one."""

    def __init__(self, pages: Iterable[Lesson], kinds: Collection[str] = ("article",)) -> None:
        sums: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        for page in pages:
            if page.sample.kind in kinds:
                for token, (total, body) in page.names.items():
                    before = sums[token].get(page.domain, (0, 0))
                    sums[token][page.domain] = before[0] + total, before[1] + body
        self.shares = {
            token: {domain: body / total for domain, (total, body) in domains.items() if total}
            for token, domains in sums.items()
            if len(domains) >= MIN_DOMAINS
        }
        self.totals = {
            token: (sum(shares.values()), len(shares)) for token, shares in self.shares.items()
        }
        self.worth = {token: _worth(*total) for token, total in self.totals.items()}

    def score_without(self, domain: str) -> Scorer:
        """A scorer that has not seen one publisher."""
        worth = dict(self.worth)
        for token, shares in self.shares.items():
            if domain in shares:
                total, count = self.totals[token]
                worth[token] = _worth(total - shares[domain], count - 1)
        return Weights(names=worth, start=0.0, tables=()).score


def _worth(total: float, domains: int) -> float:
    """The log odds that text under a name belongs to the body, with some doubt."""
    if domains < MIN_DOMAINS - 1:
        return 0.0
    share = (total + PRIOR * 0.5) / (domains + PRIOR)
    share = share * (1 - EDGE) + EDGE / 2
    return round(log(share / (1 - share)), 2)


# --- the learner ----------------------------------------------------------------------------------


class Taught(NamedTuple):
    """What is learned from: a row a block."""

    numbers: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    names: Names


def learn(pages: list[Lesson], rounds: int, *, any_kind: bool = False) -> dict[str, Any]:
    """The weights, as the file holds them: for articles, or for pages of any kind."""
    return boosted(teach(pages, any_kind=any_kind), rounds)


def teach(pages: list[Lesson], *, any_kind: bool = False) -> Taught:
    """The measures and labels of pages."""
    import numpy as np

    kinds = ANY_WEIGHTS if any_kind else KIND_WEIGHTS
    names = Names(pages, kinds) if any_kind else Names(pages)
    numbers, right, weight = [], [], []
    for page in pages:
        if not page.columns.text:
            continue
        measured = measure(page.columns, names.score_without(page.domain))
        numbers.append(np.array(measured.numbers, dtype=np.float64).T)
        right.append(np.array(page.right, dtype=np.float64))
        weight.append(block_weights(page, kinds[page.sample.kind]))
    return Taught(np.concatenate(numbers), np.concatenate(right), np.concatenate(weight), names)


def boosted(taught: Taught, rounds: int, *, without: str = "") -> dict[str, Any]:
    """The weights that come of it; `without` one measure, which then says nothing."""
    numbers = taught.numbers
    if without:
        numbers = numbers.copy()
        numbers[:, FEATURES.index(without)] = 0.0
    start, tables = _boost(numbers, taught.right, taught.weight, rounds)
    names = sorted(taught.names.worth.items())
    return {
        "start": round(start, KEPT_DIGITS),
        "tables": tables,
        "names": {token: value for token, value in names if abs(value) >= MIN_SAYING},
    }


def block_weights(page: Lesson, kind_weight: float) -> np.ndarray:
    """Long blocks count more, but not by every word; every page of a kind counts the same."""
    import numpy as np

    roots = np.sqrt(np.array(page.lengths, dtype=np.float64))
    counts: np.ndarray = roots / max(roots.sum(), 1.0) * 100 * kind_weight
    return counts


def _boost(
    numbers: np.ndarray, right: np.ndarray, weight: np.ndarray, rounds: int
) -> tuple[float, dict[str, dict[str, list[float]]]]:
    """Boosting of stumps on binned numbers, by gradient and curvature of the log loss."""
    import numpy as np

    counted = weight > 0
    numbers, right, weight = numbers[counted], right[counted], weight[counted]
    weight = weight / weight.mean()
    cuts = [_cuts(numbers[:, feature]) for feature in range(len(FEATURES))]
    bins = [np.searchsorted(cut, numbers[:, n], side="right") for n, cut in enumerate(cuts)]
    adds = [np.zeros(len(cut) + 1) for cut in cuts]
    share = float((weight * right).sum() / weight.sum())
    start = log(share / (1 - share))
    total = np.full(len(right), start)
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-total))
        slope, bend = weight * (right - chance), weight * chance * (1 - chance)
        stump = max(
            (_best_stump(bins[n], len(cuts[n]) + 1, slope, bend, n) for n in range(len(cuts))),
            key=lambda found: found.gain,
        )
        feature, at = stump.feature, stump.cut
        adds[feature][: at + 1] += stump.low * RATE
        adds[feature][at + 1 :] += stump.high * RATE
        total += np.where(bins[feature] <= at, stump.low, stump.high) * RATE
    return start, {
        FEATURES[n]: _as_table(cuts[n], adds[n]) for n in range(len(cuts)) if adds[n].any()
    }


class _Stump(NamedTuple):
    gain: float
    feature: int
    cut: int
    low: float
    high: float


def _best_stump(
    bins: np.ndarray, count: int, slope: np.ndarray, bend: np.ndarray, feature: int
) -> _Stump:
    import numpy as np

    if count < 2:
        return _Stump(-1.0, feature, 0, 0.0, 0.0)
    slopes, bends = np.bincount(bins, slope, count), np.bincount(bins, bend, count)
    low_slope, low_bend = slopes.cumsum()[:-1], bends.cumsum()[:-1]
    high_slope, high_bend = slopes.sum() - low_slope, bends.sum() - low_bend
    gains = low_slope**2 / (low_bend + STIFFNESS) + high_slope**2 / (high_bend + STIFFNESS)
    cut = int(gains.argmax())
    low = float(low_slope[cut] / (low_bend[cut] + STIFFNESS))
    high = float(high_slope[cut] / (high_bend[cut] + STIFFNESS))
    return _Stump(float(gains[cut]), feature, cut, low, high)


def _cuts(values: np.ndarray) -> np.ndarray:
    """Where one measure is cut: between its values if these are few, else at its quantiles."""
    import numpy as np

    distinct = np.unique(values)
    if len(distinct) <= BINS:
        between: np.ndarray = (distinct[1:] + distinct[:-1]) / 2
        return between
    return np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]))


def _as_table(cuts: np.ndarray, adds: np.ndarray) -> dict[str, list[float]]:
    """Cuts between which nothing changes are left out."""
    needed = [n for n in range(len(cuts)) if adds[n] != adds[n + 1]]
    return {
        "cuts": [round(float(cuts[n]), KEPT_DIGITS) for n in needed],
        "adds": [round(float(adds[n]), KEPT_DIGITS) for n in [*needed, needed[-1] + 1]],
    }


# --- figures --------------------------------------------------------------------------------------


def fold_of(domain: str) -> int:
    """Always the same fold for a domain."""
    return zlib.crc32(domain.encode()) % FOLDS


def cross_validated(
    pages: list[Lesson], rounds: int, *, any_kind: bool = False
) -> Iterator[tuple[Sample, Weights]]:
    """Each article, or page of another kind, with the weights that were learned without its fold."""
    for fold in range(FOLDS):
        others = [p for p in pages if fold_of(p.domain) != fold]
        weights = weights_from(learn(others, rounds, any_kind=any_kind))
        for page in pages:
            if fold_of(page.domain) == fold and (page.sample.kind == "article") != any_kind:
                yield page.sample, weights


def by_trafilatura() -> Callable[[bytes], str] | None:
    """The peer, when it is installed."""
    try:
        import trafilatura
    except ImportError:
        return None
    return lambda body: trafilatura.extract(body, include_comments=False) or ""


def run(short: bool, file: Path | None = None, *, any_kind: bool = False) -> Iterator[Figure]:
    """Learns, judges and, if asked to, writes."""
    known = samples(every=SHORT_EVERY if short else 1)
    kinds = ANY_WEIGHTS if any_kind else KIND_WEIGHTS
    pages = [lesson(sample) for sample in known if sample.kind in kinds]
    if not pages:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    rounds = SHORT_ROUNDS if short else ROUNDS
    yield from _figures(cross_validated(pages, rounds, any_kind=any_kind), any_kind=any_kind)
    if file:
        file.write_text(_pretty(learn(pages, rounds, any_kind=any_kind)), encoding="utf-8")


def _figures(judged: Iterable[tuple[Sample, Weights]], *, any_kind: bool) -> Iterator[Figure]:
    peer = by_trafilatura()
    ours: dict[str, list[Score]] = defaultdict(list)
    theirs: list[Score] = []
    read = "pages of other kinds" if any_kind else "articles"
    for sample, weights in judged:
        body = sample.body()
        page = open_page(body, url=sample.url)
        for mode in ("precision", "balanced", "recall"):
            text = read_body(page, mode=mode, any_kind=any_kind, weights=weights).text
            ours[mode].append(score(text, sample.truth))
        if peer:
            theirs.append(score(peer(body), sample.truth))
    their_mean = mean(theirs) if theirs else None
    for mode, scores in ours.items():
        for name, value in mean(scores)._asdict().items():
            other = getattr(their_mean, name) if their_mean else None
            yield Figure(
                metric=f"{read}, {mode}: {name}",
                unit="share",
                ours=value,
                peer=other,
                peer_name="trafilatura",
                aim=">= 0.960" if (mode, name, any_kind) == ("balanced", "f1", False) else "",
            )


def _pretty(weights: Mapping[str, Any]) -> str:
    """JSON that can be read and compared: one table a line, names by the dozen."""
    tables = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(table)}" for name, table in weights["tables"].items()
    )
    names = [f"{json.dumps(name)}: {value}" for name, value in weights["names"].items()]
    lines = ",\n".join("  " + ", ".join(names[n : n + 8]) for n in range(0, len(names), 8))
    return f'{{\n"start": {weights["start"]},\n"tables": {{\n{tables}\n}},\n"names": {{\n{lines}\n}}\n}}\n'


def _file_to_write() -> Path | None:
    """Takes `--write FILE` out of the arguments."""
    if "--write" not in sys.argv[:-1]:
        return None
    place = sys.argv.index("--write")
    file = Path(sys.argv[place + 1])
    del sys.argv[place : place + 2]
    return file


if __name__ == "__main__":
    _file = _file_to_write()
    _any = "--any" in sys.argv
    if _any:
        sys.argv.remove("--any")
    main(
        "body_train_any" if _any else "body_train",
        lambda short: run(short, _file, any_kind=_any),
        about="The body's weights: figures by cross-validation; --write FILE writes the weights.",
    )
