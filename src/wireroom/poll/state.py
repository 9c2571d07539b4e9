"""What becomes of a feed after it was asked: its next state, decided from the last one and the answer.

Pure: a feed, an answer, how the answer's items stand to those held, the observations so far, `now` and a number drawn
by the caller go in; the feed as it should be saved, the answer as it should be saved and what is to be told come out.
A failure that was ours moves the next attempt and nothing else. Nothing is ever deleted here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from wireroom.model import (
    Event,
    Feed,
    FeedState,
    Item,
    Observation,
    ObservationCause,
    Polled,
    PollHistory,
    Problem,
    Validators,
)
from wireroom.poll.learning import learn_rhythm
from wireroom.poll.reliability import PASSING, completeness, is_ours, reliability
from wireroom.poll.schedule import (
    PollTime,
    after_failure,
    next_poll,
    put_off,
    recheck,
    silence,
    stand_by,
)
from wireroom.ports import Compared

RESTING_AFTER: Final = 8  # failures in a row: about four hours of attempts that grow rarer
RESTING_AFTER_REFUSALS: Final = (
    3  # that a server means: a login, a block; asking more often is rude
)
GONE_AFTER: Final = 4  # times 404 in a row; systems that are being moved answer so for minutes
MOVED_AFTER: Final = 3  # equal permanent redirects in a row; one may be a slip
RENAMED_SHARE: Final = 0.5  # of a document's items under new ids: it changed them all
RENAMED_FEWEST: Final = 3

RENAMED: Final = "its items came back under new ids"
CHANGING: Final = "most of its items change with every poll"
TOO_MANY: Final = "more new items at once than it can have written"


@dataclass(frozen=True, slots=True, kw_only=True)
class PollDecision:
    """How a poll ends."""

    feed: Feed
    """As it should be saved; its address may have changed."""
    polled: Polled
    """As it should be saved: without what is no news, with all observations; `feed_url` is the address asked."""
    events: tuple[Event, ...] = ()


def next_state(
    feed: Feed,
    polled: Polled,
    compared: Compared,
    *,
    now: datetime,
    jitter: float,
    observations: Sequence[Observation] = (),
) -> PollDecision:
    """The feed after this answer; `observations` are those it has had so far, oldest first."""
    if polled.result == "spared":
        after = _due(feed, stand_by(polled.spared_by, now=now, jitter=jitter))
        return PollDecision(feed=after, polled=polled)
    if polled.result not in {"failed", "gone"}:
        return _answered(feed, polled, compared, now=now, jitter=jitter, observations=observations)
    if polled.problem is not None and is_ours(polled.problem):
        return _put_off(feed, polled, polled.problem, now=now, jitter=jitter)
    return _failed(feed, polled, now=now, jitter=jitter, observations=observations)


# --- it was us -------------------------------------------------------------------------------------


def _put_off(
    feed: Feed, polled: Polled, problem: Problem, *, now: datetime, jitter: float
) -> PollDecision:
    poll_time = put_off(problem, now=now, jitter=jitter)
    barred = feed.standing.barred or problem.kind not in PASSING
    standing = replace(feed.standing, because=poll_time.because, barred=barred)
    after = replace(feed, poll_after=poll_time.at, standing=standing)
    return PollDecision(feed=after, polled=replace(polled, observations=()))


# --- it answered -----------------------------------------------------------------------------------


def _answered(
    feed: Feed,
    polled: Polled,
    compared: Compared,
    *,
    now: datetime,
    jitter: float,
    observations: Sequence[Observation],
) -> PollDecision:
    sifted = sift(feed, polled.items, compared)
    after = _learnt(feed, polled, sifted, now)
    quiet = silence(after, now)
    if quiet and after.state == "live":
        after = replace(after, state="silent", standing=replace(after.standing, reason=quiet))
    own = (*polled.observations, *_observations(feed, after, sifted, observations, now))
    own = tuple(replace(observation, feed_url=after.url) for observation in own)
    poll_time = next_poll(
        after,
        hints=after.standing.hints,
        server_hints=polled.server_hints,
        rhythm=after.rhythm,
        now=now,
        jitter=jitter,
    )
    after = replace(_due(after, poll_time), reliability=reliability((*observations, *own)))
    saved = replace(
        polled, items=_belonging(sifted.items, after.url), reopen=sifted.reopen, observations=own
    )
    events = (*_news_of_state(feed, after, now), *_news_of_place(feed, after, now))
    return PollDecision(feed=after, polled=saved, events=events)


def _learnt(feed: Feed, polled: Polled, sifted: Sifted, now: datetime) -> Feed:
    """The feed with all that the answer teaches; live, unless the operator has paused it."""
    moved_url, moved_times = _moves(feed, polled)
    decision = moved_times >= MOVED_AFTER
    is_read = polled.result == "items"
    standing = PollHistory(
        polled_at=now,
        new_at=now if sifted.fresh else feed.standing.new_at,
        hints=polled.hints if is_read else feed.standing.hints,
        moved_url="" if decision else moved_url,
        moved_times=0 if decision else moved_times,
        changing=sifted.changing if is_read else feed.standing.changing,
        mirror="" if decision else polled.mirror,
    )
    return replace(
        feed,
        url=moved_url if decision else feed.url,
        kind=polled.kind or feed.kind,
        title=polled.title or feed.title,
        validators=_validators(feed, polled, sifted, decision=decision),
        rhythm=learn_rhythm(feed, polled.items, sifted.fresh, now=now) if is_read else feed.rhythm,
        failures=0,
        state="paused" if feed.state == "paused" else "live",
        standing=standing,
    )


def _moves(feed: Feed, polled: Polled) -> tuple[str, int]:
    """Where the feed has moved, and how many equal answers in a row have said so."""
    held = feed.standing
    if polled.mirror:
        return held.moved_url, held.moved_times  # the feed itself has said nothing
    if not polled.moved_url or polled.moved_url == feed.url:
        return "", 0
    return polled.moved_url, held.moved_times + 1 if polled.moved_url == held.moved_url else 1


def _validators(feed: Feed, polled: Polled, sifted: Sifted, *, decision: bool) -> Validators:
    """What to send along with the next request."""
    if sifted.held_back:
        return Validators()  # "not modified" would hide what was held back
    if polled.moved_url and not decision:
        return Validators()  # they belong to the new address, and the old one is asked once more
    if polled.result == "items":
        return polled.validators
    return Validators(
        etag=polled.validators.etag or feed.validators.etag,
        last_modified=polled.validators.last_modified or feed.validators.last_modified,
    )


def _due(feed: Feed, poll_time: PollTime) -> Feed:
    return replace(
        feed, poll_after=poll_time.at, standing=replace(feed.standing, because=poll_time.because)
    )


def _belonging(items: tuple[Item, ...], url: str) -> tuple[Item, ...]:
    return tuple(item if item.feed_url == url else replace(item, feed_url=url) for item in items)


def _observations(
    feed: Feed, after: Feed, sifted: Sifted, observations: Sequence[Observation], now: datetime
) -> Iterator[Observation]:
    """What the answer says of the feed beyond having come: of its items, and of its silence."""
    if sifted.fresh:
        value = completeness(sifted.fresh)
        reason = "" if value == 1 else "items without title, address or date"
        yield Observation(feed_url=feed.url, about="quality", value=value, reason=reason, at=now)
    steady = _stability(feed, after, sifted, now)
    if after.state == "silent" and feed.state != "silent":
        reason = after.standing.reason
        steady = replace(steady, value=0.0, cause=ObservationCause.NONE, reason=reason)
    elif not sifted.items and not sifted.renamed:
        return  # nothing was said
    elif _is_renamed(steady) and _is_renamed(_last_stability(observations)):
        return  # the same items, until they have left the document: told once
    yield steady


def _stability(feed: Feed, after: Feed, sifted: Sifted, now: datetime) -> Observation:
    steady = Observation(feed_url=feed.url, about="stability", value=1.0, at=now)
    if after.standing.changing >= CHANGING_POLLS:
        return replace(steady, value=0.0, reason=CHANGING)
    if sifted.held_back:
        return replace(steady, value=0.0, reason=TOO_MANY)
    seen = len(sifted.items) + sifted.held_back + sifted.renamed
    if sifted.renamed >= max(RENAMED_FEWEST, RENAMED_SHARE * seen):
        return replace(steady, value=0.0, cause=ObservationCause.RENAMED, reason=RENAMED)
    return steady


def _last_stability(observations: Sequence[Observation]) -> Observation | None:
    of_stability = (seen for seen in reversed(observations) if seen.about == "stability")
    return next(of_stability, None)


def _is_renamed(observation: Observation | None) -> bool:
    return observation is not None and observation.cause is ObservationCause.RENAMED


# --- it failed -------------------------------------------------------------------------------------


def _failed(
    feed: Feed, polled: Polled, *, now: datetime, jitter: float, observations: Sequence[Observation]
) -> PollDecision:
    problem = polled.problem or Problem(kind="bad_response", message="no answer", at=now)
    failures = feed.failures + 1
    resting_after = RESTING_AFTER_REFUSALS if problem.permanent else RESTING_AFTER
    state = _state_after(feed, problem, polled, failures, resting_after, observations)
    if state == "gone":
        poll_time = recheck(now=now, jitter=jitter)
    else:
        poll_time = after_failure(
            problem, failures=failures, resting_after=resting_after, now=now, jitter=jitter
        )
    own = polled.observations
    if state == "resting" and feed.state != "resting":
        message = f"failed {failures} times in a row"
        own = (
            *own,
            Observation(feed_url=feed.url, about="stability", value=0.0, reason=message, at=now),
        )
    reason = _reason(feed, state, failures, problem)
    standing = replace(feed.standing, polled_at=now, reason=reason, barred=False)
    after = replace(feed, failures=failures, state=state, standing=standing)
    after = replace(_due(after, poll_time), reliability=reliability((*observations, *own)))
    events = (_failure(feed, after, problem, now), *_news_of_state(feed, after, now))
    return PollDecision(
        feed=after, polled=replace(polled, items=(), observations=own), events=events
    )


def _state_after(
    feed: Feed,
    problem: Problem,
    polled: Polled,
    failures: int,
    resting_after: int,
    observations: Sequence[Observation],
) -> FeedState:
    if feed.state in {"paused", "gone"}:
        return feed.state  # who was gone stays so until there is a good answer
    if polled.result == "gone":
        missing = _times_missing((*observations, *polled.observations))
        if problem.permanent or missing >= GONE_AFTER:
            return "gone"
    return "resting" if failures >= resting_after else feed.state


def _times_missing(observations: Sequence[Observation]) -> int:
    """How often in a row the last polls found nothing there (404)."""
    count = 0
    for observation in reversed(observations):
        if observation.about != "availability":
            continue
        if observation.cause is not ObservationCause.NOT_FOUND:
            break
        count += 1
    return count


def _reason(feed: Feed, state: FeedState, failures: int, problem: Problem) -> str:
    if state == feed.state and state in {"gone", "silent", "paused"}:
        return feed.standing.reason  # it is so for the same reason as before
    if state == "gone":
        return f"gone: {problem.message}"
    times = f"{failures} failures in a row" if failures > 1 else "failed"
    return f"{times}: {problem.message}"


# --- what is told ----------------------------------------------------------------------------------

_EVENT_KINDS: Final[dict[FeedState, str]] = {
    "resting": "feed_resting",
    "silent": "feed_silent",
    "gone": "feed_gone",
    "live": "feed_back",
}


def _news_of_state(feed: Feed, after: Feed, now: datetime) -> Iterator[Event]:
    if after.state != feed.state and after.state in _EVENT_KINDS:
        data: dict[str, Any] = {"was": feed.state, "reason": after.standing.reason}
        yield Event(kind=_EVENT_KINDS[after.state], subject=after.url, at=now, data=data)


def _news_of_place(feed: Feed, after: Feed, now: datetime) -> Iterator[Event]:
    if after.url != feed.url:
        yield Event(kind="feed_moved", subject=after.url, at=now, data={"from": feed.url})


def _failure(feed: Feed, after: Feed, problem: Problem, now: datetime) -> Event:
    data: dict[str, Any] = {
        "kind": problem.kind,
        "reason": problem.message,
        "failures": after.failures,
        "reliability": [round(feed.reliability, 3), round(after.reliability, 3)],
    }
    return Event(kind="feed_failed", subject=feed.url, at=now, data=data)


# What of a document is news, when a feed says more than it has to tell. Pure.
#
# Three ways to flood: items under new ids that are held under old ones; items that all "changed" because
# something in them is stamped anew; and more new items at once than anybody can have written. Nothing
# that is held is ever taken away here; what is left out today comes with the next poll if it is meant.

MOST: Final = 0.5  # of the known items changed: an editor corrects some, a system stamps all
FEWEST: Final = 3  # items that are spoken of; of two, one is the half
CHANGING_POLLS: Final = 2  # in a row; once may be a change of layout
MANY_AT_ONCE: Final = 100  # new items of a feed that had some: an hour of the largest agencies
BACKLOG_PER_DAY: Final = 1_000.0  # dated items of a day that a publisher can have written
BACKLOG_TIMES: Final = 5.0  # the usual rate, for those that write more
DATED: Final = 0.5  # of the new items must have dates, or the dates explain nothing


class Sifted(NamedTuple):
    """What is to be saved, and what was noticed."""

    items: tuple[Item, ...]
    fresh: tuple[Item, ...]
    """Those among them that are new."""
    reopen: bool
    changing: int
    """Polls in a row in which most known items had changed."""
    renamed: int
    held_back: int
    """New items that were too many at once."""


def sift(feed: Feed, items: Sequence[Item], compared: Compared) -> Sifted:
    """The items that are worth saving; `compared` speaks of them by their places."""
    new = [place for place in sorted(compared.new - compared.renamed) if place < len(items)]
    changing = _changing(feed, compared)
    taken = _taken(feed, [items[place] for place in new])
    left_out = compared.renamed | set(new[taken:])
    return Sifted(
        items=tuple(item for place, item in enumerate(items) if place not in left_out),
        fresh=tuple(items[place] for place in new[:taken]),
        reopen=changing < CHANGING_POLLS,
        changing=changing,
        renamed=len(compared.renamed),
        held_back=len(new) - taken,
    )


def _changing(feed: Feed, compared: Compared) -> int:
    """How many polls in a row most of what is known had changed."""
    known = len(compared.known) + len(compared.changed)
    if known < FEWEST:
        return feed.standing.changing if known == 0 else 0
    return feed.standing.changing + 1 if len(compared.changed) > MOST * known else 0


def _taken(feed: Feed, fresh: Sequence[Item]) -> int:
    """How many of the new items are taken now, the first of the document before the others."""
    had_items = feed.standing.new_at is not None
    if not had_items or len(fresh) <= MANY_AT_ONCE or _is_backlog(feed, fresh):
        return len(fresh)
    return MANY_AT_ONCE


def _is_backlog(feed: Feed, fresh: Sequence[Item]) -> bool:
    """Whether the dates say that all this was written in its time, and only we come late."""
    dates: list[datetime] = [
        at for item in fresh if (at := item.published_at or item.updated_at) is not None
    ]
    if len(dates) < DATED * len(fresh):
        return False
    days = (max(dates) - min(dates)) / timedelta(days=1)
    usual = feed.rhythm.high if feed.rhythm else 0.0
    return days > 0 and len(dates) / days <= max(BACKLOG_PER_DAY, BACKLOG_TIMES * usual)
