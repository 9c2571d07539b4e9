"""What each rule and each measure of the body brings: left out one at a time, judged on the development articles.

Five folds by site, the whole of `read_body`; differences are paired by page, their intervals (95 %) come from 1,000
samples of sites. A rule is left out by putting another function in its place, for all weights alike; without a measure
the weights are learned anew. A figure below nothing is what would be lost.

    python bench/body_rules.py                  # all of them, as a table
    python bench/body_rules.py --only WORD      # rules whose names hold a word
"""

# ruff: noqa: SLF001 - what is left out here is private to its module

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

from body_folds import Difference, Judged, difference, judged, lessons, only
from body_train import FOLDS, ROUNDS, SHORT_ROUNDS, Lesson, boosted, fold_of, teach
from figures import Figure, main
from wcxb import Score, mean, score
from wireroom.parse.body import (
    author_notes,
    block_features,
    block_rules,
    body_reader,
    boxes,
    captions,
    notices,
    other_articles,
    paper_notes,
    read_body,
    repair,
    standfirst,
)
from wireroom.parse.body.block_weights import Weights, weights_from
from wireroom.parse.body.notice_phrases import NoticePhrases
from wireroom.parse.html import Page

SHORT_RULES = 6  # rules and measures of a short run


class Rule(NamedTuple):
    """A rule, and what stands in its place when it is left out."""

    name: str
    patches: tuple[tuple[ModuleType, str, Any], ...]


# --- what is left out -----------------------------------------------------------------------------


class _Never:
    """A pattern that is never found."""

    def search(self, *_: object) -> None:
        """Nothing."""

    match = fullmatch = search


def _nothing(*_: object) -> None:
    return None


def _none(*_: object, **__: object) -> list[Any]:
    return []


def _no(*_: object, **__: object) -> bool:
    return False


def _yes(*_: object, **__: object) -> bool:
    return True


NEVER = _Never()
NO_PHRASES = NoticePhrases(())
NOBODY: frozenset[str] = frozenset()


def _off(module: ModuleType, name: str, **instead: Any) -> Rule:
    return Rule(name, tuple((module, key, value) for key, value in instead.items()))


def _whole_rules() -> Iterator[Rule]:
    """The rules as they run one after another."""
    for left in block_rules._RULES:
        others = tuple(rule for rule in block_rules._RULES if rule is not left)
        name = left.__name__.strip("_").replace("_", " ")
        yield Rule(name, ((block_rules, "_RULES", others),))
    for notice, reason in block_rules._NOTICES:
        kept = tuple(pair for pair in block_rules._NOTICES if pair[0] is not notice)
        yield Rule(f"notices: {reason}", ((block_rules, "_NOTICES", kept),))


def _of_boxes() -> Iterator[Rule]:
    off = boxes
    yield _off(off, "pointers: boxes called so", _called_pointers=lambda *_: set())
    yield _off(off, "pointers: lines above links", _below_lead_ins=_none)
    yield _off(off, "pointers: lead-in and link", _after_lead_in=_nothing)
    yield _off(off, "pointers: lead-in before a headline", _is_headline=_no)
    yield _off(block_rules, "tail: lines that announce", announces_others=_no)
    yield _off(block_rules, "tail: lists of the text stay", _listed_above=lambda _, tail: len(tail))


def _of_notices() -> Iterator[Rule]:
    off = notices
    yield _off(off, "advertisements: labels", _ad_labels=_none)
    yield _off(off, "advertisements: boxes called so", _called_ads=lambda *_: set())
    yield _off(off, "advertisements: the box of a label", _box_of_label=lambda *_: 0)
    yield _off(off, "advertisements: boxes alike are none", _looks_like_others=_no)
    yield _off(off, "requests: boxes", _request_boxes=lambda *_: set())
    yield _off(off, "requests: boxes by name", _is_box_name=_no)
    yield _off(off, "requests: consent", EMBEDS=NO_PHRASES)
    yield _off(off, "requests: asking alone", _asking_alone=_none)
    yield _off(off, "requests: paragraphs that lead to offers", _leads_to_offers=_no)
    yield _off(off, "bylines: time of reading", READING_TIME=NEVER)
    yield _off(off, "bylines: Chinese, Japanese, Korean", EASTERN_BYLINE=NEVER, EASTERN_DATE=NEVER)
    yield _off(off, "bylines: name and stamp", _is_stamped_byline=_no)
    yield _off(off, "bylines: a name beside a date", _is_a_name=_no)
    yield _off(off, "bylines: dates", is_date=_no)


def _of_notes() -> Iterator[Rule]:
    off = paper_notes
    yield _off(off, "paper: earnings", EARNING_HINTS=NO_PHRASES)
    yield _off(off, "paper: copyright", COPYRIGHT=NEVER)
    yield _off(off, "paper: tags", TAG_LABELS=NEVER)
    yield _off(off, "paper: labels of sharing", SHARE_LABELS=NOBODY)
    yield _off(off, "paper: follow us", _asking_to_follow=_none)
    yield _off(off, "contents: labels", CONTENTS_LABELS=NOBODY)
    yield _off(off, "contents: rows of links", _leads_into_page=_no)
    yield _off(off, "quotations: by name", _is_set_apart=_no)
    yield _off(author_notes, "author: lines that announce", AUTHOR_LABELS=NOBODY)
    yield _off(author_notes, "author: boxes called so", _in_boxes=_none)
    yield _off(author_notes, "author: byline at the end", _closing_bylines=lambda *_: set())
    yield _off(author_notes, "author: what a name does", _begins_with_author=_no)
    yield _off(author_notes, "author: name of the byline", _signs=_no)


def _of_captions() -> Iterator[Rule]:
    yield _off(block_rules, "captions: all by name or place", name_captions=_nothing)
    yield _off(captions, "captions: alone with an image", _alone_with_an_image=_none)
    yield _off(captions, "captions: by name", _CAPTION_NAMES=_NoNames())
    yield _off(captions, "captions: titles of tables are none", _free_table_titles=_nothing)
    yield _off(captions, "credits: by words", is_credit=_no)
    yield _off(captions, "credits: by name", _is_credit_name=_no)


class _NoNames:
    """A test of names that none passes."""

    def among(self, _: object) -> set[str]:
        """No name."""
        return set()


def _of_standfirst() -> Iterator[Rule]:
    yield _off(standfirst, "standfirst: by name", _is_called=_no)
    yield _off(standfirst, "standfirst: weak names", _is_weak_name=_no)
    yield _off(standfirst, "standfirst: by description", _described=_none)
    yield _off(standfirst, "standfirst: right after", _right_after=_none)
    yield _off(standfirst, "standfirst: other names are none", _is_other_name=_no)
    yield _off(standfirst, "standfirst: names are none", _are_names=_no)
    yield _off(standfirst, "standfirst: notes on money are none", _discloses=_no)
    yield _off(standfirst, "standfirst: said again is none", _repeats_text=_no)


def _of_others() -> Iterator[Rule]:
    yield _off(block_rules, "title: title and byline in one", _is_title_and_byline=_no)
    yield _off(block_rules, "title: h1", _is_h1=_no)
    yield _off(block_rules, "repeats: short ones stay", _says_it_again=_no)
    yield _off(other_articles, "other articles: after the first", _beside_first=_none)
    yield _off(other_articles, "other articles: by name", _is_called_article=_no)
    yield _off(repair, "repair: headings left open", _close_headings=_nothing)
    yield _off(repair, "repair: paragraphs set as headings", _set_as_prose=_nothing)
    yield _off(repair, "repair: tables of layout", _open_layout_tables=_nothing)
    yield _off(repair, "repair: links left open", _close_links=_nothing)
    yield _off(block_features, "hidden text", _unseen=lambda *_: frozenset())
    yield _off(body_reader, "navigation read where nothing else is", _has_parts_apart=_no)


def rules() -> list[Rule]:
    """All of them."""
    return [
        *_whole_rules(),
        *_of_boxes(),
        *_of_notices(),
        *_of_notes(),
        *_of_captions(),
        *_of_standfirst(),
        *_of_others(),
        Rule("all rules", ((block_rules, "_RULES", ()),)),
    ]


@contextmanager
def _without(rule: Rule) -> Iterator[None]:
    kept = [(module, name, vars(module)[name]) for module, name, _ in rule.patches]
    for module, name, instead in rule.patches:
        setattr(module, name, instead)
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)


# --- measuring ------------------------------------------------------------------------------------


class Left(NamedTuple):
    """What was left out, and what that does."""

    name: str
    change: Difference
    changed: int
    precision: float
    recall: float


def measured_rules(wanted: Sequence[Rule], articles: Sequence[Judged]) -> list[Left]:
    """Every page is read with all rules, and once without each."""
    with_all: list[Score] = []
    without: defaultdict[str, list[Score]] = defaultdict(list)
    changed: defaultdict[str, int] = defaultdict(int)
    for article in articles:
        page, truth = article.page(), article.sample.truth
        text = read_body(page, weights=article.weights).text
        with_all.append(score(text, truth))
        for rule in wanted:
            with _without(rule):
                other = read_body(page, weights=article.weights).text
            changed[rule.name] += other != text
            without[rule.name].append(score(other, truth) if other != text else with_all[-1])
    return [
        _left(rule.name, articles, with_all, without[rule.name], changed[rule.name])
        for rule in wanted
    ]


def _left(
    name: str,
    articles: Sequence[Judged],
    with_all: Sequence[Score],
    without: Sequence[Score],
    changed: int,
) -> Left:
    sites = [article.sample.domain() for article in articles]
    all_rules, fewer = mean(with_all), mean(without)
    return Left(
        name,
        difference(sites, with_all, without),
        changed,
        fewer.precision - all_rules.precision,
        fewer.recall - all_rules.recall,
    )


def measured_measures(
    wanted: Sequence[str], pages: list[Lesson], articles: Sequence[Judged], rounds: int
) -> Iterator[Left]:
    """Weights are learned anew without each measure."""
    taught = [teach([page for page in pages if fold_of(page.domain) != n]) for n in range(FOLDS)]
    opened = [article.page() for article in articles]
    folds = [fold_of(article.sample.domain()) for article in articles]
    texts = _texts(opened, [article.weights for article in articles])
    scores = [_scored(article, text) for article, text in zip(articles, texts, strict=True)]
    for name in wanted:
        weights = [weights_from(boosted(rows, rounds, without=name)) for rows in taught]
        others = _texts(opened, [weights[fold] for fold in folds])
        without = [_scored(article, text) for article, text in zip(articles, others, strict=True)]
        changed = sum(text != other for text, other in zip(texts, others, strict=True))
        yield _left(f"measure: {name}", articles, scores, without, changed)


def _texts(opened: Sequence[Page], weights: Sequence[Weights]) -> list[str]:
    return [
        read_body(page, weights=known).text for page, known in zip(opened, weights, strict=True)
    ]


def _scored(article: Judged, text: str) -> Score:
    return score(text, article.sample.truth)


def run(short: bool, word: str = "") -> Iterator[Figure]:
    """The table, and a figure for each of its rows."""
    pages = lessons(short=short)
    if not pages:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    articles = list(judged(pages, short=short))
    wanted = [rule for rule in rules() if word in rule.name][: SHORT_RULES if short else None]
    measures = [name for name in block_features.FEATURES if word in f"measure: {name}"]
    print(
        "| left out | change of F1 | pages | better | worse | precision | recall |\n|---|---|---|---|---|---|---|"
    )
    for left in measured_rules(wanted, articles):
        yield from _rows(left)
    rounds = SHORT_ROUNDS if short else ROUNDS
    few = measures[: 1 if short else None]
    for left in measured_measures(few, pages, articles, rounds) if few else ():
        yield from _rows(left)


def _rows(left: Left) -> Iterator[Figure]:
    change = left.change
    print(
        f"| {left.name} | {change} | {left.changed} | {change.better} | {change.worse} |"
        f" {left.precision:+.4f} | {left.recall:+.4f} |",
        flush=True,
    )
    yield Figure(
        metric=f"without {left.name}: change of F1",
        unit="points",
        ours=100 * change.mean,
        aim=f"{100 * change.low:+.2f} to {100 * change.high:+.2f}",
    )


if __name__ == "__main__":
    _only = only()
    main(
        "body_rules",
        lambda short: run(short, _only),
        about="What each rule and measure of the body brings; --only WORD for some of them.",
        is_part=bool(_only),
    )
