"""The outcome of reading leads, saved whole in one go: lead, article, and all that comes with it.

Which article a reading ends in is decided by `wireroom.identity`; here is looked up what that needs, and written what it
says. Saving the same outcome twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from wireroom.identity import (
    ArticleDecision,
    HeldArticles,
    HeldLead,
    LeadKey,
    aliases,
    decide_article,
    leads_without_text,
    of_different_articles,
)
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
from wireroom.store.changes_table import note_changes
from wireroom.store.clusters_table import remake_clusters
from wireroom.store.events_table import add_problems
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import silence_items
from wireroom.store.leads_table import (
    find_leads_held,
    key_of,
    lead_hosts,
    save_read_leads,
)
from wireroom.store.observations_table import save_reading_observations
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.rows import add_missing, matching
from wireroom.store.signatures_table import drop_signatures, save_signatures, standing_alone

_alias = schema.article_alias

_ALIASES = select(_alias)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is held that the readings may be about."""

    leads: Mapping[LeadKey, HeldLead]
    rows: Mapping[str, Held]
    """The articles with their positions, by id."""
    articles: HeldArticles


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
    leads = [reading.lead for reading in readings]
    keys = [key_of(lead) for lead in leads]
    held = find_leads_held(conn, keys, now=now)
    ensure_publishers(conn, _publishers(readings), now=now)
    hosts = lock_hosts(conn, lead_hosts(keys, leads, held))
    saved: list[Saved] = []
    changed: list[str] = []
    while len(saved) < len(readings):
        known = _look_up(conn, readings[len(saved) :], now)
        sweep = of_different_articles(readings[len(saved) :], known.articles)
        done, news = _save_articles(conn, sweep, known, index=index, options=options)
        _save_leads(conn, sweep, done, known, now)
        saved += done
        changed += news
    changed += _save_beside(conn, readings, saved)
    silence_items(conn, [key_of(lead).url_key for lead in leads_without_text(readings)])
    problems = [reading.problem for reading in readings if reading.problem is not None]
    if problems:
        add_problems(conn, problems, token=token)
    note_due(conn, hosts)
    note_changes(conn, changed)
    return tuple(saved)


def _lead_key(reading: Reading) -> LeadKey:
    return key_of(reading.lead)


def _publishers(readings: Iterable[Reading]) -> set[str]:
    of_articles = {reading.article.publisher for reading in readings if reading.article is not None}
    return of_articles | {reading.lead.publisher for reading in readings}


def _look_up(conn: Connection, readings: Sequence[Reading], now: datetime) -> _Known:
    articles = [reading.article for reading in readings if reading.article is not None]
    claims = set().union(*map(aliases, articles))
    leads = find_leads_held(conn, claims | set(map(_lead_key, readings)), now=now)
    keys = claims | {_lead_key(reading) for reading in readings if reading.article is not None}
    rows = matching(conn, _ALIASES, (_alias.c.publisher, _alias.c.url_key), sorted(keys))
    by_alias = {LeadKey(row["publisher"], row["url_key"]): row["article_id"] for row in rows}
    by_lead = {key: lead.article_id for key, lead in leads.items() if lead.article_id}
    ids = {article.id for article in articles} | {*by_alias.values(), *by_lead.values()}
    held = articles_by_id(conn, ids, lock=True)
    found = {article_id: row.article for article_id, row in held.items()}
    return _Known(leads, held, HeldArticles(found, by_lead, by_alias))


def _save_articles(
    conn: Connection,
    readings: Sequence[Reading],
    known: _Known,
    *,
    index: WordIndex,
    options: StoreOptions,
) -> tuple[list[Saved], list[str]]:
    """Saves the articles of readings that are of different articles each; and which are news."""
    decided = [decide_article(reading, known.articles) for reading in readings]
    fresh: list[Article] = []
    changes: list[tuple[Held, Article]] = []
    for article, held in ((decision.article, decision.held) for decision in decided):
        if article is not None and held is None:
            fresh.append(article)
        elif article is not None and held is not None and article != held:
            changes.append((known.rows[held.id], article))
    add_articles(conn, index, fresh)
    replace_articles(conn, index, changes)
    saved = [_saved(decision) for decision in decided]
    _add_aliases(conn, readings, saved)
    _save_raw_pages(conn, readings, saved, options)
    news = (decision.article for decision in decided if decision.is_news)
    return saved, [article.id for article in news if article is not None]


def _saved(decision: ArticleDecision) -> Saved:
    article = decision.article
    return Saved(article_id="" if article is None else article.id, outcome=decision.outcome)


def _save_beside(
    conn: Connection, readings: Sequence[Reading], saved: Sequence[Saved]
) -> list[str]:
    """What readings bring beside articles: signatures of texts that are new, blocks, observations.

    Gives the articles that say something else of their clusters now.
    """
    done = list(zip(readings, saved, strict=True))
    signed = {
        ended.article_id: reading.signature
        for reading, ended in done
        if ended.outcome in {"new", "changed"}
    }
    edited = sorted({ended.article_id for ended in saved if ended.outcome == "changed"})
    alone = standing_alone(conn, edited)  # an edit is no reason to cluster what a person took out
    signed = {article_id: sign for article_id, sign in signed.items() if article_id not in alone}
    edited = [article_id for article_id in edited if article_id not in alone]
    found = ((article_id, signature) for article_id, signature in signed.items() if signature)
    save_signatures(conn, [replace(sign, article_id=article_id) for article_id, sign in found])
    drop_signatures(conn, [article_id for article_id in edited if signed[article_id] is None])
    signed_anew = [article_id for article_id in edited if signed[article_id] is not None]
    reclustered = remake_clusters(conn, signed_anew) if signed_anew else []
    new = (reading for reading, ended in done if ended.outcome == "new" and reading.blocks)
    count_blocks(conn, ((reading.lead.publisher, reading.blocks) for reading in new))
    save_reading_observations(conn, readings)
    return reclustered


def _save_leads(
    conn: Connection,
    readings: Sequence[Reading],
    saved: Sequence[Saved],
    known: _Known,
    now: datetime,
) -> None:
    done = list(zip(readings, saved, strict=True))
    articles = {_lead_key(reading): ended.article_id for reading, ended in done if ended.article_id}
    leads = [ended.lead_after(reading) for reading, ended in done]
    save_read_leads(conn, leads, held=known.leads, articles=articles, now=now)


def _add_aliases(conn: Connection, readings: Sequence[Reading], saved: Sequence[Saved]) -> None:
    """Notes the addresses articles go by beside their lead's; the first to claim one keeps it."""
    rows = [
        {"publisher": page.publisher, "url_key": page.url_key, "article_id": done.article_id}
        for reading, done in zip(readings, saved, strict=True)
        if reading.article is not None
        for page in aliases(reading.article) - {_lead_key(reading)}
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


def save_reparsed(
    conn: Connection, readings: Sequence[Reading], *, index: WordIndex, options: StoreOptions
) -> tuple[Saved, ...]:
    """Saves kept pages that were read anew, where the article is still as it was when that was done."""
    ids = [reading.article.id for reading in readings if reading.article is not None]
    held = articles_by_id(conn, ids, lock=True)
    found = {article_id: row.article for article_id, row in held.items()}
    still = [reading for reading in readings if _is_as_it_was(reading, found)]
    known = _Known({}, held, HeldArticles(found, {}, {}))
    saved, changed = _save_articles(conn, still, known, index=index, options=options)
    changed += _save_beside(conn, still, saved)
    note_changes(conn, changed)
    by_id = {done.article_id: done for done in saved}
    return tuple(
        by_id.get(reading.article.id, Saved()) if reading.article is not None else Saved()
        for reading in readings
    )


def _is_as_it_was(reading: Reading, held: Mapping[str, Article]) -> bool:
    """Whether nobody read, withdrew, reduced or removed the article meanwhile."""
    article = reading.article
    now = held.get(article.id) if article is not None else None
    return (
        article is not None
        and now is not None
        and (now.fetched_at, now.version, now.state, now.receipt)
        == (article.fetched_at, article.version, article.state, article.receipt)
    )
