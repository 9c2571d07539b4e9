"""What a scout asks for next: the announced before the guessed, and nothing that takes a better one's place."""

from __future__ import annotations

from math import inf

from wireroom.model import Priority
from wireroom.scout.request_plan import MAX_REQUESTS, Ask, RequestPlan

SITE = "courier.example"
EXPECTED = {
    "feeds": (Priority.FEED,),
    "sitemap_analysis": (Priority.SITEMAP,),
    "terms": (Priority.TERMS,),
}


def slow(_host: str) -> float:
    return 10.0


def fast(_host: str) -> float:
    return 0.0


def plan(*, ends_at: float = 60.0, left: int = MAX_REQUESTS) -> RequestPlan:
    made = RequestPlan(ends_at=ends_at, left=left, site=SITE)
    for step, asks in EXPECTED.items():
        made.expect(step, asks)
    return made


def test_of_those_that_wait_the_most_important_is_sent_first() -> None:
    requests = plan()
    guess, terms, feed = (
        requests.put(SITE, priority) for priority in (Priority.GUESS, Priority.TERMS, Priority.FEED)
    )
    sent: list[Ask] = []
    for now in (0.0, 10.0, 20.0):
        decision = requests.decide(now, slow)
        sent += decision.send
        for ask in decision.send:
            requests.answered(ask, now=now, took=0.0)
    assert sent == [feed, terms, guess]


def test_without_a_delay_four_are_in_flight_and_the_next_goes_when_one_ends() -> None:
    requests = plan()
    asks = [requests.put(SITE, Priority.MORE) for _ in range(6)]
    assert requests.decide(0.0, fast).send == tuple(asks[:4])
    assert requests.decide(1.0, fast).send == ()
    requests.answered(asks[0], now=2.0, took=2.0)
    assert requests.decide(2.0, fast).send == (asks[4],)


def test_with_a_delay_one_is_in_flight_and_the_next_waits_for_its_turn() -> None:
    requests = plan()
    first, second = (requests.put(SITE, Priority.FEED) for _ in range(2))
    assert requests.decide(0.0, slow).send == (first,)
    requests.answered(first, now=1.0, took=1.0)
    decision = requests.decide(1.0, slow)
    assert (decision.send, decision.again_at) == ((), 11.0)
    assert requests.decide(11.0, slow).send == (second,)


def test_time_is_kept_for_what_is_expected_and_a_guess_is_refused_at_once() -> None:
    requests = plan(ends_at=30.0)  # three turns, for feed, sitemap and terms
    guess = requests.put(SITE, Priority.GUESS)
    assert requests.decide(0.0, slow).refuse == ((guess, "scout_time"),)


def test_requests_are_kept_for_what_is_expected() -> None:
    requests = plan(left=4)
    guesses = [requests.put(SITE, Priority.GUESS) for _ in range(2)]
    decision = requests.decide(0.0, fast)
    assert decision.send == (guesses[0],)
    assert decision.refuse == ((guesses[1], "scout_requests"),)


def test_what_a_step_did_not_ask_for_is_free_when_it_is_done() -> None:
    requests = plan(left=3)
    requests.end_step("terms")
    guess = requests.put(SITE, Priority.GUESS)
    assert requests.decide(0.0, fast).send == (guess,)


def test_what_holds_nobody_up_waits_for_room_until_the_end() -> None:
    requests = plan(ends_at=30.0)
    file = requests.put(SITE, Priority.RIGHTS_FILE)
    decision = requests.decide(0.0, slow)
    assert (decision.send, decision.refuse) == ((), ())
    for step in EXPECTED:
        requests.end_step(step)
    assert requests.decide(1.0, slow).send == (file,)


def test_when_the_time_is_over_nothing_waits_any_more() -> None:
    requests = plan()
    asks = [requests.put(SITE, priority) for priority in (Priority.FRONT, Priority.RIGHTS_FILE)]
    assert requests.decide(60.0, fast).refuse == tuple((ask, "scout_time") for ask in asks)


def test_a_redirect_on_the_way_costs_a_request_of_its_own() -> None:
    requests = plan(left=10)
    ask = requests.put(SITE, Priority.FEED)
    requests.decide(0.0, fast)
    requests.answered(ask, now=1.0, took=1.0, requests=3)
    assert requests.left == 7


def test_another_host_has_turns_of_its_own() -> None:
    requests = plan(ends_at=15.0)
    elsewhere = requests.put("cdn.example", Priority.MORE)
    assert requests.decide(0.0, slow).send == (elsewhere,)


def test_slow_answers_are_reckoned_with() -> None:
    requests = plan(ends_at=60.0)
    first = requests.put(SITE, Priority.FEED)
    requests.decide(0.0, slow)
    requests.answered(first, now=10.0, took=10.0)
    more = requests.put(SITE, Priority.MORE)  # turns at 20 and 40: for sitemap and terms
    assert requests.decide(10.0, slow).refuse == ((more, "scout_time"),)


def test_nothing_to_decide_wakes_nobody_before_the_end() -> None:
    assert RequestPlan(ends_at=inf).decide(0.0, fast).again_at == inf
