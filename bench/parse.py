"""The body of a page: how right it is and what it costs, ours and the peers' on the same pages.

Right: word F1, precision and recall as `wcxb` defines them, mean over pages. Ours is judged with weights
that were learned without the page's fold (see `body_train`), pages that are no articles with those for pages of
any kind; a short run spares itself the learning and says so. Cost: CPU time per page from bytes to text, all tools in turn on one page before the next.

    python bench/parse.py           # everything
    python bench/parse.py --pair    # only what a whole article costs, metadata included, to trafilatura
"""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import Any, NamedTuple

import wireroom
from body_train import ANY_WEIGHTS, FOLDS, KIND_WEIGHTS, ROUNDS, Lesson, fold_of, learn, lesson
from figures import Figure, main
from wcxb import Sample, Score, mean, samples, score
from wireroom.parse.body import read_body
from wireroom.parse.body.block_weights import Weights, shipped_weights, weights_from
from wireroom.parse.html import open_page

SHORT_EVERY = 60  # a short run looks at every so-manieth page
SHORT_TIMES = 5  # and reads each so often, the least counts: it has two pages of some kinds, and memory comes in lumps
PAIR_ROUNDS = 5  # over the pages of the pair; the median counts
PAIR_STRETCH = 20  # pages that one tool reads before the other reads them
PAIR_EVERY = 3  # of the articles; all of them five times would take half an hour
FETCHED_AT = datetime(2026, 4, 1, tzinfo=UTC)  # the pages were fetched before
ARTICLES_ONLY = (
    "readability-lxml",
    "newspaper4k",
    "resiliparse",
)  # too slow, or for articles alone

Reader = Callable[[Sample, bytes], str]


class FoldWeights(NamedTuple):
    """For each fold the weights that were learned without it."""

    articles: list[Weights]
    any_kind: list[Weights]


def ours(weights: FoldWeights, sample: Sample, body: bytes) -> str:
    """By wireroom, which is told here whether the page is an article."""
    page = open_page(body, url=sample.url)
    any_kind = sample.kind != "article"
    known = weights.any_kind if any_kind else weights.articles
    return read_body(page, any_kind=any_kind, weights=known[fold_of(sample.domain())]).text


def by_trafilatura() -> Reader:
    """Its defaults, without readers' comments, which the truth does not hold either."""
    import trafilatura

    return lambda _sample, body: trafilatura.extract(body, include_comments=False) or ""


def by_readability() -> Reader:
    """Its summary, as text."""
    from lxml import html
    from readability import Document

    def read(_sample: Sample, body: bytes) -> str:
        summary = Document(body.decode("utf-8", "replace")).summary(html_partial=True)
        return str(html.fromstring(summary).text_content())

    return read


def by_newspaper() -> Reader:
    """The text of an article that is handed in; it fetches nothing."""
    import newspaper

    def read(sample: Sample, body: bytes) -> str:
        article: Any = newspaper.Article(sample.url or "https://courier.test/", fetch_images=False)
        article.download(input_html=body.decode("utf-8", "replace"))
        article.parse()
        return str(article.text)

    return read


def by_resiliparse() -> Reader:
    """Its main content."""
    from resiliparse.extract.html2text import extract_plain_text

    def read(_sample: Sample, body: bytes) -> str:
        text = body.decode("utf-8", "replace")
        return str(extract_plain_text(text, main_content=True, alt_texts=False, links=False))

    return read


PEERS = {
    "trafilatura": by_trafilatura,
    "readability-lxml": by_readability,
    "newspaper4k": by_newspaper,
    "resiliparse": by_resiliparse,
}


def installed_peers() -> dict[str, Reader]:
    """Those that can be imported here."""
    found = {}
    for name, make in PEERS.items():
        try:
            found[name] = make()
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


class RunCounts:
    """Scores and CPU time of one tool, by kind of page."""

    def __init__(self, times: int = 1) -> None:
        self._times = times
        self.scores: dict[str, list[Score]] = defaultdict(list)
        self.seconds: dict[str, float] = defaultdict(float)

    def read(self, read: Reader, sample: Sample, body: bytes) -> None:
        """Reads one page; a tool that fails has found nothing."""
        text, least = "", float("inf")
        for _ in range(self._times):
            started = time.process_time()
            try:
                text = read(sample, body)
            except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
                print(f"{sample.id}: {error!r}"[:120], file=sys.stderr)
                text = ""
            least = min(least, time.process_time() - started)
        self.seconds[sample.kind] += least
        self.scores[sample.kind].append(score(text, sample.truth))

    def milliseconds(self, kind: str) -> float:
        """CPU time a page."""
        return 1000 * self.seconds[kind] / len(self.scores[kind])


def measure(short: bool) -> Iterator[Figure]:
    """Every tool on every page, then the figures."""
    pages = samples(every=SHORT_EVERY if short else 1)
    if not pages:
        print("the development pages are not beside the repository", file=sys.stderr)
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")  # the peers' own; they are no news here
    readers: dict[str, Reader] = {
        "ours": partial(ours, _weights(pages, short)),
        **installed_peers(),
    }
    tallies = {name: RunCounts(SHORT_TIMES if short else 1) for name in readers}
    for sample in pages:
        body = sample.body()
        for name, read in readers.items():
            if sample.kind == "article" or name not in ARTICLES_ONLY:
                tallies[name].read(read, sample, body)
    yield from _figures(tallies, "in sample" if short else "cross-validated")
    yield from whole_articles(short)


# --- a whole article: body and metadata -----------------------------------------------------------


class Pair(NamedTuple):
    """Seconds of CPU time over the same pages."""

    ours: float
    theirs: float


def by_extract(sample: Sample, body: bytes) -> object:
    """The whole article by wireroom: body, metadata, language, quality; whatever kind the page is."""
    config = wireroom.ExtractConfig(any_page=True)
    return wireroom.extract(body, url=sample.url, fetched_at=FETCHED_AT, config=config)


def by_bare_extraction(sample: Sample, body: bytes) -> object:
    """The same by trafilatura, its language detection left out."""
    import trafilatura

    return trafilatura.bare_extraction(
        body, url=sample.url, with_metadata=True, include_comments=False
    )


def whole_articles(short: bool) -> Iterator[Figure]:
    """What an article costs with everything, by the median of several rounds."""
    pages = [page for page in samples(every=SHORT_EVERY if short else 1) if page.kind == "article"]
    if not pages or find_spec("trafilatura") is None:
        print("the development pages or trafilatura are missing", file=sys.stderr)
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    bodies = [page.body() for page in pages[::PAIR_EVERY]]
    read = list(zip(pages[::PAIR_EVERY], bodies, strict=True))
    for sample, body in read[:5]:  # what is imported and compiled is not counted
        by_extract(sample, body), by_bare_extraction(sample, body)
    rounds = [_round(read) for _ in range(PAIR_ROUNDS)]
    scale = 1000 / len(read)
    yield Figure(
        metric=f"article with metadata, CPU, median of {PAIR_ROUNDS} rounds",
        unit="ms/page",
        ours=median(timing.ours for timing in rounds) * scale,
        peer=median(timing.theirs for timing in rounds) * scale,
        peer_name="trafilatura",
        aim="<= 0.25, better 0.125",
    )


def _round(read: list[tuple[Sample, bytes]]) -> Pair:
    """Both tools in turn on a few pages before the next few.

    Page by page each would find its code and data driven out of the processor's cache by the other, which nobody who
    uses one of them sees.
    """
    ours = theirs = 0.0
    for first in range(0, len(read), PAIR_STRETCH):
        stretch = read[first : first + PAIR_STRETCH]
        started = time.process_time()
        for sample, body in stretch:
            by_extract(sample, body)
        between = time.process_time()
        for sample, body in stretch:
            by_bare_extraction(sample, body)
        theirs += time.process_time() - between
        ours += between - started
    return Pair(ours, theirs)


def _weights(pages: list[Sample], short: bool) -> FoldWeights:
    """The weights to judge each fold with."""
    if short:
        return FoldWeights([shipped_weights()] * FOLDS, [shipped_weights(any_kind=True)] * FOLDS)
    lessons = [lesson(page) for page in pages]
    return FoldWeights(_learned(lessons, KIND_WEIGHTS), _learned(lessons, ANY_WEIGHTS))


def _learned(lessons: list[Lesson], kinds: Mapping[str, float]) -> list[Weights]:
    any_kind = kinds is ANY_WEIGHTS
    known = [lesson for lesson in lessons if lesson.sample.kind in kinds]
    folds = ([page for page in known if fold_of(page.domain) != fold] for fold in range(FOLDS))
    return [weights_from(learn(others, ROUNDS, any_kind=any_kind)) for others in folds]


def _figures(tallies: dict[str, RunCounts], how: str) -> Iterator[Figure]:
    mine = tallies.pop("ours")
    for kind in sorted(mine.scores, key=lambda kind: (kind != "article", kind)):
        for name, tally in tallies.items():
            if not tally.scores[kind]:
                continue
            for part, value in mean(mine.scores[kind])._asdict().items():
                yield Figure(
                    metric=f"{kind}, {part} ({how}), to {name}",
                    unit="share",
                    ours=value,
                    peer=getattr(mean(tally.scores[kind]), part),
                    peer_name=name,
                )
            yield Figure(
                metric=f"{kind}, CPU, to {name}",
                unit="ms/page",
                ours=mine.milliseconds(kind),
                peer=tally.milliseconds(kind),
                peer_name=name,
            )


if __name__ == "__main__":
    _only_pair = "--pair" in sys.argv
    if _only_pair:
        sys.argv.remove("--pair")
    main(
        "parse",
        whole_articles if _only_pair else measure,
        about="The body of a page: how right it is and what it costs.",
        is_part=_only_pair,
    )
