"""What a store gives to those who follow publishers, beyond keeping the nouns.

Questions that span many rows, and changes to what is held: the counts behind a feed, the memory of a
publisher's furniture, grouping, the order in which articles changed, and taking away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from wireroom.model import (
    Article,
    Boilerplate,
    Cluster,
    Event,
    Feed,
    Item,
    LeadState,
    Observation,
    Polled,
    Problem,
    Publisher,
    Signature,
)
from wireroom.ports.keeping import PollCount
from wireroom.ports.strategy import RobotsFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How the items of a document stand to those of the feed that are held, by their places in it."""

    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()
    known: frozenset[int] = frozenset()
    renamed: frozenset[int] = frozenset()
    """Of the new ones: the feed has an item with the same page, or the same words, under another guid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedCount:
    """What came of a feed."""

    articles: int = 0
    duplicates: int = 0
    """Articles that another one stands for."""
    paywalled: int = 0
    leads: Mapping[LeadState, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """An article and the number of its last change; numbers only grow, in the order of commits."""

    number: int
    article: Article


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much was taken away, or would be."""

    articles: int = 0
    versions: int = 0
    raw_pages: int = 0


class Corpus(Protocol):
    """The part of a store that following, grouping and handing on stand on."""

    # what is due
    def due_publishers(self, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
        """Publishers with a feed that is asked, whose `scout_after` is past or was never set; longest due first."""
        ...

    def next_due(self, *, feeds_by: datetime | None = None) -> datetime | None:
        """When the next feed or lead comes up, leases and rests counted; None when nothing is to come.

        With `feeds_by` only feeds count that were due by then.
        """
        ...

    def next_lead_on(self, hosts: Sequence[str]) -> datetime | None:
        """When the next lead that nobody put off can be taken on one of these hosts; None when there is none."""
        ...

    def wake_untimed(self, *, now: datetime) -> int:
        """Makes due the feeds and leads that are to come up later though nobody put them off; how many.

        The clock was set back since they were found.
        """
        ...

    def retry_leads(
        self,
        *,
        now: datetime,
        publisher: str = "",
        feed_url: str = "",
        url: str = "",
        refused: bool = False,
    ) -> int:
        """Opens failed leads again, with no attempts; how many.

        The one that `url` names is opened whatever came of it. With `refused` those that robots.txt or
        rights forbade; whoever reads them asks both again.
        """
        ...

    # what a feed brought
    def compare_items(self, feed_url: str, items: Sequence[Item]) -> Compared:
        """What would be new and what has changed, if these items were saved now."""
        ...

    def feed_of(self, url: str) -> Feed | None:
        """The feed at this address, or the one that has moved away from it."""
        ...

    def feed_addresses(self, url: str) -> tuple[str, ...]:
        """The address of a feed, then those it had before: articles keep the one they came from."""
        ...

    def feed_tallies(self, urls: Sequence[str]) -> Mapping[str, FeedCount]:
        """What came of each of these feeds, in one go."""
        ...

    def feed_problems(self, url: str, *, limit: int) -> tuple[Problem, ...]:
        """Problems of a feed and of the pages it led to, from its former addresses too, newest first."""
        ...

    def observations(self, feed_url: str, *, limit: int) -> tuple[Observation, ...]:
        """The last marks of a feed, oldest first, in the order in which they were saved."""
        ...

    def compare_polls(
        self, polls: Sequence[tuple[str, Sequence[Item]]], *, observations: int
    ) -> tuple[tuple[Compared, tuple[Observation, ...]], ...]:
        """For each feed and its items what `compare_items` and `observations` say, in one go."""
        ...

    def save_polls(
        self, polls: Sequence[tuple[Feed, Polled]], *, events: Sequence[Event] = (), now: datetime
    ) -> tuple[PollCount, ...]:
        """Saves polls of different feeds as `save_polled` does, and tells of them, whole in one commit."""
        ...

    # the memory of a publisher's furniture; readings count their blocks when they are saved
    def boilerplate(self, publisher: str) -> Boilerplate | None:
        """What was learnt last."""
        ...

    def block_counts(self, publisher: str) -> tuple[int, Mapping[str, int]]:
        """Articles counted, and in how many of them each block was; blocks seen once are left out."""
        ...

    def save_boilerplate(self, boilerplate: Boilerplate, *, fade: bool) -> None:
        """Keeps what was learnt; with `fade` all counts of the publisher are halved, and what vanishes is dropped.

        Changes nothing when something is held that was learnt at the same time or later.
        """
        ...

    # grouping: a signature waits until it is grouped
    def ungrouped(self, *, limit: int) -> tuple[Signature, ...]:
        """Signatures that were saved and not grouped yet, oldest first."""
        ...

    def near_duplicates_of(
        self, signatures: Sequence[Signature], *, window: timedelta
    ) -> Mapping[str, tuple[Signature, ...]]:
        """For each of these, by article, whom else `near_duplicates` would find since its time less the window; in one go."""
        ...

    def clusters_of(self, article_ids: Sequence[str]) -> Mapping[str, Cluster]:
        """The cluster of each of these articles that stands in one."""
        ...

    def save_groups(
        self,
        clusters: Sequence[Cluster],
        *,
        grouped: Sequence[str] = (),
        dissolved: Sequence[str] = (),
        ungroup: Sequence[str] = (),
        copies: Mapping[str, Observation] | None = None,
    ) -> None:
        """Saves clusters, forgets those that were merged away, and notes whose turn is over, whole.

        A cluster that loses a member to one of these is tidied: one article alone is no cluster.
        `grouped` and `ungroup` are articles whose signatures no longer wait, or wait again. `copies` are articles
        with what they say of their feeds; each is marked once, however often it is grouped.
        """
        ...

    def longest_window(self) -> timedelta:
        """The longest window that a signature has of its own; zero where none has one."""
        ...

    def drop_old_signatures(self, *, before: datetime, limit: int) -> int:
        """Forgets so many signatures that were seen before that time and do not wait; how many there were.

        Their articles stay in their clusters.
        """
        ...

    def article_list(self, article_ids: Sequence[str]) -> tuple[Article, ...]:
        """Those of these articles that are held, in this order, without raw pages."""
        ...

    def ids_beginning(self, digits: str, *, limit: int = 10) -> tuple[str, ...]:
        """The ids of articles that begin with these hex digits, in order."""
        ...

    # handing on and taking away
    def changed_articles(self, query: str = "", *, after: int = 0) -> Iterator[Changed]:
        """Matching articles whose last change is numbered higher than `after`, in that order, streamed.

        What changes while it is read is left to the next stream, which begins after the last number.
        """
        ...

    def removed_after(self, after: int = 0) -> Iterator[tuple[int, str]]:
        """Number and id of each article that was removed after this number, in that order, streamed."""
        ...

    def reduce_articles(self, articles: Sequence[Article], *, now: datetime) -> Removed:
        """Puts these in the place of what is held under their ids, without a new version.

        What versions, raw pages, signatures, feed items and indexes still said of the old text is
        gone, they leave their clusters, and the receipts of these are taken over.
        """
        ...

    def remove_articles(self, article_ids: Sequence[str], *, reason: str, now: datetime) -> Removed:
        """Forgets articles with all that hangs on them.

        Their leads stay as refused, with the reason, so that nothing is fetched again.
        """
        ...

    def drop_raw_pages(
        self, *, before: datetime | None = None, feed_url: str = "", dry_run: bool = False
    ) -> int:
        """Forgets raw pages fetched before, or of a feed, or all of them; how many."""
        ...

    # the shelf of the fetch room, and who is at work
    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin's robots.txt."""
        ...

    def save_robots_files(self, files: Sequence[RobotsFile]) -> None:
        """Keeps each in the place of what was kept of its origin."""
        ...

    def holders(self) -> tuple[str, ...]:
        """Everybody who holds a host, dead or alive, each once."""
        ...
