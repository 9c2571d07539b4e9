"""Rights: what may be done with a page, and what is held under verdicts that no longer stand.

What has changed is decided in the rights room, how much may be kept by the operator's policy; here articles
are streamed past them, and what they decide is carried out in the store.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from wireroom.app.concurrency import run_concurrently
from wireroom.errors import FetchError
from wireroom.model import Article, Dossier, Publisher, Receipt, Use
from wireroom.rights import decide_export, robots_word
from wireroom.rights.finding_index import FindingIndex
from wireroom.rights.policy import Policy, reduce_article
from wireroom.rights.review import Review as Review
from wireroom.scout.address import Address, home_address
from wireroom.signals import (
    all_signals,
    findings_on,
    is_dated_ahead,
    judge,
    make_receipt,
    review_article,
    rights_as_of,
    with_labels,
)
from wireroom.urls import page_key, publisher_domain, same_page, same_site

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.scout import ScoutResult
    from wireroom.ports import Store
    from wireroom.report import Card

AT_ONCE = 200  # articles that are looked at together, and cut down or removed in one transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyResult:
    """What was done about reviews, or would be."""

    removed: int = 0
    reduced: int = 0
    kept: int = 0
    """Articles whose text may stay: an export for a use asks what holds now."""

    def __add__(self, other: PolicyResult) -> PolicyResult:
        return PolicyResult(
            removed=self.removed + other.removed,
            reduced=self.reduced + other.reduced,
            kept=self.kept + other.kept,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRights:
    """What may be done with a page, and whether our policy lets it be exported for a use."""

    card: Card
    receipt: Receipt
    permitted: bool
    reason: str = ""
    shown_reason: str = ""
    """The same for people: signals under the names that they have on cards."""
    asked_url: str = ""
    """The address that was asked about, where it leads to another page: that one was judged."""
    as_of: datetime | None = None
    """When the oldest of the findings that count was found; None when nobody has looked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsResult:
    """What came of one address: what may be done with its page, or why nobody knows."""

    address: Address
    rights: PageRights | None = None
    error: FetchError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsChanges:
    """What is held under other verdicts than those that stand now."""

    reviews: tuple[Review, ...] = ()
    unknown: tuple[str, ...] = ()
    """Publishers that were named and of whom nothing is known."""
    as_of: datetime | None = None
    """When the oldest answer was given that the verdicts of now rest on; None where none were compared."""
    oldest: str = ""
    """The publisher that gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleScouts:
    """Scouts of publishers whose rights rest on old answers."""

    total: int
    results: AsyncGenerator[ScoutResult, None]
    """What comes of each, as it is known; nothing is asked before the first is wanted."""


def page_rights(
    app: App, dossier: Dossier, use: Use | None = None, *, asked: Address | None = None
) -> PageRights:
    """What the publisher of this dossier permits for the page that was read, when `asked` about an address."""
    from wireroom.report import make_card

    card = make_card(dossier, now=app.clock())
    word, _ = robots_word(dossier.findings, card.url)
    receipt = make_receipt(dossier.findings, card.url, robots_word=word, now=app.clock())
    receipt = replace(receipt, checked_at=card.scouted_at)
    policy = app.settings.rights.policy()
    permitted, reason = decide_export(policy, use, receipt)
    named = replace(receipt, verdicts=with_labels(receipt.verdicts))
    return PageRights(
        card=card,
        receipt=receipt,
        permitted=permitted,
        reason=reason,
        shown_reason=decide_export(policy, use, named)[1],
        asked_url=_other_end(card.url, asked),
        as_of=_as_of(dossier),
    )


async def rights_of_many(
    app: App, addresses: Iterable[Address], use: Use | None = None, *, refresh: bool = False
) -> AsyncGenerator[RightsResult, None]:
    """What may be done with each page, as it is known; one that fails stops no other."""
    from wireroom.app.factories import open_scouting

    async with open_scouting(app, app.settings) as scouting:

        async def judged(address: Address) -> RightsResult:
            try:
                dossier = await scouting.dossier(address, refresh=refresh, follow_moved=True)
            except FetchError as error:
                return RightsResult(address=address, error=error)
            return RightsResult(
                address=address, rights=page_rights(app, dossier, use, asked=address)
            )

        at_once = app.settings.scout.at_once
        async with aclosing(run_concurrently(addresses, judged, at_once=at_once)) as results:
            async for result in results:
                yield result


def publisher_homes(app: App) -> tuple[str, ...]:
    """The homepage of every publisher that is known, by domain."""
    return tuple(map(_home_of, app.store.publishers()))


def known_rights(app: App, use: Use | None = None) -> Iterator[PageRights]:
    """What every publisher that is known permits for its homepage, from what is held: nobody is asked."""
    for publisher in app.store.publishers():
        yield _as_known(app, publisher, use)


def _as_known(app: App, publisher: Publisher, use: Use | None) -> PageRights:
    """Judged now: what has a time may have begun since. Steps that were never run could not look."""
    from wireroom.report import make_card

    held, now, url = app.store.dossier(publisher.domain), app.clock(), _home_of(publisher)
    findings = findings_on(publisher.domain, held, now=now)
    scouted_at = held.scouted_at if held is not None else now
    dossier = Dossier(publisher=publisher, findings=findings, scouted_at=scouted_at)
    word, _ = robots_word(findings, url)
    receipt = make_receipt(findings, url, robots_word=word, now=now)
    permitted, reason = decide_export(app.settings.rights.policy(), use, receipt)
    if held is None and not permitted:
        reason = f"{use}: unknown, {publisher.domain} was not scouted yet"
    return PageRights(
        card=make_card(dossier, url=url, verdicts=judge(findings, url, now=now)),
        receipt=receipt,
        permitted=permitted,
        reason=reason,
        as_of=_as_of(held) if held is not None else None,
    )


def _home_of(publisher: Publisher) -> str:
    return publisher.home_url or f"https://{publisher.domain}/"


def _as_of(dossier: Dossier) -> datetime:
    """A scout reuses what is fresh: it knows no more than the oldest finding that rights rest on."""
    steps = {step for signal in all_signals() for step in signal.steps}
    found_at = (finding.found_at for finding in dossier.findings if finding.step in steps)
    return min(found_at, default=dossier.scouted_at)


def _other_end(url: str, asked: Address | None) -> str:
    """The address that was asked about, unless it is that of the page itself."""
    candidates = asked.candidates if asked is not None else ()
    return "" if any(same_page(url, named) for named in candidates) else next(iter(candidates), "")


def rights_changes(app: App, publishers: Sequence[str] = ()) -> RightsChanges:
    """The articles of these publishers, or of all, whose verdicts have changed since they were read."""
    unknown = tuple(domain for domain in publishers if not app.knows(domain))
    known = [domain for domain in publishers if domain not in unknown]
    if unknown and not known:
        return RightsChanges(unknown=unknown)
    reviews = rights_reviews(app, app.settings.rights.policy(), known)
    compared = ((rights_as_of(dossier), domain) for domain, dossier in _dossiers(app, known))
    as_of, oldest = min(compared, default=(None, ""))
    return RightsChanges(reviews=tuple(reviews), unknown=unknown, as_of=as_of, oldest=oldest)


def _dossiers(app: App, domains: Sequence[str]) -> Iterator[tuple[str, Dossier]]:
    """The dossiers of these publishers, or of all."""
    for domain in domains or [publisher.domain for publisher in app.store.publishers()]:
        dossier = app.store.dossier(domain)
        if dossier is not None:
            yield domain, dossier


def scout_stale(
    app: App, publishers: Sequence[str] | None = None, *, fresh_for: timedelta
) -> StaleScouts:
    """Scouts publishers whose rights rest on older answers, of these or of all that were scouted.

    Who cannot be asked keeps what is known. What has a time that is still to come is of no known age.
    """
    from wireroom.app.scout import scout_many

    now = app.clock()
    nobody = publishers is not None and not publishers
    stale = [
        home_address(dossier.publisher)
        for _, dossier in (() if nobody else _dossiers(app, publishers or ()))
        if rights_as_of(dossier) < now - fresh_for or is_dated_ahead(dossier, now)
    ]
    return StaleScouts(
        total=len(stale), results=scout_many(app, stale, refresh=True, follow_moved=False)
    )


def rights_hosts(app: App, query: str, *, ids: Sequence[str] = ()) -> tuple[str, ...]:
    """The hosts whose rights hold for the articles that match, or for those with these ids."""
    articles = app.store.articles(app.query(query), ids=ids or None)
    found = (rights_domain(article.url, article.publisher) for article in articles)
    return tuple(dict.fromkeys(found))


def rights_reviews(app: App, policy: Policy, publishers: Sequence[str] = ()) -> Iterator[Review]:
    """Every article of which something was taken under other verdicts than those of now, publisher by publisher."""
    domains = publishers or [publisher.domain for publisher in app.store.publishers()]
    for domain in domains:
        if app.store.dossier(domain) is not None:
            yield from _of_publisher(app, domain, policy)


def _of_publisher(app: App, publisher: str, policy: Policy) -> Iterator[Review]:
    known: dict[str, FindingIndex] = {}
    for article, former in _with_receipts(app.store, publisher):
        domain = rights_domain(article.url, publisher)
        if domain not in known:
            known[domain] = rights_findings(app.store, domain, publisher, now=app.clock())
        review = review_article(article, known[domain], policy, now=app.clock(), former=former)
        if review is not None:
            yield review


def _with_receipts(store: Store, publisher: str) -> Iterator[tuple[Article, Sequence[Receipt]]]:
    """The articles of a publisher, each with the receipts it had before."""
    articles = store.articles(f'publisher:"{publisher}"')
    while batch := list(islice(articles, AT_ONCE)):
        former = store.receipts.former([article.id for article in batch])
        yield from ((article, former.get(article.id, ())) for article in batch)


def rights_domain(url: str, publisher: str) -> str:
    """The host whose rights hold for an article: the one it was read from."""
    return publisher_domain(url) if page_key(url) else publisher


def rights_findings(
    store: Store, domain: str, publisher: str, *, now: datetime, unasked: str = ""
) -> FindingIndex:
    """What is known of a host. What its publisher refuses for the whole site lies below it.

    `unasked` says why the host could not be asked when it should have been.
    """
    own = findings_on(domain, store.dossier(domain), now=now, unasked=unasked)
    if domain == publisher or not same_site(f"https://{domain}/", f"https://{publisher}/"):
        return FindingIndex(own)
    dossier = store.dossier(publisher)
    below = FindingIndex(dossier.findings if dossier is not None else ())
    return FindingIndex(own, parent=below)


def apply_policy(
    app: App, policy: Policy, reviews: Iterable[Review], *, dry_run: bool = False
) -> PolicyResult:
    """Removes and cuts down what may not be kept any more, some at a time, each time whole."""
    done = PolicyResult()
    batch: list[Review] = []
    for review in reviews:
        batch.append(review)
        if len(batch) >= AT_ONCE:
            done += _apply_batch(app, policy, batch, dry_run=dry_run)
            batch = []
    return done + _apply_batch(app, policy, batch, dry_run=dry_run)


def _apply_batch(
    app: App, policy: Policy, reviews: Sequence[Review], *, dry_run: bool
) -> PolicyResult:
    gone = [review for review in reviews if review.storage.kept == "nothing"]
    less = [review for review in reviews if review.storage.kept in {"excerpt", "metadata"}]
    kept = len(reviews) - len(gone) - len(less)
    if dry_run:
        return PolicyResult(removed=len(gone), reduced=len(less), kept=kept)
    removed = sum(_removed(app, review) for review in gone)
    cut = list(_reduced(app, policy, less))
    if cut:
        app.store.reduce_articles(cut, now=app.clock())
    return PolicyResult(removed=removed, reduced=len(cut), kept=kept)


def _removed(app: App, review: Review) -> int:
    """How many went: none, where somebody else was quicker."""
    reason = f"rights: {review.storage.reason}"
    done = app.store.remove_articles([review.article_id], reason=reason, now=app.clock())
    return done.articles


def _reduced(app: App, policy: Policy, reviews: Sequence[Review]) -> Iterator[Article]:
    held = {
        article.id: article
        for article in app.store.articles(ids=[review.article_id for review in reviews])
    }
    for review in reviews:
        article = held.get(review.article_id)
        if article is None:
            continue  # gone meanwhile
        kept = reduce_article(replace(article, receipt=review.receipt), review.storage, policy)
        if kept is not None:
            yield kept
