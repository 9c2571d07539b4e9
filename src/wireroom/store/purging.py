"""Purging: articles reduced or removed with all that hangs on them, raw pages dropped.

Whoever purges means it: earlier versions, raw pages, signatures, the words of the index and what
feeds said of the page go as well. What stays is a lead that is never read again, a number, and
where its reprints are held, who wrote their text first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter

from sqlalchemy import ColumnElement, Connection, Table, delete, func, select

from wireroom.model import Article
from wireroom.ports import Removed
from wireroom.store import schema
from wireroom.store.articles_table import Held, WordIndex, articles_by_id, replace_articles
from wireroom.store.changes_table import note_changes, note_removals
from wireroom.store.clusters_table import leave_clusters
from wireroom.store.feeds_table import former_addresses
from wireroom.store.former_original_table import drop_reprints
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import silence_items
from wireroom.store.packing import as_micros
from wireroom.store.queue.reopening import article_pages, hosts_of_articles, refuse_leads
from wireroom.store.receipts_table import drop_former_receipts
from wireroom.store.rows import chunks
from wireroom.store.search.index_terms import index_article
from wireroom.store.signatures_table import drop_signatures
from wireroom.urls import page_key

_article, _alias, _item = schema.article, schema.article_alias, schema.item


def reduce_articles(conn: Connection, index: WordIndex, articles: Sequence[Article]) -> Removed:
    """Puts these in the place of what is held under their ids, and leaves no trace of that."""
    held = articles_by_id(conn, [article.id for article in articles], lock=True)
    fresh = {article.id: article for article in articles if article.id in held}
    ids = sorted(fresh)
    reclustered = leave_clusters(conn, ids)
    changes = [
        (held[article_id], _in_place_of(held[article_id].article, fresh[article_id]))
        for article_id in ids
    ]
    replace_articles(conn, index, changes)
    removed = _drop_beside(conn, ids)
    silence_items(conn, article_pages(conn, ids))
    note_changes(conn, [*ids, *reclustered])
    return replace(removed, articles=len(ids))


def _in_place_of(held: Article, reduced: Article) -> Article:
    return replace(reduced, version=held.version, cluster_id="", raw=None)


def remove_articles(
    conn: Connection, index: WordIndex, article_ids: Sequence[str], *, reason: str, now: datetime
) -> Removed:
    """Forgets articles; their leads stay as refused, with the reason."""
    hosts = lock_hosts(conn, hosts_of_articles(conn, article_ids))
    removed, gone, reclustered = Removed(), dict[str, str](), list[str]()
    for part in chunks(sorted(set(article_ids))):  # so many texts are in memory at once, not all
        held = articles_by_id(conn, part, lock=True)
        reclustered += leave_clusters(conn, list(held))
        done = _remove(conn, index, held, reason)
        removed = Removed(
            articles=removed.articles + len(held),
            versions=removed.versions + done.versions,
            raw_pages=removed.raw_pages + done.raw_pages,
        )
        gone |= {article_id: row.article.url for article_id, row in held.items()}
    note_due(conn, hosts)
    note_changes(conn, [article_id for article_id in reclustered if article_id not in gone])
    note_removals(conn, gone, reason=reason, removed_at=now)
    return removed


def _remove(conn: Connection, index: WordIndex, held: Mapping[str, Held], reason: str) -> Removed:
    ids = list(held)
    words = ((row.position, index_article(row.article)) for row in held.values())
    index.remove(conn, sorted(words, key=itemgetter(0)))
    removed = _drop_beside(conn, ids)
    drop_reprints(conn, ids)
    _drop_aliases(conn, held)
    silence_items(conn, refuse_leads(conn, ids, reason=reason))
    for part in chunks(ids):
        conn.execute(delete(_article).where(_article.c.id.in_(part)))
    return removed


def drop_raw_pages(
    conn: Connection, *, before: datetime | None, feed_url: str, dry_run: bool
) -> int:
    """Forgets raw pages fetched before, or of a feed, or all of them; how many."""
    raw = schema.raw_page
    chosen: list[ColumnElement[bool]] = []
    if before is not None:
        chosen.append(raw.c.fetched_at < as_micros(before))
    if feed_url:
        addresses = [feed_url, *former_addresses(conn, [feed_url])]
        of_feed = select(_article.c.id).where(_article.c.feed_url.in_(addresses))
        chosen.append(raw.c.article_id.in_(of_feed))
    if dry_run:
        return conn.execute(select(func.count()).select_from(raw).where(*chosen)).scalar_one()
    return conn.execute(delete(raw).where(*chosen)).rowcount


def _drop_beside(conn: Connection, ids: Sequence[str]) -> Removed:
    """Forgets versions, raw pages and signatures of articles, and under which receipts those were taken."""
    drop_signatures(conn, ids)
    drop_former_receipts(conn, ids)
    return Removed(
        versions=_drop(conn, schema.article_version, ids),
        raw_pages=_drop(conn, schema.raw_page, ids),
    )


def _drop(conn: Connection, table: Table, ids: Iterable[str]) -> int:
    parts = (delete(table).where(table.c.article_id.in_(part)) for part in chunks(ids))
    return sum(conn.execute(part).rowcount for part in parts)


def _drop_aliases(conn: Connection, held: Mapping[str, Held]) -> None:
    """Forgets the addresses by which articles went."""
    for article_id, row in held.items():
        keys = {page_key(row.article.url), page_key(row.article.canonical_url)} - {""}
        own = (_alias.c.publisher == row.article.publisher) & _alias.c.url_key.in_(sorted(keys))
        conn.execute(delete(_alias).where(own, _alias.c.article_id == article_id))
