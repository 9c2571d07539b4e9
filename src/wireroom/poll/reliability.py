"""How far a feed is to be relied on, from 0 to 1: a fold over its observations.

Pure. The same observations in the same order give the same number, on any machine and at any time: nothing but
the observations goes in. The formula with a worked example stands in docs/reliability.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from wireroom.errors import FetchError, GoneError, ParseError
from wireroom.model import (
    Article,
    Feed,
    Item,
    Lead,
    LeadCause,
    Observation,
    ObservationAbout,
    ObservationCause,
    Polled,
    Problem,
    ProblemKind,
)

OBSERVATIONS_COUNTED: Final = (
    100  # the last ones about each part; some days of a daily, an hour of the largest agencies
)
WEIGHTS: Final[dict[ObservationAbout, float]] = {
    "availability": 0.4,  # what cannot be had is worth nothing
    "quality": 0.4,  # and neither is what cannot be read
    "stability": 0.2,  # a nuisance for us, and mostly none for the reader
}
START: Final = 1.0  # nobody is distrusted before he has done anything
FALL: Final = 0.2  # of the way to a worse value: three failures halve a part
RISE: Final = (
    0.05  # of the way to a better one: trust comes back slowly (fourteen for half the way)
)

QUICK: Final = timedelta(seconds=2)  # an answer within it is as good as any
SLOW: Final = timedelta(seconds=20)  # from here on no slower answer is worse
SLOW_VALUE: Final = 0.7  # of a slow answer: late is not never
MIRROR_VALUE: Final = 0.7  # of an answer that only a mirror gave
BODY_SHARE: Final = 0.7  # of an article's value is its text, the rest its metadata
NEAR_DUPLICATE_VALUE: Final = (
    0.7  # of an article that another publisher had before: worth reading, if that one is down
)

NOT_FOUND: Final = "not found (404)"  # said to people
MAX_REASON: Final = 200  # characters


class Breakdown(NamedTuple):
    """The parts of a feed's reliability, and the whole."""

    availability: float
    quality: float
    stability: float
    total: float


def reliability(observations: Sequence[Observation]) -> float:
    """The reliability that follows from these observations, oldest first."""
    return breakdown(observations).total


def current_reliability(feed: Feed, observations: Sequence[Observation]) -> float:
    """That of a feed by all its observations; the number it holds is of its last poll, before pages were read."""
    return reliability(observations) if observations else feed.reliability


def breakdown(observations: Sequence[Observation]) -> Breakdown:
    """The same, part by part."""
    values: dict[ObservationAbout, list[float]] = {about: [] for about in WEIGHTS}
    for observation in observations:
        values[observation.about].append(observation.value)
    return breakdown_of(values)


def breakdown_of(values: Mapping[ObservationAbout, Sequence[float]]) -> Breakdown:
    """The same from what was observed about each part, oldest first."""
    parts = dict.fromkeys(WEIGHTS, START)
    for about in parts:
        for value in values.get(about, ())[-OBSERVATIONS_COUNTED:]:
            parts[about] = _moved(parts[about], value)
    total = sum(WEIGHTS[about] * value for about, value in parts.items())
    return Breakdown(**parts, total=min(max(total, 0.0), 1.0))


def _moved(held: float, value: float) -> float:
    value = min(max(value, 0.0), 1.0)
    return held + (FALL if value < held else RISE) * (value - held)


# --- what an answer is worth -----------------------------------------------------------------------


def poll_observations(
    feed: Feed, polled: Polled, now: datetime, *, elapsed: timedelta = timedelta()
) -> tuple[Observation, ...]:
    """What one answer says of the feed; nothing when the fault was ours."""
    if is_ours(polled.problem):
        return ()
    feed_at = _FeedAt(feed.url, now)
    return tuple(_poll_parts(feed_at, polled, elapsed))


def _poll_parts(feed_at: _FeedAt, polled: Polled, elapsed: timedelta) -> Iterator[Observation]:
    problem = polled.problem
    if problem is None or problem.kind in UNREADABLE:
        value, why = _service(elapsed, polled.mirror)
        yield feed_at.observation("availability", value, why)
        if problem is not None:
            yield feed_at.observation("quality", 0.0, problem.message)
        return
    is_missing = polled.result == "gone" and not problem.permanent
    reason, cause = _describe(problem), ObservationCause.NONE
    if is_missing:
        reason, cause = NOT_FOUND, ObservationCause.NOT_FOUND
    yield feed_at.observation("availability", 0.0, reason, cause)
    if polled.result == "gone":
        yield feed_at.observation("stability", 0.0, reason if is_missing else "gone", cause)


def _service(elapsed: timedelta, mirror: str) -> tuple[float, str]:
    """How well we were served, and what was wrong with it."""
    late = min(max((elapsed - QUICK) / (SLOW - QUICK), 0.0), 1.0)
    value = 1.0 - late * (1.0 - SLOW_VALUE)
    why = f"answered after {elapsed.total_seconds():.1f} s" if late else ""
    if mirror:
        return value * MIRROR_VALUE, "; ".join(filter(None, ("only a mirror answered", why)))
    return value, why


def _describe(problem: Problem) -> str:
    return f"{problem.kind}: {problem.message}"


def reading_observations(
    lead: Lead, now: datetime, *, article: Article | None = None, problem: Problem | None = None
) -> tuple[Observation, ...]:
    """What reading one lead says of the feed that led to it: the article's quality, or why none came.

    The first try that fails counts at once: a feed whose pages all wait for another try gives nothing today.
    A page that could not be fetched counts once more when it is given up, for nothing came of it.
    """
    if lead.item is None or not lead.item.feed_url:
        return ()
    feed_at = _FeedAt(lead.item.feed_url, now)
    if article is not None:
        value = BODY_SHARE * article.quality + (1 - BODY_SHARE) * _metadata_share(article)
        return (feed_at.observation("quality", value),)
    if problem is None or is_ours(problem) or lead.cause is LeadCause.WITHDRAWN:
        return ()  # to withdraw an article is a publisher's right; to link into the void is not
    return tuple(
        feed_at.observation(about, 0.0, _describe(problem)) for about in _lowered(lead, problem)
    )


def _lowered(lead: Lead, problem: Problem) -> Iterator[ObservationAbout]:
    """The parts that a failed try lowers: each of them once a page, however often that is tried."""
    had = problem.kind in {*UNREADABLE, "gone"} or lead.cause is LeadCause.BAD_ADDRESS
    is_first, is_last = lead.attempts <= 1, lead.state == "failed"
    if is_first and not had:
        yield "availability"
    if is_first if had else is_last:
        yield "quality"


def near_duplicate_observations(cluster: Iterable[Article]) -> dict[str, Observation]:
    """What the articles of a cluster say of their feeds, by id: those that another publisher had before."""
    members = sorted(
        cluster, key=lambda article: (article.published_at or article.fetched_at, article.id)
    )
    return {
        member.id: _FeedAt(member.feed_url, member.fetched_at).observation(
            "quality", NEAR_DUPLICATE_VALUE, f"a near-duplicate of {members[0].url}"
        )
        for member in members
        if member.feed_url and member.publisher != members[0].publisher
    }


def completeness(items: Sequence[Item]) -> float:
    """How much of what an item should say these say: title, address, date; 1 for no items."""
    if not items:
        return 1.0
    given = sum(
        bool(item.title) + bool(item.url) + bool(item.published_at or item.updated_at)
        for item in items
    )
    return given / (3 * len(items))


def _metadata_share(article: Article) -> float:
    fields = (
        article.title,
        article.authors,
        article.published_at,
        article.language,
        article.image_url,
    )
    return sum(map(bool, fields)) / len(fields)


class _FeedAt(NamedTuple):
    feed_url: str
    at: datetime

    def observation(
        self,
        about: ObservationAbout,
        value: float,
        reason: str = "",
        cause: ObservationCause = ObservationCause.NONE,
    ) -> Observation:
        return Observation(
            feed_url=self.feed_url,
            about=about,
            value=round(min(max(value, 0.0), 1.0), 4),
            cause=cause,
            reason=reason[:MAX_REASON],
            at=self.at,
        )


# Whose fault it is. Pure: one vocabulary, three answers.
#
# A feed is judged by what it did, never by what happened on our side: our network, our disk, a rule that
# forbids us to ask. Such a failure moves the next attempt and nothing else.

FORBIDDEN: Final[frozenset[ProblemKind]] = frozenset({"robots", "rights", "private_address"})
"""We may not ask: the other side has done nothing wrong, and neither has the line."""

OURS: Final[frozenset[ProblemKind]] = FORBIDDEN | {"our_network", "store", "internal"}
"""What lowers nobody's standing."""

PASSING: Final[frozenset[ProblemKind]] = frozenset({"our_network", "store"})
"""What is ours, and over when our side is well again."""

UNREADABLE: Final[frozenset[ProblemKind]] = frozenset(
    {"unknown_format", "no_article", "too_complex"}
)
"""There was an answer, and nothing could be made of it."""

NOT_FOUND_STATUS: Final = 404  # comes and goes with a misconfigured server; 410 and 451 are meant
MAX_MESSAGE: Final = 500  # characters of a server's or a parser's words that are kept


def is_ours(problem: Problem | None) -> bool:
    """Whether the other side is not to blame."""
    return problem is not None and problem.kind in OURS


def problem_of(error: FetchError, *, now: datetime, our_side: bool = False) -> Problem:
    """The error as a problem; with `our_side` nobody else could be reached either."""
    permanent = error.permanent and not our_side
    if isinstance(error, GoneError) and error.status == NOT_FOUND_STATUS:
        permanent = False
    return Problem(
        kind="our_network" if our_side else error.kind,
        message=error.reason[:MAX_MESSAGE],
        subject_url=error.url,
        at=now,
        retry_after=error.retry_after,
        permanent=permanent,
    )


def parse_problem(error: ParseError, *, url: str, now: datetime) -> Problem:
    """Bytes that are no feed, as a problem; another answer may well be one."""
    message = error.message[:MAX_MESSAGE]
    return Problem(kind="unknown_format", message=message, subject_url=url, at=now)
