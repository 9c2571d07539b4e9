"""When silence all around is taken for a cut line of our own."""

from __future__ import annotations

import errno
from datetime import timedelta

from wireroom.errors import UnreachableError
from wireroom.fetch.line import SUSPICIOUS, Line, is_our_side, was_heard


def test_many_publishers_without_an_answer_mean_that_it_is_us() -> None:
    line = Line()
    for number in range(SUSPICIOUS):
        assert not line.is_cut
        line.failed(f"www.paper-{number}.test:443")
    assert line.is_cut
    assert line.answered()
    assert not line.is_cut


def test_a_cut_is_remembered_for_what_was_under_way() -> None:
    moment = [100.0]
    line = Line(lambda: moment[0])
    line.failed("courier.test:443")
    assert not line.was_cut_within(timedelta(days=1))
    line.failed("courier.test:443", no_way_out=True)
    moment[0] = 120.0
    assert line.answered() is False
    assert line.was_cut_within(timedelta(seconds=20))
    assert not line.was_cut_within(timedelta(seconds=19))


def test_the_many_doors_of_one_publisher_count_once() -> None:
    line = Line()
    for door in ("", "www.", "feeds.", "rss.", "blog.", "api."):
        line.failed(f"{door}faro.test:443")
        line.failed(f"{door}faro.test:80")
    assert not line.is_cut
    assert not line.answered()


def test_addresses_without_a_name_are_hosts_of_their_own() -> None:
    line = Line()
    for number in range(SUSPICIOUS):
        line.failed(f"127.0.0.{number}:80")
    assert line.is_cut


def test_who_refuses_a_connection_was_heard() -> None:
    def unreachable(number: int) -> UnreachableError:
        error = UnreachableError("https://courier.test/", "no connection")
        error.__cause__ = OSError(number, "it says")
        return error

    assert was_heard(unreachable(errno.ECONNREFUSED))
    assert not was_heard(unreachable(errno.ENETUNREACH))
    assert is_our_side(unreachable(errno.ENETUNREACH))
    assert not is_our_side(unreachable(errno.ECONNREFUSED))
    assert not was_heard(UnreachableError("https://courier.test/", "no answer", kind="timeout"))
    assert was_heard(UnreachableError("https://courier.test/", "no TLS", kind="tls"))
