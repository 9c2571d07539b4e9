"""Scouting step: what the sitemaps hold: news that is really there, publication dates, the newest changes.

A look, not a crawl: at most three sitemaps and two children of each index are read, the likeliest to hold
news first; of an index below an index the likeliest one, and what lies deeper is said. A namespace that is
declared and never used is no news sitemap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from wireroom.display_text import counted
from wireroom.errors import FetchError, ParseError
from wireroom.model import NOT_REACHED, Evidence, Facts, Finding, FindingOutcome, Priority
from wireroom.parse.sitemap import SitemapEntry, SitemapKind, read_sitemap
from wireroom.ports import CardDetails, CardSitemap, Step, StepContext, Summary, SummaryRow
from wireroom.rights.finding_index import MEASURED, page_name
from wireroom.scout.sitemap_guesses import ranked_children, ranked_sitemaps
from wireroom.signals.documents import read_answer, sitemap_at
from wireroom.signals.shared import finding

MAX_SITEMAPS = 3
MAX_CHILDREN = 2  # of each index
MAX_BELOW = 1  # of each index below an index
MAX_DEPTH = 2  # indexes below one another that are followed
MAX_DATES = 50  # newest changes that are kept
MAX_NEWS_DATES = 1_000  # what a news sitemap may hold
MAX_ENTRIES = 20_000  # read of one sitemap
REBUILT = 0.8  # of all changes at one time: the file was built then, its dates say nothing
BUILD_TAKES = timedelta(minutes=10)  # within which a program stamps every page of a large site
FEWEST_DATES = 5  # that are compared: three pages may well have changed together


@dataclass(slots=True)
class _SitemapSurvey:
    """What was read so far."""

    checked: int = 0
    news_entries: int = 0
    news: list[tuple[datetime, str, str]] = field(default_factory=list)
    """When each article came out, its address, and the sitemap that lists it."""
    with_news: list[str] = field(default_factory=list)
    """Sitemaps that hold news, the likeliest first."""
    declared: bool = False
    changed: list[datetime] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    """Sitemaps whose dates say when they were built, and those dates."""
    built: list[datetime] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    """Sitemaps below the last index that was followed; not read."""
    unreached: bool = False
    """Whether the scout had no room for one of them."""
    truncated: bool = False
    problems: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    outlines: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Kind and entries of each that was read."""
    places: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def news_url(self) -> str:
        """The news sitemap."""
        return self.with_news[0] if self.with_news else ""

    def put_in_order(self) -> None:
        """By likelihood, whichever answer came first."""
        for urls in (self.with_news, self.rebuilt, self.below):
            urls.sort(key=self.places.__getitem__)
        for rows in (self.documents, self.problems):
            ordered = sorted(rows.items(), key=lambda row: self.places[row[0]])
            rows.clear()
            rows.update(ordered)


async def run(context: StepContext) -> Finding:
    """What the best sitemaps hold; failed when there are some and none could be read."""
    listed = [str(url) for url in context.findings["sitemaps"].facts.get("sitemap_urls", ())]
    urls = ranked_sitemaps(listed)[:MAX_SITEMAPS]
    seen = _SitemapSurvey()
    above = frozenset(urls)
    await asyncio.gather(
        *(_read(context, url, seen, above, (place,)) for place, url in enumerate(urls))
    )
    seen.put_in_order()
    facts = _facts(seen, urls)
    if urls and not seen.checked:
        facts |= {"has_news_sitemap": None, "error": "; ".join(sorted(set(seen.problems.values())))}
    outcome: FindingOutcome = (
        "yes" if seen.news_entries else "no" if seen.checked or not urls else "failed"
    )
    is_unknown = not urls and context.findings["sitemaps"].outcome != "no"
    if is_unknown or (outcome == "no" and (seen.below or seen.unreached)):
        outcome = "unknown"
        facts["has_news_sitemap"] = None
    return finding(context, "sitemap_analysis", outcome, facts, *_evidence(seen))


async def _read(
    context: StepContext,
    url: str,
    seen: _SitemapSurvey,
    above: frozenset[str],
    place: tuple[int, ...],
) -> None:
    """Reads one sitemap into the look; the best children of an index with it. Never raises.

    `place` is that among its like, and before it those of the indexes above it.
    """
    seen.places[url] = place
    depth = len(place) - 1
    try:
        document = await _document(context, url, seen, is_first=not any(place))
    except FetchError as error:
        seen.unreached = seen.unreached or error.kind in NOT_REACHED
        seen.problems[url] = error.reason
        return
    except ParseError as exc:
        seen.problems[url] = str(exc)
        return
    seen.checked += 1
    seen.documents[url] = f"{document.kind}, {document.entries} entries"
    seen.outlines[url] = {
        "kind": document.kind,
        "entries": document.entries,
        "news_entries": document.news_entries,
    }
    seen.truncated = seen.truncated or document.truncated
    seen.declared = seen.declared or document.news_declared
    if document.kind != "index":
        _take(document, url, seen)
        return
    children = [child_url for child_url in document.children if child_url not in above]
    if depth >= MAX_DEPTH:
        seen.below.append(url)
        return
    known = above | set(children)
    most = MAX_BELOW if depth else MAX_CHILDREN
    await asyncio.gather(
        *(
            _read(context, each, seen, known, (*place, below))
            for below, each in enumerate(children[:most])
        )
    )


async def _document(
    context: StepContext, url: str, seen: _SitemapSurvey, *, is_first: bool
) -> SitemapOutline:
    """The sitemap; the likeliest of all, and the likeliest below it, are asked for before others."""
    response = await sitemap_at(context, url, Priority.SITEMAP if is_first else Priority.MORE)
    seen.truncated = seen.truncated or response.truncated
    return await read_answer(context, response, read_outline, context.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapOutline:
    """What a scout takes from one sitemap: counts, the newest of its dates, the children worth reading."""

    kind: SitemapKind
    entries: int = 0
    truncated: bool = False
    news_declared: bool = False
    news_entries: int = 0
    published: tuple[tuple[datetime, str], ...] = ()
    """When articles came out and where they are, the newest first; of a news sitemap."""
    changed: tuple[datetime, ...] = ()
    """The newest changes; of any other."""
    rebuilt: bool = False
    """Whether its changes say when the file was built."""
    children: tuple[str, ...] = ()
    """Of an index, the likeliest first."""


def read_outline(body: bytes, url: str, content_type: str, now: datetime) -> SitemapOutline:
    """The outline of the sitemap in these bytes; raises ParseError."""
    document = read_sitemap(body, base_url=url, content_type=content_type, limit=MAX_ENTRIES)
    entries = document.entries
    news = [entry for entry in entries if entry.news is not None]
    listed = document.kind != "index"
    # Those that were listed by the publisher may be among its children, too, and are passed over then.
    children = () if listed else ranked_children(entries, now)[: MAX_CHILDREN + MAX_SITEMAPS]
    stamped = sorted(_changes(entries if listed and not news else (), now), reverse=True)
    changed = since_build(stamped) or stamped
    return SitemapOutline(
        kind=document.kind,
        entries=len(entries),
        truncated=document.truncated,
        news_declared=document.news_declared,
        news_entries=len(news) if listed else 0,
        published=tuple(sorted(_publications(news, now), reverse=True)[:MAX_NEWS_DATES]),
        changed=tuple(changed[:MAX_DATES]),
        rebuilt=bool(stamped) and not since_build(stamped),
        children=tuple(children),
    )


def _take(document: SitemapOutline, url: str, seen: _SitemapSurvey) -> None:
    seen.news_entries += document.news_entries
    seen.news += ((at, article_url, url) for at, article_url in document.published)
    if document.rebuilt:
        seen.rebuilt.append(url)
        seen.built += document.changed
    else:
        seen.changed += document.changed
    if document.news_entries:
        seen.with_news.append(url)


def _facts(seen: _SitemapSurvey, urls: list[str]) -> dict[str, Any]:
    changed = sorted(seen.changed or seen.built, reverse=True)[:MAX_DATES]
    published = sorted(seen.news, reverse=True)[:MAX_NEWS_DATES]
    listing = list(dict.fromkeys(place for _, _, place in published))
    kinds = [{"url": seen.news_url, "kind": "news_sitemap", "title": "News sitemap"}]
    return {
        "has_news_sitemap": bool(seen.news_entries),
        "news_sitemap_url": seen.news_url or None,
        "news_namespace_declared": seen.declared,
        "sitemaps_listed": len(urls),
        "truncated": seen.truncated,
        "not_followed": seen.below,
        "problems": seen.problems,
        "feeds": kinds if seen.news_url else [],
        "error": None,
        MEASURED: {
            "sitemaps_checked": seen.checked,
            "documents": seen.documents,
            "outlines": {url: seen.outlines[url] for url in seen.documents},
            "news_entries": seen.news_entries,
            "news_dates": [at.isoformat() for at, _, _ in published],
            "news_keys": [page_name(url) for _, url, _ in published],
            "news_urls": listing,
            "news_places": [listing.index(place) for _, _, place in published],
            "newest_url": published[0][1] if published else "",
            "lastmod_dates": [at.isoformat() for at in changed],
            "rebuilt": bool(seen.built) and not seen.changed,
        },
        "sitemaps_checked": seen.checked,
    }


def _changes(entries: Iterable[SitemapEntry], now: datetime) -> Iterator[datetime]:
    for entry in entries:
        moment = entry.lastmod
        if moment is not None and moment.at <= now + timedelta(days=1):
            yield moment.at


def _publications(entries: Iterable[SitemapEntry], now: datetime) -> Iterator[tuple[datetime, str]]:
    for entry in entries:
        moment = entry.news.published if entry.news else None
        if moment is not None and moment.at <= now + timedelta(days=1):
            yield moment.at, entry.url


def since_build(changed: Sequence[datetime]) -> Sequence[datetime]:
    """Of the changes, newest first, those since nearly all came within one build; all where none did.

    A busy newsroom changes many pages a day, but not most of its pages at one time.
    """
    needed = ceil(REBUILT * len(changed))
    if len(changed) < FEWEST_DATES:
        return changed
    for place, (latest, earliest) in enumerate(zip(changed, changed[needed - 1 :], strict=False)):
        if latest - earliest <= BUILD_TAKES:
            return changed[:place] if place >= FEWEST_DATES else ()
    return changed


def _evidence(seen: _SitemapSurvey) -> Iterator[Evidence]:
    for url, what in seen.documents.items():
        yield Evidence(url=url, excerpt=f"{what}{', news' if url == seen.news_url else ''}")
    for url in seen.rebuilt:
        yield Evidence(url=url, excerpt="its dates say when it was built, not when pages changed")
    for url in seen.below:
        yield Evidence(url=url, excerpt="an index below indexes: what it lists was not read")
    for url, why in seen.problems.items():
        yield Evidence(url=url, excerpt=why)


def summary(facts: Facts) -> Summary:
    """How many articles a news sitemap holds; beneath it, which one it is and what could not be read."""
    rows = tuple(SummaryRow(url=url, text=why) for url, why in facts.get("problems", {}).items())
    if facts.get("has_news_sitemap"):
        count = facts.get(MEASURED, {}).get("news_entries", 0)
        url = str(facts.get("news_sitemap_url") or "")
        text = f"news sitemap with {counted(count, 'article')}"
        return Summary(text=text, tone="good", rows=((SummaryRow(url=url), *rows) if url else rows))
    return Summary(text=_without_news(facts), rows=rows)


def _without_news(facts: Facts) -> str:
    read = counted(facts.get("sitemaps_checked", 0), "sitemap")
    if facts.get("not_followed"):
        return f"no news in {read} read; indexes below them were not followed"
    if facts.get("has_news_sitemap") is None and facts.get("sitemaps_checked"):
        return f"no news in {read} read; others were not reached"
    if facts.get("has_news_sitemap") is None:
        return "no sitemap could be read"
    return f"no news; {read} read" if facts.get("sitemaps_checked") else "no sitemap to look into"


def details(facts: Facts) -> CardDetails:
    """What was read of each sitemap, and what could not be."""
    outlines = facts.get(MEASURED, {}).get("outlines", {})
    read = (
        CardSitemap(
            url=str(url),
            kind=str(outline["kind"]),
            entries=outline["entries"],
            news_entries=outline["news_entries"],
        )
        for url, outline in outlines.items()
    )
    failed = (
        CardSitemap(url=str(url), problem=str(why))
        for url, why in facts.get("problems", {}).items()
    )
    return CardDetails(sitemaps=(*read, *failed))


def _compared(facts: Facts) -> object:
    """How many articles a news sitemap holds is measured; without one, the line says how many were read."""
    has_news = facts.get("has_news_sitemap")
    return has_news, None if has_news else facts.get("sitemaps_checked")


PLUG = Step(
    "sitemap_analysis",
    "Sitemaps, looked into",
    run,
    ("sitemaps",),
    asks=(Priority.SITEMAP, Priority.SITEMAP),
    deadline=timedelta(seconds=15),
    section="supply",
    label="News sitemap",
    order=30,
    summary=summary,
    compared=_compared,
    details=details,
)
