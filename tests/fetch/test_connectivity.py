"""When silence all around is taken for a failure of our own network."""

from __future__ import annotations

import errno
import socket
from datetime import timedelta

from wireroom.errors import UnreachableError
from wireroom.fetch.connectivity import (
    LATELY,
    SUSPICIOUS,
    Connectivity,
    has_answer,
    has_no_names,
    is_our_side,
)


def test_many_publishers_without_an_answer_mean_that_it_is_us() -> None:
    connectivity = Connectivity()
    for number in range(SUSPICIOUS):
        assert not connectivity.is_cut
        connectivity.failed(f"www.paper-{number}.test:443")
    assert connectivity.is_cut
    assert connectivity.answered()
    assert not connectivity.is_cut


def test_a_cut_is_remembered_for_what_was_in_flight() -> None:
    moment = [100.0]
    connectivity = Connectivity(lambda: moment[0])
    connectivity.failed("courier.test:443")
    assert not connectivity.was_cut_within(timedelta(days=1))
    connectivity.failed("courier.test:443", no_network=True)
    moment[0] = 120.0
    assert connectivity.answered() is False
    assert connectivity.was_cut_within(timedelta(seconds=20))
    assert not connectivity.was_cut_within(timedelta(seconds=19))


def test_the_many_hosts_of_one_publisher_count_once() -> None:
    connectivity = Connectivity()
    for prefix in ("", "www.", "feeds.", "rss.", "blog.", "api."):
        connectivity.failed(f"{prefix}faro.test:443")
        connectivity.failed(f"{prefix}faro.test:80")
    assert not connectivity.is_cut
    assert not connectivity.answered()


def test_addresses_without_a_name_are_hosts_of_their_own() -> None:
    connectivity = Connectivity()
    for number in range(SUSPICIOUS):
        connectivity.failed(f"127.0.0.{number}:80")
    assert connectivity.is_cut


def test_who_refuses_a_connection_was_heard() -> None:
    def unreachable(number: int) -> UnreachableError:
        error = UnreachableError("https://courier.test/", "no connection")
        error.__cause__ = OSError(number, "it says")
        return error

    assert has_answer(unreachable(errno.ECONNREFUSED))
    assert not has_answer(unreachable(errno.ENETUNREACH))
    assert is_our_side(unreachable(errno.ENETUNREACH))
    assert not is_our_side(unreachable(errno.ECONNREFUSED))
    assert not has_answer(UnreachableError("https://courier.test/", "no answer", kind="timeout"))
    assert has_answer(UnreachableError("https://courier.test/", "no TLS", kind="tls"))


def test_dns_that_fails_for_now_is_not_one_that_knows_no_such_name() -> None:
    def dns(cause: Exception) -> UnreachableError:
        error = UnreachableError("https://courier.test/", "no address", kind="dns")
        error.__cause__ = cause
        return error

    assert has_no_names(dns(socket.gaierror(socket.EAI_AGAIN, "for now")))
    assert has_no_names(dns(TimeoutError()))
    assert not has_no_names(dns(socket.gaierror(socket.EAI_NONAME, "no such host")))
    assert not has_no_names(dns(UnicodeError("label too long")))
    assert not has_no_names(UnreachableError("https://courier.test/", "no", kind="connect"))


def test_nobody_was_heard_until_somebody_is() -> None:
    moment = [0.0]
    connectivity = Connectivity(lambda: moment[0])
    assert connectivity.is_mute()
    connectivity.note_answer()
    moment[0] = LATELY.total_seconds()
    assert not connectivity.is_mute()
    moment[0] += 1
    assert connectivity.is_mute()
    connectivity.answered()
    assert not connectivity.is_mute()
