"""How the town is served: names and addresses, conditional requests, the log, the way down."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gzip
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest

from tests.parts import REPOSITORY
from tests.town.client import ask, exchange
from tests.town.conftest import NOW
from wireroom.errors import TownError
from wireroom.town import Running, Town, build_town, running_town, serve_town
from wireroom.town.answer_cache import AnswerCache
from wireroom.town.loopback import bind_places, loopback_address


def test_every_publisher_has_an_address_of_its_own_on_one_port(served: Running) -> None:
    assert set(served.hosts) == set(served.town.publishers)
    assert len(set(served.hosts.values())) == len(served.hosts)
    assert {place.rpartition(":")[2] for place in served.hosts.values()} == {str(served.port)}
    assert all(place.startswith("127.66.") for place in served.hosts.values())


@pytest.mark.parametrize("host", list(build_town(now=NOW).publishers))
def test_every_home_page_is_served(served: Running, host: str) -> None:
    reply = ask(served, host)
    assert reply.status == (403 if host in ("gate.test", "bastion.test") else 200)
    assert int(reply.header("Content-Length")) == len(reply.body)


def test_another_name_does_not_live_here(served: Running) -> None:
    reply = ask(served, "courier.test", headers={"Host": "sentinel.test"})
    assert reply.status == 421
    assert "sentinel.test does not live here" in reply.text


def test_port_in_the_host_header_does_not_matter(served: Running) -> None:
    headers = {"Host": f"courier.test:{served.port}"}
    assert ask(served, "courier.test", headers=headers).status == 200


def test_bare_address_is_served_too(served: Running) -> None:
    headers = {"Host": served.hosts["courier.test"]}
    assert ask(served, "courier.test", headers=headers).status == 200


def test_www_leads_to_the_bare_name(served: Running) -> None:
    reply = ask(served, "courier.test", "/about", headers={"Host": "www.courier.test"})
    assert (reply.status, reply.header("Location")) == (301, "http://courier.test/about")


def test_unknown_path_is_404(served: Running) -> None:
    for path in ("/nothing", "/2026/01/01/nothing-1", "/%00", "//", "/?x=1&y"):
        assert ask(served, "courier.test", path).status in (404, 200)
    assert ask(served, "courier.test", "/nothing").status == 404


def test_only_get_and_head_are_answered(served: Running) -> None:
    reply = ask(served, "courier.test", method="POST")
    assert (reply.status, reply.header("Allow")) == (405, "GET, HEAD")


def test_head_has_the_head_of_get_and_no_body(served: Running) -> None:
    get, head = ask(served, "courier.test"), ask(served, "courier.test", method="HEAD")
    assert head.body == b""
    assert head.header("Content-Length") == get.header("Content-Length")
    assert head.header("ETag") == get.header("ETag")


@pytest.mark.parametrize("host", ["nagisa.test", "yunjiang.test", "tikhobereg.test"])
def test_old_regionals_refuse_head(served: Running, host: str) -> None:
    reply = ask(served, host, method="HEAD")
    assert (reply.status, reply.header("Allow")) == (405, "GET")
    assert ask(served, host).status == 200


@pytest.mark.parametrize(
    ("host", "path"),
    [("courier.test", "/rss.xml"), ("phare.test", "/feed/"), ("courier.test", "/robots.txt")],
)
def test_known_answers_are_not_sent_again(served: Running, host: str, path: str) -> None:
    first = ask(served, host, path)
    for headers in (
        {"If-None-Match": first.header("ETag")},
        {"If-None-Match": f'"other", {first.header("ETag")}'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": first.header("Last-Modified")},
    ):
        again = ask(served, host, path, headers=headers)
        assert (again.status, again.body) == (304, b"")
        assert again.header("ETag") == first.header("ETag")
    for headers in (
        {"If-None-Match": '"other"'},
        {"If-None-Match": '"other"', "If-Modified-Since": first.header("Last-Modified")},
        {"If-Modified-Since": "Thu, 01 Jan 1998 00:00:00 GMT"},
        {"If-Modified-Since": "yesterday"},
    ):
        assert ask(served, host, path, headers=headers).status == 200


def test_weak_and_strong_tags_are_both_there(served: Running) -> None:
    assert ask(served, "phare.test").header("ETag").startswith('W/"')
    assert ask(served, "courier.test").header("ETag").startswith('"')


def test_gzip_for_those_who_accept_it(served: Running) -> None:
    plain = ask(served, "courier.test")
    assert plain.header("Content-Encoding") == ""
    packed = ask(served, "courier.test", headers={"Accept-Encoding": "br, gzip"})
    assert packed.header("Content-Encoding") == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    file = ask(
        served, "yunjiang.test", "/sitemap_index.xml.gz", headers={"Accept-Encoding": "gzip"}
    )
    assert file.header("Content-Encoding") == ""


def test_answers_follow_the_clock() -> None:
    town = build_town(now=NOW)
    with running_town(town) as running:
        before = ask(running, "courier.test", "/rss.xml")
        town.clock.advance(timedelta(hours=7))
        tag = {"If-None-Match": before.header("ETag")}
        after = ask(running, "courier.test", "/rss.xml", headers=tag)
        assert after.status == 200
        assert town.stories("courier.test")[0].url.encode() in after.body


def test_article_is_edited_under_its_readers_eyes() -> None:
    town = build_town(now=NOW)
    number = next(
        n
        for n in range(town.count("courier.test"), 10_000)
        if town.numbered("courier.test", n).edits
    )
    town.clock.advance(town.published_at("courier.test", number) - NOW)
    with running_town(town) as running:
        story = town.numbered("courier.test", number)
        path = story.url.removeprefix("http://courier.test")
        first = ask(running, "courier.test", path)
        town.clock.advance(story.edits[-1].at - town.clock.now())
        second = ask(running, "courier.test", path)
    assert first.header("ETag") != second.header("ETag")
    assert first.header("Last-Modified") != second.header("Last-Modified")


# --- the log ------------------------------------------------------------------------------------


def test_log_tells_what_was_asked_and_how() -> None:
    with running_town(build_town(now=NOW)) as running:
        ask(running, "courier.test", "/rss.xml?a=1", headers={"User-Agent": "somebody/1"})
        ask(running, "sentinel.test", method="HEAD")
        log = running.log
        (seen,) = log.requests_to("courier.test", "/rss.xml")
        assert (seen.method, seen.path, seen.query) == ("GET", "/rss.xml", "a=1")
        assert seen.headers["user-agent"] == "somebody/1"
        assert seen.in_flight == 1
        assert [request.host for request in log] == ["courier.test", "sentinel.test"]
        assert (log.count(), log.count("sentinel.test"), len(log)) == (2, 1, 2)
        running.forget()
        assert (log.count(), len(log)) == (0, 0)


def test_log_sees_requests_in_flight_at_once() -> None:
    with running_town(build_town(now=NOW), latency=timedelta(milliseconds=300)) as running:
        threads = [
            threading.Thread(target=ask, args=(running, "courier.test", f"/?n={n}"))
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        ask(running, "sentinel.test")
        for thread in threads:
            thread.join()
        assert running.log.max_in_flight("courier.test") == 4
        assert running.log.max_in_flight("sentinel.test") == 1
        assert ask(running, "courier.test").status == 200
        assert running.log.requests_to("courier.test")[-1].in_flight == 1


def test_log_measures_gaps() -> None:
    with running_town(build_town(now=NOW)) as running:
        ask(running, "courier.test")
        time.sleep(0.2)
        ask(running, "courier.test")
        (gap,) = running.log.gaps("courier.test")
        assert timedelta(milliseconds=190) < gap < timedelta(seconds=5)


def test_log_is_bounded() -> None:
    with running_town(build_town(now=NOW), log_size=3) as running:
        for number in range(5):
            ask(running, "courier.test", f"/?n={number}")
        assert [seen.query for seen in running.log] == ["n=2", "n=3", "n=4"]
        assert running.log.count("courier.test") == 5


def test_latency_is_added_to_every_answer() -> None:
    with running_town(build_town(now=NOW), latency=timedelta(milliseconds=150)) as running:
        began = time.monotonic()
        ask(running, "courier.test")
        assert time.monotonic() - began >= 0.15


# --- up and down --------------------------------------------------------------------------------


async def test_town_is_served_inside_an_event_loop(town: Town) -> None:
    async with serve_town(town) as running:
        reader, writer = await asyncio.open_connection(*running.address("courier.test"))
        writer.write(b"GET / HTTP/1.1\r\nHost: courier.test\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
        writer.close()
        await writer.wait_closed()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*running.address("courier.test"))


async def test_stop_is_noticed(town: Town) -> None:
    async with serve_town(town) as running:
        waiting = asyncio.create_task(running.stopped())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        running.stop()
        await asyncio.wait_for(waiting, 5)
        assert waiting.done()


def test_hanging_requests_do_not_hold_the_town_back() -> None:
    with running_town(build_town(now=NOW)) as running:
        thread = threading.Thread(
            target=exchange, args=(running, "trouble.test", "/hang"), daemon=True
        )
        thread.start()
        while not running.log.count("trouble.test"):
            time.sleep(0.01)
        began = time.monotonic()
    assert time.monotonic() - began < 30  # it would hang for a day
    thread.join(5)
    assert not thread.is_alive()


def test_two_towns_at_once() -> None:
    with running_town(build_town(now=NOW)) as first, running_town(build_town(now=NOW)) as other:
        assert first.port != other.port
        assert ask(first, "courier.test").body == ask(other, "courier.test").body


def test_taken_port_is_reported_in_one_line_with_a_hint(town: Town) -> None:
    with socket.socket() as squatter:
        squatter.bind((loopback_address(1), 0))
        squatter.listen()
        port = squatter.getsockname()[1]
        taken = f"port {port} on 127.66.0.2 is taken"
        with pytest.raises(TownError, match=taken) as caught, running_town(town, port=port):
            pytest.fail("the port was taken")
    assert "--port" in caught.value.hint
    assert "\n" not in str(caught.value)
    with running_town(town, port=port) as running:
        assert running.port == port


@pytest.mark.parametrize("port", [-1, 65_536])
def test_impossible_port_is_refused(town: Town, port: int) -> None:
    with pytest.raises(TownError, match="there is no port"), running_town(town, port=port):
        pytest.fail("there is no such port")


def test_one_address_is_enough() -> None:
    with running_town(build_town(now=NOW), spread="ports") as running:
        assert {place.rpartition(":")[0] for place in running.hosts.values()} == {"127.0.0.1"}
        assert len(set(running.hosts.values())) == len(running.hosts)
        assert ask(running, "courier.test").status == 200
        assert ask(running, "sentinel.test", headers={"Host": "courier.test"}).status == 421


def test_system_with_one_loopback_address_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    real_bind = socket.socket.bind

    def bind(self: socket.socket, address: tuple[str, int]) -> None:
        if address[0] != "127.0.0.1":
            raise OSError(errno.EADDRNOTAVAIL, "Can't assign requested address")
        real_bind(self, address)

    monkeypatch.setattr(socket.socket, "bind", bind)
    with running_town(build_town(now=NOW)) as running:
        assert all(place.startswith("127.0.0.1:") for place in running.hosts.values())


def test_one_address_with_a_given_port_counts_upwards() -> None:
    sockets, port = _three_ports_in_a_row()
    try:
        assert [listener.getsockname()[1] for listener in sockets] == [port, port + 1, port + 2]
    finally:
        for listener in sockets:
            listener.close()


def _three_ports_in_a_row() -> tuple[list[socket.socket], int]:
    """Somebody else may hold one of them; then the next three are tried."""
    for port in range(42_000, 43_000, 3):
        with contextlib.suppress(TownError):
            return bind_places(3, port=port, spread="ports"), port
    pytest.fail("no three free ports among a thousand")


def test_too_many_open_files_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def listen(self: socket.socket, backlog: int) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket.socket, "listen", listen)
    with pytest.raises(TownError, match="Too many open files") as caught:
        bind_places(2, port=0, spread="ports")
    assert "ulimit" in caught.value.hint


def test_town_has_an_end() -> None:
    with pytest.raises(TownError, match="room for"):
        loopback_address(10**6)


# --- size ---------------------------------------------------------------------------------------


def test_the_answer_cache_stays_within_its_bytes(town: Town) -> None:
    cache = AnswerCache(town, max_bytes=50_000)
    for story in town.stories("courier.test"):
        cache.take("courier.test", story.url.removeprefix("http://courier.test"))
        assert cache.size <= 50_000


SMALL_LARGE_TOWN = """
import asyncio
from datetime import UTC, datetime
from tests.memory import peak_megabytes
from wireroom.town import build_town, serve_town

async def main():
    town = build_town(now=datetime(2026, 11, 12, tzinfo=UTC), publishers=60, articles=10)
    async with serve_town(town) as running:
        for host in town.publishers:
            if not host.startswith("paper-"):
                continue
            for story in town.stories(host):
                reader, writer = await asyncio.open_connection(*running.address(host))
                path = story.url.removeprefix(f"http://{host}")
                writer.write(f"GET {path} HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
                writer.close()
    print(int(peak_megabytes()))

asyncio.run(main())
"""


@pytest.mark.long
def test_large_town_is_small_in_memory() -> None:
    """The quick form of 500 publishers with 40 articles, each page read once."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL_LARGE_TOWN],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert int(done.stdout) < 150
