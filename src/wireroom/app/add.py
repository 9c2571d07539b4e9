"""Following what an operator names: publishers, feeds, sitemaps and APIs, one or many at once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from wireroom.app.concurrency import run_concurrently
from wireroom.errors import FetchError, GoneError, RefusedError, SettingsError, Wording
from wireroom.model import (
    Dossier,
    Event,
    Feed,
    FeedKind,
    FeedOptions,
    ProblemKind,
    Publisher,
    Request,
    Response,
    Verdict,
    with_options,
)
from wireroom.parse.kind import FEED_KINDS, SITEMAP_KINDS, kind_of
from wireroom.parse.opml_outlines import read_opml as read_opml
from wireroom.poll.discovery import FeedChoice, barred_feeds, choose_feeds
from wireroom.poll.discovery import Pick as Pick
from wireroom.poll.feed_diff import FieldChange as FieldChange
from wireroom.poll.feed_diff import changes
from wireroom.ports import Fetch
from wireroom.rights import decide_fetch, robots_word
from wireroom.rights.policy import Policy, refusal_notice
from wireroom.scout.address import Address, read_address
from wireroom.settings.feed_settings import read_feed_text
from wireroom.signals import judge, with_labels
from wireroom.signals.freshness import lacked_time
from wireroom.urls import address_key, is_front_page, publisher_domain

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.scout import Scouting
    from wireroom.scout.runner import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRequest:
    """What the operator says of the feeds to be added; all of it may be left to us."""

    given: Mapping[str, Any] = field(default_factory=dict)
    """Options by name, each checked; one that is not here stays as it is."""
    title: str = ""
    """What others call it, until the feed says so itself."""
    called: str = ""
    """What a list of another reader calls it: its name, if it has none and no other feed is called so."""
    publisher: str = ""
    kind: FeedKind | None = None
    enabled: bool = True
    listed: bool = False
    """Whether it stands in a list of feeds: one that does not answer today is kept all the same."""

    @property
    def options(self) -> FeedOptions:
        """The options of a feed of which nothing else was said before."""
        return with_options(FeedOptions(), self.given)

    def applied_to(self, feed: Feed) -> Feed:
        """The feed with what the operator says of it; what is not said stays."""
        return replace(
            with_options(feed, self.given),
            title=feed.title or self.title,
            kind=self.kind or feed.kind,
            state=feed.state if self.enabled else "paused",
        )

    def without_name(self) -> AddRequest:
        """The same for a feed beside the one that has the name."""
        given = {name: value for name, value in self.given.items() if name != "name"}
        return replace(self, given=given)


def read_request(target: str, texts: Mapping[str, str], origin: str) -> AddRequest:
    """What is said of the feed at this address, in texts; SettingsError tells all that is wrong."""
    feed = read_feed_text(read_address(target).candidates[0], texts, origin)
    return AddRequest(
        given=feed.given_values(), publisher=feed.publisher, kind=feed.kind, enabled=feed.enabled
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of one address."""

    target: str
    outcome: Literal["added", "known", "refused", "nothing", "failed"]
    publisher: str = ""
    taken: tuple[Pick, ...] = ()
    left: tuple[Pick, ...] = ()
    changed: tuple[FieldChange, ...] = ()
    """Of feeds that were followed before: what is said of them now, and was not."""
    reason: str = ""
    """Why it was refused, failed, or why there is nothing to follow."""
    kind: str = ""
    """When its homepage could not be fetched: the kind of the problem."""
    page_url: str = ""
    """The address that was named, where it is a page and its publisher's feeds were taken instead."""
    problem: str = ""
    """Why it did not answer, where it is followed all the same, as it was named or listed."""
    error: FetchError | SettingsError | None = None
    """Of one that failed: nobody is there, we may not ask, or it is no address."""
    moved_from: str = ""
    """The front page that was named, where its publisher has moved, and what is there was taken."""
    verdicts: tuple[Verdict, ...] = ()
    """What its publisher permits, as it was scouted."""
    notices: tuple[str, ...] = ()
    """What its publisher refuses and what is done about it; why its pages may not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of one of many addresses: it was added, or why it could not be told what it is."""

    place: int
    """Which of the addresses it was, counted from 0."""
    added: Added | None = None
    error: FetchError | SettingsError | None = None

    def outcome_for(self, target: str) -> Added:
        """The same as one value: nothing is there, we may not ask, or it could not be told what it is."""
        if self.added is not None or self.error is None:
            return self.added or Added(target=target, outcome="nothing")
        kind = self.error.kind if isinstance(self.error, FetchError) else ""
        outcome: Literal["refused", "nothing", "failed"] = "failed"
        if isinstance(self.error, RefusedError | GoneError):
            outcome = "refused" if isinstance(self.error, RefusedError) else "nothing"
        reason = self.error.message
        return Added(target=target, outcome=outcome, reason=reason, kind=kind, error=self.error)


async def add_many(
    app: App,
    targets: Sequence[tuple[str, AddRequest]],
    *,
    scout: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> AsyncGenerator[AddResult, None]:
    """What becomes of each address, as it is known; one that fails stops no other.

    With `scout` off nobody is asked. The steps of scouts are reported to `progress`.
    """
    from wireroom.app.factories import open_adding

    async with open_adding(app, app.settings, scout=scout, watch=progress) as adding:

        async def add(place: int) -> AddResult:
            try:
                return AddResult(place=place, added=await adding.add(*targets[place]))
            except (FetchError, SettingsError) as error:
                return AddResult(place=place, error=error)

        at_once = app.settings.scout.at_once
        async with aclosing(run_concurrently(range(len(targets)), add, at_once=at_once)) as results:
            async for result in results:
                yield result


# Adding, wired: what an operator names is probed, chosen from, and followed from then on.
#
# A publisher is scouted and the best of its feeds are taken; a feed, a sitemap or an API that is named is taken
# itself, and its publisher is scouted for what it permits. Which feeds those are, and whether they may be
# followed at all, is decided in the rooms poll and rights.

PROBE_BYTES = (
    200_000  # bytes that tell what an address is; the whole document is for the first poll
)
NO_FIELDS = "it speaks JSON that is no feed: say where its fields stand (a field map)"
UNSEEN = "you named it; not seen"
KNOWN = "you named it"
NO_ANSWER = "you named it; it does not answer now"
NO_FEEDS = "no feed and no sitemap with news was found; if you know one, name its address"
FEEDS_UNSEEN = "no feed was found in what could be fetched; if you know one, name its address"
_LATER: frozenset[ProblemKind] = frozenset(
    {
        "dns",
        "connect",
        "timeout",
        "tls",
        "our_network",
        "server_error",
        "throttled",
        "blocked_waf",
        "challenge",
    }
)
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """What stands at an address that is no publisher's front page; without a kind it is a page."""

    url: str
    kind: FeedKind | None = None
    problem: str = ""
    """Why it did not answer, where it is believed to be what it is called."""


class Adding:
    """Adds what operators name."""

    def __init__(
        self,
        app: App,
        fetch: Fetch,
        scouting: Scouting,
        policy: Policy,
        *,
        scout: bool = True,
        watch: Callable[[Progress], None] | None = None,
    ) -> None:
        """With `scout` off feeds are believed to be what they are called, and nobody is asked for anything.

        `watch` is told of the steps of a scout.
        """
        self._watch = watch
        self._app = app
        self._fetch = fetch
        self._scouting = scouting
        self._policy = policy
        self._scout = scout
        self._names: dict[str, str] = {}
        """Name to address of every feed, once a name has been asked for."""

    async def add(self, target: str, request: AddRequest | None = None) -> Added:
        """Follows what the address names; raises SettingsError or FetchError when that cannot be told."""
        request = request or AddRequest()
        address = read_address(target)
        if not self._scout:
            return self._add_unseen(target, address, request)
        seen = await self._seen(address, request)
        if isinstance(seen, str):
            return Added(target=target, outcome="nothing", publisher=address.domain, reason=seen)
        if seen is None:
            return await self._add_publisher(target, address, request)
        if seen.kind is None:
            added = await self._add_publisher(target, address, request)
            return replace(added, page_url=seen.url)
        added = await self._add_feed(target, seen.url, seen.kind, request, seen=not seen.problem)
        return replace(added, problem=seen.problem)

    # --- a publisher ------------------------------------------------------------------------------

    async def _add_publisher(self, target: str, address: Address, request: AddRequest) -> Added:
        dossier = await self._dossier(address, follow_moved=True)
        added = await self._add_feeds_of(target, dossier, request)
        return replace(added, moved_from=dossier.moved_from)

    async def _add_feeds_of(self, target: str, dossier: Dossier, request: AddRequest) -> Added:
        choice = choose_feeds(dossier)
        domain = dossier.publisher.domain
        if not choice.taken:
            return _nothing(target, dossier, choice, self._app.settings.scout.add_time)
        choice, reason = self._permitted(dossier, choice)
        if not choice.taken:
            return Added(
                target=target,
                outcome="refused",
                publisher=domain,
                left=choice.left,
                reason=reason,
            )
        return self._with_notices(self._follow(target, dossier.publisher, choice, request), dossier)

    def _with_notices(self, added: Added, dossier: Dossier | None) -> Added:
        if dossier is None or not added.taken:
            return added
        notices = (refusal_notice(self._policy, dossier.rights), _unread_sample(dossier))
        return replace(added, verdicts=dossier.rights, notices=tuple(filter(None, notices)))

    def _permitted(self, dossier: Dossier, choice: FeedChoice) -> tuple[FeedChoice, str]:
        """Those that may be asked, and why the first of the others may not."""
        refused = {pick.feed.url: self._refusal(dossier, pick.feed.url) for pick in choice.taken}
        taken = tuple(pick for pick in choice.taken if not refused[pick.feed.url])
        barred = tuple(
            replace(pick, why=refused[pick.feed.url])
            for pick in choice.taken
            if refused[pick.feed.url]
        )
        reason = barred[0].why if barred else ""
        return FeedChoice(taken=taken, left=(*barred, *choice.left)), reason

    # --- a feed -----------------------------------------------------------------------------------

    async def _add_feed(
        self, target: str, url: str, kind: FeedKind, request: AddRequest, *, seen: bool
    ) -> Added:
        domain = request.publisher or publisher_domain(url)
        dossier = await self._dossier_of(domain)
        reason = self._refusal(dossier, url, is_down=not seen) if dossier is not None else ""
        feed = Feed(url=url, publisher=domain, kind=kind, failures=0 if seen else 1)
        pick = Pick(feed=feed, why=KNOWN if seen else NO_ANSWER, seen=seen)
        return self._with_notices(self._add_named(target, pick, request, reason), dossier)

    def _add_named(self, target: str, pick: Pick, request: AddRequest, reason: str) -> Added:
        domain = pick.feed.publisher
        if reason:
            return Added(
                target=target, outcome="refused", publisher=domain, left=(pick,), reason=reason
            )
        return self._follow(target, self._publisher(domain), FeedChoice(taken=(pick,)), request)

    def _add_unseen(self, target: str, address: Address, request: AddRequest) -> Added:
        """The feed at the address, as the operator calls it; its first poll shows what it is.

        Nobody is asked, but what is known of its publisher is heeded.
        """
        url = address.candidates[0]
        if is_front_page(url):
            raise SettingsError(
                [f"{target}: nobody knows a publisher's feeds without looking"],
                hint=Wording(
                    "Leave scout=False out, or name the feed itself.",
                    terminal="Leave --no-scout out, or name the feed itself.",
                ),
            )
        domain = request.publisher or address.domain
        kind = request.kind or ("json_api" if request.options.hints.field_map else "rss")
        pick = Pick(feed=Feed(url=url, publisher=domain, kind=kind), why=UNSEEN, seen=False)
        dossier = self._app.store.dossier(domain)
        reason = self._refusal(dossier, url) if dossier is not None else ""
        return self._with_notices(self._add_named(target, pick, request, reason), dossier)

    async def _dossier_of(self, domain: str) -> Dossier | None:
        try:
            return await self._dossier(read_address(domain))
        except (FetchError, SettingsError):
            return None  # a feed may live where there is no front page, or under a bare address

    def _publisher(self, domain: str) -> Publisher:
        held = self._app.store.publisher(domain)
        return held or Publisher(domain=domain, added_at=self._app.clock())

    async def _seen(self, address: Address, request: AddRequest) -> _Seen | str | None:
        """What stands at the address; None for a publisher, words for what cannot be followed."""
        kind = request.kind or ("json_api" if request.options.hints.field_map else None)
        if kind is not None:
            return await self._believed(address, kind, request)
        if is_front_page(address.candidates[0]):
            return None
        try:
            response = await self._probe(address, request)
        except FetchError as error:
            if not (request.listed and _may_answer_later(error)):
                raise
            return _Seen(address.candidates[0], "rss", error.reason)
        found = _kind_of(response)
        if found == "gzip":
            return _Seen(response.url, "sitemap")
        if found in FEED_KINDS | SITEMAP_KINDS:
            return _Seen(response.url, _KINDS[found])
        return NO_FIELDS if found == "json" else _Seen(response.url)

    async def _believed(self, address: Address, kind: FeedKind, request: AddRequest) -> _Seen:
        """The feed that the operator says is there; not even they can make one of a page.

        One that does not answer just now is believed to be what they say: lists of feeds are read back so.
        """
        try:
            response = await self._probe(address, request)
        except FetchError as error:
            if error.kind == "gone" or len(address.candidates) > 1:
                raise
            return _Seen(address.candidates[0], kind, error.reason)
        if _kind_of(response) == "html":
            raise SettingsError(
                [f"{response.url} is a page for people and no feed of the kind {kind}."],
                hint="Leave the kind out to have its publisher's feeds looked for.",
            )
        return _Seen(response.url, kind)

    async def _probe(self, address: Address, request: AddRequest) -> Response:
        """The beginning of the document; https first where no scheme was typed."""
        for url in address.candidates[:-1]:
            try:
                return await self._fetch(_probe_request(url, request))
            except FetchError as error:
                if error.kind not in {"connect", "tls", "timeout"}:
                    raise
        return await self._fetch(_probe_request(address.candidates[-1], request))

    async def _dossier(self, address: Address, *, follow_moved: bool = False) -> Dossier:
        """The publisher's dossier; what is known and fresh is not asked again."""
        async with aclosing(self._scouting.scout(address, follow_moved=follow_moved)) as steps:
            async for step in steps:
                if isinstance(step, Dossier):
                    return step
                if self._watch is not None:
                    self._watch(step)
        raise AssertionError("a scout ends in a dossier or in an error")

    # --- both -------------------------------------------------------------------------------------

    def _refusal(self, dossier: Dossier, url: str, *, is_down: bool = False) -> str:
        """Why this may not be followed; empty when it may.

        A robots.txt that is down with its host bars it until both answer: every poll heeds that.
        """
        word, evidence = robots_word(dossier.findings, url)
        if is_down and word == "disallowed" and (evidence is None or evidence.line is None):
            word = "unknown"  # no line says so: robots.txt could not be fetched
        verdicts = with_labels(judge(dossier.findings, url))
        return decide_fetch(self._policy, verdicts, robots_word=word).reason

    def _follow(
        self, target: str, publisher: Publisher, choice: FeedChoice, request: AddRequest
    ) -> Added:
        store, now = self._app.store, self._app.clock()
        known = {address_key(feed.url): feed for feed in store.feeds(publisher=publisher.domain)}
        picks: list[Pick] = []
        saved: list[tuple[Feed | None, Feed]] = []
        for place, pick in enumerate(choice.taken):
            held = known.get(address_key(pick.feed.url)) or store.feed(pick.feed.url)
            asked = request.without_name() if place else request
            feed = asked.applied_to(held or pick.feed)
            why = KNOWN if held is not None and not pick.seen else pick.why
            picks.append(replace(pick, feed=feed, why=why))
            saved.append((held, feed))
        saved[0] = saved[0][0], self._named(saved[0][1], request.called)
        self._refuse_name(saved[0][1])
        if store.publisher(publisher.domain) is None:
            store.save_publisher(publisher)
        store.save_feed_changes(saved, events=list(_events(saved, now)), now=now)
        self._names.update((feed.name, feed.url) for _, feed in saved if feed.name)
        return Added(
            target=target,
            outcome="known" if all(held for held, _ in saved) else "added",
            publisher=publisher.domain,
            taken=tuple(picks),
            left=choice.left,
            changed=tuple(
                change for held, feed in saved if held is not None for change in changes(held, feed)
            ),
        )

    def _named(self, feed: Feed, called: str) -> Feed:
        """The feed under the name that a list has for it, if that is free."""
        if feed.name or not called or called in self._known_names():
            return feed
        return replace(feed, name=called)

    def _known_names(self) -> dict[str, str]:
        if not self._names:  # read once: a list of a thousand feeds asks a thousand times
            held = self._app.store.feeds()
            self._names = {feed.name: feed.url for feed in held if feed.name}
        return self._names

    def _refuse_name(self, feed: Feed) -> None:
        """A name stands for one feed."""
        if not feed.name:
            return
        url = self._known_names().get(feed.name, feed.url)
        other = self._app.store.feed(url) if url != feed.url else None
        if other is not None and other.name == feed.name:  # it may have been renamed since
            raise SettingsError([f"name = {feed.name!r}: expected another name than that of {url}"])


def _may_answer_later(error: FetchError) -> bool:
    """Whether what does not answer now may be there tomorrow: it is neither gone nor forbidden.

    A robots.txt that cannot be had forbids nothing for good.
    """
    return error.kind in _LATER or (error.kind == "robots" and not error.permanent)


def _events(saved: Sequence[tuple[Feed | None, Feed]], now: datetime) -> Iterator[Event]:
    for held, feed in saved:
        if held is None:
            yield Event(kind="feed_added", subject=feed.url, at=now, data={"name": feed.name})
        elif held != feed:
            names = [field.name for field in fields(Feed) if _differ(held, feed, field.name)]
            yield Event(kind="feed_changed", subject=feed.url, at=now, data={"fields": names})


def _differ(held: object, wanted: object, name: str) -> bool:
    return bool(getattr(held, name) != getattr(wanted, name))


def _nothing(target: str, dossier: Dossier, choice: FeedChoice, time: timedelta) -> Added:
    """Why a publisher has nothing to be followed: it offers nothing, bars it, or nobody was let in."""
    found = {finding.step: finding for finding in dossier.findings}
    homepage, feeds = found.get("homepage"), found.get("feeds")
    reason, kind = NO_FEEDS, ""
    if barred := barred_feeds(dossier):
        more = f" and {len(barred) - 1} more" if len(barred) > 1 else ""
        reason, kind = f"robots.txt bars its feed, {barred[0]}{more}", "robots"
    elif feeds is not None and lacked_time(feeds, timedelta.max):
        reason, kind = _too_short(dossier, time), "scout_time"
    elif feeds is not None and feeds.outcome != "no":
        reason = FEEDS_UNSEEN
    if homepage is not None and homepage.outcome in {"failed", "skipped"}:
        kind = str(homepage.facts.get("reason") or "")
        reason = f"its homepage could not be fetched: {homepage.facts.get('error') or kind}"
    return Added(
        target=target,
        outcome="refused" if kind == "robots" else "nothing",
        publisher=dossier.publisher.domain,
        left=choice.left,
        reason=reason,
        kind=kind,
    )


_SHUT_OUT: frozenset[ProblemKind] = frozenset(
    {"payment_required", "login", "consent_wall", "blocked_waf", "challenge"}
)


def _unread_sample(dossier: Dossier) -> str:
    """That the article which the scout looked at is kept from us, so that others will be too."""
    paywall = next((found for found in dossier.findings if found.step == "paywall"), None)
    if paywall is None or paywall.facts.get("reason") not in _SHUT_OUT:
        return ""
    why = paywall.facts.get("error") or paywall.facts["reason"]
    return f"An article of it could not be fetched: {why}. Others will hardly be either."


def _too_short(dossier: Dossier, time: timedelta) -> str:
    """That nobody could look for feeds in the time there was, and why that was so little."""
    robots = next((found for found in dossier.findings if found.step == "robots"), None)
    delay = robots.facts.get("crawl_delay") if robots is not None else None
    why = (
        f", for its robots.txt wants {delay:g} s between two requests (Crawl-delay)"
        if delay
        else ""
    )
    reason = f"its feeds could not be looked for within {time.total_seconds():g} s{why}"
    return Wording(
        f"{reason}: let it take longer (`scout.add_time` of the settings), or name the feed's address",
        terminal=f"{reason}: let it take longer, as with --time 10m, or name the feed's address",
    )


def _kind_of(response: Response) -> str:
    return kind_of(response.body, response.content_type).name


def _probe_request(url: str, request: AddRequest) -> Request:
    return Request(
        url=url, purpose="poll", max_bytes=PROBE_BYTES, take_start=True, proxy=request.options.proxy
    )
