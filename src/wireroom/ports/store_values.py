"""What goes into a store and comes out of it beside the types of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from wireroom.model import Article, Item, Lead, LeadCause, LeadState, Original, Reading, Receipt

Order = Literal["newest", "best"]
FacetName = Literal["publisher", "lang", "paywall", "rights"]
HitReach = Literal["all", "newest", "none"]
"""What was counted: all matches, the newest alone for there are more, or none in the time that was given."""
StoreState = Literal["ok", "paused", "read_only", "damaged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The part of the settings a store needs."""

    raw_kept_for: timedelta = timedelta(days=7)
    """How long raw pages stay, counted from when they were fetched; zero keeps none."""
    busy_timeout: timedelta = timedelta(seconds=30)
    """How long a writer waits for another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """Whether the store can be worked with, and what to do when it cannot."""

    state: StoreState
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollCount:
    """What became of a poll's items: never seen, seen but changed, known."""

    new: int = 0
    changed: int = 0
    known: int = 0
    no_page: int = 0
    """Of the new and the changed ones: those that name no page, so that none of them gives an article."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of one reading: the article it ended in, and whether that is new or was edited."""

    article_id: str = ""
    """Empty when the reading brought no article; another id than the reading's when the page
    turned out to be one that is held under another address."""
    outcome: Literal["new", "changed", "same", "none"] = "none"

    def lead_after(self, reading: Reading) -> Lead:
        """The reading's lead as it is kept: one that was read and led to another's article is a duplicate."""
        lead, article = reading.lead, reading.article
        if lead.state != "read" or article is None or self.article_id in {"", article.id}:
            return lead
        reason = f"another address of {self.article_id}"
        return replace(lead, state="duplicate", cause=LeadCause.DUPLICATE, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterHits:
    """The matches of one cluster over all pages of a search, in its order: the first of them is where the story stands."""

    ids: tuple[str, ...]
    is_cut: bool = False
    """Whether some members of the cluster were not asked about: it is large, or it took too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """One page of a search; hand `cursor` back for the next page and `back` for the one before it.

    Both are empty where there is none. What comes new while pages are turned stands before the first one: it has no `back`.
    """

    articles: tuple[Article, ...]
    cursor: str = ""
    back: str = ""
    clusters: Mapping[str, ClusterHits] = field(default_factory=dict)
    """By the id of a cluster that is on the page: what matches of it, on any page. Only where that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCount:
    """How many articles match; what `reach` says tells how far that is true."""

    count: int = 0
    reach: HitReach = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetCounts:
    """What the matches are: how many have each value, the most frequent value first, by the query language's fields."""

    counted: int = 0
    """Matches that were looked at."""
    reach: HitReach = "all"
    values: Mapping[FacetName, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """Every facet, empty where nothing was counted. Those of `rights` are the words for the use that was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCounts:
    """How many matches each day has, oldest first; days without any are left out."""

    counted: int = 0
    """Matches that were looked at."""
    reach: HitReach = "all"
    days: tuple[tuple[date, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HitSummary:
    """The matches of a query: how many there are, what they are, and of which days."""

    count: HitCount
    facets: FacetCounts
    days: DayCounts


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
    """Near-duplicates of a canonical article."""
    paywalled: int = 0
    leads: Mapping[LeadState, int] = field(default_factory=dict)
    lately: Mapping[LeadState, int] = field(default_factory=dict)
    """Of the pages that were tried last, a screenful of them; those that nobody has asked for yet left out."""
    oldest_at: datetime | None = None
    """When its oldest item that is known was published; None as below."""
    newest_at: datetime | None = None
    """When its newest item was published, by its own date; None where no item is dated, or nobody asked until when."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadRecord:
    """A lead as it lies in the queue: when it comes up, who has it, and the article it led to."""

    lead: Lead
    feed_url: str = ""
    """The feed it is read for, by the address it had then; empty where no feed named it."""
    article_id: str = ""
    found_at: datetime | None = None
    due_after: datetime | None = None
    """When it comes up; None for one that is done with, and for one that sleeps."""
    holder: str = ""
    """Who has it in flight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadPage:
    """Some leads, newest first; hand `cursor` back for the next, empty when there is none."""

    leads: tuple[LeadRecord, ...] = ()
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """What is held of the page at one address, whatever its spelling."""

    leads: tuple[LeadRecord, ...] = ()
    items: tuple[Item, ...] = ()
    """What feeds say of it."""
    article_ids: tuple[str, ...] = ()
    """Articles that have this address, as the one they were read from or as another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRecord:
    """A host that somebody holds, that rests, or that has work."""

    name: str
    holder: str = ""
    """Who holds it; empty for one that is free or rests."""
    leased_until: datetime | None = None
    """Until when it is held, or rests; None for one that is free."""
    feed_after: datetime | None = None
    lead_after: datetime | None = None
    """When its next feed and its next lead come up, leases apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run that has begun and not said that it ended."""

    holder: str
    began_at: datetime
    seen_at: datetime
    """When it last said that it lives."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """What it had done by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """An article and the number of its last change; numbers only grow, in the order of commits."""

    number: int
    article: Article


class FormerOriginal(NamedTuple):
    """The original of a reprint that left their cluster."""

    original: Original
    first_at: datetime
    """When it was there, by its own date or else by when it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An article that left under a cursor: when, and under which receipt."""

    article_id: str
    url: str
    left_at: datetime
    receipt: Receipt | None
    is_removed: bool = False
    """Whether it is held no more."""
    reason: str = ""
    """Why it was removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much was taken away, or would be."""

    articles: int = 0
    versions: int = 0
    raw_pages: int = 0
