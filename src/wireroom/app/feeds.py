"""Looking after the feeds that are followed: finding, pausing, waking and removing them, and what came of each.

Every change is saved as a difference: what a poll has learnt meanwhile stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from wireroom.app.waiting import Wait, WaitsFor, feed_wait, queue_state
from wireroom.dates.durations import duration_words as duration_words
from wireroom.dates.durations import rate_words as rate_words
from wireroom.errors import SettingsError
from wireroom.identity import OPEN_STATES
from wireroom.model import (
    Article,
    Event,
    Feed,
    FeedRole,
    FeedState,
    Observation,
    Problem,
    Verdict,
    category_path,
    comma_words,
)
from wireroom.poll.reliability import (
    OBSERVATIONS_COUNTED,
    Breakdown,
    breakdown,
    current_reliability,
)
from wireroom.ports import FeedCount
from wireroom.urls import same_page

if TYPE_CHECKING:
    from wireroom.app.application import App

FeedHealth: TypeAlias = Literal[FeedState, "failing", "refused"]
"""The state of a feed; of one that answers and whose pages give nothing, that."""
UNWELL: tuple[FeedHealth, ...] = ("failing", "refused", "silent", "resting", "gone")
FEWEST_TRIED = 3  # pages before their outcome says anything: of two, both may be chance
GIVES_NOTHING = 0.1  # of the pages that were tried last gave an article, or fewer
FeedOrder: TypeAlias = Literal["publisher", "reliability"]
LAST = 10  # problems and articles of a feed that are shown
MAX_NAMED = 5  # feeds that are named where one is meant
AT_ONCE = 200  # articles removed in one transaction: others may write in between


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedStats:
    """A feed, what came of it, and what its publisher permits."""

    feed: Feed
    count: FeedCount
    observed: float = 1.0
    """The reliability by all observations up to now, those since the last poll too."""
    rights: tuple[Verdict, ...] = ()
    """Empty where the publisher was not scouted yet."""

    @property
    def reliability(self) -> float | None:
        """What was observed, once there is something it rests on; None before, as `unproven` says."""
        return None if self.unproven else self.observed

    @property
    def unread(self) -> int:
        """How many of its leads would still be read."""
        return sum(self.count.leads.get(state, 0) for state in OPEN_STATES)

    @property
    def health(self) -> FeedHealth:
        """Its state, or that nothing comes of its pages though it answers."""
        return feed_health(self.feed, self.count)

    @property
    def trouble(self) -> str:
        """What is wrong with its pages, in numbers; empty where nothing is."""
        if self.health not in {"failing", "refused"}:
            return ""
        return pages_words(self.count)

    @property
    def unproven(self) -> str:
        """Why nothing is known of the feed's reliability yet; empty when something is."""
        leads = self.count.leads
        if self.feed.standing.polled_at is None:
            return "not polled yet"
        if leads.get("refused") and not (leads.keys() & {"read", "duplicate", "failed"}):
            return "none of its pages may be read"
        return ""


def pages_tried(count: FeedCount) -> tuple[int, int]:
    """How many pages were tried lately, and how many of them gave an article."""
    read = count.lately.get("read", 0) + count.lately.get("duplicate", 0)
    return sum(count.lately.values()), read


def pages_words(count: FeedCount) -> str:
    """What came of the pages that were tried last, in words."""
    tried, read = pages_tried(count)
    return f"{read:,} of the last {tried:,} pages gave an article"


def pages_health(count: FeedCount) -> Literal["failing", "refused"] | None:
    """Whether pages give nothing: they fail, or are refused; None where they give something, or too few were tried."""
    tried, read = pages_tried(count)
    if tried < FEWEST_TRIED or read > GIVES_NOTHING * tried:
        return None
    refused = count.lately.get("refused", 0)
    return "refused" if 2 * refused > tried else "failing"


def feed_health(feed: Feed, count: FeedCount) -> FeedHealth:
    """The state of the feed; where it is live and its pages give nothing: that they fail, or are refused."""
    return (pages_health(count) if feed.state == "live" else None) or feed.state


def giving_nothing(app: App) -> tuple[dict[FeedHealth, list[str]], dict[str, FeedCount]]:
    """The live feeds of whose pages nothing comes, by how that is, and what came of the pages tried last."""
    failing = app.store.overview.failing_feeds(least=FEWEST_TRIED)
    counts = {url: FeedCount(lately=lately) for url, lately in failing.items()}
    found: dict[FeedHealth, list[str]] = {}
    for url, count in sorted(counts.items()):
        health = pages_health(count)
        if health is not None:
            found.setdefault(health, []).append(url)
    return dict(sorted(found.items())), counts


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedView:
    """Everything about one feed."""

    stats: FeedStats
    parts: Breakdown
    observations: tuple[Observation, ...]
    problems: tuple[Problem, ...]
    """Its own and those of the pages it led to, newest first."""
    articles: tuple[Article, ...]

    @property
    def reliability(self) -> float | None:
        """The same as in the table of feeds; None where nothing is known yet."""
        return self.stats.reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFeeds:
    """Feeds that were named to be paused or resumed."""

    feeds: tuple[Feed, ...] = ()
    """As they were before."""
    missing: tuple[str, ...] = ()
    """Names that no feed is called by."""
    waits: tuple[Wait, ...] = ()
    """Of feeds that were resumed: what each of them waits for, in their order."""


class FollowedFeeds:
    """The feeds of one app."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._store = app.store

    # --- looking ----------------------------------------------------------------------------------

    def all(self) -> tuple[Feed, ...]:
        """Every feed."""
        return self._store.feeds()

    def find(self, name: str) -> tuple[Feed, ...]:
        """The feeds that are meant: by name, by address, by title, or all of a publisher."""
        feeds = self._store.feeds()
        for means in (_by_name, _by_address, _by_title, _by_publisher):
            found = tuple(feed for feed in feeds if means(feed, name.strip()))
            if found:
                return found
        return ()

    def feed_named(self, name: str) -> Feed | None:
        """The feed of this name; SettingsError when several could be meant."""
        found = self.find(name)
        if len(found) > 1:
            raise SettingsError(
                [f"{name}: {len(found)} feeds could be meant: {_few(found)}"],
                hint="Name it by its address.",
            )
        return found[0] if found else None

    def named(self, names: Sequence[str]) -> tuple[list[Feed], list[str]]:
        """The feeds of these names, each once, and the names that nothing is called by."""
        found: dict[str, Feed] = {}
        missing = []
        for name in names:
            feeds = self.find(name)
            found |= {feed.url: feed for feed in feeds}
            if not feeds:
                missing.append(name)
        return list(found.values()), missing

    def stats(
        self,
        *,
        publisher: str = "",
        state: FeedHealth | None = None,
        region: str = "",
        category: str = "",
        role: FeedRole | None = None,
        order: FeedOrder = "publisher",
    ) -> tuple[FeedStats, ...]:
        """The feeds with what came of them, by publisher and address, or the most reliable ones first."""
        feeds = [
            feed
            for feed in self._store.feeds(publisher=publisher, state=_state_of(state))
            if (not region or _is_of(region, feed.region))
            and (not category or _is_in(category, feed.category))
            and role in {None, feed.role}
        ]
        found = self.of(feeds)
        if state in {"failing", "refused"}:
            found = tuple(stats for stats in found if stats.health == state)
        return found if order == "publisher" else tuple(sorted(found, key=_distrust))

    def of(self, feeds: Sequence[Feed]) -> tuple[FeedStats, ...]:
        """What came of these feeds."""
        counts = self._store.feed_tallies([feed.url for feed in feeds])
        rights = {domain: self._rights(domain) for domain in {feed.publisher for feed in feeds}}
        return tuple(
            FeedStats(
                feed=feed,
                count=counts.get(feed.url, FeedCount()),
                observed=current_reliability(feed, self._observations(feed)),
                rights=rights[feed.publisher],
            )
            for feed in feeds
        )

    def view(self, feed: Feed) -> FeedView:
        """Everything about one feed."""
        from wireroom.app.search import search_articles

        (stats,) = self.of([feed])
        observations = self._observations(feed)
        return FeedView(
            stats=stats,
            parts=breakdown(observations),
            observations=observations,
            problems=self._store.problems(feed_url=feed.url, limit=LAST),
            articles=search_articles(self._app, f'feed:"{feed.url}"', limit=LAST).articles,
        )

    def write_opml(self, out: BinaryIO, feeds: Sequence[Feed], *, tokens: bool = False) -> int:
        """Writes feeds as OPML, with the tokens of their addresses where asked for; how many."""
        from wireroom.export.opml import write_opml

        homes = {publisher.domain: publisher.home_url for publisher in self._store.publishers()}
        return write_opml(feeds, out, now=self._app.clock(), homes=homes, tokens=tokens)

    # --- changing ---------------------------------------------------------------------------------

    def pause(self, feeds: Sequence[Feed]) -> int:
        """Leaves these alone from now on; how many were not paused before."""
        awake = [feed for feed in feeds if feed.state != "paused"]
        self._save([(feed, replace(feed, state="paused")) for feed in awake], "feed_paused")
        return len(awake)

    def resume(self, feeds: Sequence[Feed]) -> tuple[Wait, ...]:
        """Asks these again, at once, whatever they had done before; what each of them waits for now."""
        woken = [_woken(feed) for feed in feeds]
        self._save(list(zip(feeds, woken, strict=True)), "feed_resumed")
        state = queue_state(self._app)
        return tuple(feed_wait(feed, state) or Wait(on=WaitsFor.RUN) for feed in woken)

    def remove(
        self,
        feed: Feed,
        *,
        articles: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Forgets a feed, with its articles when that is wanted; how many of these went."""
        gone = self._remove_articles(feed, progress) if articles else 0
        self._store.remove_feed(feed.url)
        data = {"name": feed.name, "articles": gone}
        self._store.emit([self._event("feed_removed", feed, data)])
        return gone

    def _remove_articles(self, feed: Feed, progress: Callable[[int], None] | None) -> int:
        """The articles go first: who is killed in between finds the feed still there, and goes on."""
        ids = [article.id for article in self._articles(feed)]
        gone = Counter[str]()
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            removed = self._store.remove_articles(
                part, reason="its feed was removed", now=self._app.clock()
            )
            gone["articles"] += removed.articles
            if progress is not None:
                progress(start + len(part))
        return gone["articles"]

    def _save(self, changes: Sequence[tuple[Feed | None, Feed]], kind: str) -> None:
        if changes:
            events = [self._event(kind, wanted, {"name": wanted.name}) for _, wanted in changes]
            self._store.save_feed_changes(changes, events=events, now=self._app.clock())

    def _event(self, kind: str, feed: Feed, data: dict[str, object]) -> Event:
        return Event(kind=kind, subject=feed.url, at=self._app.clock(), data=data)

    def _articles(self, feed: Feed) -> Iterator[Article]:
        """Articles that came by this feed, newest first."""
        addresses = frozenset(self._store.feed_addresses(feed.url))
        held = self._store.articles(f"publisher:{feed.publisher}")
        return (article for article in held if article.feed_url in addresses)

    def _observations(self, feed: Feed) -> tuple[Observation, ...]:
        return self._store.observations(feed.url, limit=OBSERVATIONS_COUNTED)

    def _rights(self, domain: str) -> tuple[Verdict, ...]:
        dossier = self._store.dossier(domain)
        return dossier.rights if dossier is not None else ()


def no_such_feed(name: str) -> SettingsError:
    """What is said where a feed must be there."""
    return SettingsError([f"no feed is called {name}"], hint="app.feeds() has names and addresses.")


def require_feed(app: App, name: str) -> Feed:
    """The one feed of this name; SettingsError when there is none, or several could be meant."""
    feed = FollowedFeeds(app).feed_named(name)
    if feed is None:
        raise no_such_feed(name)
    return feed


def _state_of(health: FeedHealth | None) -> FeedState | None:
    """The state in which a feed of this health is."""
    return "live" if health == "failing" or health == "refused" else health


def _few(feeds: Sequence[Feed]) -> str:
    more = f" and {len(feeds) - MAX_NAMED} more" if len(feeds) > MAX_NAMED else ""
    return f"{', '.join(feed.url for feed in feeds[:MAX_NAMED])}{more}"


def _distrust(stats: FeedStats) -> float:
    """Smaller for those that are to be relied on; who was never proven comes last."""
    return 1.0 if stats.reliability is None else -stats.reliability


def _woken(feed: Feed) -> Feed:
    standing = replace(feed.standing, reason="", because="you resumed it")
    return replace(feed, state="live", failures=0, poll_after=None, standing=standing)


def _is_of(wanted: str, held: str) -> bool:
    """Whether one of the words before, between and behind commas is meant: a feed may be of several regions."""
    meant = wanted.strip().casefold()
    return meant in comma_words(held) or meant == held.strip().casefold()


def _is_in(wanted: str, held: str) -> bool:
    """The same for a category, which may stand within others: `Coast/Harbour` is of both."""
    meant = wanted.strip().casefold()
    return _is_of(wanted, held) or meant in map(str.casefold, category_path(held))


def _by_name(feed: Feed, name: str) -> bool:
    return feed.name == name or feed.url == name


def _by_address(feed: Feed, name: str) -> bool:
    return "/" in name and same_page(feed.url, name if "://" in name else f"https://{name}")


def _by_title(feed: Feed, name: str) -> bool:
    return name.casefold() in {feed.title.casefold(), feed.name.casefold()}


def _by_publisher(feed: Feed, name: str) -> bool:
    return feed.publisher == name.casefold().removeprefix("www.")


def with_tokens(feeds: Sequence[Feed]) -> int:
    """How many of the feeds have a token in an address, which a list leaves out unless asked for."""
    from wireroom.export.opml import has_token

    return sum(map(has_token, feeds))
