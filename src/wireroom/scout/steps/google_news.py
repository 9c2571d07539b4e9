"""Scouting step: the signs that a news aggregator looks for. Asks nobody, and never claims inclusion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wireroom.model import Facts, Finding, FindingOutcome
from wireroom.ports import Step, StepContext
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.shared import finding

_LEVELS = ("none", "minimal", "moderate", "strong")
MAX_PAGES = 20  # remembered: one page without the mark says little about a publisher


async def run(context: StepContext) -> Finding:
    """Three signs, each yes, no or unknown; the level counts those that are there."""
    pages = _marked_pages(context)
    signals: dict[str, bool | None] = {
        "news_sitemap": _fact(context, "sitemap_analysis", "has_news_sitemap"),
        "news_article_schema": any(pages.values()) if pages else None,
        "news_media_organization": _is_news_organisation(context),
    }
    count = sum(value is True for value in signals.values())
    facts = {
        "page_url": context.url,
        "readiness": _LEVELS[count],
        "signals": signals,
        "signal_count": count,
        "error": None,
        MEASURED: {"pages": pages},
    }
    known = any(value is not None for value in signals.values())
    outcome: FindingOutcome = "yes" if count else "no" if known else "unknown"
    notes = (note for need in PLUG.needs for note in context.findings[need].evidence[:1])
    return finding(context, "google_news", outcome, facts, *notes)


def _fact(context: StepContext, step: str, name: str) -> bool | None:
    value = context.findings[step].facts.get(name)
    return value if isinstance(value, bool) else None


def _marked_pages(context: StepContext) -> dict[str, bool]:
    """Pages looked at lately, and whether each is marked as news; a page not looked at adds nothing."""
    measured: Any = context.before.facts.get(MEASURED) if context.before else None
    known = measured.get("pages") if isinstance(measured, Mapping) else None
    pages = (
        {str(url): bool(mark) for url, mark in known.items()} if isinstance(known, Mapping) else {}
    )
    data = context.findings["article_data"]
    if data.outcome in {"yes", "no"}:
        sample = data.facts.get(MEASURED, {}).get("sample_url", context.url)
        pages.pop(sample, None)
        pages[sample] = _is_news(data.facts.get("types", {}))
    return dict(list(pages.items())[-MAX_PAGES:])


def _is_news(types: Mapping[str, Mapping[str, Any]]) -> bool:
    """NewsArticle or one of its kinds (ReportageNewsArticle, AnalysisNewsArticle …)."""
    named = [types.get(name, {}).get("type") for name in ("json-ld", "microdata")]
    return any("newsarticle" in str(kinds).lower() for kinds in named)


def _is_news_organisation(context: StepContext) -> bool | None:
    details = context.findings["publisher_details"]
    if details.outcome not in {"yes", "no"}:
        return None
    described = details.facts.get("organization")
    kind = described.get("type", "") if isinstance(described, Mapping) else ""
    return str(kind).lower() == "newsmediaorganization"


def summary(facts: Facts) -> str:
    """How many of three signs are there."""
    return f"Readiness: {facts.get('readiness')} ({facts.get('signal_count')}/3 signals)"


PLUG = Step(
    "google_news",
    "Signs of a news site",
    run,
    ("sitemap_analysis", "article_data", "publisher_details"),
    about="page",
    section="metadata",
    order=40,
    summary=summary,
    compared=("readiness", "signal_count"),
)
