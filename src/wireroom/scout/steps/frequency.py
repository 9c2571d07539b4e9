"""Scouting step: how often the publisher publishes, from all the dates its feeds and news sitemap hold.

Asks nobody anew: it reads the feeds that the step `feeds` has read in this scout. Changes in sitemaps count
only where nothing else is known, and are labelled as what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Facts, Finding
from wireroom.ports import CardDetails, Picture, Step, StepContext
from wireroom.rhythm import Cadence, measure_rhythm
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.shared import article_key, feed_at, finding

MAX_FEEDS = 4  # read; more sections repeat the same articles
DAY: Final = 86_400

# The clock of most newsrooms under a country's domain; countries with many zones are left out.
_ZONES: Final = {
    "at": "Europe/Vienna", "be": "Europe/Brussels", "ch": "Europe/Zurich", "cn": "Asia/Shanghai",
    "cz": "Europe/Prague", "de": "Europe/Berlin", "dk": "Europe/Copenhagen", "es": "Europe/Madrid",
    "fi": "Europe/Helsinki", "fr": "Europe/Paris", "gr": "Europe/Athens", "hu": "Europe/Budapest",
    "ie": "Europe/Dublin", "il": "Asia/Jerusalem", "in": "Asia/Kolkata", "it": "Europe/Rome",
    "jp": "Asia/Tokyo", "kr": "Asia/Seoul", "nl": "Europe/Amsterdam", "no": "Europe/Oslo",
    "pl": "Europe/Warsaw", "pt": "Europe/Lisbon", "ro": "Europe/Bucharest", "se": "Europe/Stockholm",
    "tr": "Europe/Istanbul", "tw": "Asia/Taipei", "ua": "Europe/Kyiv", "uk": "Europe/London",
}  # fmt: skip


async def run(context: StepContext) -> Finding:
    """The rate with its interval, from the best source that has enough dates."""
    zone, zone_from = _zone(context.publisher.domain)
    fed = await _feed_dates(context)
    union = tuple((_news_dates(context) | fed).values())  # each article once, by the feed's date
    tried = (
        ("rss" if fed else "news_sitemap", union),
        ("sitemap", () if _rebuilt(context) else _dates(context, "lastmod_dates")),
    )
    for source, dates in tried:
        cadence = measure_rhythm(
            dates, now=context.now, source=source, zone=zone, zone_known=zone_from != "assumed"
        )
        if cadence is not None:
            return _described(context, cadence, source, zone_from)
    return _nothing(context, sum(len(dates) for _, dates in tried))


async def _feed_dates(context: StepContext) -> dict[str, datetime]:
    """When each article came out, once, however many feeds carry it."""
    seen: dict[str, datetime] = {}
    for feed in context.findings["feeds"].facts.get("feeds", ())[:MAX_FEEDS]:
        try:
            document = await feed_at(context, str(feed["url"]))
        except (FetchError, ParseError):
            continue
        for item in document.items:
            at = item.published_at or item.updated_at
            if at is not None:
                seen.setdefault(article_key(item.url, item.guid), at)
    return seen


def _news_dates(context: StepContext) -> dict[str, datetime]:
    """The same from the news sitemap; its articles are mostly those of the feeds."""
    dates = _dates(context, "news_dates")
    keys = context.findings["sitemap_analysis"].facts.get(MEASURED, {}).get("news_keys", ())
    return dict(zip(map(str, keys), dates, strict=False))


def _dates(context: StepContext, name: str) -> tuple[datetime, ...]:
    measured = context.findings["sitemap_analysis"].facts.get(MEASURED, {})
    return tuple(datetime.fromisoformat(text) for text in measured.get(name, ()))


def _rebuilt(context: StepContext) -> bool:
    return bool(context.findings["sitemap_analysis"].facts.get(MEASURED, {}).get("rebuilt"))


def _zone(domain: str) -> tuple[tzinfo, str]:
    name = _ZONES.get(domain.rpartition(".")[2])
    if name is None:
        return UTC, "assumed"
    try:
        return ZoneInfo(name), name
    except ZoneInfoNotFoundError:
        return UTC, "assumed"


def _described(context: StepContext, cadence: Cadence, source: str, zone_from: str) -> Finding:
    rhythm = cadence.rhythm
    facts: dict[str, Any] = {
        "source": source,
        "dates_are": "modified" if source == "sitemap" else "published",
        "frequency_label": cadence.label,
        "confidence": rhythm.confidence,
        "dormant": rhythm.dormant,
        "error": None,
        MEASURED: {
            "frequency_hours": cadence.hours,
            "per_day": round(rhythm.per_day, 3),
            "low": round(rhythm.low, 3),
            "high": round(rhythm.high, 3),
            "confidence_by_count": cadence.by_count,
            "sample_size": rhythm.sample_size,
            "date_span_days": round(rhythm.span.total_seconds() / DAY, 1),
            "median_gap_hours": cadence.median_gap_hours,
            "batch_share": cadence.batch_share,
            "feed_window_hours": round(cadence.window.total_seconds() / 3600, 1),
            "truncated": cadence.truncated,
            "method": cadence.method,
            "zone": zone_from,
            "weekday": list(rhythm.weekday),
            "hour": list(rhythm.hour),
            "grid": [list(row) for row in cadence.grid],
            "newest_at": rhythm.newest_at.isoformat() if rhythm.newest_at else None,
        },
    }
    places = _places(context)
    notes = (
        Evidence(url=url, excerpt=f"{rhythm.sample_size} dates, {cadence.label}") for url in places
    )
    return finding(context, "frequency", "no" if rhythm.dormant else "yes", facts, *notes)


def _nothing(context: StepContext, dates: int) -> Finding:
    looked = {context.findings[need].outcome for need in ("feeds", "sitemap_analysis")}
    blind = looked & {"failed", "skipped", "unknown"}
    facts: dict[str, Any] = {
        "source": "none",
        "frequency_label": "",
        "confidence": "low",
        "dormant": None,
        "error": "neither feeds nor sitemaps could be fetched" if blind == looked else None,
        MEASURED: {"frequency_hours": None, "sample_size": dates, "date_span_days": 0},
    }
    return finding(context, "frequency", "unknown", facts)


def _places(context: StepContext) -> Iterable[str]:
    feeds = [
        str(feed["url"]) for feed in context.findings["feeds"].facts.get("feeds", ())[:MAX_FEEDS]
    ]
    news = context.findings["sitemap_analysis"].facts.get("news_sitemap_url")
    return [*feeds, *([str(news)] if news else [])]


def summary(facts: Facts) -> str:
    """The rate, and how sure it is."""
    if not facts.get("frequency_label"):
        return "too few dates"
    dormant = "dormant, " if facts.get("dormant") else ""
    return f"{dormant}{facts['frequency_label']} ({facts.get('confidence')} confidence, {facts.get('source')})"


def details(facts: Facts) -> CardDetails:
    """When articles come out, by weekday and hour."""
    measured = facts.get(MEASURED, {})
    if "grid" not in measured:
        return CardDetails()
    picture = Picture(
        label=str(facts["frequency_label"]),
        per_day=float(measured["per_day"]),
        low=float(measured["low"]),
        high=float(measured["high"]),
        confidence=str(facts["confidence"]),
        zone=_clock(str(measured["zone"])),
        grid=tuple(tuple(map(int, row)) for row in measured["grid"]),
    )
    return CardDetails(picture=picture)


def _clock(zone: str) -> str:
    """Whose clock the hours are of."""
    return "UTC, as the publisher's own is not known" if zone == "assumed" else zone


PLUG = Step(
    "frequency",
    "Rhythm",
    run,
    ("feeds", "sitemap_analysis"),
    section="supply",
    order=40,
    summary=summary,
    compared=("frequency_label", "dormant", "confidence", "source"),
    details=details,
)
