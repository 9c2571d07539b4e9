"""Silence: only when the rhythm does not explain it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from tests.poll.cases import DAY, HOUR, NOW, OFFICE, WORKDAYS, feed, rhythm
from wireroom.model import Feed, PollHistory, Rhythm
from wireroom.poll.schedule import SHORTEST_SILENCE, SHORTEST_SILENCE_UNSURE, quiet_since, silence
from wireroom.poll.week_profile import profile_of


def quiet(known: Rhythm, **fields: object) -> Feed:
    return feed(rhythm=known, **fields)


def test_a_feed_of_twelve_a_day_may_be_quiet_for_a_morning_but_not_for_two_days() -> None:
    held = quiet(rhythm(12, newest_at=NOW))
    assert silence(held, NOW + 8 * HOUR) == ""
    message = silence(held, NOW + 2 * DAY)
    assert message == "nothing new for 2 days (since 2026-11-11 10:00 UTC), usually 12 a day"


def test_a_weekly_may_be_quiet_for_weeks() -> None:
    held = quiet(rhythm(1 / 7, low=1 / 10, newest_at=NOW))
    assert silence(held, NOW + 30 * DAY) == ""
    assert silence(held, NOW + 71 * DAY)


def test_a_weekend_is_no_silence_for_who_never_works_on_one() -> None:
    friday = datetime(2026, 11, 13, 18, tzinfo=UTC)
    held = quiet(rhythm(20, weekday=WORKDAYS, hour=OFFICE, newest_at=friday))
    assert silence(held, friday + 2 * DAY + 13 * HOUR) == "", "Monday, seven o'clock"
    assert silence(held, friday + 3 * DAY), "Monday evening"


def test_before_a_weekend_was_seen_three_days_are_waited_for() -> None:
    held = quiet(rhythm(500, span=5 * DAY, newest_at=NOW))
    assert silence(held, NOW + SHORTEST_SILENCE_UNSURE - HOUR) == ""
    assert silence(held, NOW + SHORTEST_SILENCE_UNSURE + HOUR)


def test_the_busiest_is_not_called_silent_within_hours() -> None:
    held = quiet(rhythm(5000, newest_at=NOW))
    assert silence(held, NOW + SHORTEST_SILENCE - timedelta(minutes=1)) == ""
    assert silence(held, NOW + SHORTEST_SILENCE)


def test_who_cannot_be_asked_is_not_silent() -> None:
    for fields in ({"failures": 1}, {"state": "resting"}, {"state": "gone"}, {"state": "paused"}):
        assert silence(quiet(rhythm(12, newest_at=NOW), **fields), NOW + 30 * DAY) == ""


def test_without_a_rhythm_nothing_is_a_surprise() -> None:
    assert silence(feed(standing=PollHistory(new_at=NOW)), NOW + 100 * DAY) == ""


def test_who_was_dormant_when_found_is_silent() -> None:
    held = quiet(
        rhythm(0.4, low=0.0, newest_at=NOW - 60 * DAY, dormant=True),
        standing=PollHistory(new_at=NOW),
    )
    assert quiet_since(held) == NOW - 60 * DAY
    assert silence(held, NOW).startswith("nothing new for 60 days")


def test_something_new_without_a_date_ends_the_silence() -> None:
    held = quiet(rhythm(12, newest_at=NOW - 9 * DAY), standing=PollHistory(new_at=NOW))
    assert silence(held, NOW + HOUR) == ""


def test_chance_alone_hardly_ever_raises_the_alarm() -> None:
    """Two thousand gaps of a feed that publishes by chance, at its true rate: none is called silent."""
    chance = Random(7)
    held = quiet(rhythm(6, low=5, newest_at=NOW))
    gaps = [timedelta(days=chance.expovariate(6)) for _ in range(2000)]
    assert sum(bool(silence(held, NOW + gap)) for gap in gaps) == 0


def test_a_whole_week_holds_what_the_rhythm_says() -> None:
    known = rhythm(10, weekday=WORKDAYS, hour=OFFICE)
    profile = profile_of(known, per_day=10, zone=UTC, doubt=0.0)
    assert round(profile.expected(NOW, NOW + 7 * DAY), 6) == 70
    assert round(profile.expected(NOW, NOW + 9 * DAY), 6) == round(
        70 + profile.expected(NOW, NOW + 2 * DAY), 6
    )
    assert profile.expected(NOW.replace(hour=19), NOW.replace(hour=23)) == 0
    assert profile.expected(NOW, NOW) == 0
