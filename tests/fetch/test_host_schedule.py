"""The host schedule: manners hold whatever is put in whatever order, and nobody starves."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.fetch.fetch_options import MAX_CRAWL_DELAY, MAX_RETRY_AFTER, MIN_RETRY_AFTER, Manners
from wireroom.fetch.host_schedule import HostSchedule, Permit
from wireroom.model import Purpose

HOST = "courier.test"


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def make_schedule(**manners: object) -> HostSchedule[str]:
    return HostSchedule(Manners(**manners), chance=lambda: 0.5)  # type: ignore[arg-type]  # named fields


def ask(
    schedule: HostSchedule[str],
    *items: str,
    host: str = HOST,
    purpose: Purpose = "read",
    now: float = 0,
) -> None:
    for item in items:
        assert schedule.put(item, host=host, purpose=purpose, now=now) is None


def must(schedule: HostSchedule[str], now: float) -> Permit[str]:
    permit = schedule.take(now)
    assert permit is not None, f"nothing to take at {now}; wait {schedule.wait(now)}"
    return permit


def test_one_in_flight_and_a_gap_after_each_answer() -> None:
    schedule = make_schedule()
    ask(schedule, "a", "b", "c")
    first = must(schedule, 0.0)
    assert schedule.take(5.0) is None, "the first is still in flight"
    schedule.done(first, now=5.0)
    assert schedule.take(5.9) is None
    assert schedule.wait(5.9) == pytest.approx(0.1)
    second = must(schedule, 6.0)
    assert second.item == "b"
    assert second.waited == seconds(6)
    assert "1 s between requests" in second.reason


def test_how_long_a_host_is_to_be_left_alone_can_be_asked() -> None:
    schedule = make_schedule(patience=1)
    assert schedule.rest_of(HOST, now=0.0) == timedelta()
    ask(schedule, "a", "b", "c", "d")
    schedule.done(must(schedule, 0.0), now=5.0)
    assert schedule.rest_of(HOST, now=5.25) == seconds(0.75)
    assert schedule.rest_of(HOST, now=7.0) == timedelta()
    schedule.slow_down(HOST, seconds(10), now=7.0)
    assert schedule.rest_of(HOST, now=7.0) == seconds(8)
    schedule.done(must(schedule, 15.0), now=15.0, ending="throttled", retry_after=seconds(90))
    assert schedule.rest_of(HOST, now=15.0) == seconds(90)


def test_a_failed_connection_does_not_count_as_the_host_asking_to_wait() -> None:
    """It may be our own network: then nobody is to wait for longer than that is down."""
    schedule = make_schedule(patience=1)
    ask(schedule, "a")
    schedule.done(must(schedule, 0.0), now=0.0, ending="unreachable")
    assert schedule.rest_of(HOST, now=0.0) == seconds(1)


def test_other_hosts_do_not_wait() -> None:
    schedule = make_schedule()
    ask(schedule, "a1", "a2")
    ask(schedule, "b1", host="lantern.test")
    assert {must(schedule, 0.0).item, must(schedule, 0.0).item} == {"a1", "b1"}


def test_a_host_just_served_stands_behind_all_others() -> None:
    schedule = make_schedule(gap=timedelta())
    for host in "abcde":
        ask(schedule, *(f"{host}{n}" for n in range(3)), host=host)
    served: list[str] = []
    for tick in range(15):
        permit = must(schedule, tick / 10)
        served.append(permit.host)
        schedule.done(permit, now=tick / 10)
    for start in range(0, 15, 5):
        assert Counter(served[start : start + 5]) == Counter("abcde"), "each once a round"


def test_crawl_delay_is_honoured_and_clamped() -> None:
    schedule = make_schedule()
    assert schedule.pace(HOST) == ""
    schedule.slow_down(HOST, seconds(10), now=0.0)
    assert schedule.pace(HOST) == "Crawl-delay of 10 s in its robots.txt"
    ask(schedule, "a", "b")
    schedule.done(must(schedule, 0.0), now=0.0)
    assert schedule.take(9.9) is None
    assert "Crawl-delay of 10 s" in must(schedule, 10.0).reason
    schedule.slow_down("slow.test", timedelta(days=1), now=0.0)
    ask(schedule, "c", "d", host="slow.test")
    schedule.done(must(schedule, 20.0), now=20.0)
    assert schedule.take(20.0 + MAX_CRAWL_DELAY.total_seconds()) is not None


def test_crawl_delay_counts_from_the_answer_that_named_it() -> None:
    schedule = make_schedule(gap=timedelta())
    ask(schedule, "robots", "a")
    schedule.done(must(schedule, 0.0), now=0.5)
    schedule.slow_down(HOST, seconds(2), now=0.6)
    assert schedule.take(2.4) is None
    assert must(schedule, 2.5).item == "a"


def test_a_scout_asked_to_slow_down_waits_for_the_delay_and_not_for_a_scouts_rest() -> None:
    schedule = make_schedule(rest_after_burst=seconds(10))
    ask(schedule, "robots", purpose="scout")
    schedule.done(must(schedule, 0.0), now=0.1)
    schedule.slow_down(HOST, seconds(2), now=0.1)
    ask(schedule, "home", purpose="scout", now=0.1)
    assert schedule.take(2.0) is None
    assert must(schedule, 2.1).item == "home"


def test_crawl_delay_never_shortens_our_own_gap() -> None:
    schedule = make_schedule()
    schedule.slow_down(HOST, seconds(0.1), now=0.0)
    ask(schedule, "a", "b")
    schedule.done(must(schedule, 0.0), now=0.0)
    assert schedule.take(0.9) is None


def test_a_short_retry_after_makes_the_others_wait() -> None:
    schedule = make_schedule()
    ask(schedule, "a", "b")
    assert (
        schedule.done(must(schedule, 0.0), now=0.0, ending="throttled", retry_after=seconds(20))
        == []
    )
    assert schedule.take(19.9) is None
    permit = must(schedule, 20.0)
    assert "Retry-After" in permit.reason


def test_a_long_retry_after_sends_the_others_home_with_the_time() -> None:
    schedule = make_schedule()
    ask(schedule, "a", "b", "c")
    shed = schedule.done(
        must(schedule, 0.0), now=0.0, ending="throttled", retry_after=timedelta(hours=2)
    )
    assert [item for item, _ in shed] == ["b", "c"]
    assert all(rest.wait == timedelta(hours=2) for _, rest in shed)
    assert schedule.waiting == 0
    rest = schedule.put("d", host=HOST, purpose="read", now=3600.0)
    assert rest is not None
    assert rest.wait == timedelta(hours=1)
    assert schedule.put("e", host=HOST, purpose="read", now=7200.0) is None


def test_retry_after_is_clamped_on_both_sides() -> None:
    schedule = make_schedule()
    ask(schedule, "a")
    schedule.done(must(schedule, 0.0), now=0.0, ending="throttled", retry_after=timedelta(days=400))
    rest = schedule.put("b", host=HOST, purpose="read", now=0.0)
    assert rest is not None
    assert rest.wait == MAX_RETRY_AFTER
    ask(schedule, "c", "d", host="quick.test")
    permit = must(schedule, 0.0)
    schedule.done(permit, now=0.0, ending="throttled", retry_after=timedelta(0))
    assert schedule.take(MIN_RETRY_AFTER.total_seconds() - 0.01) is None


def test_throttling_without_a_time_backs_off_further_each_time() -> None:
    schedule = make_schedule(longest_wait=timedelta(hours=1))
    now = 0.0
    waits = []
    for n in range(4):
        ask(schedule, f"i{n}", now=now)
        wait = schedule.wait(now)
        assert wait is not None
        now += wait
        waits.append(wait)
        schedule.done(must(schedule, now), now=now, ending="throttled")
    assert waits[1] < waits[2] < waits[3]


def test_a_dead_host_sheds_what_waits_after_three_failures() -> None:
    schedule = make_schedule(gap=timedelta())
    ask(schedule, *"abcdef")
    for _ in range(2):
        assert schedule.done(must(schedule, 0.0), now=0.0, ending="unreachable") == []
    shed = schedule.done(must(schedule, 0.0), now=0.0, ending="unreachable")
    assert [item for item, _ in shed] == ["d", "e", "f"]
    assert "failed connections" in shed[0][1].reason


def test_an_answer_ends_the_counting_of_failures() -> None:
    schedule = make_schedule(gap=timedelta())
    ask(schedule, *"abcde")
    for ending in ("unreachable", "unreachable", "answered", "unreachable", "unreachable"):
        assert schedule.done(must(schedule, 0.0), now=0.0, ending=ending) == []


def test_a_scout_is_a_burst_of_four_then_the_host_rests() -> None:
    schedule = make_schedule(burst=6, rest_after_burst=seconds(10))
    ask(schedule, *(f"s{n}" for n in range(6)), purpose="scout")
    ask(schedule, "read")
    first = [must(schedule, 0.0) for _ in range(4)]
    assert schedule.take(0.0) is None, "four in flight"
    for permit in first:
        schedule.done(permit, now=0.1)
    for permit in [must(schedule, 0.1), must(schedule, 0.1)]:
        schedule.done(permit, now=0.2)
    assert schedule.take(10.1) is None
    assert "scout" in must(schedule, 10.2).reason


def test_beyond_the_burst_a_scout_goes_in_single_steps() -> None:
    schedule = make_schedule(burst=2, rest_after_burst=seconds(5))
    ask(schedule, *(f"s{n}" for n in range(4)), purpose="scout")
    for permit in [must(schedule, 0.0), must(schedule, 0.0)]:
        schedule.done(permit, now=0.0)
    third = must(schedule, 5.0)
    assert third.item == "s2"
    assert schedule.take(60.0) is None, "one at a time now"
    schedule.done(third, now=5.0)
    assert must(schedule, 6.0).item == "s3"


def test_a_new_burst_is_allowed_after_an_hour() -> None:
    schedule = make_schedule(burst=1)
    ask(schedule, "s0", purpose="scout")
    schedule.done(must(schedule, 0.0), now=0.0)
    ask(schedule, "s1", purpose="scout", now=3600.0)
    assert must(schedule, 3600.0).burst


@pytest.mark.parametrize("how", ["crawl-delay", "throttled"])
def test_a_delay_turns_the_burst_into_single_steps(how: str) -> None:
    schedule = make_schedule()
    ask(schedule, *(f"s{n}" for n in range(5)), purpose="scout")
    first = must(schedule, 0.0)
    if how == "crawl-delay":
        schedule.slow_down(HOST, seconds(2), now=0.0)
        schedule.done(first, now=0.0)
    else:
        schedule.done(first, now=0.0, ending="throttled", retry_after=seconds(2))
    second = must(schedule, 30.0)
    assert second.item == "s1"
    assert schedule.take(30.0) is None


def test_a_scout_and_a_read_are_never_in_flight_together() -> None:
    schedule = make_schedule()
    ask(schedule, "read")
    reading = must(schedule, 0.0)
    ask(schedule, "s1", purpose="scout")
    assert schedule.take(0.0) is None
    schedule.done(reading, now=0.0)
    assert must(schedule, 0.0).item == "s1"


def test_the_days_budget_ends_and_comes_back() -> None:
    schedule = make_schedule(gap=timedelta(), host_budget=3)
    ask(schedule, "a", "b", "c")
    for _ in range(2):
        schedule.done(must(schedule, 0.0), now=0.0)
    schedule.done(must(schedule, 1.0), now=1.0)
    rest = schedule.put("d", host=HOST, purpose="read", now=2.0)
    assert rest is not None
    assert "budget of 3" in rest.reason
    assert schedule.put("e", host=HOST, purpose="read", now=86_400.0) is None


def test_what_was_cancelled_costs_no_slot() -> None:
    dead = {"b"}
    schedule: HostSchedule[str] = HostSchedule(Manners(), is_live=lambda item: item not in dead)
    ask(schedule, "a", "b", "c")
    schedule.done(must(schedule, 0.0), now=0.0)
    assert must(schedule, 1.0).item == "c"
    assert schedule.waiting == 0


def test_a_burst_does_not_overdraw_the_budget() -> None:
    schedule = make_schedule(host_budget=2)
    ask(schedule, *(f"s{n}" for n in range(4)), purpose="scout")
    permits = [must(schedule, 0.0), must(schedule, 0.0)]
    assert schedule.take(0.0) is None
    assert schedule.done(permits[0], now=0.1)[0][0] == "s2"


# --- many hosts at one address -----------------------------------------------------------------


def crowd(
    schedule: HostSchedule[str], hosts: int, each: int = 1, address: str = "192.0.2.1"
) -> None:
    for n in range(each):
        for host in range(hosts):
            name = f"h{host}.test"
            assert (
                schedule.put(f"{name}/{n}", host=name, purpose="read", now=0.0, address=address)
                is None
            )


def test_at_most_so_many_are_in_flight_to_one_address_and_others_do_not_wait() -> None:
    schedule = make_schedule(gap=timedelta(), per_address=3)
    crowd(schedule, 10)
    permits = [must(schedule, 0.0) for _ in range(3)]
    assert schedule.take(0.0) is None
    assert schedule.wait(0.0) is None, "only a finished turn can change that"
    assert schedule.put("x", host="else.test", purpose="read", now=0.0, address="192.0.2.2") is None
    assert must(schedule, 0.0).item == "x"
    schedule.done(permits[0], now=1.0)
    fourth = must(schedule, 1.0)
    assert fourth.host == "h3.test"
    assert "3 requests to 192.0.2.1 were under way" in fourth.reason
    assert schedule.take(1.0) is None


def test_everybody_at_a_crowded_address_is_served_in_turn() -> None:
    schedule = make_schedule(gap=timedelta(), per_address=2)
    crowd(schedule, 7, each=3)
    served: Counter[str] = Counter()
    flying: list[Permit[str]] = []
    for tick in range(21):
        while (permit := schedule.take(tick)) is not None:
            served[permit.host] += 1
            flying.append(permit)
        assert len(flying) <= 2
        assert max(served.values()) - min(served[f"h{n}.test"] for n in range(7)) <= 1
        schedule.done(flying.pop(0), now=tick)
    assert set(served.values()) == {3}
    assert schedule.waiting == 0


def test_a_place_is_not_lost_on_a_host_that_gave_up_or_rests() -> None:
    dead: set[str] = set()
    schedule: HostSchedule[str] = HostSchedule(
        Manners(gap=timedelta(), per_address=1), is_live=lambda item: item not in dead
    )
    crowd(schedule, 4)
    first = must(schedule, 0.0)
    assert schedule.take(0.0) is None, "the other three are parked"
    dead.update({"h1.test/0", "h2.test/0"})
    schedule.done(first, now=1.0)
    assert must(schedule, 1.0).host == "h3.test"


# --- why it waited -----------------------------------------------------------------------------


def test_the_reason_of_a_wait_is_the_true_one() -> None:
    schedule = make_schedule(gap=timedelta())
    ask(schedule, "a", "b", "c", "d")
    schedule.done(must(schedule, 0.0), now=5.0)
    second = must(schedule, 5.0)
    assert second.reason == "one request at a time to one host"
    schedule.done(second, now=5.0, ending="throttled", retry_after=seconds(3))
    third = must(schedule, 8.0)
    assert third.reason == "the server asked for 3 s (Retry-After)"
    schedule.done(third, now=9.0)
    assert must(schedule, 9.0).reason == "the server asked for 3 s (Retry-After)"
    ask(schedule, "late", host="busy.test", now=10.0)
    assert must(schedule, 14.0).reason == "no slot was free among 256 requests at once"


def test_an_old_rest_is_not_blamed_for_a_new_wait() -> None:
    schedule = make_schedule()
    ask(schedule, "a")
    schedule.done(must(schedule, 0.0), now=0.0, ending="throttled", retry_after=seconds(2))
    ask(schedule, "b", "c", now=50.0)
    schedule.done(must(schedule, 50.0), now=50.5)
    assert must(schedule, 51.5).reason == "1 s between requests to one host"


def test_a_forgiven_host_is_asked_at_once() -> None:
    schedule = make_schedule(gap=timedelta(), patience=1)
    ask(schedule, "a")
    schedule.done(must(schedule, 0.0), now=0.0, ending="unreachable")
    assert schedule.put("b", host=HOST, purpose="read", now=0.5) is not None
    schedule.forgive(now=1.0)
    ask(schedule, "c", now=1.0)
    assert must(schedule, 1.0).item == "c"


def test_back_off_is_spread_by_chance() -> None:
    waits = set()
    for chance in (0.0, 0.25, 0.9):
        schedule: HostSchedule[str] = HostSchedule(Manners(), chance=lambda chance=chance: chance)  # type: ignore[misc]
        ask(schedule, "a", "b")
        schedule.done(must(schedule, 0.0), now=0.0, ending="throttled")
        waits.add(schedule.wait(0.0))
    assert waits == {1.0, 1.5, 2.8}


def test_idle_hosts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireroom.fetch.host_schedule.SWEEP_EVERY", 100)
    schedule = make_schedule()
    for n in range(1000):
        ask(schedule, "x", host=f"h{n}.test", now=n * 10)
        schedule.done(must(schedule, n * 10), now=n * 10)
    assert len(schedule._hosts) <= 101


steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "take", "done", "tick"]),
        st.sampled_from(["a.test", "b.test", "c.test"]),
        st.sampled_from(["scout", "poll", "read"]),
        st.sampled_from(["answered", "answered", "answered", "throttled", "unreachable", "unsent"]),
        st.floats(0, 20, allow_nan=False),
    ),
    max_size=200,
)


@given(steps=steps, gap=st.sampled_from([0.0, 1.0, 3.0]))
def test_manners_hold_in_any_order_of_events(
    steps: list[tuple[str, str, Purpose, str, float]], gap: float
) -> None:
    schedule = make_schedule(gap=seconds(gap), burst=3, burst_in_flight=2, patience=2)
    now, number = 0.0, 0
    flying: dict[str, list[Permit[str]]] = defaultdict(list)
    ended: dict[str, float] = {}
    order: dict[tuple[str, bool], int] = {}
    queued: set[str] = set()
    for kind, host, purpose, ending, wait in steps:
        if kind == "tick":
            now += wait
        elif kind == "put":
            number += 1
            if schedule.put(str(number), host=host, purpose=purpose, now=now) is None:
                queued.add(str(number))
        elif kind == "take" and (permit := schedule.take(now)) is not None:
            queued.remove(permit.item)
            others = flying[permit.host]
            assert len(others) < (2 if permit.burst else 1)
            assert all(other.burst == permit.burst for other in others)
            if not permit.burst and permit.host in ended:
                assert now - ended[permit.host] >= gap - 1e-9
            lane = (permit.host, permit.purpose == "scout")
            assert int(permit.item) > order.get(lane, 0), "order is kept per host"
            order[lane] = int(permit.item)
            others.append(permit)
        elif kind == "done" and flying[host]:
            permit = flying[host].pop(0)
            shed = schedule.done(permit, now=now, ending=ending)  # type: ignore[arg-type]
            queued -= {item for item, _ in shed}
            if ending != "unsent":
                ended[host] = now
        assert schedule.waiting == len(queued)
        if any(flying.values()) is False and queued:
            assert schedule.wait(now) is not None, "what waits with nothing in flight must come due"
