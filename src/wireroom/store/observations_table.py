"""The observations that a feed's reliability is made of, in the order of saving.

An observation is known by what was observed, where and when, so that an outcome that is saved twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from sqlalchemy import Connection, bindparam, delete, select

from wireroom.model import Observation, ObservationCause, Reading
from wireroom.store import schema
from wireroom.store.feeds_table import current_addresses
from wireroom.store.packing import as_document, as_micros, from_micros
from wireroom.store.rows import Row, add_missing

KEPT_OBSERVATIONS = (
    1000  # of one feed; its number is made from the last two hundred, the rest is history
)

_OF_ARTICLE = -1  # the place of what a near-duplicate says, after what its reading said

_table = schema.observation

# Written once: putting them together takes longer than the database takes to answer.
_OF_FEED = _table.c.feed_url == bindparam("of_feed")
_NEWEST = select(_table.c.id).where(_OF_FEED).order_by(_table.c.id.desc())
_LAST_KEPT = _NEWEST.offset(KEPT_OBSERVATIONS - 1).limit(1).scalar_subquery()
_FORGET = delete(_table).where(_OF_FEED, _table.c.id < _LAST_KEPT)
_LAST = (
    select(_table.c.about, _table.c.value, _table.c.cause, _table.c.reason, _table.c.at)
    .where(_OF_FEED)
    .order_by(_table.c.id.desc())
    .limit(bindparam("most"))
)


def save_poll_observations(
    conn: Connection, observations: Mapping[str, Sequence[Observation]]
) -> None:
    """Adds what polls said of their feeds, by feed, and forgets the oldest of each beyond the limit.

    Only polls forget: each feed has one at a time, so that no two writers forget the same.
    """
    by_feed = {feed_url: own for feed_url, own in observations.items() if own}
    if not by_feed:
        return
    rows = [
        _row(feed_url, "", place, observation)
        for feed_url, own in by_feed.items()
        for place, observation in enumerate(own)
    ]
    add_missing(conn, _table, rows, keys=["key"])
    conn.execute(_FORGET, [{"of_feed": feed_url} for feed_url in by_feed])


def save_reading_observations(conn: Connection, readings: Iterable[Reading]) -> None:
    """Adds what readings said of the feeds that led to them, where these are still followed."""
    marked = [reading for reading in readings if reading.observations]
    if not marked:
        return
    urls = current_addresses(
        conn, (observation.feed_url for reading in marked for observation in reading.observations)
    )
    rows = [
        _row(urls[observation.feed_url], reading.lead.url, place, observation)
        for reading in marked
        for place, observation in enumerate(reading.observations)
        if observation.feed_url in urls
    ]
    add_missing(conn, _table, rows, keys=["key"])


def save_article_observations(conn: Connection, observations: Mapping[str, Observation]) -> None:
    """Adds what near-duplicates, by the ids of the articles, say of their feeds, where these are still followed."""
    if not observations:
        return
    urls = current_addresses(conn, (observation.feed_url for observation in observations.values()))
    rows = [
        _row(urls[observation.feed_url], article_id, _OF_ARTICLE, observation)
        for article_id, observation in observations.items()
        if observation.feed_url in urls
    ]
    add_missing(conn, _table, rows, keys=["key"])


def last_observations(conn: Connection, feed_url: str, *, limit: int) -> tuple[Observation, ...]:
    """The last observations of a feed, oldest first."""
    rows = conn.execute(_LAST, {"of_feed": feed_url, "most": min(limit, KEPT_OBSERVATIONS)}).all()
    return tuple(
        Observation(
            feed_url=feed_url,
            about=about,
            value=value,
            cause=ObservationCause(cause),
            reason=reason,
            at=from_micros(at),
        )
        for about, value, cause, reason, at in reversed(rows)
    )


def _row(feed_url: str, subject_url: str, place: int, observation: Observation) -> Row:
    at = as_micros(observation.at)
    seen = as_document((feed_url, subject_url, place, observation.about, at)).encode()
    return {
        "key": int.from_bytes(blake2b(seen, digest_size=8).digest(), "big", signed=True),
        "feed_url": feed_url,
        "about": observation.about,
        "value": observation.value,
        "cause": observation.cause.value,
        "reason": observation.reason,
        "at": at,
    }
