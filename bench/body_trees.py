"""Gradient-boosted trees in place of the body's tables of weights: what they would gain, and what they would cost.

Development articles, five folds by site, judged by the whole of `read_body`. One pass takes all measures at once. Two
passes are: measures that need no container; the container by prose weighted with the first pass's probabilities,
squared; then all measures and what the first pass said of the blocks around. In training the first pass has not seen the
page it speaks of. The trees are LightGBM's (`make .venv/bench`), which the program does without; they are evaluated
once with arrays, once in plain Python.

    python bench/body_trees.py                 # all forms
    python bench/body_trees.py --only WORD     # forms whose names hold a word
"""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from body_folds import Difference, Judged, difference, judged, known_weights, lessons, only
from body_train import FOLDS, KIND_WEIGHTS, Lesson, Names, block_weights, fold_of
from figures import Figure, main
from tree_measures import Numbers, Surveyed, second, survey
from wcxb import Score, mean, score
from wireroom.parse.body import read_body
from wireroom.parse.body.block_features import measure
from wireroom.parse.body.block_weights import Weights
from wireroom.parse.body.element_names import Scorer

TIMED_PAGES = 100
TIMED_ROUNDS = 5


class Form(NamedTuple):
    """A form of the trees."""

    name: str
    trees: int
    leaves: int
    passes: int
    slim: bool = False
    """With today's fourteen measures alone; a second pass adds what the first said."""

    parts: int = 2
    """Into so many parts the sites are dealt to learn from: what the first pass says of one comes of the others."""

    @property
    def rate(self) -> float:
        """Fewer trees learn faster."""
        return min(0.15, 12.5 / self.trees)


FORMS = (
    Form("one pass, 250 trees of 16 leaves", 250, 16, 1),
    Form("two passes, 250 trees of 16 leaves", 250, 16, 2),
    Form("two passes, 250 trees of 16 leaves, five parts", 250, 16, 2, parts=5),
    Form("two passes, 60 trees of 8 leaves", 60, 8, 2),
    Form("14 measures, one pass, 250 trees of 16 leaves", 250, 16, 1, slim=True),
    Form("14 measures, one pass, 60 trees of 8 leaves", 60, 8, 1, slim=True),
    Form("14 measures, two passes, 60 trees of 8 leaves", 60, 8, 2, slim=True),
)


class Rows(NamedTuple):
    """A page as both passes take it."""

    lesson: Lesson
    surveyed: Surveyed
    slim: Numbers

    def first(self, form: Form) -> Numbers:
        """The measures of a first pass, or of the only one."""
        if form.slim:
            return self.slim
        if form.passes == 1:
            everywhere = np.ones(len(self.slim))
            return np.hstack((self.surveyed.numbers, second(self.surveyed, everywhere)))
        return self.surveyed.numbers

    def second(self, form: Form, spoken: Numbers) -> Numbers:
        """The measures of a second pass."""
        own = self.slim if form.slim else self.surveyed.numbers
        return np.hstack((own, second(self.surveyed, spoken)))


def rows_of(lesson: Lesson, scorer: Scorer) -> Rows:
    """A page with all its measures."""
    slim = np.array(measure(lesson.columns, scorer).numbers, dtype=np.float32).T
    return Rows(lesson, survey(lesson.columns, scorer), slim)


# --- learning -------------------------------------------------------------------------------------

Model = Any
"""A booster of LightGBM."""


def learn(pages: Sequence[Rows], numbers: Sequence[Numbers], form: Form) -> Model:
    """Trees from pages, each with its measures."""
    lightgbm = _lightgbm()
    weights = [block_weights(page.lesson, KIND_WEIGHTS[page.lesson.sample.kind]) for page in pages]
    right = np.concatenate([np.array(page.lesson.right, dtype=np.float64) for page in pages])
    weight = np.concatenate(weights)
    counted = weight > 0
    data = lightgbm.Dataset(
        np.concatenate(numbers)[counted],
        right[counted],
        weight=weight[counted] / weight[counted].mean(),
    )
    return lightgbm.train(
        {
            "objective": "binary",
            "num_leaves": form.leaves,
            "learning_rate": form.rate,
            "min_data_in_leaf": 60,
            "max_bin": 63,
            "lambda_l2": 2.0,
            "feature_fraction": 0.5,
            "bagging_fraction": 0.6,
            "bagging_freq": 1,
            "num_threads": 1,
            "seed": 1,
            "deterministic": True,
            "verbose": -1,
        },
        data,
        form.trees,
    )


def _lightgbm() -> Any:
    import lightgbm

    return lightgbm


def predictions(form: Form, known: Sequence[Rows], unseen: Sequence[Rows]) -> Learned:
    """What trees that were learned from some pages say of others."""
    first = learn(known, [page.first(form) for page in known], form)
    spoken = [_chances(first, page.first(form)) for page in unseen]
    if form.passes == 1:
        return Learned([first], spoken)
    before = _from_other_sites(form, known)
    numbers = [page.second(form, chances) for page, chances in zip(known, before, strict=True)]
    last = learn(known, numbers, form)
    return Learned(
        [first, last],
        [
            _chances(last, page.second(form, chances))
            for page, chances in zip(unseen, spoken, strict=True)
        ],
    )


class Learned(NamedTuple):
    """Models, and the chances that the last of them gives the blocks of pages it has not seen."""

    models: list[Model]
    chances: list[Numbers]


def _chances(model: Model, numbers: Numbers) -> Numbers:
    chances: Numbers = model.predict(numbers, num_threads=1)
    return chances


def _from_other_sites(form: Form, pages: Sequence[Rows]) -> list[Numbers]:
    """The chances that a first pass gives the blocks of each page; it has learned from other sites."""
    chances: dict[str, Numbers] = {}
    parts = [_hash(page) % form.parts for page in pages]
    for part in range(form.parts):
        others = [page for page, own in zip(pages, parts, strict=True) if own != part]
        model = learn(others, [page.first(form) for page in others], form)
        for page, own in zip(pages, parts, strict=True):
            if own == part:
                chances[page.lesson.sample.id] = _chances(model, page.first(form))
    return [chances[page.lesson.sample.id] for page in pages]


def _hash(page: Rows) -> int:
    return zlib.crc32(page.lesson.domain.encode()[::-1])


# --- reading with them ----------------------------------------------------------------------------


def read_with(article: Judged, known: Numbers) -> Score:
    """How well a page is read with these probabilities."""
    weights = known_weights(article.weights, known.tolist())
    return score(read_body(article.page(), weights=weights).text, article.sample.truth)


# --- evaluating without LightGBM ------------------------------------------------------------------


class MaskedTrees:
    """Trees of up to 16 leaves as arrays: each question that is answered by no takes leaves away."""

    def __init__(self, model: Model) -> None:
        """The trees of a model."""
        dumped = model.dump_model()["tree_info"]
        self._values = np.zeros((len(dumped), 16))
        questions: dict[int, list[tuple[float, int, int]]] = {}
        for tree, info in enumerate(dumped):
            leaves: list[float] = []
            for feature, cut, lost in _questions(info["tree_structure"], leaves):
                questions.setdefault(feature, []).append((cut, tree, lost))
            self._values[tree, : len(leaves)] = leaves
        self._tables = [
            (feature, *_masks(asked, len(dumped))) for feature, asked in questions.items()
        ]
        self._first_leaf = np.array(
            [0, *((mask & -mask).bit_length() - 1 for mask in range(1, 1 << 16))]
        )
        self._trees = np.arange(len(dumped))

    def sums(self, numbers: Numbers) -> Numbers:
        """What all trees add up to for each row."""
        left = np.full((len(numbers), len(self._trees)), 0xFFFF, dtype=np.uint16)
        for feature, cuts, masks in self._tables:
            left &= masks[np.searchsorted(cuts, numbers[:, feature])]
        sums: Numbers = self._values[self._trees, self._first_leaf[left]].sum(axis=1)
        return sums


def _questions(node: dict[str, Any], leaves: list[float]) -> Iterator[tuple[int, float, int]]:
    """Each question below a node with the leaves that are lost when the answer is no."""
    if "leaf_value" in node:
        leaves.append(node["leaf_value"])
        return
    start = len(leaves)
    yield from _questions(node["left_child"], leaves)
    lost = sum(1 << leaf for leaf in range(start, len(leaves)))
    yield node["split_feature"], node["threshold"], lost
    yield from _questions(node["right_child"], leaves)


def _masks(asked: list[tuple[float, int, int]], trees: int) -> tuple[Numbers, Numbers]:
    """The cuts of a measure in order, and the leaves that each tree has left above so many of them."""
    asked.sort()
    masks = np.full((len(asked) + 1, trees), 0xFFFF, dtype=np.uint16)
    for place, (_, tree, lost) in enumerate(asked, 1):
        masks[place] = masks[place - 1]
        masks[place, tree] &= 0xFFFF ^ lost
    return np.array([cut for cut, _, _ in asked], dtype=np.float64), masks


Node = Any
"""A leaf's value, or a measure, a cut and two nodes."""


def plain_trees(model: Model) -> list[Node]:
    """The trees as nested tuples."""
    return [_plain(info["tree_structure"]) for info in model.dump_model()["tree_info"]]


def _plain(node: dict[str, Any]) -> Node:
    if "leaf_value" in node:
        return node["leaf_value"]
    children = _plain(node["left_child"]), _plain(node["right_child"])
    return (node["split_feature"], node["threshold"], *children)


def plain_sums(trees: Sequence[Node], rows: Sequence[Sequence[float]]) -> list[float]:
    """What all trees add up to for each row."""
    sums = []
    for row in rows:
        total = 0.0
        for tree in trees:
            node = tree
            while node.__class__ is tuple:
                node = node[2] if row[node[0]] <= node[1] else node[3]
            total += node
        sums.append(total)
    return sums


class Cost(NamedTuple):
    """Milliseconds of CPU a page."""

    arrays: float
    plain: float
    measures: float
    """Taking the measures beyond the program's own, as the bench does it."""


def cost_of(form: Form, models: Sequence[Model], pages: Sequence[Rows]) -> Cost:
    """What evaluating costs a page; the arrays must say what LightGBM says."""
    pages = pages[:TIMED_PAGES]
    scorer = Weights(names={}, start=0.0, tables=()).score
    first = [page.first(form) for page in pages]
    numbers = [first]
    if form.passes == 2:
        chances = [_chances(models[0], rows) for rows in first]
        numbers.append([p.second(form, s) for p, s in zip(pages, chances, strict=True)])
    arrays = plain = 0.0
    for model, blocks in zip(models, numbers, strict=True):
        masked, trees = MaskedTrees(model), plain_trees(model)
        sums = np.concatenate([masked.sums(rows.astype(np.float64)) for rows in blocks])
        raw = np.concatenate([model.predict(rows, raw_score=True) for rows in blocks])
        assert np.allclose(sums, raw)
        doubles = [rows.astype(np.float64) for rows in blocks]
        listed = [rows.tolist() for rows in blocks]
        arrays += _lowest(partial(_each, masked.sums, doubles), len(pages))
        plain += _lowest(partial(_each, partial(plain_sums, trees), listed), len(pages))

    def taken() -> None:
        for page in pages:
            if not form.slim:
                survey(page.lesson.columns, scorer)
            if form.passes == 2 or not form.slim:
                second(page.surveyed, np.ones(len(page.slim)))

    return Cost(arrays, plain, _lowest(taken, len(pages)))


def _each(work: Callable[[Any], object], pages: Sequence[Any]) -> None:
    for page in pages:
        work(page)


def _lowest(work: Callable[[], object], pages: int) -> float:
    times = []
    for _ in range(TIMED_ROUNDS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return 1000 * min(times) / pages


# --- figures --------------------------------------------------------------------------------------


def run(short: bool, word: str = "") -> Iterator[Figure]:
    """Every form beside today's reader."""
    try:
        _lightgbm()
    except ImportError:
        print("LightGBM is not installed: make .venv/bench", file=sys.stderr)
        return
    pages = lessons(short=short)
    if not pages:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    articles = list(judged(pages, short=short))
    forms = [form for form in (FORMS[-2:] if short else FORMS) if word in form.name]
    chances, costs = _all_folds(forms, pages)
    sites = [article.sample.domain() for article in articles]
    today = [_read_today(article) for article in articles]
    yield from _scores("today", today)
    for form in forms:
        known = chances[form]
        new = [
            read_with(article, known[article.sample.id]) if article.sample.id in known else old
            for article, old in zip(articles, today, strict=True)
        ]  # a page without any text has no blocks to judge
        yield from _scores(form.name, new, difference(sites, today, new))
        for name, value in costs[form]._asdict().items():
            yield Figure(metric=f"{form.name}: {_COSTS[name]}", unit="ms a page", ours=value)


_COSTS = {
    "arrays": "evaluated with arrays",
    "plain": "evaluated in plain Python",
    "measures": "taking its further measures",
}


def _all_folds(
    forms: Sequence[Form], pages: Sequence[Lesson]
) -> tuple[dict[Form, dict[str, Numbers]], dict[Form, Cost]]:
    chances: dict[Form, dict[str, Numbers]] = {form: {} for form in forms}
    costs: dict[Form, Cost] = {}
    pages = [page for page in pages if page.columns.text]
    for fold in range(FOLDS):
        others = [page for page in pages if fold_of(page.domain) != fold]
        names = Names(others)
        whole = Weights(names=names.worth, start=0.0, tables=()).score
        known = [rows_of(page, names.score_without(page.domain)) for page in others]
        unseen = [
            rows_of(page, whole)
            for page in pages
            if fold_of(page.domain) == fold and page.sample.kind == "article"
        ]
        for form in forms:
            learned = predictions(form, known, unseen)
            for page, probabilities in zip(unseen, learned.chances, strict=True):
                chances[form][page.lesson.sample.id] = probabilities
            if form not in costs:
                costs[form] = cost_of(form, learned.models, unseen)
    return chances, costs


def _read_today(article: Judged) -> Score:
    return score(read_body(article.page(), weights=article.weights).text, article.sample.truth)


def _scores(name: str, scores: list[Score], change: Difference | None = None) -> Iterator[Figure]:
    for part, value in mean(scores)._asdict().items():
        aim = str(change) if change and part == "f1" else ""
        yield Figure(metric=f"{name}: {part}", unit="share", ours=value, aim=aim)
    if change:
        yield Figure(metric=f"{name}: gain, low end", unit="share", ours=change.low)
        yield Figure(metric=f"{name}: gain, high end", unit="share", ours=change.high)


if __name__ == "__main__":
    _only = only()
    main(
        "body_trees",
        lambda short: run(short, _only),
        about="Trees in place of the body's tables of weights; --only WORD for some forms.",
        is_part=bool(_only),
    )
