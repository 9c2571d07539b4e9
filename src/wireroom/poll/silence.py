"""Whether a feed is quiet for longer than its rhythm explains.

Pure. Items are taken to come by chance at the rate that weekday and hour let expect; the chance that none at
all came since the last one is what decides. The rate is the lower end of what is known of it, so that a feed
whose items come in bursts is not called silent between two of them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp
from typing import Final

from wireroom.model import Feed, Rhythm
from wireroom.poll.profile import knows_weekdays, profile_of, zone_of
from wireroom.poll.rate_text import day_words, duration_words, rate_words

BY_CHANCE: Final = 1e-6  # one false alarm in a million gaps: 300 dailies have as many in a year
SLOW_GAPS: Final = (
    10  # usual gaps, for feeds too slow for their rate to be known well; as for "dormant"
)
SLOW_LEAST: Final = timedelta(days=14)
DAY: Final = timedelta(days=1)
SHORTEST: Final = timedelta(
    hours=6
)  # a newsroom's longest meeting; nobody minds the alarm coming then
SHORTEST_UNSURE: Final = timedelta(days=3)  # a long weekend, where weekends were not seen yet


def silence(feed: Feed, now: datetime) -> str:
    """Why the feed is to be called silent; empty when its silence is no surprise, or cannot be heard."""
    since = quiet_since(feed)
    if feed.rhythm is None or since is None:
        return ""
    if feed.failures or feed.state in {"paused", "resting", "gone"}:
        return ""  # who cannot be asked is not silent, but deaf
    quiet = now - since
    shortest = SHORTEST if knows_weekdays(feed.rhythm) else SHORTEST_UNSURE
    if quiet < shortest or not _surprises(feed, feed.rhythm, since, now):
        return ""
    rate = rate_words(feed.rhythm.per_day)
    return f"nothing new for {duration_words(quiet)} (since {day_words(since)}), usually {rate}"


def quiet_since(feed: Feed) -> datetime | None:
    """When the feed was last heard of: its newest item, or the moment at which we saw something new."""
    newest = feed.rhythm.newest_at if feed.rhythm else None
    if newest is not None and feed.rhythm is not None and feed.rhythm.dormant:
        return newest  # what a first look finds is new to us, and old
    return max((at for at in (newest, feed.standing.new_at) if at is not None), default=None)


def _surprises(feed: Feed, rhythm: Rhythm, since: datetime, now: datetime) -> bool:
    if rhythm.dormant:
        return True
    if rhythm.per_day > 0 and now - since > max(SLOW_LEAST, SLOW_GAPS * DAY / rhythm.per_day):
        return True
    profile = profile_of(rhythm, per_day=rhythm.low, zone=zone_of(feed), doubt=0.0)
    return exp(-profile.expected(since, now)) < BY_CHANCE
