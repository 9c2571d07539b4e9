"""A feed in words and signs that stand in a table, and as plain data. Pure but for what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from wireroom.model import OPTIONS

if TYPE_CHECKING:
    from wireroom.app.feeds import FeedStats
    from wireroom.model import Feed, Verdict

STATES = {
    "live": "green",
    "paused": "dim",
    "resting": "yellow",
    "silent": "yellow",
    "gone": "red",
}
_FIRST = ("url", "publisher", "kind", "name", "title")  # of the fields of a feed
BARS = "▁▂▃▄▅▆▇█"


def sparkline(counts: Sequence[int]) -> str:
    """One bar for each count, the highest full; empty where nothing was counted."""
    most = max(counts, default=0)
    if not most:
        return ""
    return "".join(BARS[round(count / most * (len(BARS) - 1))] for count in counts)


def due_words(feed: Feed, now: datetime) -> str:
    """When the feed is asked next: "in 12 min"."""
    from wireroom.app.feeds import duration_words

    if feed.state == "paused":
        return "–"
    if feed.poll_after is None:
        return "now" if feed.state in {"live", "silent"} else "never"
    wait = feed.poll_after - now
    return f"in {duration_words(wait)}" if wait >= timedelta(seconds=1) else "now"


def soon_words(feed: Feed, now: datetime) -> str:
    """The same in one number and one unit, for a narrow column."""
    words = due_words(feed, now).split()
    return " ".join(words[:3])


def new_words(feed: Feed, now: datetime) -> str:
    """How long ago it brought something new."""
    from wireroom.cli.recent import ago

    return ago(now - feed.standing.new_at) if feed.standing.new_at is not None else "never"


def percent(part: int, whole: int) -> str:
    """A share in whole per cents; nothing of nothing is no share."""
    return f"{100 * part / whole:.0f} %" if whole else ""


def rights_signs(verdicts: Sequence[Verdict]) -> str:
    """A sign for each use, in the order search, ai-input, ai-index, ai-train, archive."""
    from wireroom.model import USES
    from wireroom.report.signs import WORDS

    values = {verdict.use: verdict.value for verdict in verdicts}
    return "".join(WORDS[values.get(use, "unknown")] for use in USES) if verdicts else "·····"


def feed_data(stats: FeedStats) -> dict[str, Any]:
    """The feed as plain data, with what came of it; the user info of secret addresses is hidden."""
    from wireroom.dates.durations import format_duration
    from wireroom.settings.secrets import redact_address

    feed, count = stats.feed, stats.count
    held = asdict(feed)
    data = {name: held.pop(name) for name in _FIRST} | held
    for name in OPTIONS.keys() & data.keys():
        if isinstance(data[name], timedelta):
            data[name] = format_duration(data[name])
        elif OPTIONS[name].info.secret and data[name]:
            data[name] = redact_address(data[name])
    if feed.rhythm is not None:
        data["rhythm"]["span"] = format_duration(feed.rhythm.span)
    hints = data["standing"]["hints"]
    for name in ("ttl", "period"):
        hints[name] = format_duration(hints[name]) if hints[name] is not None else None
    return data | {
        "reliability": stats.reliability,
        "articles": count.articles,
        "duplicates": count.duplicates,
        "paywalled": count.paywalled,
        "leads": dict(count.leads),
        "rights": {verdict.use: verdict.value for verdict in stats.rights},
    }
