"""What the tests of polling share: a feed, documents, answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from wireroom.model import (
    Feed,
    Item,
    Observation,
    ObservationAbout,
    Polled,
    Problem,
    Response,
    Rhythm,
)
from wireroom.ports import Compared

NOW = datetime(2026, 11, 11, 10, 0, tzinfo=UTC)  # a Wednesday morning
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
URL = "https://courier.test/rss.xml"
OFFICE = tuple(10 if 7 <= hour < 19 else 0 for hour in range(24))
WORKDAYS = (20, 20, 20, 20, 20, 0, 0)


def feed(**fields: Any) -> Feed:
    return Feed(**({"url": URL, "publisher": "courier.test", "kind": "rss"} | fields))


def rhythm(per_day: float = 12.0, **fields: Any) -> Rhythm:
    usual: dict[str, Any] = {
        "per_day": per_day,
        "low": per_day * 0.8,
        "high": per_day * 1.2,
        "confidence": "high",
        "sample_size": 100,
        "span": 20 * DAY,
        "source": "feed",
        "weekday": (10,) * 7,
        "hour": (10,) * 24,
        "newest_at": NOW - HOUR,
    }
    return Rhythm(**(usual | fields))


def item(number: int = 1, **fields: Any) -> Item:
    usual: dict[str, Any] = {
        "feed_url": URL,
        "guid": f"g{number}",
        "url": f"https://courier.test/{number}",
        "title": f"Story {number}",
        "published_at": NOW - number * HOUR,
    }
    return Item(**(usual | fields))


def answered(*items: Item, **fields: Any) -> Polled:
    return Polled(**({"feed_url": URL, "result": "items", "items": items} | fields))


def failed(kind: str = "server_error", **fields: Any) -> Polled:
    defaults: dict[str, Any] = {"kind": kind, "message": "HTTP 500", "at": NOW}
    return Polled(
        feed_url=URL,
        result="gone" if kind == "gone" else "failed",
        problem=Problem(**(defaults | fields)),
    )


def all_new(items: Sequence[Item]) -> Compared:
    return Compared(new=frozenset(range(len(items))))


def observation(about: ObservationAbout, value: float, reason: str = "") -> Observation:
    return Observation(feed_url=URL, about=about, value=value, reason=reason, at=NOW)


def rss(*items: str, channel: str = "") -> bytes:
    body = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel><title>Courier</title>{channel}{body}</channel></rss>'.encode()


def response(body: bytes = b"", status: int = 200, **fields: Any) -> Response:
    usual: dict[str, Any] = {
        "url": URL,
        "final_url": URL,
        "status": status,
        "body": body,
        "fetched_at": NOW,
    }
    return Response(**(usual | fields))
