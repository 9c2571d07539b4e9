"""Invented publishers, feeds, leads and articles for the store's tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from wireroom.model import (
    Article,
    Condition,
    Evidence,
    Feed,
    Finding,
    Item,
    Lead,
    Polled,
    Publisher,
    Reading,
    Receipt,
    Signal,
    Verdict,
)
from wireroom.ports import Store
from wireroom.urls import article_id

NOW = datetime(2026, 11, 15, 9, 30, 0, 123456, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LEASE = 5 * MINUTE
COURIER = "courier.test"


def publisher(domain: str = COURIER, **changes: Any) -> Publisher:
    held = Publisher(
        domain=domain,
        name="The Harbour Courier",
        home_url=f"https://{domain}/",
        added_at=NOW,
        scout_after=NOW + DAY,
        strategy="plain",
    )
    return replace(held, **changes)


def finding(step: str = "robots", verdict: Any = "yes", **changes: Any) -> Finding:
    held = Finding(
        step=step,
        outcome=verdict,
        facts={"lines": 12, "crawl_delay": None, "bots": ["a", "b"]},
        evidence=(Evidence(url="https://courier.test/robots.txt", line=3, excerpt="Allow: /"),),
        found_at=NOW,
        took=timedelta(milliseconds=340),
    )
    return replace(held, **changes)


def signal() -> Signal:
    evidence = Evidence(url="https://courier.test/robots.txt", line=7, status=200)
    return Signal(family="robots", use="ai-train", value="deny", scope="/news/*", evidence=evidence)


def verdict() -> Verdict:
    return Verdict(
        use="ai-train",
        value="paid",
        conditions=(Condition(kind="payment", detail="5 EUR"), Condition(kind="attribution")),
        because=(signal(),),
        conflicts=(replace(signal(), value="allow"),),
    )


def receipt(**changes: Any) -> Receipt:
    held = Receipt(
        verdicts=(verdict(),),
        robots="allowed",
        licence_url="https://courier.test/licence",
        checked_at=NOW,
    )
    return replace(held, **changes)


def feed(url: str = "https://courier.test/rss", **changes: Any) -> Feed:
    domain = url.split("/")[2].partition(":")[0].removeprefix("www.")
    return replace(Feed(url=url, publisher=domain, kind="rss", title="News"), **changes)


def item(number: int = 1, feed_url: str = "https://courier.test/rss", **changes: Any) -> Item:
    held = Item(
        feed_url=feed_url,
        guid=f"guid-{number}",
        url=f"https://courier.test/story-{number}",
        title=f"Story {number}",
        summary="In short.",
        authors=("Ada Quill",),
        tags=("harbour",),
        published_at=NOW - HOUR,
        extra={"comments": 3},
    )
    return replace(held, **changes)


def polled(items: Sequence[Item], feed_url: str = "https://courier.test/rss") -> Polled:
    return Polled(feed_url=feed_url, result="items" if items else "same", items=tuple(items))


def lead(number: int = 1, host: str = COURIER, **changes: Any) -> Lead:
    held = Lead(url=f"https://{host}/story-{number}", publisher=host.removeprefix("www."))
    return replace(held, **changes)


def article(number: int = 1, domain: str = COURIER, **changes: Any) -> Article:
    url = changes.pop("url", f"https://{domain}/story-{number}")
    text = changes.pop("text", f"The harbour master spoke of ship {number}.\n\nThen it rained.")
    held = Article(
        id=article_id(domain, url),
        publisher=domain,
        url=url,
        title=f"Story {number}",
        fetched_at=NOW,
        published_at=NOW - HOUR - number * MINUTE,
        published_source="json-ld",
        language="en",
        language_tag="en-GB",
        authors=("Ada Quill", "Ben Ledger"),
        tags=("harbour", "weather"),
        description="What the harbour master said.",
        text=text,
        layout="p" * (text.count("\n\n") + 1),
        text_hash=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        word_count=10,
        quality=0.75,
        paywall="free",
        sources={"title": "h1", "text": "body"},
        extra={"ld": {"@type": "NewsArticle"}},
        receipt=receipt(),
    )
    return replace(held, **changes)


def reading(held: Article, **changes: Any) -> Reading:
    done = Lead(url=held.url, publisher=held.publisher, state="read", attempts=1)
    return replace(Reading(lead=done, article=held), **changes)


def save(store: Store, *articles: Article) -> None:
    store.save_readings([reading(article) for article in articles], now=NOW)
