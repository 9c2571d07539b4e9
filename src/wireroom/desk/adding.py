"""Adding, wired: what an operator names is looked at, chosen from, and followed from then on.

A publisher is scouted and the best of its feeds are taken; a feed, a sitemap or an API that is named is taken
itself, and its publisher is scouted for what it permits. Which feeds those are, and whether they may be
followed at all, is decided in the rooms poll and rights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from wireroom.errors import FetchError
from wireroom.model import (
    Dossier,
    Event,
    Feed,
    FeedKind,
    Hints,
    Publisher,
    Request,
    Response,
)
from wireroom.parse.kind import FEED_KINDS, SITEMAP_KINDS, kind_of
from wireroom.poll.choosing import Choice, Pick, choose_feeds
from wireroom.ports import Fetch
from wireroom.rights import decide_fetch, judge, robots_word
from wireroom.rights.policy import Policy
from wireroom.scout.address import Address, read_address

if TYPE_CHECKING:
    from wireroom.desk.desk import Desk
    from wireroom.desk.scouting import Scouting

__all__ = ["Added", "Adding", "Wanted"]

LOOK = 200_000  # bytes that tell what an address is; the whole document is for the first poll
_KINDS: dict[str, FeedKind] = {
    "rss": "rss",
    "cdf": "rss",
    "atom": "atom",
    "rdf": "rdf",
    "json_feed": "json",
    "sitemap": "sitemap",
    "sitemap_index": "sitemap",
    "text_sitemap": "sitemap",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the operator says of the feeds to be added; all of it may be left to us."""

    name: str = ""
    publisher: str = ""
    kind: FeedKind | None = None
    hints: Hints = field(default_factory=Hints)
    interval: timedelta | None = None
    mirrors: tuple[str, ...] = ()
    proxy: str = ""
    region: str = ""
    category: str = ""

    def dressed(self, feed: Feed) -> Feed:
        """The feed with what the operator says of it; what is not said stays."""
        return replace(
            feed,
            name=self.name or feed.name,
            kind=self.kind or feed.kind,
            hints=self.hints if self.hints != Hints() else feed.hints,
            interval=self.interval or feed.interval,
            mirrors=self.mirrors or feed.mirrors,
            proxy=self.proxy or feed.proxy,
            region=self.region or feed.region,
            category=self.category or feed.category,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of one address."""

    target: str
    outcome: Literal["added", "known", "refused", "nothing"]
    publisher: str = ""
    taken: tuple[Pick, ...] = ()
    left: tuple[Pick, ...] = ()
    reason: str = ""
    """Why it was refused, or why there is nothing to follow."""


class Adding:
    """Adds what operators name."""

    def __init__(self, desk: Desk, fetch: Fetch, scouting: Scouting, policy: Policy) -> None:
        self._desk = desk
        self._fetch = fetch
        self._scouting = scouting
        self._policy = policy

    async def add(self, target: str, wanted: Wanted | None = None) -> Added:
        """Follows what the address names; raises SettingsError or FetchError when that cannot be told."""
        wanted = wanted or Wanted()
        address = read_address(target)
        kind = wanted.kind or await self._kind(address, wanted)
        if kind is None:
            return await self._add_publisher(target, address, wanted)
        return await self._add_feed(target, address, kind, wanted)

    # --- a publisher ------------------------------------------------------------------------------

    async def _add_publisher(self, target: str, address: Address, wanted: Wanted) -> Added:
        dossier = await self._scouting.dossier(address)
        choice = choose_feeds(dossier)
        domain = dossier.publisher.domain
        if not choice.taken:
            reason = "no feed and no sitemap with news was found"
            return Added(
                target=target, outcome="nothing", publisher=domain, left=choice.left, reason=reason
            )
        reason = self._refusal(dossier, [pick.feed.url for pick in choice.taken])
        if reason:
            return Added(
                target=target,
                outcome="refused",
                publisher=domain,
                left=(*choice.taken, *choice.left),
                reason=reason,
            )
        return self._follow(target, dossier.publisher, choice, wanted)

    # --- a feed -----------------------------------------------------------------------------------

    async def _add_feed(
        self, target: str, address: Address, kind: FeedKind, wanted: Wanted
    ) -> Added:
        url = address.candidates[0]
        home = read_address(wanted.publisher or address.domain)
        try:
            dossier = await self._scouting.dossier(home)
        except FetchError:
            dossier = None  # a feed may live where there is no front page
        domain = wanted.publisher or address.domain
        reason = self._refusal(dossier, [url]) if dossier is not None else ""
        feed = Feed(url=url, publisher=domain, kind=kind)
        pick = Pick(feed=feed, why="you named it")
        if reason:
            return Added(
                target=target, outcome="refused", publisher=domain, left=(pick,), reason=reason
            )
        held = self._desk.store.publisher(domain)
        publisher = held or Publisher(domain=domain, added_at=self._desk.clock())
        return self._follow(target, publisher, Choice(taken=(pick,)), wanted)

    async def _kind(self, address: Address, wanted: Wanted) -> FeedKind | None:
        """What stands at the address, when it is no publisher's front page."""
        if wanted.hints.field_map:
            return "json_api"
        parts = urlsplit(address.candidates[0])
        if parts.path in {"", "/"} and not parts.query:
            return None
        response = await self._look(address, wanted)
        content_type = next((v for n, v in response.headers if n == "content-type"), "")
        found = kind_of(response.body, content_type).name
        if found == "gzip":
            return "sitemap"
        return _KINDS[found] if found in FEED_KINDS | SITEMAP_KINDS else None

    async def _look(self, address: Address, wanted: Wanted) -> Response:
        """The beginning of the document; https first where no scheme was typed."""
        for url in address.candidates[:-1]:
            try:
                return await self._fetch(_look_request(url, wanted))
            except FetchError as error:
                if error.kind not in {"connect", "tls", "timeout"}:
                    raise
        return await self._fetch(_look_request(address.candidates[-1], wanted))

    # --- both -------------------------------------------------------------------------------------

    def _refusal(self, dossier: Dossier, urls: Sequence[str]) -> str:
        """Why none of these may be followed; empty when one may."""
        reasons = []
        for url in urls:
            word, _ = robots_word(dossier.findings, url)
            verdicts = judge(dossier.findings, url)
            answer = decide_fetch(self._policy, verdicts, robots_word=word)
            if answer.ok:
                return ""
            reasons.append(answer.reason)
        return reasons[0] if reasons else ""

    def _follow(self, target: str, publisher: Publisher, choice: Choice, wanted: Wanted) -> Added:
        store, now = self._desk.store, self._desk.clock()
        picks: list[Pick] = []
        wishes: list[tuple[Feed | None, Feed]] = []
        for place, pick in enumerate(choice.taken):
            held = store.feed(pick.feed.url)
            dressed = replace(wanted, name="") if place else wanted
            feed = dressed.dressed(held or pick.feed)
            picks.append(replace(pick, feed=feed))
            wishes.append((held, feed))
        fresh = [feed for held, feed in wishes if held is None]
        if store.publisher(publisher.domain) is None:
            store.save_publisher(publisher)
        events = [
            Event(kind="feed_added", subject=feed.url, at=now, data={"name": feed.name})
            for feed in fresh
        ]
        store.save_roster(wishes, events=events, now=now)
        return Added(
            target=target,
            outcome="added" if fresh else "known",
            publisher=publisher.domain,
            taken=tuple(picks),
            left=choice.left,
        )


def _look_request(url: str, wanted: Wanted) -> Request:
    return Request(url=url, purpose="poll", max_bytes=LOOK, take_start=True, proxy=wanted.proxy)
