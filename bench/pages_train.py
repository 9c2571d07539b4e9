"""Makes the weights by which articles are told from other pages, and says how good they are.

Five folds, grouped by domain, so that no publisher is both learned from and judged on. The measures of a
page hang on the body's weights, which were learned from the same pages; so each fold learns the body's
weights anew, without its own pages, and judges with the whole of `judge_page`, rules included. Every
page is learned from twice: with its address, and with less weight without, for callers who have none.

    python bench/pages_train.py                        # figures by cross-validation
    python bench/pages_train.py --write weights.json   # and the weights learned from all pages
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import body_train
from figures import Figure, main
from wcxb import Sample, samples
from wireroom.parse.body import Body, read_body
from wireroom.parse.body.block_weights import Weights, shipped_weights, weights_from
from wireroom.parse.html import Page, open_page
from wireroom.parse.metadata import Metadata, read_metadata
from wireroom.parse.pages import DOUBT_BELOW, REFUSE_BELOW, PageJudgement, judge_page
from wireroom.parse.pages.declared_type import read_declared_type
from wireroom.parse.pages.page_features import FEATURES, measure_page
from wireroom.parse.pages.page_weights import KINDS, VERSION, PageWeights, page_weights_from
from wireroom.parse.pages.url_shape import read_url_shape

if TYPE_CHECKING:
    import numpy as np

SHORT_EVERY = 12  # a short run learns from every so-manieth page, to see that it works
ROUNDS, SHORT_ROUNDS = 400, 40
RATE = 0.15
BINS = 10  # stretches of one measure; with 32 the same figures, but rougher tables
STIFFNESS = 3.0  # added to the weight of a leaf, so that few pages move it little
NO_ADDRESS = 0.25  # weight of a page once more, as if its address were not known
KEPT_DIGITS = 4
LOW_QUALITY = 0.5  # what we want pages other than articles to stay below
UNWANTED = ("service", "product", "collection", "listing")


class Lesson(NamedTuple):
    """A page's numbers, with its address and without."""

    kind: str
    numbers: list[float]
    without_address: list[float]


class Judged(NamedTuple):
    """A page, and what was made of it by weights that did not know it."""

    kind: str
    judgement: PageJudgement
    without_address: PageJudgement
    confidence: float
    """In the text: an article of little confidence has little quality, whatever its page looks like."""


def read(sample: Sample, weights: Weights, url: str) -> tuple[Page, Body, Metadata]:
    """The page as it is read at run time."""
    page = open_page(sample.body(), url=url)
    body = read_body(page, weights=weights)
    return page, body, read_metadata(page.tree, url=url, word_count=body.word_count)


def lesson(sample: Sample, weights: Weights) -> Lesson:
    """The page as something to learn from."""
    _, body, metadata = read(sample, weights, sample.url)
    declared_type = read_declared_type(metadata)
    numbers, without = (
        measure_page(body, metadata, read_url_shape(url), declared_type) for url in (sample.url, "")
    )
    return Lesson(sample.kind, numbers, without)


def judged(sample: Sample, weights: Weights, pages: PageWeights) -> Judged:
    """The page as something to judge."""
    page, body, metadata = read(sample, weights, "")
    without_address = judge_page(page, body, metadata, "", weights=pages)
    page, body, metadata = read(sample, weights, sample.url)
    judgement = judge_page(page, body, metadata, sample.url, weights=pages)
    return Judged(sample.kind, judgement, without_address, body.confidence)


# --- the learner ----------------------------------------------------------------------------------


def learn(lessons: list[Lesson], rounds: int) -> dict[str, Any]:
    """The weights, as the file holds them."""
    import numpy as np

    numbers = np.array(
        [lesson.numbers for lesson in lessons] + [lesson.without_address for lesson in lessons]
    )
    right = np.array(
        [[kind == lesson.kind for kind in KINDS] for lesson in lessons] * 2, dtype=float
    )
    weight = np.repeat([1.0, NO_ADDRESS], len(lessons))
    start, tables = _boost(numbers, right, weight, rounds)
    return {
        "version": VERSION,
        "kinds": list(KINDS),
        "features": list(FEATURES),
        "start": [round(float(value), KEPT_DIGITS) for value in start],
        "tables": tables,
    }


def _boost(
    numbers: np.ndarray, right: np.ndarray, weight: np.ndarray, rounds: int
) -> tuple[np.ndarray, dict[str, Any]]:
    """Boosting of stumps whose leaves hold a sum for every kind, by slope and bend of the log loss."""
    import numpy as np

    cuts = [_cuts(column) for column in numbers.T]
    owner = np.repeat(np.arange(len(cuts)), [len(cut) for cut in cuts])
    place = np.concatenate([np.arange(len(cut)) for cut in cuts])
    below = (numbers[:, owner] < np.concatenate(cuts)).astype(float)  # pages by cuts
    adds = [np.zeros((len(cut) + 1, len(KINDS))) for cut in cuts]
    weight = weight[:, None]
    start = np.log((weight * right).sum(axis=0) / weight.sum())
    total = np.tile(start, (len(right), 1))
    for _ in range(rounds):
        chance = _chances(total)
        slope, bend = weight * (right - chance), weight * chance * (1 - chance)
        low_slope, low_bend = below.T @ slope, below.T @ bend
        low = low_slope / (low_bend + STIFFNESS)
        high_slope, high_bend = slope.sum(axis=0) - low_slope, bend.sum(axis=0) - low_bend
        high = high_slope / (high_bend + STIFFNESS)
        best = int((low_slope * low + high_slope * high).sum(axis=1).argmax())
        feature, cut = owner[best], place[best]
        adds[feature][: cut + 1] += low[best] * RATE
        adds[feature][cut + 1 :] += high[best] * RATE
        total += np.where(below[:, [best]] > 0, low[best], high[best]) * RATE
    return start, {
        name: _table(cut, add)
        for name, cut, add in zip(FEATURES, cuts, adds, strict=True)
        if add.any()
    }


def _chances(total: np.ndarray) -> np.ndarray:
    import numpy as np

    powers = np.exp(total - total.max(axis=1, keepdims=True))
    chances: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return chances


def _cuts(values: np.ndarray) -> np.ndarray:
    """Where one measure is cut: between its values if these are few, else at its quantiles.

    Rounded as the file rounds them, so that what is learned is what is shipped.
    """
    import numpy as np

    distinct = np.unique(values)
    few = len(distinct) <= BINS
    cuts: np.ndarray = (
        (distinct[1:] + distinct[:-1]) / 2
        if few
        else np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1])
    )
    return np.unique(cuts.round(KEPT_DIGITS))


def _table(cuts: np.ndarray, adds: np.ndarray) -> dict[str, Any]:
    """Cuts between which nothing changes are left out."""
    needed = [n for n in range(len(cuts)) if (adds[n] != adds[n + 1]).any()]
    rows = [*needed, needed[-1] + 1]
    return {
        "cuts": [float(cuts[n]) for n in needed],
        "adds": [[round(float(value), KEPT_DIGITS) for value in adds[n]] for n in rows],
    }


# --- figures --------------------------------------------------------------------------------------


def cross_validated(known: list[Sample], short: bool) -> Iterator[Judged]:
    """Each page, judged by weights of both kinds that were learned without its fold."""
    lessons = [
        body_train.lesson(sample) for sample in known if sample.kind in body_train.KIND_WEIGHTS
    ]
    rounds = body_train.SHORT_ROUNDS if short else body_train.ROUNDS
    for fold in range(body_train.FOLDS):
        inside = [body_train.fold_of(sample.domain()) == fold for sample in known]
        body = weights_from(
            body_train.learn([p for p in lessons if body_train.fold_of(p.domain) != fold], rounds)
        )
        rest = [
            lesson(sample, body) for sample, held in zip(known, inside, strict=True) if not held
        ]
        pages = page_weights_from(learn(rest, SHORT_ROUNDS if short else ROUNDS))
        for sample, held in zip(known, inside, strict=True):
            if held:
                yield judged(sample, body, pages)
        print(f"fold {fold + 1} of {body_train.FOLDS}", file=sys.stderr)


def run(short: bool, file: Path | None = None) -> Iterator[Figure]:
    """Learns, judges and, if asked to, writes."""
    known = samples(every=SHORT_EVERY if short else 1)
    if not known:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    yield from _figures(list(cross_validated(known, short)))
    if file:
        lessons = [lesson(sample, shipped_weights()) for sample in known]
        file.write_text(_pretty(learn(lessons, SHORT_ROUNDS if short else ROUNDS)), "utf-8")


def _figures(pages: list[Judged]) -> Iterator[Figure]:
    scores = [(page.kind, page.judgement.article) for page in pages]
    unwanted = [score for kind, score in scores if kind in UNWANTED]
    yield _share(
        "service, product, collection and listing: refused or doubted", unwanted, ">= 0.80"
    )
    for kind in KINDS:
        of_kind = [score for known, score in scores if known == kind]
        aim = "<= 0.03" if kind == "article" else ""
        yield _share(f"{kind}: refused or doubted", of_kind, aim)
        yield _share(f"{kind}: refused", of_kind, below=REFUSE_BELOW)
    for name, kinds in (("the four kinds", UNWANTED), ("article", ("article",))):
        weak = [
            0.0 if p.confidence < LOW_QUALITY else p.judgement.article
            for p in pages
            if p.kind in kinds
        ]
        yield _share(f"{name}: refused, doubted or little confidence in the text", weak)
    blind = [(page.kind, page.without_address.article) for page in pages]
    yield _share(
        "no address, the four kinds: refused or doubted",
        [score for kind, score in blind if kind in UNWANTED],
    )
    yield _share(
        "no address, article: refused or doubted",
        [score for kind, score in blind if kind == "article"],
    )
    named = [page.judgement.kind == page.kind for page in pages]
    yield Figure(metric="kind named rightly", unit="share", ours=sum(named) / len(named))


def _share(
    metric: str, scores: Iterable[float], aim: str = "", *, below: float = DOUBT_BELOW
) -> Figure:
    under = [score < below for score in scores]
    return Figure(metric=metric, unit="share", ours=sum(under) / (len(under) or 1), aim=aim)


def _pretty(weights: Mapping[str, Any]) -> str:
    """JSON that can be read and compared: one table a line."""
    tables = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(table)}" for name, table in weights["tables"].items()
    )
    rest = {name: value for name, value in weights.items() if name != "tables"}
    lines = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in rest.items())
    return f'{{\n{lines}"tables": {{\n{tables}\n}}\n}}\n'


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(add_help=False)
    _parser.add_argument("--write", type=Path)
    _own, _others = _parser.parse_known_args()
    main(
        "pages_train",
        lambda short: run(short, _own.write),
        about="The pages' weights: figures by cross-validation; --write FILE writes the weights.",
        arguments=_others,
    )
