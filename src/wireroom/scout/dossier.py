"""What the findings come to: a publisher with a name, its feeds, its rights.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast, get_args

from wireroom.model import Dossier, Feed, FeedKind, Finding, Publisher
from wireroom.signals import judge
from wireroom.signals.freshness import valid_until

TRY_AGAIN = timedelta(hours=1)  # until a publisher that could not be scouted is tried again
_KINDS = frozenset(get_args(FeedKind))


def make_dossier(
    publisher: Publisher, findings: Mapping[str, Finding], *, url: str, now: datetime
) -> Dossier:
    """The dossier of one scout; its rights are those of the page in question."""
    found = tuple(findings.values())
    named = replace(publisher, name=_name(publisher, findings))
    return Dossier(
        publisher=named,
        findings=found,
        feeds=tuple(_feeds(publisher, findings)),
        rights=judge(found, url, now=now),
        scouted_at=now,
    )


def scout_after(dossier: Dossier, *, every: timedelta, now: datetime) -> datetime:
    """When the publisher is due again: counted from its oldest finding, soon when nobody answered.

    Sooner where a document may be used for a shorter time, but not sooner than one that nobody answered for.
    """
    found = {finding.step: finding.outcome for finding in dossier.findings}
    if found.get("homepage") == "failed" and found.get("robots") == "unknown":
        return now + TRY_AGAIN
    due = min((finding.found_at for finding in dossier.findings), default=now) + every
    over = min(
        (at for found in dossier.findings for at in valid_until(found).values()), default=due
    )
    return min(due, max(over, now + TRY_AGAIN))


def _name(publisher: Publisher, findings: Mapping[str, Finding]) -> str:
    """A name somebody gave it stays; the domain is only a stand-in."""
    if publisher.name and publisher.name != publisher.domain:
        return publisher.name
    details = findings.get("publisher_details")
    organisation = details.facts.get("organization") if details else None
    name = organisation.get("name") if isinstance(organisation, Mapping) else None
    return str(name) if name else publisher.domain


def _feeds(publisher: Publisher, findings: Mapping[str, Finding]) -> Iterator[Feed]:
    """What could be followed, best first: feeds, then sitemaps that carry news."""
    for step in ("feeds", "sitemap_analysis"):
        finding = findings.get(step)
        offered: Any = finding.facts.get("feeds", ()) if finding else ()
        for offer in offered:
            if offer.get("kind") in _KINDS:
                yield Feed(
                    url=str(offer["url"]),
                    publisher=publisher.domain,
                    kind=cast(FeedKind, offer["kind"]),
                    title=str(offer.get("title", "")),
                )
