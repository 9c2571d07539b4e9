"""Two publishers and an aggregator on loopback, as plain descriptions of what each serves.

A world is that of `rights_oracle`: host to path to answer. `site` writes a publisher with its front page, feed and
stories; `ServedWorlds` serves whichever world is set, on one address for each host.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.rights_formats import Answer, World
from wireroom.town.loopback import bind_places

A, B, AGGREGATOR, ELSEWHERE = "alpha.test", "beta.test", "gather.test", "elsewhere.test"
BLOG = "blog.alpha.test"
"""Another host of A's site."""
HOSTS = (A, B, AGGREGATOR, ELSEWHERE, BLOG)
OPEN_ROBOTS = "User-agent: *\nAllow: /\n"
NAMESPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:rsl="https://rslstandard.org/rsl" '
    'xmlns:cc="http://web.resource.org/cc/" xmlns:creativeCommons="http://backend.userland.com/creativeCommonsRssModule"'
)
_SENTENCES = (
    "The harbour board of Lowport met on {day} to write_settings the dredging of the northern channel.",
    "Its chair told the {n} members present that the silt had risen by two metres since the spring.",
    "Fishing crews who moor there have waited for the work for {n} years, and several spoke at the meeting.",
    "The engineers expect that the channel will be open again to the larger boats before the winter storms.",
    "A second meeting, in the old customs house, will decide who pays for the repairs of quay number {n}.",
    "Until then the ferry to the islands leaves from the southern pier, an hour later than in the timetable.",
)


@dataclass(frozen=True, kw_only=True)
class Site:
    """What a publisher says, and where; everything else of it is written by `serve`."""

    robots: Answer | str = OPEN_ROBOTS
    page_headers: Mapping[str, str] = field(default_factory=dict)
    head: str = ""
    """In the head of every story."""
    body: str = ""
    """At the end of every story."""
    home: str = ""
    home_status: int = 200
    front_on: str = ""
    """The host to which its front page leads."""
    stories_on: str = ""
    """The host to which its stories lead."""
    item: str = ""
    """In every item of the feed."""
    feed_headers: Mapping[str, str] = field(default_factory=dict)
    whole_feed: bool = False
    """Whether the whole text stands in the feed."""
    in_text: str = ""
    """At the end of the text in the feed."""
    files: Mapping[str, Answer | str] = field(default_factory=dict)
    """Path to what stands there besides."""

    def serve(
        self, host: str, stories: int, links: Sequence[str] | None = None
    ) -> dict[str, Answer]:
        """Path to answer; the feed names its own stories unless it is given other links."""
        own = [story_url(host, n) for n in range(1, stories + 1)]
        served = {"/feed.xml": self._feed(own if links is None else links)}
        served["/"] = Answer(
            self.home_status, self._home(host, own), (("Content-Type", "text/html"),)
        )
        if self.front_on:
            served["/"] = moved_to(self.front_on, "/")
        served["/robots.txt"] = _answer(self.robots, "text/plain")
        for n in range(1, stories + 1):
            served[f"/news/story-{n}"] = self._story(host, n)
        for path, what in self.files.items():
            kind = {"json": "application/json", "xml": "application/rsl+xml"}.get(
                path.rpartition(".")[2], "text/plain"
            )
            served[path] = _answer(what, "text/html" if path.startswith("/terms") else kind)
        return served

    def _home(self, host: str, own: Sequence[str]) -> str:
        links = "".join(
            f'<li><a href="{url}">Report on quay {n}</a></li>' for n, url in enumerate(own, 1)
        )
        feed = '<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">'
        return f"<!doctype html><html lang=en><head><title>{host}</title>{feed}</head><body><ul>{links}</ul>{self.home}</body></html>"

    def _story(self, host: str, n: int) -> Answer:
        if self.stories_on:
            return moved_to(self.stories_on, f"/news/story-{n}")
        text = "".join(f"<p>{paragraph}</p>" for paragraph in _paragraphs(host, n))
        page = (
            f"<!doctype html><html lang=en><head><title>{_title(host, n)}</title>{self.head}</head><body>"
            f"<article><h1>{_title(host, n)}</h1>{text}{self.body}</article></body></html>"
        )
        return Answer(
            200, page, (("Content-Type", "text/html; charset=utf-8"), *self.page_headers.items())
        )

    def _feed(self, links: Sequence[str]) -> Answer:
        items = "".join(self._item(link) for link in links)
        body = (
            f'<rss version="2.0" {NAMESPACES}><channel><title>News</title>{items}</channel></rss>'
        )
        return Answer(
            200, body, (("Content-Type", "application/rss+xml"), *self.feed_headers.items())
        )

    def _item(self, link: str) -> str:
        host, n = link.split("/")[2], int(link.rpartition("-")[2])
        text = "".join(f"<p>{paragraph}</p>" for paragraph in _paragraphs(host, n))
        whole = (
            f"<content:encoded><![CDATA[{text}{self.in_text}]]></content:encoded>"
            if self.whole_feed
            else ""
        )
        return f"<item><title>{_title(host, n)}</title><link>{link}</link><guid>{link}</guid>{whole}{self.item}</item>"


def moved_to(host: str, path: str) -> Answer:
    """A redirect to another host."""
    return Answer(301, "", (("Location", f"http://{host}{path}"),))


def story_url(host: str, n: int) -> str:
    """The address of a publisher's nth story."""
    return f"http://{host}/news/story-{n}"


def feed_url(host: str) -> str:
    """The address of its feed."""
    return f"http://{host}/feed.xml"


def _title(host: str, n: int) -> str:
    return f"{host.partition('.')[0].title()} on the dredging of quay {n}"


def _paragraphs(host: str, n: int) -> list[str]:
    return [
        " ".join(s.format(day=f"day {k + n}", n=n + k + len(host)) for s in _SENTENCES)
        for k in range(3)
    ]


def _answer(what: Answer | str, kind: str) -> Answer:
    return what if isinstance(what, Answer) else Answer(200, what, (("Content-Type", kind),))


class ServedWorlds:
    """Serves the world that is set, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.world: World = {}
        self.asked: list[tuple[str, str]] = []
        self.hosts: dict[str, str] = {}

    def answer(self, host: str, path: str) -> Answer:
        """What the host says now."""
        self.asked.append((host, path))
        return self.world.get(host, {}).get(path.partition("?")[0], Answer(404))


@contextmanager
def served_worlds() -> Iterator[ServedWorlds]:
    """On an address for each host, in threads, until the end."""
    served = ServedWorlds()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            answer = served.answer(host, self.path)
            if not answer.status:  # a server that hangs up
                self.close_connection = True
                return
            body = answer.body.encode()
            self.send_response(answer.status)
            for name, value in (*answer.headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if self.command == "GET" else b"")

        do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    servers = []
    for host, socket in zip(HOSTS, bind_places(len(HOSTS), port=0), strict=True):
        socket.setblocking(True)
        server = ThreadingHTTPServer(socket.getsockname(), Handler, bind_and_activate=False)
        server.socket.close()
        server.socket, server.daemon_threads = socket, True
        servers.append(server)
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()
        served.hosts[host] = ":".join(map(str, socket.getsockname()))
    try:
        yield served
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
