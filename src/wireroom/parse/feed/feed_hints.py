"""What a feed says about when to come back, and where else to ask."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from wireroom.model import FeedHints
from wireroom.parse.feed.extras import whole_number
from wireroom.parse.feed.feed_context import FeedContext
from wireroom.parse.feed.fields import Fields, first_text, gather

LONGEST_WAIT = timedelta(days=366)  # a yearly feed is the slowest there is; more is a slip
MAX_COUNT = 10_000_000  # minutes, times a day: what a timedelta can hold
MAX_LINKS = 50  # of the feed itself that are looked at

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}


def hints_of(fields: Fields, links: Mapping[str, str], context: FeedContext) -> FeedHints:
    """The hints of a channel or an Atom feed, whose links are known by relation."""
    return FeedHints(
        ttl=_ttl(first_text(fields, "ttl")),
        skip_hours=_skip_hours(fields, context),
        skip_days=_skip_days(fields, context),
        period=_period(fields),
        hub_url=links.get("hub", ""),
        self_url=links.get("self", ""),
        cloud_url=_cloud(fields, context),
    )


def links_by_rel(fields: Fields, context: FeedContext) -> dict[str, str]:
    """The first address of each relation among the links of a feed."""
    found: dict[str, str] = {}
    for name in ("atom:link", "link"):
        for element in fields.get(name, ())[:MAX_LINKS]:
            if url := context.url(element.get("href"), element):
                for rel in (element.get("rel") or "alternate").lower().split()[:5]:
                    found.setdefault(rel, url)
    return found


def _ttl(text: str) -> timedelta | None:
    minutes = _whole(text)
    return None if not minutes else min(timedelta(minutes=minutes), LONGEST_WAIT)


def _period(fields: Fields) -> timedelta | None:
    unit = _PERIODS.get(first_text(fields, "sy:updateperiod").lower())
    if unit is None:
        return None
    return unit / (_whole(first_text(fields, "sy:updatefrequency")) or 1)


def _whole(text: str) -> int:
    return min(whole_number(text) or 0, MAX_COUNT)


def _skip_hours(fields: Fields, context: FeedContext) -> tuple[int, ...]:
    hours = (text for text in _listed(fields, context, "skiphours", "hour"))
    # The first RSS counted 1 to 24, the second 0 to 23: 24 is midnight in both.
    return tuple(sorted({int(text) % 24 for text in hours if text.isdigit() and int(text) <= 24}))


def _skip_days(fields: Fields, context: FeedContext) -> tuple[str, ...]:
    days = {text.lower() for text in _listed(fields, context, "skipdays", "day")}
    return tuple(day for day in _DAYS if day in days)


def _listed(fields: Fields, context: FeedContext, group: str, name: str) -> list[str]:
    elements: list[Any] = fields.get(group, [])[:1]
    listed = [
        child for element in elements for child in gather(element, context.names).get(name, ())
    ]
    return [
        text for child in listed if len(text := (child.text or "").strip()) <= 10 and text.isascii()
    ]


def _cloud(fields: Fields, context: FeedContext) -> str:
    for element in fields.get("cloud", ())[:1]:
        domain, path = element.get("domain") or "", element.get("path") or "/"
        port = _whole(element.get("port") or "") or 80
        scheme = "https" if port == 443 or "https" in (element.get("protocol") or "") else "http"
        shown = "" if port in {80, 443} else f":{port}"
        return context.url(f"{scheme}://{domain}{shown}/{path.lstrip('/')}") if domain else ""
    return ""
