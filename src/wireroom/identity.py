"""Which lead an item belongs to, and which article a reading ends in.

Pure: the store looks up what is held, asks here, and writes what was decided. A lead is one per publisher and page,
an article is one per publisher and page as well, and a page may have several addresses.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeVar

from wireroom.model import (
    Article,
    Lead,
    LeadCause,
    LeadState,
    Reading,
    Receipt,
    RobotsWord,
    Word,
)
from wireroom.urls import page_key, publisher_domain, same_site

Key = TypeVar("Key", bound=Hashable)

OPEN_STATES: Final[frozenset[LeadState]] = frozenset({"new", "fetched", "retry"})
"""Leads that come up again; "fetched" is a page whose reader died before it was read."""

_STRICTER: Final[tuple[Word, ...]] = ("deny", "paid", "unknown", "allow")


class LeadKey(NamedTuple):
    """What makes a lead one: whose page it is, and the identity key of its address."""

    publisher: str
    url_key: str
    """Empty for an address that is none."""


def lead_key(publisher: str, url: str) -> LeadKey:
    """The key of the lead for this address."""
    return LeadKey(publisher, page_key(url))


def owner_of(publisher: str, url: str) -> str:
    """Whose page an address is that the feed or sitemap of a publisher names.

    The publisher's own within its site, else that of the host it stands on: the items of an aggregator are
    pages of others.
    """
    if not page_key(url) or same_site(f"https://{publisher}/", url):
        return publisher
    return publisher_domain(url)


def leads_without_text(readings: Iterable[Reading]) -> list[Lead]:
    """Leads of whose pages no whole text may be kept: none of what feeds gave for them, either."""
    return [
        reading.lead
        for reading in readings
        if (reading.problem is not None and reading.problem.kind == "rights")
        or (reading.article is not None and reading.article.extra.get("kept"))
    ]


# --- items ---------------------------------------------------------------------------------------


def new_and_changed(
    hashes: Mapping[Key, str], held: Mapping[Key, str]
) -> tuple[frozenset[Key], frozenset[Key]]:
    """The items that are not held, and those that are held with another hash; the rest are known."""
    new = frozenset(key for key in hashes if key not in held)
    changed = frozenset(
        key for key, digest in hashes.items() if key in held and held[key] != digest
    )
    return new, changed


# --- items to leads ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeldLead:
    """What is held of a page."""

    host: str
    state: LeadState
    cause: LeadCause = LeadCause.NONE
    article_id: str = ""
    """The article it led to."""
    in_flight: bool = False
    """Somebody is reading it, under a lease that runs."""
    asleep: bool = False
    """It is open, and its feed is paused."""


@dataclass(frozen=True, slots=True)
class NamedPage:
    """An item that is new or changed, and the page it names."""

    key: LeadKey
    url: str
    item_id: int
    feed_url: str
    changed: bool = False
    reopen: bool = True
    """Whether the pages of this feed's changed items are read again."""
    paused: bool = False
    """Whether the feed is paused."""


class ItemOutcome(StrEnum):
    """What becomes of an item."""

    ADDED = "added"
    """Its page is unknown: it gives a lead."""
    REOPENED = "reopened"
    """It says something new of its page, which is read again."""
    WOKEN = "woken"
    """Its page waited for a feed that is paused: now it is read for this one."""
    KNOWN = "known"
    """Its page has a lead, and nothing is to be done about it."""
    IN_FLIGHT = "in_flight"
    """It says something new, and its page is being read already."""
    PURGED = "purged"
    """It says something new of a page that is never read again."""
    NO_PAGE = "no_page"
    """It has no address that could be read."""


_WEIGHT: Final = {ItemOutcome.WOKEN: 1, ItemOutcome.ADDED: 2, ItemOutcome.REOPENED: 2}
"""The outcomes that change a lead; of several items of one page the heaviest counts, then the first."""


def item_outcome(item: NamedPage, held: HeldLead | None) -> ItemOutcome:
    """What becomes of one item, given what is held of its page."""
    if not item.key.url_key:
        return ItemOutcome.NO_PAGE
    if held is None:
        return ItemOutcome.ADDED
    if item.changed and item.reopen:
        again = _reopening(item, held)
        if again is not ItemOutcome.IN_FLIGHT or not held.asleep:
            return again
    return ItemOutcome.WOKEN if held.asleep and not item.paused else ItemOutcome.KNOWN


def _reopening(item: NamedPage, held: HeldLead) -> ItemOutcome:
    if held.cause is LeadCause.PURGED:
        return ItemOutcome.PURGED
    if item.paused and held.state in OPEN_STATES:
        return ItemOutcome.KNOWN  # a feed at work may have named it: it is read for that one
    return ItemOutcome.IN_FLIGHT if held.in_flight else ItemOutcome.REOPENED


def lead_changes(
    items: Iterable[NamedPage], held: Mapping[LeadKey, HeldLead]
) -> dict[ItemOutcome, list[NamedPage]]:
    """The items that change leads, by what they do: each page once, for a feed at work where there is one."""
    chosen: dict[LeadKey, tuple[ItemOutcome, NamedPage]] = {}
    for item in sorted(items, key=lambda item: item.paused):
        outcome = item_outcome(item, held.get(item.key))
        weight = _WEIGHT.get(outcome, 0)
        before = chosen.get(item.key)
        if weight > (0 if before is None else _WEIGHT[before[0]]):
            chosen[item.key] = outcome, item
    changes: dict[ItemOutcome, list[NamedPage]] = {outcome: [] for outcome in _WEIGHT}
    for outcome, item in chosen.values():
        changes[outcome].append(item)
    return changes


def is_merely_named(lead: Lead) -> bool:
    """Whether a lead says no more than that there is a page: no reason to read a known one again."""
    return lead.state == "new" and lead.attempts == 0


# --- readings to articles --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeldArticles:
    """What is held that readings may be about."""

    articles: Mapping[str, Article]
    by_lead: Mapping[LeadKey, str]
    """The article that each page led to."""
    by_alias: Mapping[LeadKey, str]
    """The article that says it has this address as well."""


@dataclass(frozen=True, slots=True)
class ArticleDecision:
    """Which article a reading ends in, and what is held of it afterwards."""

    outcome: Literal["new", "changed", "same", "none"] = "none"
    article: Article | None = None
    """As it is to be held."""
    held: Article | None = None
    """As it is held now."""
    is_news: bool = False
    """Whether it says more than that we read it again: exports want to know."""


def aliases(article: Article) -> set[LeadKey]:
    """The pages an article says it is; addresses that are none are left out."""
    keys = {page_key(article.url), page_key(article.canonical_url)} - {""}
    return {LeadKey(article.publisher, key) for key in keys}


def decide_article(reading: Reading, held: HeldArticles) -> ArticleDecision:
    """What becomes of a reading's article."""
    article = reading.article
    if article is None:
        return ArticleDecision()
    same = same_article(reading, article, held)
    if same is None:
        return ArticleDecision(outcome="new", article=article, is_news=True)
    after = merged(same, article)
    outcome: Literal["changed", "same"] = "changed" if after.version > same.version else "same"
    return ArticleDecision(
        outcome=outcome, article=after, held=same, is_news=_says_more(same, after)
    )


def same_article(reading: Reading, article: Article, held: HeldArticles) -> Article | None:
    """The held article this is a reading of.

    Its own lead decides, unless that led to another page's article which this one neither claims nor
    resembles any more: the address was given to another story. An address that is only claimed counts
    when title or text agree: there are papers whose every page calls the home page, or one and the same
    story, its canonical address.
    """
    if not held.articles:
        return None  # nothing but new pages, as in most batches
    if article.id in held.articles:
        return held.articles[article.id]
    key = lead_key(reading.lead.publisher, reading.lead.url)
    own = held.articles.get(held.by_lead.get(key, ""))
    if own is not None and (_claims_page_of(article, own) or _reads_alike(own, article)):
        return own
    for page in sorted(aliases(article) | {key}):
        for article_id in (held.by_lead.get(page, ""), held.by_alias.get(page, "")):
            other = held.articles.get(article_id)
            if other is not None and _reads_alike(other, article):
                return other
    return None


def merged(held: Article, article: Article) -> Article:
    """The held article after this reading; one that was fetched earlier says nothing new, and may refuse.

    After the clock was set back, what is read now has an earlier time than what is held: neither word is known to be the
    later one, so the stricter stands.
    """
    if article.fetched_at < held.fetched_at:
        return _with_stricter(held, article.receipt)
    edited = held.title != article.title or _text(held) != _text(article)
    dated = article if article.published_at is not None else held
    return replace(
        article,
        id=held.id,
        url=article.url if article.id == held.id else held.url,
        published_at=dated.published_at,
        published_source=dated.published_source,
        cluster_id=article.cluster_id or held.cluster_id,
        version=held.version + (1 if edited else 0),
        raw=None,
    )


def _with_stricter(held: Article, other: Receipt | None) -> Article:
    """The article with the stricter word of its receipt and another about each use."""
    own = held.receipt
    if own is None or other is None:
        return held
    words = {verdict.use: verdict.value for verdict in own.verdicts}
    stricter = {
        verdict.use: verdict
        for verdict in other.verdicts
        if _STRICTER.index(verdict.value) < _STRICTER.index(words.get(verdict.use, "allow"))
    }
    robots: RobotsWord = "disallowed" if "disallowed" in (own.robots, other.robots) else own.robots
    if robots == own.robots and not stricter:
        return held
    own_words = (stricter.get(verdict.use, verdict) for verdict in own.verdicts)
    others = (verdict for verdict in stricter.values() if verdict.use not in words)
    receipt = replace(own, verdicts=(*own_words, *others), robots=robots)
    return replace(held, receipt=receipt)


def of_different_articles(readings: Sequence[Reading], held: HeldArticles) -> Sequence[Reading]:
    """The first readings, up to one that may be of the same article as an earlier one."""
    seen: set[LeadKey | str] = set()
    for count, reading in enumerate(readings):
        names: set[LeadKey | str] = {lead_key(reading.lead.publisher, reading.lead.url)}
        if reading.article is not None:
            same = same_article(reading, reading.article, held)
            names |= aliases(reading.article) | {(same or reading.article).id}
        if names & seen:
            return readings[:count]
        seen |= names
    return readings


def _claims_page_of(article: Article, other: Article) -> bool:
    return lead_key(other.publisher, other.url) in aliases(article)


def _reads_alike(held: Article, article: Article) -> bool:
    same_title = held.title == article.title != ""
    return same_title or (_text(held) == _text(article) != "")


def _text(article: Article) -> str:
    return article.text_hash or article.text


def _says_more(held: Article, article: Article) -> bool:
    """Whether they differ in more than when the page was read."""
    receipt = article.receipt
    if receipt is not None and held.receipt is not None:
        receipt = replace(receipt, checked_at=held.receipt.checked_at)
    return replace(article, fetched_at=held.fetched_at, receipt=receipt) != held
