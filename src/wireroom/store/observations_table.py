"""The observations that a feed's reliability is made of, in the order of saving.

An observation is known by what was observed, where and when, so that an outcome that is saved twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, get_args

from sqlalchemy import Connection, Select, bindparam, delete, select, union_all

from wireroom.model import Observation, ObservationAbout, ObservationCause, Reading
from wireroom.store import schema
from wireroom.store.feeds_table import current_addresses
from wireroom.store.packing import as_document, as_micros, from_micros
from wireroom.store.rows import Row, add_missing

KEPT_OBSERVATIONS = (
    400  # about each part of a feed; its number is made from the last hundred, the rest is history
)
PARTS: tuple[ObservationAbout, ...] = get_args(ObservationAbout)

_OF_ARTICLE = -1  # the place of what a near-duplicate says, after what its reading said

_table = schema.observation

# Written once: putting them together takes longer than the database takes to answer.
_OF_FEED = _table.c.feed_url == bindparam("of_feed")
_OF_PART = _OF_FEED & (_table.c.about == bindparam("of_part"))
_NEWEST = select(_table.c.id).where(_OF_PART).order_by(_table.c.id.desc())
_LAST_KEPT = _NEWEST.offset(KEPT_OBSERVATIONS - 1).limit(1).scalar_subquery()
_FORGET = delete(_table).where(_OF_PART, _table.c.id < _LAST_KEPT)


def _last_of(part: ObservationAbout) -> Select[Any]:
    of_part = select(_table).where(_OF_FEED, _table.c.about == part).order_by(_table.c.id.desc())
    return select(of_part.limit(bindparam("most")).subquery())


# A feed is polled far more often than its pages are read: together, what polls say of it would soon be all there is.
_LAST = union_all(*map(_last_of, PARTS)).order_by("id")


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
    conn.execute(
        _FORGET, [{"of_feed": feed_url, "of_part": part} for feed_url in by_feed for part in PARTS]
    )


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
    """The last observations about each part of a feed, so many, oldest first."""
    values = {"of_feed": feed_url, "most": min(limit, KEPT_OBSERVATIONS)}
    return tuple(
        Observation(
            feed_url=feed_url,
            about=row.about,
            value=row.value,
            cause=ObservationCause(row.cause),
            reason=row.reason,
            at=from_micros(row.at),
        )
        for row in conn.execute(_LAST, values)
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
