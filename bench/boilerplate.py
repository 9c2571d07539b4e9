"""What remembering a publisher's boilerplate brings: precision and recall of the text, with and without.

The town knows what a perfect reader would read. The older half of each publisher's articles is read without
memory and its blocks are counted; the newer half is read twice, once without and once with what was learnt.
The peer is ourselves without the memory. The town's own pages are kind to readers, so a second row has pages
with boilerplate that stands inside the article, as newsletters and appeals do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from figures import Figure, main
from wireroom.errors import ParseError
from wireroom.parse.article import ExtractConfig, read_article
from wireroom.parse.body import block_hash
from wireroom.parse.body.boilerplate import learn_boilerplate
from wireroom.town import Story, Town, build_town
from wireroom.town.answers import answer

PUBLISHERS = ("courier.test", "anzeiger.test", "phare.test", "faro.test", "akti.test", "nadi.test")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
# What editors set between two paragraphs of every story; the wording differs from paper to paper.
APPEALS = (
    "{name} is kept alive by its readers, and each of them makes our work possible.",
    "Every Friday our editors choose the stories of the week of {name} for you.",
    "Have you seen something that we should know? Our desk at {name} reads every letter.",
)

Furnish = Callable[[Story, bytes], bytes]


def _pairs(text: str) -> Counter[tuple[str, str]]:
    """Neighbouring words: single ones of an appeal ("the", "of") would stand in for some that are missing."""
    return Counter(pairwise(text.split()))


class Scored(NamedTuple):
    """Pairs of words that were read, that should have been, and that both agree on."""

    read: int = 0
    meant: int = 0
    both: int = 0

    def add(self, text: str, truth: str) -> Scored:
        """With one article more."""
        got, want = _pairs(text), _pairs(truth)
        return Scored(
            self.read + got.total(), self.meant + want.total(), self.both + (got & want).total()
        )

    @property
    def precision(self) -> float:
        """Of what was read, the share that belongs to the article."""
        return 100 * self.both / max(1, self.read)

    @property
    def recall(self) -> float:
        """Of the article, the share that was read."""
        return 100 * self.both / max(1, self.meant)


def measure(short: bool) -> Iterator[Figure]:
    """The figures; `short` reads two publishers."""
    town = build_town(now=NOW)
    hosts = PUBLISHERS[:2] if short else PUBLISHERS
    for name, furnish in (("as they are", _as_it_is), ("with appeals inside", _with_appeals)):
        with_boilerplate, without = Scored(), Scored()
        for host in hosts:
            with_boilerplate, without = _score(town, host, furnish, with_boilerplate, without)
        yield _figure(f"precision, pages {name}", with_boilerplate.precision, without.precision)
        yield _figure(f"recall, pages {name}", with_boilerplate.recall, without.recall)


def _figure(metric: str, ours: float, peer: float) -> Figure:
    return Figure(metric=metric, unit="%", ours=ours, peer=peer, peer_name="without boilerplate")


def _score(
    town: Town, host: str, furnish: Furnish, with_boilerplate: Scored, without: Scored
) -> tuple[Scored, Scored]:
    stories = [story for story in town.stories(host) if not story.withdrawn]
    newer, older = stories[: len(stories) // 2], stories[len(stories) // 2 :]
    counts: Counter[str] = Counter()
    for story in older:
        counts.update(_read(town, host, story, furnish)[1])
    learnt = frozenset(learn_boilerplate(len(older), counts))
    for story in newer:
        without = without.add(_read(town, host, story, furnish)[0], story.shown_text)
        text, _ = _read(town, host, story, furnish, learnt)
        with_boilerplate = with_boilerplate.add(text, story.shown_text)
    return with_boilerplate, without


def _read(
    town: Town,
    host: str,
    story: Story,
    furnish: Furnish,
    boilerplate: frozenset[str] = frozenset(),
) -> tuple[str, set[str]]:
    body = furnish(story, answer(town, host, story.url.partition(host)[2]).body)
    config = ExtractConfig(boilerplate=boilerplate)
    try:
        reading = read_article(body, url=story.url, fetched_at=NOW, config=config)
    except ParseError:
        return "", set()
    kept = {block_hash(block.text) for block in reading.body.blocks if block.kept}
    return reading.article.text, kept


def _as_it_is(_story: Story, body: bytes) -> bytes:
    return body


def _with_appeals(story: Story, body: bytes) -> bytes:
    """The page with two lines of boilerplate in the middle of the text, marked up like the rest."""
    host = story.url.partition("//")[2].partition("/")[0]
    lines = [appeal.format(name=host).encode() for appeal in APPEALS]
    parts = body.split(b"</p>")
    middle = len(parts) // 2
    added = b"</p>".join(b"<p>" + line for line in lines[: 2 + len(parts) % 2]) + b"</p>"
    return b"</p>".join(parts[:middle]) + b"</p>" + added + b"</p>".join(parts[middle:])


if __name__ == "__main__":
    main("boilerplate", measure, about="What remembering a publisher's boilerplate brings.")
