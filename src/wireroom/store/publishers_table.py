"""Publishers, and the dossiers of what was found out about them, with the history of findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, RowMapping, bindparam, select

from wireroom.model import (
    USES,
    Dossier,
    Evidence,
    Feed,
    Finding,
    Publisher,
    PublisherSummary,
    Validators,
    Verdict,
)
from wireroom.rights.finding_changes import lasting_facts
from wireroom.store import schema
from wireroom.store.cleaning import clean_text
from wireroom.store.packing import (
    as_document,
    as_micros,
    as_span,
    from_document,
    from_micros,
    from_span,
    maybe_micros,
    maybe_time,
)
from wireroom.store.rows import Row, add_missing, for_update, not_held, upsert

_PUBLISHER = select(schema.publisher).where(schema.publisher.c.domain == bindparam("of"))
_DOSSIER = select(schema.dossier).where(schema.dossier.c.publisher == bindparam("of"))


def ensure_publishers(conn: Connection, domains: Iterable[str], *, now: datetime) -> None:
    """Adds publishers that are not known yet."""
    unknown = not_held(conn, schema.publisher.c.domain, sorted(set(domains)))
    fresh = [Publisher(domain=domain, added_at=now) for domain in unknown]
    add_missing(conn, schema.publisher, [_row(publisher) for publisher in fresh], keys=["domain"])


def save_publisher(conn: Connection, publisher: Publisher) -> None:
    """Adds or replaces the publisher."""
    upsert(conn, schema.publisher, [_row(publisher)], keys=["domain"])


def find_publisher(conn: Connection, domain: str) -> Publisher | None:
    """The publisher of this domain."""
    row = conn.execute(_PUBLISHER, {"of": domain}).mappings().first()
    return None if row is None else read_publisher(row)


def all_publishers(conn: Connection) -> tuple[Publisher, ...]:
    """Every publisher, by domain."""
    query = select(schema.publisher).order_by(schema.publisher.c.domain)
    return tuple(read_publisher(row) for row in conn.execute(query).mappings())


def save_dossier(
    conn: Connection,
    dossier: Dossier,
    *,
    now: datetime | None = None,
    summary: PublisherSummary | None = None,
) -> None:
    """Saves a dossier unless a newer one is held; findings that differ go to the history.

    One that is held from after `now` was made before the clock was set back, and is not newer.
    """
    domain = dossier.publisher.domain
    table = schema.dossier
    save_publisher(conn, dossier.publisher)
    held = conn.execute(
        for_update(select(table.c.scouted_at).where(table.c.publisher == domain))
    ).scalar()
    latest = held if now is None or held is None or held <= as_micros(now) else None
    if latest is not None and latest > as_micros(dossier.scouted_at):
        return
    _add_to_history(conn, domain, dossier.findings)
    row = {
        "publisher": domain,
        "scouted_at": as_micros(dossier.scouted_at),
        "findings": as_document(dossier.findings),
        "feeds": as_document([_plain(feed) for feed in dossier.feeds]),
        "rights": as_document(dossier.rights),
    }
    upsert(conn, table, [row], keys=["publisher"])
    if summary is not None:
        _save_summary(conn, domain, summary)


def _save_summary(conn: Connection, domain: str, summary: PublisherSummary) -> None:
    words: Row = {use.replace("-", "_"): summary.verdicts.get(use, "unknown") for use in USES}
    row: Row = {
        "publisher": domain,
        "scouted_at": as_micros(summary.scouted_at),
        **words,
        "signals": f" {' '.join(summary.signals)} ",
        "unread": f" {' '.join(summary.unread)} ",
        "grade": summary.grade,
        "points": summary.points,
        "language": summary.language,
        "rhythm": summary.rhythm,
        "per_day": summary.per_day,
        "feeds_offered": summary.feeds_offered,
        "rights_changed_at": maybe_micros(summary.rights_changed_at),
        "signs": f" {' '.join(summary.signs)} ",
        "has_news_sitemap": summary.has_news_sitemap,
    }
    upsert(conn, schema.publisher_summary, [row], keys=["publisher"])


def find_dossier(conn: Connection, domain: str) -> Dossier | None:
    """The newest dossier of a publisher."""
    row = conn.execute(_DOSSIER, {"of": domain}).mappings().first()
    publisher = None if row is None else find_publisher(conn, domain)
    if row is None or publisher is None:
        return None
    return Dossier(
        publisher=publisher,
        findings=from_document(row["findings"], tuple[Finding, ...]),
        feeds=from_document(row["feeds"], tuple[Feed, ...]),
        rights=from_document(row["rights"], tuple[Verdict, ...]),
        scouted_at=from_micros(row["scouted_at"]),
    )


def finding_history(conn: Connection, domain: str, *, step: str = "") -> tuple[Finding, ...]:
    """Every finding that differed from the one before it, oldest first."""
    table = schema.finding
    query = select(table).where(table.c.publisher == domain).order_by(table.c.found_at, table.c.id)
    if step:
        query = query.where(table.c.step == step)
    return tuple(_finding(row) for row in conn.execute(query).mappings())


def _add_to_history(conn: Connection, domain: str, findings: Iterable[Finding]) -> None:
    last = {found.step: found for found in finding_history(conn, domain)}
    fresh = [found for found in findings if _differs(found, last.get(found.step))]
    if fresh:
        rows = [_finding_row(domain, found) for found in fresh]
        conn.execute(schema.finding.insert(), rows)


def _differs(found: Finding, before: Finding | None) -> bool:
    """Where it was read and how long that took may change each time; that is no news."""
    if before is None:
        return True
    facts = from_document(as_document(found.facts), dict)
    return found.outcome != before.outcome or lasting_facts(facts) != lasting_facts(before.facts)


def _plain(feed: Feed) -> Feed:
    """A dossier's copy of a feed is never asked with, so its validators need not be exact bytes."""
    held = feed.validators
    etag, last_modified = clean_text(held.etag), clean_text(held.last_modified)
    return replace(feed, validators=Validators(etag=etag, last_modified=last_modified))


def _row(publisher: Publisher) -> Row:
    return {
        "domain": publisher.domain,
        "name": publisher.name,
        "name_key": (publisher.name or publisher.domain).casefold(),
        "home_url": publisher.home_url,
        "added_at": as_micros(publisher.added_at),
        "scout_after": maybe_micros(publisher.scout_after),
        "strategy": publisher.strategy,
    }


def read_publisher(row: RowMapping) -> Publisher:
    """The publisher of a row."""
    return Publisher(
        domain=row["domain"],
        name=row["name"],
        home_url=row["home_url"],
        added_at=from_micros(row["added_at"]),
        scout_after=maybe_time(row["scout_after"]),
        strategy=row["strategy"],
    )


def _finding_row(domain: str, found: Finding) -> Row:
    return {
        "publisher": domain,
        "step": found.step,
        "outcome": found.outcome,
        "facts": as_document(found.facts),
        "evidence": as_document(found.evidence),
        "found_at": as_micros(found.found_at),
        "took": as_span(found.took),
    }


def _finding(row: RowMapping) -> Finding:
    return Finding(
        step=row["step"],
        outcome=row["outcome"],
        facts=from_document(row["facts"], dict),
        evidence=from_document(row["evidence"], tuple[Evidence, ...]),
        found_at=from_micros(row["found_at"]),
        took=from_span(row["took"]),
    )
