"""Scouting step: where the publisher's sitemaps are: robots.txt, a link tag, or the usual addresses.

Names of news sitemaps are tried always: they are rarely listed and worth most. Listed in the order in
which they should be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, cast

from wireroom.errors import FetchError, GoneError, StatusError
from wireroom.model import NOT_REACHED, Evidence, Facts, Finding, FindingOutcome, Priority
from wireroom.parse.kind import FEED_KINDS, kind_of
from wireroom.ports import CardDetails, CardSitemap, Step, StepContext, Summary, SummaryRow
from wireroom.scout.sitemap_guesses import NEWS_PATHS, USUAL_PATHS, names_news, ranked_sitemaps
from wireroom.signals.documents import (
    ask,
    home_links,
    origin_of,
    sitemap_at,
)
from wireroom.signals.shared import finding, found
from wireroom.urls import same_site

AT_ONCE = 2  # usual addresses tried side by side; the first that is there ends the search
_SITEMAPS = FEED_KINDS | {"sitemap", "sitemap_index", "text_sitemap"}
Probe = Literal["there", "by its type", "absent", "unknown"]
"""`by its type`: its head names XML, and the file itself did not come."""
Head = Literal["xml", "absent", "unknown"]
_THERE = frozenset({"there", "by its type"})
_NOT_ASKED = frozenset({"robots", "rights"}) | NOT_REACHED
_NO_HEAD = frozenset({405, 501})  # how a server says that it does not speak HEAD


async def run(context: StepContext) -> Finding:
    """Every sitemap that is named or was found, and who named it."""
    listed = [str(url) for url in context.findings["robots"].facts.get("sitemaps_from_robots", ())]
    linked = await _linked(context)
    named = [*listed, *linked]
    origin = origin_of(context.publisher.home_url)
    prober = _Prober(context)
    news, others = await asyncio.gather(
        prober.all_of(() if any(map(names_news, named)) else [f"{origin}{p}" for p in NEWS_PATHS]),
        prober.in_turn(() if named else [f"{origin}{path}" for path in USUAL_PATHS]),
    )
    tried = news | others
    found = [url for url, word in tried.items() if word in _THERE]
    urls = ranked_sitemaps([*named, *found])
    source = "robots.txt" if listed else "link" if linked else "probe" if found else "none"
    facts: dict[str, Any] = {
        "sitemap_urls": urls,
        "source": source,
        "count": len(urls),
        "elsewhere": [url for url in urls if not same_site(url, origin)],
        "probed": tried,
    }
    unseen = "unknown" in tried.values() or context.findings["robots"].outcome == "unknown"
    outcome: FindingOutcome = "yes" if urls else "unknown" if unseen else "no"
    return finding(context, "sitemaps", outcome, facts, *_evidence(context, listed, tried))


async def _linked(context: StepContext) -> list[str]:
    try:
        return list((await home_links(context)).sitemap_urls)
    except FetchError:
        return []


class _Prober:
    """Tries addresses, by HEAD until the server says that it does not speak it."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._by_head = True

    async def all_of(self, urls: Iterable[str]) -> dict[str, Probe]:
        """All of them side by side."""
        urls = list(urls)
        words = await asyncio.gather(*map(self._probe, urls))
        return dict(zip(urls, words, strict=True))

    async def in_turn(self, urls: Iterable[str]) -> dict[str, Probe]:
        """A few at a time, until one is there."""
        tried: dict[str, Probe] = {}
        urls = list(urls)
        for start in range(0, len(urls), AT_ONCE):
            tried |= await self.all_of(urls[start : start + AT_ONCE])
            if not _THERE.isdisjoint(tried.values()):
                break
        return tried

    async def _probe(self, url: str) -> Probe:
        """Asks for the head, then for the file: servers call an error page XML, and a sitemap a page."""
        head = await self._head(url) if self._by_head else None
        if head in {"absent", "unknown"}:
            return cast(Probe, head)
        return await self._file(url, is_xml=head == "xml")

    async def _head(self, url: str) -> Head | None:
        """What a refusal says, or that the answer is XML by its type; None where only the file can tell."""
        try:
            answer = await ask(self._context, url, head=True, priority=Priority.GUESS)
        except GoneError:
            return "absent"
        except FetchError as error:
            status = error.status if isinstance(error, StatusError) else None
            self._by_head = self._by_head and status not in _NO_HEAD
            return "unknown" if status in {429, 503} or error.kind in _NOT_ASKED else None
        return "xml" if _is_xml(answer.content_type) else None

    async def _file(self, url: str, *, is_xml: bool) -> Probe:
        """What the file is; where it does not come and its head named an XML type, that counts."""
        # What is XML by its type was found, and is more than a guess.
        priority = Priority.MORE if is_xml else Priority.GUESS
        try:
            response = await sitemap_at(self._context, url, priority)
        except GoneError:
            return "absent"
        except FetchError as error:
            is_unread = error.kind in NOT_REACHED or error.kind == "timeout"
            return "by its type" if is_xml and is_unread else "unknown"
        kind = kind_of(response.body, response.content_type).name
        return "there" if kind in _SITEMAPS or response.body[:2] == b"\x1f\x8b" else "absent"


def _is_xml(content_type: str) -> bool:
    """Whether the type is one of XML; pages that say they are not found are often called XHTML."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind in {"application/xml", "text/xml"} or (
        kind.endswith("+xml") and "xhtml" not in kind
    )


def _evidence(context: StepContext, listed: list[str], tried: dict[str, Probe]) -> list[Evidence]:
    robots_url = str(context.findings["robots"].facts.get("url", ""))
    named = [Evidence(url=robots_url, excerpt=f"Sitemap: {url}") for url in listed[:20]]
    return named + [Evidence(url=url, excerpt=f"probed: {word}") for url, word in tried.items()]


def summary(facts: Facts) -> Summary:
    """How many there are, and who named them."""
    source = f" ({facts['source']})" if facts.get("source") not in {None, "none"} else ""
    counted = found(facts.get("count", 0), "sitemap")
    rows = tuple(SummaryRow(url=str(url)) for url in facts.get("sitemap_urls", ()))
    return replace(counted, text=counted.text + source, tone="good" if rows else "plain", rows=rows)


def details(facts: Facts) -> CardDetails:
    """The addresses, and who named each."""
    probed, source = facts.get("probed", {}), str(facts.get("source", ""))
    return CardDetails(
        sitemaps=tuple(
            CardSitemap(url=str(url), found_by="probe" if url in probed else source)
            for url in facts.get("sitemap_urls", ())
        )
    )


PLUG = Step(
    "sitemaps",
    "Sitemaps",
    run,
    ("robots",),
    section="supply",
    order=20,
    summary=summary,
    compared=("count", "source"),
    details=details,
)
