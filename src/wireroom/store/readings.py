"""The outcome of reading leads, saved whole in one go: lead, article, and all that comes with it.

Which article a page belongs to is decided here: an article is one per publisher and page, and a
page may go by several addresses. Saving the same outcome twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, select

from wireroom.model import Article, Reading
from wireroom.ports import Saved, StoreOptions
from wireroom.store import schema
from wireroom.store.articles_table import (
    Held,
    WordIndex,
    add_articles,
    articles_by_id,
    replace_articles,
    save_raw,
)
from wireroom.store.boilerplate_table import count_blocks
from wireroom.store.changes import note_changes
from wireroom.store.clusters_table import remake_clusters
from wireroom.store.event_log import add_problems
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import page_key
from wireroom.store.leads_table import (
    LeadKey,
    find_leads_held,
    lead_hosts,
    page_of,
    save_read_leads,
)
from wireroom.store.observations_table import save_reading_marks
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.rows import add_missing, matching
from wireroom.store.signatures_table import drop_signatures, save_signatures

_alias = schema.article_alias

_ALIASES = select(_alias)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is held that the readings may be about."""

    leads: Mapping[LeadKey, RowMapping]
    claimed: Mapping[LeadKey, str]
    """Addresses an article says it goes by, to the article's id."""
    articles: Mapping[str, Held]


def save_readings(
    conn: Connection,
    readings: Sequence[Reading],
    *,
    index: WordIndex,
    options: StoreOptions,
    now: datetime,
    token: str,
) -> tuple[Saved, ...]:
    """Saves outcomes; for each reading the article it ended in, and what became of that."""
    held = find_leads_held(conn, [_lead_page(reading) for reading in readings])
    ensure_publishers(conn, _publishers(readings), now=now)
    hosts = lock_hosts(conn, lead_hosts([reading.lead for reading in readings], held))
    saved: list[Saved] = []
    changed: list[str] = []
    while len(saved) < len(readings):
        known = _look_up(conn, readings[len(saved) :])
        sweep = _one_sweep(readings[len(saved) :], known)
        done, told = _save_articles(conn, sweep, known, index=index, options=options)
        _save_leads(conn, sweep, done, known, now)
        saved += done
        changed += told
    changed += _save_beside(conn, readings, saved)
    problems = [reading.problem for reading in readings if reading.problem is not None]
    if problems:
        add_problems(conn, problems, token=token)
    note_due(conn, hosts)
    note_changes(conn, changed)
    return tuple(saved)


def _lead_page(reading: Reading) -> LeadKey:
    return page_of(reading.lead.publisher, reading.lead.url)


def _publishers(readings: Iterable[Reading]) -> set[str]:
    of_articles = {reading.article.publisher for reading in readings if reading.article is not None}
    return of_articles | {reading.lead.publisher for reading in readings}


def _claims(article: Article) -> set[LeadKey]:
    """The pages an article says it goes by; addresses that are none are left out."""
    keys = {page_key(article.url), page_key(article.canonical_url)} - {""}
    return {LeadKey(article.publisher, key) for key in keys}


def _look_up(conn: Connection, readings: Sequence[Reading]) -> _Known:
    articles = [reading.article for reading in readings if reading.article is not None]
    claims = set().union(*map(_claims, articles))
    leads = find_leads_held(conn, claims | {_lead_page(reading) for reading in readings})
    pages = claims | {_lead_page(reading) for reading in readings if reading.article is not None}
    rows = matching(conn, _ALIASES, (_alias.c.publisher, _alias.c.url_key), sorted(pages))
    claimed = {LeadKey(row["publisher"], row["url_key"]): row["article_id"] for row in rows}
    ids = {article.id for article in articles} | set(claimed.values())
    ids |= {row["article_id"] for row in leads.values() if row["article_id"]}
    return _Known(leads, claimed, articles_by_id(conn, ids, lock=True))


def _one_sweep(readings: Sequence[Reading], known: _Known) -> Sequence[Reading]:
    """The first readings, up to one that may be of the same article as an earlier one."""
    seen: set[LeadKey | str] = set()
    for count, reading in enumerate(readings):
        names: set[LeadKey | str] = {_lead_page(reading)}
        if reading.article is not None:
            same = _same_article(reading, reading.article, known)
            names |= _claims(reading.article) | {same.article.id if same else reading.article.id}
        if names & seen:
            return readings[:count]
        seen |= names
    return readings


def _same_article(reading: Reading, article: Article, known: _Known) -> Held | None:
    """The held article this is a reading of.

    Its own lead decides, unless that led to another page's article which this one neither claims nor
    resembles any more: the address was given to another story. An address that is only claimed counts
    when title or text agree: there are papers whose every page calls the home page, or one and the same
    story, its canonical address.
    """
    if not known.articles:
        return None  # nothing but new pages, as in most batches
    own = known.leads.get(_lead_page(reading))
    held = known.articles.get(article.id)
    if held is not None:
        return held
    held = known.articles.get(own["article_id"]) if own is not None else None
    if held is not None and (_claims_page(article, held) or _reads_alike(held.article, article)):
        return held
    for page in sorted(_claims(article) | {_lead_page(reading)}):
        lead = known.leads.get(page)
        for article_id in (lead["article_id"] if lead else None, known.claimed.get(page)):
            held = known.articles.get(article_id or "")
            if held is not None and _reads_alike(held.article, article):
                return held
    return None


def _claims_page(article: Article, held: Held) -> bool:
    own = held.article
    return LeadKey(own.publisher, page_key(own.url)) in _claims(article)


def _reads_alike(held: Article, article: Article) -> bool:
    same_title = held.title == article.title != ""
    return same_title or (_said(held) == _said(article) != "")


def _said(article: Article) -> str:
    return article.text_hash or article.text


def _merged(held: Article, article: Article) -> Article:
    """The held article after this reading; one that was fetched earlier says nothing new."""
    if article.fetched_at < held.fetched_at:
        return held
    edited = held.title != article.title or _said(held) != _said(article)
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


def _save_articles(
    conn: Connection,
    readings: Sequence[Reading],
    known: _Known,
    *,
    index: WordIndex,
    options: StoreOptions,
) -> tuple[list[Saved], list[str]]:
    """Saves the articles of readings that are of different articles each; and which are news."""
    fresh: list[Article] = []
    changes: list[tuple[Held, Article]] = []
    saved: list[Saved] = []
    for reading in readings:
        article = reading.article
        held = None if article is None else _same_article(reading, article, known)
        if article is None:
            saved.append(Saved())
        elif held is None:
            fresh.append(article)
            saved.append(Saved(article_id=article.id, outcome="new"))
        else:
            changes.append((held, _merged(held.article, article)))
            saved.append(_saved(*changes[-1]))
    add_articles(conn, index, fresh)
    replace_articles(conn, index, [pair for pair in changes if pair[0].article != pair[1]])
    _add_claims(conn, readings, saved)
    _save_raw_pages(conn, readings, saved, options)
    news = {article.id for article in fresh}
    news |= {held.article.id for held, now in changes if _says_more(held.article, now)}
    return saved, [one.article_id for one in saved if one.article_id in news]


def _saved(held: Held, article: Article) -> Saved:
    edited = article.version > held.article.version
    return Saved(article_id=article.id, outcome="changed" if edited else "same")


def _says_more(held: Article, article: Article) -> bool:
    """Whether they differ in more than when we last looked."""
    receipt = article.receipt
    if receipt is not None and held.receipt is not None:
        receipt = replace(receipt, checked_at=held.receipt.checked_at)
    return replace(article, fetched_at=held.fetched_at, receipt=receipt) != held


def _save_beside(
    conn: Connection, readings: Sequence[Reading], saved: Sequence[Saved]
) -> list[str]:
    """What readings bring beside articles: signatures of texts that are new, blocks, marks.

    Gives the articles that say something else of their clusters now.
    """
    done = list(zip(readings, saved, strict=True))
    signed = {
        one.article_id: reading.signature
        for reading, one in done
        if one.outcome in {"new", "changed"}
    }
    save_signatures(
        conn,
        [replace(sign, article_id=one) for one, sign in signed.items() if sign is not None],
    )
    edited = {one.article_id for one in saved if one.outcome == "changed"}
    drop_signatures(conn, sorted(one for one in edited if signed[one] is None))
    signed_anew = sorted(one for one in edited if signed[one] is not None)
    regrouped = remake_clusters(conn, signed_anew) if signed_anew else []
    new = (reading for reading, one in done if one.outcome == "new" and reading.blocks)
    count_blocks(conn, ((reading.lead.publisher, reading.blocks) for reading in new))
    save_reading_marks(conn, readings)
    return regrouped


def _save_leads(
    conn: Connection,
    readings: Sequence[Reading],
    saved: Sequence[Saved],
    known: _Known,
    now: datetime,
) -> None:
    done = list(zip(readings, saved, strict=True))
    articles = {_lead_page(reading): one.article_id for reading, one in done if one.article_id}
    leads = [one.lead_after(reading) for reading, one in done]
    save_read_leads(conn, leads, held=known.leads, articles=articles, now=now)


def _add_claims(conn: Connection, readings: Sequence[Reading], saved: Sequence[Saved]) -> None:
    """Notes the addresses articles go by beside their lead's; the first to claim one keeps it."""
    rows = [
        {"publisher": page.publisher, "url_key": page.url_key, "article_id": done.article_id}
        for reading, done in zip(readings, saved, strict=True)
        if reading.article is not None
        for page in _claims(reading.article) - {_lead_page(reading)}
    ]
    rows.sort(key=lambda row: (row["publisher"], row["url_key"]))
    add_missing(conn, schema.article_alias, rows, keys=["publisher", "url_key"])


def _save_raw_pages(
    conn: Connection,
    readings: Sequence[Reading],
    saved: Sequence[Saved],
    options: StoreOptions,
) -> None:
    if options.raw_kept_for <= timedelta():
        return
    pages = {
        done.article_id: (reading.article.raw, reading.article.fetched_at)
        for reading, done in zip(readings, saved, strict=True)
        if reading.article is not None and reading.article.raw is not None
    }
    if pages:
        save_raw(conn, pages)
