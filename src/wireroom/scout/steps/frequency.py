"""Scouting step: how often the publisher publishes, from the dates in its feeds or its news sitemap.

Asks nobody anew: it reads the feeds that the step `feeds` has read in this scout. Each is counted over the time that
it covers. Changes in sitemaps count only where nothing else is known, and are labelled as what they are.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any, Final, TypedDict

from wireroom.dates.reader_clock import UTC_CLOCK
from wireroom.dates.zones import newsroom_zone
from wireroom.display_text import counted
from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Facts, FeedDocument, Finding, Item
from wireroom.ports import CardDetails, CardRhythm, Picture, Step, StepContext, Summary
from wireroom.rhythm import (
    Cadence,
    CountedSeries,
    PublisherCadence,
    Series,
    frequency_label,
    measure_publisher,
)
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.documents import feed_at
from wireroom.signals.shared import finding
from wireroom.urls import page_key, same_site

NO_OWN: Final = "all of its articles count in feeds that reach back further"
MAX_FEEDS = 4  # read; more sections repeat the same articles
DAY: Final = 86_400


class _Clock(TypedDict):
    now: datetime
    zone: tzinfo
    zone_known: bool


async def run(context: StepContext) -> Finding:
    """The rate with its interval, from the best source that has enough dates."""
    zone, zone_from = newsroom_zone(context.publisher.domain)
    clock: _Clock = {"now": context.now, "zone": zone, "zone_known": zone_from != "assumed"}
    by_feeds = measure_publisher(await _feed_series(context), source="rss", **clock)
    by_news = measure_publisher(_news_series(context), source="news_sitemap", **clock)
    if measured := better_source(by_feeds, by_news):
        return _described(context, measured, zone_from)
    changed = () if _rebuilt(context) else _dates(context, "lastmod_dates")
    series = Series(url=_lastmod_url(context), articles=tuple(((), at) for at in changed))
    if measured := measure_publisher([series], source="sitemap", **clock):
        return _described(context, measured, zone_from)
    return _nothing(context, len(changed))


def better_source(
    by_feeds: PublisherCadence | None, by_news: PublisherCadence | None
) -> PublisherCadence | None:
    """The feeds; the news sitemap where it certainly has more, as where sections have no feed."""
    if by_feeds is None or by_news is None:
        return by_feeds or by_news
    feeds, news = by_feeds.cadence.rhythm, by_news.cadence.rhythm
    if feeds.dormant != news.dormant:
        return by_news if feeds.dormant else by_feeds
    return by_news if news.low > feeds.per_day else by_feeds


async def _feed_series(context: StepContext) -> list[Series]:
    """The articles of each feed; those of other sites speak for the publisher only if it has no own."""
    read: list[tuple[str, FeedDocument]] = []
    for feed in context.findings["feeds"].facts.get("feeds", ())[:MAX_FEEDS]:
        url = str(feed["url"])
        try:
            read.append((url, await feed_at(context, url)))
        except (FetchError, ParseError):
            continue
    home = _home(context)
    own = [row for row in read if same_site(row[0], home) or same_site(row[1].home_url, home)]
    return [_series(url, document) for url, document in own or read[:1]]


def _series(url: str, document: FeedDocument) -> Series:
    dated = ((item, item.published_at or item.updated_at) for item in document.items)
    return Series(
        url=url, articles=tuple((_names(item, at), at) for item, at in dated if at is not None)
    )


def _names(item: Item, at: datetime) -> tuple[str, ...]:
    """By what an article is known in another feed: feeds have addresses of their own to count readers with."""
    titled = f"{at.isoformat()} {item.title}" if item.title else ""
    return tuple(filter(None, (page_key(item.url), item.guid, titled)))


def _news_series(context: StepContext) -> list[Series]:
    """The same of each news sitemap."""
    measured = context.findings["sitemap_analysis"].facts.get(MEASURED, {})
    dates = _dates(context, "news_dates")
    keys = [str(key) for key in measured.get("news_keys", ())]
    urls = [str(url) for url in measured.get("news_urls", ())]
    places = measured.get("news_places", (0,) * len(dates))
    listed: dict[int, list[tuple[tuple[str, ...], datetime]]] = {}
    for at, key, place in zip(dates, keys, places, strict=False):
        listed.setdefault(int(place), []).append(((key,), at))
    return [
        Series(url=urls[place] if place < len(urls) else str(place), articles=tuple(articles))
        for place, articles in listed.items()
    ]


def _home(context: StepContext) -> str:
    return context.publisher.home_url


def _lastmod_url(context: StepContext) -> str:
    """Where the changes were read, as far as one address says it."""
    documents = context.findings["sitemap_analysis"].facts.get(MEASURED, {}).get("documents", {})
    return str(next(iter(documents), _home(context)))


def _dates(context: StepContext, name: str) -> tuple[datetime, ...]:
    measured = context.findings["sitemap_analysis"].facts.get(MEASURED, {})
    return tuple(datetime.fromisoformat(text) for text in measured.get(name, ()))


def _rebuilt(context: StepContext) -> bool:
    return bool(context.findings["sitemap_analysis"].facts.get(MEASURED, {}).get("rebuilt"))


def _described(context: StepContext, measured: PublisherCadence, zone_from: str) -> Finding:
    cadence, rhythm = measured.cadence, measured.cadence.rhythm
    facts: dict[str, Any] = {
        "source": rhythm.source,
        "dates_are": "modified" if rhythm.source == "sitemap" else "published",
        "frequency_label": cadence.label,
        "confidence": cadence.confidence,
        "dormant": rhythm.dormant,
        "error": None,
        MEASURED: {
            "frequency_hours": cadence.hours,
            "per_day": round(rhythm.per_day, 3),
            "low": round(rhythm.low, 3),
            "high": round(rhythm.high, 3),
            "confidence_by_count": cadence.by_count,
            "confidence_by_interval": cadence.by_interval,
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
            "counted": [
                {"url": part.url, "articles": part.articles, "per_day": round(part.per_day, 3)}
                for part in measured.counted
            ],
        },
    }
    notes = (
        Evidence(url=part.url, excerpt=_counted_here(part, cadence)) for part in measured.counted
    )
    return finding(context, "frequency", "no" if rhythm.dormant else "yes", facts, *notes)


def _nothing(context: StepContext, dates: int) -> Finding:
    outcomes = {context.findings[need].outcome for need in ("feeds", "sitemap_analysis")}
    blind = outcomes & {"failed", "skipped", "unknown"}
    facts: dict[str, Any] = {
        "source": "none",
        "frequency_label": "",
        "confidence": "low",
        "dormant": None,
        "error": "neither feeds nor sitemaps could be fetched" if blind == outcomes else None,
        MEASURED: {"frequency_hours": None, "sample_size": dates, "date_span_days": 0},
    }
    return finding(context, "frequency", "unknown", facts)


def _counted_here(part: CountedSeries, cadence: Cadence) -> str:
    articles = counted(part.articles, "article")
    if part.articles == cadence.rhythm.sample_size:
        return f"{articles}, {cadence.label}"
    return (
        f"{articles} that count here, {frequency_label(part.per_day)}" if part.articles else NO_OWN
    )


_SOURCES: Final = {
    "rss": "from its feeds",
    "news_sitemap": "from its news sitemap",
    "sitemap": "from changes in its sitemaps",
}


def summary(facts: Facts) -> Summary:
    """The rate, how sure it is and the newest article; of a publisher that stopped, since when and its former rate."""
    if not facts.get("frequency_label"):
        return Summary(text="too few dates")
    source = _SOURCES.get(str(facts.get("source")), facts.get("source"))
    rate = f"{facts['frequency_label']} ({facts.get('confidence')} confidence, {source})"
    newest = _newest(facts)
    if not facts.get("dormant"):
        return Summary(text=rate, tone="good", newest_at=newest)
    if newest is None:
        return Summary(text=f"dormant, {rate}", tone="bad")
    text = f"dormant: last article on {UTC_CLOCK.day(newest)}, before that {rate}"
    return Summary(text=text, tone="bad")


def details(facts: Facts) -> CardDetails:
    """When articles come out, by weekday and hour."""
    measured = facts.get(MEASURED, {})
    if "grid" not in measured:
        return CardDetails()
    newest = _newest(facts)
    picture = Picture(
        label=str(facts["frequency_label"]),
        per_day=float(measured["per_day"]),
        low=float(measured["low"]),
        high=float(measured["high"]),
        confidence=str(facts["confidence"]),
        zone=_clock(str(measured["zone"])),
        grid=tuple(tuple(map(int, row)) for row in measured["grid"]),
        until=UTC_CLOCK.day(newest) if facts.get("dormant") and newest else "",
    )
    rhythm = CardRhythm(
        label=picture.label,
        per_day=picture.per_day,
        low=picture.low,
        high=picture.high,
        confidence=picture.confidence,
        confidence_by_count=str(measured.get("confidence_by_count", "")),
        confidence_by_interval=str(measured.get("confidence_by_interval", "")),
        source=str(facts.get("source", "")),
        articles=int(measured.get("sample_size", 0)),
        span_days=float(measured.get("date_span_days", 0.0)),
        newest_at=newest,
        dormant=bool(facts.get("dormant")),
        zone=picture.zone,
        hours=tuple(map(sum, zip(*picture.grid, strict=True))),
        weekdays=tuple(map(sum, picture.grid)),
    )
    return CardDetails(picture=picture, rhythm=rhythm)


def _newest(facts: Facts) -> datetime | None:
    newest = facts.get(MEASURED, {}).get("newest_at")
    return datetime.fromisoformat(newest) if newest else None


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
