"""A store with articles in it, and publishers who speak."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tests.deliver.samples import NOW
from wireroom.desk import Desk
from wireroom.model import Article, Dossier, Evidence, Finding, Lead, Publisher, Reading

ALLOW = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes\n"
DENY = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=no\n"


def hold(desk: Desk, articles: Iterable[Article], *, now: datetime = NOW) -> None:
    """Saves the articles as if they had just been read."""
    readings = [
        Reading(lead=Lead(url=one.url, publisher=one.publisher, state="read"), article=one)
        for one in articles
    ]
    desk.store.save_readings(readings, now=now)


def speak(desk: Desk, domain: str, rules: str, *, at: datetime = NOW) -> None:
    """The publisher was scouted, and this is its robots.txt."""
    url = f"https://{domain}/robots.txt"
    publisher = Publisher(domain=domain, name=domain, home_url=f"https://{domain}/", added_at=at)
    found = Finding(
        step="robots",
        verdict="yes",
        facts={"url": url, "state": "found", "robots_state": "found", "text": rules},
        evidence=(Evidence(url=url, line=1, status=200),),
        found_at=at,
    )
    desk.store.save_dossier(Dossier(publisher=publisher, findings=(found,), scouted_at=at))
