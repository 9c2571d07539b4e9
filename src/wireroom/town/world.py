"""The town itself: its publishers, its clock, and the truth about every article.

Pure but for the clock. Articles are written when somebody asks for them, so that a town of
20,000 costs no more memory than one of 200.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from urllib.parse import urlsplit

from wireroom.model import Paywall
from wireroom.town.article_urls import story_url
from wireroom.town.clock import TownClock
from wireroom.town.crowd import crowd
from wireroom.town.declaration import TownPublisher, Weight
from wireroom.town.pace import out_by, published_at
from wireroom.town.press import PUBLISHERS
from wireroom.town.stories import LANGUAGES, StoryLanguage
from wireroom.town.truth import Story, StoryBlock, StoryEdit
from wireroom.town.writing import StoryDraft, corrected, reprinted, updated, write_draft

DEFAULT_SEED = 7
DEFAULT_ARTICLES = 40
# About 35 MB; a front page, its articles and its feeds ask for the same forty again and again, and a
# load test reads many publishers at once.
STORIES_KEPT = 6_000

CORRECTED_AFTER = timedelta(hours=5)
UPDATED_AFTER = timedelta(hours=3)
WITHDRAWN_AFTER = timedelta(days=2)
REPRINTED_AFTER = timedelta(minutes=90)
BEFORE_THE_WALL = 3  # blocks that a guest may read

_NUMBER_AT_END = re.compile(r"(\d{1,9})(?:\.html)?/?$")


class Town:
    """An invented press world: who publishes, what time it is, and what every article says."""

    def __init__(self, *, publishers: Iterable[TownPublisher], clock: TownClock, seed: int) -> None:
        self.publishers: Mapping[str, TownPublisher] = {
            publisher.host: publisher for publisher in publishers
        }
        self.clock = clock
        self.seed = seed
        self._draft = lru_cache(maxsize=STORIES_KEPT)(self._write)
        self._edits = lru_cache(maxsize=STORIES_KEPT)(self._plan_edits)
        self._version = lru_cache(maxsize=STORIES_KEPT)(self._write_version)
        self._out_by = lru_cache(maxsize=STORIES_KEPT)(self._count_by)

    def publisher(self, host: str) -> TownPublisher:
        """The publisher of this name."""
        return self.publishers[host]

    def count(self, host: str) -> int:
        """How many articles the publisher has brought out by now, withdrawn ones included."""
        return self._out_by(host, self.clock.now())

    def stories(self, host: str, *, limit: int | None = None) -> tuple[Story, ...]:
        """The publisher's articles that can be read now, newest first."""
        found: list[Story] = []
        for story in self._newest_first(host):
            if limit is not None and len(found) >= limit:
                break
            if not story.withdrawn:
                found.append(story)
        return tuple(found)

    def story(self, url: str) -> Story | None:
        """The article at this address as it stands now, withdrawn or not; None when it is not out."""
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        if host not in self.publishers:
            return None
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return self.story_at_path(host, target)

    def story_at_path(self, host: str, target: str) -> Story | None:
        """As `story`, by the part of the address after the host, percent-encoded as it is served."""
        found = _NUMBER_AT_END.search(target)
        if found is None or not 1 <= int(found[1]) <= self.count(host):
            return None
        story = self.numbered(host, int(found[1]))
        return story if story.url == f"http://{host}{target}" else None

    def numbered(self, host: str, number: int) -> Story:
        """Article number so-and-so of the publisher as it stands now."""
        edits, now = self._edits(host, number), self.clock.now()
        return self._version(host, number, sum(edit.at <= now for edit in edits))

    def published_at(self, host: str, number: int) -> datetime:
        """When the article came out, or will."""
        publisher = self.publishers[host]
        return published_at(
            publisher.pace,
            age=publisher.articles - number,
            start=self.clock.start,
            salt=self._salt(host),
        )

    def language(self, host: str) -> StoryLanguage:
        """The language the publisher writes in."""
        return LANGUAGES[self.publishers[host].language]

    def _newest_first(self, host: str) -> Iterator[Story]:
        for number in range(self.count(host), 0, -1):
            yield self.numbered(host, number)

    def _plan_edits(self, host: str, number: int) -> tuple[StoryEdit, ...]:
        return _edits(self.publishers[host], number, self.published_at(host, number))

    def _count_by(self, host: str, moment: datetime) -> int:
        publisher = self.publishers[host]
        return out_by(
            publisher.pace,
            now=moment,
            start=self.clock.start,
            articles=publisher.articles,
            salt=self._salt(host),
        )

    def _salt(self, host: str) -> str:
        return f"{self.seed}:{host}"

    def _write(self, host: str, number: int) -> tuple[StoryDraft, str]:
        """The first version of an article, and the address of its original if it is a reprint."""
        publisher = self.publishers[host]
        if publisher.reprints:
            return self._reprint(publisher, number)
        seed, long = f"{self._salt(host)}:{number}", publisher.weight == "real"
        return write_draft(self.language(host), seed, long=long), ""

    def _write_version(self, host: str, number: int, edits_done: int) -> Story:
        publisher = self.publishers[host]
        draft, original = self._draft(host, number)
        out_at, edits = self.published_at(host, number), self._edits(host, number)
        done = edits[:edits_done]
        for edit in done:
            draft = self._edited(draft, edit, host, number)
        url = story_url(publisher, number=number, draft=draft, out_at=out_at)
        paywall, shown = _wall(publisher, number, draft.blocks)
        return Story(
            publisher=host,
            number=number,
            url=url,
            canonical_url=_canonical(url, original, number),
            title=draft.title,
            authors=draft.authors,
            published_at=out_at,
            modified_at=done[-1].at if done else None,
            language=publisher.language,
            language_tag=self.language(host).tag,
            section=draft.subject.section,
            subject=draft.subject.key,
            tags=draft.subject.tags,
            description=draft.description,
            image_url=f"http://{host}/images/{draft.subject.key}-{number}.png",
            blocks=draft.blocks,
            version=1 + len(done),
            withdrawn=any(edit.kind == "withdrawal" for edit in done),
            edits=edits,
            reprint_of=original,
            paywall=paywall,
            shown=shown,
        )

    def _reprint(self, publisher: TownPublisher, number: int) -> tuple[StoryDraft, str]:
        """What was the newest of the other publisher shortly before, with small edits."""
        host = publisher.reprints[number % len(publisher.reprints)]
        taken_at = self.published_at(publisher.host, number) - REPRINTED_AFTER
        source = max(self._out_by(host, taken_at), 1)
        draft, _ = self._draft(host, source)
        out_at = self.published_at(host, source)
        url = story_url(self.publishers[host], number=source, draft=draft, out_at=out_at)
        name = self.publishers[host].name
        return reprinted(draft, self.language(host), publisher=name), url

    def _edited(self, draft: StoryDraft, edit: StoryEdit, host: str, number: int) -> StoryDraft:
        if edit.kind == "correction":
            return corrected(draft, self.language(host))
        if edit.kind == "update":
            return updated(draft, self.language(host), f"{self._salt(host)}:{number}:update")
        return draft


def build_town(
    *,
    seed: int = DEFAULT_SEED,
    now: datetime | None = None,
    publishers: int = 0,
    articles: int = DEFAULT_ARTICLES,
    weight: Weight = "light",
) -> Town:
    """The town with its named publishers and so many generated ones, each with so many articles.

    `weight` is that of the generated ones' pages: as light as the town's, or what real pages carry besides.

    Without `now` the town's dates count from the present moment; the clock stands still either way.
    """
    if publishers < 0 or articles < 0:
        raise ValueError("a town has no fewer than no publishers and no articles")
    clock = TownClock(now or datetime.now(UTC))
    everyone = (*PUBLISHERS, *crowd(publishers, articles=articles, seed=seed, weight=weight))
    return Town(publishers=everyone, clock=clock, seed=seed)


def _edits(publisher: TownPublisher, number: int, out_at: datetime) -> tuple[StoryEdit, ...]:
    """Which edits an article goes through, in order: three in ten are edited, one in 25 withdrawn."""
    if not publisher.edits:
        return ()
    edits: list[StoryEdit] = []
    if number % 10 in (3, 6):
        edits.append(StoryEdit("update", out_at + UPDATED_AFTER))
    if number % 10 in (6, 9):
        edits.append(StoryEdit("correction", out_at + CORRECTED_AFTER))
    if number % 25 == 8:
        edits.append(StoryEdit("withdrawal", out_at + WITHDRAWN_AFTER))
    return tuple(edits)


def _canonical(url: str, original: str, number: int) -> str:
    """Every second reprint names the original as its canonical address, the others themselves."""
    return original if original and number % 2 else url


def _wall(
    publisher: TownPublisher, number: int, blocks: tuple[StoryBlock, ...]
) -> tuple[Paywall, int]:
    """Which articles of a metered publisher stand behind what, and how much of them is shown."""
    if not publisher.metered:
        return "free", len(blocks)
    kinds: tuple[Paywall, ...] = ("free", "metered", "locked", "registration")
    kind = kinds[number % len(kinds)]
    # A metered page holds the whole text as long as the meter runs; the others hold a beginning.
    return kind, len(blocks) if kind in ("free", "metered") else BEFORE_THE_WALL
