"""A store with articles in it, and publishers who speak."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tests.export.samples import NOW
from tests.rights.findings import scouted
from wireroom.app import App
from wireroom.model import Article, Dossier, Evidence, Finding, Lead, Publisher, Reading

ALLOW = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes\n"
DENY = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=no\n"


def hold(app: App, articles: Iterable[Article], *, now: datetime = NOW) -> None:
    """Saves the articles as if they had just been read."""
    readings = [
        Reading(
            lead=Lead(url=article.url, publisher=article.publisher, state="read"), article=article
        )
        for article in articles
    ]
    app.store.save_readings(readings, now=now)


def save_robots(app: App, domain: str, rules: str, *, at: datetime = NOW) -> None:
    """The publisher was scouted, and this is its robots.txt."""
    url = f"https://{domain}/robots.txt"
    publisher = Publisher(domain=domain, name=domain, home_url=f"https://{domain}/", added_at=at)
    found = Finding(
        step="robots",
        outcome="yes",
        facts={"url": url, "state": "found", "robots_state": "found", "text": rules},
        evidence=(Evidence(url=url, line=1, status=200),),
        found_at=at,
    )
    app.store.save_dossier(Dossier(publisher=publisher, findings=scouted(found), scouted_at=at))
