"""Counts for Prometheus: the text it reads, and a little server on loopback that hands it out."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireroom.errors import SettingsError, StoreError, WireroomError

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.run import Run, RunCounts

MAX_HEAD = 8192  # bytes of a request; a scraper sends some hundred
PATIENCE = 5.0  # seconds for a request to come in
TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Place:
    """Where counts are served."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """What to enter at Prometheus."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/metrics"


def read_place(text: str) -> Place:
    """`127.0.0.1:9464`; nothing but loopback, for there is no password."""
    host, mark, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host == "localhost":
        host = "127.0.0.1"
    if not mark or not port.isdigit() or not 0 < int(port) < 65_536:
        raise SettingsError([f"--metrics {text}: expected HOST:PORT, such as 127.0.0.1:9464"])
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise SettingsError(
            [f"--metrics {text}: {host} is no loopback address"],
            hint="Counts have no password. Put a proxy with one in front of them.",
        )
    return Place(host, int(port))


# --- the text ----------------------------------------------------------------------------------


def metrics_text(counts: RunCounts) -> str:
    """The counts of a run."""
    lines = [
        *_family(
            "polls_total", "counter", "Feeds whose turn it was, by result.", "result", counts.polls
        ),
        *_family("items_total", "counter", "Items seen, by what was new.", "kind", counts.items),
        *_family("leads_total", "counter", "Leads worked on, by outcome.", "state", counts.leads),
        *_family("articles_total", "counter", "Articles saved.", "kind", counts.articles),
        *_family("problems_total", "counter", "Problems, by kind.", "kind", counts.problems),
        *_family(
            "clusters_total", "counter", "Clusters, by what was done.", "kind", counts.clusters
        ),
        *_single("requests_total", "counter", "Requests sent.", counts.requests),
        *_single("received_bytes_total", "counter", "Bytes received.", counts.received),
        *_single("scouted_total", "counter", "Publishers scouted.", counts.scouted),
        *_single("in_flight", "gauge", "Feeds and leads in flight.", counts.hosts.total()),
        *_single("paused", "gauge", "1 while nothing can be saved.", int(bool(counts.paused))),
        *_single("uptime_seconds", "gauge", "Since the run began.", counts.took.total_seconds()),
    ]
    return "\n".join(lines) + "\n"


def store_text(counts: Mapping[str, int], feeds: Mapping[str, int]) -> str:
    """What is held."""
    lines = [
        *_family("held", "gauge", "What is held, by kind.", "kind", counts),
        *_family("feeds", "gauge", "Feeds, by state.", "state", feeds),
    ]
    return "\n".join(lines) + "\n"


def _single(name: str, kind: str, about: str, value: float) -> Iterator[str]:
    yield from _head(name, kind, about)
    yield f"wireroom_{name} {value!r}"


def _family(
    name: str, kind: str, about: str, label: str, values: Mapping[str, int]
) -> Iterator[str]:
    yield from _head(name, kind, about)
    for key, value in sorted(values.items()):
        yield f'wireroom_{name}{{{label}="{_escaped(key)}"}} {value!r}'


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP wireroom_{name} {about}"
    yield f"# TYPE wireroom_{name} {kind}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# --- the server --------------------------------------------------------------------------------


@asynccontextmanager
async def serve_metrics(place: Place, run_loop: Run, app: App) -> AsyncIterator[None]:
    """Serves the counts while the block lasts."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                line = await reader.readline()
                await _skip_head(reader)
            writer.write(_response(line, await _text(run_loop, app)))
            await writer.drain()
        except (TimeoutError, OSError, ValueError):
            return  # whoever asked is gone, or asks for something else
        finally:
            writer.close()

    try:
        server = await asyncio.start_server(answer, place.host, place.port, limit=MAX_HEAD)
    except OSError as exc:
        raise WireroomError(
            f"{place.url} cannot be served: {exc.strerror}.", hint="Choose another port."
        ) from exc
    async with server:
        yield


async def _skip_head(reader: asyncio.StreamReader) -> None:
    while (await reader.readline()).strip():
        continue


async def _text(run_loop: Run, app: App) -> str:
    """The counts; where the store cannot be asked, those of the run alone."""
    from wireroom.app.status import held_counts

    try:
        held = await asyncio.to_thread(held_counts, app)
    except StoreError:
        return metrics_text(run_loop.counts)
    return metrics_text(run_loop.counts) + store_text(held.counts, held.feeds)


def _response(line: bytes, text: str) -> bytes:
    method, _, rest = line.partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0]
    found = method == b"GET" and path == b"/metrics"
    status, body = ("200 OK", text) if found else ("404 Not Found", "There is only /metrics.\n")
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {TYPE}\r\nContent-Length: {len(data)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + data
