"""Why a page is here or is missing: who named it, whether it may be read, what was tried, what came of it.

Everything is looked up; nobody is asked. What a page comes to is decided by the fields of its lead and its article,
never by their prose, and what can be done about it by what it comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from wireroom.app.explain import find_article
from wireroom.app.page_rights import rights_domain, rights_findings
from wireroom.app.retry import check_page
from wireroom.app.waiting import Wait, WaitsFor, lead_wait, queue_state
from wireroom.identity import OPEN_STATES
from wireroom.model import (
    Article,
    Feed,
    Item,
    LeadCause,
    LeadState,
    Problem,
    ProblemKind,
    RobotsWord,
)
from wireroom.parse.robots import read_robots
from wireroom.ports import LeadRecord, PageRecord
from wireroom.rights import decide_fetch, robots_word
from wireroom.rights.policy import refusal_words
from wireroom.signals import judge, with_labels
from wireroom.urls import fetch_url, host_of, publisher_domain, same_page
from wireroom.version import TOKEN

if TYPE_CHECKING:
    from wireroom.app.application import App

MAX_TRIES: Final = 20  # the last ones that are told; a page is mostly tried three times


class PageOutcome(StrEnum):
    """What a page has come to."""

    HELD = "held"
    """Its article is held."""
    DUPLICATE = "duplicate"
    """It is another address of an article that is held."""
    WITHDRAWN = "withdrawn"
    """Its publisher took it back."""
    WAITING = "waiting"
    """It was named, and is not read yet."""
    RETRY = "retry"
    """It failed, and is tried again."""
    FAILED = "failed"
    REFUSED = "refused"
    PURGED = "purged"
    """Its article was removed on purpose."""
    NEVER_SEEN = "never_seen"
    """Nobody has named it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """A feed that named the page."""

    item: Item
    feed: Feed | None = None
    """None where it is not followed any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePermission:
    """Whether we may fetch the page, by what is known now."""

    robots: RobotsWord
    rule: str = ""
    """The line of robots.txt that decides, and where it stands."""
    robots_at: datetime | None = None
    """When robots.txt was asked for."""
    policy: bool = True
    """Whether the operator's policy lets it be fetched under its rights."""
    refusal: str = ""
    """The verdict for which the policy does not."""
    refused: str = ""
    """The uses that its publisher refuses or sells, in words: `sells search and refuses archive`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTrace:
    """All that is known of why a page is here, or is not."""

    url: str
    publisher: str
    outcome: PageOutcome
    named_by: tuple[Naming, ...] = ()
    record: LeadRecord | None = None
    wait: Wait | None = None
    """What it waits for, where it is still to be read."""
    permission: PagePermission
    tries: tuple[Problem, ...] = ()
    """The tries that failed, oldest first."""
    article: Article | None = None
    canonical: Article | None = None
    """The article of which the one that is held is a near-duplicate."""
    feeds: tuple[Feed, ...] = ()
    """The feeds of its publisher that are followed."""
    advice: str = ""
    """What to do about it; empty where there is nothing to do."""


def trace_page(app: App, url: str) -> PageTrace:
    """Why the page at this address is here, or is not; SettingsError for what is no address of a page."""
    check_page(url)
    record = _found(app, url)
    lead = _chosen(record.leads)
    article = _article(app, url, record, lead)
    publisher = _publisher(url, lead, article)
    outcome = page_outcome(lead, article, url)
    feeds = app.store.feeds(publisher=publisher)
    wait = lead_wait(lead, queue_state(app)) if lead is not None else None
    tried = app.store.problems(subject_url=lead.lead.url, limit=MAX_TRIES) if lead else ()
    return PageTrace(
        url=url,
        publisher=publisher,
        outcome=outcome,
        named_by=tuple(
            Naming(item=item, feed=app.store.feed(item.feed_url, moved=True))
            for item in record.items
        ),
        record=lead,
        wait=wait,
        permission=_permission(app, url, publisher),
        tries=tried[::-1],
        article=article,
        canonical=_canonical(app, article),
        feeds=feeds,
        advice=advice_about(
            outcome,
            url=url,
            publisher=publisher,
            record=lead,
            wait=wait,
            article=article,
            feeds=feeds,
            last=tried[0].kind if tried else None,
        ),
    )


def _found(app: App, url: str) -> PageRecord:
    """What is held of the page; where that is nothing, of the one with or without a slash at its end.

    Servers mostly give the same page for both, and whoever types an address does not look.
    """
    found = app.store.queue.page(url)
    if found != PageRecord() or urlsplit(url).query:
        return found
    bare = url.partition("#")[0]
    return app.store.queue.page(bare[:-1] if bare.endswith("/") else f"{bare}/")


def _chosen(leads: Sequence[LeadRecord]) -> LeadRecord | None:
    """The one that led to an article, else the one that was tried most."""
    by_worth = sorted(leads, key=lambda found: (bool(found.article_id), found.lead.attempts))
    return by_worth[-1] if by_worth else None


def _article(app: App, url: str, record: PageRecord, lead: LeadRecord | None) -> Article | None:
    ids = [lead.article_id] if lead is not None and lead.article_id else record.article_ids
    return next(app.store.articles(ids=ids), None) or find_article(app, url)


def _publisher(url: str, lead: LeadRecord | None, article: Article | None) -> str:
    if lead is not None:
        return lead.lead.publisher
    return article.publisher if article is not None else publisher_domain(url)


def page_outcome(record: LeadRecord | None, article: Article | None, url: str = "") -> PageOutcome:
    """What a page has come to, by what is held of it."""
    lead = record.lead if record is not None else None
    if lead is not None and lead.cause is LeadCause.PURGED:
        return PageOutcome.PURGED
    if article is not None and article.state == "withdrawn":
        return PageOutcome.WITHDRAWN
    if lead is not None and lead.cause is LeadCause.WITHDRAWN:
        return PageOutcome.WITHDRAWN
    if article is not None:
        is_other = lead.state == "duplicate" if lead is not None else article.url != url
        return PageOutcome.DUPLICATE if is_other else PageOutcome.HELD
    if lead is None:
        return PageOutcome.NEVER_SEEN
    return _WITHOUT_ARTICLE[lead.state]


_WITHOUT_ARTICLE: Final[dict[LeadState, PageOutcome]] = {
    "new": PageOutcome.WAITING,
    "fetched": PageOutcome.WAITING,
    "retry": PageOutcome.RETRY,
    "failed": PageOutcome.FAILED,
    "refused": PageOutcome.REFUSED,
    # Its article is gone without a trace: it was read, and somebody removed it.
    "read": PageOutcome.PURGED,
    "duplicate": PageOutcome.PURGED,
}


def _permission(app: App, url: str, publisher: str) -> PagePermission:
    word, rule, asked_at = _robots(app, url, publisher)
    policy = app.settings.rights.policy()
    now, domain = app.clock(), rights_domain(url, publisher)
    findings = rights_findings(app.store, domain, publisher, now=now)
    verdicts = judge(findings, url, now=now)
    answer = decide_fetch(policy, with_labels(verdicts))
    return PagePermission(
        robots=word,
        rule=rule,
        robots_at=asked_at,
        policy=answer.ok,
        refusal=answer.reason,
        refused=refusal_words(verdicts),
    )


def _robots(app: App, url: str, publisher: str) -> tuple[RobotsWord, str, datetime | None]:
    """What robots.txt says of the page: as the last run asked for it, else as the last scout did."""
    parts = urlsplit(url)
    if host_of(url) in app.settings.fetch.agreed:
        return "allowed", "robots.txt is not asked, by agreement (fetch.agreed)", None
    kept = app.store.robots_file(f"{parts.scheme}://{parts.netloc}".lower())
    if kept is not None:
        decision = read_robots(kept.body).decide(TOKEN, fetch_url(url))
        where = f"line {decision.line} of {kept.origin}/robots.txt: {decision.rule}"
        word: RobotsWord = "allowed" if decision.allowed else "disallowed"
        return word, where if decision.line else "", kept.asked_at
    dossier = app.store.dossier(rights_domain(url, publisher))
    if dossier is None:
        return "unknown", "", None
    word, evidence = robots_word(dossier.findings, url)
    if evidence is None or not evidence.excerpt:
        return word, "", dossier.scouted_at
    line = f"line {evidence.line} of " if evidence.line else ""
    return word, f"{line}{evidence.url}: {evidence.excerpt}", dossier.scouted_at


def _canonical(app: App, article: Article | None) -> Article | None:
    """The canonical article of the cluster, where that is another one."""
    if article is None:
        return None
    cluster = app.store.clusters_of([article.id]).get(article.id)
    if cluster is None or article.id in cluster.canonicals.values():
        return None
    chosen = cluster.canonicals.get(article.language) or next(iter(cluster.canonicals.values()), "")
    return app.store.article(chosen) if chosen else None


# What to do about it. Each answer is a sentence with the command that helps; none where there is nothing to do.


def advice_about(
    outcome: PageOutcome,
    *,
    url: str,
    publisher: str,
    record: LeadRecord | None = None,
    wait: Wait | None = None,
    article: Article | None = None,
    feeds: Sequence[Feed] = (),
    last: ProblemKind | None = None,
) -> str:
    """What to do about a page that has come to this; `last` is the kind of its last problem."""
    cause = record.lead.cause if record is not None else LeadCause.NONE
    if outcome is PageOutcome.NEVER_SEEN:
        return _about_unseen(url, publisher, feeds)
    if outcome is PageOutcome.WAITING and wait is not None:
        return _WAITING[wait.on](wait)
    if outcome in {PageOutcome.HELD, PageOutcome.DUPLICATE}:
        return f"Read it: wireroom article {article.id}" if article is not None else ""
    if outcome is PageOutcome.FAILED:
        return _about_failed(cause, last, url)
    if outcome is PageOutcome.REFUSED:
        return _REFUSED.get(cause, "").format(url=url, host=host_of(url))
    return _PLAIN.get(outcome, "").format(url=url)


def _about_unseen(url: str, publisher: str, feeds: Sequence[Feed]) -> str:
    if any(same_page(feed.url, url) for feed in feeds):
        return f"It is no page, but a feed that is followed: wireroom feed {url}"
    now = f"Read the page now: wireroom extract {url}"
    if not feeds:
        return f"Nothing of {publisher} is followed. Follow it: wireroom add {publisher}. {now}"
    asked = [feed for feed in feeds if feed.state in {"live", "silent"}]
    if not asked:
        names = ", ".join(feed.name or feed.url for feed in feeds)
        return f"Its feeds are not asked ({names}). Ask them again: wireroom resume {publisher}"
    older = f"pages that are older come with: wireroom backfill {publisher} --since 30d"
    return f"Feeds name their newest pages alone; {older}. {now}"


_WAITING: Final[dict[WaitsFor, Callable[[Wait], str]]] = {
    WaitsFor.RUN: lambda _: "The next run reads it: wireroom run --once",
    WaitsFor.TIME: lambda _: "A run reads it then.",
    WaitsFor.IN_FLIGHT: lambda wait: f"Nothing: {wait.who} has it now.",
    WaitsFor.HOST: lambda wait: f"Its host is held by {wait.who}, which reads it.",
    WaitsFor.REST: lambda _: "Its host is left alone until then; a run reads it afterwards.",
    WaitsFor.SCOUT: lambda wait: (
        f"The next run scouts {wait.who} first, and then reads it: wireroom run --once"
    ),
    WaitsFor.FEED: lambda wait: f"Its feed is paused. Resume it: wireroom resume {wait.who}",
}
_REFUSED: Final[dict[LeadCause, str]] = {
    LeadCause.ROBOTS: (
        "When robots.txt has changed: wireroom retry {url}. With the publisher's consent, name {host} in fetch.agreed."
    ),
    LeadCause.RIGHTS: (
        "Your policy does not fetch it under these rights: wireroom rights {url}. "
        "When rights or policy have changed: wireroom retry {url}"
    ),
    LeadCause.PRIVATE_ADDRESS: (
        "It leads into a private network. If that is yours, name its place in fetch.allow_private, "
        "then: wireroom retry {url}"
    ),
}
_PLAIN: Final[dict[PageOutcome, str]] = {
    PageOutcome.RETRY: "A run tries it again by itself; sooner with: wireroom retry {url}",
    PageOutcome.PURGED: (
        "It was removed on purpose, and is not read again. If it is to be: wireroom retry {url}"
    ),
}
_BLOCKED: Final[Collection[ProblemKind]] = {"blocked_waf", "challenge"}


def _about_failed(cause: LeadCause, last: ProblemKind | None, url: str) -> str:
    again = f"Try it again: wireroom retry {url}"
    if cause is LeadCause.GONE:
        return f"The page is not there. When it is back: wireroom retry {url}"
    if cause is LeadCause.BAD_ADDRESS:
        return "Its address cannot be asked: tell the publisher."
    if cause is LeadCause.UNREADABLE:
        seen = f"See what is read of it: wireroom extract {url} --explain"
        return f"{seen}. A body_selector for its feed may help, then: wireroom retry {url}"
    if last == "payment_required":
        return f"Its publisher asks for a payment; what it says of that: wireroom rights {url}. {again}"
    if last == "login":
        return f"Its publisher asks for a login, and wireroom has none. {again}"
    if last in _BLOCKED:
        return f"Its server does not let us in; another fetch strategy or a proxy may. {again}"
    if cause is LeadCause.NOT_FETCHED:
        return f"See what it answers: wireroom fetch {url}. {again}"
    return again


# Lists of pages.

LeadChoice: TypeAlias = Literal[
    "waiting", "refused", "failed", "new", "fetched", "retry", "read", "duplicate", "all"
]
"""What a list is asked for: a state, or several under one word."""
UNREAD: Final[tuple[LeadState, ...]] = (*sorted(OPEN_STATES), "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLead:
    """A page of a list, and what it waits for."""

    record: LeadRecord
    wait: Wait | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadList:
    """Some pages, newest first; hand `cursor` back for the next, empty when there is none."""

    leads: tuple[ListedLead, ...] = ()
    cursor: str = ""


def list_leads(
    app: App,
    *,
    publisher: str = "",
    feed_url: str = "",
    choice: LeadChoice | None = None,
    cursor: str = "",
    limit: int = 50,
) -> LeadList:
    """Pages that wait, were refused or failed, or those of a choice, newest first, each with its reason."""
    page = app.store.queue.leads(
        publisher=publisher,
        feed_url=feed_url,
        states=chosen_states(choice),
        cursor=cursor,
        limit=limit,
    )
    state = queue_state(app)
    listed = (ListedLead(record=found, wait=lead_wait(found, state)) for found in page.leads)
    return LeadList(leads=tuple(listed), cursor=page.cursor)


def chosen_states(choice: LeadChoice | None) -> tuple[LeadState, ...]:
    """The states that are meant; none at all means every one."""
    if choice is None:
        return UNREAD
    if choice == "all":
        return ()
    return tuple(sorted(OPEN_STATES)) if choice == "waiting" else (choice,)
