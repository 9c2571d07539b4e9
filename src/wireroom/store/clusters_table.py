"""Clusters: which articles are near-duplicates, and what each of them says of that.

An article is in one cluster at most. Its `cluster_id`, and whether another member is the canonical one,
are written on it as well; both are brought in line here, in the transaction that changes a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Column, Connection, Row, bindparam, delete, select, update

from wireroom.model import Cluster, Observation
from wireroom.store import schema
from wireroom.store.changes_table import note_changes
from wireroom.store.former_original_table import keep_original
from wireroom.store.observations_table import save_article_observations
from wireroom.store.packing import as_document, as_micros, from_document, from_micros
from wireroom.store.rows import chunks, upsert
from wireroom.store.signatures_table import let_wait, signed_among

_cluster, _member, _article = schema.cluster, schema.cluster_member, schema.article

_SMALLEST = 2  # members; fewer tell nothing


class _Membership(NamedTuple):
    """What an article says of its cluster."""

    cluster_id: str
    is_near_duplicate: bool


def save_clusters(
    conn: Connection,
    clusters: Sequence[Cluster],
    *,
    clustered: Sequence[str] = (),
    dissolved: Sequence[str] = (),
    uncluster: Sequence[str] = (),
    observations: Mapping[str, Observation] | None = None,
) -> None:
    """Saves clusters as they are given, forgets others, and notes whose signatures wait."""
    kept = {cluster.id: cluster for cluster in clusters}
    touched = _forget(conn, [cluster_id for cluster_id in dissolved if cluster_id not in kept])
    touched |= _save(conn, list(kept.values()))
    let_wait(conn, clustered, waits=False)
    let_wait(conn, uncluster, waits=True)
    save_article_observations(conn, observations or {})
    note_changes(conn, _update_articles(conn, touched))


def leave_clusters(conn: Connection, article_ids: Sequence[str]) -> list[str]:
    """Takes articles out of their clusters; the articles that say something else of theirs now."""
    former = _memberships(conn, _member.c.article_id, article_ids)
    keep_original(conn, former, _others(conn, former))
    for part in chunks(former):
        conn.execute(delete(_member).where(_member.c.article_id.in_(part)))
    return _update_articles(conn, set(former) | _shrink(conn, set(former.values())))


def remake_clusters(conn: Connection, article_ids: Sequence[str]) -> list[str]:
    """Takes apart the clusters of articles that were edited; the articles that say something else of theirs now.

    One of these may have been what held the others together, so all of them get another turn. Where somebody
    can be found no more, for that was long ago, the others stay together and the edited ones leave.
    """
    edited = _memberships(conn, _member.c.article_id, article_ids)
    keep_original(conn, edited, _others(conn, edited))
    clusters = set(edited.values())
    members = _memberships(conn, _member.c.cluster_id, clusters)
    lost = {members[article_id] for article_id in members.keys() - signed_among(conn, members)}
    apart = {article_id for article_id, cluster_id in members.items() if cluster_id not in lost}
    _forget(conn, sorted(clusters - lost))
    let_wait(conn, apart, waits=True)
    leaving = [article_id for article_id in sorted(edited) if members.get(article_id) in lost]
    return [*_update_articles(conn, apart), *leave_clusters(conn, leaving)]


def _others(conn: Connection, leaving: Mapping[str, str]) -> dict[str, str]:
    """The articles that stay in the clusters that these leave, each with its cluster."""
    members = _memberships(conn, _member.c.cluster_id, set(leaving.values()))
    return {member: held for member, held in members.items() if member not in leaving}


def clusters_of(conn: Connection, article_ids: Sequence[str]) -> dict[str, Cluster]:
    """The cluster of each of these articles that is in one."""
    found: dict[str, Cluster] = {}
    wanted = set(article_ids)
    for part in chunks(sorted(wanted)):
        own = select(_member.c.cluster_id).where(_member.c.article_id.in_(part))
        query = select(_cluster, _member.c.article_id).join(_member).where(_cluster.c.id.in_(own))
        rows: dict[str, list[Row[tuple[object, ...]]]] = {}
        for row in conn.execute(query.order_by(_member.c.cluster_id, _member.c.place)):
            rows.setdefault(row.id, []).append(row)
        for cluster in map(_as_cluster, rows.values()):
            found.update({member: cluster for member in cluster.members if member in wanted})
    return found


def _as_cluster(rows: Sequence[Row[tuple[object, ...]]]) -> Cluster:
    return Cluster(
        id=rows[0].id,
        members=tuple(row.article_id for row in rows if row.article_id is not None),
        canonicals=from_document(rows[0].canonicals, dict[str, str]),
        made_at=from_micros(rows[0].made_at),
    )


def _save(conn: Connection, clusters: Sequence[Cluster]) -> set[str]:
    """Replaces the clusters; every article that is in one now, or was in one before."""
    rows = [
        {
            "id": cluster.id,
            "canonicals": as_document(cluster.canonicals),
            "made_at": as_micros(cluster.made_at),
        }
        for cluster in sorted(clusters, key=attrgetter("id"))
    ]
    upsert(conn, _cluster, rows, keys=["id"])
    ids = sorted(cluster.id for cluster in clusters)
    places = {
        article_id: {"article_id": article_id, "cluster_id": cluster.id, "place": place}
        for cluster in clusters
        for place, article_id in enumerate(dict.fromkeys(cluster.members))
    }
    former = _memberships(conn, _member.c.cluster_id, ids)
    robbed = set(_memberships(conn, _member.c.article_id, places).values()) - set(ids)
    for part in chunks(ids):
        conn.execute(delete(_member).where(_member.c.cluster_id.in_(part)))
    upsert(conn, _member, [places[place] for place in sorted(places)], keys=["article_id"])
    return set(former) | set(places) | _shrink(conn, robbed)


def _forget(conn: Connection, cluster_ids: Sequence[str]) -> set[str]:
    """Dissolves clusters; the articles that were in them."""
    former = _memberships(conn, _member.c.cluster_id, cluster_ids)
    for part in chunks(sorted(set(cluster_ids))):
        conn.execute(delete(_member).where(_member.c.cluster_id.in_(part)))
        conn.execute(delete(_cluster).where(_cluster.c.id.in_(part)))
    return set(former)


def _shrink(conn: Connection, cluster_ids: Iterable[str]) -> set[str]:
    """Tidies clusters that lost members; the articles that are left in them, or were.

    One without two members is dissolved. Where the lost one was the canonical, the others wait to be
    clustered again, so that another is chosen.
    """
    ids = sorted(set(cluster_ids))
    left: dict[str, list[str]] = {cluster_id: [] for cluster_id in ids}
    members = _memberships(conn, _member.c.cluster_id, ids)
    for article_id, cluster_id in members.items():
        left[cluster_id].append(article_id)
    _forget(conn, [cluster_id for cluster_id in ids if len(left[cluster_id]) < _SMALLEST])
    kept = (cluster_id for cluster_id in ids if len(left[cluster_id]) >= _SMALLEST)
    for part in chunks(kept):
        for row in conn.execute(select(_cluster).where(_cluster.c.id.in_(part))).all():
            _drop_lost_canonicals(conn, row.id, row.canonicals, left[row.id])
    return set(members)


def _drop_lost_canonicals(
    conn: Connection, cluster_id: str, canonicals: str, members: Sequence[str]
) -> None:
    held: Mapping[str, str] = from_document(canonicals, dict[str, str])
    kept = {language: first for language, first in held.items() if first in members}
    if len(kept) < len(held):
        of_cluster = update(_cluster).where(_cluster.c.id == cluster_id)
        conn.execute(of_cluster.values(canonicals=as_document(kept)))
        let_wait(conn, members, waits=True)


def _memberships(conn: Connection, column: Column[str], values: Iterable[str]) -> dict[str, str]:
    """Article to cluster, for the values of one of the two columns."""
    found: dict[str, str] = {}
    for part in chunks(sorted(set(values))):
        query = select(_member.c.article_id, _member.c.cluster_id).where(column.in_(part))
        found.update({row[0]: row[1] for row in conn.execute(query)})
    return found


def _update_articles(conn: Connection, article_ids: Iterable[str]) -> list[str]:
    """Brings what articles say of their clusters in line with these; those that say something else now."""
    changes = []
    for part in chunks(sorted(set(article_ids))):
        wanted = _clusters_by_article(conn, part)
        query = select(
            _article.c.id, _article.c.language, _article.c.cluster_id, _article.c.is_near_duplicate
        )
        for row in conn.execute(query.where(_article.c.id.in_(part)).order_by(_article.c.id)):
            place = _place(row.id, row.language, wanted.get(row.id))
            if place != (row.cluster_id, row.is_near_duplicate):
                changes.append({"of_id": row.id, **place._asdict()})
    if changes:
        conn.execute(update(_article).where(_article.c.id == bindparam("of_id")), changes)
    return [change["of_id"] for change in changes]


def _clusters_by_article(
    conn: Connection, article_ids: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """The cluster each of these articles is in, and its canonical ones."""
    query = select(_member.c.article_id, _cluster.c.id, _cluster.c.canonicals).join(_cluster)
    rows = conn.execute(query.where(_member.c.article_id.in_(article_ids)))
    return {row[0]: (row[1], row[2]) for row in rows}


def _place(article_id: str, language: str, stands: tuple[str, str] | None) -> _Membership:
    if stands is None:
        return _Membership("", is_near_duplicate=False)
    cluster_id, canonicals = stands
    first = from_document(canonicals, dict[str, str]).get(language, article_id)
    return _Membership(cluster_id, is_near_duplicate=first != article_id)
