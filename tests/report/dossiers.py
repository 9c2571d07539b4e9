"""Dossiers written by hand: a generous publisher, and findings to lay over it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from wireroom.model import Dossier, Evidence, Finding, FindingOutcome, Publisher
from wireroom.parse.metadata import KEY_FIELDS
from wireroom.signals import judge

HOME = "https://courier.example/"
ROBOTS = f"{HOME}robots.txt"
NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
RULES = """User-agent: GPTBot
Disallow: /

User-agent: *
Allow: /
Content-Signal: search=yes, ai-train=no
"""


def found(
    step: str, verdict: FindingOutcome = "yes", *evidence: Evidence, days: int = 0, **facts: Any
) -> Finding:
    """A finding, so many days after the first."""
    return Finding(
        step=step,
        outcome=verdict,
        facts=facts,
        evidence=evidence,
        found_at=NOW + timedelta(days=days),
        took=timedelta(milliseconds=120),
    )


def failed(step: str, reason: str = "server_error", error: str = "HTTP 500") -> Finding:
    """A step that could not look."""
    return found(step, "failed", Evidence(url=HOME, excerpt=error), error=error, reason=reason)


def robots(text: str = RULES) -> Finding:
    """robots.txt, as its step saves it."""
    return found(
        "robots",
        "yes",
        Evidence(url=ROBOTS, line=1, excerpt="User-agent: GPTBot", status=200),
        url=ROBOTS,
        state="found",
        robots_state="found",
        text=text,
        raw_length=len(text),
    )


def dossier(*findings: Finding, name: str = "The Courier") -> Dossier:
    """A dossier of these findings."""
    publisher = Publisher(domain="courier.example", name=name, home_url=HOME, added_at=NOW)
    page = next(
        (finding.facts.get("page_url") for finding in findings if finding.step == "access"), ""
    )
    rights = judge(findings, page or HOME)
    return Dossier(publisher=publisher, findings=findings, rights=rights, scouted_at=NOW)


def generous(**instead: Finding) -> Dossier:
    """A publisher about whom everything that the grade looks at is known."""
    findings = {
        "homepage": found("homepage", status=200, title="The Courier"),
        "robots": robots(),
        "access": found("access", url_allowed=True, url_allowed_generic=True, page_url=HOME),
        "waf": found("waf", "no", waf_detected=False, challenged=False, cdn=[]),
        "feeds": found("feeds", count=2),
        "sitemaps": found("sitemaps", count=1, source="robots.txt"),
        "sitemap_analysis": found("sitemap_analysis", has_news_sitemap=True),
        "frequency": found(
            "frequency",
            frequency_label="~16 articles/day",
            confidence="high",
            source="rss",
            measured={
                "per_day": 16.0,
                "low": 12.0,
                "high": 21.0,
                "zone": "Europe/Vienna",
                "grid": [[day * hour for hour in range(24)] for day in range(7)],
            },
        ),
        "publisher_details": found("publisher_details", organization={"name": "The Courier"}),
        "article_data": found(
            "article_data",
            formats_found=["json-ld", "opengraph"],
            fields={"json-ld": list(KEY_FIELDS), "opengraph": ["headline"]},
        ),
    }
    return dossier(*(findings | instead).values())
